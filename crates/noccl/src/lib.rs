// SPDX-License-Identifier: Apache-2.0
//! Everything a user calls: the library's one front door.
//!
//! The command line and the Python package call these functions and contain no rule of their own. Each verb of the command
//! line is one function here; its result is a plain row type with a JSON form. Five modules group them by subject:
//! [`network`], [`collective`], [`program`], [`study`], [`hardware`]; what all verbs share is here, files and reports have
//! modules of their own.

pub mod collective;
mod demo;
mod doctor;
pub mod files;
pub mod hardware;
pub mod network;
pub mod program;
pub mod report;
pub mod study;

pub use demo::{DEMO_KIB, DEMO_PRESET, demo};
pub use doctor::{DoctorRow, DoctorState, doctor};
pub use noccl_run::{MAX_THREADS, Mode, RunConfig, RunError, Step, Watch, WorkStage};
pub use noccl_studies::{Backend, Error, ErrorClass, parse_mode, parse_threads, parse_time_limit};
pub use report::{algorithm, cases, verification};
