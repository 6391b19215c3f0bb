// SPDX-License-Identifier: Apache-2.0
//! An all-to-all of 128 bytes by the cores of 8×8 tiles: flit-hops per CPU-second where cores, not routers, take most of the time.

use super::BenchRow;
use super::measure::row;
use super::measure::{Clock, Elapsed};
use crate::compare::collective_of;
use crate::{CompareRequest, Error, parse_group};
use noccl_coll::{Algorithm, Choice};
use noccl_net::Network;
use noccl_run::{Mode, RunConfig, RunResult, Tally, Watch};
use noccl_sim::run_schedule;
use noccl_workload::CollectiveKind;

const BYTES: u64 = 128;
/// A run takes some hundredths of a second; the fastest counts.
const REPETITIONS: u32 = 20;

/// Time covers the runs, not the schedule. With instructions counted there is one.
pub(super) fn run(network: &Network, divisor: u64, watch: Watch<'_>) -> Result<BenchRow, Error> {
    let group = parse_group(network, "all")?;
    let request = CompareRequest::new(CollectiveKind::AllToAll, group, vec![BYTES]);
    let collective = collective_of(network, &request, BYTES)?;
    let choice = Choice::new(Algorithm::Torus, 1);
    let schedule = noccl_coll::schedule(network, &collective, choice)?;
    let config = RunConfig::new(Mode::Timing);
    let repetitions = if divisor > 1 { 1 } else { REPETITIONS };
    let mut best: Option<(RunResult, Elapsed)> = None;
    for _ in 0..repetitions {
        let clock = Clock::start();
        let result = Tally::run_actions(watch, |on_progress| {
            run_schedule(network, &schedule, &[], &[], &config, on_progress)
        })?;
        let elapsed = clock.elapsed();
        if best
            .as_ref()
            .is_none_or(|(_, b)| elapsed.cpu_seconds < b.cpu_seconds)
        {
            best = Some((result, elapsed));
        }
    }
    let Some((result, elapsed)) = best else {
        return Err(Error::argument("repetitions", 0, "accepted: at least 1"));
    };
    let (flit_hops, seconds) = (result.counters.flit_hops, elapsed.cpu_seconds);
    Ok(row(0.0, flit_hops, result.cycles, seconds, elapsed))
}
