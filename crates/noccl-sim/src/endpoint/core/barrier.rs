// SPDX-License-Identifier: Apache-2.0
//! Barriers of the cores: software (atomic counter, then a multicast interrupt) and in-network (LsbAnd).
//!
//! Software (S1 §4.2.1): every member adds one to a counter in the counter tile's L1. That tile's core
//! then polls its own L1; when the counter is full it multicasts an interrupt to everybody. If the counter
//! tile is no member, whoever got the last number sends the interrupt. In-network: one narrow reduction
//! to the counter tile, whose response is the release.

use crate::endpoint::core::event::CoreEvent;
use crate::machine::Machine;
use crate::ni::axi::issue::Target;
use crate::transport::transaction::Owner;
use noccl_net::tree::Cube;
use noccl_net::{MultiAddress, Network, cover};
use noccl_run::RunError;
use noccl_workload::{ActionKind, BarrierMechanism, Schedule};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Where the counters of software barriers stand; outside any payload.
const COUNTER_OFFSET: u64 = u64::MAX / 2;

#[derive(Debug, Serialize, Deserialize)]
struct Running {
    mechanism: BarrierMechanism,
    counter: u32,
    members: u32,
    cubes: Vec<MultiAddress>,
    /// Tile whose core sends the interrupt, once it is known.
    releaser: Option<u32>,
    /// Additions that the counter tile has executed.
    counted: u32,
    /// When the counter was full.
    full_cycle: Option<u64>,
    /// Since when the counter tile's core polls.
    polling_since: Option<u64>,
    txn: Option<u32>,
}

