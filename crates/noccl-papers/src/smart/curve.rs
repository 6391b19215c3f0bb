// SPDX-License-Identifier: Apache-2.0
//! Latency over load by S2's conventions: loads of the whole mesh, latencies between routers and a cycle besides.
//!
//! S2 does not say from where to where it counts. Its rows do not share one account: some fit latencies from the first request to the latch
//! in the last router, others need about a cycle more. All rows here have one account: that, and one cycle for the Local port.

use super::designs::{Design, Setting};
use crate::statistics::Estimate;
use noccl_net::Network;
use noccl_run::{Mode, RunConfig, Tally, TrafficResult};
use noccl_sim::run_traffic;
use noccl_studies::Error;
use noccl_workload::{Pattern, Traffic};
use rayon::prelude::*;

/// Fitted to claim 6, the one row that a latency is fitted to.
pub(super) const LOCAL_PORT_CYCLES: f64 = 1.0;
/// The load of latencies without contention, packets or reductions per cycle of the mesh.
pub(super) const LOW_LOAD: f64 = 0.05;
/// A mean latency beyond which a mesh counts as saturated: one for all curves of all figures, twice the baseline's alone.
pub(super) const LIMIT_CYCLES: f64 = 60.0;
/// Cycles of latency at which a curve ends.
const END_CYCLES: f64 = 4.0 * LIMIT_CYCLES;

/// How long, and how often.
#[derive(Clone, Copy)]
pub(super) struct Effort<'a> {
    pub(super) tally: &'a Tally<'a>,
    pub(super) seeds: u64,
    pub(super) measure_cycles: u64,
}

/// One load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sample {
    pub(super) offered: f64,
    pub(super) accepted: Estimate,
    pub(super) latency: Estimate,
    /// Contributions that a root gets, and reductions in flight.
    pub(super) received: Estimate,
    pub(super) open: Estimate,
    /// Cycles that a contribution waits in a router.
    pub(super) wait: Estimate,
    /// Were measured packets still in flight when a run gave up? Its latency is that of the others then.
    is_stuck: bool,
}

impl Sample {
    const fn is_within_limit(&self) -> bool {
        !self.is_stuck && self.latency.mean <= LIMIT_CYCLES
    }

    /// Latency, of what is not saturated.
    pub(super) const fn latency_within_limit(&self) -> f64 {
        if self.is_within_limit() {
            self.latency.mean
        } else {
            f64::INFINITY
        }
    }

    /// Latency with its interval.
    pub(super) fn latency_text(&self) -> String {
        let of = self.latency;
        if of.half_width > 0.0 {
            format!("{:.2} ± {:.2}", of.mean, of.half_width)
        } else {
            format!("{:.2}", of.mean)
        }
    }

    /// Accepted load with its interval.
    pub(super) fn accepted_text(&self) -> String {
        let of = self.accepted;
        if of.half_width > 0.0 {
            format!("{:.3} ± {:.3}", of.mean, of.half_width)
        } else {
            format!("{:.3}", of.mean)
        }
    }
}

/// More than any bound lets pass, in packets or reductions per cycle of the mesh.
pub(super) const fn full_offer(pattern: Pattern) -> f64 {
    match pattern {
        Pattern::ManyToOne => 1.0,
        Pattern::CornerBroadcast | Pattern::Broadcast => 1.5,
        Pattern::RandomMulticast => 2.5,
        Pattern::Uniform
        | Pattern::Transpose
        | Pattern::BitComplement
        | Pattern::Neighbour
        | Pattern::Tornado
        | Pattern::Hotspot
        | Pattern::RowMulticast => 64.0,
    }
}

/// To what a load at the limit of latency is searched.
const fn limit_step(pattern: Pattern) -> f64 {
    full_offer(pattern) / 100.0
}

/// Where the load at the limit lies: the last one that was found within it, and the first one beyond.
pub(super) fn between(pattern: Pattern, load: f64) -> (f64, f64) {
    (load, full_offer(pattern).min(load + limit_step(pattern)))
}

