// SPDX-License-Identifier: Apache-2.0
//! Open-loop traffic over routers with bypass: sources create packets whatever the network does.
//!
//! As the machine's driver (`crate::driver::traffic`), with packets of flits instead of bursts of beats: latency counts from a packet's
//! creation to the delivery of its last flit, and sources go on while the measured packets drain.

use super::SmartNetwork;
use super::diagnose::diagnose;
use super::multicasts::Multicast;
use super::packet::Combining;
use super::plane::Plane;
use super::stays::Stayed;
use crate::driver::measurement::{Measurement, gap_cycles, other_source};
use crate::kernel::random::Stream;
use crate::router::stalls::Stalls;
use noccl_net::capabilities::MulticastTrees;
use noccl_net::{Coord, Network, TileId, TreeTable};
use noccl_run::{
    Activity, Counters, Diagnosis, Progress, Run, RunConfig, RunError, Status, TrafficResult,
};
use noccl_workload::{MAX_RANDOM_MEMBERS, Pattern, Place, Traffic, check_traffic};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A source with its stream of random numbers.
struct Source {
    tile: TileId,
    at: Coord,
    stream: Stream,
    /// The tree over which it always sends.
    multicast: Option<Multicast>,
    /// What all others contribute to, with it as root.
    reduction: Option<TreeTable>,
}

/// A run between two cycles.
pub(crate) struct SmartTraffic<'a> {
    network: &'a Network,
    trees: Option<MulticastTrees>,
    traffic: &'a Traffic,
    config: RunConfig,
    stalls: Stalls,
    pub(super) plane: Plane,
    sources: Vec<Source>,
    /// When each source creates its next packet.
    next: BinaryHeap<Reverse<(u64, u32)>>,
    pub(super) cycle: u64,
    last_progress: u64,
    has_moved: bool,
    measurement: Measurement<'a>,
    /// Stays in routers before the measured cycles, and before those that follow.
    stayed: [Option<Stayed>; 2],
    /// Reductions that are complete in this cycle, with their tags.
    complete: Vec<(u32, u64)>,
}

impl<'a> SmartTraffic<'a> {
    /// A run before its first cycle.
    ///
    /// # Errors
    /// [`RunError::Refused`].
    pub(crate) fn new(
        network: &'a Network,
        traffic: &'a Traffic,
        config: &RunConfig,
    ) -> Result<Self, RunError> {
        config.check()?;
        let SmartNetwork { smart, .. } = SmartNetwork::new(network)?;
        check_traffic(network, traffic).map_err(|error| RunError::Refused {
            backend: "sim",
            what: "traffic".to_owned(),
            reason: error.to_string(),
        })?;
        let sources = network.clusters().map(|tile| Source {
            tile,
            at: network.coord(tile),
            stream: Stream::new(traffic.seed ^ u64::from(tile.0) << 20),
            multicast: None,
            reduction: None,
        });
        let mut run = Self {
            network,
            trees: network.multicast_trees(),
            traffic,
            config: config.clone(),
            stalls: Stalls::new(config),
            plane: Plane::new(network, smart, 0),
            sources: sources.collect(),
            next: BinaryHeap::new(),
            cycle: 0,
            last_progress: 0,
            has_moved: false,
            measurement: Measurement::new(traffic),
            stayed: [None; 2],
            complete: Vec::new(),
        };
        let (width, height) = (network.cluster_width(), network.cluster_height());
        for source in 0..run.sources.len() as u32 {
            // One stream decides when reductions start.
            let is_first = source == 0 || !traffic.pattern.is_of_mesh();
            let at = run.place(source);
            if is_first && traffic.pattern.sends(at, width, height) {
                run.draw_next(source, 0);
            }
        }
        Ok(run)
    }

    fn draw_next(&mut self, source: u32, from: u64) {
        let gap = gap_cycles(self.traffic, &mut self.sources[source as usize].stream);
        self.next.push(Reverse((from + gap, source)));
    }

