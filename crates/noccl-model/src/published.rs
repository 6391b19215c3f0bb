// SPDX-License-Identifier: Apache-2.0
//! The runtime equations of S1, with the constants of its authors.
//!
//! They are kept apart from our own model (`hop`): they charge one cycle for a hop where a round
//! trip over this network costs four, and they know nothing of where a member stands. What the paper concluded
//! follows from them, so its conclusions can only be checked against them.
//!
//! Source: S1 §4.2.2, eq. (1) to (4); §4.2.3, eq. (5) and (6); App. B, eq. (10) to (15). Symbols: c columns and r
//! rows of clusters, n beats, k chunks, α `alpha_cycles`, β `beta_cycles_per_beat`, δ `sync_cycles`, with m for a
//! transfer and c for the cores' additions. A group of one row or one column is r = 1 or c = 1. The
//! equations are polynomials in n / k: chunks need not be whole beats here.
//!
//! Where the constants come from is said at each. α of the reductions was fitted by the authors to
//! runs that they did not publish; whoever evaluates (5), (6), (14), (15) has to bring it.

/// Clusters of a rectangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// c, at least 1.
    pub columns: u32,
    /// r, at least 1.
    pub rows: u32,
}

impl Extent {
    /// One row.
    #[must_use]
    pub const fn row(columns: u32) -> Self {
        Self { columns, rows: 1 }
    }

    /// log2 of the number of clusters.
    fn levels(self) -> f64 {
        (f64::from(self.columns) * f64::from(self.rows)).log2()
    }

    /// c + r.
    fn sum(self) -> f64 {
        f64::from(self.columns) + f64::from(self.rows)
    }
}

/// Constants of a software or in-network multicast.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MulticastConstants {
    /// α of the first transfer, from the memory tile, and of the network's multicast.
    pub first_alpha_cycles: f64,
    /// α of the transfers of `naive` and `seq` behind the first.
    pub chain_alpha_cycles: f64,
    /// α of the transfers of `tree` behind the first.
    pub tree_alpha_cycles: f64,
    /// β.
    pub beta_cycles_per_beat: f64,
    /// δ.
    pub sync_cycles: f64,
}

impl MulticastConstants {
    /// The authors' model: 30 cycles from the memory tile and in every step of a chain, 17 between two
    /// clusters of a tree, 36 for a synchronisation, one beat per cycle.
    pub const PUBLISHED: Self = Self {
        first_alpha_cycles: 30.0,
        chain_alpha_cycles: 30.0,
        tree_alpha_cycles: 17.0,
        beta_cycles_per_beat: 1.0,
        sync_cycles: 36.0,
    };

    /// `naive`: every cluster reads all of it from its neighbour. S1 eq. (1), (10).
    #[must_use]
    pub fn naive_cycles(&self, extent: Extent, beats: f64) -> f64 {
        self.pipelined_cycles(extent, beats, 1.0)
    }

    /// `seq`: the same with k chunks in flight. S1 eq. (2), (11).
    #[must_use]
    pub fn pipelined_cycles(&self, extent: Extent, beats: f64, num_chunks: f64) -> f64 {
        let steps = num_chunks + extent.sum() - 2.0;
        let transfer = beats / num_chunks * self.beta_cycles_per_beat;
        let alphas = self.first_alpha_cycles + (steps - 1.0) * self.chain_alpha_cycles;
        alphas + steps * transfer + (steps - 1.0) * self.sync_cycles
    }

    /// `tree`: binary, the whole payload on every level. S1 eq. (3), (12).
    ///
    /// The sum has a term more than levels, the read from the memory tile, and two synchronisations fewer than terms.
    #[must_use]
    pub fn tree_cycles(&self, extent: Extent, beats: f64) -> f64 {
        let levels = extent.levels();
        let alphas = self.first_alpha_cycles + levels * self.tree_alpha_cycles;
        alphas
            + (levels + 1.0) * beats * self.beta_cycles_per_beat
            + (levels - 1.0).max(0.0) * self.sync_cycles
    }

    /// `hw`: the network multicasts. S1 eq. (4), (13).
    #[must_use]
    pub fn in_network_cycles(&self, extent: Extent, beats: f64) -> f64 {
        self.first_alpha_cycles + (beats + extent.sum() - 2.0) * self.beta_cycles_per_beat
    }
}

