// SPDX-License-Identifier: Apache-2.0
//! What gives the machine something to do: a schedule, a trace, or traffic.
//!
//! Each driver reacts to completions and to events of its own; the run around it is an implementation of
//! [`noccl_run::Run`], and the loop around that is `noccl_run`'s. What all three read from the machine stands here.

pub(crate) mod actions;
mod latencies;
pub(crate) mod measurement;
pub(crate) mod open;
pub(crate) mod open_loop;
pub(crate) mod schedule;
pub(crate) mod trace;
pub(crate) mod traffic;

use crate::machine::Machine;
use crate::machine::event::Done;
use noccl_net::{LinkId, Port, TileId};
use noccl_run::{ActionTime, LinkLoad, RunResult, Status};
use noccl_spec::Plane;
use noccl_workload::Place;

/// Hands every completion of this cycle to the driver; those that it causes at once too.
pub(crate) fn drain_done(
    machine: &mut Machine<'_>,
    mut on_done: impl FnMut(Done, &mut Machine<'_>),
) {
    while !machine.done.is_empty() {
        let mut done = std::mem::take(&mut machine.done);
        for item in done.drain(..) {
            on_done(item, machine);
        }
        if machine.done.is_empty() {
            machine.done = done;
        }
    }
}

/// Result of a run that is over.
pub(crate) fn result_of(
    machine: &Machine<'_>,
    actions: Vec<ActionTime>,
    outputs: &[(Place, u64)],
) -> RunResult {
    RunResult {
        cycles: machine.clock.now(),
        responses: vec![0; actions.len()],
        actions,
        counters: machine.counters(),
        links: links(machine),
        memory: machine.memory.memories.images(&machine.network, outputs),
        checksum: machine.checks.checksum,
        wrong_transactions: machine.checks.wrong_beats,
        blocked_link_cycles: None,
    }
}

/// Flits over every link that carried any.
pub(crate) fn links(machine: &Machine<'_>) -> Vec<LinkLoad> {
    let mut loads = Vec::new();
    for plane in Plane::ALL {
        for (tile, port, flits) in machine.mesh.planes[plane.idx()].link_loads() {
            let (tile, port) = (TileId(tile as u32), Port::ALL[port]);
            let link = LinkId::new(plane, tile, port);
            let flits = u64::from(flits);
            loads.push(LinkLoad { link, flits });
        }
    }
    loads
}
