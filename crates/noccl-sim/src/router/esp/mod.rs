// SPDX-License-Identifier: Apache-2.0
//! ESP's multicast on its own routers, cycle by cycle (S3's second baseline; `docs/design/0006-esp.md`).
//!
//! Beside the machine, on the engine of wormhole routers: these have neither output queues nor the machine's flits, and the
//! machine's hot loop knows nothing of them. Two planes: requests of consumers, data of producers. It runs schedules of
//! list multicasts and refuses the rest. A tile does its actions one after the other, in the order of the schedule.

use crate::execution::{Engine, Execution, Standstill};
use crate::kernel::circle::circle as find_circle;
use crate::kernel::random::is_drawn;
use crate::router::wormhole::{Awaited, PacketId};
use noccl_net::{AxiNetwork, LinkId, Network, Port, TileId};
use noccl_run::{
    ActionTime, Counters, Diagnosis, LinkLoad, Mode, Request, RunConfig, RunError, RunResult,
    WaitEdge,
};
use noccl_spec::PlaneName;
use noccl_workload::Place;
use planes::{EspPlane, EspPlanes};
use protocol::Protocol;

mod planes;
mod protocol;

/// What these routers do not do.
pub(crate) fn refused(what: &str) -> RunError {
    RunError::Refused {
        backend: "sim",
        what: what.to_owned(),
        reason: "routers of flow esp run schedules of list_multicast actions, from their first cycle to their last; \
                 accepted: those, or another router.flow"
            .to_owned(),
    }
}

/// Routers of both planes and the endpoints that follow ESP's protocol.
pub(crate) struct Esp<'a> {
    network: AxiNetwork<'a>,
    config: RunConfig,
    planes: EspPlanes,
    protocol: Protocol<'a>,
    cycle: u64,
}

/// A run of list multicasts before its first cycle.
///
/// # Errors
/// [`RunError::Refused`].
pub(crate) fn schedule_run<'a>(
    network: AxiNetwork<'a>,
    request: &Request<'a>,
) -> Result<Execution<Esp<'a>>, RunError> {
    let axi = network.axi();
    // 0: routers of other flows, which reserve nothing, are refused below.
    let reserve_cycles = axi.router.esp.as_ref().map_or(0, |esp| esp.reserve_cycles);
    let fifo_flits = axi.router.input_fifo_flits;
    let plane = || EspPlane::new(&network, fifo_flits, reserve_cycles);
    let is_value = request.config.mode == Mode::Value;
    let mut protocol = Protocol::new(network, request.schedule, is_value)?;
    protocol.fill(request.inputs)?;
    let engine = Esp {
        network,
        config: request.config.clone(),
        planes: EspPlanes {
            requests: plane(),
            data: plane(),
        },
        protocol,
        cycle: 0,
    };
    Ok(Execution::new(engine, request.config))
}

impl Engine for Esp<'_> {
    type Result = RunResult;

    fn network(&self) -> &Network {
        &self.network
    }

    fn begin(&mut self, cycle: u64) -> bool {
        self.cycle = cycle;
        self.protocol.begin_cycle(cycle, &mut self.planes);
        false
    }

    fn finish(&mut self, cycle: u64) -> bool {
        step(&mut self.planes, &mut self.protocol, cycle, &self.config)
    }

    fn may_move(&self) -> bool {
        // Without random stalls a cycle like the last one changes nothing.
        false
    }

    fn next_event(&self) -> Option<u64> {
        self.protocol.next_event(self.cycle)
    }

    fn is_idle(&self) -> bool {
        self.planes.requests.is_idle() && self.planes.data.is_idle()
    }

    fn is_over(&self) -> bool {
        self.protocol.is_over()
    }

    fn num_over(&self) -> (usize, usize) {
        (self.protocol.num_done(), self.protocol.num_actions())
    }

    fn flit_hops(&self) -> u64 {
        self.planes.requests.routers.flit_hops() + self.planes.data.routers.flit_hops()
    }

    fn counters(&self) -> Counters {
        let mut counters = self.protocol.counters;
        counters.flit_hops = self.flit_hops();
        let beat_bytes = u64::from(self.network.axi().ni.wide_beat_bytes);
        counters.payload_byte_hops = self.planes.data.routers.body_hops() * beat_bytes;
        counters
    }

    fn links(&self) -> Vec<LinkLoad> {
        links(&self.planes)
    }

    fn diagnose(&self, at: Standstill) -> Diagnosis {
        diagnose(&self.planes, &self.protocol, at.cycle, at.last_progress)
    }

    fn result(&self, cycle: u64, _next: u64, outputs: &[(Place, u64)]) -> RunResult {
        let actions: Vec<ActionTime> = self.protocol.times();
        RunResult {
            cycles: cycle,
            responses: vec![0; actions.len()],
            actions,
            counters: self.counters(),
            links: self.links(),
            memory: self.protocol.read(outputs),
            checksum: self.protocol.checksum,
            wrong_transactions: 0,
            blocked_link_cycles: None,
        }
    }
}

