// SPDX-License-Identifier: Apache-2.0
//! What is known of a run of a NAS Parallel Benchmark: a row of `noccl npb`, and of the rows that S4's claims are assessed by.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A number that a kernel computes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NpbQuantity {
    /// What it is.
    pub name: String,
    /// As computed.
    pub computed: f64,
    /// That of the benchmark's definition, if there is one.
    pub reference: Option<f64>,
    /// Largest relative error that is allowed.
    pub tolerance: Option<f64>,
    /// The relative error.
    pub relative_error: Option<f64>,
    /// Is it within the tolerance?
    pub is_right: Option<bool>,
}

/// A kernel with a library. Cycles of compute, send, receive and wait are those of all ranks together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NpbRow {
    /// The kernel.
    pub kernel: String,
    /// Its size.
    pub class: String,
    /// Macros of the sources, as sizes of class X.
    pub define: Vec<String>,
    /// Number of ranks.
    pub ranks: u32,
    /// The library.
    pub library: String,
    /// Name of the network.
    pub network: String,
    /// When the last rank ended, set-up included.
    pub cycles: u64,
    /// The part that the benchmark times, on the slowest rank.
    pub timed_cycles: u64,
    /// Executed outside the library.
    pub compute_cycles: u64,
    /// Within sends.
    pub send_cycles: u64,
    /// Within receives, but for waits.
    pub receive_cycles: u64,
    /// Waits for words, and for space in a port.
    pub wait_cycles: u64,
    /// Messages that ranks have sent each other; a broadcast on the static network is one.
    pub messages: u64,
    /// Bytes in them.
    pub bytes: u64,
    /// Instructions of all ranks.
    pub instructions: u64,
    /// Code and data in each core's memory, heap and stack apart.
    pub program_bytes: u64,
    /// Every quantity that the benchmark computes.
    pub verification: Vec<NpbQuantity>,
    /// Are all of them those of the definition? Absent if this size has none.
    pub verified: Option<bool>,
}
