// SPDX-License-Identifier: Apache-2.0
//! Open-loop traffic over a network that carries packets: sources create packets whatever the network does.
//!
//! Latency counts from a packet's creation to the delivery of its last flit, and sources continue while the measured packets drain.
//! The clusters of the machine have a driver of their own (`super::traffic`): their packets are bursts of AXI transactions.

use super::measurement::{Measurement, gap_cycles, other_source};
use crate::kernel::random::Stream;
use noccl_net::{Coord, Network, TileId};
use noccl_run::{
    Activity, Counters, Diagnosis, Progress, Run, RunConfig, RunError, Status, TrafficResult,
};
use noccl_workload::{Place, Traffic, check_traffic};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A source with its stream of random numbers.
pub(crate) struct TrafficSource {
    pub tile: TileId,
    pub at: Coord,
    pub stream: Stream,
}

/// All sources of a network.
pub(crate) struct Sources<'a> {
    pub network: &'a Network,
    pub traffic: &'a Traffic,
    pub all: Vec<TrafficSource>,
}

impl Sources<'_> {
    /// A cluster's coordinate among the clusters.
    pub(crate) fn place(&self, source: u32) -> Coord {
        let (at, origin) = (self.all[source as usize].at, self.network.cluster_origin());
        Coord::new(at.x - origin.x, at.y - origin.y)
    }

    /// The destination of a source's next packet, if that has one.
    pub(crate) fn destination(&mut self, source: u32) -> TileId {
        let network = self.network;
        let (w, h) = (network.cluster_width(), network.cluster_height());
        if let Some(to) = self.traffic.pattern.destination(self.place(source), w, h) {
            return network.tile_at(network.mesh_coord(to));
        }
        let count = self.all.len();
        let other = other_source(source, count, &mut self.all[source as usize].stream);
        self.all[other].tile
    }
}

/// A network that carries packets of open-loop traffic.
pub(crate) trait TrafficNetwork {
    /// Does a source create packets?
    fn sends(&self, sources: &Sources<'_>, source: u32) -> bool;

    /// A source creates a packet.
    fn create(
        &mut self,
        cycle: u64,
        source: u32,
        sources: &mut Sources<'_>,
        measurement: &mut Measurement<'_>,
    );

    /// Is no packet in the network?
    fn is_idle(&self) -> bool;

    /// Do packets wait at their sources, outside the network?
    fn has_waiting(&self) -> bool {
        false
    }

    /// Of an idle network: this cycle comes next.
    fn skip_to(&mut self, _cycle: u64) {}

    /// One cycle, whose creations are over. Returns whether a flit has moved, or may move in the next cycle without an event.
    fn step(&mut self, cycle: u64, sources: &Sources<'_>) -> bool;

    /// Notes what the cycle has delivered.
    fn read_deliveries(&mut self, cycle: u64, measurement: &mut Measurement<'_>);

    fn flit_hops(&self) -> u64;

    fn diagnose(&self, network: &Network, cycle: u64, last_progress: u64) -> Diagnosis;

    /// Adds what only this network measures.
    fn complete(&self, _cycle: u64, result: TrafficResult) -> TrafficResult {
        result
    }
}

/// A run between two cycles.
pub(crate) struct OpenLoop<'a, N> {
    pub packets: N,
    sources: Sources<'a>,
    config: RunConfig,
    /// When each source creates its next packet.
    next: BinaryHeap<Reverse<(u64, u32)>>,
    pub cycle: u64,
    last_progress: u64,
    measurement: Measurement<'a>,
}

impl<'a, N: TrafficNetwork> OpenLoop<'a, N> {
    /// A run before its first cycle.
    ///
    /// # Errors
    /// [`RunError::Refused`].
    pub(crate) fn new(
        network: &'a Network,
        traffic: &'a Traffic,
        config: &RunConfig,
        packets: N,
    ) -> Result<Self, RunError> {
        config.check()?;
        check_traffic(network, traffic).map_err(|error| RunError::Refused {
            backend: "sim",
            what: "traffic".to_owned(),
            reason: error.to_string(),
        })?;
        let all = network.clusters().map(|tile| TrafficSource {
            tile,
            at: network.coord(tile),
            stream: Stream::new(traffic.seed ^ u64::from(tile.0) << 20),
        });
        let sources = Sources {
            network,
            traffic,
            all: all.collect(),
        };
        let mut run = Self {
            packets,
            sources,
            config: config.clone(),
            next: BinaryHeap::new(),
            cycle: 0,
            last_progress: 0,
            measurement: Measurement::new(traffic),
        };
        for source in 0..run.sources.all.len() as u32 {
            if run.packets.sends(&run.sources, source) {
                run.draw_next(source, 0);
            }
        }
        Ok(run)
    }

    fn draw_next(&mut self, source: u32, from: u64) {
        let stream = &mut self.sources.all[source as usize].stream;
        let gap = gap_cycles(self.sources.traffic, stream);
        self.next.push(Reverse((from + gap, source)));
    }

    /// An empty network waits for its sources, but not beyond the end of the measurement.
    fn skip_idle_cycles(&mut self) {
        if self.packets.is_idle()
            && !self.packets.has_waiting()
            && let Some(Reverse((cycle, _))) = self.next.peek()
        {
            let next = (*cycle).min(self.measurement.end().max(self.cycle));
            self.cycle = next.min(self.config.max_cycles).max(self.cycle);
            self.packets.skip_to(self.cycle);
        }
    }

    fn create_due(&mut self) {
        while let Some(Reverse((cycle, source))) = self.next.peek().copied()
            && cycle <= self.cycle
        {
            self.next.pop();
            self.draw_next(source, self.cycle + 1);
            let (sources, measurement) = (&mut self.sources, &mut self.measurement);
            self.packets
                .create(self.cycle, source, sources, measurement);
        }
    }
}

impl<N: TrafficNetwork> Status for OpenLoop<'_, N> {
    fn config(&self) -> &RunConfig {
        &self.config
    }

    fn activity(&self) -> Activity {
        Activity {
            cycle: self.cycle,
            quiet_cycles: self.cycle - self.last_progress,
            // Sources create packets whatever the network does, and an empty network waits for them.
            has_event: self.packets.is_idle(),
            can_move: true,
        }
    }

    fn flit_hops(&self) -> u64 {
        self.packets.flit_hops()
    }

    fn num_tiles(&self) -> usize {
        self.sources.network.num_tiles()
    }

    fn counters(&self) -> Counters {
        Counters {
            flit_hops: self.packets.flit_hops(),
            ..Counters::default()
        }
    }
}

impl<N: TrafficNetwork> Run for OpenLoop<'_, N> {
    type Result = TrafficResult;

    fn status(&self) -> &dyn Status {
        self
    }

    fn step(&mut self) {
        self.skip_idle_cycles();
        self.create_due();
        let cycle = self.cycle;
        let has_moved = self.packets.step(cycle, &self.sources);
        self.packets.read_deliveries(cycle, &mut self.measurement);
        self.measurement.end_cycle(cycle);
        if has_moved || self.packets.is_idle() {
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
        let network = self.sources.network;
        self.packets
            .diagnose(network, self.cycle, self.last_progress)
    }

    fn result(&self, _outputs: &[(Place, u64)]) -> TrafficResult {
        let (cycle, sources) = (self.cycle, self.sources.all.len());
        let hops = self.packets.flit_hops();
        let result = self.measurement.result(cycle, sources, hops);
        self.packets.complete(cycle, result)
    }
}
