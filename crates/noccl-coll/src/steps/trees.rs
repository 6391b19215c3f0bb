// SPDX-License-Identifier: Apache-2.0
//! Chain, tree, and both dimension by dimension: steps along the edges of [`crate::plan::mesh_order`].

use super::{Op, Steps, at, copy, exchange, fold, local_reduce};
use crate::candidates::Offer;
use crate::entry::{Entry, Length, OnClusters, Parameters, Stages, Whole};
use crate::layout::{Chunks, Layout};
use crate::plan::mesh_order::{First, Phase, Stage, phases};
use crate::task::Task;
use crate::{Choice, CollError, Forwarding, GroupTraffic, Inner, messages};
use noccl_net::counts::max_or_zero;
use noccl_net::{Coord, TileRef};
use noccl_workload::{Action, CollectiveKind, Place};
use std::collections::BTreeMap;

/// Steps whose structure is this.
pub(super) const fn parameters(stages: Stages) -> Parameters {
    Parameters {
        has_steps: true,
        stages,
        ..Parameters::NONE
    }
}

pub(crate) const CHAIN: Entry = Entry {
    parameters: parameters(Stages::Fixed(Inner::Chain)),
    length: Length::MembersAndChunks,
    on_clusters: Some(OnClusters::new(Whole::includes, in_steps).cut(|offer| offer.by_chunks())),
    on_cores: Some(messages::CHAIN),
    ..Entry::named("chain")
};

pub(crate) const TREE: Entry = Entry {
    other_names: &["binomial", "binomial_tree"],
    parameters: Parameters {
        has_trees: true,
        ..parameters(Stages::Fixed(Inner::Tree))
    },
    on_clusters: Some(OnClusters::new(Whole::includes, in_steps).cut(tree_candidates)),
    on_cores: Some(messages::TREE),
    ..Entry::named("tree")
};

pub(crate) const ROW_COLUMN: Entry = Entry {
    parameters: Parameters {
        has_lines: true,
        lag: Some(2),
        ..parameters(Stages::Chosen)
    },
    length: Length::MembersOfBlocks,
    on_clusters: Some(OnClusters {
        traffic: |kind| kind.has_blocks().then_some(GroupTraffic::WritesByLines),
        ..OnClusters::new(
            |kind| Whole::includes(kind) || kind == CollectiveKind::AllToAll,
            |task| match task.collective.kind.has_blocks() {
                true => exchange::row_column(task),
                false => in_steps(task),
            },
        )
        .cut(row_column_candidates)
    }),
    on_cores: Some(messages::ROW_COLUMN),
    ..Entry::named("row_column")
};

/// Chain, tree, row and column.
pub(crate) fn in_steps(task: &Task<'_>) -> Result<Vec<Action>, CollError> {
    by_trees(
        task,
        task.choice.is_chained(),
        || {
            let phases = phases(task.group, task.choice, First::Row)?;
            let stages = phases.into_iter().flat_map(|phase| phase.stages);
            Ok(vec![Lane {
                stages: stages.collect(),
                skip: 0,
                chunks: task.chunks(),
            }])
        },
        |layout| {
            let phases = phases(task.group, task.choice, First::Column)?;
            let hops = hops(phases, task.chunks().len());
            let lane = ReducedLane::whole(task, hops, layout);
            let is_pulled = task.choice.forwarding == Forwarding::Pull;
            Ok((vec![lane], is_pulled))
        },
    )
}

