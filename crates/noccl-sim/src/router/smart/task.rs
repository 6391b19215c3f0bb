// SPDX-License-Identifier: Apache-2.0
//! Actions of a schedule as messages: bytes that are moved, and contributions that come together at a root.

use super::messages::INDEX_BITS;
use super::packet::Combining;
use super::refused_action;
use noccl_net::{Network, TileId};
use noccl_run::RunError;
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
