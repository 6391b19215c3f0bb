// SPDX-License-Identifier: Apache-2.0
//! DMA engines and interfaces: which flows leave when, and what their last beats cause.

use super::links::Flow;
use super::run::Run;
use super::sync::FlowEvent;
use crate::ModelError;
use crate::predict::absent;
use noccl_net::tree::Cube;
use noccl_net::{Network, TileId, TileKind, TileRef};
use noccl_spec::Plane;
use noccl_workload::{ActionKind, Completion, Destination, Transfer};

/// Queues of an interface.
const WRITES: usize = 0;
const READS: usize = 1;
/// The own copy of a multicast goes from the interface into the memory.
const OWN_COPY_CYCLES: f64 = 1.0;
/// No path is longer: whatever is sent over none.
const ANY_RATE: f64 = 1.0;

/// What a flow of beats is for.
#[derive(Debug, Clone, Copy)]
pub(super) struct FlowMovement {
    initiator: TileId,
    source: TileId,
    /// Where it writes, if not into the initiator's own memory.
    to: Option<Cube>,
}

impl FlowMovement {
    /// Tiles and places of a transfer.
    fn of(network: &Network, action: usize, transfer: &Transfer) -> Result<Self, ModelError> {
        let find = |tile: TileRef| {
            let found = network.find(tile);
            found.ok_or_else(|| absent(action, &tile.to_string(), "a tile of this network"))
        };
        let initiator = find(transfer.initiator)?;
        let to = match transfer.destination {
            Destination::One(place) => {
                let to = find(place.tile)?;
                (to != initiator).then(|| Cube::single(network.coord(to)))
            }
            Destination::Multicast { set, .. } => Some(network.cube(set)),
        };
        Ok(Self {
            initiator,
            source: find(transfer.source.tile)?,
            to,
        })
    }

    /// The queue of the interface that its beats leave first.
    fn queue(&self) -> (TileId, usize) {
        let is_read = self.source != self.initiator;
        (self.source, if is_read { READS } else { WRITES })
    }
}

impl<'a> Run<'a> {
    /// An engine has the command of a share.
    pub(super) fn commanded(&mut self, share: u32, now: f64) -> Result<(), ModelError> {
        let kind = self.kind(share);
        let Some(transfer) = kind.transfer() else {
            return Ok(());
        };
        if transfer.bytes == 0 || transfer.rows == 0 {
            self.over(share, now);
            return Ok(());
        }
        let action = self.shares.all[share].action as usize;
        let movement = FlowMovement::of(&self.costs.network, action, transfer)?;
        if movement.to.is_none() && movement.source == movement.initiator {
            let beats = self.costs.axi.ni.beats(transfer.bytes) as f64 * f64::from(transfer.rows);
            self.events.at(now + beats, FlowEvent::Over(share));
            return Ok(());
        }
        let tile = movement.initiator;
        self.engines[tile.idx()].waiting.push_back(share);
        self.start_waiting(tile, now)
    }

    /// The engine takes transfers as long as it works on few enough.
    pub(super) fn start_waiting(&mut self, tile: TileId, now: f64) -> Result<(), ModelError> {
        while self.engines[tile.idx()].num_active < self.costs.axi.cluster.dma.max_transfers {
            let Some(share) = self.engines[tile.idx()].waiting.pop_front() else {
                break;
            };
            self.engines[tile.idx()].num_active += 1;
            self.start(share, now)?;
        }
        Ok(())
    }

    fn start(&mut self, share: u32, now: f64) -> Result<(), ModelError> {
        let kind = self.kind(share);
        let Some(transfer) = kind.transfer() else {
            return Ok(());
        };
        let network = self.costs.network;
        let action = self.shares.all[share].action as usize;
        let movement = FlowMovement::of(&network, action, transfer)?;
        let (initiator, source) = (movement.initiator, movement.source);
        let is_read = source != initiator;
        let most = if is_read {
            self.costs.read_rate(initiator, source)
        } else {
            ANY_RATE
        };
        let flow = self.links.flow(share, self.costs.flits(transfer), most);
        self.movements.push(movement);
        if is_read {
            let back = Cube::single(network.coord(initiator));
            self.links.route(&network, source, back, true);
        }
        if let Some(to) = movement.to {
            self.links.route(&network, initiator, to, false);
        }
        if is_read {
            self.engines[initiator.idx()].reads.push_back(flow);
            self.read_ahead(initiator, now);
        } else {
            self.leave(flow, now);
        }
        Ok(())
    }

    /// Reads go to one tile at a time.
    fn read_ahead(&mut self, tile: TileId, now: f64) {
        while let Some(flow) = self.engines[tile.idx()].reads.front().copied() {
            let source = self.movements[flow as usize].source;
            let engine = &mut self.engines[tile.idx()];
            if engine.in_flight > 0.0 && engine.reads_from != source.0 {
                break;
            }
            engine.reads.pop_front();
            engine.reads_from = source.0;
            engine.in_flight += self.links.flows[flow as usize].flits;
            let latency = self.memory_latency(source);
            let path = self.costs.path(Plane::Req, tile, source);
            self.events.at(now + path + latency, FlowEvent::Asked(flow));
        }
    }

