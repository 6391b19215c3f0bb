// SPDX-License-Identifier: Apache-2.0
//! The cycle-accurate backend.

use noccl_net::Network;
use noccl_run::{MemoryImage, Progress, RunConfig, RunError, RunResult, TrafficResult};
use noccl_workload::{Place, Schedule, Trace, Traffic};

/// Called now and then with the progress of a run; returns false to interrupt it.
pub type OnProgress<'a> = &'a mut dyn FnMut(Progress) -> bool;

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
    let _ = (network, schedule, inputs, outputs, config, on_progress);
    Err(RunError::Interrupted { cycle: 0 })
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
    let _ = (network, trace, config, on_progress);
    Err(RunError::Interrupted { cycle: 0 })
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
    let _ = (network, traffic, config, on_progress);
    Err(RunError::Interrupted { cycle: 0 })
}
