// SPDX-License-Identifier: Apache-2.0
//! Runs beside Verilated hardware through the facade: `make cosim-run`.
#![allow(clippy::unwrap_used)]

mod replay_2x2;
