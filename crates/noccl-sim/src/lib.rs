// SPDX-License-Identifier: Apache-2.0
//! The cycle-accurate backend.
//!
//! From the bottom: [`flit`], [`plane`] (routers of one plane), [`join`] (merge points), [`ni`],
//! [`inject`] and [`deliver`] (both sides of the NI), [`machine`] (all of that, cycle by cycle), and three
//! drivers on top: [`trace_run`] (bare AXI transactions), [`traffic_run`] (open loop), and the agents of
//! a schedule, whose runs can be stopped and go on later ([`ScheduleRun`], [`checkpoint`]). A driver sees transactions and completions, never flits; the machine knows no collective.

pub mod checkpoint;
mod diagnose;
mod driver;
mod endpoint;
mod fabric;
mod kernel;
mod machine;
mod ni;
#[cfg(test)]
mod prop_default_flow;
mod record;
mod router;

pub use driver::schedule::ScheduleRun;
pub use endpoint::torrent::{DirectChain, PortChain, PortPattern, PortScenario, record_ports};
pub use record::OnCycle;

use diagnose::Driver;
use driver::trace::TraceDriver;
use driver::traffic::TrafficDriver;
use machine::Machine;
use noccl_net::{LinkId, Network, Port, TileId};
use noccl_run::{LinkLoad, MemoryImage, Progress, RunConfig, RunError, RunResult, TrafficResult};
use noccl_spec::{Plane, RouterFlow};
use noccl_workload::{Place, Schedule, Trace, Traffic};
use router::behaviour::Behaviour;

/// Called now and then with the progress of a run; returns false to interrupt it.
pub type OnProgress<'a> = &'a mut dyn FnMut(Progress) -> bool;

/// At most so many cycles lie between two calls of a progress callback, and not many more flit-hops: small
/// meshes do not pay for it, and on a large one a call is never seconds away.
const PROGRESS_CYCLES: u64 = 4096;
/// Likewise tiles times cycles: a cycle of a million tiles takes longer than the call.
const PROGRESS_TILE_CYCLES: u64 = 1 << 20;
const PROGRESS_HOPS: u64 = 1 << 20;

/// What the routers ask of the machine around them; none if they are simulated without it. The one place that asks
/// for the kind of the routers.
fn behaviour_of(network: &Network) -> Option<Behaviour> {
    match network.spec().router.flow {
        RouterFlow::NonBlocking => Some(router::collective::BEHAVIOUR),
        RouterFlow::PeerCompatible => Some(router::published::BEHAVIOUR),
        RouterFlow::Esp => None,
    }
}

/// A machine before its first cycle, or the refusal of `what` by routers that have none.
fn machine_of<'n>(
    network: &'n Network,
    config: &RunConfig,
    what: &str,
) -> Result<Machine<'n>, RunError> {
    config.check()?;
    let behaviour = behaviour_of(network).ok_or_else(|| router::esp::refused(what))?;
    Ok(Machine::new(network, config.clone(), behaviour))
}

/// Runs a schedule: real agents, DMA engines, NIs and routers, cycle by cycle.
///
/// `inputs` fill memories before the first cycle; `outputs` (place, bytes) are read back afterwards.
///
/// # Errors
/// [`RunError::Hang`] with a diagnosis, [`RunError::Refused`], [`RunError::Interrupted`].
pub fn run_schedule(
    network: &Network,
    schedule: &Schedule,
    inputs: &[MemoryImage],
    outputs: &[(Place, u64)],
    config: &RunConfig,
    on_progress: OnProgress<'_>,
) -> Result<RunResult, RunError> {
    config.check()?;
    if behaviour_of(network).is_none() {
        return router::esp::run(network, schedule, inputs, outputs, config, on_progress);
    }
    let mut run = ScheduleRun::new(network, schedule, inputs, config)?;
    run.advance(on_progress)?;
    Ok(run.result(outputs))
}

