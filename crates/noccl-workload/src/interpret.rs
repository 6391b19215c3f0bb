// SPDX-License-Identifier: Apache-2.0
//! Reference interpreter: what a schedule leaves in plain memories, without any timing.
//!
//! It is the oracle for every backend that moves bytes. Actions run in file order, which is one legal
//! order; a schedule that passed [`crate::check()`] has no races, so every legal order gives the same
//! bytes. Reductions follow the documented order ([`fold_tree`] in the network, from the left in
//! `local_reduce`), so floats are exact to the bit.

use crate::number::fold_into;
use crate::{
    Chain, CheckError, Effect, Extent, InNetworkReduction, Kernel, Lines, LocalReduce, NetworkFold,
    Place, Schedule, check,
};
use noccl_net::pairs::{FoldOrder, operands};
use noccl_net::tree::{Cube, join_set};
use noccl_net::{Coord, MultiAddress, Network, Port, TileId, TileRef};
use std::collections::HashMap;
use std::fmt;

/// Memories of all tiles; bytes that nobody wrote are zero.
#[derive(Debug, Clone)]
pub struct Memories<'a> {
    network: &'a Network,
    /// Per tile, up to the last byte written; the rest is zero.
    tiles: Vec<Vec<u8>>,
}

impl<'a> Memories<'a> {
    /// Empty memories.
    #[must_use]
    pub fn new(network: &'a Network) -> Self {
        Self {
            network,
            tiles: vec![Vec::new(); network.num_tiles()],
        }
    }

    /// Bytes at a place; `None` if the tile is absent or the range exceeds its memory.
    #[must_use]
    pub fn read(&self, place: Place, bytes: u64) -> Option<Vec<u8>> {
        let tile = self.find(place, bytes)?;
        Some(self.bytes(tile, place.offset, bytes))
    }

    /// Writes bytes at a place; `None` if the tile is absent or the range exceeds its memory.
    pub fn write(&mut self, place: Place, bytes: &[u8]) -> Option<()> {
        let tile = self.find(place, bytes.len() as u64)?;
        self.store(tile, place.offset, bytes);
        Some(())
    }

    fn find(&self, place: Place, bytes: u64) -> Option<TileId> {
        let tile = self.network.find(place.tile)?;
        let end = place.offset.checked_add(bytes)?;
        (end <= self.network.memory_bytes(tile)).then_some(tile)
    }

    fn bytes(&self, tile: TileId, offset: u64, bytes: u64) -> Vec<u8> {
        let memory = &self.tiles[tile.idx()];
        let (start, end) = (offset as usize, (offset + bytes) as usize);
        // 0: memories are 0 behind the last written byte.
        let known = memory.get(start..end.min(memory.len())).unwrap_or_default();
        let mut copy = known.to_vec();
        copy.resize(end - start, 0);
        copy
    }

    fn store(&mut self, tile: TileId, offset: u64, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let memory = &mut self.tiles[tile.idx()];
        let (start, end) = (offset as usize, offset as usize + bytes.len());
        if memory.len() < end {
            memory.resize(end, 0);
        }
        memory[start..end].copy_from_slice(bytes);
    }
}

/// Checks a schedule, fills memories with `inputs` and runs it.
///
/// # Errors
/// What [`check()`] refuses; [`CheckError::Field`] for an input outside its memory.
pub fn interpret<'a>(
    network: &'a Network,
    schedule: &Schedule,
    inputs: &[(Place, &[u8])],
) -> Result<Memories<'a>, CheckError> {
    check(network, schedule)?;
    let mut memories = Memories::new(network);
    for (i, (place, bytes)) in inputs.iter().enumerate() {
        memories
            .write(*place, bytes)
            .ok_or_else(|| CheckError::Field {
                field: format!("inputs[{i}]"),
                found: format!(
                    "{} bytes at offset {} of {}",
                    bytes.len(),
                    place.offset,
                    place.tile
                ),
                accepted: "a range inside the memory of a tile of the network".to_owned(),
            })?;
    }
    let mut run = Run {
        memories,
        fold_orders: HashMap::new(),
    };
    for action in &schedule.actions {
        match action.kind.effect() {
            Effect::Nothing => {}
            Effect::Lines(lines) => run.lines(&lines),
            Effect::Stream(chain) => run.stream(chain),
            Effect::NetworkFold(fold) => run.network_fold(&fold),
            Effect::LocalFold(r) => run.local_fold(r),
            Effect::Kernel(kernel) => run.kernel(kernel),
        }
    }
    Ok(run.memories)
}

