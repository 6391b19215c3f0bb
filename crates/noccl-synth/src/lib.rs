// SPDX-License-Identifier: Apache-2.0
//! Schedule search: from the specification of a collective on a network to a fast schedule.
//!
//! A [`Problem`] states which data must reach which tiles. [`search`] tries the schedules of the library, plans by matching over
//! time, plans by packed trees, and changes to the best of them. The caller passes an [`Evaluator`], which rates schedules. The checker of
//! `noccl-workload` proves each result.

mod emit;
mod encoding;
mod error;
mod faults;
mod file_order;
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
pub use outcome::{Candidate, Evaluator, Found, Objective, Rating, Settings};
pub use problem::{Part, Problem};
pub use search::search;
