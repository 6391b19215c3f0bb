// SPDX-License-Identifier: Apache-2.0
//! Barriers of the cores: software (atomic counter, then a multicast interrupt) and in-network (LsbAnd).
//!
//! Software (S1 §4.2.1): every member adds one to a counter in the counter tile's L1. The core of the
//! lowest member then polls; when the counter is full it multicasts an interrupt to everybody. In-network:
//! one narrow reduction to the counter tile, whose response is the release.

use crate::issue::Target;
use crate::machine::Machine;
use crate::txn::Owner;
use noccl_net::tree::Cube;
use noccl_net::{MultiAddress, Network, cover};
use noccl_run::RunError;
use noccl_workload::{ActionKind, BarrierMechanism, Schedule};
use std::collections::HashMap;

/// Where the counters of software barriers stand; outside any payload.
const COUNTER_OFFSET: u64 = u64::MAX / 2;

/// Barrier events; `detail` is the action (and the member for `STORE`).
const STORE: u32 = 0;
const POLL: u32 = 1;
const RELEASE: u32 = 2;

#[derive(Debug)]
struct Running {
    mechanism: BarrierMechanism,
    counter: u32,
    members: u32,
    pieces: Vec<MultiAddress>,
    /// Tile whose core polls and releases.
    poller: u32,
    arrived: u32,
    /// Since when the poller polls.
    polling_since: Option<u64>,
    txn: Option<u32>,
}

#[derive(Debug)]
pub(crate) struct Barriers {
    running: HashMap<u32, Running>,
    /// Stores on their way from core to NI: (action, tile) by event number.
    stores: Vec<(u32, u32)>,
    /// Members that leave: (cycle, action, tile).
    left: Vec<(u64, u32, u32)>,
}

impl Barriers {
    pub(crate) fn new(network: &Network, schedule: &Schedule) -> Result<Self, RunError> {
        let mut running = HashMap::new();
        for (a, action) in schedule.actions.iter().enumerate() {
            let ActionKind::Barrier(b) = &action.kind else {
                continue;
            };
            let refused = |reason: String| RunError::Refused {
                backend: "sim",
                what: format!("actions[{a}]"),
                reason,
            };
            let members = network
                .members(&b.group)
                .map_err(|e| refused(e.to_string()))?;
            let pieces = cover(network, &b.group).map_err(|e| refused(e.to_string()))?;
            if b.mechanism == BarrierMechanism::InNetwork && pieces.len() != 1 {
                return Err(refused(
                    "an in-network barrier needs a group that is one multi-address".to_owned(),
                ));
            }
            let counter = network
                .find(b.counter)
                .ok_or_else(|| refused(format!("{} is not on the mesh", b.counter)))?;
            let poller = network.tile_at(network.mesh_coord(members[0])).0;
            let state = Running {
                mechanism: b.mechanism,
                counter: counter.0,
                members: members.len() as u32,
                pieces,
                poller,
                arrived: 0,
                polling_since: None,
                txn: None,
            };
            running.insert(a as u32, state);
        }
        Ok(Self {
            running,
            stores: Vec::new(),
            left: Vec::new(),
        })
    }

    /// A member's core has executed the store.
    pub(crate) fn enter(&mut self, action: u32, tile: u32, machine: &mut Machine<'_>) {
        self.stores.push((action, tile));
        let path = u64::from(machine.network.spec().cluster.request_path_cycles);
        let detail = self.stores.len() as u32 - 1;
        machine.call_driver(
            machine.cycle + path,
            crate::agents::BARRIER_EVENTS + STORE,
            detail,
        );
    }

    pub(crate) fn on_event(&mut self, what: u32, detail: u32, machine: &mut Machine<'_>) {
        match what {
            STORE => {
                let (action, tile) = self.stores[detail as usize];
                self.store(action, tile, machine);
            }
            POLL => {
                // The poll that saw the full counter is over: send the interrupt.
                let cluster = &machine.network.spec().cluster;
                let path =
                    u64::from(cluster.instructions.barrier_store + cluster.request_path_cycles);
                machine.call_driver(
                    machine.cycle + path,
                    crate::agents::BARRIER_EVENTS + RELEASE,
                    detail,
                );
            }
            _ => {
                let state = &self.running[&detail];
                for piece in &state.pieces {
                    let to = Target::Set(machine.network.cube(*piece));
                    machine.issue_narrow_write(state.poller, to, Owner::Barrier { action: detail });
                }
            }
        }
    }

    fn store(&mut self, action: u32, tile: u32, machine: &mut Machine<'_>) {
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
                let group: Cube = machine.network.cube(state.pieces[0]);
                let txn = *state
                    .txn
                    .get_or_insert_with(|| machine.open_barrier(group, state.counter, owner));
                machine.arrive_at_barrier(tile, txn);
            }
        }
    }

    /// The answer of a member's atomic, or of the poller's interrupt multicast (which nobody waits for).
    pub(crate) fn on_response(
        &mut self,
        action: u32,
        tile: u32,
        _value: u32,
        machine: &mut Machine<'_>,
    ) {
        let Some(state) = self.running.get_mut(&action) else {
            return;
        };
        if state.arrived == state.members {
            return;
        }
        state.arrived += 1;
        let cluster = &machine.network.spec().cluster;
        let poll = u64::from(cluster.instructions.poll).max(1);
        if tile == state.poller {
            state.polling_since = Some(machine.cycle + u64::from(cluster.response_path_cycles));
        }
        // The last answer tells when the counter became full; the poller sees it at its next poll.
        if state.arrived == state.members {
            let since = state.polling_since.unwrap_or(machine.cycle);
            let waited = machine.cycle.saturating_sub(since);
            let seen = since + waited.div_ceil(poll).max(1) * poll;
            machine.call_driver(seen, crate::agents::BARRIER_EVENTS + POLL, action);
        }
    }

    /// In-network: the release has reached a member's NI.
    pub(crate) fn on_member(&mut self, action: u32, tile: u32, machine: &mut Machine<'_>) {
        let cluster = &machine.network.spec().cluster;
        let leaves = machine.cycle
            + u64::from(cluster.response_path_cycles + cluster.instructions.barrier_leave);
        self.left.push((leaves, action, tile));
    }

    /// Software: the interrupt has reached a member.
    pub(crate) fn on_interrupt(&mut self, action: u32, tile: u32, machine: &mut Machine<'_>) {
        let cluster = &machine.network.spec().cluster;
        let leaves = machine.cycle
            + u64::from(cluster.response_path_cycles + cluster.instructions.interrupt_wake);
        self.left.push((leaves, action, tile));
    }

    /// Members that leave, since the last call.
    pub(crate) fn take_left(&mut self) -> Vec<(u64, u32, u32)> {
        std::mem::take(&mut self.left)
    }
}