/// A multicast, a reduction, or both, in steps. `lanes` gives the trees of a multicast; `reduced` those of a reduction, and whether receivers move
/// the data.
pub(super) fn by_trees(
    task: &Task<'_>,
    has_every_barrier: bool,
    lanes: impl FnOnce() -> Result<Vec<Lane>, CollError>,
    reduced: impl FnOnce(&mut Layout) -> Result<(Vec<ReducedLane>, bool), CollError>,
) -> Result<Vec<Action>, CollError> {
    let mut layout = task.layout()?;
    let mut steps = Steps::new(task.sync(), has_every_barrier);
    let output = task.collective.output_offset;
    let whole = task.whole()?;
    if whole != Whole::Multicast {
        // A root outside the group gets a copy of what the entry has reduced in its scratch.
        let is_outside = whole == Whole::Reduce && !task.group.is_root_member();
        let result = match is_outside {
            true => layout.alloc(task.collective.bytes),
            false => output,
        };
        let (lanes, is_pulled) = reduced(&mut layout)?;
        let reduction = StepReduction {
            task,
            lanes,
            is_pulled,
            result,
        };
        reduction.emit(&mut steps, is_outside.then(|| task.output()));
    }
    if whole != Whole::Reduce {
        let source = match whole {
            Whole::Multicast => task.input(),
            Whole::Reduce | Whole::AllReduce => at(task.group.entry, output),
        };
        let multicast = Multicast {
            source,
            output,
            entry: task.group.entry,
            forwarding: task.choice.forwarding,
            lanes: lanes()?,
        };
        multicast.emit(&mut steps);
    }
    task.check_layout(&layout)?;
    Ok(steps.finish())
}

/// Numbers of chunks of a tree that pushes. A multicast has one: its chunks would meet on the same links (S1 §4.2.2).
fn tree_counts(offer: &Offer<'_>) -> Vec<u32> {
    match offer.collective.kind == CollectiveKind::Multicast {
        true => vec![1],
        false => offer.chunk_counts(),
    }
}

fn tree_candidates(offer: &Offer<'_>) -> Vec<Choice> {
    let counts = tree_counts(offer).into_iter();
    counts.map(|c| Choice::new(offer.algorithm, c)).collect()
}

/// Dimension by dimension, where the group extends along both.
fn row_column_candidates(offer: &Offer<'_>) -> Vec<Choice> {
    if offer.collective.kind.has_blocks() {
        return offer.plain();
    }
    if !offer.is_two_dimensional() {
        return Vec::new();
    }
    let of = |inner, counts: Vec<u32>| {
        counts
            .into_iter()
            .map(move |c| Choice::row_column(inner, c))
    };
    let chains = of(Inner::Chain, offer.chunk_counts());
    chains.chain(of(Inner::Tree, tree_counts(offer))).collect()
}

// Software multicast: chunks run along the stages of a chain, a tree or both dimensions (S1 §4.2.2, App. B.1).

/// A part of the payload with the stages that it passes, in multicast order.
#[derive(Debug)]
pub(super) struct Lane {
    pub(super) stages: Vec<Stage>,
    /// First byte of the part.
    pub(super) skip: u64,
    pub(super) chunks: Chunks,
}

/// What a software multicast moves, and where to.
#[derive(Debug)]
struct Multicast {
    /// First byte of the payload; at the entry itself or outside the group.
    source: Place,
    /// Offset of every copy.
    output: u64,
    entry: Coord,
    forwarding: Forwarding,
    lanes: Vec<Lane>,
}

impl Multicast {
    /// Chunk c passes stage s in step c + s, so that all stages work at once (S1 eq. (2) and (11)).
    fn emit(&self, steps: &mut Steps) {
        let length = |lane: &Lane| lane.stages.len() + self.lead() + lane.chunks.len();
        for step in 0..max_or_zero(self.lanes.iter().map(length)) {
            let ops = self.lanes.iter().flat_map(|lane| self.ops(lane, step));
            steps.step(ops.collect());
        }
    }

    /// A source outside the group is read by the entry in a stage before all others (memory tiles have no DMA engine).
    fn is_outside(&self) -> bool {
        self.source.tile != TileRef::Cluster(self.entry)
    }

    fn lead(&self) -> usize {
        usize::from(self.is_outside())
    }

