// SPDX-License-Identifier: Apache-2.0
//! Actions of a schedule as messages: bytes that are moved, and contributions that come together at a root.

use super::messages::{FLOW, INDEX_BITS, Messages, RELEASE, tag};
use super::packet::Combining;
use super::plane::SmartPlane;
use super::refused_action;
use noccl_net::{Network, TileId};
use noccl_run::{RunError, WaitEdge};
use noccl_workload::{
    ActionKind, BarrierMechanism, InNetworkReduction, Operator, Transfer, participants,
};
use std::collections::BTreeMap;

/// One action.
pub(super) struct Task {
    pub work: Work,
    pub start_cycle: Option<u64>,
    pub finish_cycle: u64,
}

/// What is done.
pub(super) enum Work {
    Move(RowMove),
    Gather(Gather),
    Compute(u64),
}

/// Bytes are moved: data packets from the source, acknowledgements to the initiator.
pub(super) struct RowMove {
    pub transfer: Transfer,
    pub initiator: TileId,
    pub source: TileId,
    pub destinations: Vec<TileId>,
    /// What is sent (value mode).
    pub payload: Vec<u8>,
    /// Data packets that each destination still waits for.
    pub missing: BTreeMap<TileId, u64>,
    /// Their acknowledgements.
    pub acknowledged: Option<u32>,
}

/// What a root does when everything has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// It tells all members.
    Release,
    /// It goes on, as the members have.
    Nothing,
}

/// Contributions come together: flows of one flit each.
pub(super) struct Gather {
    pub root: TileId,
    pub members: Vec<TileId>,
    pub reduction: Option<InNetworkReduction>,
    pub combining: Combining,
    pub then: Then,
    pub flows: u64,
    /// Flows that have been opened, with their reductions as long as they are, and those that are complete.
    pub opened: Vec<Option<u32>>,
    pub complete: u64,
}

impl Task {
    pub(super) fn new(
        network: &Network,
        index: u32,
        kind: &ActionKind,
        flit_bytes: u64,
    ) -> Result<Self, RunError> {
        let what = format!("actions[{index}] ({})", kind.name());
        let work =
            work(network, kind, flit_bytes).map_err(|reason| refused_action(&what, reason))?;
        Ok(Self {
            work,
            start_cycle: None,
            finish_cycle: 0,
        })
    }
}

const ABSENT: &str = "it names a tile that is not on the mesh";

/// A tag has the number of a flit.
fn check_flits(bytes: Option<u64>, flit_bytes: u64) -> Result<(), &'static str> {
    let flits = bytes.map(|bytes| bytes.div_ceil(flit_bytes));
    match flits {
        Some(flits) if flits <= 1 << INDEX_BITS => Ok(()),
        Some(_) | None => Err("it is of more than 2^29 flits"),
    }
}

fn work(network: &Network, kind: &ActionKind, flit_bytes: u64) -> Result<Work, &'static str> {
    let find = |tile| network.find(tile).ok_or(ABSENT);
    let gather = |root, then| Gather {
        root,
        members: participants(network, kind),
        reduction: None,
        combining: Combining::Count,
        then,
        flows: 1,
        opened: Vec::new(),
        complete: 0,
    };
    let gathered = match kind {
        ActionKind::Transfer(transfer) | ActionKind::Delivery(transfer) => {
            check_flits(transfer.bytes.checked_mul(transfer.rows.into()), flit_bytes)?;
            return Ok(Work::Move(RowMove {
                transfer: transfer.clone(),
                initiator: find(transfer.initiator)?,
                source: find(transfer.source.tile)?,
                destinations: transfer.destination.targets().tiles(network),
                payload: Vec::new(),
                missing: BTreeMap::new(),
                acknowledged: None,
            }));
        }
        ActionKind::Compute(compute) => return Ok(Work::Compute(compute.cycles)),
        ActionKind::Barrier(barrier) => match barrier.mechanism {
            BarrierMechanism::InNetwork => gather(find(barrier.counter)?, Then::Release),
            BarrierMechanism::Software => return Err("its counter takes atomics"),
        },
        ActionKind::Arrival(arrival) => gather(find(arrival.root)?, Then::Nothing),
        ActionKind::InNetworkReduction(reduction) => {
            if reduction.operator == Operator::Sum && reduction.element.is_float() {
                return Err("a sum of floats depends on the order in which contributions come");
            }
            check_flits(Some(reduction.bytes), flit_bytes)?;
            Gather {
                reduction: Some(reduction.clone()),
                combining: Combining::Values(reduction.operator, reduction.element),
                flows: reduction.bytes.div_ceil(flit_bytes),
                ..gather(find(reduction.root.tile)?, Then::Release)
            }
        }
        ActionKind::InNetworkAllReduce(_)
        | ActionKind::LocalReduce(_)
        | ActionKind::Kernel(_)
        | ActionKind::Chain(_)
        | ActionKind::ListMulticast(_)
        | ActionKind::Message(_)
        | ActionKind::StaticMulticast(_) => return Err("its interfaces do no such action"),
    };
    Ok(Work::Gather(gathered))
}

