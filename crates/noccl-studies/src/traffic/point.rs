// SPDX-License-Identifier: Apache-2.0
//! One load of a sweep: a run for each seed, and what they are together.

use super::TrafficRequest;
use crate::measure::statistics::{interval_95, mean};
use noccl_net::Network;
use noccl_run::{RunConfig, RunError, Tally, TrafficResult};
use noccl_sim::run_traffic;

/// A mean latency over this many times the zero-load latency counts as saturated.
const SATURATED_LATENCY_FACTOR: f64 = 3.0;

/// A load that has been measured.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Point {
    /// Means over the seeds, and sums of what is counted.
    pub(crate) mean: TrafficResult,
    /// Half-widths of 95 % intervals; none of one seed.
    pub(crate) accepted_half_width: Option<f64>,
    pub(crate) latency_half_width: Option<f64>,
}

/// One load. Saturated: packets of the measured cycles are still in the network when the run gives up, or latency grows without a limit.
pub(super) fn point(
    network: &Network,
    request: &TrafficRequest,
    load: f64,
    zero_load_cycles: f64,
    tally: &Tally<'_>,
) -> Result<Point, RunError> {
    let mut config = RunConfig::new(request.mode);
    config.threads = request.threads;
    let mut results = Vec::new();
    for seed in 0..u64::from(request.seeds) {
        let traffic = request.at(load, request.seed.wrapping_add(seed));
        let run = |on_progress: noccl_run::OnProgress<'_>| {
            run_traffic(network, &traffic, &config, on_progress)
        };
        results.push(tally.run(run).map_err(|error| at_load(error, load))?);
        tally.finish_unit()?;
    }
    let most_cycles = request
        .latency_limit_cycles
        .unwrap_or(SATURATED_LATENCY_FACTOR * zero_load_cycles);
    let mut point = together(&results);
    point.mean.saturated |= point.mean.mean_latency_cycles > most_cycles;
    Ok(point)
}

/// A deadlock says at which of several loads.
fn at_load(error: RunError, load: f64) -> RunError {
    let RunError::Stall(mut diagnosis) = error else {
        return error;
    };
    let summary = &diagnosis.summary;
    diagnosis.summary = format!("at an offered load of {load} beats per cycle, {summary}");
    RunError::Stall(diagnosis)
}

/// Several seeds as one.
fn together(results: &[TrafficResult]) -> Point {
    let of = |value: fn(&TrafficResult) -> f64| -> Vec<f64> { results.iter().map(value).collect() };
    let optional = |value: fn(&TrafficResult) -> Option<f64>| {
        let values: Option<Vec<f64>> = results.iter().map(value).collect();
        values.map(|values| mean(&values))
    };
    let sum = |value: fn(&TrafficResult) -> u64| results.iter().map(value).sum::<u64>();
    let most = |value: fn(&TrafficResult) -> u64| {
        let values = results.iter().map(value);
        values.fold(value(&results[0]), u64::max)
    };
    let accepted = of(|result| result.accepted_beats_per_cycle);
    let latencies = of(|result| result.mean_latency_cycles);
    Point {
        accepted_half_width: interval_95(&accepted),
        latency_half_width: interval_95(&latencies),
        mean: TrafficResult {
            offered_beats_per_cycle: results[0].offered_beats_per_cycle,
            accepted_beats_per_cycle: mean(&accepted),
            mean_latency_cycles: mean(&latencies),
            p99_latency_cycles: most(|result| result.p99_latency_cycles),
            max_latency_cycles: most(|result| result.max_latency_cycles),
            packets: sum(|result| result.packets),
            flit_hops: sum(|result| result.flit_hops),
            cycles: sum(|result| result.cycles),
            saturated: results.iter().any(|result| result.saturated),
            accepted_flows_per_cycle: optional(|result| result.accepted_flows_per_cycle),
            received_per_flow: optional(|result| result.received_per_flow),
            open_flows: optional(|result| result.open_flows),
            contribution_wait_cycles: optional(|result| result.contribution_wait_cycles),
        },
    }
}
