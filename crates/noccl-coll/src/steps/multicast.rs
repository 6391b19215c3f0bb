// SPDX-License-Identifier: Apache-2.0
//! Software multicast: chunks run along the stages of a chain, a tree or both dimensions (S1 §4.2.2, App. B.1).

use crate::Forwarding;
use crate::group::Group;
use crate::layout::Chunks;
use crate::order::{Phase, Stage};
use crate::steps::{Op, Steps, copy};
use noccl_net::{Coord, TileRef};
use noccl_workload::Place;

/// What a software multicast moves, and where to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Multicast {
    /// First byte of the payload; at the entry itself or outside the group.
    pub(crate) source: Place,
    /// Offset of every copy.
    pub(crate) output: u64,
    pub(crate) chunks: Chunks,
    pub(crate) forwarding: Forwarding,
}

impl Multicast {
    /// Chunk c passes stage s in step c + s, so that all stages work at once (S1 eq. (2) and (11)).
    ///
    /// A source outside the group is read by the entry in a stage before all others (memory tiles
    /// have no DMA engine).
    pub(crate) fn emit(self, group: &Group, phases: &[Phase], steps: &mut Steps) {
        let stages: Vec<&Stage> = phases.iter().flat_map(|p| &p.stages).collect();
        let entry = TileRef::Cluster(group.entry);
        let is_outside = self.source.tile != entry;
        let first_stage = usize::from(is_outside);
        let num_stages = stages.len() + first_stage;
        if num_stages == 0 {
            steps.step(self.own_copy(group.entry));
            return;
        }
        for step in 0..num_stages + self.chunks.len() - 1 {
            let mut ops = Vec::new();
            if is_outside && step < self.chunks.len() {
                ops.push(self.hand(self.source, group.entry, group.entry, step));
            } else if !is_outside && step == 0 {
                ops.extend(self.own_copy(group.entry));
            }
            for (idx, stage) in stages.iter().enumerate() {
                let Some(chunk) = step.checked_sub(idx + first_stage) else {
                    break;
                };
                if chunk < self.chunks.len() {
                    ops.extend(stage.iter().map(|edge| self.along(*edge, chunk, entry)));
                }
            }
            steps.step(ops);
        }
    }

    /// One chunk from a member to the next.
    fn along(self, (from, to): (Coord, Coord), chunk: usize, entry: TileRef) -> Op {
        let tile = TileRef::Cluster(from);
        let offset = if tile == entry && self.source.tile == entry {
            self.source.offset
        } else {
            self.output
        };
        let initiator = match self.forwarding {
            Forwarding::Pull => to,
            Forwarding::Push => from,
        };
        self.hand(Place { tile, offset }, to, initiator, chunk)
    }

    fn hand(self, from: Place, to: Coord, initiator: Coord, chunk: usize) -> Op {
        let (start, bytes) = self.chunks.range(chunk);
        let at = |place: Place| Place {
            offset: place.offset + start,
            ..place
        };
        let to = Place {
            tile: TileRef::Cluster(to),
            offset: self.output,
        };
        copy(initiator, at(from), at(to), bytes)
    }

    /// A source that is a member itself keeps a copy at the output's place.
    fn own_copy(self, entry: Coord) -> Vec<Op> {
        if self.source.offset == self.output {
            return Vec::new();
        }
        let to = Place {
            offset: self.output,
            ..self.source
        };
        vec![copy(entry, self.source, to, self.chunks.bytes())]
    }
}
