// SPDX-License-Identifier: Apache-2.0
//! ESP's multicast on its own routers, cycle by cycle (S3's second baseline; `docs/design/0006-esp.md`).
//!
//! Beside the machine, on the engine of wormhole routers: these have neither output queues nor the machine's flits, and the
//! machine's hot loop knows nothing of them. Two planes: requests of consumers, data of producers. It runs schedules of
//! list multicasts and refuses the rest. A tile does its actions one after the other, in the order of the schedule.

mod arbiter;
mod diagnose;
mod planes;
mod protocol;
mod rule;
mod task;

use crate::kernel::random::is_drawn;
use noccl_net::{LinkId, Network, Port, TileId};
use noccl_run::{
    ActionTime, Activity, Counters, Diagnosis, LinkLoad, Mode, Progress, Request, Run, RunConfig,
    RunError, RunResult, Status,
};
use noccl_spec::PlaneName;
use noccl_workload::Place;
use planes::{Plane, Planes};
use protocol::Protocol;

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

/// A run between two cycles.
pub(crate) struct EspRun<'a> {
    network: &'a Network,
    config: RunConfig,
    planes: Planes,
    protocol: Protocol<'a>,
    /// The cycle that has been simulated last, and the one that comes next.
    cycle: u64,
    next: u64,
    last_progress: u64,
    /// Until when it has waited for an event: waiting for a late one is no stall.
    last_waited: u64,
    has_moved: bool,
    has_event: bool,
}

impl<'a> EspRun<'a> {
    /// A run of list multicasts before its first cycle.
    ///
    /// # Errors
    /// [`RunError::Refused`].
    pub(crate) fn new(request: &Request<'a>) -> Result<Self, RunError> {
        let network = request.network;
        let axi = network.axi();
        let reserve_cycles = axi.router.esp.as_ref().map_or(0, |esp| esp.reserve_cycles);
        let fifo_flits = axi.router.input_fifo_flits;
        let plane = || Plane::new(network, fifo_flits, reserve_cycles);
        let is_value = request.config.mode == Mode::Value;
        let mut protocol = Protocol::new(network, request.schedule, is_value)?;
        protocol.fill(request.inputs)?;
        Ok(Self {
            network,
            config: request.config.clone(),
            planes: Planes {
                requests: plane(),
                data: plane(),
            },
            protocol,
            cycle: 0,
            next: 0,
            last_progress: 0,
            last_waited: 0,
            has_moved: false,
            has_event: false,
        })
    }
}

impl Status for EspRun<'_> {
    fn config(&self) -> &RunConfig {
        &self.config
    }

    fn activity(&self) -> Activity {
        let since = self.last_progress.max(self.last_waited);
        Activity {
            cycle: self.cycle,
            quiet_cycles: if self.has_moved {
                0
            } else {
                (self.cycle + 1).saturating_sub(since)
            },
            has_event: self.has_event,
            // Without random stalls a cycle like the last one changes nothing.
            can_move: self.has_moved || self.config.stalls.is_some(),
        }
    }

    fn flit_hops(&self) -> u64 {
        self.planes.requests.routers.flit_hops() + self.planes.data.routers.flit_hops()
    }

    fn num_tiles(&self) -> usize {
        self.network.num_tiles()
    }

    fn counters(&self) -> Counters {
        let mut counters = self.protocol.counters;
        counters.flit_hops = self.flit_hops();
        let beat_bytes = u64::from(self.network.axi().ni.wide_beat_bytes);
        counters.payload_byte_hops = self.planes.data.routers.body_hops() * beat_bytes;
        counters
    }
}

impl Run for EspRun<'_> {
    type Result = RunResult;

    fn status(&self) -> &dyn Status {
        self
    }

    fn step(&mut self) {
        self.cycle = self.next;
        let cycle = self.cycle;
        self.protocol.begin_cycle(cycle, &mut self.planes);
        if self.protocol.is_over() {
            return;
        }
        self.has_moved = step(&mut self.planes, &mut self.protocol, cycle, &self.config);
        if self.has_moved {
            self.last_progress = cycle;
        }
        let next_event = self.protocol.next_event(cycle);
        self.has_event = next_event.is_some();
        self.next = match next_event {
            Some(next) if self.planes.requests.is_idle() && self.planes.data.is_idle() => {
                next.min(self.config.max_cycles)
            }
            Some(_) | None => cycle + 1,
        };
        if self.has_event {
            self.last_waited = self.next;
        }
    }

    fn is_over(&self) -> bool {
        self.protocol.is_over()
    }

    fn progress(&self) -> Progress {
        Progress {
            cycle: self.next,
            actions_done: self.protocol.num_done(),
            actions_total: self.protocol.num_actions(),
        }
    }

    fn diagnose(&self) -> Diagnosis {
        diagnose::diagnose(&self.planes, &self.protocol, self.cycle, self.last_progress)
    }

    fn result(&self, outputs: &[(Place, u64)]) -> RunResult {
        let actions: Vec<ActionTime> = self.protocol.times();
        RunResult {
            cycles: self.cycle,
            responses: vec![0; actions.len()],
            actions,
            counters: self.counters(),
            links: links(&self.planes),
            memory: self.protocol.read(outputs),
            checksum: self.protocol.checksum,
            wrong_transactions: 0,
            blocked_link_cycles: None,
        }
    }
}

/// Both planes, one cycle; true if a flit or a reservation has moved.
fn step(planes: &mut Planes, protocol: &mut Protocol<'_>, cycle: u64, config: &RunConfig) -> bool {
    let stalls = |tile: TileId, per_256: u32, salt: u64| {
        let key = (cycle << 24 | u64::from(tile.0)) << 2 | salt;
        is_drawn(config.stall_seed, key, per_256)
    };
    let target = config.stalls.map_or(0, |s| s.target_stall_per_256);
    let initiator = config.stalls.map_or(0, |s| s.initiator_stall_per_256);
    let one = |plane: &mut Plane, salt: u64| {
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

fn links(planes: &Planes) -> Vec<LinkLoad> {
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