impl Effort<'_> {
    /// One load, over all seeds.
    pub(super) fn sample(
        self,
        network: &Network,
        pattern: Pattern,
        offered: f64,
    ) -> Result<Sample, Error> {
        let (width, height) = (network.cluster_width(), network.cluster_height());
        let senders = pattern.num_senders(width, height) as f64;
        let seeds: Vec<u64> = (1..=self.seeds).collect();
        let run = |seed: &u64| {
            let traffic = Traffic {
                pattern,
                beats: 1,
                offered_beats_per_cycle: offered / senders,
                warmup_cycles: 1_000,
                measure_cycles: self.measure_cycles,
                seed: *seed,
            };
            let config = RunConfig::new(Mode::Timing);
            (self.tally).run(|on_progress| run_traffic(network, &traffic, &config, on_progress))
        };
        let results: Vec<TrafficResult> = seeds.par_iter().map(run).collect::<Result<_, _>>()?;
        let interfaces = network.interface_cycles().map_or(f64::NAN, f64::from);
        let clusters = network.clusters().count() as f64;
        let accepted: Vec<f64> = results
            .iter()
            .map(|result| {
                let flits = result.accepted_beats_per_cycle * clusters;
                result.accepted_flows_per_cycle.unwrap_or(flits)
            })
            .collect();
        let latencies: Vec<f64> = results
            .iter()
            .map(|result| result.mean_latency_cycles - interfaces + LOCAL_PORT_CYCLES)
            .collect();
        // Of patterns without reductions there are none.
        let of = |value: fn(&TrafficResult) -> Option<f64>| {
            let values: Vec<f64> = results.iter().filter_map(value).collect();
            if values.is_empty() {
                Estimate::known(0.0)
            } else {
                Estimate::of(&values)
            }
        };
        Ok(Sample {
            offered,
            accepted: Estimate::of(&accepted),
            latency: Estimate::of(&latencies),
            received: of(|result| result.received_per_flow),
            open: of(|result| result.open_flows),
            wait: of(|result| result.contribution_wait_cycles),
            is_stuck: results.iter().any(|result| result.saturated),
        })
    }

    /// Without contention.
    pub(super) fn low(
        self,
        design: Design,
        setting: Setting,
        pattern: Pattern,
    ) -> Result<Sample, Error> {
        let longer = Effort {
            measure_cycles: 5 * self.measure_cycles,
            ..self
        };
        longer.sample(&design.network(setting)?, pattern, LOW_LOAD)
    }

    /// Accepted load at full offer.
    pub(super) fn full(
        self,
        design: Design,
        setting: Setting,
        pattern: Pattern,
    ) -> Result<Sample, Error> {
        self.sample(&design.network(setting)?, pattern, full_offer(pattern))
    }

    /// Highest load at which the mean latency stays within the limit, to a hundredth of the full offer: [`between`] says what that leaves open.
    pub(super) fn at_limit(
        self,
        design: Design,
        setting: Setting,
        pattern: Pattern,
    ) -> Result<f64, Error> {
        let network = design.network(setting)?;
        let (mut low, mut high) = (0.0, full_offer(pattern));
        if self.sample(&network, pattern, high)?.is_within_limit() {
            return Ok(high);
        }
        let step = limit_step(pattern);
        while high - low > step {
            let middle = f64::midpoint(low, high);
            if self.sample(&network, pattern, middle)?.is_within_limit() {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }

    /// Loads up to the first one that is far beyond the limit; none of a design that cannot be: slots of so many phases need a longer interval.
    pub(super) fn curve(
        self,
        design: Design,
        setting: Setting,
        pattern: Pattern,
        loads: &[f64],
    ) -> Result<Vec<Sample>, Error> {
        let Ok(network) = design.network(setting) else {
            return Ok(Vec::new());
        };
        let mut curve = Vec::new();
        for load in loads {
            let sample = self.sample(&network, pattern, *load)?;
            if sample.is_stuck || sample.latency.mean > END_CYCLES {
                break;
            }
            curve.push(sample);
        }
        Ok(curve)
    }
}
