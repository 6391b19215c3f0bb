// SPDX-License-Identifier: Apache-2.0
//! The network's own multicast, reduction and barrier (S1 §3.1, §4.2).
//!
//! One transaction addresses one multi-address. A group that is none is served piece by piece; the
//! partial results of a split reduction are reduced by the cores of the cluster that gathers them, in
//! the order of the pieces (ascending base), from the left.

pub(crate) mod all_reduce;
pub(crate) mod gather;
pub(crate) mod list;
pub(crate) mod segments;
mod together;

use crate::barrier::sync::SyncPlan;
use crate::builder::Builder;
use crate::candidates::Offer;
use crate::compose::Task;
use crate::entry::{Entry, Length, OnClusters, Parameters};
use crate::group::Group;
use crate::layout::Layout;
use crate::steps::transfer;
use crate::whole::Whole;
use crate::{Choice, CollError};
use noccl_net::{Coord, MultiAddress, Network, TileRef};
use noccl_workload::check::fit_together;
use noccl_workload::{
    Action, ActionKind, BarrierMechanism, Collective, CollectiveKind, Destination,
    InNetworkReduction, LocalReduce, Place,
};
use std::collections::BTreeSet;

/// Lengths of an all-reduce's segments that a comparison tries.
const REDUCED_CHUNK_BEATS: [u64; 8] = [8, 12, 16, 24, 32, 48, 64, 128];

pub(crate) const ENTRY: Entry = Entry {
    is_in_network: true,
    parameters: Parameters {
        has_chunks: true,
        has_shape: true,
        ..Parameters::NONE
    },
    length: Length::MembersOfBlocks,
    on_clusters: Some(OnClusters {
        is_cut: |kind| kind == CollectiveKind::AllReduce,
        candidates,
        ..OnClusters::new(does, |task| Ok(build(task)?.into()))
    }),
    ..Entry::named("in_network")
};

fn does(kind: CollectiveKind) -> bool {
    let has_blocks_of_all = matches!(
        kind,
        CollectiveKind::AllGather | CollectiveKind::ReduceScatter
    );
    Whole::includes(kind) || has_blocks_of_all || !kind.has_payload()
}

fn build(task: &Task<'_>) -> Result<Vec<Action>, CollError> {
    let kind = task.collective.kind;
    if !kind.has_payload() {
        return task.barrier(BarrierMechanism::InNetwork);
    }
    if !kind.has_blocks() {
        return task.by_network();
    }
    task.in_blocks(|blocks, layout, sync| {
        Ok(match kind.reduces() {
            true => gather::reduce_scatter(blocks, layout, sync),
            false => gather::all_gather(blocks),
        })
    })
}

fn candidates(offer: &Offer<'_>) -> Vec<Choice> {
    if offer.collective.kind != CollectiveKind::AllReduce {
        return offer.shapes();
    }
    let beats = offer.beats();
    let counts = REDUCED_CHUNK_BEATS.iter().map(|s| beats.div_ceil(*s));
    let counts = counts.filter_map(|c| u32::try_from(c).ok());
    let counts: BTreeSet<u32> = counts.chain([1]).collect();
    counts
        .into_iter()
        .map(|c| Choice::new(offer.algorithm, c))
        .collect()
}

/// One transfer per multi-address, started by the source's own DMA, or by the entry's where the source is a memory tile.
///
/// They start together, except where that could end in a deadlock (`together`), and a transfer that writes the source's own
/// bytes back over themselves, which waits for the others.
pub(crate) fn multicast(
    network: &Network,
    group: &Group,
    (source, output): (Place, u64),
    bytes: u64,
    builder: &mut Builder,
) {
    let initiator = match source.tile {
        TileRef::Cluster(at) => at,
        TileRef::Memory(_) => group.entry,
    };
    let is_onto_source = |piece: &MultiAddress| {
        source.offset == output && matches!(source.tile, TileRef::Cluster(at) if piece.contains(at))
    };
    let (own, others): (Vec<MultiAddress>, Vec<MultiAddress>) =
        group.pieces.iter().copied().partition(is_onto_source);
    let mut steps = if network.routers().joins_several {
        vec![others]
    } else {
        together::steps(network, source.tile, initiator, &others)
    };
    steps.push(own);
    for step in steps {
        for piece in step {
            let destination = match piece.len() {
                1 if is_onto_source(&piece) => continue,
                1 => Destination::One(Place {
                    tile: TileRef::Cluster(piece.base),
                    offset: output,
                }),
                _ => Destination::Multicast {
                    set: piece,
                    offset: output,
                },
            };
            let kind = ActionKind::Transfer(transfer(initiator, source, destination, bytes));
            builder.add(kind, &[initiator]);
        }
        builder.end_step();
    }
}

/// Where one piece's partial result stands at the gathering cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Operand {
    piece: MultiAddress,
    offset: u64,
}

