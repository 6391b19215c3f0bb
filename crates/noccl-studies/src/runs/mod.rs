// SPDX-License-Identifier: Apache-2.0
//! Runs of the simulator as verbs and studies make them: saved and gone on with, on the caller's bytes, with link loads by name.

mod checkpoints;
mod values;

pub use checkpoints::{CheckpointRequest, Session, is_saving};
pub use values::{LinkFlits, busiest, link_flits};
pub use values::{run_values, verify_values};
