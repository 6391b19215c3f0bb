// SPDX-License-Identifier: Apache-2.0
//! Event counts → energy (S1 Table 1, §4.3.3).

use crate::Counters;
use noccl_spec::EnergyTable;

/// Energy of the counted events in pJ.
///
/// S1 charges a transfer for DMA load, DMA store, hops and scratchpad write per byte, and a reduction
/// per element operation, by who computes it; a GEMM costs per multiply-add.
#[must_use]
pub fn energy_pj(counters: &Counters, table: &EnergyTable) -> f64 {
    let terms = [
        (counters.dma_load_bytes, table.dma_load_pj_per_byte),
        (counters.dma_store_bytes, table.dma_store_pj_per_byte),
        (counters.payload_byte_hops, table.hop_pj_per_byte),
        (counters.spm_write_bytes, table.spm_write_pj_per_byte),
        (counters.gemm_ops, table.gemm_pj_per_op),
        (counters.dca_ops, table.dca_reduce_pj_per_op),
        (
            counters.software_reduce_ops,
            table.software_reduce_pj_per_op,
        ),
    ];
    terms.iter().map(|(count, cost)| *count as f64 * cost).sum()
}
