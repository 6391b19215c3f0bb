// SPDX-License-Identifier: Apache-2.0
//! The network's own multicast, reduction and barrier (S1 §3.1, §4.2).
//!
//! One transaction addresses one multi-address. A group that is none is served by several; the
//! partial results of a split reduction are reduced by the cores of the cluster that gathers them, in
//! the order of the multi-addresses (ascending base), from the left.

pub(crate) mod all_reduce;
pub(crate) mod gather;
pub(crate) mod list;

use crate::barrier::sync::SyncPlan;
use crate::candidates::Offer;
use crate::entry::{Entry, Length, OnClusters, Parameters, Whole};
use crate::layout::Layout;
use crate::steps::{Builder, at, local_reduce, network_reduction, push, transfer};
use crate::task::Task;
use crate::{Choice, CollError, GroupTraffic};
use noccl_net::deadlock::{Flow, check};
use noccl_net::{AxiNetwork, Coord, MultiAddress, TileRef};
use noccl_workload::check::fit_together;
use noccl_workload::{
    Action, ActionKind, BarrierMechanism, CollectiveKind, Destination, InNetworkReduction, Place,
};
use std::collections::BTreeSet;

/// Lengths of an all-reduce's chunks that a comparison tries.
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
        traffic: |kind| {
            kind.has_blocks().then_some(match kind.reduces() {
                true => GroupTraffic::Reductions,
                false => GroupTraffic::Multicasts,
            })
        },
        ..OnClusters::new(does, build)
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
        return crate::barrier::at_once(task, BarrierMechanism::InNetwork);
    }
    if !kind.has_blocks() {
        return by_network(task);
    }
    match kind.reduces() {
        true => gather::reduce_scatter(task),
        false => gather::all_gather(task),
    }
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

/// The network's multicast, reduction, or both.
fn by_network(task: &Task<'_>) -> Result<Vec<Action>, CollError> {
    let (entry, output) = (task.group.entry, task.collective.output_offset);
    let mut layout = task.layout()?;
    let mut builder = Builder::default();
    match (task.whole()?, task.collective.root) {
        (Whole::Multicast, _) => multicast(task, task.input(), &mut builder),
        (Whole::Reduce, TileRef::Cluster(root)) => {
            Reduction::new(task, (root, output), &mut layout).emit(&mut builder);
        }
        // A memory tile cannot add or be a reduction's target: the entry gathers and copies.
        (Whole::Reduce, TileRef::Memory(_)) => {
            let staged = layout.alloc(task.collective.bytes);
            Reduction::new(task, (entry, staged), &mut layout).emit(&mut builder);
            let kind = push(entry, staged, task.output(), task.collective.bytes);
            builder.add(kind, &[entry]);
            builder.end_step();
        }
        (Whole::AllReduce, _) if task.choice.chunks > 1 => {
            let [whole] = task.group.cover.as_slice() else {
                return Err(task.unsupported(
                    "the group is no multi-address; accepted: an aligned power-of-two block, or one chunk",
                ));
            };
            return Ok(all_reduce::in_chunks(task, *whole));
        }
        (Whole::AllReduce, _) => {
            let staged = layout.alloc(task.collective.bytes);
            Reduction::new(task, (entry, staged), &mut layout).emit(&mut builder);
            multicast(task, at(entry, staged), &mut builder);
        }
    }
    task.check_layout(&layout)?;
    Ok(builder.finish())
}