    fn ops(&self, lane: &Lane, step: usize) -> Vec<Op> {
        let mut ops = Vec::new();
        if self.is_outside() && step < lane.chunks.len() {
            let to = at(self.entry, self.output);
            ops.push(lane.moved(self.entry, self.source, to, step));
        } else if !self.is_outside() && step == 0 {
            ops.extend(self.local_copies(lane));
        }
        for (idx, stage) in lane.stages.iter().enumerate() {
            let Some(chunk) = step.checked_sub(idx + self.lead()) else {
                break;
            };
            if chunk < lane.chunks.len() {
                ops.extend(stage.iter().map(|edge| self.along(lane, *edge, chunk)));
            }
        }
        ops
    }

    /// One chunk from a member to the next.
    fn along(&self, lane: &Lane, (from, to): (Coord, Coord), chunk: usize) -> Op {
        let offset = match from == self.entry && !self.is_outside() {
            true => self.source.offset,
            false => self.output,
        };
        let initiator = match self.forwarding {
            Forwarding::Pull => to,
            Forwarding::Push => from,
        };
        lane.moved(initiator, at(from, offset), at(to, self.output), chunk)
    }

    /// A source that is a member itself keeps a copy at the output's offset: one, or of several parts chunk by chunk.
    fn local_copies(&self, lane: &Lane) -> Vec<Op> {
        let to = at(self.entry, self.output);
        if self.source == to {
            return Vec::new();
        }
        if self.lanes.len() == 1 {
            return vec![copy(self.entry, self.source, to, lane.chunks.bytes())];
        }
        let chunks = 0..lane.chunks.len();
        chunks
            .map(|chunk| lane.moved(self.entry, self.source, to, chunk))
            .collect()
    }
}

impl Lane {
    /// One chunk of one copy of the payload to the same bytes of another.
    fn moved(&self, initiator: Coord, from: Place, to: Place, chunk: usize) -> Op {
        let (start, bytes) = self.chunks.range(chunk);
        let skip = self.skip + start;
        copy(initiator, behind(from, skip), behind(to, skip), bytes)
    }
}

fn behind(place: Place, bytes: u64) -> Place {
    Place {
        offset: place.offset + bytes,
        ..place
    }
}

// Software reduction: chunks run towards the root and are reduced at every member on the path (S1 §4.2.3, Fig. 6, App. B.2).
//
// A member moves chunk c + 1 in while its cores reduce chunk c, into two receive buffers in rotation. Fold order: at every member its own
// operand (its input, or what it has reduced so far) is the leftmost one, then what it received, in the order of its children.

/// A member and those that it receives from in one hop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TreeMember {
    pub(super) parent: Coord,
    pub(super) children: Vec<Coord>,
}

/// One hop towards the root, of all members that are as far from it: chunk c is moved in step `start + c` and reduced in the step after.
#[derive(Debug)]
pub(super) struct ReduceHop {
    pub(super) members: Vec<TreeMember>,
    pub(super) start: usize,
    pub(super) first_buffer: usize,
}

/// A part of the payload with the hops that it takes.
#[derive(Debug)]
pub(super) struct ReducedLane {
    hops: Vec<ReduceHop>,
    /// First hop in which a member receives.
    first_receipt: BTreeMap<Coord, usize>,
    /// First byte of the part.
    skip: u64,
    chunks: Chunks,
    /// Offset of the partial results of this part.
    partial: u64,
    /// Offsets of the receive buffers: by child, in rotation.
    receive: Vec<[u64; 2]>,
}

/// A software reduction to the entry of a group.
#[derive(Debug)]
struct StepReduction<'a> {
    task: &'a Task<'a>,
    lanes: Vec<ReducedLane>,
    /// Does the receiver's engine move the data?
    is_pulled: bool,
    /// Offset of the result at the entry.
    result: u64,
}

