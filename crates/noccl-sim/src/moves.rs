// SPDX-License-Identifier: Apache-2.0
//! A plane's cycle: its three phases cut into stripes, and what the main thread does between them.

use crate::block::{JOIN, LANES, LOCAL, PORTS, RESULT, Wants};
use crate::flit::{Flit, FlitKind, OWN_COPY, Packed, unpack};
use crate::join::Verdict;
use crate::peer::PeerState;
use crate::plane::{Context, PlaneState, SLOTS, next_port, route_of, slot_at, xy_port};
use crate::stripe::{Evaluate, Receive, Switch, cut};
use crate::txn::Trees;
use noccl_net::tree::fork_set;
use noccl_net::{Coord, Port};

impl PlaneState {
    /// The stripes' parts of the first phase.
    pub(crate) fn evaluate_parts(&mut self, is_value: bool) -> impl Iterator<Item = Evaluate<'_>> {
        let (mut blocks, mut leaving) = (&mut self.blocks[..], &mut self.leaving[..]);
        let mut leaving_slot = &mut self.leaving_slot[..];
        let (in_full, active, shifts) = (&self.in_full[..], &self.active, &self.shifts);
        let (mut first, is_peer) = (0, self.peer.is_some());
        self.stripes.iter_mut().map(move |stripe| {
            let len = stripe.len();
            first += len;
            Evaluate {
                stripe,
                first: first - len,
                blocks: cut(&mut blocks, len),
                leaving: cut(&mut leaving, len),
                leaving_slot: cut(&mut leaving_slot, len),
                in_full,
                active,
                shifts,
                is_value,
                is_peer,
            }
        })
    }

    /// Before the first phase: registers that only diagnosis and published routers have.
    pub(crate) fn begin(&mut self, cycle: u64) {
        if self.watch.is_some() || self.joins.store_full_cycle().is_some() {
            self.keep_watch(cycle);
        }
        if let Some(peer) = &mut self.peer {
            peer.cycle = cycle;
        }
    }

    /// After the first phase: blocks with merge units, shared payloads, the set of active blocks.
    pub(crate) fn finish_evaluate(&mut self, context: &mut Context<'_>) {
        let mut peer = self.peer.take();
        for s in 0..self.stripes.len() {
            let mut deferred = std::mem::take(&mut self.stripes[s].deferred);
            for w in deferred.drain(..) {
                let w = w as usize;
                match &mut peer {
                    None => self.evaluate_units(w, context),
                    Some(peer) => self.evaluate_peer_units(w, peer, context),
                }
                self.evaluate_deferred(w, s, peer.as_deref(), context.is_value);
                self.take_results(w);
            }
            self.stripes[s].deferred = deferred;
            let mut forked = std::mem::take(&mut self.stripes[s].forked);
            for (w, inputs) in forked.drain(..) {
                self.share_payloads(w as usize, &inputs, context);
            }
            self.stripes[s].forked = forked;
            for w in self.stripes[s].emptied.drain(..) {
                self.active.remove(w as usize);
            }
        }
        self.peer = peer;
    }

    fn evaluate_deferred(&mut self, w: usize, s: usize, peer: Option<&PeerState>, is_value: bool) {
        let mut all = Evaluate {
            stripe: &mut self.stripes[s],
            first: 0,
            blocks: &mut self.blocks,
            leaving: &mut self.leaving,
            leaving_slot: &mut self.leaving_slot,
            in_full: &self.in_full,
            active: &self.active,
            shifts: &self.shifts,
            is_value,
            is_peer: peer.is_some(),
        };
        all.evaluate_block(w, peer);
    }

    /// Granted results go to where the switch will find them in the output FIFOs. Those have room, so the slot is the
    /// same whether a flit in the other one leaves in this cycle or not.
    fn take_results(&mut self, w: usize) {
        for out in 0..PORTS {
            let block = &self.blocks[w];
            let slots = block.out_head[out] ^ block.out_any[out];
            let mut lanes = block.passing_results(out);
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                let r = w * LANES + lane;
                let flit = self.joins.take_result(r, self.coords[r]);
                self.output[slot_at(r, out) + (slots >> lane & 1) as usize] = flit.packed();
            }
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
                if matches!(flit.kind, FlitKind::Write | FlitKind::Result) {
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
        self.touch_units(w, routers);
        while routers != 0 {
            let lane = routers.trailing_zeros() as usize;
            routers &= routers - 1;
            self.evaluate_unit(w * LANES + lane, context);
        }
    }

    /// Reads what [`PlaneState::evaluate_unit`] will need of the routers of a block: on a large mesh nothing of it is in
    /// a cache, and reads that do not wait for each other are under way together.
    fn touch_units(&self, w: usize, routers: u64) {
        let mut sum = self.joins.touch(w, routers);
        for (port, heads) in self.blocks[w].join_heads.iter().enumerate() {
            let mut lanes = *heads;
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                sum ^= self.input[slot_at(w * LANES + lane, port)][0];
            }
        }
        std::hint::black_box(sum);
    }

    fn evaluate_unit(&mut self, r: usize, context: &mut Context<'_>) {
        let (w, lane, here) = (r / LANES, r % LANES, self.coord(r));
        let heads = self.blocks[w].waiting_heads(lane);
        let first = heads.trailing_zeros() as usize;
        let has_absorbed = if heads == 0 {
            false
        } else if self.input_head(r, first).kind == FlitKind::Reduce {
            self.fold_heads(r, here, heads, context)
        } else {
            self.merge_heads(r, here, heads, context)
        };
        self.offer_result(r, here, has_absorbed, context);
    }

    /// Responses or arrivals at heads: one transaction is served. Returns whether a head has left into the table.
    fn merge_heads(&mut self, r: usize, here: Coord, heads: u8, context: &Context<'_>) -> bool {
        let (w, lane) = (r / LANES, r % LANES);
        let head = |port| (heads >> port & 1 != 0).then(|| self.input_head(r, port));
        let flits: [Option<Flit>; PORTS] = std::array::from_fn(head);
        let Some(served) = self.joins.merge(r, here, &flits, context) else {
            return false;
        };
        let mut absorbed = served.group;
        if let Some(leaving) = served.leaving {
            let last = served.group.ilog2() as usize;
            absorbed &= !(1 << last);
            self.replace_head(r, last, leaving);
            self.request(r, last, 1 << next_port(here, leaving.dst));
        }
        for port in (0..PORTS).filter(|p| served.group >> p & 1 != 0) {
            self.blocks[w].popped[port] |= u64::from(absorbed >> port & 1) << lane;
            self.blocks[w].join_heads[port] &= !(1 << lane);
        }
        absorbed != 0
    }

    /// Operands of wide reductions at heads. Returns whether one has entered the store.
    fn fold_heads(
        &mut self,
        r: usize,
        here: Coord,
        mut heads: u8,
        context: &mut Context<'_>,
    ) -> bool {
        let (w, lane) = (r / LANES, r % LANES);
        let mut has_absorbed = false;
        while heads != 0 {
            let port = heads.trailing_zeros() as usize;
            heads &= heads - 1;
            let flit = self.input_head(r, port);
            match self.joins.arrive(r, here, port, flit, context) {
                Verdict::Wait => continue,
                Verdict::Absorb => {
                    has_absorbed = true;
                    self.blocks[w].popped[port] |= 1 << lane;
                }
                Verdict::Forward(merged) => {
                    self.replace_head(r, port, merged);
                    let dst = route_of(merged, context.trees);
                    self.request(r, port, 1 << next_port(here, dst));
                }
            }
            self.blocks[w].join_heads[port] &= !(1 << lane);
        }
        has_absorbed
    }

    /// The unit's oldest result requests its output. A unit that has taken something in stays busy.
    pub(crate) fn offer_result(
        &mut self,
        r: usize,
        here: Coord,
        has_absorbed: bool,
        context: &mut Context<'_>,
    ) {
        let offer = self.joins.offer(r, here, context);
        let block = &mut self.blocks[r / LANES];
        let bit = 1 << (r % LANES);
        block.unit_busy &= !bit;
        if offer.is_busy || has_absorbed {
            block.unit_busy |= bit;
        }
        if let Some(flit) = offer.result {
            let out = next_port(here, route_of(flit, context.trees));
            block.request(r % LANES, RESULT, 1 << out);
        }
    }

    /// The stripes' parts of the second phase. Links come before switches, so that a flit never crosses
    /// two stages in a cycle.
    pub(crate) fn receive_parts<'a>(
        &'a mut self,
        trees: &'a Trees,
    ) -> impl Iterator<Item = Receive<'a>> {
        self.gather_receiving();
        let (mut blocks, mut in_full) = (&mut self.blocks[..], &mut self.in_full[..]);
        let (mut input, mut entered) = (&mut self.input[..], &mut self.entered[..]);
        let (receiving, output, shifts) = (&self.receiving[..], &self.output[..], &self.shifts);
        let (leaving, leaving_slot) = (&self.leaving[..], &self.leaving_slot[..]);
        let coords = &self.coords[..];
        self.stripes.iter_mut().map(move |stripe| {
            let len = stripe.len();
            Receive {
                stripe,
                blocks: cut(&mut blocks, len),
                in_full: cut(&mut in_full, len),
                input: cut(&mut input, len * PORTS * SLOTS),
                entered: cut(&mut entered, len * LANES),
                receiving,
                leaving,
                leaving_slot,
                output,
                coords,
                shifts,
                trees,
            }
        })
    }

    fn gather_receiving(&mut self) {
        self.receiving.fill(0);
        for stripe in &mut self.stripes {
            for (all, word) in self.receiving.iter_mut().zip(&mut stripe.receiving) {
                *all |= std::mem::take(word);
            }
        }
    }

    /// After the second phase: who is active now.
    pub(crate) fn finish_receive(&mut self) {
        for stripe in &mut self.stripes {
            self.flit_hops += std::mem::take(&mut stripe.flit_hops);
            for w in stripe.woken.drain(..) {
                let w = w as usize;
                self.has_received[w / 64] |= 1 << (w % 64);
                self.active.insert(w);
            }
        }
    }

    /// The stripes' parts of the third phase.
    pub(crate) fn switch_parts(
        &mut self,
        counts_landings: bool,
    ) -> impl Iterator<Item = Switch<'_>> {
        let (mut blocks, mut in_full) = (&mut self.blocks[..], &mut self.in_full[..]);
        let (mut input, mut output) = (&self.input[..], &mut self.output[..]);
        let (active, is_peer) = (&self.active, self.peer.is_some());
        self.stripes.iter_mut().map(move |stripe| {
            let len = stripe.len();
            let own;
            (own, input) = input.split_at(len * PORTS * SLOTS);
            Switch {
                stripe,
                blocks: cut(&mut blocks, len),
                in_full: cut(&mut in_full, len),
                input: own,
                output: cut(&mut output, len * PORTS * SLOTS),
                active,
                is_peer,
                counts_landings,
            }
        })
    }

    /// After the third phase: published worms are followed. Returns the checksum of beats that only land.
    pub(crate) fn finish_switch(&mut self) -> u64 {
        let mut peer = self.peer.take();
        let mut checksum = 0;
        for stripe in &mut self.stripes {
            checksum += std::mem::take(&mut stripe.checksum);
            for m in stripe.moves.drain(..) {
                if let Some(peer) = &mut peer {
                    let (r, flit) = (m.router as usize, self.output[m.slot as usize]);
                    let flit = Flit::from_packed(flit);
                    peer.passed(r / LANES, r % LANES, m.input as usize, m.out as usize, flit);
                }
            }
        }
        if let Some(peer) = &mut peer {
            self.commit_joined(peer);
        }
        self.peer = peer;
        checksum
    }
}

