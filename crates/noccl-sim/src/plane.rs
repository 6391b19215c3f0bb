// SPDX-License-Identifier: Apache-2.0
//! One plane of the mesh: routers with input and output FIFOs, moved in two halves per cycle.
//!
//! *Evaluate* looks at registers only and decides all moves; *commit* makes them. So every ready is a
//! registered one (S1's routers: two-deep FIFOs at input and output, a hop takes two cycles) and the
//! order in which routers are visited cannot matter. Control is kept as bit planes over blocks of 64
//! routers ([`crate::block`]); a block without flits is not in the active set.
//!
//! This file moves flits; [`crate::join`] decides what a contribution does at a merge point.

use crate::bitset::BitSet;
use crate::block::{Block, LANES, LOCAL, PORTS, RESULT, Restriction, Shift};
use crate::flit::{Flit, FlitKind, OWN_COPY, Packed};
use crate::join::Joins;
use crate::payload::PayloadPool;
use crate::peer::PeerState;
use crate::txn::Trees;
use noccl_net::tree::fork_set;
use noccl_net::{Coord, Port};

/// Slots of one port of a block: two per router, the router's own side by side.
const SLOTS: usize = 2 * LANES;

/// What planes read of the rest of the simulation.
pub(crate) struct Context<'a> {
    pub cycle: u64,
    pub trees: &'a Trees,
    pub pool: &'a mut PayloadPool,
    pub is_value: bool,
    /// Per tile: the cores use the FPUs until this cycle.
    pub fpu_busy_until: &'a mut [u64],
}

/// One plane.
pub(crate) struct PlaneState {
    pub blocks: Vec<Block>,
    /// Inputs with two flits.
    in_full: Vec<[u64; PORTS]>,
    /// Outputs whose head crosses the link in this cycle, and the slot that it leaves.
    leaving: Vec<[u64; 4]>,
    leaving_slot: Vec<[u64; 4]>,
    /// FIFO contents by block, port, lane and slot: flat, so that the system hands out zeroed pages.
    input: Vec<Packed>,
    output: Vec<Packed>,
    /// Flits that have entered each router by its mesh ports.
    entered: Vec<[u32; 4]>,
    /// Packed coordinate of every router.
    coords: Vec<u32>,
    pub joins: Joins,
    active: BitSet,
    /// Blocks that receive flits over links in this cycle.
    receiving: BitSet,
    shifts: [Shift; 4],
    /// Registers that only published routers have.
    pub peer: Option<Box<PeerState>>,
    /// Routers whose Local output offers a flit this cycle.
    pub eject: Vec<u32>,
    pub flit_hops: u64,
}

impl PlaneState {
    pub(crate) fn new(width: u16, height: u16, joins: Joins) -> Self {
        let tiles = width as usize * height as usize;
        let blocks = tiles.div_ceil(LANES);
        let h = height as isize;
        let column = |x: u16| (0..height).map(move |y| crate::flit::pack(Coord::new(x, y)));
        Self {
            blocks: vec![Block::default(); blocks],
            in_full: vec![[0; PORTS]; blocks],
            leaving: vec![[0; 4]; blocks],
            leaving_slot: vec![[0; 4]; blocks],
            input: vec![[0; 2]; blocks * PORTS * SLOTS],
            output: vec![[0; 2]; blocks * PORTS * SLOTS],
            entered: vec![[0; 4]; blocks * LANES],
            coords: (0..width).flat_map(column).collect(),
            joins,
            active: BitSet::new(blocks),
            receiving: BitSet::new(blocks),
            shifts: [1, h, -1, -h].map(Shift::new),
            peer: None,
            eject: Vec::new(),
            flit_hops: 0,
        }
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.active.is_empty()
    }

    pub(crate) fn coord(&self, r: usize) -> Coord {
        let at = self.coords[r];
        Coord::new((at >> 16) as u16, at as u16)
    }

    /// Flits that have crossed the link out of `r` through a mesh port.
    pub(crate) fn link_flits(&self, r: usize, port: usize) -> u32 {
        let to = r.wrapping_add_signed(self.shifts[port].tiles);
        self.entered.get(to).map_or(0, |e| e[(port + 2) & 3])
    }

    /// May the NI of tile `r` push into the Local input this cycle? Registered.
    #[inline]
    pub(crate) fn can_inject(&self, r: usize) -> bool {
        self.in_full[r / LANES][LOCAL] >> (r % LANES) & 1 == 0
    }

    /// The flit offered at the Local output of `r`.
    #[inline]
    pub(crate) fn local_head(&self, r: usize) -> Flit {
        self.output_head(r, LOCAL)
    }

