// SPDX-License-Identifier: Apache-2.0
//! One plane of the mesh: routers with input and output FIFOs, moved in two halves per cycle.
//!
//! *Evaluate* looks at registers only and decides all moves; *commit* makes them. So every ready is a
//! registered one (S1's routers: FIFOs at input and output, a hop takes two cycles) and the
//! order in which routers are visited cannot matter. Control is kept as bit planes over blocks of 64
//! routers ([`crate::router::collective::control::block`]); a block without flits is not in the active set.
//!
//! This file moves flits; [`crate::router::collective::merge::point`] decides what a contribution does at a merge point.

use crate::kernel::bit_set::{BitSet, bits};
use crate::router::Direct;
use crate::router::collective::bypass::Bypass;
use crate::router::collective::control::block::{
    Block, JOIN, LANES, LOCAL, PORTS, SLOTS, Shift, slot_at,
};
use crate::router::collective::fifo::depths::Depths;
use crate::router::collective::fifo::head_age::HeadAges;
use crate::router::collective::fifo::link_stages::LinkStages;
use crate::router::collective::fifo::store::{FlitEntry, FlitStore, RoutedBy, empty_slots};
use crate::router::collective::fifo::tails::DeepFifos;
use crate::router::collective::fork::requests::{Forks, route, route_one};
use crate::router::collective::fork::route::xy_port;
use crate::router::collective::merge::point::Joins;
use crate::router::collective::merge::types::Credit;
use crate::router::collective::phases::partition::{Partition, partitions};
use crate::router::published::packets::PublishedPackets;
use crate::transport::flit::{Flit, MULTICAST, OWN_COPY, Packed};
use crate::transport::transaction::Trees;
use noccl_net::Coord;
use std::sync::Arc;

/// One plane.
pub(crate) struct PlaneState {
    pub(in crate::router) blocks: Vec<Block>,
    /// Inputs without a free slot.
    pub(super) in_full: Vec<[u64; PORTS]>,
    /// Outputs from whose links a flit enters a neighbour in this cycle, and the slot that it leaves.
    pub(super) leaving: Vec<[u64; 4]>,
    pub(super) leaving_slot: Vec<[u64; 4]>,
    /// FIFO contents by block, port, slot and lane: flat, so that the system hands out zeroed pages.
    pub(super) input: Vec<FlitEntry>,
    pub(super) output: Vec<FlitEntry>,
    /// The flits themselves.
    pub(super) flits: FlitStore,
    /// What stands behind the first two flits, if FIFOs have not two slots.
    pub(super) deep: Option<Box<DeepFifos>>,
    /// Links that take more than a cycle.
    pub(crate) links: Option<Box<LinkStages>>,
    /// Flits that have entered each router by its mesh ports.
    pub(in crate::router) entered: Vec<[u32; 4]>,
    /// Packed coordinate of every router.
    pub(in crate::router) coords: Arc<[u32]>,
    pub(crate) joins: Joins,
    pub(in crate::router) active: BitSet,
    /// Blocks that receive flits over links in this cycle.
    pub(super) receiving: Vec<u64>,
    /// Blocks that have ever received a flit over a link.
    pub(super) has_received: Vec<u64>,
    pub(super) shifts: [Shift; 4],
    /// Registers that only published routers have.
    pub(crate) published: Option<Box<PublishedPackets>>,
    /// Only with routers that flits pass in flight.
    pub(crate) bypass: Option<Box<Bypass>>,
    /// What takes the place of the routers of a network that has none.
    pub(in crate::router) direct: Option<Direct>,
    /// Since when heads stand, once somebody wants to know.
    pub(crate) head_ages: Option<Box<HeadAges>>,
    /// Ranges of blocks that threads work on.
    pub(crate) partitions: Vec<Partition>,
    pub(crate) flit_hops: u64,
    pub(super) num_routers: usize,
}

