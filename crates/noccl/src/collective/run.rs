// SPDX-License-Identifier: Apache-2.0
//! One schedule or trace, cycle by cycle.

use crate::Error;
use crate::collective::{CheckpointRequest, LinkFlits, SumError, Verified};
use crate::hardware::{self, HardwareRequest};
use noccl_cosim::HardwareReport;
use noccl_net::Network;
use noccl_run::{
    ActionTime, Counters, Mode, OnProgress, Progress, Request, RunConfig, RunError, RunResult,
    Tally, Watch, energy_pj, gb_per_s, time_ns,
};
use noccl_sim::{record_over_time, record_trace_over_time, run_trace};
use noccl_studies::parts::{Case, Session, busiest, link_flits, runtime_cycles};
use noccl_studies::{NoiseRequest, NoiseStatistics, RECORD_ALL, RunRecording, under_noise};
use noccl_workload::{Place, Schedule, Trace, check_trace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How to run a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRequest {
    /// Value or timing mode, limits, threads.
    pub config: RunConfig,
    /// Seed of the random inputs (value mode, schedules that claim a collective).
    pub seed: u64,
    /// Report the load of every link, not only of the busiest.
    pub has_links: bool,
    /// Save the run of a schedule, or go on with a saved one.
    pub checkpoint: Option<CheckpointRequest>,
    /// Hardware that takes the same course, or the run ends with the first difference.
    pub hardware: Option<HardwareRequest>,
    /// Runs of a schedule under noise beside this one.
    pub noise: Option<NoiseRequest>,
}

impl RunRequest {
    /// Value or timing mode with seed 1 and one thread.
    #[must_use]
    pub const fn new(mode: Mode) -> Self {
        Self {
            config: RunConfig::new(mode),
            seed: 1,
            has_links: false,
            checkpoint: None,
            hardware: None,
            noise: None,
        }
    }

    /// What no recorded run does.
    fn refuse_record(&self) -> Result<(), Error> {
        let found = match (&self.hardware, &self.checkpoint) {
            (Some(_), _) => "a run with hardware",
            (None, Some(_)) => "a run with checkpoints",
            (None, None) => return Ok(()),
        };
        let accepted = "accepted: with the simulator, without a checkpoint";
        Err(Error::argument("--record", found, accepted))
    }

    /// What no run in lock-step does.
    fn refuse_hardware(&self) -> Result<(), Error> {
        if self.config.mode == Mode::Timing {
            let accepted = "accepted with hardware: value (it moves bytes)";
            return Err(Error::argument("--mode", "timing", accepted));
        }
        match &self.checkpoint {
            None => Ok(()),
            Some(checkpoint) => {
                let accepted = "accepted without hardware only, whose state no checkpoint holds";
                let file = checkpoint.file.display();
                Err(Error::argument("--checkpoint", file, accepted))
            }
        }
    }
}

/// What a run reports to its user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunReport {
    /// Name of the network.
    pub network: String,
    /// Fields that were set beside the spec's file, by their dotted paths; `network` names them too.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub overrides: BTreeMap<String, String>,
    /// From the first participant's start to the last participant's end.
    pub cycles: u64,
    /// Clock of the network.
    #[serde(default)]
    pub clock_ghz: f64,
    /// `cycles` at this clock.
    #[serde(default)]
    pub time_ns: f64,
    /// Payload of the collective by this time (10^9 bytes per second); absent where none is claimed, or it takes no time.
    #[serde(default)]
    pub payload_gb_per_s: Option<f64>,
    /// Cycle of the last event.
    pub last_event_cycle: u64,
    /// Start and finish of every action or transaction, in their order.
    pub actions: Vec<ActionTime>,
    /// Worst AXI response of every action or transaction, in their order: 0 OKAY, 2 SLVERR, 3 DECERR.
    #[serde(default)]
    pub responses: Vec<u8>,
    /// Event counters.
    pub counters: Counters,
    /// Energy of the counted events; absent of core tiles, which have no cost per event.
    pub energy_pj: Option<f64>,
    /// Link with most flits.
    pub busiest_link: Option<LinkFlits>,
    /// Load of every used link; empty unless asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkFlits>,
    /// Are all outputs right? Of a trace: all bytes written and all response codes. Not checked in timing mode and for
    /// schedules that claim no collective.
    pub verified: Verified,
    /// Distance to the exact sum; only for sums of floating-point numbers.
    pub sum_error: Option<SumError>,
    /// Transactions that delivered other bytes than expected.
    pub wrong_transactions: u64,
    /// On core tiles: cycles in which the first word of a FIFO could not go on over a link between routers, over all links.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_link_cycles: Option<u64>,
    /// Digest over all payload that arrived anywhere, hexadecimal.
    pub checksum: String,
    /// The hardware that took the same course, if one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardware: Option<HardwareReport>,
    /// Runtimes under noise, if they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<NoiseStatistics>,
}