impl ReducedLane {
    /// The whole payload, with no more buffers than it needs.
    fn whole(task: &Task<'_>, hops: Vec<ReduceHop>, layout: &mut Layout) -> Self {
        let chunks = task.chunks();
        let mut lane = Self::new(hops, 0, chunks);
        let receipts = lane.hops.iter().map(|hop| hop.members.len()).sum::<usize>();
        let is_twice = chunks.len() > 1 || receipts > lane.first_receipt.len();
        let entry = task.group.entry;
        if lane.first_receipt.keys().any(|to| *to != entry) {
            lane.partial = layout.alloc(task.collective.bytes);
        }
        if !lane.first_receipt.is_empty() {
            lane.receive = vec![[layout.alloc(chunks.chunk_bytes()); 2]];
            if is_twice {
                lane.receive[0][1] = layout.alloc(chunks.chunk_bytes());
            }
        }
        lane
    }

    /// A part with two buffers for each of two children.
    pub(super) fn of_two_children(
        hops: Vec<ReduceHop>,
        skip: u64,
        chunks: Chunks,
        layout: &mut Layout,
    ) -> Self {
        let mut lane = Self::new(hops, skip, chunks);
        lane.partial = layout.alloc(chunks.bytes());
        let mut buffer = || layout.alloc(chunks.chunk_bytes());
        lane.receive = vec![[buffer(), buffer()], [buffer(), buffer()]];
        lane
    }

    fn new(hops: Vec<ReduceHop>, skip: u64, chunks: Chunks) -> Self {
        let mut first_receipt = BTreeMap::new();
        for (idx, hop) in hops.iter().enumerate() {
            for member in &hop.members {
                first_receipt.entry(member.parent).or_insert(idx);
            }
        }
        Self {
            hops,
            first_receipt,
            skip,
            chunks,
            partial: 0,
            receive: Vec::new(),
        }
    }

    /// Does a member have a partial result before a hop?
    fn has_reduced(&self, member: Coord, hop: usize) -> bool {
        let first = self.first_receipt.get(&member);
        first.is_some_and(|first| *first < hop)
    }

    fn buffer(&self, hop: usize, child: usize, chunk: usize) -> u64 {
        self.receive[child][(self.hops[hop].first_buffer + chunk) % 2]
    }

    /// Step in which the root has reduced its first chunk.
    fn reduced_after(&self) -> usize {
        // 0: without hops nothing is reduced.
        self.hops.last().map_or(0, |hop| hop.start + 2)
    }
}

