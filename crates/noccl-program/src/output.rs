// SPDX-License-Identifier: Apache-2.0
//! What ranks give to a collective and what they get, between the order of the communicator's ranks and that of their tiles.

use crate::ids::RankId;
use crate::response::Response;
use crate::session::Session;
use noccl_net::TileRef;
use noccl_workload::CollectiveKind;

impl Session<'_> {
    /// The response of a rank whose part of a collective is over.
    pub(crate) fn collective_response(&mut self, number: u32, rank: RankId) -> Option<Response> {
        let instance = &self.collectives[number];
        let terms = instance.terms;
        let comm = &self.comms[terms.comm.0 as usize];
        let position = comm.position(rank)?;
        let is_alone = comm.size() == 1;
        let is_over = instance.open[position as usize] == 0;
        if !(is_alone || instance.submitted.is_some() && is_over) {
            return None;
        }
        let output = self.output(number, position, is_alone);
        let instance = &mut self.collectives[number];
        instance.payloads[position as usize] = None;
        instance.num_done += 1;
        if instance.is_left() {
            if let Some(submitted) = instance.submitted.take() {
                self.shared.give_back(submitted.memory);
                self.has_freed = true;
            }
            self.left.push(number);
        }
        Some(Response::Output(output))
    }

    /// Forgets collectives and splits that all ranks have left, when their last responses are written down.
    pub(crate) fn forget_left(&mut self) {
        for split in self.left_splits.drain(..) {
            self.splits.forget(split);
        }
        for number in self.left.drain(..) {
            self.collectives.forget(number);
            self.reducing.retain(|other| *other != number);
        }
    }

    fn output(&mut self, number: u32, position: u32, is_alone: bool) -> Vec<u8> {
        let instance = &mut self.collectives[number];
        let terms = instance.terms;
        let own = instance.payloads[position as usize].take();
        let comm = &self.comms[terms.comm.0 as usize];
        let is_root = position == terms.root;
        if !terms.kind.output_holders().include(is_root) {
            return Vec::new();
        }
        if is_root && terms.kind == CollectiveKind::Multicast {
            // 0: a root that gave nothing has nothing to keep.
            return own.unwrap_or_default();
        }
        let Some(submitted) = instance.submitted.as_ref().filter(|_| !is_alone) else {
            // 0: a rank that gave nothing has nothing to keep.
            return own.unwrap_or_default();
        };
        let size = u64::from(comm.size());
        let bytes = terms.agreed_bytes();
        let length = bytes * terms.kind.output_blocks(size).unwrap_or(1);
        let at = noccl_workload::Place {
            tile: TileRef::Cluster(self.ranks[comm.ranks[position as usize].idx()].coord),
            offset: submitted.template.output_offset,
        };
        let read = self.run.read(at, length);
        match terms.kind.takes_blocks() {
            true => by_rank(&read, &comm.by_tile),
            false => read,
        }
    }
}

/// Blocks by rank of the communicator, put into the order of the tiles.
pub(crate) fn by_tile(blocks: &[u8], by_tile: &[u32]) -> Vec<u8> {
    let length = blocks.len() / by_tile.len().max(1);
    let block = |rank: &u32| &blocks[*rank as usize * length..][..length];
    by_tile.iter().flat_map(block).copied().collect()
}

/// Blocks in the order of the tiles, put into that of the ranks of the communicator.
fn by_rank(blocks: &[u8], by_tile: &[u32]) -> Vec<u8> {
    let length = blocks.len() / by_tile.len().max(1);
    let mut ordered = vec![0; blocks.len()];
    for (place, rank) in by_tile.iter().enumerate() {
        let block = &blocks[place * length..][..length];
        ordered[*rank as usize * length..][..length].copy_from_slice(block);
    }
    ordered
}