/// Outputs that multicasts ask for, one byte per lane.
pub(crate) struct Forks {
    sets: [u8; LANES],
    pub any: bool,
}

impl Forks {
    pub(crate) const NONE: Self = Self {
        sets: [0; LANES],
        any: false,
    };

    /// Adds the sets to `wants`: eight lanes at a time, as a multiplication gathers one bit of each byte.
    pub(crate) fn add_to(&self, wants: &mut Wants) {
        const BIT_OF_EACH: u64 = 0x0101_0101_0101_0101;
        const GATHER: u64 = 0x0102_0408_1020_4080;
        for (i, eight) in self.sets.as_chunks::<8>().0.iter().enumerate() {
            let sets = u64::from_le_bytes(*eight);
            if sets != 0 {
                for (out, want) in wants[..PORTS].iter_mut().enumerate() {
                    let bits = (sets >> out & BIT_OF_EACH).wrapping_mul(GATHER) >> 56;
                    *want |= bits << (8 * i);
                }
            }
        }
    }
}

/// A flit that enters an input asks for its output, for those of its fork, or for its siblings.
#[inline]
pub(crate) fn route(
    wants: &mut Wants,
    forks: &mut Forks,
    lane: usize,
    port: usize,
    here: u32,
    flit: Packed,
    trees: &Trees,
) {
    if Flit::is_plain(flit) {
        wants[xy_port(here, flit[0] as u32)] |= 1 << lane;
    } else if Flit::forks(flit) {
        forks.any = true;
        forks.sets[lane] = fork_ports(port, here, Flit::from_packed(flit), trees);
    } else {
        wants[JOIN] |= 1 << lane;
    }
}

/// Outputs that a multicast asks for at a router.
#[inline]
fn fork_ports(port: usize, here: u32, flit: Flit, trees: &Trees) -> u8 {
    let set = fork_set(unpack(here), Port::ALL[port], trees.set(flit.txn));
    let is_own = port == LOCAL && flit.flags & OWN_COPY != 0;
    set & !(u8::from(is_own) << LOCAL)
}

/// What one flit asks for.
pub(crate) fn route_one(lane: usize, port: usize, here: u32, flit: Packed, trees: &Trees) -> Wants {
    let set = if Flit::is_plain(flit) {
        1 << xy_port(here, flit[0] as u32)
    } else if Flit::forks(flit) {
        fork_ports(port, here, Flit::from_packed(flit), trees)
    } else {
        1 << JOIN
    };
    std::array::from_fn(|i| u64::from(set >> i & 1) << lane)
}
