// SPDX-License-Identifier: Apache-2.0
//! Merge points: contributions at heads of inputs, tables of responses and barriers, reductions behind them.

pub(crate) mod contributions;
pub(crate) mod point;
pub(crate) mod table;
pub(crate) mod types;