struct Run<'a> {
    memories: Memories<'a>,
    fold_orders: HashMap<(MultiAddress, TileRef, FoldOrder), Option<FoldTree>>,
}

impl Run<'_> {
    fn lines(&mut self, lines: &Lines<'_>) {
        let network = self.memories.network;
        let source = network.find(lines.source.tile);
        let Some(source) = source.filter(|_| lines.bytes > 0) else {
            return;
        };
        let targets = lines.targets.tiles(network);
        for row in 0..u64::from(lines.rows) {
            let from = lines.source.offset + row * lines.source_stride;
            let line = self.memories.bytes(source, from, lines.bytes);
            let to = lines.offset + row * lines.destination_stride;
            for tile in &targets {
                self.memories.store(*tile, to, &line);
            }
        }
    }

    fn stream(&mut self, chain: &Chain) {
        let network = self.memories.network;
        let Some(source) = network.find(chain.initiator).filter(|_| chain.bytes > 0) else {
            return;
        };
        let mut stream = Vec::with_capacity(chain.bytes as usize);
        for (start, bytes) in chain.source.extents() {
            stream.extend(self.memories.bytes(source, start, bytes));
        }
        for destination in &chain.destinations {
            let Some(tile) = network.find(destination.tile) else {
                continue;
            };
            let mut rest = stream.as_slice();
            for (start, bytes) in destination.pattern.extents() {
                let (now, later) = rest.split_at(bytes as usize);
                self.memories.store(tile, start, now);
                rest = later;
            }
        }
    }

    fn local_fold(&mut self, r: &LocalReduce) {
        let Some(tile) = self.memories.network.find(r.tile) else {
            return;
        };
        let mut operands = r
            .inputs
            .iter()
            .map(|i| self.memories.bytes(tile, *i, r.bytes));
        let Some(mut sum) = operands.next() else {
            return;
        };
        operands.for_each(|operand| fold_into(&mut sum, &operand, r.operator, r.element));
        self.memories.store(tile, r.output, &sum);
    }

    fn kernel(&mut self, kernel: &Kernel) {
        let network = self.memories.network;
        for at in network.members(&kernel.group).into_iter().flatten() {
            let tile = network.tile_at(network.mesh_coord(at));
            let reads = kernel.operation.reads();
            let read = |r: &Extent| self.memories.bytes(tile, r.offset, r.bytes);
            let result = kernel
                .operation
                .apply(&reads.iter().map(read).collect::<Vec<_>>());
            self.memories
                .store(tile, kernel.operation.write().offset, &result);
        }
    }

    fn network_fold(&mut self, fold: &NetworkFold<'_>) {
        let (network, r) = (self.memories.network, fold.reduction);
        let targets: Vec<TileId> = if fold.is_shared {
            network.multi_tiles(r.group).flatten().collect()
        } else {
            network.find(r.root.tile).into_iter().collect()
        };
        let Some(sum) = self.sum(r) else {
            return;
        };
        for tile in targets {
            self.memories.store(tile, r.root.offset, &sum);
        }
    }

    /// What the contributions fold to; nothing at a root that is no cluster.
    fn sum(&mut self, r: &InNetworkReduction) -> Option<Vec<u8>> {
        let network = self.memories.network;
        let tree = self
            .fold_orders
            .entry((r.group, r.root.tile, r.fold_order(network)))
            .or_insert_with(|| fold_tree(network, r));
        evaluate(tree.as_ref()?, &self.memories, r)
    }
}

