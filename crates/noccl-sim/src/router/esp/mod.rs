// SPDX-License-Identifier: Apache-2.0
//! ESP's multicast on its own routers, cycle by cycle (S3's second rival; `docs/design/0006-esp.md`).
//!
//! An engine of its own beside the machine: these routers have neither output queues nor the machine's flits, and the
//! machine's hot loop knows nothing of them. Two planes: requests of consumers, data of producers. It runs schedules of
//! list multicasts and refuses the rest. A tile does its actions one after the other, in the order of the schedule.

mod arbiter;
mod diagnose;
mod plane;
mod protocol;
mod task;

use crate::{OnProgress, PROGRESS_CYCLES};
use noccl_net::{LinkId, Network, Port, TileId};
use noccl_run::{
    ActionTime, LinkLoad, MemoryImage, Mode, Progress, RunConfig, RunError, RunResult,
};
use noccl_spec::Plane as PlaneName;
use noccl_workload::{Place, Schedule};
use plane::{Moves, Plane};
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

/// The two planes.
struct Planes<'n> {
    requests: Plane<'n>,
    data: Plane<'n>,
}

/// Runs a schedule of list multicasts.
pub(crate) fn run(
    network: &Network,
    schedule: &Schedule,
    inputs: &[MemoryImage],
    outputs: &[(Place, u64)],
    config: &RunConfig,
    on_progress: OnProgress<'_>,
) -> Result<RunResult, RunError> {
    let spec = network.spec();
    let reserve_cycles = spec.router.esp.as_ref().map_or(0, |esp| esp.reserve_cycles);
    let depth = spec.router.input_fifo_flits as usize;
    let plane = || Plane::new(network, depth, reserve_cycles);
    let mut planes = Planes {
        requests: plane(),
        data: plane(),
    };
    let mut protocol = Protocol::new(network, schedule, config.mode == Mode::Value)?;
    protocol.fill(inputs)?;
    let (mut cycle, mut last_progress, mut report_at) = (0, 0, PROGRESS_CYCLES);
    // Waiting for a late event is no hang.
    let mut last_waited = 0;
    loop {
        protocol.begin_cycle(cycle, &mut planes);
        if protocol.is_over() {
            break;
        }
        let has_moved = step(&mut planes, &mut protocol, cycle, config);
        if has_moved {
            last_progress = cycle;
        }
        let next_event = protocol.next_event(cycle);
        let patience = config.stalls.map_or(0, |_| config.hang_cycles);
        let since = last_progress.max(last_waited);
        let is_stuck = !has_moved && next_event.is_none() && cycle >= since + patience;
        if is_stuck || cycle >= config.max_cycles {
            return Err(diagnose::hang(&planes, &protocol, cycle, last_progress));
        }
        cycle = match next_event {
            Some(next) if planes.requests.is_idle() && planes.data.is_idle() => {
                next.min(config.max_cycles)
            }
            Some(_) | None => cycle + 1,
        };
        if next_event.is_some() {
            last_waited = cycle;
        }
        if cycle >= report_at {
            report_at = cycle + PROGRESS_CYCLES;
            let now = Progress {
                cycle,
                actions_done: protocol.num_done(),
                actions_total: schedule.actions.len(),
            };
            if !on_progress(now) {
                return Err(RunError::Interrupted { cycle });
            }
        }
    }
    Ok(result(network, &planes, &protocol, cycle, outputs))
}

/// Both planes, one cycle; true if a flit or a reservation has moved.
fn step(
    planes: &mut Planes<'_>,
    protocol: &mut Protocol<'_>,
    cycle: u64,
    config: &RunConfig,
) -> bool {
    let stalls = |tile: TileId, per_256: u32, salt: u64| {
        let key = (cycle << 24 | u64::from(tile.0)) << 2 | salt;
        let key = config.stall_seed ^ key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        crate::kernel::random::mix(key) % 256 < u64::from(per_256)
    };
    let target = config.stalls.map_or(0, |s| s.target_stall_per_256);
    let initiator = config.stalls.map_or(0, |s| s.initiator_stall_per_256);
    let one = |plane: &mut Plane<'_>, salt: u64| -> Moves {
        plane.step(
            |tile| !stalls(tile, target, salt),
            |tile| !stalls(tile, initiator, salt + 2),
        )
    };
    let requests = one(&mut planes.requests, 0);
    let data = one(&mut planes.data, 1);
    let has_moved = requests.has_moved || data.has_moved;
    protocol.requests_landed(&requests, &planes.requests, cycle);
    protocol.data_moved(&data, &planes.data, cycle);
    has_moved
}

fn result(
    network: &Network,
    planes: &Planes<'_>,
    protocol: &Protocol<'_>,
    cycles: u64,
    outputs: &[(Place, u64)],
) -> RunResult {
    let actions: Vec<ActionTime> = protocol.times();
    let mut counters = protocol.counters;
    counters.flit_hops = planes.requests.flit_hops() + planes.data.flit_hops();
    let beat_bytes = u64::from(network.spec().ni.wide_beat_bytes);
    counters.payload_byte_hops = planes.data.body_hops * beat_bytes;
    let loads = [
        (PlaneName::Req, &planes.requests),
        (PlaneName::Wide, &planes.data),
    ];
    let links = loads.into_iter().flat_map(|(name, plane)| {
        let tiles = plane.loads.iter().enumerate();
        tiles.flat_map(move |(tile, ports)| {
            let links = Port::ALL.into_iter().zip(ports);
            links
                .filter(|(port, flits)| *port != Port::Local && **flits > 0)
                .map(move |(port, flits)| LinkLoad {
                    link: LinkId {
                        plane: name,
                        tile: TileId(tile as u32),
                        port,
                    },
                    flits: *flits,
                })
        })
    });
    RunResult {
        cycles,
        responses: vec![0; actions.len()],
        actions,
        counters,
        links: links.collect(),
        memory: protocol.read(outputs),
        checksum: protocol.checksum,
        wrong_transactions: 0,
    }
}