    /// A cluster's place among the clusters.
    fn place(&self, source: u32) -> Coord {
        let (at, origin) = (
            self.sources[source as usize].at,
            self.network.cluster_origin(),
        );
        Coord::new(at.x - origin.x, at.y - origin.y)
    }

    fn create(&mut self, source: u32) {
        self.draw_next(source, self.cycle + 1);
        let flits = self.traffic.beats as u16;
        let Source { tile, at, .. } = self.sources[source as usize];
        let members = match self.traffic.pattern {
            Pattern::RowMulticast => self.row_of(at),
            Pattern::Broadcast | Pattern::CornerBroadcast => self.others(source),
            Pattern::RandomMulticast => self.drawn(source),
            Pattern::ManyToOne => return self.reduce(source),
            Pattern::Uniform
            | Pattern::Transpose
            | Pattern::BitComplement
            | Pattern::Neighbour
            | Pattern::Tornado
            | Pattern::Hotspot => {
                let to = self.destination(source);
                let tag = self.measurement.create(self.cycle, 1);
                self.plane.send_unicast(tile, to, flits, tag);
                return;
            }
        };
        let tag = self.measurement.create(self.cycle, members.len() as u64);
        if let Some(kept) = &self.sources[source as usize].multicast {
            self.plane.send_to_all(tile, kept, flits, tag);
            return;
        }
        let multicast = (self.plane).multicast(self.network, self.trees, at, &members);
        // One that a source always sends over is made once.
        let is_kept = self.traffic.pattern != Pattern::RandomMulticast;
        if is_kept {
            self.plane.keep_multicast(&multicast);
        }
        self.plane.send_to_all(tile, &multicast, flits, tag);
        self.sources[source as usize].multicast = is_kept.then_some(multicast);
    }

    fn others(&self, source: u32) -> Vec<Coord> {
        let others = (0..).zip(&self.sources).filter(|(i, _)| *i != source);
        others.map(|(_, other)| other.at).collect()
    }

    /// Some of the others: number and members equally likely.
    fn drawn(&mut self, source: u32) -> Vec<Coord> {
        let mut others = self.others(source);
        let most = (others.len() as u64).min(u64::from(MAX_RANDOM_MEMBERS));
        let stream = &mut self.sources[source as usize].stream;
        let count = 2 + stream.below(most - 1) as usize;
        for i in 0..count {
            let from = i + stream.below((others.len() - i) as u64) as usize;
            others.swap(i, from);
        }
        others.truncate(count);
        others
    }

    /// All clusters but the root contribute to a reduction.
    fn reduce(&mut self, source: u32) {
        let roots = self.sources.len() as u64;
        let root = self.sources[source as usize].stream.below(roots) as u32;
        let tag = self.measurement.create(self.cycle, 1);
        let (at, kept) = {
            let root = &mut self.sources[root as usize];
            (root.at, root.reduction.take())
        };
        let table = kept.unwrap_or_else(|| self.network.shared_reduction(at, &self.others(root)));
        let count = self.sources.len() as u32 - 1;
        let reduction = (self.plane).add_reduction(&table, count, Combining::Count, tag);
        for (member, source) in (0..).zip(&self.sources) {
            if member != root {
                self.plane.send_contribution(source.tile, reduction, &[]);
            }
        }
        self.sources[root as usize].reduction = Some(table);
    }

    fn row_of(&self, at: Coord) -> Vec<Coord> {
        let first = self.network.cluster_origin().x;
        let columns = first..first + self.network.cluster_width();
        columns.map(|x| Coord::new(x, at.y)).collect()
    }

    fn destination(&mut self, source: u32) -> TileId {
        let network = self.network;
        let (w, h) = (network.cluster_width(), network.cluster_height());
        if let Some(to) = self.traffic.pattern.destination(self.place(source), w, h) {
            return network.tile_at(network.mesh_coord(to));
        }
        let count = self.sources.len();
        let other = other_source(source, count, &mut self.sources[source as usize].stream);
        self.sources[other].tile
    }

