// SPDX-License-Identifier: Apache-2.0
//! Tests of the crate through its public interface: one program, one module per subject.

mod beside;
mod common;
mod memory;
mod programs;
mod rank_time;
mod traces;
