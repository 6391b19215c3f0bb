// SPDX-License-Identifier: Apache-2.0
//! From actions to what they ask of the network.

use crate::participants::as_multi_address;
use crate::{
    Action, ActionKind, Barrier, BarrierMechanism, Chain, Destination, InNetworkReduction,
    ListMulticast, Schedule, Transfer, participants,
};
use noccl_net::deadlock::{Activity, Flow, Work};
use noccl_net::{MultiAddress, Network, TileId, TileRef, cover};
use noccl_spec::{Plane, TorrentMode};

/// Every action of a schedule of the right form.
pub(super) fn activities(network: &Network, schedule: &Schedule) -> Vec<Activity> {
    let of = |(index, action): (usize, &Action)| Activity {
        name: schedule.action_name(index),
        work: work(network, &action.kind).unwrap_or(Work::Nothing),
    };
    schedule.actions.iter().enumerate().map(of).collect()
}

/// Do all chains take their stops in one order, and has every stop space for bursts? One chain alone needs neither.
pub(super) fn are_chains_safe(network: &Network, schedule: &Schedule) -> bool {
    let is_chain = |action: &&Action| matches!(action.kind, ActionKind::Chain(_));
    is_safe(network) || schedule.actions.iter().filter(is_chain).count() < 2
}

fn is_safe(network: &Network) -> bool {
    let torrent = network.spec().cluster.torrent.as_ref();
    torrent.is_none_or(|t| match t.mode {
        TorrentMode::Safe => true,
        TorrentMode::Published => false,
    })
}

/// `None` for what moves nothing over the network.
fn work(network: &Network, kind: &ActionKind) -> Option<Work> {
    match kind {
        ActionKind::Transfer(t) | ActionKind::Delivery(t) => movement(network, t),
        ActionKind::InNetworkReduction(r) | ActionKind::InNetworkAllReduce(r) => {
            reduction(network, r)
        }
        ActionKind::Barrier(b) => barrier(network, kind, b),
        ActionKind::Arrival(a) => Some(Work::Flow(Flow::Barrier {
            group: a.group,
            root: network.find(a.root)?,
        })),
        ActionKind::Chain(c) => chain(network, c),
        ActionKind::ListMulticast(list) => list_multicast(network, list),
        ActionKind::LocalReduce(_) | ActionKind::Compute(_) | ActionKind::Kernel(_) => None,
    }
}

fn movement(network: &Network, t: &Transfer) -> Option<Work> {
    if t.bytes == 0 || t.rows == 0 {
        return None;
    }
    let (engine, source) = (network.find(t.initiator)?, network.find(t.source.tile)?);
    let read = (source != engine).then_some(Flow::Read {
        from: engine,
        source,
    });
    let write = match t.destination {
        Destination::One(place) => {
            let to = network.find(place.tile)?;
            (to != engine).then_some(Flow::Write { from: engine, to })
        }
        Destination::Multicast { set, .. } => Some(Flow::Multicast { from: engine, set }),
    };
    (read.is_some() || write.is_some()).then_some(Work::Movement {
        engine,
        read,
        write,
    })
}

fn reduction(network: &Network, r: &InNetworkReduction) -> Option<Work> {
    if r.bytes == 0 {
        return None;
    }
    let beat = network.spec().ni.wide_beat_bytes.max(1);
    let beats = r.bytes.div_ceil(u64::from(beat)).min(u64::from(u32::MAX)) as u32;
    let (group, root) = (r.group, network.find(r.root.tile)?);
    Some(Work::Flow(Flow::Reduction { group, root, beats }))
}

fn barrier(network: &Network, kind: &ActionKind, b: &Barrier) -> Option<Work> {
    let counter = network.find(b.counter)?;
    match b.mechanism {
        BarrierMechanism::InNetwork => {
            let group = as_multi_address(&network.members(&b.group).ok()?)?;
            let root = counter;
            Some(Work::Flow(Flow::Barrier { group, root }))
        }
        BarrierMechanism::Software => {
            let members = participants(network, kind);
            let sets: Vec<MultiAddress> = cover(network, &b.group).ok()?;
            let tellers = if members.contains(&counter) {
                vec![counter]
            } else {
                members.clone()
            };
            Some(Work::Rendezvous {
                members,
                counter,
                tellers,
                sets,
            })
        }
    }
}

fn chain(network: &Network, c: &Chain) -> Option<Work> {
    if c.bytes == 0 {
        return None;
    }
    let initiator = network.find(c.initiator)?;
    let stops = c
        .followers()
        .into_iter()
        .filter_map(|stop| network.find(stop.tile));
    Some(Work::Chain {
        initiator,
        stops: stops.collect(),
        is_safe: is_safe(network),
    })
}

fn list_multicast(network: &Network, list: &ListMulticast) -> Option<Work> {
    if list.bytes == 0 {
        return None;
    }
    let find = |tile: TileRef| network.find(tile);
    let destinations: Vec<TileId> = list.consumers().filter_map(find).collect();
    Some(Work::ListMulticast {
        source: find(list.source)?,
        destinations,
    })
}

/// Which queue of a tile's interface the action's requests stand in, if they stand in one at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Queue {
    /// Transfers of the DMA engine, in schedule order.
    Engine,
    /// Contributions to reductions, in schedule order.
    Contributions,
    /// Stores of the core: barriers, atomics.
    Stores,
}

/// The queue of an action.
pub(super) fn queue(work: &Work) -> Option<Queue> {
    match work {
        Work::Movement { .. } => Some(Queue::Engine),
        Work::Flow(flow) => match flow.plane() {
            Plane::Wide => Some(Queue::Contributions),
            Plane::Req | Plane::Rsp => Some(Queue::Stores),
        },
        Work::Rendezvous { .. } => Some(Queue::Stores),
        Work::Nothing | Work::ListMulticast { .. } | Work::Chain { .. } => None,
    }
}
