// SPDX-License-Identifier: Apache-2.0
//! The two halves of a plane's cycle: which flits move, and moving them.

use crate::bitset::BitSet;
use crate::block::{JOIN, LANES, LOCAL, PORTS, RESULT, Restriction, Wants};
use crate::flit::{Flit, FlitKind, OWN_COPY, Packed};
use crate::join::Verdict;
use crate::peer::PeerState;
use crate::plane::{Context, PlaneState, SLOTS, next_port, route_of, slot_at, xy_port};
use crate::txn::Trees;
use noccl_net::tree::fork_set;
use noccl_net::{Coord, Port};

impl PlaneState {
    /// First half: requests, arbitration, merge units. FIFOs keep their values.
    pub(crate) fn evaluate(&mut self, context: &mut Context<'_>) {
        self.to_local.clear();
        if self.watch.is_some() || self.joins.store_full_cycle.is_some() {
            self.keep_watch(context.cycle);
        }
        let mut peer = self.peer.take();
        if let Some(peer) = &mut peer {
            peer.cycle = context.cycle;
        }
        let mut next = 0;
        while let Some(w) = next_block(&self.active, &mut next) {
            match &mut peer {
                None => self.evaluate_units(w, context),
                Some(peer) => self.evaluate_peer_units(w, peer, context),
            }
            self.evaluate_block(w, peer.as_deref(), context);
        }
        self.peer = peer;
    }

    fn evaluate_block(&mut self, w: usize, peer: Option<&PeerState>, context: &mut Context<'_>) {
        let block = &mut self.blocks[w];
        let mut offered = block.out_any[LOCAL];
        while offered != 0 {
            self.to_local
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
                let full = shift.seen_from_neighbours(&self.in_full, w, (port + 2) & 3);
                leaving[port] = offered & !full;
            }
        }
        let forked = block.arbitrate(peer.map(|p| Restriction {
            blocked: &p.taken[w],
            holds: &p.holds[w],
        }));
        self.leaving[w] = leaving;
        for (port, shift) in self.shifts.iter().enumerate() {
            if leaving[port] != 0 {
                self.leaving_slot[w][port] = block.out_head[port];
                block.pop_outputs(port, leaving[port]);
                let (first, reaches_next) = shift.reached(w);
                for b in first..=first + isize::from(reaches_next) {
                    if let Some(word) = self.receiving.get_mut((b >> 6) as usize) {
                        *word |= 1 << (b & 63);
                    }
                }
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

    /// Second half: makes the moves. Links first, so that a flit never crosses two stages in a cycle.
    pub(crate) fn commit(&mut self, context: &mut Context<'_>) {
        for word in 0..self.receiving.len() {
            let mut rest = std::mem::take(&mut self.receiving[word]);
            while rest != 0 {
                let w = word * 64 + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                self.receive(w, context.trees);
            }
        }
        let mut peer = self.peer.take();
        let mut next = 0;
        while let Some(w) = next_block(&self.active, &mut next) {
            if let Some(peer) = &mut peer {
                self.switch::<true>(w, |lane, input, out, flit| {
                    peer.passed(w, lane, input, out, flit);
                });
            } else {
                self.switch::<false>(w, |_, _, _, _| {});
            }
            self.pop_passed(w);
        }
        if let Some(peer) = &mut peer {
            self.commit_joined(peer);
        }
        self.peer = peer;
    }

    /// Flits that neighbours send enter the input FIFOs of a block and are routed.
    fn receive(&mut self, w: usize, trees: &Trees) {
        if w >= self.blocks.len() {
            return; // Beyond the last column: only marked, never sent to.
        }
        let coords = &self.coords[w * LANES..][..LANES];
        let mut received = 0;
        for (port, shift) in self.shifts.iter().enumerate() {
            let from = (port + 2) & 3;
            let arriving = shift.seen_from_neighbours(&self.leaving, w, from);
            if arriving == 0 {
                continue;
            }
            received |= arriving;
            self.flit_hops += u64::from(arriving.count_ones());
            let sources = shift.seen_from_neighbours(&self.leaving_slot, w, from);
            let targets = self.blocks[w].input_slots(port);
            let into = &mut self.input[(w * PORTS + port) * SLOTS..][..SLOTS];
            let entered = &mut self.entered[w * LANES..][..LANES];
            let mut wants = [0; PORTS + 1];
            let mut rest = arriving;
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize % LANES;
                rest &= rest - 1;
                let source = (w * LANES + lane).wrapping_add_signed(shift.tiles);
                let slot = (sources >> lane & 1) as usize;
                let flit = self.output[slot_at(source, from) + slot];
                into[2 * lane + (targets >> lane & 1) as usize] = flit;
                entered[lane][port] += 1;
                route(&mut wants, lane, port, coords[lane], flit, trees);
            }
            self.blocks[w].push_inputs(port, &mut self.in_full[w][port], arriving, &wants);
        }
        if received != 0 {
            self.has_received[w / 64] |= 1 << (w % 64);
            self.active.insert(w);
        }
    }

    /// Granted heads pass from the inputs to the output FIFOs of a block.
    fn switch<const TELLS: bool>(
        &mut self,
        w: usize,
        mut passed: impl FnMut(usize, usize, usize, Flit),
    ) {
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
                let lane = rest.trailing_zeros() as usize % LANES;
                rest &= rest - 1;
                let source = block.source(out, lane);
                let flit = if source == RESULT {
                    self.joins.take_result(w * LANES + lane).packed()
                } else {
                    let slot = (block.in_head[source & 7] >> lane & 1) as usize;
                    input[source * SLOTS + 2 * lane + slot]
                };
                output[2 * lane + (targets >> lane & 1) as usize] = flit;
                if TELLS {
                    passed(lane, source, out, Flit::from_packed(flit));
                }
            }
        }
    }

    /// Removes what has passed from the inputs; what stood behind it makes its requests.
    fn pop_passed(&mut self, w: usize) {
        let block = &mut self.blocks[w];
        for port in 0..PORTS {
            let popped = std::mem::take(&mut block.popped[port]);
            if popped != 0 {
                block.pop_inputs(port, &mut self.in_full[w][port], popped);
            }
        }
    }
}

/// The first member at or after `next`, which then points behind it.
#[inline]
fn next_block(set: &BitSet, next: &mut usize) -> Option<usize> {
    let found = set.next_member(*next)?;
    *next = found + 1;
    Some(found)
}

/// A flit that enters an input asks for its output, or for its siblings.
#[inline]
fn route(wants: &mut Wants, lane: usize, port: usize, here: u32, flit: Packed, trees: &Trees) {
    if Flit::is_plain(flit) {
        wants[xy_port(here, flit[0] as u32)] |= 1 << lane;
    } else {
        route_collective(wants, lane, port, here, Flit::from_packed(flit), trees);
    }
}

/// As [`route`], for multicasts and contributions.
#[inline]
pub(crate) fn route_collective(
    wants: &mut Wants,
    lane: usize,
    port: usize,
    here: u32,
    flit: Flit,
    trees: &Trees,
) {
    if !flit.is_multicast() {
        wants[JOIN] |= 1 << lane;
        return;
    }
    let here = Coord::new((here >> 16) as u16, here as u16);
    let set = fork_set(here, Port::ALL[port], trees.set(flit.txn));
    let is_own = port == LOCAL && flit.flags & OWN_COPY != 0;
    let ports = u64::from(set & !(u8::from(is_own) << LOCAL));
    for (out, want) in wants[..PORTS].iter_mut().enumerate() {
        *want |= (ports >> out & 1) << lane;
    }
}
