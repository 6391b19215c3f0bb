// SPDX-License-Identifier: Apache-2.0
//! Rough runtimes of algorithms in which everybody sends at once: enough to tell which one to take.
//!
//! What a schedule costs where transfers meet rarely, [`crate::predict`] says. Where all links are full, the cost is
//! that of the busiest port or cut times a factor for what flow control loses, and those factors come from
//! runs on 4x4, 8x8 and 16x16 clusters (`docs/model.md` has how far the estimates are off).
//! They hold for the default flow. Cycles throughout; `n` is a block's or payload's beats.

use crate::ModelError;
use crate::bound::{round_trip_cycles, shape_of};
use noccl_net::{AxiNetwork, cover};
use noccl_workload::Collective;

/// A member starts a transfer of direct sends every so many cycles (instructions of one start).
const ISSUE_CYCLES: f64 = 5.0;
/// Direct sends without a plan: cycles over the busiest cut's beats.
const UNPLANNED: f64 = 2.1;
/// Rows, then columns: the same, for both steps together.
const TWO_STEPS: f64 = 2.6;
/// Planned sends: the plan's length over the busiest cut's, and over a member's own sends.
const PLANNED_CUT: f64 = 1.22;
const PLANNED_ISSUE: f64 = 1.15;
/// Free cycles after each planned transfer, and the least time between two of one member.
const PLAN_GAP: f64 = 2.0;
const PLAN_ISSUE_CYCLES: f64 = 16.0;
/// A response that waits in vain in a merge table goes on after this time.
const MERGE_TIMEOUT_CYCLES: f64 = 256.0;
/// Blocks of fewer beats than this end so close to each other that their responses fill the merge tables.
const CONGESTED_BEATS: f64 = 32.0;
/// Cycles per router that adds, of a reduction on its path.
const ADD_CYCLES: f64 = 5.0;
/// Software around one transaction: start and completion in the DMA engine, waiting for it.
const SOFTWARE_CYCLES: f64 = 23.0;

/// What the estimates look at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// Members.
    pub members: f64,
    /// Rows of the group.
    pub rows: f64,
    /// Multi-addresses that together are the group.
    pub cubes: f64,
    /// Hops between the two members farthest apart.
    pub diameter_hops: f64,
    /// Beats of a block or of the payload.
    pub beats: f64,
    /// Blocks that an all-to-all brings over each link of the busiest cut.
    pub cut_blocks: f64,
    /// Entries of a merge table.
    pub merge_entries: f64,
    /// Reductions that an endpoint may have open.
    pub open_reductions: f64,
    /// Round trip over the diameter.
    pub round_trip_cycles: f64,
}

impl Shape {
    /// The shape of a collective on a network.
    ///
    /// # Errors
    /// [`ModelError`] if the group does not exist here.
    pub fn new(network: AxiNetwork<'_>, collective: &Collective) -> Result<Self, ModelError> {
        let (members, rows, diameter_hops, cut_blocks) = shape_of(&network, collective)?;
        let axi = network.axi();
        let beats = axi.ni.beats(collective.bytes);
        let l1_cycles = axi.cluster.l1_latency_cycles;
        Ok(Self {
            members: members as f64,
            rows: rows as f64,
            cubes: cover(&network, &collective.group)?.len() as f64,
            diameter_hops: f64::from(diameter_hops),
            beats: beats as f64,
            cut_blocks: cut_blocks as f64,
            merge_entries: f64::from(axi.router.merge_table_entries.max(1)),
            open_reductions: f64::from(axi.ni.max_open_reductions.max(1)),
            round_trip_cycles: round_trip_cycles(
                network,
                network.least_paths(diameter_hops),
                l1_cycles,
            ) as f64,
        })
    }

    /// From a contribution to the response, over the whole group, with the software around it.
    fn reduction_cycles(&self) -> f64 {
        self.round_trip_cycles + ADD_CYCLES * self.diameter_hops + SOFTWARE_CYCLES
    }

    /// All-to-all (or all-gather) by direct sends: at first the starts and one block each, later the busiest cut.
    #[must_use]
    pub fn pairwise_cycles(&self) -> f64 {
        let cut = UNPLANNED * self.cut_blocks;
        let starts = ISSUE_CYCLES * self.members + cut;
        starts.max(cut * self.beats + 1.75 * self.members)
    }

    /// All-to-all along rows, then along columns.
    #[must_use]
    pub fn row_column_cycles(&self) -> f64 {
        TWO_STEPS * self.cut_blocks * self.beats + 70.0 + 1.3 * self.round_trip_cycles
    }

    /// All-to-all at planned times: the busiest cut, and what one member can start, whichever is longer; near each
    /// other they add up (third powers).
    #[must_use]
    pub fn slotted_cycles(&self) -> f64 {
        let slot = ((self.beats + PLAN_GAP) / 2.0).ceil() * 2.0;
        let cut = PLANNED_CUT * self.cut_blocks * slot;
        let issue = PLANNED_ISSUE * (self.members - 1.0) * slot.max(PLAN_ISSUE_CYCLES);
        (cut.powi(3) + issue.powi(3)).cbrt() + self.round_trip_cycles
    }

    /// All-gather, everybody multicasting to all: the receivers' ports, and merge tables that overflow.
    #[must_use]
    pub fn all_gather_in_network_cycles(&self) -> f64 {
        // Measured: with single beats, two transactions per entry go through without anybody giving up.
        let transactions = self.members * self.cubes / self.merge_entries;
        let is_short = self.beats <= 1.0 && transactions <= 2.0;
        let excess = if self.beats < CONGESTED_BEATS && !is_short {
            (transactions - 1.0).max(0.0)
        } else {
            0.0
        };
        self.members * self.beats + self.round_trip_cycles + MERGE_TIMEOUT_CYCLES * excess
    }

    /// All-gather along columns, then along rows.
    #[must_use]
    pub fn all_gather_lines_cycles(&self) -> f64 {
        let excess = (self.rows / self.merge_entries - 1.0).max(0.0);
        let per_row = if self.rows > 4.0 { self.rows } else { 0.0 };
        (self.members + per_row) * self.beats
            + 40.0
            + self.round_trip_cycles
            + 3.0 * MERGE_TIMEOUT_CYCLES * excess
    }

    /// Reduce-scatter over the whole group: few reductions are open, each over all the group.
    #[must_use]
    pub fn reduce_scatter_in_network_cycles(&self) -> f64 {
        let batches = self.members / self.open_reductions;
        let waiting = batches * self.reduction_cycles() + 6.0 * self.beats;
        waiting.max(1.36 * self.members * self.beats + self.reduction_cycles())
    }

    /// Reduce-scatter along rows, then along columns, with a barrier between.
    #[must_use]
    pub fn reduce_scatter_lines_cycles(&self) -> f64 {
        let latency = self.reduction_cycles() + self.round_trip_cycles + 30.0;
        (self.members + self.rows) * self.beats + latency
    }
}
