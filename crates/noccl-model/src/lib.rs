// SPDX-License-Identifier: Apache-2.0
//! Analytic models: what a collective should cost, without running it.
//!
//! Without a bound, a speedup says which algorithm is faster, never how much is left to gain. Without equations,
//! a runtime is a number that nobody can explain.

mod bound;
mod chunks;
mod error;
pub mod published;

pub use bound::{
    Bounds, END_EVENT, START_EVENT, bounds, lower_bound_cycles, payload_bound_cycles,
    round_trip_cycles,
};
pub use chunks::{LimitPoint, best_chunks, even_chunks, limit};
pub use error::ModelError;
