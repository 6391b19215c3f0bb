// SPDX-License-Identifier: Apache-2.0
//! Slots in which multicasts cross the mesh over private trees (S2 §III.A, multicast `complete`).
//!
//! A slot is a few cycles after each other, its phases. In phase j the j-th paths along the edges of the mesh are driven, from the corners
//! on; a router sends across what it got in the phase after it has sent it on, or, at the end of a line, has got it. All outputs of private
//! trees belong to slots: a line is driven as a whole or waits for the next slot, and takes its channels at its beginning. Routers at a
//! path that is driven send nothing from their mesh inputs and nothing to their interfaces in that cycle, whether there is a packet or not.
//! Slots begin at fixed intervals, or on demand: `setup_cycles` after a packet is in its corner.

use super::numbers::{
    FIRST_DIMENSION, LOCAL, MULTICAST, Numbers, PORTS, Place, SECOND_DIMENSION, opposite, ports,
};
use super::packet::Kind;
use super::plane::{Latched, Plane};
use noccl_net::{Coord, Network, Port, TileId};
use noccl_spec::SmartRouter;

/// An output that is driven in a phase.
#[derive(Debug, Clone, Copy)]
struct Drive {
    tile: usize,
    out: usize,
    /// Output along the first dimension of the tree, and does this drive that one?
    first: usize,
    is_first: bool,
    /// The corner itself?
    is_corner: bool,
    /// Does the line begin here?
    begins: bool,
    hops: u32,
}

/// A cycle of a slot.
#[derive(Debug, Clone, Default)]
struct Phase {
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
    phases: Vec<Phase>,
    corners: [usize; 4],
    /// First cycles of the last two slots on demand.
    begun: [Option<u64>; 2],
    /// Has a line waited for the next slot?
    is_left: bool,
    /// By tile: inputs that have sent a flit in this cycle.
    used: Vec<u8>,
}

impl Slots {
    pub(super) fn new(network: &Network, smart: &SmartRouter, places: &[Place]) -> Self {
        let (east, north) = (network.width() - 1, network.height() - 1);
        let corners = [(0, 0), (east, 0), (east, north), (0, north)].map(|(x, y)| Coord::new(x, y));
        let hpc_max = smart.hpc_max as usize;
        let cycles = |line: u16| usize::from(line).div_ceil(hpc_max);
        let empty = Phase {
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
            begun: [None; 2],
            is_left: false,
            used: vec![0; network.num_tiles()],
        };
        for corner in corners {
            slots.add_tree(network, hpc_max, corner, places);
        }
        slots
    }

    /// The lines of a private tree.
    fn add_tree(&mut self, network: &Network, hpc_max: usize, corner: Coord, places: &[Place]) {
        let along_row = if corner.x == 0 { Port::East } else { Port::West };
        let along_column = if corner.y == 0 { Port::North } else { Port::South };
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
        places: &[Place],
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

    /// Inputs and outputs of a tile that allocation may use in a phase.
    pub(super) fn usable(&self, phase: usize, tile: usize) -> (u8, u8) {
        let phase = &self.phases[phase];
        if phase.takes_part[tile] {
            (1 << LOCAL, !(phase.driven[tile] | 1 << LOCAL))
        } else {
            (u8::MAX, u8::MAX)
        }
    }

    /// By output and line: tiles beyond which no path goes on in a phase.
    pub(super) fn bars(&self, phase: usize) -> &[u64] {
        &self.phases[phase].bars
    }

    /// Links of an output and line that are driven in a cycle.
    pub(super) fn links(&self, cycle: u64, out: usize, line: usize) -> u64 {
        let phase = self.phase(cycle);
        phase.map_or(0, |phase| self.phases[phase].links[out * 64 + line])
    }
}

impl Phase {
    fn take_part(&mut self, tile: usize, places: &[Place]) {
        self.takes_part[tile] = true;
        for out in 0..LOCAL {
            let line = out * 64 + Numbers::line(places[tile], out);
            self.bars[line] |= 1 << Numbers::bit(places[tile], out);
        }
    }

    fn drive(&mut self, tile: usize, out: usize, places: &[Place]) {
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

impl Plane {
    /// The paths of a slot that are crossed in this cycle.
    pub(super) fn drive_slots(&mut self) {
        let Some(mut slots) = self.slots.take() else {
            return;
        };
        self.ask_for_slot(&mut slots);
        if let Some(phase) = slots.phase(self.cycle) {
            slots.used.fill(0);
            if phase == 0 {
                slots.is_left = false;
            }
            for index in 0..slots.phases[phase].drives.len() {
                let drive = slots.phases[phase].drives[index];
                self.drive(drive, &mut slots);
            }
        }
        self.slots = Some(slots);
    }

    /// Outputs that allocation leaves to the slot whose paths are crossed in a later cycle.
    pub(super) fn bar_slots(&mut self, phase: usize) {
        let Some(slots) = self.slots.take() else {
            return;
        };
        for (line, tiles) in slots.bars(phase).iter().enumerate() {
            if *tiles != 0 {
                if self.barred[line] == 0 {
                    self.barred_lines.push(line as u16);
                }
                self.barred[line] |= tiles;
            }
        }
        self.slots = Some(slots);
    }

    fn ask_for_slot(&self, slots: &mut Slots) {
        if !slots.is_on_demand {
            return;
        }
        let begins = self.cycle + slots.setup_cycles;
        let is_early = slots.begun[1].is_some_and(|last| begins < last + slots.interval);
        if is_early || !(slots.is_left || slots.corners.iter().any(|tile| self.is_asked(*tile))) {
            return;
        }
        slots.begun = [slots.begun[1], Some(begins)];
    }

    /// Does a packet in its corner ask for outputs of its tree?
    fn is_asked(&self, tile: usize) -> bool {
        self.in_corner(tile).any(|channel| {
            let wants = self.channels.wants[channel];
            wants & !(1 << LOCAL) != 0
        })
    }

    /// Channels of a corner with packets whose tree begins there.
    fn in_corner(&self, tile: usize) -> impl Iterator<Item = usize> + '_ {
        ports(self.channels.ready_ports[tile]).flat_map(move |port| {
            self.of_class(tile, port, MULTICAST).filter(move |channel| {
                let packet = &self.packets[self.channels.packet[*channel] as usize];
                packet.kind == Kind::ToCorner && packet.target == tile as u32
            })
        })
    }

    /// Channels of a class at an input that ask for an output.
    fn of_class(&self, tile: usize, port: usize, class: usize) -> impl Iterator<Item = usize> + '_ {
        let input = tile * PORTS + port;
        let ready = self.channels.ready[input];
        let first = class * self.n.vcs;
        (first..first + self.n.vcs)
            .filter(move |bit| ready >> bit & 1 == 1)
            .map(move |bit| input * self.n.channels() + bit)
    }

