// SPDX-License-Identifier: Apache-2.0
//! Analytic models: what the network alone demands of a collective, before any algorithm.
//!
//! Without a bound, a speedup says which algorithm is faster, never how much is left to gain.

mod bound;
mod error;

pub use bound::{
    Bounds, END_EVENT, START_EVENT, bounds, lower_bound_cycles, payload_bound_cycles,
    round_trip_cycles,
};
pub use error::ModelError;
