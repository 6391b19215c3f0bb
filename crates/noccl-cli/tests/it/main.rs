// SPDX-License-Identifier: Apache-2.0
//! Tests of the crate through its public interface: one program, one module per subject.
#![allow(clippy::unwrap_used)]

mod advise;
mod analytic;
mod bad_input;
mod baselines;
mod bounds;
mod build;
mod checkpoint;
mod coherence;
mod common;
mod compare_table;
mod completion;
mod core_tiles;
mod deadlock;
mod explain;
mod gemm;
mod generated;
mod hardware;
mod interrupt;
mod kills;
mod memory_sides;
mod messages;
mod mutations;
mod old_names;
mod options;
mod order;
mod outputs;
mod refusals;
mod responses;
mod synth;
mod table;
mod time_left;
mod tips;
mod trees;
mod truth;
mod verbs;
