// SPDX-License-Identifier: Apache-2.0
//! Networks: their description and their hardware.

pub mod elaborate;
pub mod rtl;
