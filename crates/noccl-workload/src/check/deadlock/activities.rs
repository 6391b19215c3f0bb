// SPDX-License-Identifier: Apache-2.0
//! From actions to what they ask of the network.

use crate::{Action, Schedule};
use noccl_net::Network;
use noccl_net::deadlock::{Activity, Work};
use noccl_spec::Plane;

/// Every action of a schedule of the right form.
pub(super) fn activities(network: &Network, schedule: &Schedule) -> Vec<Activity> {
    let of = |(index, action): (usize, &Action)| Activity {
        name: schedule.action_name(index),
        work: action.kind.work(network).unwrap_or(Work::Nothing),
    };
    schedule.actions.iter().enumerate().map(of).collect()
}

/// Do all chains take their destinations in one order, and has every destination space for bursts? One chain alone needs neither.
pub(super) fn are_chains_safe(network: &Network, schedule: &Schedule) -> bool {
    let is_chain = |action: &&Action| action.kind.chain().is_some();
    network.capabilities().are_chains_safe() || schedule.actions.iter().filter(is_chain).count() < 2
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