/// Runs a schedule. In value mode, if it claims a collective, its inputs are random and its outputs verified.
///
/// # Errors
/// [`Error::Check`] if the checker refuses the schedule, [`Error::Run`] if the run cannot finish,
/// [`Error::Checkpoint`] if it cannot be saved or gone on with, [`Error::Suspended`]; [`Error::Rtl`] and
/// [`Error::Hardware`] if there is no hardware that takes the same course.
pub fn run(
    network: &Network,
    schedule: &Schedule,
    request: &RunRequest,
    watch: Watch<'_>,
) -> Result<RunReport, Error> {
    run_by(network, schedule, request, watch, None)
}

/// As [`run`], with a record of links, blocked ports and transactions over time.
///
/// # Errors
/// As [`run`]; with a checkpoint or with hardware there is no record.
pub fn record(
    network: &Network,
    schedule: &Schedule,
    request: &RunRequest,
    watch: Watch<'_>,
) -> Result<(RunReport, RunRecording), Error> {
    request.refuse_record()?;
    let mut recorded = None;
    let mut simulate = |inputs: &Request<'_>, outputs: Outputs<'_>, on_progress: OnProgress<'_>| {
        let found = record_over_time(inputs, outputs, RECORD_ALL, on_progress)?;
        match found.stall {
            Some(stall) => Err(RunError::Stall(Box::new(stall)).into()),
            None => {
                let of = (&found.result, &found.recording);
                recorded = Some(RunRecording::of_schedule(network, schedule, of.0, of.1));
                Ok(found.result)
            }
        }
    };
    let report = run_by(network, schedule, request, watch, Some(&mut simulate))?;
    let recording = recorded.ok_or_else(|| Error::argument("--record", "", "accepted: a run"))?;
    Ok((report, recording))
}

/// Where a run is read: place and bytes.
type Outputs<'a> = &'a [(Place, u64)];
/// Runs a request in place of the session.
type Simulate<'s> =
    &'s mut dyn FnMut(&Request<'_>, Outputs<'_>, OnProgress<'_>) -> Result<RunResult, Error>;

fn run_by(
    network: &Network,
    schedule: &Schedule,
    request: &RunRequest,
    watch: Watch<'_>,
    recorded: Option<Simulate<'_>>,
) -> Result<RunReport, Error> {
    // The checker bounds every size by the memories before anything is allocated.
    noccl_workload::check(network, schedule)?;
    let case = match (&schedule.collective, request.config.mode) {
        (Some(collective), Mode::Value) => Some(Case::new(network, collective, request.seed)?),
        (None, Mode::Value) | (_, Mode::Timing) => None,
    };
    let (inputs, outputs) = case.as_ref().map_or((&[][..], &[][..]), |case| {
        (case.inputs.as_slice(), case.outputs.as_slice())
    });
    let reference = match &case {
        Some(case) => case.reference(network, schedule)?,
        None => Vec::new(),
    };
    let (result, hardware) = match (&request.hardware, recorded) {
        (None, Some(simulate)) => {
            let of = Request {
                network,
                schedule,
                inputs,
                config: &request.config,
            };
            let simulate =
                |on_progress: &mut dyn FnMut(Progress) -> bool| simulate(&of, outputs, on_progress);
            (Tally::run_actions(watch, simulate)?, None)
        }
        (None, None) => {
            let mut session = Session::<RunResult>::begin(request.checkpoint.as_ref())?;
            let config = &request.config;
            let simulate = |on_progress: &mut dyn FnMut(Progress) -> bool| {
                session.simulate(network, schedule, inputs, outputs, config, on_progress)
            };
            (Tally::run_actions(watch, simulate)?, None)
        }
        (Some(hardware), _) => {
            let memory = (inputs, outputs);
            request.refuse_hardware()?;
            let asked = (hardware, &request.config);
            let (result, report) = hardware::run_schedule(network, schedule, memory, asked, watch)?;
            (result, Some(report))
        }
    };
    let checked = case.map(|case| case.verify(&reference, &result.memory));
    let mut report = report_run(network, Some(schedule), &result, request.has_links);
    report.verified = checked.map_or(Verified::NotChecked, |v| Verified::compared(v.is_right));
    report.sum_error = checked.and_then(|v| v.sum_error);
    report.hardware = hardware;
    if let Some(noise) = request.noise {
        let tally = Tally::new(watch, noise.runs.into());
        let found = under_noise(network, schedule, &request.config, noise, &tally)?;
        report.noise = Some(found);
    }
    Ok(report)
}

