// SPDX-License-Identifier: Apache-2.0
//! Transfers and deliveries.

use super::{Model, Shares};
use crate::ModelError;
use noccl_net::tree::Cube;
use noccl_net::{Network, TileId};
use noccl_workload::{Destination, Transfer};

/// What a DMA engine does.
struct Movement {
    initiator: TileId,
    source: TileId,
    to: Cube,
    beats: u64,
}

impl Movement {
    /// Does it begin in another tile?
    fn has_read(&self) -> bool {
        self.source != self.initiator
    }

    /// Does it end in the initiator's own L1?
    fn is_pull(&self, network: &Network) -> bool {
        self.to == Cube::single(network.coord(self.initiator))
    }
}

impl Model<'_> {
    /// A transfer, whose initiator alone knows its end, or a delivery, which its destinations notice.
    pub(super) fn transfer(
        &mut self,
        index: usize,
        transfer: &Transfer,
        ready: &[(TileId, f64)],
        is_delivery: bool,
    ) -> Result<Shares, ModelError> {
        let initiator = self.find(index, transfer.initiator)?;
        let own = ready.iter().find(|(tile, _)| *tile == initiator);
        let own = own.copied().unwrap_or((initiator, 0.0));
        let start = self.issue(own, transfer.rows > 1);
        let ni = &self.network.axi().ni;
        let movement = Movement {
            initiator,
            source: self.find(index, transfer.source.tile)?,
            to: match transfer.destination {
                Destination::One(place) => {
                    Cube::single(self.network.coord(self.find(index, place.tile)?))
                }
                Destination::Multicast { set, .. } => self.network.cube(set),
            },
            beats: ni.beats(transfer.bytes) * u64::from(transfer.rows),
        };
        let bytes = transfer.bytes * u64::from(transfer.rows);
        self.counters.dma_load_bytes += bytes;
        self.counters.dma_store_bytes += bytes;
        self.counters.spm_write_bytes += bytes * u64::from(movement.to.set.len());
        let first = self.read_start(&movement, start);
        let begin = first + self.delay(&movement, first);
        self.reads_until(&movement, begin);
        let end = begin + self.round_trip(&movement);
        if !is_delivery {
            return Ok((start, vec![(initiator, end)]));
        }
        let ends = ready
            .iter()
            .map(|(tile, _)| {
                let at = self.network.coord(*tile);
                let is_noticed = movement.to.contains(at) && !movement.is_pull(&self.network);
                let delivered = begin + self.delivery_cycles(&movement, *tile);
                (*tile, if is_noticed { delivered } else { end })
            })
            .collect();
        Ok((start, ends))
    }

    /// When the engine's read side can ask: reads of another tile wait until the earlier ones have returned.
    fn read_start(&self, movement: &Movement, start: f64) -> f64 {
        match self.reads.get(&movement.initiator) {
            Some((from, end)) if movement.has_read() && *from != movement.source => {
                start.max(end - self.constants.reads_overlap_cycles)
            }
            Some(_) | None => start,
        }
    }

    fn reads_until(&mut self, movement: &Movement, begin: f64) {
        if movement.has_read() {
            let paths = self
                .network
                .paths_between(movement.initiator, movement.source);
            let constants = self.constants;
            let path = constants.pull_alpha_cycles + constants.hop_cycles * f64::from(paths);
            let end = begin + path + self.serial(movement);
            self.reads
                .insert(movement.initiator, (movement.source, end));
        }
    }

    /// How much later than it could a movement begins, because others use its links.
    fn delay(&mut self, movement: &Movement, start: f64) -> f64 {
        let (initiator, source) = (movement.initiator, movement.source);
        let path_cycles = self
            .constants
            .path_cycles(self.network.paths_between(initiator, source));
        let serial = self.serial(movement);
        let beats = movement.beats;
        let mut delay = 0.0;
        if movement.has_read() {
            let back = Cube::single(self.network.coord(initiator));
            let route = self.links.route(&self.network, source, back, path_cycles);
            delay = self.links.pass(&route, start, serial, beats);
        }
        if !movement.is_pull(&self.network) {
            let offset = 2.0 * path_cycles;
            let route = self
                .links
                .route(&self.network, initiator, movement.to, offset);
            delay += self.links.pass(&route, start + delay, serial, beats);
        }
        delay
    }

    /// Until the initiator knows that all is over.
    fn round_trip(&self, movement: &Movement) -> f64 {
        let constants = self.constants;
        let serial = self.serial(movement);
        let read_paths = self
            .network
            .paths_between(movement.initiator, movement.source);
        let alpha = match (movement.has_read(), movement.is_pull(&self.network)) {
            (false, true) => return constants.copy_alpha_cycles + serial,
            (true, true) => constants.pull_alpha_cycles,
            (false, false) => constants.push_alpha_cycles,
            (true, false) => constants.relay_alpha_cycles,
        };
        let here = self.network.coord(movement.initiator);
        let (min, max) = movement.to.bounds();
        let reach = |low: u16, high: u16, at: u16| at.abs_diff(low).max(at.abs_diff(high));
        let along = |hops: u16| u32::from(hops).div_ceil(self.network.path_links());
        let write_paths = along(reach(min.x, max.x, here.x)) + along(reach(min.y, max.y, here.y));
        let paths = f64::from(read_paths) + f64::from(write_paths);
        alpha + constants.hop_cycles * paths + serial
    }

    /// Until a destination has its copy.
    fn delivery_cycles(&self, movement: &Movement, tile: TileId) -> f64 {
        let constants = self.constants;
        let path = constants.path_cycles(self.network.paths_between(movement.initiator, tile));
        let read = if !movement.has_read() {
            0.0
        } else {
            let paths = self
                .network
                .paths_between(movement.initiator, movement.source);
            constants.relay_alpha_cycles - constants.push_alpha_cycles
                + constants.hop_cycles * f64::from(paths)
        };
        constants.delivery_alpha_cycles + read + path + self.serial(movement)
    }

    fn serial(&self, movement: &Movement) -> f64 {
        let paths = self
            .network
            .paths_between(movement.initiator, movement.source);
        self.read_cycles(paths, movement.beats)
    }

    /// Serialisation of a read: a DMA engine asks no further ahead than its buffer, so from afar the bursts
    /// that fit into it come once per round trip.
    fn read_cycles(&self, paths: u32, beats: u64) -> f64 {
        let axi = self.network.axi();
        let fitting = axi.ni.beats(axi.ni.burst_boundary_bytes.into());
        let burst = fitting.min(axi.ni.max_burst_beats.into());
        let window = u64::from(axi.cluster.dma.buffer_beats) / burst * burst;
        let streamed = self.per_beat(beats);
        if paths == 0 || window == 0 || beats <= window {
            return streamed;
        }
        let round_trip = self.constants.hop_cycles * (f64::from(paths) + 1.0) + 1.0;
        let period = (round_trip + self.per_beat(burst)).max(self.per_beat(window));
        let stall = period - self.per_beat(window);
        streamed + ((beats - 1) / window) as f64 * stall
    }
}
