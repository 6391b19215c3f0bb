// SPDX-License-Identifier: Apache-2.0
//! Energy per counted event (S1 Table 1).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Energy of the primitive operations of S1 Table 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EnergyTable {
    /// DMA reading one byte from its source memory.
    pub dma_load_pj_per_byte: f64,
    /// DMA writing one byte towards its destination.
    pub dma_store_pj_per_byte: f64,
    /// One byte of payload crossing one router-to-router link.
    pub hop_pj_per_byte: f64,
    /// Writing one byte into a scratchpad memory.
    pub spm_write_pj_per_byte: f64,
    /// One operation of a matrix multiplication.
    pub gemm_pj_per_op: f64,
    /// One element operation of a reduction run by the cores.
    pub software_reduce_pj_per_op: f64,
    /// One element operation of a reduction run by the network on the FPUs (DCA).
    pub dca_reduce_pj_per_op: f64,
}
