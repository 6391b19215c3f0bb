// SPDX-License-Identifier: Apache-2.0
//! Tests of the crate through its public interface: one program, one module per subject.
#![allow(clippy::unwrap_used)]

mod blocks;
mod chain_order;
mod common;
mod fingerprints;
mod fused;
mod gemm;
mod messages;
mod point_to_point;
mod postcondition;
mod scatter_gather_custom;
mod structure;