/// Packed coordinate of every router, filled up to whole blocks.
pub(crate) fn packed_coords(width: u16, height: u16) -> Arc<[u32]> {
    let tiles = width as usize * height as usize;
    let column = |x: u16| (0..height).map(move |y| crate::transport::flit::pack(Coord::new(x, y)));
    let mut coords: Vec<u32> = (0..width).flat_map(column).collect();
    coords.resize(tiles.div_ceil(LANES) * LANES, 0);
    coords.into()
}

/// Local outputs by which a flit of an interface will leave the network: an own copy has not entered it.
#[inline]
fn leaves(flit: Flit, trees: &Trees) -> u32 {
    if flit.flags & MULTICAST == 0 {
        return 1;
    }
    trees.set(flit.txn).set.len() - u32::from(flit.flags & OWN_COPY != 0)
}

impl PlaneState {
    /// `coords` is [`packed_coords`] of the mesh, one table for all planes.
    pub(crate) fn new(
        height: u16,
        coords: Arc<[u32]>,
        tiles: usize,
        joins: Joins,
        depths: Depths,
        num_partitions: usize,
    ) -> Self {
        let blocks = tiles.div_ceil(LANES);
        let (inputs, outputs) = (depths.input_flits, depths.output_flits);
        let is_deep = (inputs, outputs) != (2, 2);
        let h = height as isize;
        Self {
            blocks: vec![Block::default(); blocks],
            in_full: vec![[0; PORTS]; blocks],
            leaving: vec![[0; 4]; blocks],
            leaving_slot: vec![[0; 4]; blocks],
            input: empty_slots(blocks * PORTS * SLOTS),
            output: empty_slots(blocks * PORTS * SLOTS),
            flits: FlitStore::default(),
            deep: is_deep.then(|| Box::new(DeepFifos::new(blocks, inputs, outputs))),
            links: (depths.link_cycles > 1)
                .then(|| Box::new(LinkStages::new(blocks, depths.link_cycles))),
            entered: vec![[0; 4]; blocks * LANES],
            coords,
            joins,
            active: BitSet::new(blocks),
            receiving: vec![0; blocks.div_ceil(64)],
            has_received: vec![0; blocks.div_ceil(64)],
            shifts: [1, h, -1, -h].map(Shift::new),
            published: None,
            bypass: None,
            direct: None,
            head_ages: None,
            partitions: partitions(blocks, num_partitions),
            flit_hops: 0,
            num_routers: tiles,
        }
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.active.is_empty()
    }

    pub(crate) fn coord(&self, r: usize) -> Coord {
        let at = self.coords[r];
        Coord::new((at >> 16) as u16, at as u16)
    }

    /// Have all FIFOs two slots, and do links take one cycle?
    pub(crate) const fn has_two_slots(&self) -> bool {
        self.deep.is_none() && self.links.is_none()
    }

    /// Flits that have crossed each link that carried any: router, output port, flits; in that order.
    pub(crate) fn link_loads(&self) -> Vec<(usize, usize, u32)> {
        if let Some(direct) = &self.direct {
            return direct.network().loads();
        }
        let mut loads = Vec::new();
        for w in (0..self.blocks.len()).filter(|w| self.has_received[w / 64] >> (w % 64) & 1 != 0) {
            for r in w * LANES..(w + 1) * LANES {
                for (port, shift) in self.shifts.iter().enumerate() {
                    let flits = self.entered[r][port];
                    if flits > 0 {
                        let from = r.wrapping_add_signed(shift.tiles);
                        loads.push((from, (port + 2) & 3, flits));
                    }
                }
            }
        }
        loads.sort_unstable();
        loads
    }

    /// May the NI of tile `r` push into the Local input this cycle? Registered.
    #[inline]
    pub(crate) fn can_inject(&self, r: usize) -> bool {
        self.in_full[r / LANES][LOCAL] >> (r % LANES) & 1 == 0
    }

    /// Routers of a block that offer a flit at their Local output.
    #[inline]
    pub(crate) fn local_offers(&self, w: usize) -> u64 {
        self.blocks[w].out_any[LOCAL]
    }

