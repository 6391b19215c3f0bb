// SPDX-License-Identifier: Apache-2.0
//! What things cost, from the spec alone: cycles of instructions, engines, paths and beats.

use noccl_net::{Network, TileId};
use noccl_spec::{AxiTiles, Cluster, Plane};
use noccl_workload::{ActionKind, LocalReduce, Notice, Transfer};

/// Registers of a path besides its hops: into the first router and out of the last.
const ENDS_CYCLES: f64 = 2.0;
/// The same of an ideal crossbar, whatever the distance.
const CROSSBAR_CYCLES: f64 = 1.0;

/// Costs of one network.
#[derive(Debug, Clone, Copy)]
pub(super) struct Costs<'a> {
    pub(super) network: &'a Network,
    pub(super) axi: &'a AxiTiles,
    hops: [f64; 3],
    has_links: bool,
}

impl<'a> Costs<'a> {
    pub(super) fn new(network: &'a Network) -> Self {
        let hop = |plane| f64::from(network.plane(plane).hop_cycles);
        Self {
            network,
            axi: network.axi(),
            hops: Plane::ALL.map(hop),
            has_links: network.routers().has_links,
        }
    }

    /// From an interface to another one, for a flit that nobody holds up.
    pub(super) fn path(&self, plane: Plane, from: TileId, to: TileId) -> f64 {
        if !self.has_links {
            return CROSSBAR_CYCLES;
        }
        let paths = f64::from(self.network.paths_between(from, to));
        ENDS_CYCLES + self.hops[plane.idx()] * paths
    }

    /// Instructions of a control core for its share.
    pub(super) fn instructions(&self, kind: &ActionKind) -> f64 {
        let instructions = &self.axi.cluster.instructions;
        f64::from(if kind.barrier().is_some() || kind.arrival().is_some() {
            instructions.barrier_store
        } else if kind.transfer().is_some_and(|t| t.rows > 1) {
            instructions.dma_start_2d
        } else {
            instructions.dma_start
        })
    }

    /// From the engine's command to its first beat at the interface.
    pub(super) fn command(&self) -> f64 {
        let cluster = &self.axi.cluster;
        f64::from(cluster.dma.start_cycles + cluster.request_path_cycles)
    }

    /// From a response at the interface until the core can see it.
    pub(super) fn response(&self) -> f64 {
        let cluster = &self.axi.cluster;
        f64::from(cluster.response_path_cycles + cluster.dma.complete_cycles)
    }

    /// From the end of an action until those who wait for it go on.
    pub(super) fn wait(&self, notice: Notice) -> f64 {
        let instructions = &self.axi.cluster.instructions;
        f64::from(match notice {
            Notice::Engine => instructions.dma_wait,
            Notice::Flag => instructions.poll,
            Notice::AtOnce => 0,
        })
    }

    /// Flits of a transfer on the wide plane.
    pub(super) fn flits(&self, transfer: &Transfer) -> f64 {
        let beat = self.network.beat_bytes().max(1);
        let (offset, stride) = (transfer.destination.offset(), transfer.destination_stride);
        let address_flits = u64::from(self.network.routers().address_flits);
        let longest = u64::from(self.axi.ni.max_burst_beats).max(1);
        let line = |row: u64| {
            // Lines that do not begin at a beat touch one more.
            let start = (offset % beat).wrapping_add(row.wrapping_mul(stride % beat)) % beat;
            let beats = (start + transfer.bytes).div_ceil(beat);
            (beats + beats.div_ceil(longest) * address_flits) as f64
        };
        let rows = u64::from(transfer.rows);
        if stride % beat == 0 || rows <= 1 {
            return line(0) * rows as f64;
        }
        // Places of lines within a beat repeat themselves.
        let (rounds, rest) = (rows / beat, rows % beat);
        let sum = |rows: u64| (0..rows).map(line).sum::<f64>();
        sum(beat.min(rows)) * rounds as f64 + sum(rest)
    }

    /// Beats per cycle of a read over that path at most: an engine asks no further ahead than its buffer.
    pub(super) fn read_rate(&self, initiator: TileId, source: TileId) -> f64 {
        let fitting = self.axi.ni.beats(self.axi.ni.burst_boundary_bytes.into());
        let burst = fitting.min(self.axi.ni.max_burst_beats.into());
        let window = u64::from(self.axi.cluster.dma.buffer_beats) / burst.max(1) * burst;
        if window == 0 {
            return 1.0;
        }
        let round_trip = self.path(Plane::Req, initiator, source)
            + self.path(Plane::Wide, source, initiator)
            + 1.0;
        (window as f64 / (round_trip + burst as f64)).min(1.0)
    }

    /// Cycles of the compute cores for an addition.
    pub(super) fn additions(&self, reduce: &LocalReduce) -> f64 {
        let cluster = &self.axi.cluster;
        let operands = (reduce.inputs.len() as u64).saturating_sub(1).max(1);
        let beats = reduce.bytes.div_ceil(Cluster::COMPUTE_BEAT_BYTES) as f64 * operands as f64;
        let work = (beats * f64::from(cluster.compute_millicycles_per_beat) / 1000.0).ceil();
        self.compute_start() + work
    }

    pub(super) fn compute_start(&self) -> f64 {
        f64::from(self.axi.cluster.instructions.compute_start)
    }
}