    fn memory_latency(&self, tile: TileId) -> f64 {
        f64::from(match self.costs.network.kind(tile) {
            TileKind::Cluster => self.costs.axi.cluster.l1_latency_cycles,
            TileKind::Memory => self.costs.axi.memory.latency_cycles,
        })
    }

    /// A flow stands in its interface's queue.
    pub(super) fn leave(&mut self, flow: u32, now: f64) {
        let (tile, queue) = self.movements[flow as usize].queue();
        let outgoing = &mut self.engines[tile.idx()].outgoing[queue];
        outgoing.push_back(flow);
        if outgoing.len() == 1 {
            self.begin(flow, now);
        }
    }

    fn begin(&mut self, flow: u32, now: f64) {
        self.links.begin(flow, now, &mut self.moved);
        self.note_moved();
    }

    fn note_moved(&mut self) {
        for (flow, change, end) in self.moved.drain(..) {
            self.events.at(end, FlowEvent::Sent(flow, change));
        }
    }

    /// A flow has sent its last beat, if nothing has changed since that was said.
    pub(super) fn sent(&mut self, flow: u32, change: u32, now: f64) {
        if self.links.flows[flow as usize].change != change {
            return;
        }
        self.links.end(flow, now, &mut self.moved);
        self.note_moved();
        let movement = self.movements[flow as usize];
        let (tile, queue) = movement.queue();
        let outgoing = &mut self.engines[tile.idx()].outgoing[queue];
        outgoing.pop_front();
        if let Some(next) = outgoing.front().copied() {
            self.begin(next, now);
        }
        let mut last = (now - 1.0).ceil();
        if queue == READS {
            let cluster = &self.costs.axi.cluster;
            let into_buffer = cluster.response_path_cycles + cluster.request_path_cycles;
            last += self.costs.path(Plane::Wide, tile, movement.initiator) + f64::from(into_buffer);
            self.events.at(last, FlowEvent::Read(flow));
        }
        if let Some(to) = movement.to {
            self.written(flow, to, last);
        }
    }

    /// The last beat of a read is in the engine's buffer.
    pub(super) fn read(&mut self, flow: u32, now: f64) -> Result<(), ModelError> {
        let FlowMovement { initiator, to, .. } = self.movements[flow as usize];
        let Flow { flits, share, .. } = self.links.flows[flow as usize];
        self.engines[initiator.idx()].in_flight -= flits;
        self.read_ahead(initiator, now);
        if to.is_none() {
            let complete = f64::from(self.costs.axi.cluster.dma.complete_cycles);
            self.events.at(now + complete, FlowEvent::Over(share));
            return self.engine_free(initiator, now);
        }
        Ok(())
    }

    pub(super) fn engine_free(&mut self, tile: TileId, now: f64) -> Result<(), ModelError> {
        let engine = &mut self.engines[tile.idx()];
        engine.num_active = engine.num_active.saturating_sub(1);
        self.start_waiting(tile, now)
    }

    /// The last beat leaves the initiator's interface at a cycle: destinations of a delivery notice it, a response comes back.
    fn written(&mut self, flow: u32, to: Cube, last: f64) {
        let share = self.links.flows[flow as usize].share;
        let initiator = self.movements[flow as usize].initiator;
        let network = self.costs.network;
        let mut notices_itself = false;
        if let ActionKind::Delivery(_) = self.kind(share) {
            let seen = f64::from(self.costs.axi.cluster.l1_latency_cycles);
            for other in self.shares.of(self.shares.all[share].action) {
                let tile = self.shares.all[other].tile;
                if !to.contains(network.coord(tile)) {
                    continue;
                }
                notices_itself |= tile == initiator;
                let path = if tile == initiator {
                    OWN_COPY_CYCLES
                } else {
                    self.costs.path(Plane::Wide, initiator, tile)
                };
                self.events.at(last + path + seen, FlowEvent::Over(other));
            }
        }
        let (min, max) = to.bounds();
        let corners = [min, max].into_iter().flat_map(|a| {
            let other = if a == min { max } else { min };
            [a, noccl_net::Coord::new(a.x, other.y)]
        });
        let round_trip = corners.map(|at| {
            let tile = network.tile_at(at);
            self.costs.path(Plane::Wide, initiator, tile)
                + self.memory_latency(tile)
                + self.costs.path(Plane::Rsp, tile, initiator)
        });
        let response = last + round_trip.fold(0.0, f64::max);
        self.events.at(response, FlowEvent::EngineFree(initiator.0));
        if !notices_itself {
            self.events
                .at(response + self.costs.response(), FlowEvent::Over(share));
        }
    }

    /// How those who wait for a share notice its end.
    pub(super) fn completion(&self, share: u32) -> Completion {
        self.completions[self.shares.all[share].action as usize]
    }
}
