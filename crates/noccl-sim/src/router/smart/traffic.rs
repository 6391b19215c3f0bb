// SPDX-License-Identifier: Apache-2.0
//! Open-loop traffic over routers with bypass (`crate::driver::open_loop`): packets of flits to one tile, to several, or to a root.

use super::SmartNetwork;
use super::diagnose::diagnose;
use super::multicasts::Multicast;
use super::packet::Combining;
use super::plane::SmartPlane;
use super::stays::Stayed;
use crate::driver::measurement::{Measurement, measured_until};
use crate::driver::open_loop::{OpenLoop, Sources, TrafficNetwork};
use crate::router::stalls::Stalls;
use noccl_net::capabilities::MulticastTrees;
use noccl_net::{Coord, Network, TreeTable};
use noccl_run::{Diagnosis, RunConfig, RunError, TrafficResult};
use noccl_workload::{MAX_RANDOM_MEMBERS, Pattern, Traffic};

/// What a source always sends over, once it is made.
#[derive(Default)]
struct Kept {
    /// The tree of its multicasts.
    multicast: Option<Multicast>,
    /// What all others contribute to, with it as root.
    reduction: Option<TreeTable>,
}

/// The network, and what its sources keep.
pub(crate) struct SmartPackets {
    trees: Option<MulticastTrees>,
    stalls: Stalls,
    pub(super) plane: SmartPlane,
    kept: Vec<Kept>,
    /// Stays in routers before the measured cycles, and before those that follow.
    stayed: [Option<Stayed>; 2],
    /// Reductions that are complete in this cycle, with their tags.
    complete: Vec<(u32, u64)>,
}

/// A run of traffic before its first cycle.
///
/// # Errors
/// [`RunError::Refused`].
pub(crate) fn traffic_run<'a>(
    network: &'a Network,
    traffic: &'a Traffic,
    config: &RunConfig,
) -> Result<OpenLoop<'a, SmartPackets>, RunError> {
    let SmartNetwork { smart, .. } = SmartNetwork::new(network)?;
    let packets = SmartPackets {
        trees: network.multicast_trees(),
        stalls: Stalls::new(config),
        plane: SmartPlane::new(network, smart, 0),
        kept: network.clusters().map(|_| Kept::default()).collect(),
        stayed: [None; 2],
        complete: Vec::new(),
    };
    OpenLoop::new(network, traffic, config, packets)
}

/// All sources but one.
fn others(sources: &Sources<'_>, source: u32) -> Vec<Coord> {
    let others = (0..).zip(&sources.all).filter(|(i, _)| *i != source);
    others.map(|(_, other)| other.at).collect()
}

/// Some of the others: number and members equally likely.
fn drawn(sources: &mut Sources<'_>, source: u32) -> Vec<Coord> {
    let mut others = others(sources, source);
    let most = (others.len() as u64).min(u64::from(MAX_RANDOM_MEMBERS));
    let stream = &mut sources.all[source as usize].stream;
    let count = 2 + stream.below(most - 1) as usize;
    for i in 0..count {
        let from = i + stream.below((others.len() - i) as u64) as usize;
        others.swap(i, from);
    }
    others.truncate(count);
    others
}

fn row_of(network: &Network, at: Coord) -> Vec<Coord> {
    let first = network.cluster_origin().x;
    let columns = first..first + network.cluster_width();
    columns.map(|x| Coord::new(x, at.y)).collect()
}

impl SmartPackets {
    /// All clusters but the root contribute to a reduction.
    fn reduce(
        &mut self,
        cycle: u64,
        source: u32,
        sources: &mut Sources<'_>,
        measurement: &mut Measurement<'_>,
    ) {
        let roots = sources.all.len() as u64;
        let root = sources.all[source as usize].stream.below(roots) as u32;
        let tag = measurement.create(cycle, 1);
        let at = sources.all[root as usize].at;
        let kept = self.kept[root as usize].reduction.take();
        let table =
            kept.unwrap_or_else(|| sources.network.shared_reduction(at, &others(sources, root)));
        let count = sources.all.len() as u32 - 1;
        let reduction = (self.plane).add_reduction(&table, count, Combining::Count, tag);
        for (member, source) in (0..).zip(&sources.all) {
            if member != root {
                self.plane.send_contribution(source.tile, reduction, &[]);
            }
        }
        self.kept[root as usize].reduction = Some(table);
    }