impl StepReduction<'_> {
    /// Adds all steps; then, chunk by chunk, the copy to a root outside the group, if given.
    fn emit(&self, steps: &mut Steps, outside: Option<Place>) {
        if self.lanes.iter().all(|lane| lane.hops.is_empty()) {
            steps.step(self.alone(outside));
            return;
        }
        let length = |lane: &ReducedLane| lane.reduced_after() + lane.chunks.len();
        for step in 0..max_or_zero(self.lanes.iter().map(length)) {
            let mut ops = Vec::new();
            for lane in &self.lanes {
                self.step(lane, step, &mut ops);
                let chunk = step.checked_sub(lane.reduced_after());
                if let (Some(outside), Some(chunk)) = (outside, chunk)
                    && chunk < lane.chunks.len()
                {
                    let (start, bytes) = lane.chunks.range(chunk);
                    let skip = lane.skip + start;
                    let from = at(self.entry(), self.result + skip);
                    ops.push(copy(self.entry(), from, behind(outside, skip), bytes));
                }
            }
            steps.step(ops);
        }
    }

    fn entry(&self) -> Coord {
        self.task.group.entry
    }

    /// A group of one: its input is the result.
    fn alone(&self, outside: Option<Place>) -> Vec<Op> {
        let from = at(self.entry(), self.task.collective.input_offset);
        let to = outside.unwrap_or(at(self.entry(), self.result));
        let bytes = self.task.collective.bytes;
        (to != from)
            .then(|| copy(self.entry(), from, to, bytes))
            .into_iter()
            .collect()
    }

    /// What a lane moves and reduces in a step.
    fn step(&self, lane: &ReducedLane, step: usize, ops: &mut Vec<Op>) {
        for (idx, hop) in lane.hops.iter().enumerate() {
            let Some(chunk) = step.checked_sub(hop.start) else {
                continue;
            };
            if chunk < lane.chunks.len() {
                for member in &hop.members {
                    let children = member.children.iter().enumerate();
                    ops.extend(children.map(|(number, child)| {
                        let to = at(member.parent, lane.buffer(idx, number, chunk));
                        self.moved(lane, idx, *child, member.parent, to, chunk)
                    }));
                }
            }
            if chunk >= 1 && chunk <= lane.chunks.len() {
                let reduced = hop.members.iter();
                ops.extend(reduced.map(|member| self.reduced(lane, idx, member, chunk - 1)));
            }
        }
    }

    fn moved(
        &self,
        lane: &ReducedLane,
        hop: usize,
        child: Coord,
        parent: Coord,
        to: Place,
        chunk: usize,
    ) -> Op {
        let (start, bytes) = lane.chunks.range(chunk);
        let from = at(child, self.operand(lane, child, hop) + start);
        let initiator = if self.is_pulled { parent } else { child };
        copy(initiator, from, to, bytes)
    }

    fn reduced(&self, lane: &ReducedLane, hop: usize, member: &TreeMember, chunk: usize) -> Op {
        let (start, bytes) = lane.chunks.range(chunk);
        let mut inputs = vec![self.operand(lane, member.parent, hop) + start];
        let children = 0..member.children.len();
        inputs.extend(children.map(|child| lane.buffer(hop, child, chunk)));
        let output = self.partial_at(lane, member.parent) + start;
        let reduce = local_reduce(self.task.collective, member.parent, inputs, output, bytes);
        fold(reduce, member.parent)
    }

    /// What a member has of a part before a hop: its input until it has reduced something.
    fn operand(&self, lane: &ReducedLane, member: Coord, hop: usize) -> u64 {
        match lane.has_reduced(member, hop) {
            true => self.partial_at(lane, member),
            false => self.task.collective.input_offset + lane.skip,
        }
    }

    fn partial_at(&self, lane: &ReducedLane, member: Coord) -> u64 {
        match member == self.entry() {
            true => self.result + lane.skip,
            false => lane.partial,
        }
    }
}

/// When each hop starts: phases in multicast order, which a reduction runs backwards.
///
/// A chain's hops follow each other two steps apart: move, reduce (S1 eq. (5)); the next dimension's
/// first move overlaps the last reduction if there is more than one chunk (eq. (15)). A tree's levels
/// follow each other (eq. (6), (14)).
fn hops(phases: Vec<Phase>, num_chunks: usize) -> Vec<ReduceHop> {
    let mut out = Vec::new();
    let mut base = 0;
    let mut buffer = 0;
    for phase in phases.into_iter().rev().filter(|p| !p.stages.is_empty()) {
        let levels = phase.stages.len();
        let (stride, buffer_stride) = match phase.inner {
            Inner::Chain => (2, 0),
            Inner::Tree => (num_chunks + 1, num_chunks),
        };
        for (idx, edges) in phase.stages.into_iter().rev().enumerate() {
            let members = edges.into_iter().map(|(parent, child)| TreeMember {
                parent,
                children: vec![child],
            });
            out.push(ReduceHop {
                members: members.collect(),
                start: base + idx * stride,
                first_buffer: (buffer + idx * buffer_stride) % 2,
            });
        }
        match phase.inner {
            Inner::Chain => {
                let steps = 2 * (levels - 1) + num_chunks + 1;
                base += steps - usize::from(num_chunks > 1);
                buffer += num_chunks;
            }
            Inner::Tree => {
                base += levels * (num_chunks + 1);
                buffer += levels * num_chunks;
            }
        }
    }
    out
}
