// SPDX-License-Identifier: Apache-2.0
//! Searches with the simulator as oracle.
#![allow(clippy::unwrap_used)]

mod common;
mod prop_search;
mod refusals;
