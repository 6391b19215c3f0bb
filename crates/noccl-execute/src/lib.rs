// SPDX-License-Identifier: Apache-2.0
//! Compiled programs of ranks on any network: what cores call is carried out by the runtime of programs.
//!
//! A core (`noccl-riscv`) executes and knows no network; a session (`noccl-program`) carries out calls of ranks on every
//! network and knows no core. This crate stands between them: it states the cycles that a core has executed as computation,
//! then the call at which the core has stopped, and writes what the call gives into the core's memory.
//!
//! What it keeps true: equal programs give equal cycles; a rank's calls take effect in the cycle in which its core comes to
//! them; whatever a program passes as an argument, the run ends with the rank and the place instead of a panic or a stall.
//! Numbers of calls: [`Number`], for C `programs/calls/numbers.h`.

mod arguments;
mod calls;
mod collective;
mod combine;
mod error;
mod function;
mod header;
mod number;
mod ports;
mod races;
mod rank;
mod requests;
mod results;
mod run;
mod tasks;
mod terms;
mod waits;
mod windows;

pub use error::{ExecuteError, Fault};
pub use function::{Element, Fold, Function};
pub use header::c_header;
pub use number::Number;
pub use results::{CalledRank, CalledResult};
pub use run::{CalledRequest, run, run_or};