impl Running {
    /// When the poll that sees a full counter is over: its load, the first instruction of a round of
    /// `poll_cycles`, comes no earlier than the last addition.
    fn seen_cycle(&self, poll_cycles: u64) -> Option<u64> {
        let (since, full) = (self.polling_since?, self.full_cycle?);
        let rounds = full.saturating_sub(since).div_ceil(poll_cycles) + 1;
        Some(since + rounds * poll_cycles)
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Barriers {
    #[serde(serialize_with = "crate::kernel::saved_form::sorted")]
    running: HashMap<u32, Running>,
    /// Members that leave: (cycle, action, tile).
    left: Vec<(u64, u32, u32)>,
}

impl Barriers {
    /// None yet.
    pub(crate) fn none() -> Self {
        Self {
            running: HashMap::new(),
            left: Vec::new(),
        }
    }

    /// Those of a schedule.
    ///
    /// # Errors
    /// As [`Barriers::add`].
    pub(crate) fn new(network: &Network, schedule: &Schedule) -> Result<Self, RunError> {
        let mut barriers = Self::none();
        for (number, action) in schedule.actions.iter().enumerate() {
            barriers.add(network, number as u32, &action.kind)?;
        }
        Ok(barriers)
    }

    /// Takes in an action, which may be none of ours.
    ///
    /// # Errors
    /// [`RunError::Refused`] for a group or a counter that cannot be; then nothing has changed.
    pub(crate) fn add(
        &mut self,
        network: &Network,
        number: u32,
        kind: &ActionKind,
    ) -> Result<(), RunError> {
        let Some(barrier) = kind.barrier() else {
            return Ok(());
        };
        let refused = |reason: String| RunError::Refused {
            backend: "sim",
            what: format!("actions[{number}]"),
            reason,
        };
        let members = network
            .members(&barrier.group)
            .map_err(|e| refused(e.to_string()))?;
        let cubes = cover(network, &barrier.group).map_err(|e| refused(e.to_string()))?;
        if barrier.mechanism == BarrierMechanism::InNetwork && cubes.len() != 1 {
            return Err(refused(
                "an in-network barrier needs a group that is one multi-address".to_owned(),
            ));
        }
        let counter = network
            .find(barrier.counter)
            .ok_or_else(|| refused(format!("{} is not on the mesh", barrier.counter)))?;
        let is_member = |tile: u32| {
            let at = |c| network.tile_at(network.mesh_coord(c)).0;
            members.iter().any(|c| at(*c) == tile)
        };
        let state = Running {
            mechanism: barrier.mechanism,
            counter: counter.0,
            members: members.len() as u32,
            cubes,
            releaser: is_member(counter.0).then_some(counter.0),
            counted: 0,
            full_cycle: None,
            polling_since: None,
            txn: None,
        };
        self.running.insert(number, state);
        Ok(())
    }

    /// A barrier that has not begun is none after all, or one is over.
    pub(crate) fn remove(&mut self, number: u32) {
        self.running.remove(&number);
    }

    /// The poll that saw the full counter is over: the interrupt goes to the NI.
    pub(crate) fn polled(action: u32, machine: &mut Machine<'_>) {
        let cluster = &machine.network.axi().cluster;
        let path = u64::from(cluster.instructions.barrier_store + cluster.request_path_cycles);
        machine.call_driver(machine.clock.now() + path, CoreEvent::Release { action });
    }

    /// The interrupt is at the NI.
    pub(crate) fn release(&self, action: u32, machine: &mut Machine<'_>) {
        let state = &self.running[&action];
        let Some(from) = state.releaser else {
            return;
        };
        for cube in &state.cubes {
            let to = Target::Set(machine.network.cube(*cube));
            machine.issue_narrow_write(from, to, Owner::Barrier { action });
        }
    }

    /// A member's store has reached its NI.
    pub(crate) fn store(&mut self, action: u32, tile: u32, machine: &mut Machine<'_>) {
        let Some(state) = self.running.get_mut(&action) else {
            return;
        };
        let owner = Owner::Barrier { action };
        match state.mechanism {
            BarrierMechanism::Software => {
                machine.issue_atomic(
                    tile,
                    state.counter,
                    COUNTER_OFFSET + u64::from(action),
                    owner,
                );
            }
            BarrierMechanism::InNetwork => {
                let group: Cube = machine.network.cube(state.cubes[0]);
                let txn = *state
                    .txn
                    .get_or_insert_with(|| machine.open_barrier(group, state.counter, owner));
                machine.arrive_at_barrier(tile, txn);
            }
        }
    }

    /// The response to a member's atomic, or of the interrupt's multicast (which nobody waits for).
    pub(crate) fn on_response(
        &mut self,
        action: u32,
        tile: u32,
        value: u32,
        machine: &mut Machine<'_>,
    ) {
        let Some(state) = self.running.get_mut(&action) else {
            return;
        };
        let cluster = &machine.network.axi().cluster;
        let poll_cycles = u64::from(cluster.instructions.poll).max(1);
        let core_cycle = machine.clock.now() + u64::from(cluster.response_path_cycles);
        let seen = match state.releaser {
            // Polling begins; a releaser elsewhere has done with the counter.
            Some(poller)
                if [tile, state.counter] == [poller; 2] && state.polling_since.is_none() =>
            {
                state.polling_since = Some(core_cycle);
                state.seen_cycle(poll_cycles)
            }
            // Nobody polls: the last number sends its owner to the release, by one comparison.
            None if value + 1 == state.members => {
                state.releaser = Some(tile);
                Some(core_cycle + poll_cycles)
            }
            Some(_) | None => None,
        };
        if let Some(seen) = seen {
            machine.call_driver(seen, CoreEvent::Polled { action });
        }
    }

    /// The counter tile has executed an addition.
    fn count(&mut self, action: u32, machine: &mut Machine<'_>) {
        let poll_cycles = u64::from(machine.network.axi().cluster.instructions.poll).max(1);
        let Some(state) = self.running.get_mut(&action) else {
            return;
        };
        state.counted += 1;
        if state.counted == state.members {
            state.full_cycle = Some(machine.clock.now());
            if let Some(seen) = state.seen_cycle(poll_cycles) {
                machine.call_driver(seen, CoreEvent::Polled { action });
            }
        }
    }

    /// In-network: the release has reached a member's NI.
    pub(crate) fn on_member(&mut self, action: u32, tile: u32, machine: &mut Machine<'_>) {
        let cluster = &machine.network.axi().cluster;
        let leaves = machine.clock.now()
            + u64::from(cluster.response_path_cycles + cluster.instructions.barrier_leave);
        self.left.push((leaves, action, tile));
    }

    /// Software: an addition has been executed at the counter tile or, once all have, the interrupt has
    /// reached a member.
    pub(crate) fn on_delivered(&mut self, action: u32, tile: u32, machine: &mut Machine<'_>) {
        let is_full = |s: &Running| s.full_cycle.is_some();
        if !self.running.get(&action).is_some_and(is_full) {
            self.count(action, machine);
            return;
        }
        let cluster = &machine.network.axi().cluster;
        let leaves = machine.clock.now()
            + u64::from(cluster.response_path_cycles + cluster.instructions.interrupt_wake);
        self.left.push((leaves, action, tile));
    }

    /// Members that leave, since the last call.
    pub(crate) fn take_left(&mut self) -> Vec<(u64, u32, u32)> {
        std::mem::take(&mut self.left)
    }
}
