// SPDX-License-Identifier: Apache-2.0
//! Latency over load: rate sweeps of open-loop traffic, accepted load, saturation.

mod point;

pub use point::zero_load_latency_cycles;

use crate::Error;
use noccl_model::capacity_beats_per_cycle;
use noccl_net::Network;
use noccl_run::{Mode, RunError, Tally, Watch, gb_per_s, time_ns};
use noccl_workload::{MAX_TRAFFIC_CYCLES, Pattern, Traffic, WorkloadError, check_pattern};
use point::{Point, point};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A sweep over offered loads.
#[derive(Debug, Clone, PartialEq)]
pub struct TrafficRequest {
    /// Where packets go.
    pub pattern: Pattern,
    /// Beats per write burst; between cores words per packet.
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
    /// Runs of each load, with this seed and those after it, 1 to 1000.
    pub seeds: u32,
    /// Mean latency from which on a load counts as saturated; three times that of an empty network if absent.
    pub latency_limit_cycles: Option<f64>,
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
            seeds: 1,
            latency_limit_cycles: None,
            mode: Mode::Timing,
            threads: 1,
        }
    }

    /// The same with packets that a network carries, and, of broadcasts, multicasts and reductions, tenths of its capacity as loads.
    #[must_use]
    pub fn on(network: &Network, pattern: Pattern) -> Self {
        let mut request = Self::new(pattern);
        request.beats = network.usual_packet_beats();
        if pattern == Pattern::ManyToOne {
            request.beats = 1;
        }
        if pattern.is_collective() {
            request.loads = loads_of_capacity(network, pattern, request.beats);
        }
        request
    }

    fn at(&self, offered_beats_per_cycle: f64, seed: u64) -> Traffic {
        Traffic {
            pattern: self.pattern,
            beats: self.beats,
            offered_beats_per_cycle,
            warmup_cycles: self.warmup_cycles,
            measure_cycles: self.measure_cycles,
            seed,
        }
    }
}

/// Tenths of the capacity.
#[must_use]
pub fn loads_of_capacity(network: &Network, pattern: Pattern, beats: u32) -> Vec<f64> {
    let capacity = capacity_beats_per_cycle(network, pattern, beats);
    (1..=10).map(|n| f64::from(n) / 10.0 * capacity).collect()
}

/// A measured sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrafficReport {
    /// Name of the network.
    pub network: String,
    /// Fields that were set beside the spec's file, by their dotted paths; `network` names them too.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub overrides: BTreeMap<String, String>,
    /// Where packets go.
    pub pattern: Pattern,
    /// Beats per write burst.
    pub beats: u32,
    /// Clock of the network.
    #[serde(default)]
    pub clock_ghz: f64,
    /// Mean over all packets that the pattern can send of the latency in an empty network: exact.
    pub zero_load_latency_cycles: f64,
    /// Upper bound on the offered load: beats per cluster and cycle that the busiest link lets pass; reductions per cycle of the mesh.
    pub capacity_beats_per_cycle: f64,
    /// Largest accepted load seen; of multicasts every target counts.
    pub max_accepted_beats_per_cycle: f64,
    /// Highest offered load that was not saturated, within 1 % of one that was; absent if not asked for, not reached
    /// at the capacity, or below a thousandth of it.
    pub saturation_beats_per_cycle: Option<f64>,
    /// Mean latency from which on a load counted as saturated, if one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_limit_cycles: Option<f64>,
    /// One point per load.
    pub points: Vec<TrafficPoint>,
}

/// One load of a sweep. Latency: from a packet's creation to the handshake of its last beat at its target, of broadcasts, random multicasts
/// and reductions at the last of their targets. Of several seeds: means of loads and latencies, the greatest p99 and maximum, sums of
/// packets, flit-hops and cycles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrafficPoint {
    /// Beats offered per cluster that sends and cycle; reductions per cycle of the whole mesh.
    pub offered_beats_per_cycle: f64,
    /// Beats delivered per cluster and cycle while measuring (a multicast counts once per target); reductions completed per cycle of
    /// the whole mesh.
    pub accepted_beats_per_cycle: f64,
    /// The same per cluster at the network's clock (10^9 bytes per second).
    #[serde(default)]
    pub accepted_gb_per_s: f64,
    /// Mean latency in cycles of the packets created while measuring; like the other latencies absent (null) if there was none.
    pub mean_latency_cycles: Option<f64>,
    /// The same at the network's clock.
    #[serde(default)]
    pub mean_latency_ns: Option<f64>,
    /// 99th percentile of the latency.
    pub p99_latency_cycles: Option<u64>,
    /// Largest latency.
    pub max_latency_cycles: Option<u64>,
    /// Packets created while measuring.
    pub packets: u64,
    /// Flit-hops of the whole run.
    pub flit_hops: u64,
    /// Cycles of the whole run, drain included.
    pub cycles: u64,
    /// Did the source queues grow without bound?
    pub saturated: bool,
    /// Half-width of the 95 % interval of the accepted load, of several seeds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_half_width_beats_per_cycle: Option<f64>,
    /// Half-width of the 95 % interval of the mean latency, of several seeds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_latency_half_width_cycles: Option<f64>,
    /// Mean latency from the first request of a router to the last router, where interfaces are apart from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_router_latency_cycles: Option<f64>,
    /// Broadcasts, random multicasts or reductions that the whole mesh has completed per cycle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_flows_per_cycle: Option<f64>,
    /// Contributions that a root has got per reduction, combined ones counted once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received_per_flow: Option<f64>,
    /// Reductions in flight, mean over the measured cycles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_flows: Option<f64>,
    /// Cycles that a contribution stands in a router beyond those of an idle one, mean over routers that combine contributions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contribution_wait_cycles: Option<f64>,
}