    /// First half: requests, arbitration, merge units. FIFOs keep their values.
    pub(crate) fn evaluate(&mut self, context: &mut Context<'_>) {
        self.eject.clear();
        let mut peer = self.peer.take();
        let mut next = 0;
        while let Some(word) = self.active.next_word(next) {
            next = word + 1;
            let mut bits = self.active.word(word);
            while bits != 0 {
                let w = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                match &mut peer {
                    None => self.evaluate_units(w, context),
                    Some(peer) => self.evaluate_peer_units(w, peer, context),
                }
                self.evaluate_block(w, peer.as_deref(), context);
            }
        }
        self.peer = peer;
    }

    fn evaluate_block(&mut self, w: usize, peer: Option<&PeerState>, context: &mut Context<'_>) {
        let block = &mut self.blocks[w];
        let mut offered = block.out_any[LOCAL];
        while offered != 0 {
            self.eject
                .push((w * LANES) as u32 + offered.trailing_zeros());
            offered &= offered - 1;
        }
        if block.is_empty() {
            self.active.remove(w);
        }
        let mut leaving = [0; 4];
        for (port, shift) in self.shifts.iter().enumerate() {
            let offered = block.out_any[port];
            if offered != 0 {
                let full = shift.gather(&self.in_full, w, (port + 2) & 3);
                leaving[port] = offered & !full;
            }
        }
        let forked = block.arbitrate(peer.map(|p| Restriction {
            blocked: &p.taken[w],
            holds: &p.holds[w],
        }));
        for (port, shift) in self.shifts.iter().enumerate() {
            self.leaving[w][port] = leaving[port];
            if leaving[port] != 0 {
                self.leaving_slot[w][port] = block.out_head[port];
                block.pop_outputs(port, leaving[port]);
                shift.reached(w).for_each(|b| self.receiving.insert(b));
            }
        }
        if context.is_value && forked.iter().any(|f| *f != 0) {
            self.share_payloads(w, &forked, context);
        }
    }

    /// A fork's copies share a payload slot: one more reference for each copy but the last.
    fn share_payloads(&self, w: usize, forked: &[u64; PORTS], context: &mut Context<'_>) {
        let block = &self.blocks[w];
        for (input, lanes) in forked.iter().enumerate() {
            for lane in (0..LANES).filter(|l| lanes >> l & 1 != 0) {
                let flit = self.input_head(w * LANES + lane, input);
                let copies = (0..PORTS).filter(|o| {
                    block.switched[*o] >> lane & 1 != 0 && block.source(*o, lane) == input
                });
                let last = (block.popped[input] >> lane & 1) as u32;
                if flit.kind == FlitKind::Write {
                    context
                        .pool
                        .share(flit.payload, copies.count() as u32 - last);
                }
            }
        }
    }

    /// Lets waiting heads merge, and offers results to their outputs.
    fn evaluate_units(&mut self, w: usize, context: &mut Context<'_>) {
        let mut routers = self.blocks[w].units();
        while routers != 0 {
            let lane = routers.trailing_zeros() as usize;
            routers &= routers - 1;
            self.evaluate_unit(w * LANES + lane, context);
        }
    }

    fn evaluate_unit(&mut self, r: usize, context: &mut Context<'_>) {
        let (w, lane, here) = (r / LANES, r % LANES, self.coord(r));
        let mut heads = self.blocks[w].waiting_heads(lane);
        let mut has_absorbed = false;
        while heads != 0 {
            let port = heads.trailing_zeros() as usize;
            heads &= heads - 1;
            let flit = self.input_head(r, port);
            match self.joins.arrive(r, here, port, flit, context) {
                crate::join::Verdict::Wait => continue,
                crate::join::Verdict::Absorb => {
                    has_absorbed = true;
                    self.blocks[w].popped[port] |= 1 << lane;
                }
                crate::join::Verdict::Forward(merged) => {
                    let at = self.input_at(r, port);
                    self.input[at] = merged.packed();
                    self.request(r, port, 1 << next_port(here, merged.dst));
                }
            }
            self.blocks[w].join_heads[port] &= !(1 << lane);
        }
        self.offer_result(r, here, has_absorbed, context);
    }

    /// The unit's oldest result requests its output. A unit that has taken something in stays busy.
    pub(crate) fn offer_result(
        &mut self,
        r: usize,
        here: Coord,
        has_absorbed: bool,
        context: &mut Context<'_>,
    ) {
        let offer = self.joins.offer(r, context);
        let block = &mut self.blocks[r / LANES];
        let bit = 1 << (r % LANES);
        block.unit_busy &= !bit;
        if offer.is_busy || has_absorbed {
            block.unit_busy |= bit;
        }
        if let Some(flit) = offer.result {
            block.request(r % LANES, RESULT, 1 << next_port(here, flit.dst));
        }
    }

