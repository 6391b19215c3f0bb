// SPDX-License-Identifier: Apache-2.0
//! One plane of the mesh: routers with input and output FIFOs, moved in two halves per cycle.
//!
//! *Evaluate* looks at registers only and writes a list of granted moves; *commit* applies it. So every
//! ready is a registered one (S1's routers: two-deep FIFOs at input and output, a hop takes two cycles)
//! and the order in which routers are visited cannot matter. Work is proportional to flits: a router
//! without flits is not in the active set, a router with flits is one 32-byte control record away.
//!
//! This file moves flits; [`crate::join`] decides what a contribution does at a merge point.

use crate::bitset::BitSet;
use crate::flit::{Flit, FlitKind, MULTICAST, OWN_COPY, pack};
use crate::join::Joins;
use crate::payload::PayloadPool;
use crate::peer::PeerState;
use crate::txn::Trees;
use crate::watch::Watch;
use noccl_net::tree::fork_set;
use noccl_net::{Coord, Port, xy_port};

pub(crate) const PORTS: usize = 5;
const LOCAL: usize = Port::Local as usize;
/// Sixth input of the output arbiters: results of the merge and reduction units.
pub(crate) const RESULT: usize = 5;

/// Control of one router: FIFO occupancy as bit sets over ports, requests, arbiters.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(crate) struct Control {
    pub x: u16,
    pub y: u16,
    /// Inputs with at least one flit, with two flits, and which slot is the head.
    pub in_any: u8,
    pub in_full: u8,
    pub in_head: u8,
    /// The same for outputs.
    pub out_any: u8,
    pub out_full: u8,
    pub out_head: u8,
    /// Inputs whose head waits for siblings.
    pub join_heads: u8,
    /// Outputs that somebody requests.
    pub req_any: u8,
    /// Per output: requesting inputs (bit 5: result queue).
    pub req: [u8; PORTS],
    /// Per input: outputs its head still has to take.
    pub want: [u8; PORTS],
    /// Per output: input granted last.
    pub granted: [u8; PORTS],
    /// Has this router a unit with something in it?
    pub unit_busy: bool,
}

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
    pub control: Vec<Control>,
    input: Vec<[Flit; 2 * PORTS]>,
    output: Vec<[Flit; 2 * PORTS]>,
    pub link_flits: Vec<[u32; 4]>,
    pub joins: Joins,
    active: BitSet,
    offsets: [i32; 4],
    /// Registers that only published routers have.
    pub peer: Option<Box<PeerState>>,
    /// Since when heads stand, once somebody wants to know.
    pub watch: Option<Box<Watch>>,
    link_moves: Vec<u32>,
    pub(crate) switch_moves: Vec<u32>,
    absorbed: Vec<u32>,
    /// Routers whose Local output offers a flit this cycle.
    pub eject: Vec<u32>,
    pub flit_hops: u64,
}

impl PlaneState {
    pub(crate) fn new(width: u16, height: u16, joins: Joins) -> Self {
        let tiles = width as usize * height as usize;
        let control = (0..tiles)
            .map(|t| Control {
                x: (t / height as usize) as u16,
                y: (t % height as usize) as u16,
                in_any: 0,
                in_full: 0,
                in_head: 0,
                out_any: 0,
                out_full: 0,
                out_head: 0,
                join_heads: 0,
                req_any: 0,
                req: [0; PORTS],
                want: [0; PORTS],
                granted: [0; PORTS],
                unit_busy: false,
            })
            .collect();
        let h = i32::from(height);
        Self {
            control,
            input: vec![[Flit::NONE; 2 * PORTS]; tiles],
            output: vec![[Flit::NONE; 2 * PORTS]; tiles],
            link_flits: vec![[0; 4]; tiles],
            joins,
            active: BitSet::new(tiles),
            offsets: [1, h, -1, -h],
            peer: None,
            watch: None,
            link_moves: Vec::new(),
            switch_moves: Vec::new(),
            absorbed: Vec::new(),
            eject: Vec::new(),
            flit_hops: 0,
        }
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.active.is_empty()
    }

    /// May the NI of tile `r` push into the Local input this cycle? Registered.
    pub(crate) fn can_inject(&self, r: usize) -> bool {
        self.control[r].in_full & Port::Local.bit() == 0
    }