    /// Mean cycles that a contribution has stood in a router while measuring, beyond those of an idle one; none where they are not combined.
    fn contribution_wait_cycles(&self) -> Option<f64> {
        let [before, behind] = self.stayed;
        let behind = behind.unwrap_or_else(|| self.plane.stays.before(self.cycle));
        let mean = behind.mean_since(before?)?;
        let n = &self.plane.n;
        let is_combining = n.is_complete || n.is_opportunistic;
        is_combining.then(|| mean - f64::from(n.setup_cycles - n.granted_cycles))
    }

    fn read_deliveries(&mut self) {
        let mut complete = std::mem::take(&mut self.complete);
        for delivery in &self.plane.deliveries {
            match delivery.reduction {
                Some(reduction) if delivery.completes => complete.push((reduction, delivery.tag)),
                Some(_) => {}
                None => {
                    self.measurement.deliver(self.cycle, 1);
                    if delivery.completes {
                        self.measurement.complete(self.cycle, delivery.tag);
                    }
                }
            }
        }
        self.plane.settle();
        for (reduction, tag) in complete.drain(..) {
            let (received, _) = self.plane.result(reduction);
            self.measurement.reduce(self.cycle, received, tag);
            self.plane.close(reduction);
        }
        self.complete = complete;
        self.measurement.end_cycle(self.cycle);
    }
}

impl Status for SmartTraffic<'_> {
    fn config(&self) -> &RunConfig {
        &self.config
    }

    fn activity(&self) -> Activity {
        Activity {
            cycle: self.cycle,
            quiet_cycles: self.cycle - self.last_progress,
            // Sources create packets whatever the network does, and an empty network waits for them.
            has_event: self.plane.is_idle(),
            can_move: true,
        }
    }

    fn flit_hops(&self) -> u64 {
        self.plane.flit_hops()
    }

    fn num_tiles(&self) -> usize {
        self.network.num_tiles()
    }

    fn counters(&self) -> Counters {
        Counters {
            flit_hops: self.plane.flit_hops(),
            ..Counters::default()
        }
    }
}

impl Run for SmartTraffic<'_> {
    type Result = TrafficResult;

    fn status(&self) -> &dyn Status {
        self
    }

    fn step(&mut self) {
        if self.plane.is_idle()
            && let Some(Reverse((cycle, _))) = self.next.peek()
        {
            let next = (*cycle).min(self.measurement.end().max(self.cycle));
            self.cycle = next.min(self.config.max_cycles).max(self.cycle);
            self.plane.skip_to(self.cycle);
        }
        while let Some(Reverse((cycle, source))) = self.next.peek().copied()
            && cycle <= self.cycle
        {
            self.next.pop();
            self.create(source);
        }
        let cycle = self.cycle;
        let bounds = [self.traffic.warmup_cycles, self.measurement.end()];
        for (stayed, bound) in self.stayed.iter_mut().zip(bounds) {
            if cycle >= bound && stayed.is_none() {
                *stayed = Some(self.plane.stays.before(cycle));
            }
        }
        let stalls = self.stalls;
        self.has_moved = self.plane.step(
            |tile| stalls.takes(cycle, tile),
            |tile| stalls.offers(cycle, tile),
        );
        self.read_deliveries();
        if self.has_moved || self.plane.is_idle() {
            self.last_progress = cycle;
        }
        self.cycle += 1;
    }

    fn is_over(&self) -> bool {
        self.measurement.is_over(self)
    }

    fn progress(&self) -> Progress {
        self.measurement.progress(self.cycle)
    }

    fn diagnose(&self) -> Diagnosis {
        let (cycle, last) = (self.cycle, self.last_progress);
        diagnose(&self.plane, self.network, cycle, last, Vec::new())
    }

    fn result(&self, _outputs: &[(Place, u64)]) -> TrafficResult {
        let (cycle, sources) = (self.cycle, self.sources.len());
        TrafficResult {
            contribution_wait_cycles: self.contribution_wait_cycles(),
            ..(self.measurement).result(cycle, sources, self.plane.flit_hops())
        }
    }
}
