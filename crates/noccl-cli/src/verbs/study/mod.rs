// SPDX-License-Identifier: Apache-2.0
//! Studies of many runs: products, barriers, open-loop traffic, the model.

pub mod attention;
pub mod auto;
pub mod barrier;
pub mod calibrate;
pub mod coherence;
pub mod gemm;
pub mod npb;
pub mod stress;
pub mod sweep;
pub mod synth;
pub mod traffic;
pub mod validation;