    /// The flit offered at the Local output of `r`.
    pub(crate) fn local_head(&self, r: usize) -> Flit {
        let head = (self.control[r].out_head >> LOCAL) & 1;
        self.output[r][2 * LOCAL + head as usize]
    }

    /// First half: requests, arbitration, merge units. Registers keep their values.
    pub(crate) fn evaluate(&mut self, context: &mut Context<'_>) {
        self.link_moves.clear();
        self.switch_moves.clear();
        self.absorbed.clear();
        self.eject.clear();
        if self.watch.is_some() || self.joins.store_full_cycle.is_some() {
            self.keep_watch(context.cycle);
        }
        let mut peer = self.peer.take();
        if let Some(peer) = &mut peer {
            peer.clear(context.cycle);
        }
        let mut next = 0;
        while let Some(word) = self.active.next_word(next) {
            next = word + 1;
            let mut bits = self.active.word(word);
            while bits != 0 {
                let r = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                match &mut peer {
                    None => self.evaluate_router(r, context),
                    Some(peer) => {
                        self.evaluate_links(r);
                        self.evaluate_peer_router(r, peer, context);
                    }
                }
                let c = &self.control[r];
                if c.in_any | c.out_any == 0 && !c.unit_busy {
                    self.active.remove(r);
                }
            }
        }
        self.peer = peer;
    }

    #[inline]
    fn evaluate_router(&mut self, r: usize, context: &mut Context<'_>) {
        let c = &self.control[r];
        if c.join_heads != 0 || c.unit_busy {
            self.evaluate_unit(r, context);
        }
        self.evaluate_links(r);
        let c = &self.control[r];
        let mut free = c.req_any & !c.out_full;
        while free != 0 {
            let out = free.trailing_zeros() as usize;
            free &= free - 1;
            let requests = c.req[out];
            let after = requests & (0xfe_u8.wrapping_shl(u32::from(c.granted[out])));
            let chosen = if after != 0 { after } else { requests }.trailing_zeros();
            self.switch_moves
                .push((r as u32) << 6 | chosen << 3 | out as u32);
        }
    }

    /// Output FIFOs offer their heads to the neighbours and to the NI.
    #[inline]
    fn evaluate_links(&mut self, r: usize) {
        let mut outputs = self.control[r].out_any;
        if outputs & Port::Local.bit() != 0 {
            self.eject.push(r as u32);
            outputs &= !Port::Local.bit();
        }
        while outputs != 0 {
            let port = outputs.trailing_zeros() as usize;
            outputs &= outputs - 1;
            let neighbour = r.wrapping_add_signed(self.offsets[port] as isize);
            let entry = (port + 2) & 3;
            if self.control[neighbour].in_full >> entry & 1 == 0 {
                self.link_moves.push((r << 3 | port) as u32);
            }
        }
    }

    /// Lets waiting heads merge, and offers the unit's result to its output.
    fn evaluate_unit(&mut self, r: usize, context: &mut Context<'_>) {
        let here = Coord::new(self.control[r].x, self.control[r].y);
        let mut heads = self.control[r].join_heads;
        while heads != 0 {
            let port = heads.trailing_zeros() as usize;
            heads &= heads - 1;
            let slot = 2 * port + (self.control[r].in_head >> port & 1) as usize;
            let flit = self.input[r][slot];
            match self.joins.arrive(r, here, port, flit, context) {
                crate::join::Verdict::Wait => {}
                crate::join::Verdict::Absorb => self.absorbed.push((r << 3 | port) as u32),
                crate::join::Verdict::Forward(merged) => {
                    self.input[r][slot] = merged;
                    self.control[r].join_heads &= !(1 << port);
                    self.request(
                        r,
                        port,
                        1 << next_port(here, route_of(merged, context.trees)),
                    );
                }
            }
        }
        self.offer_result(r, here, context);
    }

    /// The unit's oldest result requests its output.
    pub(crate) fn offer_result(&mut self, r: usize, here: Coord, context: &mut Context<'_>) {
        let offer = self.joins.offer(r, here, context);
        let c = &mut self.control[r];
        c.unit_busy = offer.is_busy;
        if let Some(flit) = offer.result {
            let out = next_port(here, route_of(flit, context.trees));
            c.req[out] |= 1 << RESULT;
            c.req_any |= 1 << out;
        }
    }

