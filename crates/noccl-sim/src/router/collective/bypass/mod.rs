// SPDX-License-Identifier: Apache-2.0
//! Bypass: a flit that crosses a link goes on in the same cycle through routers that could let it pass by ordinary moves.
//!
//! Runs after a cycle's moves are decided and before they are made. What it does are moves that the routers could make one
//! after the other while everything else stands still, so every state is one of a network without bypass: order,
//! exactly-once delivery and freedom from deadlock carry over. A flit passes a router on a line if
//!
//! - the input on which it arrives holds nothing, or loses all it holds in this cycle,
//! - the output straight on, and the stages of its link, hold nothing, and nothing crosses that link or is granted that output in
//!   this cycle,
//! - the next input was not full at the cycle's beginning,
//! - its route goes on straight, and other contributions to its transaction are all there ([`asks`]).
//!
//! A line has one flit per input and cycle, and a flit that leaves a router by itself keeps others off its link, so two flits
//! never ask for the same link, whatever the order in which they are looked at. Design: `docs/design/0012-bypass.md`. Source: S2 §3,
//! on the routers of S1.

mod asks;
#[cfg(test)]
mod tests;

use crate::kernel::bit_set::bits;
use crate::router::collective::context::Context;
use crate::router::collective::control::block::{LANES, LOCAL, SLOTS, Wants, slot_at};
use crate::router::collective::fifo::store::FlitEntry;
use crate::router::collective::fork::requests::route_one;
use crate::router::collective::plane::PlaneState;
use crate::transport::flit::{Flit, FlitKind};

/// What only planes with bypass have.
pub(crate) struct Bypass {
    /// Most links that a flit crosses in a cycle.
    max_links: usize,
    /// Links that flits of the routers' own outputs cross in this cycle; zero between two cycles.
    crossing: Vec<[u64; 4]>,
    /// Blocks with such links.
    sending: Vec<u32>,
}

impl Bypass {
    pub(crate) fn new(blocks: usize, max_links: usize) -> Self {
        Self {
            max_links,
            crossing: vec![[0; 4]; blocks],
            sending: Vec::new(),
        }
    }

    /// Takes note of the links that are crossed.
    fn begin(&mut self, plane: &PlaneState) {
        let mut next = 0;
        while let Some(w) = plane.active.next_member(next) {
            next = w + 1;
            if plane.leaving[w] != [0; 4] {
                self.crossing[w] = plane.leaving[w];
                self.sending.push(w as u32);
            }
        }
    }

    fn end(&mut self) {
        for w in self.sending.drain(..) {
            self.crossing[w as usize] = [0; 4];
        }
    }
}

/// A router on the line of a flit: it arrives by `input` and would go on by `out`.
#[derive(Clone, Copy)]
struct OnLine {
    router: usize,
    input: usize,
    out: usize,
}

impl PlaneState {
    /// Flits that cross links in this cycle go on as far as they can. Returns whether any has passed a router.
    pub(crate) fn pass_in_flight(&mut self, context: &mut Context<'_>) -> bool {
        let Some(mut bypass) = self.bypass.take() else {
            return false;
        };
        let hops_before = self.flit_hops;
        bypass.begin(self);
        for w in bypass.sending.iter().map(|w| *w as usize) {
            for out in 0..LOCAL {
                for lane in bits(bypass.crossing[w][out]) {
                    self.follow(w * LANES + lane, out, &bypass, context);
                }
            }
        }
        bypass.end();
        self.bypass = Some(bypass);
        self.flit_hops != hops_before
    }

    /// Follows a flit that leaves router `from` over the link behind an output. If it passes the next router, it comes where its
    /// path ends, and the ordinary moves no longer bring it to that next one.
    fn follow(&mut self, from: usize, out: usize, bypass: &Bypass, context: &mut Context<'_>) {
        let step = self.shifts[out].tiles;
        let mut at = OnLine {
            router: from.wrapping_add_signed(step),
            input: (out + 2) & 3,
            out,
        };
        let mut flit = None;
        for _ in 1..bypass.max_links {
            if !self.is_clear(at, step, &bypass.crossing) {
                break;
            }
            let arrived = flit.unwrap_or_else(|| self.leaving_entry(from, out));
            let Some((goes_on, others)) = self.passes(at, arrived, context) else {
                break;
            };
            if flit.is_none() {
                self.leaving[from / LANES][out] &= !(1 << (from % LANES));
            }
            self.count_crossing(at);
            self.keep_copy(at, arrived, others, context);
            self.blocks[at.router / LANES].note_grant(out, at.router % LANES, at.input);
            flit = Some(goes_on);
            at.router = at.router.wrapping_add_signed(step);
        }
        if let Some(flit) = flit {
            self.count_crossing(at);
            let (lane, here) = (at.router % LANES, self.coords[at.router]);
            let wants = route_one(lane, at.input, here, flit, context.trees);
            self.enter_input(at, flit, &wants);
        }
    }

    /// Is nothing in the path of a flit through this router, and space behind it?
    #[inline]
    fn is_clear(&self, at: OnLine, step: isize, crossing: &[[u64; 4]]) -> bool {
        let OnLine { router, input, out } = at;
        let (w, lane) = (router / LANES, router % LANES);
        let block = &self.blocks[w];
        let held = block.in_any[input] & (!block.popped[input] | self.two(true, w, input));
        // 0: links without register stages hold no flit.
        let staged = self.links.as_ref().map_or(0, |links| links.held(w, out));
        let used = block.out_any[out] | block.switched[out] | crossing[w][out] | staged;
        let next = router.wrapping_add_signed(step);
        let ahead = self.in_full.get(next / LANES).map_or(!0, |f| f[input]);
        (held | used) >> lane & 1 == 0 && ahead >> (next % LANES) & 1 == 0
    }

    /// The outputs beside the one straight on take the flit later: it stays at the input for them.
    fn keep_copy(&mut self, at: OnLine, flit: FlitEntry, others: u8, context: &mut Context<'_>) {
        if others == 0 {
            return;
        }
        let lane = at.router % LANES;
        let wants = std::array::from_fn(|i| u64::from(others >> i & 1) << lane);
        self.enter_input(at, flit, &wants);
        let Flit { kind, payload, .. } = Flit::from_packed(self.flits.get(flit));
        if context.is_value && matches!(kind, FlitKind::Write | FlitKind::Result) {
            context.pool.share(payload, 1);
        }
    }

    /// Appends a flit to an input; there is space.
    fn enter_input(&mut self, at: OnLine, flit: FlitEntry, wants: &Wants) {
        let OnLine { router, input, .. } = at;
        let (w, lane) = (router / LANES, router % LANES);
        self.active.insert(w);
        let slots = &mut self.input[slot_at(w * LANES, input, 0)..][..SLOTS];
        let (block, full) = (&mut self.blocks[w], &mut self.in_full[w][input]);
        debug_assert!(*full >> lane & 1 == 0, "a full FIFO takes nothing");
        let slot = (block.input_slots(input) >> lane & 1) as usize;
        if let Some(deep) = &mut self.deep {
            let mut inputs = deep.inputs.whole();
            inputs.place((w, input, lane), slots, slot, flit);
            inputs.enter(block, full, (w, input), 1 << lane, wants);
        } else {
            slots[slot * LANES + lane] = flit;
            block.push_inputs(input, full, 1 << lane, wants);
        }
    }

    /// A link has been crossed into a router.
    fn count_crossing(&mut self, at: OnLine) {
        let w = at.router / LANES;
        self.entered[at.router][at.input] += 1;
        self.has_received[w / 64] |= 1 << (w % 64);
        self.flit_hops += 1;
    }
}
