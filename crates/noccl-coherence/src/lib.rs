// SPDX-License-Identifier: Apache-2.0
//! Cache coherence over simulated networks: a substitute for the full-system runs of S2 (`docs/coherence.md`).
//!
//! From the bottom: [`memory`], which programs run over; [`kernels`], programs of our own on it; [`recording`], what their threads have
//! referenced; [`protocol`], what caches and homes do with messages; [`machine`], cores and caches over S2's network.

pub mod kernels;
pub mod machine;
pub mod memory;
pub mod protocol;
pub mod recording;

pub use kernels::{Kernel, KernelError, Size, WrongResult};
pub use recording::{Log, RecordingError};

/// A recorder for programs in C and C++, which its users compile (`docs/how-to/record-a-program.md`).
pub const RECORDER_SOURCE: &str = include_str!("../recorder/noccl_recorder.c");
