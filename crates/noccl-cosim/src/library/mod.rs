// SPDX-License-Identifier: Apache-2.0
//! Libraries of Verilated hardware: what they are made from, the tool that makes them, where they are kept.

mod build_inputs;
mod cache;
mod sources;
mod verilator;

pub use build_inputs::{Arithmetic, Boundary, BuildInputs, engine_channels, numbers};
pub use cache::find_or_build;
pub use sources::read_sources;
pub use verilator::verilator_found;