/// Both planes, one cycle; true if a flit or a reservation has moved.
fn step(
    planes: &mut EspPlanes,
    protocol: &mut Protocol<'_>,
    cycle: u64,
    config: &RunConfig,
) -> bool {
    let stalls = |tile: TileId, per_256: u32, salt: u64| {
        let key = (cycle << 24 | u64::from(tile.0)) << 2 | salt;
        is_drawn(config.stall_seed, key, per_256)
    };
    // 0: without stalls.
    let target = config.stalls.map_or(0, |s| s.target_stall_per_256);
    // 0: without stalls.
    let initiator = config.stalls.map_or(0, |s| s.initiator_stall_per_256);
    let one = |plane: &mut EspPlane, salt: u64| {
        plane.step(
            cycle,
            |tile| !stalls(tile, target, salt),
            |tile| !stalls(tile, initiator, salt + 2),
        )
    };
    let has_moved = one(&mut planes.requests, 0) | one(&mut planes.data, 1);
    protocol.requests_arrived(&planes.requests, cycle);
    protocol.data_moved(&planes.data, cycle);
    has_moved
}

fn links(planes: &EspPlanes) -> Vec<LinkLoad> {
    let loads = [
        (PlaneName::Req, &planes.requests),
        (PlaneName::Wide, &planes.data),
    ];
    let links = loads.into_iter().flat_map(|(plane, at)| {
        let links = at.routers.link_loads();
        links
            .filter(|(_, port, _)| *port != Port::Local)
            .map(move |(tile, port, flits)| LinkLoad {
                link: LinkId { plane, tile, port },
                flits,
            })
    });
    links.collect()
}

// Why packets stand still: who holds the output that another one asks for, or the queue behind it.

/// Waits that are named where there is no circle.
const MAX_NAMED: usize = 16;

/// Why a run cannot go on.
fn diagnose(
    planes: &EspPlanes,
    protocol: &Protocol<'_>,
    cycle: u64,
    last_progress_cycle: u64,
) -> Diagnosis {
    let network = protocol.network();
    let of = |plane: &EspPlane, name: &str| -> Vec<WaitEdge> {
        let all = waits(plane);
        let named = circle(&all).unwrap_or_else(|| all.into_iter().take(MAX_NAMED).collect());
        named
            .into_iter()
            .map(|wait| edge(network, plane, name, wait, last_progress_cycle))
            .collect()
    };
    let is_circle = circle(&waits(&planes.data)).is_some();
    let mut waits = of(&planes.data, "data");
    waits.extend(of(&planes.requests, "request"));
    let summary = if is_circle {
        "deadlock in the network: multicast packets hold outputs that each other needs"
    } else if waits.is_empty() {
        "no flit waits: a participant has not begun or not ended"
    } else {
        "flits wait for each other or for endpoints that take none"
    };
    Diagnosis {
        cycle,
        last_progress_cycle,
        summary: summary.to_owned(),
        waits,
    }
}

/// Packet, awaited packet, router, output.
type EspWait = (u32, u32, TileId, Port);

/// Which packets wait for others.
fn waits(plane: &EspPlane) -> Vec<EspWait> {
    let waits = plane.routers.waits().into_iter();
    let between = waits.filter_map(|wait| match wait.awaited {
        Awaited::Packet(other) if other != wait.packet => {
            Some((wait.packet.0, other.0, wait.tile, wait.output))
        }
        Awaited::Packet(_) | Awaited::Tile => None,
    });
    between.collect()
}

/// A circle of waits, if there is one.
fn circle(waits: &[EspWait]) -> Option<Vec<EspWait>> {
    let edges: Vec<(u32, u32)> = waits.iter().map(|wait| (wait.0, wait.1)).collect();
    let found = find_circle(&edges)?.into_iter();
    Some(found.map(|edge| waits[edge]).collect())
}

fn edge(
    network: &Network,
    plane: &EspPlane,
    name: &str,
    (waiter, awaited, at, port): EspWait,
    since_cycle: u64,
) -> WaitEdge {
    let packet = |id: u32| {
        let packet = plane.packet(PacketId(id));
        let source = network.tile_ref(packet.source);
        format!(
            "{name} packet of action #{} from {source} (id {id})",
            packet.action
        )
    };
    WaitEdge {
        waiter: packet(waiter),
        awaited: packet(awaited),
        place: format!(
            "output {port:?} of the {name} router of {}",
            network.tile_ref(at)
        ),
        since_cycle,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_found_and_a_chain_is_none() {
        let wait = |a, b| (a, b, TileId(0), Port::East);
        assert_eq!(circle(&[wait(0, 1), wait(1, 2), wait(0, 2)]), None);
        let waits = [wait(0, 1), wait(1, 3), wait(1, 2), wait(2, 1)];
        assert_eq!(circle(&waits), Some(vec![wait(1, 2), wait(2, 1)]));
    }
}
