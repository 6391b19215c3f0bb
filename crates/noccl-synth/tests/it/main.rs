// SPDX-License-Identifier: Apache-2.0
//! Searches with the simulator as evaluator.
#![allow(clippy::unwrap_used)]

mod common;
mod prop_search;
mod refusals;
