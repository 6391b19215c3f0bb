// SPDX-License-Identifier: Apache-2.0
//! How many chunks a pipelined algorithm should cut its payload into.
//!
//! Every runtime of `published` has the form A + B·k + C/k in the number of chunks k: more chunks fill
//! the pipeline sooner (C) and cost more synchronisations (B). The minimum stands at √(C/B); chunks are whole numbers,
//! so the best one is searched near by, or among all candidates.
//!
//! Source: S1 §4.2.2 and §4.2.3 speak of the optimum; the formulas here follow from its equations.

use crate::published::{Extent, MulticastConstants, ReduceConstants};

impl MulticastConstants {
    /// k of the least [`MulticastConstants::pipelined_cycles`]: √((c + r − 2) n β / (α + δ)). S1 eq. (2), (11).
    #[must_use]
    pub fn optimal_chunks(&self, extent: Extent, beats: f64) -> f64 {
        let hops = f64::from(extent.columns) + f64::from(extent.rows) - 2.0;
        let overhead = self.chain_alpha_cycles + self.sync_cycles;
        bounded(hops * beats * self.beta_cycles_per_beat / overhead, beats)
    }
}

impl ReduceConstants {
    /// k of the least [`ReduceConstants::pipelined_cycles`] where the additions are the longer part of a
    /// step: √(n (β_m + 2(c − 2) β_c) / (α_c + δ)) in a row, √(n (β_m + (2(c + r) − 8) β_c) / 2(α_c + δ)) in two
    /// dimensions. S1 eq. (5), (15).
    #[must_use]
    pub fn optimal_pipelined_chunks(&self, extent: Extent, beats: f64) -> f64 {
        let (columns, rows) = (f64::from(extent.columns), f64::from(extent.rows));
        let overhead = self.compute_alpha_cycles + self.chain_sync_cycles(extent);
        let compute = self.compute_beta_cycles_per_beat;
        let squared = if extent.columns.min(extent.rows) == 1 {
            let hops = 2.0 * (columns.max(rows) - 2.0);
            beats * (self.transfer_beta_cycles_per_beat + hops * compute) / overhead
        } else {
            let hops = 2.0 * (columns + rows) - 8.0;
            beats * (self.transfer_beta_cycles_per_beat + hops * compute) / (2.0 * overhead)
        };
        bounded(squared, beats)
    }

    /// k of the least [`ReduceConstants::tree_cycles`] where the additions are the longer part of a
    /// step: √(n β_m / (α_c + δ)). S1 eq. (6), (14).
    #[must_use]
    pub fn optimal_tree_chunks(&self, beats: f64) -> f64 {
        let overhead = self.compute_alpha_cycles + self.tree_sync_cycles;
        bounded(beats * self.transfer_beta_cycles_per_beat / overhead, beats)
    }
}

/// Square root, at least one chunk and at least a beat per chunk.
fn bounded(squared: f64, beats: f64) -> f64 {
    squared.max(0.0).sqrt().clamp(1.0, beats.max(1.0))
}

/// Chunk counts that cut that many beats into equal chunks: its divisors, ascending.
#[must_use]
pub fn even_chunks(beats: u32) -> Vec<u32> {
    (1..=beats)
        .filter(|num_chunks| beats.is_multiple_of(*num_chunks))
        .collect()
}

/// The candidate with the least cycles, the smallest of equals, with its cycles; `None` without candidates.
#[must_use]
pub fn best_chunks(
    candidates: impl IntoIterator<Item = u32>,
    cycles: impl Fn(u32) -> f64,
) -> Option<(u32, f64)> {
    let timed = candidates
        .into_iter()
        .map(|num_chunks| (num_chunks, cycles(num_chunks)));
    timed.min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)))
}

/// One point of the limit T_seq → T_hw (S1 Fig. 5b).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LimitPoint {
    /// α_i + δ of every step behind the first.
    pub overhead_cycles: f64,
    /// Chunks of the fastest `seq` at this overhead.
    pub num_chunks: u32,
    /// T_seq with that many chunks.
    pub pipelined_cycles: f64,
    /// T_hw.
    pub in_network_cycles: f64,
}

/// T_seq at its best whole number of chunks while α_i + δ (i > 0) shrinks: without overhead the best
/// chunk is one beat, and eq. (2) becomes eq. (4).
#[must_use]
pub fn limit(
    constants: &MulticastConstants,
    extent: Extent,
    beats: u32,
    overheads_cycles: &[f64],
) -> Vec<LimitPoint> {
    let n = f64::from(beats);
    let at = |overhead_cycles: f64| {
        let reduced = MulticastConstants {
            chain_alpha_cycles: overhead_cycles / 2.0,
            sync_cycles: overhead_cycles / 2.0,
            ..*constants
        };
        let cycles = |num_chunks| reduced.pipelined_cycles(extent, n, f64::from(num_chunks));
        let (num_chunks, pipelined_cycles) =
            best_chunks(1..=beats, cycles).unwrap_or((1, reduced.first_alpha_cycles));
        LimitPoint {
            overhead_cycles,
            num_chunks,
            pipelined_cycles,
            in_network_cycles: constants.in_network_cycles(extent, n),
        }
    };
    overheads_cycles.iter().copied().map(at).collect()
}