    /// The flit at the head of an input FIFO.
    #[inline]
    pub(crate) fn input_head(&self, r: usize, port: usize) -> Flit {
        self.input[r][2 * port + (self.control[r].in_head >> port & 1) as usize]
    }

    /// Second half: applies the granted moves.
    pub(crate) fn commit(&mut self, context: &mut Context<'_>) {
        for i in 0..self.link_moves.len() {
            let (r, port) = (
                self.link_moves[i] as usize >> 3,
                self.link_moves[i] as usize & 7,
            );
            let flit = self.pop_output(r, port);
            self.link_flits[r][port] += 1;
            let neighbour = r.wrapping_add_signed(self.offsets[port] as isize);
            self.push_input(neighbour, (port + 2) & 3, flit, context);
        }
        self.flit_hops += self.link_moves.len() as u64;
        for i in 0..self.switch_moves.len() {
            let code = self.switch_moves[i] as usize;
            self.switch(code >> 6, code >> 3 & 7, code & 7, context);
        }
        if let Some(mut peer) = self.peer.take() {
            self.commit_peer(&mut peer, context);
            self.peer = Some(peer);
        }
        for i in 0..self.absorbed.len() {
            let (r, port) = (
                self.absorbed[i] as usize >> 3,
                self.absorbed[i] as usize & 7,
            );
            self.control[r].join_heads &= !(1 << port);
            self.control[r].unit_busy = true;
            self.pop_input(r, port, context);
        }
    }

    #[inline]
    fn switch(&mut self, r: usize, input: usize, out: usize, context: &mut Context<'_>) {
        let flit = if input == RESULT {
            let c = &mut self.control[r];
            c.req[out] &= !(1 << RESULT);
            if c.req[out] == 0 {
                c.req_any &= !(1 << out);
            }
            self.joins.take_result(r)
        } else {
            let c = &mut self.control[r];
            let flit = self.input[r][2 * input + (c.in_head >> input & 1) as usize];
            c.req[out] &= !(1 << input);
            if c.req[out] == 0 {
                c.req_any &= !(1 << out);
            }
            c.want[input] &= !(1 << out);
            if c.want[input] == 0 {
                self.pop_input(r, input, context);
            } else if context.is_value && flit.kind == FlitKind::Write {
                context.pool.share(flit.payload, 1);
            }
            flit
        };
        self.control[r].granted[out] = input as u8;
        if let Some(peer) = &mut self.peer {
            peer.passed(r, input, out, flit);
        }
        self.push_output(r, out, flit);
    }

    /// Appends a flit to an output FIFO; the caller has checked that it is not full.
    #[inline]
    pub(crate) fn push_output(&mut self, r: usize, out: usize, flit: Flit) {
        let c = &mut self.control[r];
        let any = c.out_any >> out & 1;
        let slot = (c.out_head >> out & 1) ^ any;
        c.out_full |= any << out;
        c.out_any |= 1 << out;
        self.output[r][2 * out + slot as usize] = flit;
    }

    /// Takes the flit offered at an output.
    pub(crate) fn pop_output(&mut self, r: usize, port: usize) -> Flit {
        let c = &mut self.control[r];
        let head = c.out_head >> port & 1;
        let full = c.out_full >> port & 1;
        c.out_head ^= 1 << port;
        c.out_full &= !(1 << port);
        c.out_any = c.out_any & !(1 << port) | full << port;
        self.output[r][2 * port + head as usize]
    }

    #[inline]
    pub(crate) fn pop_input(&mut self, r: usize, port: usize, context: &mut Context<'_>) {
        let c = &mut self.control[r];
        let full = c.in_full >> port & 1;
        c.in_head ^= 1 << port;
        c.in_full &= !(1 << port);
        c.in_any = c.in_any & !(1 << port) | full << port;
        if full != 0 {
            self.route_head(r, port, context);
        }
    }