    /// Those of them that offer a beat that is only delivered.
    #[inline]
    pub(crate) fn local_only_delivered(&self, w: usize) -> u64 {
        self.blocks[w].only_delivered()
    }

    /// The flit offered at the Local output of `r`.
    #[inline]
    pub(crate) fn local_head(&self, r: usize) -> Flit {
        let slot = (self.blocks[r / LANES].out_head[LOCAL] >> (r % LANES) & 1) as usize;
        self.flit(self.output[slot_at(r, LOCAL, slot)])
    }

    /// Has every flit that has entered left, as often as its forks say?
    #[cfg(test)]
    pub(crate) const fn has_no_flits(&self) -> bool {
        self.flits.is_empty()
    }

    /// The flit of an entry.
    #[inline]
    fn flit(&self, entry: FlitEntry) -> Flit {
        Flit::from_packed(self.flits.get(entry))
    }

    /// Takes the flits offered at the Local outputs of a block. Returns the checksum of beats that are only delivered.
    pub(crate) fn pop_local(&mut self, w: usize, lanes: u64) -> u64 {
        let block = &mut self.blocks[w];
        let slots = &self.output[slot_at(w * LANES, LOCAL, 0)..][..SLOTS];
        let (heads, only_delivered) = (block.out_head[LOCAL], block.only_delivered());
        let mut checksum = 0;
        for lane in bits(lanes) {
            let slot = (heads >> lane & 1) as usize;
            let flit = self.flits.release(slots[slot * LANES + lane]);
            checksum += Flit::payload(flit) * (only_delivered >> lane & 1);
        }
        match &mut self.deep {
            None => block.pop_outputs(LOCAL, lanes),
            Some(deep) => deep.outputs.whole().pop_outputs(block, w, LOCAL, lanes),
        }
        checksum
    }

    /// The NI appends a flit to the Local input; it has checked that there is space.
    pub(crate) fn push_local(&mut self, r: usize, flit: Flit, trees: &Trees) {
        let (w, lane, here) = (r / LANES, r % LANES, self.coords[r]);
        self.active.insert(w);
        if let Some(direct) = &mut self.direct {
            return direct.network_mut().send(r, flit);
        }
        let entry = self.flits.put(flit.packed(), leaves(flit, trees));
        let (block, full) = (&mut self.blocks[w], &mut self.in_full[w][LOCAL]);
        let wants_of = || {
            let mut wants = route_one(lane, LOCAL, here, entry, trees);
            if flit.flags & OWN_COPY != 0 {
                wants[LOCAL] = 0;
            }
            wants
        };
        let slot = (block.input_slots(LOCAL) >> lane & 1) as usize;
        if let Some(deep) = &mut self.deep {
            let slots = &mut self.input[slot_at(w * LANES, LOCAL, 0)..][..SLOTS];
            let mut inputs = deep.inputs.whole();
            inputs.place((w, LOCAL, lane), slots, slot, entry);
            inputs.enter(block, full, (w, LOCAL), 1 << lane, &wants_of());
            return;
        }
        match entry.routed_by() {
            RoutedBy::Destination => {
                block.push_input(LOCAL, full, lane, xy_port(here, flit.dst));
            }
            RoutedBy::Contributions => {
                block.push_input(LOCAL, full, lane, JOIN);
            }
            RoutedBy::Set => block.push_inputs(LOCAL, full, 1 << lane, &wants_of()),
        }
        self.input[slot_at(r, LOCAL, slot)] = entry;
    }

