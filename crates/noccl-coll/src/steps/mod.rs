// SPDX-License-Identifier: Apache-2.0
//! Steps of a software algorithm and the barriers between them.
//!
//! Only the cluster that runs an action knows that it is over. So a barrier must stand between an
//! action and any later one of another cluster that reads what it wrote. Chains have one after every
//! step (S1 eq. (1), (2), (5)); trees where the data needs it, which is S1's eq. (3) and (6): none
//! before the first hand-over and none between the levels of a reduction. Overwriting asks for no
//! more: a receive buffer is used again two chunks later, and the chunk between has its own barrier.

pub(crate) mod double_tree;
pub(crate) mod entries;
pub(crate) mod multicast;
pub(crate) mod reduce;
pub(crate) mod ring;

use crate::barrier::sync::SyncPlan;
use crate::builder::Builder;
use noccl_net::{Coord, TileRef};
use noccl_workload::{Action, ActionKind, Destination, LocalReduce, Place, Transfer};
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
