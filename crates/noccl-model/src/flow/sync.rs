// SPDX-License-Identifier: Apache-2.0
//! Barriers and arrivals: nobody shares links there for long, so closed forms say when members go on.

use super::run::Run;
use crate::ModelError;
use crate::constants::Constants;
use crate::predict::{absent, counted};
use noccl_net::TileId;
use noccl_spec::Plane;
use noccl_workload::{Arrival, Barrier, BarrierMechanism};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Interfaces, the memory of the root and its registers, of a narrow reduction without its hops.
const REDUCTION_CYCLES: f64 = 5.0;
/// From an interface to a memory without its hops.
const ENDS_CYCLES: u32 = 2;

/// Members that have come, and when each began its instructions.
#[derive(Debug, Default)]
pub(super) struct Entered {
    members: Vec<(u32, f64)>,
}

impl Run<'_> {
    /// A member's store has left its core.
    pub(super) fn enter_barrier(
        &mut self,
        share: u32,
        barrier: &Barrier,
        _now: f64,
    ) -> Result<(), ModelError> {
        let action = self.shares.all[share].action;
        let counter = self.costs.network.find(barrier.counter);
        let counter = counter.ok_or_else(|| {
            absent(
                action as usize,
                &barrier.counter.to_string(),
                "a tile of this network",
            )
        })?;
        let Some(members) = self.all_have_come(share) else {
            return Ok(());
        };
        let constants = self.constants();
        let enters: Vec<(TileId, f64, f64)> = members
            .iter()
            .map(|(member, begin)| {
                let tile = self.shares.all[*member].tile;
                let paths = self.costs.network.paths_between(tile, counter);
                (tile, *begin, constants.path_cycles(paths))
            })
            .collect();
        let ends: Vec<(TileId, f64)> = match barrier.mechanism {
            BarrierMechanism::InNetwork => {
                let last = enters.iter().map(|(_, enter, path)| enter + path);
                let released = last.fold(0.0, f64::max) + constants.barrier_alpha_cycles;
                enters
                    .iter()
                    .map(|(tile, _, path)| (*tile, released + path))
                    .collect()
            }
            BarrierMechanism::Software => counted(
                self.costs.network,
                &constants,
                &barrier.group,
                &enters,
                counter,
            )?,
        };
        for ((member, _), (_, end)) in members.iter().zip(ends) {
            self.events.at(end, FlowEvent::Over(*member));
        }
        Ok(())
    }

    /// A member has told its root; the root's share ends when all have.
    pub(super) fn arrive(
        &mut self,
        share: u32,
        arrival: &Arrival,
        now: f64,
    ) -> Result<(), ModelError> {
        let (action, tile) = {
            let share = &self.shares.all[share];
            (share.action, share.tile)
        };
        let root = self.costs.network.find(arrival.root);
        let root = root.ok_or_else(|| {
            absent(
                action as usize,
                &arrival.root.to_string(),
                "a tile of this network",
            )
        })?;
        if tile != root {
            self.over(share, now);
        }
        let Some(members) = self.all_have_come(share) else {
            return Ok(());
        };
        let cluster = &self.costs.axi.cluster;
        let ends = f64::from(
            cluster.instructions.barrier_store
                + cluster.request_path_cycles
                + cluster.response_path_cycles,
        );
        let hop = f64::from(self.costs.network.plane(Plane::Req).hop_cycles);
        let came = members.iter().map(|(member, begin)| {
            let tile = self.shares.all[*member].tile;
            begin + hop * f64::from(self.costs.network.paths_between(tile, root))
        });
        let set = came.fold(0.0, f64::max) + ends + REDUCTION_CYCLES;
        if let Some(own) = self.shares.at(action, root) {
            self.events.at(set, FlowEvent::Over(own));
        }
        Ok(())
    }

    /// Takes note of a member; all of them, by share, once the last has come.
    fn all_have_come(&mut self, share: u32) -> Option<Vec<(u32, f64)>> {
        let state = &self.shares.all[share];
        let num = self.shares.of(state.action).len();
        let entered = self.entered.entry(state.action).or_default();
        entered.members.push((share, state.data.begin));
        if entered.members.len() < num {
            return None;
        }
        let mut members = self.entered.remove(&state.action)?.members;
        members.sort_unstable_by_key(|(member, _)| *member);
        Some(members)
    }

    /// What barriers cost by the spec.
    fn constants(&self) -> Constants {
        let cluster = &self.costs.axi.cluster;
        let instructions = &cluster.instructions;
        let store = instructions.barrier_store + cluster.request_path_cycles;
        let barrier = store + cluster.response_path_cycles + instructions.barrier_leave;
        let release = store + ENDS_CYCLES + cluster.response_path_cycles;
        let counter =
            store + ENDS_CYCLES + instructions.poll + release + instructions.interrupt_wake;
        Constants {
            hop_cycles: 2.0 * f64::from(self.costs.network.plane(Plane::Req).hop_cycles),
            barrier_alpha_cycles: f64::from(barrier) + REDUCTION_CYCLES,
            counter_alpha_cycles: f64::from(counter),
            counter_member_cycles: f64::from(cluster.atomic_cycles),
            poll_cycles: f64::from(instructions.poll),
            ..Constants::default()
        }
    }
}

// What happens when, in an order that depends on nothing but the schedule.

/// What happens; numbers are those of shares, flows, tiles.
#[derive(Debug, Clone, Copy)]
pub(super) enum FlowEvent {
    /// A flow has sent its last beat, if its rate has not changed since (number of the change).
    Sent(u32, u32),
    /// A read request is at the tile that it asks.
    Asked(u32),
    /// The last beat of a read is in the engine's buffer.
    Read(u32),
    /// The engine of a tile has a transfer less.
    EngineFree(u32),
    /// A share is over.
    Over(u32),
    /// The compute cores are free again.
    Computed(u32),
    /// The engine has the command of a share.
    Commanded(u32),
    /// The control core has executed the instructions of a share.
    Issued(u32),
    /// An agent looks at its queue.
    Wake(u32),
}

/// An event to come; the earlier one is the greater.
#[derive(Debug, Clone, Copy)]
struct PlannedEvent {
    /// Its cycle, then how many were planned before it: no two are equal.
    order: (u64, u64),
    event: FlowEvent,
}

impl Ord for PlannedEvent {
    fn cmp(&self, other: &Self) -> Ordering {
        other.order.cmp(&self.order)
    }
}

impl PartialOrd for PlannedEvent {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for PlannedEvent {
    fn eq(&self, other: &Self) -> bool {
        self.order == other.order
    }
}

impl Eq for PlannedEvent {}

/// Events to come.
#[derive(Debug, Default)]
pub(super) struct FlowEvents {
    heap: BinaryHeap<PlannedEvent>,
    num: u64,
}

impl FlowEvents {
    /// Something happens at a cycle, behind what has been planned for it before.
    pub(super) fn at(&mut self, cycle: f64, event: FlowEvent) {
        // Bits of numbers that are not negative are in their order.
        let key = cycle.max(0.0).to_bits();
        let order = (key, self.num);
        self.heap.push(PlannedEvent { order, event });
        self.num += 1;
    }

    pub(super) fn next(&mut self) -> Option<(f64, FlowEvent)> {
        let PlannedEvent { order, event } = self.heap.pop()?;
        Some((f64::from_bits(order.0), event))
    }
}
