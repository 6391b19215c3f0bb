// SPDX-License-Identifier: Apache-2.0
//! Open-loop traffic over the dynamic network between cores: sources create packets whatever the network does.
//!
//! As the machine's driver (`crate::driver::traffic`), with packets of words in place of bursts of beats. The routers alone are
//! measured: a source writes a word per cycle wherever its port takes one, a destination takes every word at once, and no
//! cycle of software is counted. Latency counts from a packet's creation to the delivery of its last word, and sources go
//! on while the measured packets drain.

use super::refused;
use crate::driver::measurement::{Measurement, gap_cycles, other_source};
use crate::kernel::bit_set::BitSet;
use crate::kernel::random::Stream;
use crate::router::stalls::Stalls;
use crate::router::wormhole::{Awaited, Params, Plane, WormId, Xy};
use noccl_net::{Coord, Network, TileId};
use noccl_run::{
    Activity, Counters, Diagnosis, Progress, Run, RunConfig, RunError, Status, TrafficResult,
    WaitEdge,
};
use noccl_workload::{Place, Traffic, check_traffic};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Waits that are named.
const MAX_NAMED: usize = 16;

/// A source with its stream of random numbers.
struct Source {
    tile: TileId,
    stream: Stream,
    /// Packets that wait: destination and tag.
    queue: VecDeque<(TileId, u64)>,
    /// The packet that is being written, and its next word.
    writing: Option<(WormId, u32)>,
}

/// A run between two cycles.
pub(crate) struct UdnTraffic<'a> {
    network: &'a Network,
    traffic: &'a Traffic,
    config: RunConfig,
    stalls: Stalls,
    plane: Plane<Xy>,
    sources: Vec<Source>,
    /// Sources with packets.
    busy: BitSet,
    /// When each source creates its next packet.
    next: BinaryHeap<Reverse<(u64, u32)>>,
    cycle: u64,
    last_progress: u64,
    measurement: Measurement<'a>,
}

impl<'a> UdnTraffic<'a> {
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
        let cores = network.cores().ok_or_else(|| refused("the network"))?;
        check_traffic(network, traffic).map_err(|error| RunError::Refused {
            backend: "sim",
            what: "traffic".to_owned(),
            reason: error.to_string(),
        })?;
        let sources = network.clusters().map(|tile| Source {
            tile,
            stream: Stream::new(traffic.seed ^ u64::from(tile.0) << 20),
            queue: VecDeque::new(),
            writing: None,
        });
        let sources: Vec<Source> = sources.collect();
        let params = Params::of_udn(&cores.router.udn);
        let mut run = Self {
            network,
            traffic,
            config: config.clone(),
            stalls: Stalls::new(config),
            plane: Plane::<Xy>::new(network.width(), network.height(), params),
            busy: BitSet::new(sources.len()),
            sources,
            next: BinaryHeap::new(),
            cycle: 0,
            last_progress: 0,
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
        let to = self.destination(source);
        let tag = self.measurement.create(self.cycle, 1);
        let source = source as usize;
        self.sources[source].queue.push_back((to, tag));
        self.busy.insert(source);
    }

    fn destination(&mut self, source: u32) -> TileId {
        let network = self.network;
        let (w, h) = (network.cluster_width(), network.cluster_height());
        let (at, origin) = (
            network.coord(self.sources[source as usize].tile),
            network.cluster_origin(),
        );
        let place = Coord::new(at.x - origin.x, at.y - origin.y);
        if let Some(to) = self.traffic.pattern.destination(place, w, h) {
            return network.tile_at(network.mesh_coord(to));
        }
        let count = self.sources.len();
        let other = other_source(source, count, &mut self.sources[source as usize].stream);
        self.sources[other].tile
    }

    /// Every source with a packet writes a word if its port has space.
    fn write(&mut self) {
        let (plane, cycle, flits) = (&mut self.plane, self.cycle, self.traffic.beats);
        let mut from = 0;
        while let Some(busy) = self.busy.next_member(from) {
            from = busy + 1;
            let source = &mut self.sources[busy];
            if !plane.has_space(source.tile) || !self.stalls.offers(cycle, source.tile) {
                continue;
            }
            let (worm, index) = match source.writing.take() {
                Some(writing) => writing,
                None => match source.queue.pop_front() {
                    Some((to, tag)) => (plane.open_worm(to, flits, tag), 0),
                    None => continue,
                },
            };
            plane.push(cycle, source.tile, worm, index);
            if index + 1 < flits {
                source.writing = Some((worm, index + 1));
            } else if source.queue.is_empty() {
                self.busy.remove(busy);
            }
        }
    }

    fn read_deliveries(&mut self) {
        self.measurement
            .deliver(self.cycle, self.plane.delivered().len() as u64);
        for (_, flit) in self.plane.delivered() {
            if flit.is_tail() {
                let tag = self.plane.worm(flit.worm()).tag;
                self.measurement.complete(self.cycle, tag);
            }
        }
        self.measurement.end_cycle(self.cycle);
    }
}

impl Status for UdnTraffic<'_> {
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

impl Run for UdnTraffic<'_> {
    type Result = TrafficResult;

    fn status(&self) -> &dyn Status {
        self
    }

    fn step(&mut self) {
        if self.plane.is_idle()
            && self.busy.is_empty()
            && let Some(Reverse((cycle, _))) = self.next.peek()
        {
            let next = (*cycle).min(self.measurement.end().max(self.cycle));
            self.cycle = next.min(self.config.max_cycles).max(self.cycle);
        }
        while let Some(Reverse((cycle, source))) = self.next.peek().copied()
            && cycle <= self.cycle
        {
            self.next.pop();
            self.create(source);
        }
        self.write();
        let (cycle, stalls) = (self.cycle, self.stalls);
        let has_moved = self.plane.step(cycle, |tile, _| stalls.takes(cycle, tile));
        self.read_deliveries();
        if has_moved || self.plane.can_move() || self.plane.is_idle() {
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
        let packet = |worm| format!("a packet to {}", self.plane.worm(worm).route);
        let waits = self.plane.waits().into_iter().take(MAX_NAMED);
        let waits = waits.map(|wait| WaitEdge {
            waiter: packet(wait.worm),
            awaited: match wait.awaited {
                Awaited::Worm(worm) => packet(worm),
                Awaited::Tile => format!("core {}", self.network.coord(wait.tile)),
            },
            place: format!(
                "output {:?} of the UDN's router {}",
                wait.output,
                self.network.coord(wait.tile)
            ),
            since_cycle: self.last_progress,
        });
        Diagnosis {
            cycle: self.cycle,
            last_progress_cycle: self.last_progress,
            summary: "words wait for links or for cores that take none".to_owned(),
            waits: waits.collect(),
        }
    }

    fn result(&self, _outputs: &[(Place, u64)]) -> TrafficResult {
        let (cycle, sources) = (self.cycle, self.sources.len());
        (self.measurement).result(cycle, sources, self.plane.flit_hops())
    }
}