/// The reduction of a piece into a cluster.
fn reduction(collective: &Collective, operand: Operand, gatherer: Coord) -> InNetworkReduction {
    InNetworkReduction {
        group: operand.piece,
        source_offset: collective.input_offset,
        root: Place {
            tile: TileRef::Cluster(gatherer),
            offset: operand.offset,
        },
        bytes: collective.bytes,
        operator: collective.operator,
        element: collective.element,
    }
}

/// Cuts the operands, in their order, into steps for which the routers' stores have space: where they lie decides how many bursts they are.
fn steps(
    network: &Network,
    collective: &Collective,
    operands: &[Operand],
    gatherer: Coord,
) -> Vec<Vec<usize>> {
    let mut steps: Vec<Vec<usize>> = vec![Vec::new()];
    let mut open: Vec<InNetworkReduction> = Vec::new();
    for (idx, operand) in operands.iter().enumerate() {
        if operand.piece.len() > 1 {
            open.push(reduction(collective, *operand, gatherer));
            if open.len() > 1 && !fit_together(network, &open) {
                open.drain(..open.len() - 1);
                steps.push(Vec::new());
            }
        }
        if let Some(step) = steps.last_mut() {
            step.push(idx);
        }
    }
    steps
}

/// A reduction into `result` of the cluster `gatherer`, which may lie outside the group.
#[derive(Debug)]
pub(crate) struct Reduction<'a> {
    group: &'a Group,
    collective: &'a Collective,
    gatherer: Coord,
    result: u64,
    operands: Vec<Operand>,
    /// Operands (indices) that may be reduced at the same time, step after step.
    steps: Vec<Vec<usize>>,
}

impl<'a> Reduction<'a> {
    /// Plans the buffers of the partial results.
    ///
    /// The piece of the gatherer itself (else the first one) needs no buffer: its partial result lies
    /// where the result will be; a gatherer that is a piece of its own is reduced from its input.
    pub(crate) fn new(
        network: &Network,
        group: &'a Group,
        collective: &'a Collective,
        (gatherer, result): (Coord, u64),
        layout: &mut Layout,
    ) -> Self {
        let own = group
            .pieces
            .iter()
            .position(|p| p.contains(gatherer))
            // 0: the first multi-address, as said above.
            .unwrap_or(0);
        let is_alone = group.pieces.len() == 1;
        let operands: Vec<Operand> = group
            .pieces
            .iter()
            .enumerate()
            .map(|(idx, piece)| Operand {
                piece: *piece,
                offset: if idx == own && *piece == MultiAddress::single(gatherer) && !is_alone {
                    collective.input_offset
                } else if idx == own {
                    result
                } else {
                    layout.alloc(collective.bytes)
                },
            })
            .collect();
        let steps = steps(network, collective, &operands, gatherer);
        Self {
            group,
            collective,
            gatherer,
            result,
            operands,
            steps,
        }
    }

    /// Adds the reductions and, if there are several, the barrier and the fold that combine them. Pieces for whose
    /// operands the routers' stores have no space together follow each other, with barriers between them.
    pub(crate) fn emit(&self, builder: &mut Builder) {
        for (idx, step) in self.steps.iter().enumerate() {
            if idx > 0 {
                let (members, pieces) = (&self.group.members, &self.group.pieces);
                let mechanism = BarrierMechanism::InNetwork;
                SyncPlan::new(members, pieces, mechanism, self.group.entry).emit(builder);
            }
            for operand in step.iter().map(|piece| self.operands[*piece]) {
                self.contribute(operand, builder);
            }
            builder.end_step();
        }
        if self.operands.len() == 1 {
            return;
        }
        let mut allowed: BTreeSet<Coord> = self.group.set.clone();
        allowed.insert(self.gatherer);
        SyncPlan::meeting(self.gatherer, &allowed, &self.group.pieces).emit(builder);
        let fold = LocalReduce {
            tile: TileRef::Cluster(self.gatherer),
            inputs: self.operands.iter().map(|o| o.offset).collect(),
            output: self.result,
            bytes: self.collective.bytes,
            operator: self.collective.operator,
            element: self.collective.element,
        };
        builder.add(ActionKind::LocalReduce(fold), &[self.gatherer]);
        builder.end_step();
    }

    fn contribute(&self, operand: Operand, builder: &mut Builder) {
        let source_offset = self.collective.input_offset;
        let root = Place {
            tile: TileRef::Cluster(self.gatherer),
            offset: operand.offset,
        };
        if operand.piece.len() > 1 {
            let reduction = reduction(self.collective, operand, self.gatherer);
            let members: Vec<Coord> = operand.piece.members().collect();
            builder.add(ActionKind::InNetworkReduction(reduction), &members);
            return;
        }
        let only = operand.piece.base;
        let source = Place {
            tile: TileRef::Cluster(only),
            offset: source_offset,
        };
        if source != root {
            let kind = transfer(only, source, Destination::One(root), self.collective.bytes);
            builder.add(ActionKind::Transfer(kind), &[only]);
        }
    }
}