/// As [`run_schedule`], with a record of every cycle.
///
/// # Errors
/// As [`run_schedule`]; refused for published routers.
pub fn run_schedule_recorded<'a>(
    network: &'a Network,
    schedule: &'a Schedule,
    inputs: &[MemoryImage],
    config: &RunConfig,
    on_cycle: OnCycle<'a>,
) -> Result<RunResult, RunError> {
    let mut run = ScheduleRun::recorded(network, schedule, inputs, config, on_cycle)?;
    run.advance(&mut |_| true)?;
    Ok(run.result(&[]))
}

/// Writes the inputs into the memories.
fn fill(machine: &mut Machine<'_>, inputs: &[MemoryImage]) -> Result<(), RunError> {
    for image in inputs {
        let tile = machine
            .network
            .find(image.tile)
            .ok_or_else(|| RunError::Refused {
                backend: "sim",
                what: format!("input at {}", image.tile),
                reason: "no such tile".to_owned(),
            })?;
        machine.memories.write(tile.0, image.offset, &image.bytes);
    }
    Ok(())
}

/// Replays AXI transactions at the NI ports.
///
/// # Errors
/// As [`run_schedule`].
pub fn run_trace(
    network: &Network,
    trace: &Trace,
    config: &RunConfig,
    on_progress: OnProgress<'_>,
) -> Result<RunResult, RunError> {
    let mut machine = machine_of(network, config, "a trace")?;
    replay_trace(&mut machine, trace, on_progress)
}

/// As [`run_trace`], with a record of every cycle.
///
/// # Errors
/// As [`run_schedule_recorded`].
pub fn run_trace_recorded<'a>(
    network: &'a Network,
    trace: &Trace,
    config: &RunConfig,
    on_cycle: OnCycle<'a>,
) -> Result<RunResult, RunError> {
    record_trace(network, trace, config, on_cycle, &mut |_| true)
}

/// As [`run_trace_recorded`], for runs that somebody may want to stop.
///
/// # Errors
/// As [`run_schedule_recorded`]; [`RunError::Interrupted`].
pub fn record_trace<'a>(
    network: &'a Network,
    trace: &Trace,
    config: &RunConfig,
    on_cycle: OnCycle<'a>,
    on_progress: OnProgress<'_>,
) -> Result<RunResult, RunError> {
    let mut machine = machine_of(network, config, "a trace")?;
    machine.record_to(on_cycle)?;
    replay_trace(&mut machine, trace, on_progress)
}

fn replay_trace(
    machine: &mut Machine<'_>,
    trace: &Trace,
    on_progress: OnProgress<'_>,
) -> Result<RunResult, RunError> {
    let mut driver = TraceDriver::new(trace, machine)?;
    let total = trace.transactions.len();
    let mut starts = Vec::new();
    let mut pace = Pace::new(machine);
    while !driver.is_over() {
        machine.begin_cycle(&mut starts);
        loop {
            drain_done(machine, |done, machine| driver.on_done(done, machine));
            for (entry, member) in &starts {
                driver.start(*entry, *member, machine);
            }
            if !machine.more_events(&mut starts) {
                break;
            }
        }
        if driver.is_over() {
            machine.record_moves();
            break;
        }
        machine.end_cycle();
        if machine.is_stuck() {
            return Err(hang(machine, Driver::Trace(&driver)));
        }
        pace.tick(machine, driver.num_done, total, on_progress)?;
    }
    let wrong = driver.num_wrong();
    let mut result = finish(machine, driver.times(), &[]);
    result.responses = driver.responses();
    result.wrong_transactions = wrong + machine.wrong_beats;
    Ok(result)
}

