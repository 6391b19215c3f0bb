// SPDX-License-Identifier: Apache-2.0
//! Steps of a software algorithm and the barriers between them.
//!
//! Only the cluster that runs an action knows that it is over. So a barrier must stand between an
//! action and any later one of another cluster that reads what it wrote. Chains have one after every
//! step (S1 eq. (1), (2), (5)); trees where the data needs it, which is S1's eq. (3) and (6): none
//! before the first hand-over and none between the levels of a reduction. Overwriting asks for no
//! more: a receive buffer is used again two chunks later, and the chunk between has its own barrier.

pub(crate) mod double_tree;
pub(crate) mod exchange;
pub(crate) mod ring;
pub(crate) mod slotted;
pub(crate) mod trees;

use crate::barrier::sync::SyncPlan;
use noccl_net::{Coord, MultiAddress, TileRef, TileSet};
use noccl_workload::{
    Action, ActionId, ActionKind, Collective, Destination, InNetworkReduction, LocalReduce, Place,
    Transfer, as_multi_address,
};
use std::collections::BTreeMap;

/// An action of one cluster with the chunks it touches.
#[derive(Debug)]
pub(crate) struct Op {
    kind: ActionKind,
    agent: Coord,
    reads: Vec<Place>,
    writes: Place,
}

/// A cluster's DMA copies one range.
pub(crate) fn copy(agent: Coord, source: Place, destination: Place, bytes: u64) -> Op {
    Op {
        kind: ActionKind::Transfer(transfer(
            agent,
            source,
            Destination::One(destination),
            bytes,
        )),
        agent,
        reads: vec![source],
        writes: destination,
    }
}

/// A cluster's cores fold ranges of its own memory.
pub(crate) fn fold(reduce: LocalReduce, agent: Coord) -> Op {
    let here = |offset: u64| Place {
        tile: TileRef::Cluster(agent),
        offset,
    };
    Op {
        agent,
        reads: reduce.inputs.iter().map(|o| here(*o)).collect(),
        writes: here(reduce.output),
        kind: ActionKind::LocalReduce(reduce),
    }
}

/// A transfer of one line.
pub(crate) fn transfer(
    initiator: Coord,
    source: Place,
    destination: Destination,
    bytes: u64,
) -> Transfer {
    Transfer::row(TileRef::Cluster(initiator), source, destination, bytes)
}

/// A position in a cluster's memory.
pub(crate) fn at(cluster: Coord, offset: u64) -> Place {
    Place {
        tile: TileRef::Cluster(cluster),
        offset,
    }
}

/// A member's DMA writes a range of its own memory to one place.
pub(crate) fn push(from: Coord, offset: u64, to: Place, bytes: u64) -> ActionKind {
    ActionKind::Transfer(transfer(
        from,
        at(from, offset),
        Destination::One(to),
        bytes,
    ))
}

/// Cores of a cluster reduce ranges of its memory, the leftmost first, with operator and element of a collective.
pub(crate) fn local_reduce(
    collective: &Collective,
    cluster: Coord,
    inputs: Vec<u64>,
    output: u64,
    bytes: u64,
) -> LocalReduce {
    LocalReduce {
        tile: TileRef::Cluster(cluster),
        inputs,
        output,
        bytes,
        operator: collective.operator,
        element: collective.element,
    }
}

/// The network reduces what clusters have at an offset, with operator and element of a collective.
pub(crate) fn network_reduction(
    collective: &Collective,
    group: MultiAddress,
    source_offset: u64,
    root: Place,
    bytes: u64,
) -> InNetworkReduction {
    InNetworkReduction {
        group,
        source_offset,
        root,
        bytes,
        operator: collective.operator,
        element: collective.element,
    }
}

/// Collects steps and puts barriers between them.
#[derive(Debug)]
pub(crate) struct Steps {
    builder: Builder,
    sync: SyncPlan,
    is_every_step: bool,
    has_steps: bool,
    /// Chunks written since the last barrier, and by whom.
    written: BTreeMap<(TileRef, u64), Coord>,
}

impl Steps {
    pub(crate) fn new(sync: SyncPlan, is_every_step: bool) -> Self {
        Self {
            builder: Builder::default(),
            sync,
            is_every_step,
            has_steps: false,
            written: BTreeMap::new(),
        }
    }

    /// Adds a step; an empty one is none.
    pub(crate) fn step(&mut self, ops: Vec<Op>) {
        if ops.is_empty() {
            return;
        }
        let is_needed = self.is_every_step || ops.iter().any(|op| self.reads_of_others(op));
        if self.has_steps && is_needed {
            self.sync.emit(&mut self.builder);
            self.written.clear();
        }
        for op in ops {
            let place = (op.writes.tile, op.writes.offset);
            self.written.insert(place, op.agent);
            self.builder.add(op.kind, &[op.agent]);
        }
        self.builder.end_step();
        self.has_steps = true;
    }

    /// All actions.
    pub(crate) fn finish(self) -> Vec<Action> {
        self.builder.finish()
    }

    /// Does it read what another cluster wrote since the last barrier?
    fn reads_of_others(&self, op: &Op) -> bool {
        op.reads.iter().any(|place| {
            let writer = self.written.get(&(place.tile, place.offset));
            writer.is_some_and(|agent| *agent != op.agent)
        })
    }
}

// Actions in steps: a participant's actions of one step run together, after all its earlier ones.

/// Grows a schedule step by step; dependencies follow from who takes part.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    actions: Vec<Action>,
    participants: BTreeMap<Coord, Participant>,
    step: u32,
}

/// What a participant does.
#[derive(Debug, Default)]
struct Participant {
    /// The last step in which it acts, and its actions in it.
    step: u32,
    now: Vec<ActionId>,
    /// Its latest actions before that.
    before: Vec<ActionId>,
}

impl Builder {
    /// Adds an action to this step.
    pub(crate) fn add(&mut self, kind: ActionKind, participants: &[Coord]) {
        let id = ActionId(self.actions.len() as u32);
        let mut after: Vec<ActionId> = Vec::new();
        for participant in participants {
            let known = self.participants.entry(*participant).or_default();
            if known.step < self.step {
                known.step = self.step;
                std::mem::swap(&mut known.now, &mut known.before);
                known.now.clear();
            }
            // Most participants of a barrier come from the same actions.
            if !after.ends_with(&known.before) {
                after.extend_from_slice(&known.before);
            }
            known.now.push(id);
        }
        after.sort_unstable();
        after.dedup();
        self.actions.push(Action { kind, after });
    }

    /// Ends the step: what follows comes after it, participant by participant.
    pub(crate) fn end_step(&mut self) {
        self.step += 1;
    }

    /// All actions.
    pub(crate) fn finish(self) -> Vec<Action> {
        self.actions
    }
}

/// A set of clusters in its shortest form: a mask cube if it is one, else the list.
pub(crate) fn tile_set(members: &[Coord]) -> TileSet {
    match as_multi_address(members) {
        Some(cube) => TileSet::Cube(cube),
        None => TileSet::Arbitrary(members.to_vec()),
    }
}