    /// Second half: makes the moves. Links first, so that a flit never crosses two stages in a cycle.
    pub(crate) fn commit(&mut self, context: &mut Context<'_>) {
        let mut next = 0;
        while let Some(word) = self.receiving.next_word(next) {
            next = word + 1;
            let mut bits = self.receiving.word(word);
            while bits != 0 {
                let w = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                self.receiving.remove(w);
                self.receive(w);
            }
        }
        let mut peer = self.peer.take();
        let mut next = 0;
        while let Some(word) = self.active.next_word(next) {
            next = word + 1;
            let mut bits = self.active.word(word);
            while bits != 0 {
                let w = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                self.switch(w, peer.as_deref_mut());
                self.settle(w, context);
            }
        }
        if let Some(peer) = &mut peer {
            self.commit_joined(peer);
        }
        self.peer = peer;
    }

    /// Flits that neighbours send enter the input FIFOs of a block.
    fn receive(&mut self, w: usize) {
        let mut received = 0;
        for (port, shift) in self.shifts.iter().enumerate() {
            let from = (port + 2) & 3;
            let arriving = shift.gather(&self.leaving, w, from);
            if arriving == 0 {
                continue;
            }
            received |= arriving;
            self.flit_hops += u64::from(arriving.count_ones());
            let sources = shift.gather(&self.leaving_slot, w, from);
            let targets = self.blocks[w].push_inputs(port, &mut self.in_full[w][port], arriving);
            let into = &mut self.input[(w * PORTS + port) * SLOTS..][..SLOTS];
            let entered = &mut self.entered[w * LANES..][..LANES];
            let mut rest = arriving;
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let source = (w * LANES + lane).wrapping_add_signed(shift.tiles);
                let slot = (sources >> lane & 1) as usize;
                entered[lane][port] += 1;
                into[2 * lane + (targets >> lane & 1) as usize] =
                    self.output[slot_at(source, from) + slot];
            }
        }
        if received != 0 {
            self.active.insert(w);
        }
    }

    /// Granted heads pass from the inputs to the output FIFOs of a block.
    fn switch(&mut self, w: usize, mut peer: Option<&mut PeerState>) {
        let block = &mut self.blocks[w];
        let input = &self.input[w * PORTS * SLOTS..][..PORTS * SLOTS];
        for out in 0..PORTS {
            let mut rest = std::mem::take(&mut block.switched[out]);
            if rest == 0 {
                continue;
            }
            let targets = block.push_outputs(out, rest);
            let output = &mut self.output[(w * PORTS + out) * SLOTS..][..SLOTS];
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let source = block.source(out, lane);
                let flit = if source == RESULT {
                    self.joins.take_result(w * LANES + lane).packed()
                } else {
                    let slot = (block.in_head[source & 7] >> lane & 1) as usize;
                    input[source * SLOTS + 2 * lane + slot]
                };
                output[2 * lane + (targets >> lane & 1) as usize] = flit;
                if let Some(peer) = peer.as_deref_mut() {
                    peer.passed(w, lane, source, out, Flit::from_packed(flit));
                }
            }
        }
    }

    /// Removes what has passed from the inputs and routes what stands at their heads now.
    fn settle(&mut self, w: usize, context: &Context<'_>) {
        let block = &mut self.blocks[w];
        let input = &self.input[w * PORTS * SLOTS..][..PORTS * SLOTS];
        let coords = &self.coords[w * LANES..];
        for port in 0..PORTS {
            let popped = std::mem::take(&mut block.popped[port]);
            block.pop_inputs(port, &mut self.in_full[w][port], popped);
            let mut rest = std::mem::take(&mut block.fresh[port]);
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let slot = (block.in_head[port] >> lane & 1) as usize;
                let flit = input[port * SLOTS + 2 * lane + slot];
                route(block, lane, port, coords[lane], flit, context.trees);
            }
        }
    }

    /// Takes the flit offered at the Local output.
    pub(crate) fn pop_local(&mut self, r: usize) {
        self.blocks[r / LANES].pop_outputs(LOCAL, 1 << (r % LANES));
    }

    /// The NI appends a flit to the Local input; it has checked that there is room.
    pub(crate) fn push_local(&mut self, r: usize, flit: Flit, context: &Context<'_>) {
        let (w, lane) = (r / LANES, r % LANES);
        let block = &mut self.blocks[w];
        let slots = block.push_inputs(LOCAL, &mut self.in_full[w][LOCAL], 1 << lane);
        let slot = (slots >> lane & 1) as usize;
        self.input[slot_at(r, LOCAL) + slot] = flit.packed();
        if std::mem::take(&mut block.fresh[LOCAL]) != 0 {
            self.active.insert(w);
            route(
                block,
                lane,
                LOCAL,
                self.coords[r],
                flit.packed(),
                context.trees,
            );
        }
    }

    fn input_at(&self, r: usize, port: usize) -> usize {
        slot_at(r, port) + (self.blocks[r / LANES].in_head[port] >> (r % LANES) & 1) as usize
    }

    /// The flit at the head of an input FIFO.
    pub(crate) fn input_head(&self, r: usize, port: usize) -> Flit {
        Flit::from_packed(self.input[self.input_at(r, port)])
    }

    fn output_head(&self, r: usize, port: usize) -> Flit {
        let slot = (self.blocks[r / LANES].out_head[port] >> (r % LANES) & 1) as usize;
        Flit::from_packed(self.output[slot_at(r, port) + slot])
    }

    /// Appends a merged flit to an output FIFO (published routers).
    pub(crate) fn push_output(&mut self, r: usize, out: usize, flit: Flit) {
        let (w, lane) = (r / LANES, r % LANES);
        let slots = self.blocks[w].push_outputs(out, 1 << lane);
        self.output[slot_at(r, out) + (slots >> lane & 1) as usize] = flit.packed();
    }

    pub(crate) fn request(&mut self, r: usize, port: usize, want: u8) {
        self.blocks[r / LANES].request(r % LANES, port, want);
    }

    /// A merge unit got work outside of evaluate (a timeout): visit its router.
    pub(crate) fn wake(&mut self, r: usize) {
        self.blocks[r / LANES].unit_busy |= 1 << (r % LANES);
        self.active.insert(r / LANES);
    }

    /// Flits standing in FIFOs, with their place, for diagnosis and conservation tests.
    pub(crate) fn standing_flits(&self) -> impl Iterator<Item = (usize, bool, usize, Flit)> + '_ {
        (0..self.coords.len()).flat_map(move |r| {
            let (block, lane) = (&self.blocks[r / LANES], r % LANES);
            (0..PORTS).flat_map(move |p| {
                let input =
                    (block.in_any[p] >> lane & 1 != 0).then(|| (r, true, p, self.input_head(r, p)));
                let output = (block.out_any[p] >> lane & 1 != 0)
                    .then(|| (r, false, p, self.output_head(r, p)));
                input.into_iter().chain(output)
            })
        })
    }
}