    /// Appends a flit to an input FIFO; the caller has checked that it is not full.
    #[inline]
    pub(crate) fn push_input(
        &mut self,
        r: usize,
        port: usize,
        flit: Flit,
        context: &mut Context<'_>,
    ) {
        let c = &mut self.control[r];
        let any = c.in_any >> port & 1;
        let slot = (c.in_head >> port & 1) ^ any;
        c.in_full |= any << port;
        c.in_any |= 1 << port;
        self.input[r][2 * port + slot as usize] = flit;
        if any == 0 {
            self.active.insert(r);
            self.route_head(r, port, context);
        }
    }

    /// Computes what the new head of an input wants.
    #[inline]
    fn route_head(&mut self, r: usize, port: usize, context: &Context<'_>) {
        let c = &self.control[r];
        let flit = self.input[r][2 * port + (c.in_head >> port & 1) as usize];
        let here = Coord::new(c.x, c.y);
        let want = if flit.flags & MULTICAST != 0 {
            let ports = fork_set(here, Port::ALL[port], context.trees.set(flit.txn));
            let is_own = port == LOCAL && flit.flags & OWN_COPY != 0;
            if is_own {
                ports & !Port::Local.bit()
            } else {
                ports
            }
        } else if flit.joins() {
            self.control[r].join_heads |= 1 << port;
            return;
        } else {
            1 << next_port(here, flit.dst)
        };
        self.request(r, port, want);
    }

    #[inline]
    pub(crate) fn request(&mut self, r: usize, port: usize, want: u8) {
        let c = &mut self.control[r];
        c.want[port] = want;
        c.req_any |= want;
        let mut rest = want;
        while rest != 0 {
            c.req[rest.trailing_zeros() as usize] |= 1 << port;
            rest &= rest - 1;
        }
    }

    /// A merge unit got work outside of evaluate (a timeout): visit its router.
    pub(crate) fn wake(&mut self, r: usize) {
        self.control[r].unit_busy = true;
        self.active.insert(r);
    }

    /// Starts or updates the watch over the heads of all FIFOs.
    #[cold]
    fn keep_watch(&mut self, cycle: u64) {
        let mut watch = self.watch.take().unwrap_or_else(|| self.new_watch());
        let mut next = 0;
        while let Some(word) = self.active.next_word(next) {
            next = word + 1;
            let mut bits = self.active.word(word);
            while bits != 0 {
                watch.observe(self, word * 64 + bits.trailing_zeros() as usize, cycle);
                bits &= bits - 1;
            }
        }
        self.watch = Some(watch);
    }

    pub(crate) fn new_watch(&self) -> Box<Watch> {
        Box::new(Watch::new(self.control.len()))
    }

    /// Flits of one FIFO, head first, for diagnosis and conservation checks.
    pub(crate) fn fifo(
        &self,
        r: usize,
        is_input: bool,
        port: usize,
    ) -> impl Iterator<Item = Flit> + '_ {
        let c = &self.control[r];
        let (slots, any, full, head) = if is_input {
            (&self.input[r], c.in_any, c.in_full, c.in_head)
        } else {
            (&self.output[r], c.out_any, c.out_full, c.out_head)
        };
        let len = usize::from(any >> port & 1) + usize::from(full >> port & 1);
        (0..len).map(move |i| slots[2 * port + ((head >> port & 1) as usize ^ i)])
    }
}

/// Output port towards a packed coordinate.
#[inline]
pub(crate) const fn next_port(here: Coord, dst: u32) -> usize {
    xy_port(here, Coord::new((dst >> 16) as u16, dst as u16)) as usize
}

/// Where a flit is routed to: contributions of wide reductions go to the root of their tree.
pub(crate) fn route_of(flit: Flit, trees: &Trees) -> u32 {
    match flit.kind {
        FlitKind::Reduce | FlitKind::ReduceHead => pack(trees.tree(flit.txn).root),
        FlitKind::Write
        | FlitKind::WriteHead
        | FlitKind::ReadRequest
        | FlitKind::ReadData
        | FlitKind::Response
        | FlitKind::CollectB
        | FlitKind::ReduceResponse
        | FlitKind::Barrier
        | FlitKind::Atomic
        | FlitKind::NarrowWrite
        | FlitKind::BarrierHead
        | FlitKind::Credit => flit.dst,
    }
}