/// The value of a tree; nothing of a fold without operands.
fn evaluate(tree: &FoldTree, memories: &Memories<'_>, r: &InNetworkReduction) -> Option<Vec<u8>> {
    match tree {
        FoldTree::Member(at) => {
            let network = memories.network;
            let tile = network.tile_at(network.mesh_coord(*at));
            Some(memories.bytes(tile, r.source_offset, r.bytes))
        }
        FoldTree::Fold(operands) => {
            let (first, others) = operands.split_first()?;
            let mut sum = evaluate(first, memories, r)?;
            for operand in others {
                let value = evaluate(operand, memories, r)?;
                fold_into(&mut sum, &value, r.operator, r.element);
            }
            Some(sum)
        }
    }
}

// The documented fold order of an in-network reduction.
//
// Floating-point addition is not associative, so the result of a reduction is defined only together
// with its order. The order follows from geometry and length alone, never from arrival: at every router the
// operands in port order North, East, South, West, Local, reduced from the left; contributions travel
// along X into the root's column, then along Y to the root. On networks with bypass a single beat meets in pairs
// ([`noccl_net::pairs`]).

/// An expression over the contributions: what is combined with what, in which order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoldTree {
    /// Contribution of a member, by cluster coordinate.
    Member(Coord),
    /// Operands reduced from the left, at least one.
    Fold(Vec<FoldTree>),
}

impl InNetworkReduction {
    /// Where its contributions meet.
    #[must_use]
    pub fn fold_order(&self, network: &Network) -> FoldOrder {
        let TileRef::Cluster(root) = self.root.tile else {
            return FoldOrder::ByRouter;
        };
        let beat = network.beat_bytes();
        let bytes = (self.root.offset % beat).saturating_add(self.bytes);
        let beats = bytes.div_ceil(beat);
        network.fold_order(self.group, network.mesh_coord(root), beats)
    }
}

/// Fold order of a reduction, whose group and root are present; `None` if its root is no cluster.
#[must_use]
pub fn fold_tree(network: &Network, reduction: &InNetworkReduction) -> Option<FoldTree> {
    let TileRef::Cluster(root) = reduction.root.tile else {
        return None;
    };
    let (group, root) = (network.cube(reduction.group), network.mesh_coord(root));
    Some(match reduction.fold_order(network) {
        FoldOrder::ByRouter => fold_at(network, group, root, root),
        FoldOrder::InPairs => pairs_at(network, group, root, root),
    })
}

/// What leaves the router of a member.
fn pairs_at(network: &Network, group: Cube, root: Coord, here: Coord) -> FoldTree {
    let operand = |from: Coord| {
        if from == here {
            network.cluster_coord(here).map(FoldTree::Member)
        } else {
            Some(pairs_at(network, group, root, from))
        }
    };
    combined(operands(here, group, root).filter_map(operand).collect())
}

fn fold_at(network: &Network, group: Cube, root: Coord, here: Coord) -> FoldTree {
    let ports = join_set(here, group, root);
    let inputs = Port::ALL.into_iter().filter(|port| ports & port.bit() != 0);
    let operand = |port: Port| match port {
        Port::Local => network.cluster_coord(here).map(FoldTree::Member),
        Port::North | Port::East | Port::South | Port::West => network
            .neighbour(here, port)
            .map(|next| fold_at(network, group, root, next)),
    };
    combined(inputs.filter_map(operand).collect())
}

fn combined(mut operands: Vec<FoldTree>) -> FoldTree {
    if operands.len() == 1 {
        operands.swap_remove(0)
    } else {
        FoldTree::Fold(operands)
    }
}

impl fmt::Display for FoldTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FoldTree::Member(at) => write!(f, "{at}"),
            FoldTree::Fold(operands) => {
                f.write_str("[")?;
                for (i, operand) in operands.iter().enumerate() {
                    let comma = if i == 0 { "" } else { ", " };
                    write!(f, "{comma}{operand}")?;
                }
                f.write_str("]")
            }
        }
    }
}