    /// Sends a flit over a path of a slot, if there is one and its line is free.
    fn drive(&mut self, drive: Drive, slots: &mut Slots) {
        let Some(channel) = self.to_drive(drive) else {
            return;
        };
        let port = channel / self.n.channels() % PORTS;
        let id = self.channels.packet[channel];
        let flit = self.channels.next_flit[channel][drive.out];
        let is_used = slots.used[drive.tile] >> port & 1 == 1;
        if is_used || drive.begins && flit == 0 && !self.take_line(drive, id) {
            slots.is_left = true;
            return;
        }
        slots.used[drive.tile] |= 1 << port;
        self.has_moved = true;
        self.latch_path(drive, id, flit);
        self.channels.next_flit[channel][drive.out] = flit + 1;
        self.channels.ask(&self.n, channel);
        self.leave_if_done(channel, 2);
    }

    /// The channel whose flit goes over a path: what came along the line, or one of those in a corner. Across goes what has gone on along
    /// the first dimension.
    fn to_drive(&self, drive: Drive) -> Option<usize> {
        let Drive { tile, out, .. } = drive;
        let asks = |channel: &usize| {
            let has_gone = drive.is_first || {
                let next = &self.channels.next_flit[*channel];
                self.channels.outputs[*channel] >> drive.first & 1 == 0 || next[drive.first] > next[out]
            };
            has_gone && self.channels.wants[*channel] >> out & 1 == 1
        };
        if drive.is_corner {
            return self.in_corner(tile).find(asks);
        }
        let (from, class) = if drive.is_first {
            (opposite(out), FIRST_DIMENSION)
        } else if drive.begins {
            (opposite(drive.first), FIRST_DIMENSION)
        } else {
            (opposite(out), SECOND_DIMENSION)
        };
        self.of_class(tile, from, class).find(asks)
    }

    const fn slot_class(drive: Drive) -> usize {
        if drive.is_first {
            FIRST_DIMENSION
        } else {
            SECOND_DIMENSION
        }
    }

    /// Takes a channel at every router of a line that keeps a copy or drives the next path. False, and nothing taken, if one has none.
    fn take_line(&mut self, drive: Drive, id: u32) -> bool {
        let class = Self::slot_class(drive);
        let port = opposite(drive.out);
        let copies = self.copies(drive, id);
        let has_all = |(tile, _): &(usize, u8)| self.channels.has_free(&self.n, *tile, port, class);
        if !copies.iter().all(has_all) {
            return false;
        }
        for (tile, outputs) in copies {
            let channel = self.channels.take(&self.n, tile, port, class);
            self.channels.hold(channel, id, outputs);
            self.packets[id as usize].holders += 1;
        }
        true
    }

    /// Routers of a line that keep a copy, with its outputs.
    fn copies(&self, drive: Drive, id: u32) -> Vec<(usize, u8)> {
        let tree = &self.trees[self.packets[id as usize].of as usize].ports;
        let (mut copies, mut at, mut hops) = (Vec::new(), drive.tile, 0);
        while tree[at] >> drive.out & 1 == 1 {
            at = self.n.next(at, drive.out);
            hops += 1;
            let is_end = hops % self.n.hpc_max == 0;
            let outputs = if is_end {
                tree[at]
            } else {
                tree[at] & !(1 << drive.out)
            };
            if outputs != 0 {
                copies.push((at, outputs));
            }
        }
        copies
    }

    /// A flit crosses a path, and is latched where its packet has a channel.
    fn latch_path(&mut self, drive: Drive, id: u32, flit: u16) {
        let out = drive.out;
        let (mut at, mut hops) = (drive.tile, 0);
        while hops < drive.hops && self.goes_on(id, at, out) {
            at = self.n.next(at, out);
            hops += 1;
            if let Some(channel) = self.channels.find(&self.n, at, opposite(out), id) {
                let channel = channel as u32;
                let come = flit + 1;
                self.due_in(1).latched.push(Latched { channel, come });
            }
        }
        let place = self.channels.places[drive.tile];
        let (line, bit) = (Numbers::line(place, out), Numbers::bit(place, out));
        self.loads.add(out, line, bit, hops);
        if flit > 0 {
            self.loads.payload_hops += u64::from(hops);
        }
    }

    fn goes_on(&self, id: u32, at: usize, out: usize) -> bool {
        let tree = self.packets[id as usize].of;
        self.trees[tree as usize].ports[at] >> out & 1 == 1
    }
}