// Contributions that come together: a reduction of one flit per member for each flit of the operands.

impl Messages<'_> {
    /// Actions that some members have begun and others have not.
    pub(super) fn waits(&self) -> Vec<WaitEdge> {
        let mut waits = Vec::new();
        for (index, task) in self.tasks.iter() {
            let Work::Gather(gather) = &task.work else {
                continue;
            };
            let has_begun = |tile: &TileId| {
                let instance = self.instances.at(index, *tile);
                instance.is_some_and(|id| self.instances.all[id].data)
            };
            if !gather.members.iter().any(has_begun) {
                continue;
            }
            let absent = gather.members.iter().filter(|tile| !has_begun(tile));
            waits.extend(absent.map(|tile| WaitEdge {
                waiter: format!("actions[{index}] ({})", self.actions.kind(index).name()),
                awaited: format!(
                    "{}, which has not begun it",
                    self.on.network.tile_ref(*tile)
                ),
                place: format!("its root, {}", self.on.network.tile_ref(gather.root)),
                // 0: members have been absent from the first cycle on if nobody has begun it.
                since_cycle: task.start_cycle.unwrap_or(0),
            }));
        }
        waits
    }

    pub(super) fn begin_gather(&mut self, action: u32, tile: TileId, plane: &mut SmartPlane) {
        let gather = self.gathering(action);
        if gather.flows == 0 {
            self.finish(action, tile);
            return;
        }
        let opened: Vec<(u64, u32)> = (0..)
            .zip(&gather.opened)
            .filter_map(|(i, id)| Some((i, (*id)?)))
            .collect();
        let leaves = gather.then == Then::Nothing && gather.root != tile;
        for (flow, id) in opened {
            self.contribute(action, tile, flow, id, plane);
        }
        self.open_flows(action, plane);
        if leaves {
            self.finish(action, tile);
        }
    }

    /// Opens flows as long as ids are free; one at least, whose contributions may have to go one by one.
    fn open_flows(&mut self, action: u32, plane: &mut SmartPlane) {
        loop {
            let on = self.on;
            let gather = self.gathering(action);
            let flow = gather.opened.len() as u64;
            let is_alone = flow == gather.complete;
            if flow == gather.flows || !(is_alone || plane.has_free_id()) {
                return;
            }
            let (root, members, combining) =
                (gather.root, gather.members.clone(), gather.combining);
            let id = on.reduction(plane, root, &members, combining, tag(action, FLOW, flow));
            self.gathering(action).opened.push(Some(id));
            let all = self.instances.of(action).map(|id| &self.instances.all[id]);
            let begun = all.filter(|instance| instance.data);
            let begun: Vec<TileId> = begun.map(|instance| instance.tile).collect();
            for tile in begun {
                self.contribute(action, tile, flow, id, plane);
            }
        }
    }

    fn contribute(
        &mut self,
        action: u32,
        tile: TileId,
        flow: u64,
        id: u32,
        plane: &mut SmartPlane,
    ) {
        let flit_bytes = self.flit_bytes;
        let mut operand = Vec::new();
        if let Some(reduction) = self.gathering(action).reduction.clone() {
            let from = flow * flit_bytes;
            let bytes = (reduction.bytes - from).min(flit_bytes);
            self.counters.dma_load_bytes += bytes;
            self.counters.dma_store_bytes += bytes;
            if self.is_value {
                operand = vec![0; bytes as usize];
                let offset = reduction.source_offset + from;
                self.memories.read(tile.0, offset, &mut operand);
            }
        }
        plane.send_contribution(tile, id, &operand);
    }

    pub(super) fn flow_complete(
        &mut self,
        action: u32,
        flow: u64,
        value: &[u8],
        plane: &mut SmartPlane,
    ) {
        let (flit_bytes, is_value, on) = (self.flit_bytes, self.is_value, self.on);
        let gather = self.gathering(action);
        gather.opened[flow as usize] = None;
        gather.complete += 1;
        let (root, members, then) = (gather.root, gather.members.clone(), gather.then);
        let is_over = gather.complete == gather.flows;
        if let Some(reduction) = gather.reduction.clone() {
            let from = flow * flit_bytes;
            let bytes = (reduction.bytes - from).min(flit_bytes);
            let elements = bytes / reduction.element.bytes();
            self.counters.dca_ops += (members.len() as u64 - 1) * elements;
            self.counters.spm_write_bytes += bytes;
            if is_value {
                let offset = reduction.root.offset + from;
                self.memories
                    .write(root.0, offset, &value[..bytes as usize]);
            }
        }
        if !is_over {
            self.open_flows(action, plane);
        } else if then == Then::Release {
            on.send(plane, root, &members, 1, tag(action, RELEASE, 0));
        } else {
            self.finish(action, root);
        }
    }
}
