// SPDX-License-Identifier: Apache-2.0
//! Tests of the crate through its public interface: one program, one module per subject.
#![allow(clippy::unwrap_used)]

mod attention;
mod barrier;
mod blocks;
mod buffer_space;
mod chain_order;
mod common;
mod dealt_and_own;
mod fingerprints;
mod fused;
mod gemm;
mod messages;
mod point_to_point;
mod postcondition;
mod structure;
