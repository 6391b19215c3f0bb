// SPDX-License-Identifier: Apache-2.0
//! Latency over load: rate sweeps of open-loop traffic, accepted load, saturation.

mod saturation;

use crate::Error;
use noccl_model::capacity_beats_per_cycle;
use noccl_net::{Coord, Network};
use noccl_run::{Mode, RunConfig, RunError, Tally, TrafficResult, Watch, gb_per_s, time_ns};
use noccl_sim::run_traffic;
use noccl_spec::Plane;
use noccl_workload::{MAX_TRAFFIC_CYCLES, Pattern, Traffic};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A sweep over offered loads.
#[derive(Debug, Clone, PartialEq)]
pub struct TrafficRequest {
    /// Where packets go.
    pub pattern: Pattern,
    /// Beats per write burst.
    pub beats: u32,
    /// Offered loads in beats per cluster and cycle, each above 0 and at most 1.
    pub loads: Vec<f64>,
    /// Look for the saturation load.
    pub has_saturation: bool,
    /// Cycles before measuring starts.
    pub warmup_cycles: u64,
    /// Cycles measured.
    pub measure_cycles: u64,
    /// Seed of the injection and destination streams.
    pub seed: u64,
    /// Value or timing mode.
    pub mode: Mode,
    /// Threads of one run.
    pub threads: usize,
}

impl TrafficRequest {
    /// 16-beat writes at ten loads, 2000 cycles of warm-up, 8000 measured, in timing mode.
    #[must_use]
    pub fn new(pattern: Pattern) -> Self {
        Self {
            pattern,
            beats: 16,
            loads: (1..=10).map(|n| f64::from(n) * 0.05).collect(),
            has_saturation: true,
            warmup_cycles: 2_000,
            measure_cycles: 8_000,
            seed: 1,
            mode: Mode::Timing,
            threads: 1,
        }
    }

    fn at(&self, offered_beats_per_cycle: f64) -> Traffic {
        Traffic {
            pattern: self.pattern,
            beats: self.beats,
            offered_beats_per_cycle,
            warmup_cycles: self.warmup_cycles,
            measure_cycles: self.measure_cycles,
            seed: self.seed,
        }
    }
}

/// A measured sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrafficReport {
    /// Name of the network.
    pub network: String,
    /// Where packets go.
    pub pattern: Pattern,
    /// Beats per write burst.
    pub beats: u32,
    /// Clock of the network.
    #[serde(default)]
    pub clock_ghz: f64,
    /// Mean over all packets that the pattern can send of the latency in an empty network: exact.
    pub zero_load_latency_cycles: f64,
    /// Upper bound on the offered load: beats per cluster and cycle that the busiest link lets pass.
    pub capacity_beats_per_cycle: f64,
    /// Largest accepted load seen; of multicasts every target counts.
    pub max_accepted_beats_per_cycle: f64,
    /// Highest offered load that was not saturated, within 1 % of one that was; absent if not asked for, not reached
    /// at the capacity, or below a thousandth of it.
    pub saturation_beats_per_cycle: Option<f64>,
    /// One point per load.
    pub points: Vec<TrafficPoint>,
}

/// One load of a sweep. Latency: from a packet's creation to the handshake of its last beat at its target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrafficPoint {
    /// Beats offered per cluster and cycle.
    pub offered_beats_per_cycle: f64,
    /// Beats delivered per cluster and cycle while measuring (a multicast counts once per target).
    pub accepted_beats_per_cycle: f64,
    /// The same per cluster at the network's clock (10^9 bytes per second).
    #[serde(default)]
    pub accepted_gb_per_s: f64,
    /// Mean latency in cycles of the packets created while measuring.
    pub mean_latency_cycles: f64,
    /// The same at the network's clock.
    #[serde(default)]
    pub mean_latency_ns: f64,
    /// 99th percentile of the latency.
    pub p99_latency_cycles: u64,
    /// Largest latency.
    pub max_latency_cycles: u64,
    /// Packets created while measuring.
    pub packets: u64,
    /// Flit-hops of the whole run.
    pub flit_hops: u64,
    /// Cycles of the whole run, drain included.
    pub cycles: u64,
    /// Did the source queues grow without bound?
    pub saturated: bool,
}

impl TrafficPoint {
    fn new(network: &Network, result: &TrafficResult) -> Self {
        let clock_ghz = network.spec().clock_ghz;
        let beat_bytes = f64::from(network.plane(Plane::Wide).data_bytes);
        Self {
            offered_beats_per_cycle: result.offered_beats_per_cycle,
            accepted_beats_per_cycle: result.accepted_beats_per_cycle,
            accepted_gb_per_s: gb_per_s(result.accepted_beats_per_cycle * beat_bytes, clock_ghz),
            mean_latency_cycles: result.mean_latency_cycles,
            mean_latency_ns: time_ns(result.mean_latency_cycles, clock_ghz),
            p99_latency_cycles: result.p99_latency_cycles,
            max_latency_cycles: result.max_latency_cycles,
            packets: result.packets,
            flit_hops: result.flit_hops,
            cycles: result.cycles,
            saturated: result.saturated,
        }
    }
}

/// A mean latency over this many times the zero-load latency counts as saturated.
const SATURATED_LATENCY_FACTOR: f64 = 3.0;

