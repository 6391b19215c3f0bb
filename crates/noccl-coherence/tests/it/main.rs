// SPDX-License-Identifier: Apache-2.0
//! Tests of the crate through its public interface: one program, one module per subject.

mod common;
mod kernels;
mod machine;
mod protocols;
mod recorder;
