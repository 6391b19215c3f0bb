// SPDX-License-Identifier: Apache-2.0
//! What the ranks of a program did over time: slices that follow each other, each with the call in which it was.

use noccl_net::{Coord, Network};
use noccl_program::Span;
use noccl_run::{RankTime, TimeSlices};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// Most slices of all ranks; later ones count in the sums only.
pub const MAX_RECORDED_SLICES: usize = 1 << 17;

/// A rank over time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordedRank {
    /// Mesh coordinate of its tile: x, y.
    pub at: [u16; 2],
    /// Cycles by activity in the whole run.
    pub cycles: BTreeMap<RankTime, u64>,
    /// Its time from cycle 0 on, without a gap.
    pub slices: Vec<RecordedSlice>,
    /// Later slices that were not kept.
    pub slices_left_out: u64,
}

/// A part of a rank's time: activity, first cycle, the cycle after the last one, index of the call; no call: the rank was in none, or it
/// was not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordedSlice(pub RankTime, pub u64, pub u64, pub Option<u32>);

/// What ranks have called; equal calls are one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordedCall {
    /// `wait`, `compute`, `poll`, `probe`, `split`, or the name of a collective.
    pub call: String,
    /// Where in the program.
    pub call_site: String,
    /// Which message or which ranks it waited for; empty for a computation.
    pub awaits: String,
}

/// Ranks and calls of a recording.
#[derive(Debug, Default)]
pub(super) struct Ranks {
    pub ranks: Vec<RecordedRank>,
    pub calls: Vec<RecordedCall>,
    known: HashMap<RecordedCall, u32>,
}

impl Ranks {
    /// Adds a rank on a tile; each keeps at most so many slices.
    pub(super) fn add(
        &mut self,
        (network, tile): (&Network, Coord),
        times: &TimeSlices,
        calls: &[Span],
        max_slices: usize,
    ) {
        let mut cycles = BTreeMap::new();
        for slice in times.all() {
            *cycles.entry(slice.time).or_default() += slice.end_cycle - slice.start_cycle;
        }
        let mut slices = self.slices(times, calls);
        let slices_left_out = slices.len().saturating_sub(max_slices) as u64;
        slices.truncate(max_slices);
        let at = network.mesh_coord(tile);
        self.ranks.push(RecordedRank {
            at: [at.x, at.y],
            cycles,
            slices,
            slices_left_out,
        });
    }

    /// Slices of a rank, cut where a call begins or ends.
    fn slices(&mut self, times: &TimeSlices, calls: &[Span]) -> Vec<RecordedSlice> {
        let mut calls = calls.iter().peekable();
        let mut slices = Vec::new();
        for slice in times.all() {
            let mut from = slice.start_cycle;
            while from < slice.end_cycle {
                while calls.next_if(|call| call.end_cycle <= from).is_some() {}
                let (until, call) = match calls.peek() {
                    Some(call) if call.start_cycle <= from => {
                        (call.end_cycle, Some(self.number(call)))
                    }
                    Some(call) => (call.start_cycle, None),
                    None => (slice.end_cycle, None),
                };
                let until = until.min(slice.end_cycle);
                slices.push(RecordedSlice(slice.time, from, until, call));
                from = until;
            }
        }
        slices
    }

    fn number(&mut self, span: &Span) -> u32 {
        let call = RecordedCall {
            call: span.what.to_owned(),
            call_site: span.call_site.clone(),
            awaits: span.awaits.clone(),
        };
        let next = self.calls.len() as u32;
        *self.known.entry(call).or_insert_with_key(|call| {
            self.calls.push(call.clone());
            next
        })
    }
}

/// What is wrong with ranks, by the name of the field.
pub(super) fn check(ranks: &[RecordedRank], calls: &[RecordedCall]) -> Result<(), String> {
    for (rank, of) in ranks.iter().enumerate() {
        let mut end = 0;
        for (index, RecordedSlice(_, from, until, call)) in of.slices.iter().enumerate() {
            let wrong = |what: String| Err(format!("ranks[{rank}].slices[{index}]: {what}"));
            if *from != end || until <= from {
                return wrong(format!("cycles {from} to {until}; accepted: from {end} on"));
            }
            if let Some(call) = call
                && *call as usize >= calls.len()
            {
                return wrong(format!("call {call}; accepted: below {}", calls.len()));
            }
            end = *until;
        }
        let kept = of.slices.iter();
        let kept: u64 = kept
            .map(|RecordedSlice(_, from, until, _)| until - from)
            .sum();
        let all = of
            .cycles
            .values()
            .fold(0, |sum: u64, n| sum.saturating_add(*n));
        if kept > all || (of.slices_left_out == 0 && kept < all) {
            return Err(format!(
                "ranks[{rank}].cycles: {all} in all, {kept} in the slices"
            ));
        }
    }
    Ok(())
}
