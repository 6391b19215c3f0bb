// SPDX-License-Identifier: Apache-2.0
//! Open-loop traffic over routers with bypass: sources create packets whatever the network does.
//!
//! As the machine's driver (`crate::driver::traffic`), with packets of flits instead of bursts of beats: latency counts from a packet's
//! creation to the delivery of its last flit, and sources go on while the measured packets drain.

use super::diagnose::diagnose;
use super::plane::Plane;
use super::stalls::Stalls;
use crate::driver::measurement::{Measurement, gap_cycles};
use crate::kernel::random::Stream;
use noccl_net::{Coord, Network, TileId};
use noccl_run::{
    Activity, Counters, Diagnosis, Progress, Run, RunConfig, RunError, Status, TrafficResult,
};
use noccl_spec::{SmartMulticast, SmartRouter};
use noccl_workload::{Pattern, Place, Traffic, check_traffic};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A source with its stream of random numbers and the tree of its row.
struct Source {
    tile: TileId,
    at: Coord,
    stream: Stream,
    tree: Option<u32>,
}

/// A run between two cycles.
pub(crate) struct SmartTraffic<'a> {
    network: &'a Network,
    smart: &'a SmartRouter,
    traffic: &'a Traffic,
    config: RunConfig,
    stalls: Stalls,
    plane: Plane,
    sources: Vec<Source>,
    /// When each source creates its next packet.
    next: BinaryHeap<Reverse<(u64, u32)>>,
    cycle: u64,
    last_progress: u64,
    has_moved: bool,
    measurement: Measurement<'a>,
}

impl<'a> SmartTraffic<'a> {
    /// A run before its first cycle.
    ///
    /// # Errors
    /// [`RunError::Refused`].
    pub(crate) fn new(
        network: &'a Network,
        smart: &'a SmartRouter,
        traffic: &'a Traffic,
        config: &RunConfig,
    ) -> Result<Self, RunError> {
        config.check()?;
        check_traffic(network, traffic).map_err(|error| RunError::Refused {
            backend: "sim",
            what: "traffic".to_owned(),
            reason: error.to_string(),
        })?;
        if traffic.beats > smart.vc_flits {
            return Err(RunError::Refused {
                backend: "sim",
                what: format!("beats = {}", traffic.beats),
                reason: format!(
                    "accepted: 1 to router.smart.vc_flits = {}, the flits of the longest packet",
                    smart.vc_flits
                ),
            });
        }
        let sources = network.clusters().map(|tile| Source {
            tile,
            at: network.coord(tile),
            stream: Stream::new(traffic.seed ^ u64::from(tile.0) << 20),
            tree: None,
        });
        let mut run = Self {
            network,
            smart,
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
        };
        for source in 0..run.sources.len() as u32 {
            run.draw_next(source, 0);
        }
        Ok(run)
    }

    fn draw_next(&mut self, source: u32, from: u64) {
        let gap = gap_cycles(self.traffic, &mut self.sources[source as usize].stream);
        self.next.push(Reverse((from + gap, source)));
    }

    fn create(&mut self, source: u32) {
        self.draw_next(source, self.cycle + 1);
        let flits = self.traffic.beats as u16;
        let Source { tile, at, .. } = self.sources[source as usize];
        let row = match self.traffic.pattern {
            Pattern::RowMulticast => self.network.cluster_width(),
            Pattern::Uniform
            | Pattern::Transpose
            | Pattern::BitComplement
            | Pattern::Neighbour
            | Pattern::Tornado
            | Pattern::Hotspot => {
                let to = self.destination(source, at);
                self.plane.send_unicast(tile, to, flits, self.cycle);
                self.measurement.create(self.cycle, 1);
                return;
            }
        };
        self.measurement.create(self.cycle, u64::from(row));
        if self.smart.multicast == SmartMulticast::Unicasts {
            for member in self.row_of(at) {
                let to = self.network.tile_at(member);
                self.plane.send_unicast(tile, to, flits, self.cycle);
            }
            return;
        }
        let (root, tree) = self.tree_of(source, at);
        self.plane
            .send_multicast(tile, root, tree, flits, self.cycle);
    }

    fn row_of(&self, at: Coord) -> Vec<Coord> {
        let first = self.network.cluster_origin().x;
        let columns = first..first + self.network.cluster_width();
        columns.map(|x| Coord::new(x, at.y)).collect()
    }

    /// The tree of a source's row, made once.
    fn tree_of(&mut self, source: u32, at: Coord) -> (TileId, u32) {
        let members = self.row_of(at);
        let (corner, table) = super::tree(self.network, self.smart, at, &members);
        let tree = *self.sources[source as usize].tree.get_or_insert_with(|| {
            let is_row_first = self.network.leaves_along_row(corner);
            self.plane.add_lasting_tree(&table, is_row_first)
        });
        (table.root(), tree)
    }

    fn destination(&mut self, source: u32, at: Coord) -> TileId {
        let network = self.network;
        let origin = network.cluster_origin();
        let (x, y) = (at.x - origin.x, at.y - origin.y);
        let (w, h) = (network.cluster_width(), network.cluster_height());
        if let Some(to) = self.traffic.pattern.destination(Coord::new(x, y), w, h) {
            return network.tile_at(network.mesh_coord(to));
        }
        let others = self.sources.len() as u64 - 1;
        let draw = self.sources[source as usize].stream.below(others) as usize;
        self.sources[draw + usize::from(draw >= source as usize)].tile
    }

    fn read_deliveries(&mut self) {
        for delivery in &self.plane.deliveries {
            self.measurement.deliver(self.cycle, 1);
            if delivery.completes {
                self.measurement.complete(self.cycle, delivery.tag);
            }
        }
        self.plane.settle();
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
            has_event: true,
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
        self.measurement.is_over(self.cycle, self.config.max_cycles)
    }

    fn progress(&self) -> Progress {
        self.measurement.progress(self.cycle)
    }

    fn diagnose(&self) -> Diagnosis {
        let (cycle, last) = (self.cycle, self.last_progress);
        diagnose(&self.plane, self.network, cycle, last, Vec::new())
    }

    fn result(&self, _outputs: &[(Place, u64)]) -> TrafficResult {
        (self.measurement).result(self.cycle, self.sources.len(), self.plane.flit_hops())
    }
}
