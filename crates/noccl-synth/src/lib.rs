// SPDX-License-Identifier: Apache-2.0
//! A search for schedules: from what a collective asks for on a network to one that is fast there.
//!
//! [`Problem`] says what has to get where, [`search`] tries the library's schedules, plans by matching in time, plans by packed
//! trees, and changes to the best of them. Who says how good one is, is passed in: an [`Oracle`]. What comes out is trusted by nobody:
//! the checker of `noccl-workload` proves it.

mod emit;
mod error;
mod faults;
mod file_order;
mod genome;
mod library;
mod matching;
mod outcome;
mod packing;
mod plan;
mod problem;
mod search;
#[cfg(test)]
mod steps;

pub use error::SynthError;
pub use faults::Faults;
pub use outcome::{Candidate, Found, Objective, Oracle, Rating, Settings};
pub use problem::{Part, Problem};
pub use search::search;
