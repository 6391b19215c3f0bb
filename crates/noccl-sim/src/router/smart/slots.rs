// SPDX-License-Identifier: Apache-2.0
//! Slots in which multicasts cross the mesh over private trees (S2 §III.A, multicast `complete`).
//!
//! A slot is a few cycles after each other, its phases. In phase j the j-th paths along the edges of the mesh are driven, from the corners
//! on; a router sends across what it got in the phase after it has sent it on, or, at the end of a line, has got it. All outputs of private
//! trees belong to slots: a line is driven as a whole or waits for the next slot, and takes its channels at its beginning. Routers at a
//! path that is driven send nothing from their mesh inputs and nothing to their interfaces in that cycle, whether there is a packet or not.
//! Slots begin at fixed intervals, or on demand: `setup_cycles` after a packet is in its corner.

use super::numbers::{LOCAL, Numbers, TileCoord};
use noccl_net::{Coord, Network, Port, TileId};
use noccl_spec::SmartRouter;

/// An output that is driven in a phase.
#[derive(Debug, Clone, Copy)]
pub(super) struct Drive {
    pub tile: usize,
    pub out: usize,
    /// Output along the first dimension of the tree, and does this drive that one?
    pub first: usize,
    pub is_first: bool,
    /// The corner itself?
    pub is_corner: bool,
    /// Does the line begin here?
    pub begins: bool,
    pub hops: u32,
}

/// A cycle of a slot.
#[derive(Debug, Clone, Default)]
struct SlotPhase {
    drives: Vec<Drive>,
    /// By tile: is it at a path that is driven, and over which outputs?
    takes_part: Vec<bool>,
    driven: Vec<u8>,
    /// By output and line: links that are driven, and tiles that take part.
    links: Vec<u64>,
    bars: Vec<u64>,
}

/// All slots of a network.
#[derive(Debug, Clone)]
pub(super) struct Slots {
    interval: u64,
    is_on_demand: bool,
    setup_cycles: u64,
    phases: Vec<SlotPhase>,
    corners: [usize; 4],
    /// By corner: input whose packet goes first.
    first_inputs: [usize; 4],
    /// First cycles of the last two slots on demand.
    begun: [Option<u64>; 2],
    /// Has a line waited for the next slot?
    pub is_left: bool,
    /// By tile: inputs that have sent a flit in this cycle.
    pub used: Vec<u8>,
    /// Does the last path of a phase go first in this slot? Two paths of a router may need one input: they go first in alternate slots.
    pub is_reversed: bool,
}

impl Slots {
    pub(super) fn new(network: &Network, smart: &SmartRouter, places: &[TileCoord]) -> Self {
        let (east, north) = (network.width() - 1, network.height() - 1);
        let corners = [(0, 0), (east, 0), (east, north), (0, north)].map(|(x, y)| Coord::new(x, y));
        let hpc_max = smart.hpc_max as usize;
        let cycles = |line: u16| usize::from(line).div_ceil(hpc_max);
        let empty = SlotPhase {
            drives: Vec::new(),
            takes_part: vec![false; network.num_tiles()],
            driven: vec![0; network.num_tiles()],
            links: vec![0; LOCAL * 64],
            bars: vec![0; LOCAL * 64],
        };
        let mut slots = Self {
            interval: smart.broadcast_interval_cycles.into(),
            is_on_demand: smart.has_slots_on_demand,
            setup_cycles: smart.setup_cycles.into(),
            phases: vec![empty; cycles(east) + cycles(north)],
            corners: corners.map(|corner| network.tile_at(corner).idx()),
            first_inputs: [0; 4],
            begun: [None; 2],
            is_left: false,
            used: vec![0; network.num_tiles()],
            is_reversed: true,
        };
        for corner in corners {
            slots.add_tree(network, hpc_max, corner, places);
        }
        slots
    }

    /// The lines of a private tree.
    fn add_tree(&mut self, network: &Network, hpc_max: usize, corner: Coord, places: &[TileCoord]) {
        let along_row = if corner.x == 0 {
            Port::East
        } else {
            Port::West
        };
        let along_column = if corner.y == 0 {
            Port::North
        } else {
            Port::South
        };
        let (row, column) = (network.width() as usize - 1, network.height() as usize - 1);
        let (first, second, line, across) = if network.leaves_along_row(corner) {
            (along_row, along_column, row, column)
        } else {
            (along_column, along_row, column, row)
        };
        let at_corner = Drive {
            tile: network.tile_at(corner).idx(),
            out: first.idx(),
            first: first.idx(),
            is_first: true,
            is_corner: true,
            begins: true,
            hops: 0,
        };
        self.add_line(network, hpc_max, at_corner, (0, line), places);
        let mut at = corner;
        for hops in 0..=line {
            let from = Drive {
                tile: network.tile_at(at).idx(),
                out: second.idx(),
                is_first: false,
                is_corner: hops == 0,
                ..at_corner
            };
            let phase = (1 + hops / hpc_max).min(line.div_ceil(hpc_max));
            self.add_line(network, hpc_max, from, (phase, across), places);
            at = network.neighbour(at, first).unwrap_or(at);
        }
    }