    /// The same for several NIs of a block. No multicast has an own copy.
    pub(crate) fn push_local_lanes(
        &mut self,
        w: usize,
        lanes: u64,
        trees: &Trees,
        mut flit_of: impl FnMut(usize) -> Packed,
    ) {
        if self.direct.is_some() || self.deep.is_some() {
            for lane in bits(lanes) {
                self.push_local(w * LANES + lane, Flit::from_packed(flit_of(lane)), trees);
            }
            return;
        }
        let (block, full) = (&mut self.blocks[w], &mut self.in_full[w][LOCAL]);
        let coords = &self.coords[w * LANES..][..LANES];
        let slots = &mut self.input[slot_at(w * LANES, LOCAL, 0)..][..SLOTS];
        let targets = block.input_slots(LOCAL);
        let (mut wants, mut forks) = ([0; PORTS + 1], Forks::NONE);
        for lane in bits(lanes) {
            let flit = flit_of(lane);
            let leaves = leaves(Flit::from_packed(flit), trees);
            let flit = self.flits.put(flit, leaves);
            slots[(targets >> lane & 1) as usize * LANES + lane] = flit;
            route(
                &mut wants,
                &mut forks,
                lane,
                LOCAL,
                coords[lane],
                flit,
                trees,
            );
        }
        if forks.any {
            forks.add_to(&mut wants);
        }
        block.push_inputs(LOCAL, full, lanes, &wants);
        self.active.insert(w);
    }

    /// Routers of a block whose Local input has no space. Registered.
    pub(crate) fn local_full(&self, w: usize) -> u64 {
        self.in_full[w][LOCAL]
    }

    pub(super) fn input_at(&self, r: usize, port: usize) -> usize {
        let head = (self.blocks[r / LANES].in_head[port] >> (r % LANES) & 1) as usize;
        slot_at(r, port, head)
    }

    /// A merged contribution takes the place of the head of an input.
    pub(crate) fn replace_head(&mut self, r: usize, port: usize, flit: Flit) {
        let at = self.input_at(r, port);
        self.flits.release(self.input[at]);
        self.input[at] = self.flits.put(flit.packed(), 1);
    }

    /// The head of an input has been taken in by the router's unit: it leaves at the end of the cycle.
    pub(in crate::router) fn absorb_head(&mut self, r: usize, port: usize) {
        self.blocks[r / LANES].popped[port] |= 1 << (r % LANES);
        let entry = self.input[self.input_at(r, port)];
        self.flits.release_later(entry);
    }

    /// The flit at the head of an input FIFO.
    pub(crate) fn input_head(&self, r: usize, port: usize) -> Flit {
        self.flit(self.input[self.input_at(r, port)])
    }

    /// Appends a merged flit to an output FIFO (published routers).
    pub(crate) fn push_output(&mut self, r: usize, out: usize, flit: Flit) {
        let (w, lane) = (r / LANES, r % LANES);
        let entry = self.flits.put(flit.packed(), 1);
        if let Some(deep) = &mut self.deep {
            let slots = &mut self.output[slot_at(w * LANES, out, 0)..][..SLOTS];
            let (block, at) = (&mut self.blocks[w], (w, out, lane));
            let mut outputs = deep.outputs.whole();
            return outputs.append(block, slots, at, entry, false);
        }
        let slots = self.blocks[w].push_outputs(out, 1 << lane);
        self.output[slot_at(r, out, (slots >> lane & 1) as usize)] = entry;
    }

    pub(crate) fn request(&mut self, r: usize, port: usize, want: u8) {
        self.blocks[r / LANES].request(r % LANES, port, want);
    }

    /// A merge unit got work outside of evaluate (a timeout): visit its router.
    pub(crate) fn wake(&mut self, r: usize) {
        self.blocks[r / LANES].unit_busy |= 1 << (r % LANES);
        self.active.insert(r / LANES);
    }

    /// The credit that the merge point of a tile returns next.
    pub(crate) fn pending_credit(&self, r: usize, trees: &Trees) -> Option<Credit> {
        self.joins.pending_credit(r, self.coord(r), trees)
    }

    /// Element operations so far, for energy.
    pub(crate) fn added_elements(&self) -> u64 {
        let direct = self.direct.as_ref();
        // 0: a plane with routers adds in them alone.
        self.joins.reduced_elements() + direct.map_or(0, |d| d.network().added_elements())
    }

    /// The oldest finished result of a router's unit, for diagnosis.
    pub(crate) fn oldest_result(&self, r: usize) -> Option<(u64, Flit)> {
        self.joins.oldest_result(r, self.coords[r])
    }

    pub(crate) fn num_routers(&self) -> usize {
        self.num_routers
    }

