// SPDX-License-Identifier: Apache-2.0
//! Lock-step co-simulation: the hardware follows a recorded run of the simulator cycle by cycle, up to the first difference.
//!
//! [`lockstep`] drives the Verilated mesh with the flits that a recorded run has injected and compares every handshake of every
//! router port, bit by bit. [`endpoints`] does the same with network interfaces, at their AXI ports, [`messages`] with
//! routers that flits pass, several of them in a cycle.
//! [`library`]: [`BuildInputs`] says what such a library is made from, and it is made when a run needs it first and opened again by later runs.
//!
//! Whoever simulates is passed in: this crate knows records of runs and no simulator.

pub mod endpoints;
mod error;
pub mod library;
pub mod lockstep;
pub mod messages;
#[cfg(not(unix))]
mod no_library;
mod run;
mod verilated;

pub use error::{CosimError, HardwareError};
pub use library::{Arithmetic, Boundary, BuildInputs, read_sources, verilator_found};
pub use run::{Hardware, run_schedule, run_trace};
pub use run::{HardwareReport, OnCycle, OnProgress, Simulate};
pub use verilated::LIBRARY_FILE;