impl TrafficPoint {
    fn new(network: &Network, point: &Point) -> Self {
        let result = &point.mean;
        let clock_ghz = network.spec().clock_ghz;
        let beat_bytes = f64::from(network.data_plane().data_bytes);
        let has_packets = result.packets > 0;
        let mean_cycles = has_packets.then_some(result.mean_latency_cycles);
        Self {
            offered_beats_per_cycle: result.offered_beats_per_cycle,
            accepted_beats_per_cycle: result.accepted_beats_per_cycle,
            accepted_gb_per_s: gb_per_s(result.accepted_beats_per_cycle * beat_bytes, clock_ghz),
            mean_latency_cycles: mean_cycles,
            mean_latency_ns: mean_cycles.map(|cycles| time_ns(cycles, clock_ghz)),
            p99_latency_cycles: has_packets.then_some(result.p99_latency_cycles),
            max_latency_cycles: has_packets.then_some(result.max_latency_cycles),
            packets: result.packets,
            flit_hops: result.flit_hops,
            cycles: result.cycles,
            saturated: result.saturated,
            accepted_half_width_beats_per_cycle: point.accepted_half_width,
            mean_latency_half_width_cycles: point.latency_half_width,
            mean_router_latency_cycles: mean_cycles
                .zip(network.interface_cycles())
                .map(|(mean, interfaces)| mean - f64::from(interfaces)),
            accepted_flows_per_cycle: result.accepted_flows_per_cycle,
            received_per_flow: result.received_per_flow,
            open_flows: result.open_flows,
            contribution_wait_cycles: result.contribution_wait_cycles,
        }
    }
}

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
        point::USUAL_RUNS
    } else {
        0
    };
    let runs = (request.loads.len() as u64 + searched) * u64::from(request.seeds);
    let tally = Tally::new(watch, runs);
    let points: Vec<TrafficPoint> = request
        .loads
        .par_iter()
        .map(|load| {
            let point = point(network, request, *load, zero_load, &tally)?;
            Ok(TrafficPoint::new(network, &point))
        })
        .collect::<Result<_, RunError>>()?;
    let found = if request.has_saturation {
        point::saturation(network, request, (zero_load, capacity), &tally)?
    } else {
        point::Saturation {
            load: None,
            max_accepted: 0.0,
        }
    };
    Ok(TrafficReport {
        network: network.spec().label(),
        overrides: network.spec().overrides.iter().cloned().collect(),
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
        latency_limit_cycles: request.latency_limit_cycles,
        points,
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
    let (longest, field) = network.longest_packet_beats();
    if request.beats == 0 || request.beats > longest {
        return Err(Error::argument(
            "--beats",
            request.beats,
            format!("accepted: 1 to {longest} ({field})"),
        ));
    }
    if request.pattern == Pattern::ManyToOne && request.beats != 1 {
        let accepted = "accepted: 1, as a contribution is one flit";
        return Err(Error::argument("--beats", request.beats, accepted));
    }
    if !(1..=1000).contains(&request.seeds) {
        let accepted = "accepted: 1 to 1000";
        return Err(Error::argument("--seeds", request.seeds, accepted));
    }
    if let Some(limit) = request.latency_limit_cycles
        && !(limit >= 1.0 && limit.is_finite())
    {
        let accepted = "accepted: cycles, 1 or more";
        return Err(Error::argument("--latency-limit", limit, accepted));
    }
    let (width, height) = (network.cluster_width(), network.cluster_height());
    if u32::from(width) * u32::from(height) < 2 {
        return Err(Error::argument(
            "--spec",
            &network.spec().name,
            "traffic needs at least two clusters",
        ));
    }
    if let Err(WorkloadError::Field {
        found, accepted, ..
    }) = check_pattern(network, request.pattern)
    {
        let accepted = format!("accepted: {accepted}");
        return Err(Error::argument("pattern", found, accepted));
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
