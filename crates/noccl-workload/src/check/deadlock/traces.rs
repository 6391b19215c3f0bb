// SPDX-License-Identifier: Apache-2.0
//! The same for traces: nothing orders their transactions but the queues of the interfaces.

use super::{Deadlock, refused};
use crate::check::{CheckError, trace};
use crate::{PortKind, PortTransaction, Trace};
use noccl_net::deadlock::{Activity, Flow, Part, Program, Work, check_program};
use noccl_net::{AxiNetwork, Network, TileId, TileRef};
use std::collections::BTreeMap;

/// Most transactions of a trace that are looked at together.
const MAX_TRANSACTIONS: usize = 1 << 10;

const FEWER: &str = "fewer transactions in a trace, none of which can hold up another, or a network with router.flow = \
                     \"non_blocking\"";

/// Checks that no transactions of a trace can wait for each other forever, whatever the cycles in which they start.
/// Transactions that the simulator refuses are left out.
pub(in crate::check) fn check_trace_deadlock(
    network: AxiNetwork<'_>,
    trace: &Trace,
) -> Result<(), CheckError> {
    let routers = network.routers();
    // Where routers carry lists only, no trace runs.
    if routers.is_deadlock_free || routers.carries_lists_only() || is_free_by_kind(trace) {
        return Ok(());
    }
    let num = trace.transactions.len();
    if num > MAX_TRANSACTIONS {
        let pairs = MAX_TRANSACTIONS * (MAX_TRANSACTIONS - 1) / 2;
        return Err(refused(Deadlock::too_many(pairs, FEWER)));
    }
    let activities: Vec<Activity> = trace
        .transactions
        .iter()
        .enumerate()
        .map(|(index, one)| Activity {
            name: trace::name(trace, index),
            work: flow(&network, &one.kind).map_or(Work::Nothing, Work::Flow),
        })
        .collect();
    match check_program(network, &activities, &Together::new(&network, trace)) {
        Ok(_) => Ok(()),
        Err(cycle) => Err(refused(Deadlock::of(&network, &cycle, FEWER))),
    }
}

/// Nothing but writes to one tile each, or nothing but reads.
fn is_free_by_kind(trace: &Trace) -> bool {
    let all = |is_it: fn(&PortKind) -> bool| trace.transactions.iter().all(|t| is_it(&t.kind));
    let is_write = |kind: &PortKind| match kind {
        PortKind::WideWrite { .. } | PortKind::NarrowWrite { .. } | PortKind::Atomic { .. } => true,
        PortKind::WideMulticast { .. }
        | PortKind::WideRead { .. }
        | PortKind::WideReduction { .. }
        | PortKind::NarrowMulticast { .. }
        | PortKind::NarrowRead { .. }
        | PortKind::Barrier { .. } => false,
    };
    let is_read = |kind: &PortKind| match kind {
        PortKind::WideRead { .. } | PortKind::NarrowRead { .. } | PortKind::Atomic { .. } => true,
        PortKind::WideMulticast { .. }
        | PortKind::WideWrite { .. }
        | PortKind::WideReduction { .. }
        | PortKind::NarrowMulticast { .. }
        | PortKind::NarrowWrite { .. }
        | PortKind::Barrier { .. } => false,
    };
    all(is_write) || all(is_read)
}

/// `None` for a tile that is not there. A narrow read and an atomic take the links of a narrow write: a request and a response of
/// one flit.
fn flow(network: &Network, kind: &PortKind) -> Option<Flow> {
    let find = |tile: TileRef| network.find(tile);
    Some(match *kind {
        PortKind::WideWrite { from, to, .. } => Flow::Write {
            from: find(from)?,
            to: find(to)?,
        },
        PortKind::WideMulticast { from, to, .. } => Flow::Multicast {
            from: find(from)?,
            set: to,
        },
        PortKind::WideRead { from, source, .. } => Flow::Read {
            from: find(from)?,
            source: find(source)?,
        },
        PortKind::WideReduction { group, root, beats } => Flow::Reduction {
            group,
            root: find(root)?,
            beats,
        },
        PortKind::NarrowWrite { from, to } | PortKind::Atomic { from, to } => Flow::NarrowWrite {
            from: find(from)?,
            to: find(to)?,
        },
        PortKind::NarrowRead { from, source } => Flow::NarrowWrite {
            from: find(from)?,
            to: find(source)?,
        },
        PortKind::NarrowMulticast { from, to } => Flow::NarrowMulticast {
            from: find(from)?,
            set: to,
        },
        PortKind::Barrier { group, root } => Flow::Barrier {
            group,
            root: find(root)?,
        },
    })
}

/// All transactions may be in flight together; a tile issues its own in the order of their start cycles.
struct Together {
    all: Vec<u32>,
    /// Per tile and transaction: its place in the tile's order.
    places: BTreeMap<(TileId, usize), usize>,
}

impl Together {
    fn new(network: &Network, trace: &Trace) -> Self {
        let mut starts: BTreeMap<TileId, Vec<(u64, usize)>> = BTreeMap::new();
        for (index, one) in trace.transactions.iter().enumerate() {
            for (tile, start) in initiators(network, one).into_iter().zip(&one.start_cycles) {
                let start = start.unwrap_or(u64::MAX);
                starts.entry(tile).or_default().push((start, index));
            }
        }
        let mut places = BTreeMap::new();
        for (tile, mut list) in starts {
            list.sort_unstable();
            let of_tile = list.into_iter().enumerate();
            places.extend(of_tile.map(|(place, (_, index))| ((tile, index), place)));
        }
        Self {
            all: (0..trace.transactions.len() as u32).collect(),
            places,
        }
    }
}

/// Tiles that issue a transaction, in the order of its start cycles.
fn initiators(network: &Network, one: &PortTransaction) -> Vec<TileId> {
    match (one.kind.initiator(), one.kind.group()) {
        (Some(from), _) => network.find(from).into_iter().collect(),
        (None, group) => group.map_or_else(Vec::new, |(_, set)| {
            network.multi_tiles(set).flatten().collect()
        }),
    }
}

impl Program for Together {
    fn beside(&self, _: usize) -> &[u32] {
        &self.all
    }

    fn may_overlap(&self, _: (usize, Part), _: (usize, Part)) -> bool {
        true
    }

    fn is_issued_first(&self, tile: TileId, first: usize, second: usize) -> bool {
        let place = |transaction| self.places.get(&(tile, transaction));
        matches!((place(first), place(second)), (Some(a), Some(b)) if a < b)
    }

    fn awaited(&self, _: usize, _: TileId) -> &[u32] {
        &[]
    }
}