/// Runs open-loop traffic.
///
/// # Errors
/// As [`run_schedule`].
pub fn run_traffic(
    network: &Network,
    traffic: &Traffic,
    config: &RunConfig,
    on_progress: OnProgress<'_>,
) -> Result<TrafficResult, RunError> {
    let mut machine = machine_of(network, config, "traffic")?;
    let mut driver = TrafficDriver::new(traffic, &mut machine)?;
    let total = traffic.warmup_cycles + traffic.measure_cycles;
    let mut created = Vec::new();
    let mut pace = Pace::new(&machine);
    while !driver.is_over(machine.cycle) {
        machine.begin_cycle(&mut created);
        drain_done(&mut machine, |done, machine| driver.on_done(done, machine));
        for (_, source) in &created {
            driver.create(*source, &mut machine);
        }
        machine.end_cycle();
        if machine.is_stuck() {
            return Err(hang(&machine, Driver::Traffic));
        }
        pace.tick(
            &machine,
            machine.cycle.min(total) as usize,
            total as usize,
            on_progress,
        )?;
    }
    Ok(driver.result(&machine))
}

/// When the progress of a run is told next.
struct Pace {
    report_at_cycle: u64,
    report_at_hops: u64,
}

impl Pace {
    fn new(machine: &Machine<'_>) -> Self {
        let tiles = machine.network.num_tiles().max(1) as u64;
        let cycles = (PROGRESS_TILE_CYCLES / tiles).clamp(1, PROGRESS_CYCLES);
        Self {
            report_at_cycle: machine.cycle + cycles,
            report_at_hops: machine.flit_hops() + PROGRESS_HOPS,
        }
    }

    /// Tells the progress if it is time; an error if the caller wants to stop.
    fn tick(
        &mut self,
        machine: &Machine<'_>,
        actions_done: usize,
        actions_total: usize,
        on_progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<(), RunError> {
        let cycle = machine.cycle;
        if cycle < self.report_at_cycle && machine.flit_hops() < self.report_at_hops {
            return Ok(());
        }
        *self = Self::new(machine);
        let now = Progress {
            cycle,
            actions_done,
            actions_total,
        };
        if on_progress(now) {
            Ok(())
        } else {
            Err(RunError::Interrupted { cycle })
        }
    }
}

/// The error of a run that cannot go on.
fn hang(machine: &Machine<'_>, driver: Driver<'_>) -> RunError {
    RunError::Hang(Box::new(diagnose::diagnose(machine, driver)))
}

/// Hands every completion of this cycle to the driver; those that it causes at once too.
fn drain_done(machine: &mut Machine<'_>, mut on_done: impl FnMut(machine::Done, &mut Machine<'_>)) {
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
fn finish(
    machine: &Machine<'_>,
    actions: Vec<noccl_run::ActionTime>,
    outputs: &[(Place, u64)],
) -> RunResult {
    let mut counters = machine.counters;
    counters.flit_hops = machine.flit_hops();
    counters.dca_ops = machine.planes[Plane::Wide.idx()].joins.folded_elements();
    counters.payload_byte_hops = machine.planes[Plane::Wide.idx()].flit_hops * 64;
    let memory = outputs
        .iter()
        .filter_map(|(place, bytes)| {
            let tile = machine.network.find(place.tile)?;
            let mut image = vec![0; *bytes as usize];
            machine.memories.read(tile.0, place.offset, &mut image);
            Some(MemoryImage {
                tile: place.tile,
                offset: place.offset,
                bytes: image,
            })
        })
        .collect();
    RunResult {
        cycles: machine.cycle,
        responses: vec![0; actions.len()],
        actions,
        counters,
        links: links(machine),
        memory,
        checksum: machine.checksum,
        wrong_transactions: machine.wrong_beats,
    }
}

fn links(machine: &Machine<'_>) -> Vec<LinkLoad> {
    let mut loads = Vec::new();
    for plane in Plane::ALL {
        for (tile, port, flits) in machine.planes[plane.idx()].link_loads() {
            let (tile, port) = (TileId(tile as u32), Port::ALL[port]);
            let link = LinkId { plane, tile, port };
            let flits = u64::from(flits);
            loads.push(LinkLoad { link, flits });
        }
    }
    loads
}