    /// Does the head of an input wait for other contributions?
    pub(crate) fn is_joining(&self, r: usize, port: usize) -> bool {
        self.blocks[r / LANES].join_heads[port] >> (r % LANES) & 1 != 0
    }

    /// Outputs that the head of an input still has to take, as a bit set.
    pub(crate) fn wants(&self, r: usize, port: usize) -> u8 {
        self.blocks[r / LANES].wants(r % LANES, port)
    }

    pub(crate) fn is_full(&self, r: usize, is_input: bool, port: usize) -> bool {
        let full = if is_input {
            self.in_full[r / LANES][port]
        } else {
            self.blocks[r / LANES].out_full[port]
        };
        full >> (r % LANES) & 1 != 0
    }

    /// Takes note of the heads of all FIFOs, from now on if it has not begun yet.
    #[cold]
    pub(crate) fn note_head_ages(&mut self, cycle: u64) {
        let mut ages = self
            .head_ages
            .take()
            .unwrap_or_else(|| self.new_head_ages());
        let mut next = 0;
        while let Some(w) = self.active.next_member(next) {
            next = w + 1;
            for r in w * LANES..(next * LANES).min(self.num_routers) {
                ages.observe(r, cycle, |is_input, port| {
                    let flits = self.fifo(r, is_input, port);
                    (flits, self.is_full(r, is_input, port))
                });
            }
        }
        self.head_ages = Some(ages);
    }

    pub(crate) fn new_head_ages(&self) -> Box<HeadAges> {
        Box::new(HeadAges::new(self.num_routers))
    }

    /// Flits of one FIFO, head first, for diagnosis and conservation checks.
    pub(crate) fn fifo(
        &self,
        r: usize,
        is_input: bool,
        port: usize,
    ) -> impl Iterator<Item = Flit> + '_ {
        let (block, lane) = (&self.blocks[r / LANES], r % LANES);
        let (slots, any, head) = if is_input {
            (&self.input, block.in_any[port], block.in_head[port])
        } else {
            (&self.output, block.out_any[port], block.out_head[port])
        };
        let two = self.two(is_input, r / LANES, port);
        let len = usize::from(any >> lane & 1 != 0) + usize::from(two >> lane & 1 != 0);
        let head = (head >> lane & 1) as usize;
        let first_two = (0..len).map(move |i| slots[slot_at(r, port, head ^ i)]);
        let deep = self.deep.iter();
        let behind = deep.flat_map(move |deep| deep.side(is_input).behind(r, port));
        first_two.chain(behind).map(|entry| self.flit(entry))
    }

    /// Flits on the register stages of the link behind an output, in no order.
    pub(crate) fn on_link(&self, r: usize, port: usize) -> impl Iterator<Item = Flit> + '_ {
        let links = self.links.iter();
        let entries = links.flat_map(move |links| links.on_link(r, port));
        entries.map(|entry| self.flit(entry))
    }

    /// The flit that enters a neighbour in this cycle over the link behind an output.
    pub(crate) fn leaving_flit(&self, r: usize, port: usize) -> Option<Flit> {
        let is_leaving = self.leaving[r / LANES][port] >> (r % LANES) & 1 != 0;
        is_leaving.then(|| self.flit(self.leaving_entry(r, port)))
    }

    /// The same of a link over which one does.
    pub(super) fn leaving_entry(&self, r: usize, port: usize) -> FlitEntry {
        let slot = (self.leaving_slot[r / LANES][port] >> (r % LANES) & 1) as usize;
        let slots = match &self.links {
            None => &self.output[..],
            Some(links) => links.last(),
        };
        slots[slot_at(r, port, slot)]
    }

    /// FIFOs of a block with two flits or more.
    pub(crate) fn two(&self, is_input: bool, w: usize, port: usize) -> u64 {
        match &self.deep {
            Some(deep) => deep.side(is_input).two()[w][port],
            None if is_input => self.in_full[w][port],
            None => self.blocks[w].out_full[port],
        }
    }
}