/// One transfer per multi-address, started by the source's own DMA, or by the entry's where the source is a memory tile.
///
/// They start together, except where that could end in a deadlock, and a transfer that writes the source's own
/// bytes back over themselves, which waits for the others.
fn multicast(task: &Task<'_>, source: Place, builder: &mut Builder) {
    let (network, group) = (task.network, task.group);
    let (output, bytes) = (task.collective.output_offset, task.collective.bytes);
    let initiator = match source.tile {
        TileRef::Cluster(at) => at,
        TileRef::Memory(_) => group.entry,
    };
    let is_onto_source = |set: &MultiAddress| {
        source.offset == output && matches!(source.tile, TileRef::Cluster(at) if set.contains(at))
    };
    let (last, others): (Vec<MultiAddress>, Vec<MultiAddress>) =
        group.cover.iter().copied().partition(is_onto_source);
    let mut steps = if network.routers().joins_several {
        vec![others]
    } else {
        multicast_steps(network, source.tile, initiator, &others)
    };
    steps.push(last);
    for step in steps {
        // A single cluster has its own bytes.
        for set in step.iter().filter(|s| s.len() > 1 || !is_onto_source(s)) {
            let kind = transfer(initiator, source, to_set(*set, output), bytes);
            builder.add(ActionKind::Transfer(kind), &[initiator]);
        }
        builder.end_step();
    }
}

/// One multi-address, or the only tile of it.
fn to_set(set: MultiAddress, offset: u64) -> Destination {
    match set.len() {
        1 => Destination::One(at(set.base, offset)),
        _ => Destination::Multicast { set, offset },
    }
}

/// Where the partial result of a multi-address lies at the gathering cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Operand {
    set: MultiAddress,
    offset: u64,
}

/// Cuts the operands, in their order, into steps for which the routers' stores have space: where they lie decides how many bursts they are.
fn reduction_steps(task: &Task<'_>, operands: &[Operand], gatherer: Coord) -> Vec<Vec<Operand>> {
    let mut steps: Vec<Vec<Operand>> = vec![Vec::new()];
    let mut open: Vec<InNetworkReduction> = Vec::new();
    for operand in operands {
        if operand.set.len() > 1 {
            open.push(operand.reduction(task, gatherer));
            if open.len() > 1 && !fit_together(&task.network, &open) {
                open.drain(..open.len() - 1);
                steps.push(Vec::new());
            }
        }
        if let Some(step) = steps.last_mut() {
            step.push(*operand);
        }
    }
    steps
}

impl Operand {
    /// The reduction of a multi-address into a cluster.
    fn reduction(&self, task: &Task<'_>, gatherer: Coord) -> InNetworkReduction {
        let (collective, root) = (task.collective, at(gatherer, self.offset));
        let source = collective.input_offset;
        network_reduction(collective, self.set, source, root, collective.bytes)
    }
}

/// A reduction into `result` of the cluster `gatherer`, which may lie outside the group.
struct Reduction<'a> {
    task: &'a Task<'a>,
    gatherer: Coord,
    result: u64,
    operands: Vec<Operand>,
    /// Operands that may be reduced at the same time, step after step.
    steps: Vec<Vec<Operand>>,
}

impl<'a> Reduction<'a> {
    /// Plans the buffers of the partial results.
    ///
    /// The multi-address of the gatherer itself (else the first one) needs no buffer: its partial result lies
    /// where the result will be; a gatherer that is one by itself is reduced from its input.
    fn new(task: &'a Task<'a>, (gatherer, result): (Coord, u64), layout: &mut Layout) -> Self {
        let sets = &task.group.cover;
        let local = sets.iter().position(|set| set.contains(gatherer));
        // 0: the first multi-address, as said above.
        let local = local.unwrap_or(0);
        let is_single = |set: &MultiAddress| *set == MultiAddress::single(gatherer);
        let operands = sets.iter().enumerate().map(|(idx, set)| {
            let offset = if idx != local {
                layout.alloc(task.collective.bytes)
            } else if is_single(set) && sets.len() > 1 {
                task.collective.input_offset
            } else {
                result
            };
            Operand { set: *set, offset }
        });
        let operands: Vec<Operand> = operands.collect();
        let steps = reduction_steps(task, &operands, gatherer);
        Self {
            task,
            gatherer,
            result,
            operands,
            steps,
        }
    }

