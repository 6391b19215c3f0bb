// SPDX-License-Identifier: Apache-2.0
//! What a collective asks for: which inputs each part of each output is made of.
//!
//! The checker proves it, a search for schedules starts from it. A barrier moves nothing and asks for nothing here.

use crate::{Collective, CollectiveKind};
use noccl_net::{Network, TileId};

/// Values, and who wants them where.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Postcondition {
    /// Distinct values: the operands of each. A value of one operand is a copy, of several their fold by the collective's operator,
    /// each operand once, in any order.
    pub values: Vec<Vec<Operand>>,
    /// Parts of outputs, by tile and then by offset.
    pub outputs: Vec<Output>,
}

/// Initial bytes of a tile's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Operand {
    /// Whose memory.
    pub tile: TileId,
    /// First byte.
    pub offset: u64,
}

/// Bytes of a tile's memory that have to hold a value in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Output {
    /// Whose memory.
    pub tile: TileId,
    /// First byte.
    pub offset: u64,
    /// Bytes; not 0.
    pub bytes: u64,
    /// Index into [`Postcondition::values`].
    pub value: usize,
}

impl Postcondition {
    /// What a collective asks for; nothing where its group or root does not exist, which [`crate::check_collective`] refuses.
    #[must_use]
    pub fn new(network: &Network, collective: &Collective) -> Self {
        let members = network.members(&collective.group).unwrap_or_default();
        let members: Vec<TileId> = members
            .iter()
            .map(|c| network.tile_at(network.mesh_coord(*c)))
            .collect();
        let Some(root) = network.find(collective.root) else {
            return Self::default();
        };
        let mut wanted = Self::default();
        let input = |tile: &TileId, block: usize| Operand {
            tile: *tile,
            offset: collective.input_offset + block as u64 * collective.bytes,
        };
        let all = |block: usize| members.iter().map(|m| input(m, block)).collect();
        match collective.kind {
            CollectiveKind::Barrier => {}
            CollectiveKind::Multicast => {
                wanted.values.push(vec![input(&root, 0)]);
                for tile in &members {
                    wanted.block(collective, *tile, 0, 0);
                }
            }
            CollectiveKind::Reduce => {
                wanted.values.push(all(0));
                wanted.block(collective, root, 0, 0);
            }
            CollectiveKind::AllReduce => {
                wanted.values.push(all(0));
                for tile in &members {
                    wanted.block(collective, *tile, 0, 0);
                }
            }
            CollectiveKind::AllGather => {
                wanted.values = members.iter().map(|m| vec![input(m, 0)]).collect();
                for tile in &members {
                    for block in 0..members.len() {
                        wanted.block(collective, *tile, block, block);
                    }
                }
            }
            CollectiveKind::ReduceScatter => {
                for (rank, tile) in members.iter().enumerate() {
                    wanted.values.push(all(rank));
                    wanted.block(collective, *tile, 0, rank);
                }
            }
            CollectiveKind::AllToAll => {
                for (rank, tile) in members.iter().enumerate() {
                    for (from, source) in members.iter().enumerate() {
                        let bytes = collective.block_bytes(from, rank);
                        let value = wanted.values.len();
                        wanted.values.push(vec![input(source, rank)]);
                        wanted.part(*tile, block_start(collective, from), bytes, value);
                    }
                }
            }
        }
        wanted
    }

    /// A tile's output holds a value as its block with this number.
    fn block(&mut self, collective: &Collective, tile: TileId, block: usize, value: usize) {
        self.part(
            tile,
            block_start(collective, block),
            collective.bytes,
            value,
        );
    }

    fn part(&mut self, tile: TileId, offset: u64, bytes: u64, value: usize) {
        if bytes > 0 {
            self.outputs.push(Output {
                tile,
                offset,
                bytes,
                value,
            });
        }
    }
}

fn block_start(collective: &Collective, block: usize) -> u64 {
    collective.output_offset + block as u64 * collective.bytes
}