/// Constants of a software or in-network reduction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReduceConstants {
    /// α_m of a transfer; not published.
    pub transfer_alpha_cycles: f64,
    /// β_m.
    pub transfer_beta_cycles_per_beat: f64,
    /// α_c, instructions around an addition by the cores; not published.
    pub compute_alpha_cycles: f64,
    /// β_c.
    pub compute_beta_cycles_per_beat: f64,
    /// δ of `tree`.
    pub tree_sync_cycles: f64,
    /// δ of `seq`, for one row; 4 more for each further one.
    pub chain_sync_cycles: f64,
    /// α of the network's reduction; not published.
    pub in_network_alpha_cycles: f64,
}

impl ReduceConstants {
    /// The authors' β = 1, β_c = 1.16, δ = 30 in trees and 4·rows + 28 in chains, with the three α that they did not publish.
    #[must_use]
    pub const fn published(
        transfer_alpha_cycles: f64,
        compute_alpha_cycles: f64,
        in_network_alpha_cycles: f64,
    ) -> Self {
        Self {
            transfer_alpha_cycles,
            transfer_beta_cycles_per_beat: 1.0,
            compute_alpha_cycles,
            compute_beta_cycles_per_beat: 1.16,
            tree_sync_cycles: 30.0,
            chain_sync_cycles: 32.0,
            in_network_alpha_cycles,
        }
    }

    /// t_m and t_c of one chunk.
    fn chunk_cycles(&self, beats: f64) -> (f64, f64) {
        (
            self.transfer_alpha_cycles + beats * self.transfer_beta_cycles_per_beat,
            self.compute_alpha_cycles + beats * self.compute_beta_cycles_per_beat,
        )
    }

    /// δ of `seq` over that many rows.
    #[must_use]
    pub fn chain_sync_cycles(&self, extent: Extent) -> f64 {
        self.chain_sync_cycles + 4.0 * (f64::from(extent.rows) - 1.0)
    }

    /// `seq`: along a chain with k chunks in flight. S1 eq. (5) for one row or column, else (15).
    #[must_use]
    pub fn pipelined_cycles(&self, extent: Extent, beats: f64, num_chunks: f64) -> f64 {
        let (transfer, compute) = self.chunk_cycles(beats / num_chunks);
        let longer = transfer.max(compute);
        let sync = self.chain_sync_cycles(extent);
        let hops = |members: u32| 2.0 * (f64::from(members) - 2.0);
        if extent.columns.min(extent.rows) == 1 {
            let line = extent.columns.max(extent.rows);
            if line == 1 {
                return 0.0;
            }
            return transfer
                + hops(line) * longer
                + num_chunks * compute
                + (hops(line) + num_chunks) * sync;
        }
        let row = transfer + hops(extent.columns) * longer + (num_chunks - 1.0) * compute;
        let column = longer + hops(extent.rows) * longer + num_chunks * compute;
        row + column + (hops(extent.columns) + hops(extent.rows) + 2.0 * num_chunks) * sync
    }

    /// `tree`: binary, every level double-buffered. S1 eq. (6), (14).
    #[must_use]
    pub fn tree_cycles(&self, extent: Extent, beats: f64, num_chunks: f64) -> f64 {
        let (transfer, compute) = self.chunk_cycles(beats / num_chunks);
        let sync = self.tree_sync_cycles;
        let level = transfer + sync + (num_chunks - 1.0) * (transfer.max(compute) + sync) + compute;
        level * extent.levels()
    }

    /// `hw` with two operands per router: α + n β along a line, twice that in two dimensions, where the routers of
    /// one column have three operands. S1 §4.2.3 describes it in words, the authors' model doubles all of it.
    #[must_use]
    pub fn in_network_cycles(&self, extent: Extent, beats: f64) -> f64 {
        let line = self.in_network_alpha_cycles + beats * self.transfer_beta_cycles_per_beat;
        if extent.columns.min(extent.rows) > 1 {
            2.0 * line
        } else {
            line
        }
    }
}

/// Cycles that each further cluster adds to a barrier (S1 §4.2.1, fitted by its authors over 2 to 16 clusters).
pub const SOFTWARE_BARRIER_SLOPE: f64 = 3.3;
/// The same for the network's barrier.
pub const IN_NETWORK_BARRIER_SLOPE: f64 = 1.3;