/// Replays AXI transactions at the NI ports.
///
/// # Errors
/// [`Error::Check`] if the trace exceeds the limits within which it surely completes, [`Error::Run`] if the run cannot
/// finish.
pub fn replay(
    network: &Network,
    trace: &Trace,
    request: &RunRequest,
    watch: Watch<'_>,
) -> Result<RunReport, Error> {
    check_trace(network, trace)?;
    let (result, hardware) = match &request.hardware {
        None => {
            let simulate = |on_progress: &mut dyn FnMut(Progress) -> bool| {
                run_trace(network, trace, &request.config, on_progress)
            };
            (Tally::run_actions(watch, simulate)?, None)
        }
        Some(hardware) => {
            request.refuse_hardware()?;
            let asked = (hardware, &request.config);
            let (result, report) = hardware::run_trace(network, trace, asked, watch)?;
            (result, Some(report))
        }
    };
    let mut report = replayed(network, request, &result);
    report.hardware = hardware;
    Ok(report)
}

/// As [`replay`], with a record of links, blocked ports and transactions over time.
///
/// # Errors
/// As [`replay`]; with hardware there is no record.
pub fn record_replay(
    network: &Network,
    trace: &Trace,
    request: &RunRequest,
    watch: Watch<'_>,
) -> Result<(RunReport, RunRecording), Error> {
    request.refuse_record()?;
    check_trace(network, trace)?;
    let simulate = |on_progress: &mut dyn FnMut(Progress) -> bool| {
        record_trace_over_time(network, trace, &request.config, RECORD_ALL, on_progress)
    };
    let (result, recording) = Tally::run_actions(watch, simulate)?;
    let workload = format!("trace of {} transactions", trace.transactions.len());
    let recording = RunRecording::new(network, workload, result.cycles, &recording);
    Ok((replayed(network, request, &result), recording))
}

fn replayed(network: &Network, request: &RunRequest, result: &RunResult) -> RunReport {
    let mut report = report_run(network, None, result, request.has_links);
    report.verified = match request.config.mode {
        Mode::Value => Verified::compared(result.wrong_transactions == 0),
        Mode::Timing => Verified::NotChecked,
    };
    report
}

/// What a result of [`crate::collective::run_values`] means to its user; nothing is verified.
///
/// A schedule is timed from its first transfer (see [`crate::collective::compare()`]), a trace (`None`) from its first
/// transaction.
#[must_use]
pub fn report_run(
    network: &Network,
    schedule: Option<&Schedule>,
    result: &RunResult,
    has_links: bool,
) -> RunReport {
    let clock_ghz = network.spec().clock_ghz;
    let cycles = runtime_cycles(schedule, &result.actions);
    let collective = schedule.and_then(|s| s.collective.as_ref());
    let payload = collective.filter(|c| c.bytes > 0 && cycles > 0);
    RunReport {
        network: network.spec().label(),
        overrides: network.spec().overrides.iter().cloned().collect(),
        cycles,
        clock_ghz,
        time_ns: time_ns(cycles as f64, clock_ghz),
        payload_gb_per_s: payload.map(|c| gb_per_s(c.bytes as f64 / cycles as f64, clock_ghz)),
        last_event_cycle: result.cycles,
        actions: result.actions.clone(),
        responses: result.responses.clone(),
        counters: result.counters,
        energy_pj: network
            .energy()
            .map(|energy| energy_pj(&result.counters, energy)),
        busiest_link: busiest(network, &result.links),
        links: if has_links {
            link_flits(network, &result.links)
        } else {
            Vec::new()
        },
        verified: Verified::NotChecked,
        sum_error: None,
        wrong_transactions: result.wrong_transactions,
        blocked_link_cycles: result.blocked_link_cycles,
        checksum: format!("{:016x}", result.checksum),
        hardware: None,
        noise: None,
    }
}
