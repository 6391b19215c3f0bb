// SPDX-License-Identifier: Apache-2.0
//! The command beside Verilated hardware, with the real tools: `make cosim-run`, `make cosim-sides`.
#![allow(clippy::unwrap_used, dead_code)] // other programs use other parts of `common`

#[path = "../it/common/mod.rs"]
mod common;
mod run;
mod sides;
mod tools;
