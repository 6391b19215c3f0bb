// SPDX-License-Identifier: Apache-2.0
//! Tests of the crate through its public interface: one program, one module per subject.
#![allow(clippy::unwrap_used)]

mod advise;
mod analytic;
mod auto_record;
mod baselines;
mod beat_widths;
mod bypass_paths;
mod collective_traffic;
mod common;
mod compare;
mod core_algorithms;
mod core_model;
mod core_tiles;
mod core_traffic;
mod delivery_bounds;
mod depths_and_links;
mod explain;
mod extremes;
mod gemm;
mod ideal;
mod matrix;
mod memory_sides;
mod message_bounds;
mod orders;
mod parameters;
mod relations;
mod shared_links;
mod short_schedules;
mod stress;
mod synth;
mod textbook;
mod traffic;
mod view;
