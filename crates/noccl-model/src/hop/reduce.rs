// SPDX-License-Identifier: Apache-2.0
//! Closed forms of reductions.

use super::{Chunks, Work, strides};
use crate::constants::Constants;
use crate::published::Extent;
use noccl_spec::WideReductionKind;

/// A hand-over of a pipelined reduction.
#[derive(Debug, Clone, Copy)]
struct HandOver {
    /// Step in which its first chunk moves; the chunk is reduced in the next one.
    start: u64,
    /// Hops from the counter to the farthest cluster that receives.
    hops: f64,
}

impl Constants {
    /// `in_network` reduction of 64-bit elements with up to three operands per cycle. In two dimensions the corner's column
    /// adds three. S1 §4.2.3.
    #[must_use]
    pub fn reduce_in_network_cycles(&self, extent: Extent, beats: u64) -> f64 {
        let (across, up) = (extent.columns - 1, extent.rows - 1);
        let line = self.moved(self.reduction_alpha_cycles, across + up, beats as f64);
        let operands = if across > 0 { 3 } else { 2 };
        let kind = WideReductionKind::ThreeOperand;
        line + f64::from(across) * self.merge_cycles(kind, 2, 8)
            + f64::from(up) * self.merge_cycles(kind, operands, 8)
    }

    /// `chain` in a row, `row_column` in two dimensions: chunk i crosses hop s in step 2 s + i and is
    /// reduced in the next. S1 eq. (5), (15).
    #[must_use]
    pub fn reduce_chain_cycles(&self, extent: Extent, beats: u64, num_chunks: u32) -> f64 {
        let chunks = Chunks::new(beats, num_chunks);
        let (across, up) = (u64::from(extent.columns - 1), u64::from(extent.rows - 1));
        let mut hand_overs: Vec<HandOver> = (0..across)
            .map(|i| HandOver {
                start: 2 * i,
                hops: (across - 1 - i + up) as f64,
            })
            .collect();
        // The column's first move overlaps the rows' last fold if there is more than one chunk.
        let base = match across {
            0 => 0,
            _ => 2 * (across - 1) + chunks.len + 1 - u64::from(chunks.len > 1),
        };
        hand_overs.extend((0..up).map(|i| HandOver {
            start: base + 2 * i,
            hops: (up - 1 - i) as f64,
        }));
        // 0: on one tile nothing is handed over, so there is no step.
        let last = hand_overs.last().map_or(0, |h| h.start + chunks.len + 1);
        let steps = (0..last).map(|step| self.reduce_step(&hand_overs, chunks, step));
        self.in_steps(extent, steps)
    }

    fn reduce_step(&self, hand_overs: &[HandOver], chunks: Chunks, step: u64) -> Vec<Work> {
        let mut works = Vec::new();
        for hand_over in hand_overs {
            let Some(chunk) = step.checked_sub(hand_over.start) else {
                continue;
            };
            if chunk < chunks.len {
                let moved = self.moved(self.pull_alpha_cycles, 1, chunks.beats(chunk));
                works.push(self.transfer_work(hand_over.hops, moved));
            }
            if (1..=chunks.len).contains(&chunk) {
                works.push(self.fold_work(hand_over.hops, chunks.beats(chunk - 1)));
            }
        }
        works
    }

    /// `tree` in a row, `row_column:…:tree` in two dimensions: level after level, each double-buffered.
    /// S1 eq. (6), (14).
    #[must_use]
    pub fn reduce_tree_cycles(&self, extent: Extent, beats: u64, num_chunks: u32) -> f64 {
        let chunks = Chunks::new(beats, num_chunks);
        let rising = |members| strides(members).collect::<Vec<u32>>().into_iter().rev();
        let edge = extent.rows - 1;
        // Stride, hops from the counter to the farthest cluster that sends and to the farthest that receives.
        let level = |members: u32, s: u32, edge: u32| {
            (
                s,
                f64::from(edge + members - s),
                f64::from(edge + members - 2 * s),
            )
        };
        let across = rising(extent.columns).map(|s| level(extent.columns, s, edge));
        let up = rising(extent.rows).map(|s| level(extent.rows, s, 0));
        let mut steps: Vec<Vec<Work>> = Vec::new();
        for (stride, source_hops, destination_hops) in across.chain(up) {
            let moved = |chunk| self.moved(self.push_alpha_cycles, stride, chunks.beats(chunk));
            let first = self.transfer_work(source_hops, moved(0));
            // Whoever reduced on the level before sends on this one: no barrier between.
            let before = steps.pop().and_then(|works| works.first().copied());
            steps.push(vec![Work {
                // 0: nothing of a level before the first one.
                busy_cycles: first.busy_cycles + before.map_or(0.0, |fold| fold.busy_cycles),
                ..first
            }]);
            for chunk in 1..chunks.len {
                steps.push(vec![
                    self.transfer_work(source_hops, moved(chunk)),
                    self.fold_work(destination_hops, chunks.beats(chunk - 1)),
                ]);
            }
            steps.push(vec![
                self.fold_work(destination_hops, chunks.beats(chunks.len - 1)),
            ]);
        }
        self.in_steps(extent, steps.into_iter())
    }
}
