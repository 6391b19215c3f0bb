// SPDX-License-Identifier: Apache-2.0
//! Analytic models: what a collective should cost, without running it.
//!
//! Without a bound, a speedup says which algorithm is faster, never how much is left to gain. Without equations,
//! a runtime is a number that nobody can explain.

pub mod baselines;
mod bound;
mod bound_class;
mod bound_cores;
mod bound_software;
mod calibrate;
mod capacity;
mod capacity_collective;
mod chunks;
mod constants;
mod error;
mod estimate;
mod flow;
mod hop;
mod once;
mod polling;
mod predict;
pub mod published;
mod runs;
mod words;

pub use bound::{
    Bounds, END_EVENT, START_EVENT, bounds, lower_bound_cycles, payload_bound_cycles,
    round_trip_cycles,
};
pub use bound_cores::{DirectExchangeBounds, direct_exchange};
pub use calibrate::{
    CALIBRATION_FORMAT, Calibration, FittedRun, HeldOut, conditions, fit, held_out,
};
pub use capacity::capacity_beats_per_cycle;
pub use chunks::{LimitPoint, best_chunks, even_chunks, limit};
pub use constants::{Constant, Constants, Law};
pub use error::ModelError;
pub use estimate::Shape;
pub use flow::{FlowEstimate, estimate_cycles};
pub use hop::MulticastSource;
pub use once::all_reduce_once_cycles;
pub use predict::{Prediction, list_multicast_cycles, predict, predict_with};
pub use runs::{CalibrationRun, calibration_runs};
