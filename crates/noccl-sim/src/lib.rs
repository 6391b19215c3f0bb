// SPDX-License-Identifier: Apache-2.0
//! The cycle-accurate backend.
//!
//! From the bottom: [`kernel`] (engine parts in which no network appears), [`transport`] (what travels), [`router`] (one
//! folder per kind), [`ni`] (network interfaces), [`endpoint`] (memories, DMA engines, cores, Torrent endpoints), [`machine`]
//! (all of that, cycle by cycle), and the [`driver`]s on top: a schedule, whose runs can be saved and go on later
//! ([`ScheduleRun`], [`checkpoint`]), a trace of bare AXI transactions, and open-loop traffic. A driver sees transactions and
//! completions, never flits; the machine knows no collective.
//!
//! [`Simulator`] is the backend as `noccl_run` knows one; the functions below are short for what most callers do with it.

pub mod checkpoint;
mod diagnose;
mod driver;
mod endpoint;
mod execution;
mod explain;
mod kernel;
mod machine;
mod ni;
mod open_run;
mod over_time;
mod packets;
#[cfg(test)]
mod prop_default_flow;
mod record;
mod router;
mod simulator;
mod tile_index;
mod transport;

pub use driver::schedule::ScheduleRun;
pub use endpoint::executed_core::ExecutedRank;
pub use endpoint::message_core::is_held_up;
pub use endpoint::torrent::DirectChain;
// For the tests of noccl-cosim: the endpoint that hardware is compared with. No feature of the crate, which every program that is built
// with the tests would be compiled again for.
#[doc(hidden)]
pub use endpoint::torrent::lean_endpoint;
pub use explain::{explain_schedule, explains_every_cycle};
pub use noccl_run::OnProgress;
pub use open_run::open_run;
pub use over_time::{Recorded, record_over_time, record_trace_over_time};
pub use packets::{
    Arrival, MulticastId, PacketNetwork, ReductionId, ReductionTreeId, packet_network,
};
pub use record::OnCycle;
pub use router::smart::MessageNetwork;
pub use router::udn::{ExecutedError, ExecutedRequest, ExecutedResult, ExecutedRun, RankFault};
pub use simulator::{Simulation, Simulator};

use driver::trace::run::TraceRun;
use driver::traffic::TrafficRun;
use machine::Machine;
use noccl_net::Network;
use noccl_run::{
    Backend, MemoryImage, Request, Run, RunConfig, RunError, RunResult, TrafficResult, advance,
};
use noccl_workload::{Place, Schedule, Trace, Traffic};
use router::{RouterEngine, engine_of};
use router::{smart, udn};

/// Runs a schedule: real agents, DMA engines, NIs and routers, cycle by cycle.
///
/// `inputs` fill memories before the first cycle; `outputs` (place, bytes) are read back afterwards.
///
/// # Errors
/// [`RunError::Stall`] with a diagnosis, [`RunError::Refused`], [`RunError::Interrupted`].
pub fn run_schedule(
    network: &Network,
    schedule: &Schedule,
    inputs: &[MemoryImage],
    outputs: &[(Place, u64)],
    config: &RunConfig,
    on_progress: OnProgress<'_>,
) -> Result<RunResult, RunError> {
    let mut run = Simulator.start(&Request {
        network,
        schedule,
        inputs,
        config,
    })?;
    advance(&mut run, on_progress)?;
    Ok(run.result(outputs))
}

/// Routes of the static network that cores write in a run of a schedule.
///
/// # Errors
/// As [`run_schedule`]; refused on networks without core tiles.
pub fn route_writes(
    network: &Network,
    schedule: &Schedule,
    config: &RunConfig,
    on_progress: OnProgress<'_>,
) -> Result<u64, RunError> {
    config.check()?;
    let mut run = udn::schedule_run(&Request {
        network,
        schedule,
        inputs: &[],
        config,
    })?;
    advance(&mut run, on_progress)?;
    Ok(run.engine.route_writes())
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
    let request = Request {
        network,
        schedule,
        inputs,
        config,
    };
    record_schedule(&request, &[], on_cycle, &mut |_| true)
}

/// As [`run_schedule_recorded`], for runs that somebody may want to interrupt; `outputs` are read back afterwards.
///
/// # Errors
/// As [`run_schedule_recorded`]; [`RunError::Interrupted`].
pub fn record_schedule<'a>(
    request: &Request<'a>,
    outputs: &[(Place, u64)],
    on_cycle: OnCycle<'a>,
    on_progress: OnProgress<'_>,
) -> Result<RunResult, RunError> {
    let mut run = Simulation::recorded(request, on_cycle)?;
    advance(&mut run, on_progress)?;
    Ok(run.result(outputs))
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
    replay(Machine::of(network, config, "a trace")?, trace, on_progress)
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

/// As [`run_trace_recorded`], for runs that somebody may want to interrupt.
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
    let mut machine = Machine::of(network, config, "a trace")?;
    machine.record_to(on_cycle)?;
    replay(machine, trace, on_progress)
}

fn replay(
    machine: Machine<'_>,
    trace: &Trace,
    on_progress: OnProgress<'_>,
) -> Result<RunResult, RunError> {
    let mut run = TraceRun::new(machine, trace)?;
    advance(&mut run, on_progress)?;
    Ok(run.result(&[]))
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
    match engine_of(network) {
        RouterEngine::Smart => finish(smart::traffic_run(network, traffic, config)?, on_progress),
        RouterEngine::Cores => finish(udn::traffic_run(network, traffic, config)?, on_progress),
        RouterEngine::Machine(..) | RouterEngine::Esp(_) => {
            let machine = Machine::of(network, config, "traffic")?;
            finish(TrafficRun::new(machine, traffic)?, on_progress)
        }
    }
}

fn finish<R: Run>(mut run: R, on_progress: OnProgress<'_>) -> Result<R::Result, RunError> {
    advance(&mut run, on_progress)?;
    Ok(run.result(&[]))
}
