// SPDX-License-Identifier: Apache-2.0
//! One load of a sweep: a run for each seed, and what they are together.

use super::TrafficRequest;
use crate::Error;
use crate::measure::runner::{interval_95, mean};
use noccl_net::counts::max_or_zero;
use noccl_net::{Coord, Network};
use noccl_run::{RunConfig, RunError, Tally, TrafficResult};
use noccl_sim::run_traffic;
use noccl_workload::{MAX_RANDOM_MEMBERS, Pattern};

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
        let traffic = request.at(network, load, request.seed.wrapping_add(seed));
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

// Saturation: the offered load beyond which latency runs away.
//
// Searched from the capacity downwards, always at the same loads, so that the result does not depend on the loads of a
// sweep; to within one per cent of itself, since capacities of large hot spots are thousandths of a beat per cycle.

/// Largest accepted ratio of a load that is saturated and one that is not.
const RESOLUTION: f64 = 1.01;
/// The search gives up below this fraction of the capacity.
const LEAST_OF_CAPACITY: f64 = 1.0 / 1024.0;
/// Runs that the search takes if saturation lies in the upper half of the capacity, for progress.
pub(super) const USUAL_RUNS: u64 = 9;

/// What the search found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Saturation {
    /// Highest load that was not saturated, within one per cent of one that was; absent if there was none of either.
    pub(super) load: Option<f64>,
    /// Largest accepted load of all runs.
    pub(super) max_accepted: f64,
}

/// Halves the load from the capacity downwards until the network is not saturated, then bisects.
pub(super) fn saturation(
    network: &Network,
    request: &TrafficRequest,
    (zero_load_cycles, capacity): (f64, f64),
    tally: &Tally<'_>,
) -> Result<Saturation, Error> {
    let mut max_accepted = 0.0_f64;
    let mut is_over = |load: f64| -> Result<bool, Error> {
        let result = point(network, request, load, zero_load_cycles, tally)?.mean;
        max_accepted = max_accepted.max(result.accepted_beats_per_cycle);
        Ok(result.saturated)
    };
    let mut high = capacity.min(1.0);
    let load = if is_over(high)? {
        let mut low = high / 2.0;
        while low >= capacity * LEAST_OF_CAPACITY && is_over(low)? {
            (high, low) = (low, low / 2.0);
        }
        if low < capacity * LEAST_OF_CAPACITY {
            None
        } else {
            while high > low * RESOLUTION {
                let middle = (high * low).sqrt();
                if is_over(middle)? {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            Some(low)
        }
    } else {
        None
    };
    Ok(Saturation { load, max_accepted })
}

// Latency of a pattern's packets in an otherwise empty network.

/// Mean latency of a packet in an otherwise empty network, over all packets of a pattern.
///
/// One packet over h hops takes 2h + 2 cycles to its first beat's handshake at the target (two cycles
/// per hop, and the two stages of the first router, as for every router on the path) and one more per
/// further beat; links and FIFOs of other sizes change what a hop and a beat take, and routers without links have one stage and no
/// hops, and routers with bypass pass several hops in a cycle. Words between cores are written and read without cycles of software. Every target of a row's multicast counts, of other multicasts and of reductions the last one.
/// Copies of unicasts in place of a multicast follow each other without a gap, contributions that nobody combines do not wait for each
/// other: there it is a lower bound. The published router sends an AW flit first.
#[must_use]
pub fn zero_load_latency_cycles(network: &Network, pattern: Pattern, beats: u32) -> f64 {
    let (width, height) = (network.cluster_width(), network.cluster_height());
    let address_flits = network.routers().address_flits;
    let serial = network.flit_cycles() * (address_flits + beats - 1);
    let all = || (0..width).flat_map(move |x| (0..height).map(move |y| Coord::new(x, y)));
    let (mut sum, mut count) = (0.0, 0.0);
    let mut add = |cycles: f64| {
        sum += cycles + f64::from(serial);
        count += 1.0;
    };
    let mesh = |at: Coord| network.mesh_coord(at);
    let alone = |from: Coord, to: Coord| network.idle_cycles(mesh(from), mesh(to));
    for from in all() {
        match pattern {
            Pattern::Uniform => all()
                .filter(|to| *to != from)
                .for_each(|to| add(f64::from(alone(from, to)))),
            Pattern::Transpose
            | Pattern::BitComplement
            | Pattern::Neighbour
            | Pattern::Tornado
            | Pattern::Hotspot => {
                if let Some(to) = pattern.destination(from, width, height) {
                    add(f64::from(alone(from, to)));
                }
            }
            Pattern::Broadcast | Pattern::CornerBroadcast => {
                if pattern.sends(from, width, height) {
                    let cycles = copies(network, mesh(from));
                    add(f64::from(max_or_zero(cycles)));
                }
            }
            Pattern::RandomMulticast => {
                let cycles = copies(network, mesh(from));
                add(mean_of_last(&cycles));
            }
            Pattern::ManyToOne => {
                let others = all().filter(|other| *other != from);
                let last = max_or_zero(others.map(|other| alone(other, from)));
                add(f64::from(last));
            }
            Pattern::RowMulticast => (0..width).for_each(|x| {
                let to = mesh(Coord::new(x, from.y));
                add(f64::from(network.idle_copy_cycles(mesh(from), to)));
            }),
        }
    }
    if count == 0.0 { 0.0 } else { sum / count }
}

/// Cycles to the copies of a broadcast, ascending. The source's own copy is never the last one.
fn copies(network: &Network, from: Coord) -> Vec<u32> {
    let others = network.clusters().map(|tile| network.coord(tile));
    let others = others.filter(|to| *to != from);
    let gap = u32::from(network.copies_are_unicasts());
    let cycles = (0..).zip(others);
    let cycles = cycles.map(|(before, to)| gap * before + network.idle_copy_cycles(from, to));
    let mut cycles: Vec<u32> = cycles.collect();
    cycles.sort_unstable();
    cycles
}

/// Expected latency of the last copy to a random set: each number of members is equally likely, and so is each set of them.
fn mean_of_last(cycles: &[u32]) -> f64 {
    let most = cycles.len().min(MAX_RANDOM_MEMBERS as usize);
    let mut sum = 0.0;
    for members in 2..=most {
        // How probable it is that all members are among the first ones.
        let mut within = 1.0;
        for last in (members - 1..cycles.len()).rev() {
            let fewer = within * (last + 1 - members) as f64 / (last + 1) as f64;
            sum += (within - fewer) * f64::from(cycles[last]);
            within = fewer;
        }
    }
    sum / (most - 1).max(1) as f64
}