/// First slot of a router's port.
#[inline]
const fn slot_at(r: usize, port: usize) -> usize {
    (r / LANES * PORTS + port) * SLOTS + 2 * (r % LANES)
}

/// The new head of an input asks for its outputs, or waits for its siblings.
#[inline]
fn route(block: &mut Block, lane: usize, port: usize, here: u32, flit: Packed, trees: &Trees) {
    if !Flit::is_plain(flit) {
        route_collective(block, lane, port, here, Flit::from_packed(flit), trees);
        return;
    }
    block.requests[xy_port(here, flit[0] as u32)][port] |= 1 << lane;
}

#[inline(never)]
fn route_collective(
    block: &mut Block,
    lane: usize,
    port: usize,
    here: u32,
    flit: Flit,
    trees: &Trees,
) {
    if flit.is_multicast() {
        let here = Coord::new((here >> 16) as u16, here as u16);
        let set = fork_set(here, Port::ALL[port], trees.set(flit.txn));
        let is_own = port == LOCAL && flit.flags & OWN_COPY != 0;
        let not_here = if is_own { Port::Local.bit() } else { 0 };
        block.request(lane, port, set & !not_here);
    } else {
        block.join_heads[port] |= 1 << lane;
    }
}

/// Output port towards a packed coordinate.
#[inline]
pub(crate) const fn next_port(here: Coord, dst: u32) -> usize {
    xy_port(crate::flit::pack(here), dst)
}

/// X first, then Y, then Local, by table: the four comparisons have no branch.
#[inline]
const fn xy_port(here: u32, dst: u32) -> usize {
    // Bit 0: dst is east, bit 1: west, bit 2: north, bit 3: south.
    const PORT: [u8; 16] = [4, 1, 3, 4, 0, 1, 3, 4, 2, 1, 3, 4, 4, 4, 4, 4];
    let (hx, hy, dx, dy) = (here >> 16, here & 0xffff, dst >> 16, dst & 0xffff);
    let east = (dx > hx) as usize;
    let west = (dx < hx) as usize;
    let north = (dy > hy) as usize;
    let south = (dy < hy) as usize;
    PORT[east | west << 1 | north << 2 | south << 3] as usize
}
