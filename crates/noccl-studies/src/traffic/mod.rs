// SPDX-License-Identifier: Apache-2.0
//! Latency over load: rate sweeps of open-loop traffic, accepted load, saturation.

mod point;

pub use point::zero_load_latency_cycles;

use crate::Error;
use crate::request::words;
#[cfg(feature = "clap")]
use crate::{parse_mode, parse_pattern, parse_threads};
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
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct TrafficRequest {
    /// uniform, transpose, bit_complement, neighbour, tornado, hotspot, row_multicast, broadcast, corner_broadcast, random_multicast
    /// or many_to_one
    #[cfg_attr(feature = "clap", arg(value_parser = parse_pattern))]
    #[serde(deserialize_with = "words::pattern")]
    pub pattern: Pattern,
    /// Beats per write burst, between cores words per packet [default: 16, or those of the longest packet if it has fewer; 1 of
    /// many_to_one; between cores a unit with header and tag, 34 words]
    #[cfg_attr(feature = "clap", arg(long))]
    pub beats: Option<u32>,
    /// Offered loads in beats per cluster that sends and cycle; of many_to_one reductions per cycle of the whole mesh [default: 0.05 to 0.5
    /// in steps of 0.05; of broadcasts, random multicasts and many_to_one tenths of the capacity]
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "LOAD,...", value_delimiter = ',')
    )]
    pub loads: Option<Vec<f64>>,
    /// Runs of each load, with this many seeds from --seed on; of several, means with 95 % intervals (1 to 1000)
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 1))]
    pub seeds: u32,
    /// A load is saturated if its mean latency exceeds this; three times that of an empty network otherwise
    #[cfg_attr(feature = "clap", arg(long = "latency-limit", value_name = "CYCLES"))]
    pub latency_limit_cycles: Option<f64>,
    /// Do not look for the saturation load
    #[cfg_attr(feature = "clap", arg(long = "no-saturation", action = clap::ArgAction::SetFalse))]
    pub has_saturation: bool,
    /// Cycles before measuring starts
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "CYCLES", default_value_t = 2_000)
    )]
    pub warmup_cycles: u64,
    /// Cycles measured
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "CYCLES", default_value_t = 8_000)
    )]
    pub measure_cycles: u64,
    /// Seed of the injection and destination streams
    #[cfg_attr(feature = "clap", arg(long, default_value_t = 1))]
    pub seed: u64,
    /// value or timing
    #[cfg_attr(feature = "clap", arg(long, default_value = "timing", value_parser = parse_mode))]
    #[serde(deserialize_with = "words::mode")]
    pub mode: Mode,
    /// Threads of one run; the result does not depend on it (1 to 256)
    #[cfg_attr(feature = "clap", arg(long, default_value_t = 1, value_parser = parse_threads))]
    pub threads: usize,
}

impl TrafficRequest {
    /// 2000 cycles of warm-up, 8000 measured, in timing mode; beats and loads by the network.
    #[must_use]
    pub const fn new(pattern: Pattern) -> Self {
        Self {
            pattern,
            beats: None,
            loads: None,
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

    /// Beats of a packet, on a network that says how many it usually has.
    #[must_use]
    pub fn beats(&self, network: &Network) -> u32 {
        self.beats
            .unwrap_or_else(|| match self.pattern == Pattern::ManyToOne {
                true => 1,
                false => network.usual_packet_beats(),
            })
    }

    /// Offered loads; of broadcasts, multicasts and reductions tenths of the network's capacity if none are given.
    #[must_use]
    pub fn loads(&self, network: &Network) -> Vec<f64> {
        if let Some(loads) = &self.loads {
            return loads.clone();
        }
        let all = (1..=10).map(f64::from);
        if !self.pattern.is_collective() {
            return all.map(|n| n * 0.05).collect();
        }
        let beats = self.beats(network).max(1);
        let capacity = capacity_beats_per_cycle(network, self.pattern, beats);
        all.map(|n| n / 10.0 * capacity).collect()
    }

    fn at(&self, network: &Network, offered_beats_per_cycle: f64, seed: u64) -> Traffic {
        Traffic {
            pattern: self.pattern,
            beats: self.beats(network),
            offered_beats_per_cycle,
            warmup_cycles: self.warmup_cycles,
            measure_cycles: self.measure_cycles,
            seed,
        }
    }
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
    let (beats, loads) = (request.beats(network), request.loads(network));
    let zero_load = zero_load_latency_cycles(network, request.pattern, beats);
    let capacity = capacity_beats_per_cycle(network, request.pattern, beats);
    let searched = if request.has_saturation {
        point::USUAL_RUNS
    } else {
        0
    };
    let runs = (loads.len() as u64 + searched) * u64::from(request.seeds);
    let tally = Tally::new(watch, runs);
    let points: Vec<TrafficPoint> = loads
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
        beats,
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
    let (beats, loads) = (request.beats(network), request.loads(network));
    if let Some(load) = loads.iter().find(|l| !(**l > 0.0 && **l <= 1.0)) {
        return Err(Error::argument(
            "--loads",
            load,
            "accepted: beats per cluster and cycle, above 0 and at most 1",
        ));
    }
    let (longest, field) = network.longest_packet_beats();
    if beats == 0 || beats > longest {
        return Err(Error::argument(
            "--beats",
            beats,
            format!("accepted: 1 to {longest} ({field})"),
        ));
    }
    if request.pattern == Pattern::ManyToOne && beats != 1 {
        let accepted = "accepted: 1, as a contribution is one flit";
        return Err(Error::argument("--beats", beats, accepted));
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