    /// Mean cycles that a contribution has stood in a router while measuring, beyond those of an idle one; none where they are not combined.
    fn contribution_wait_cycles(&self, cycle: u64) -> Option<f64> {
        let [before, behind] = self.stayed;
        let behind = behind.unwrap_or_else(|| self.plane.stays.before(cycle));
        let mean = behind.mean_since(before?)?;
        let n = &self.plane.n;
        let is_combining = n.is_complete || n.is_opportunistic;
        is_combining.then(|| mean - f64::from(n.setup_cycles - n.granted_cycles))
    }
}

impl TrafficNetwork for SmartPackets {
    fn sends(&self, sources: &Sources<'_>, source: u32) -> bool {
        let (network, pattern) = (sources.network, sources.traffic.pattern);
        let (width, height) = (network.cluster_width(), network.cluster_height());
        // One stream decides when reductions start.
        let is_first = source == 0 || !pattern.is_of_mesh();
        is_first && pattern.sends(sources.place(source), width, height)
    }

    fn create(
        &mut self,
        cycle: u64,
        source: u32,
        sources: &mut Sources<'_>,
        measurement: &mut Measurement<'_>,
    ) {
        let (network, traffic) = (sources.network, sources.traffic);
        let flits = traffic.beats as u16;
        let (tile, at) = {
            let source = &sources.all[source as usize];
            (source.tile, source.at)
        };
        let members = match traffic.pattern {
            Pattern::RowMulticast => row_of(network, at),
            Pattern::Broadcast | Pattern::CornerBroadcast => others(sources, source),
            Pattern::RandomMulticast => drawn(sources, source),
            Pattern::ManyToOne => return self.reduce(cycle, source, sources, measurement),
            Pattern::Uniform
            | Pattern::Transpose
            | Pattern::BitComplement
            | Pattern::Neighbour
            | Pattern::Tornado
            | Pattern::Hotspot => {
                let to = sources.destination(source);
                let tag = measurement.create(cycle, 1);
                self.plane.send_unicast(tile, to, flits, tag);
                return;
            }
        };
        let tag = measurement.create(cycle, members.len() as u64);
        if let Some(kept) = &self.kept[source as usize].multicast {
            self.plane.send_to_all(tile, kept, flits, tag);
            return;
        }
        let multicast = (self.plane).multicast(network, self.trees, at, &members);
        // One that a source always sends over is made once.
        let is_kept = traffic.pattern != Pattern::RandomMulticast;
        if is_kept {
            self.plane.keep_multicast(&multicast);
        }
        self.plane.send_to_all(tile, &multicast, flits, tag);
        self.kept[source as usize].multicast = is_kept.then_some(multicast);
    }

    fn is_idle(&self) -> bool {
        self.plane.is_idle()
    }

    fn skip_to(&mut self, cycle: u64) {
        self.plane.skip_to(cycle);
    }

    fn step(&mut self, cycle: u64, sources: &Sources<'_>) -> bool {
        let bounds = [
            sources.traffic.warmup_cycles,
            measured_until(sources.traffic),
        ];
        for (stayed, bound) in self.stayed.iter_mut().zip(bounds) {
            if cycle >= bound && stayed.is_none() {
                *stayed = Some(self.plane.stays.before(cycle));
            }
        }
        let stalls = self.stalls;
        self.plane.step(
            |tile| stalls.takes(cycle, tile),
            |tile| stalls.offers(cycle, tile),
        )
    }

    fn read_deliveries(&mut self, cycle: u64, measurement: &mut Measurement<'_>) {
        let mut complete = std::mem::take(&mut self.complete);
        for delivery in &self.plane.deliveries {
            match delivery.reduction {
                Some(reduction) if delivery.completes => complete.push((reduction, delivery.tag)),
                Some(_) => {}
                None => {
                    measurement.deliver(cycle, 1);
                    if delivery.completes {
                        measurement.complete(cycle, delivery.tag);
                    }
                }
            }
        }
        self.plane.settle();
        for (reduction, tag) in complete.drain(..) {
            let (received, _) = self.plane.result(reduction);
            measurement.reduce(cycle, received, tag);
            self.plane.close(reduction);
        }
        self.complete = complete;
    }

    fn flit_hops(&self) -> u64 {
        self.plane.flit_hops()
    }

    fn diagnose(&self, network: &Network, cycle: u64, last_progress: u64) -> Diagnosis {
        diagnose(&self.plane, network, cycle, last_progress, Vec::new())
    }

    fn complete(&self, cycle: u64, result: TrafficResult) -> TrafficResult {
        TrafficResult {
            contribution_wait_cycles: self.contribution_wait_cycles(cycle),
            ..result
        }
    }
}