/// Sweeps the offered load.
///
/// # Errors
/// [`Error::Argument`] for loads, beats or patterns that cannot be; [`Error::Run`] if a run stalls.
pub fn traffic(
    network: &Network,
    request: &TrafficRequest,
    watch: Watch<'_>,
) -> Result<TrafficReport, Error> {
    check(network, request)?;
    let zero_load = zero_load_latency_cycles(network, request.pattern, request.beats);
    let capacity = capacity_beats_per_cycle(network, request.pattern, request.beats);
    let searched = if request.has_saturation {
        saturation::USUAL_RUNS
    } else {
        0
    };
    let tally = Tally::new(watch, request.loads.len() as u64 + searched);
    let points: Vec<TrafficPoint> = request
        .loads
        .par_iter()
        .map(|load| {
            let point = point(network, request, *load, zero_load, &tally)?;
            tally.finish_unit()?;
            Ok(TrafficPoint::new(network, &point))
        })
        .collect::<Result<_, RunError>>()?;
    let found = if request.has_saturation {
        saturation::saturation(network, request, (zero_load, capacity), &tally)?
    } else {
        saturation::Saturation {
            load: None,
            max_accepted: 0.0,
        }
    };
    Ok(TrafficReport {
        network: network.spec().name.clone(),
        pattern: request.pattern,
        beats: request.beats,
        clock_ghz: network.spec().clock_ghz,
        zero_load_latency_cycles: zero_load,
        capacity_beats_per_cycle: capacity,
        max_accepted_beats_per_cycle: points
            .iter()
            .map(|p| p.accepted_beats_per_cycle)
            .fold(found.max_accepted, f64::max),
        saturation_beats_per_cycle: found.load,
        points,
    })
}

/// Mean latency of a packet in an otherwise empty network, over all packets of a pattern.
///
/// One packet over h hops takes 2h + 2 cycles to its first beat's handshake at the target (two cycles
/// per hop, and the two stages of the first router, as for every router on the path) and one more per
/// further beat; links and FIFOs of other sizes change what a hop and a beat take, and routers without links have one stage and no
/// hops, and routers with bypass pass several hops in a cycle. Every target of a multicast counts. The published router sends an AW flit first.
#[must_use]
pub fn zero_load_latency_cycles(network: &Network, pattern: Pattern, beats: u32) -> f64 {
    let (width, height) = (network.cluster_width(), network.cluster_height());
    let address_flits = network.routers().address_flits;
    let serial = network.flit_cycles() * (address_flits + beats - 1);
    let all = || (0..width).flat_map(move |x| (0..height).map(move |y| Coord::new(x, y)));
    let (mut sum, mut count) = (0.0, 0.0);
    let mut add = |cycles: u32| {
        sum += f64::from(cycles + serial);
        count += 1.0;
    };
    let mesh = |at: Coord| network.mesh_coord(at);
    let alone = |from: Coord, to: Coord| network.idle_cycles(mesh(from), mesh(to));
    for from in all() {
        match pattern {
            Pattern::Uniform => all()
                .filter(|to| *to != from)
                .for_each(|to| add(alone(from, to))),
            Pattern::Transpose
            | Pattern::BitComplement
            | Pattern::Neighbour
            | Pattern::Tornado
            | Pattern::Hotspot => {
                if let Some(to) = pattern.destination(from, width, height) {
                    add(alone(from, to));
                }
            }
            Pattern::RowMulticast => (0..width).for_each(|x| {
                let to = mesh(Coord::new(x, from.y));
                add(network.idle_copy_cycles(mesh(from), to));
            }),
        }
    }
    if count == 0.0 { 0.0 } else { sum / count }
}

/// One load. Saturated: packets of the measured cycles are still in the network when the run gives up, or latency grows without a limit.
fn point(
    network: &Network,
    request: &TrafficRequest,
    load: f64,
    zero_load_cycles: f64,
    tally: &Tally<'_>,
) -> Result<TrafficResult, RunError> {
    let mut config = RunConfig::new(request.mode);
    config.threads = request.threads;
    let traffic = request.at(load);
    let result = tally.run(|on_progress| run_traffic(network, &traffic, &config, on_progress))?;
    let most_cycles = SATURATED_LATENCY_FACTOR * zero_load_cycles;
    Ok(TrafficResult {
        saturated: result.saturated || result.mean_latency_cycles > most_cycles,
        ..result
    })
}

fn check(network: &Network, request: &TrafficRequest) -> Result<(), Error> {
    if let Some(load) = request.loads.iter().find(|l| !(**l > 0.0 && **l <= 1.0)) {
        return Err(Error::argument(
            "--loads",
            load,
            "accepted: beats per cluster and cycle, above 0 and at most 1",
        ));
    }
    let longest = network.spec().ni.max_burst_beats;
    if request.beats == 0 || request.beats > longest {
        return Err(Error::argument(
            "--beats",
            request.beats,
            format!("accepted: 1 to ni.max_burst_beats = {longest}"),
        ));
    }
    let (width, height) = (network.cluster_width(), network.cluster_height());
    if matches!(request.pattern, Pattern::Transpose) && width != height {
        return Err(Error::argument(
            "pattern",
            "transpose",
            format!("needs as many columns as rows of clusters, but there are {width}x{height}"),
        ));
    }
    if matches!(request.pattern, Pattern::Tornado) && width < 3 {
        let accepted =
            format!("needs at least three columns of clusters, but there are {width}x{height}");
        return Err(Error::argument("pattern", "tornado", accepted));
    }
    if u32::from(width) * u32::from(height) < 2 {
        return Err(Error::argument(
            "--spec",
            &network.spec().name,
            "traffic needs at least two clusters",
        ));
    }
    for (name, cycles, least) in [
        ("--warmup-cycles", request.warmup_cycles, 0),
        ("--measure-cycles", request.measure_cycles, 1),
    ] {
        if !(least..=MAX_TRAFFIC_CYCLES).contains(&cycles) {
            let accepted = format!("accepted: {least} to 2^36 = {MAX_TRAFFIC_CYCLES}");
            return Err(Error::argument(name, cycles, accepted));
        }
    }
    Ok(())
}