    /// Adds the reductions and, if there are several, the barrier and the addition that combine them. Multi-addresses for whose
    /// operands the routers' stores have no space together follow each other, with barriers between them.
    fn emit(&self, builder: &mut Builder) {
        let group = self.task.group;
        for (idx, step) in self.steps.iter().enumerate() {
            if idx > 0 {
                let mechanism = BarrierMechanism::InNetwork;
                let sync = SyncPlan::new(&group.members, &group.cover, mechanism, group.entry);
                sync.emit(builder);
            }
            for operand in step {
                self.contribute(*operand, builder);
            }
            builder.end_step();
        }
        if self.operands.len() == 1 {
            return;
        }
        let mut allowed: BTreeSet<Coord> = group.set.clone();
        allowed.insert(self.gatherer);
        SyncPlan::meeting(self.gatherer, &allowed, &group.cover).emit(builder);
        let (collective, inputs) = (self.task.collective, self.operands.iter());
        let inputs = inputs.map(|o| o.offset).collect();
        let bytes = collective.bytes;
        let sum = local_reduce(collective, self.gatherer, inputs, self.result, bytes);
        builder.add(ActionKind::LocalReduce(sum), &[self.gatherer]);
        builder.end_step();
    }

    fn contribute(&self, operand: Operand, builder: &mut Builder) {
        if operand.set.len() > 1 {
            let reduction = operand.reduction(self.task, self.gatherer);
            let members: Vec<Coord> = operand.set.members().collect();
            builder.add(ActionKind::InNetworkReduction(reduction), &members);
            return;
        }
        let (only, to) = (operand.set.base, at(self.gatherer, operand.offset));
        let input = self.task.collective.input_offset;
        if at(only, input) != to {
            let kind = push(only, input, to, self.task.collective.bytes);
            builder.add(kind, &[only]);
        }
    }
}

// Which multicasts of one engine may go together where the responses to several join at FIFO heads.
//
// Two that reach routers in opposite orders can wait for each other there (`docs/design/0008`). All in sequence would be
// right as well; each would then cost the path of the one before it there and back.

/// Members up to which it is tried what goes together: half a second. The time of all trials grows with the third power.
const MAX_MEMBERS: u32 = 256;

/// Sets in steps, each after the one before it: a set goes with the first step whose others it cannot wait for in a circle.
/// Copies to single clusters, which nothing joins, go with the first step. Where the engine reads another tile, whose data
/// are held up by what it writes, every set has a step of its own, those of one cluster too.
fn multicast_steps(
    network: AxiNetwork<'_>,
    source: TileRef,
    initiator: Coord,
    sets: &[MultiAddress],
) -> Vec<Vec<MultiAddress>> {
    if source != TileRef::Cluster(initiator) {
        return sets.iter().map(|set| vec![*set]).collect();
    }
    let (mut first, sets): (Vec<MultiAddress>, Vec<MultiAddress>) =
        sets.iter().copied().partition(|set| set.len() == 1);
    let mut sets = sets.into_iter();
    first.extend(sets.next());
    let mut steps = vec![first];
    let num_members: u32 = sets.clone().map(|set| set.len()).sum();
    for set in sets {
        let fits = |step: &Vec<MultiAddress>| {
            let all: Vec<MultiAddress> = step.iter().chain([&set]).copied().collect();
            num_members <= MAX_MEMBERS && are_free(network, initiator, &all)
        };
        match steps.iter().position(fits) {
            Some(step) => steps[step].push(set),
            None => steps.push(vec![set]),
        }
    }
    steps
}

/// Can multicasts to these sets not wait for each other forever?
fn are_free(network: AxiNetwork<'_>, initiator: Coord, sets: &[MultiAddress]) -> bool {
    let Some(from) = network.find(TileRef::Cluster(initiator)) else {
        return false;
    };
    let flow = |set: &MultiAddress| match set.len() {
        1 => network
            .find(TileRef::Cluster(set.base))
            .map(|to| Flow::Write { from, to }),
        _ => Some(Flow::Multicast { from, set: *set }),
    };
    let flows: Option<Vec<Flow>> = sets.iter().map(flow).collect();
    flows.is_some_and(|flows| check(network, &flows).is_ok())
}