    /// Paths one after the other from a phase on, over a line of some hops.
    fn add_line(
        &mut self,
        network: &Network,
        hpc_max: usize,
        from: Drive,
        (phase, hops): (usize, usize),
        places: &[TileCoord],
    ) {
        let out = Port::ALL[from.out];
        let mut at = network.coord(TileId(from.tile as u32));
        for (index, done) in (0..hops).step_by(hpc_max).enumerate() {
            let drive = Drive {
                tile: network.tile_at(at).idx(),
                begins: done == 0,
                is_corner: from.is_corner && done == 0,
                hops: hpc_max.min(hops - done) as u32,
                ..from
            };
            let phase = &mut self.phases[phase + index];
            phase.drives.push(drive);
            phase.take_part(drive.tile, places);
            for _ in 0..drive.hops {
                phase.drive(network.tile_at(at).idx(), drive.out, places);
                at = network.neighbour(at, out).unwrap_or(at);
                phase.take_part(network.tile_at(at).idx(), places);
            }
        }
    }

    /// The phase whose paths are crossed in a cycle.
    pub(super) fn phase(&self, cycle: u64) -> Option<usize> {
        let phases = self.phases.len() as u64;
        if !self.is_on_demand {
            let phase = cycle % self.interval;
            return (phase < phases).then_some(phase as usize);
        }
        let of = |begun: Option<u64>| cycle.checked_sub(begun?).filter(|phase| *phase < phases);
        let phase = of(self.begun[1]).or_else(|| of(self.begun[0]));
        phase.map(|phase| phase as usize)
    }

    /// Cycles in which a packet may wait for the next slot without anything that moves.
    pub(super) const fn patience_cycles(&self) -> u64 {
        2 * self.interval
    }

    /// How many paths a phase has.
    pub(super) fn drives(&self, phase: usize) -> usize {
        self.phases[phase].drives.len()
    }

    /// A path of a phase.
    pub(super) fn drive(&self, phase: usize, index: usize) -> Drive {
        self.phases[phase].drives[index]
    }

    /// Input of a corner whose packet goes first; a packet that begins passes that on.
    pub(super) fn first_input(&mut self, tile: usize) -> Option<&mut usize> {
        let corner = self.corners.iter().position(|corner| *corner == tile)?;
        self.first_inputs.get_mut(corner)
    }

    /// A slot on demand begins as soon as it may, if a corner asks for it or a line has waited.
    pub(super) fn ask(&mut self, cycle: u64, is_asked: impl Fn(usize) -> bool) {
        let begins = cycle + self.setup_cycles;
        let is_early = self.begun[1].is_some_and(|last| begins < last + self.interval);
        let is_needed = || self.is_left || self.corners.iter().any(|tile| is_asked(*tile));
        if self.is_on_demand && !is_early && is_needed() {
            self.begun = [self.begun[1], Some(begins)];
        }
    }

    /// Inputs and outputs of a tile that allocation may use in a phase.
    pub(super) fn usable(&self, phase: usize, tile: usize) -> (u8, u8) {
        let phase = &self.phases[phase];
        if !phase.takes_part[tile] {
            return (u8::MAX, u8::MAX);
        }
        // The slot may have a flit of any input of a corner.
        let is_corner = self.corners.contains(&tile);
        let inputs = if is_corner { 0 } else { 1 << LOCAL };
        (inputs, !(phase.driven[tile] | 1 << LOCAL))
    }

    /// By output and line: tiles beyond which no path goes on in a phase.
    pub(super) fn bars(&self, phase: usize) -> &[u64] {
        &self.phases[phase].bars
    }

    /// Links of an output and line that are driven in a cycle.
    pub(super) fn links(&self, cycle: u64, out: usize, line: usize) -> u64 {
        let phase = self.phase(cycle);
        // 0: in a cycle outside of all phases no link is driven.
        phase.map_or(0, |phase| self.phases[phase].links[out * 64 + line])
    }
}

impl SlotPhase {
    fn take_part(&mut self, tile: usize, places: &[TileCoord]) {
        self.takes_part[tile] = true;
        for out in 0..LOCAL {
            let line = out * 64 + Numbers::line(places[tile], out);
            self.bars[line] |= 1 << Numbers::bit(places[tile], out);
        }
    }

    fn drive(&mut self, tile: usize, out: usize, places: &[TileCoord]) {
        let line = out * 64 + Numbers::line(places[tile], out);
        let link = 1 << Numbers::bit(places[tile], out);
        assert!(
            self.links[line] & link == 0,
            "two private trees drive a link in one phase"
        );
        self.links[line] |= link;
        self.driven[tile] |= 1 << out;
    }
}
