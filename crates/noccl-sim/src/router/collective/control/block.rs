// SPDX-License-Identifier: Apache-2.0
//! Control registers of 64 routers as bit planes: bit `b` of every word belongs to router `64 * block + b`.
//!
//! One logic operation then serves 64 routers, with no branch that depends on a single one of them. What
//! is left per flit is copying 8 bytes twice and computing one route. Arbitration with a single
//! requester is word-wise too; only contended outputs are looked at one by one.

use noccl_net::Port;
use serde::{Deserialize, Serialize};

pub(crate) const PORTS: usize = 5;
pub(crate) const LOCAL: usize = Port::Local as usize;
/// Sixth input of the output arbiters: results of the merge and reduction units.
pub(crate) const RESULT: usize = 5;
pub(crate) const LANES: usize = 64;

/// Slots of one port of a block: the first ones of its routers, then the second ones.
pub(crate) const SLOTS: usize = 2 * LANES;

/// One of the two slots of a router's port.
#[inline]
pub(crate) const fn slot_at(r: usize, port: usize, slot: usize) -> usize {
    (r / LANES * PORTS + port) * SLOTS + slot * LANES + r % LANES
}

/// Registers and moves of 64 routers of one plane.
///
/// The inputs' `full` bits live in an array of their own, as neighbouring blocks read them.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Block {
    /// Inputs with at least one flit, and which slot is the head (padded: indexed by three bits).
    pub in_any: [u64; PORTS],
    pub in_head: [u64; 8],
    /// The same for outputs, and outputs without a free slot.
    pub out_any: [u64; PORTS],
    pub out_full: [u64; PORTS],
    pub out_head: [u64; PORTS],
    /// Per slot of the Local output: a beat that is only delivered, see [`crate::transport::flit::Flit::is_only_delivered`].
    only_delivered: [u64; 2],
    /// Per output and input: the input's head still has to take this output.
    pub requests: [[u64; RESULT + 1]; PORTS],
    /// Per output: input granted last, as three bit planes.
    pub granted: [[u64; 3]; PORTS],
    /// Inputs whose head waits for other contributions.
    pub join_heads: [u64; PORTS],
    /// Routers that have a unit with something in it.
    pub unit_busy: u64,
    /// Per input: what the second flit will ask for once it is the head.
    behind: [Wants; PORTS],
    /// Moves of this cycle: outputs that take a flit from the switch, inputs that lose their head.
    pub switched: [u64; PORTS],
    pub popped: [u64; PORTS],
}

/// What flits ask for: per output the lanes that want it; last, the lanes that wait for other contributions.
pub(crate) type Wants = [u64; PORTS + 1];
/// Index of the lanes that wait for other contributions.
pub(crate) const JOIN: usize = PORTS;

/// Which routers an arbiter may serve, if not all: published routers restrict it.
pub(crate) struct Restriction<'a> {
    /// Outputs that are not available.
    pub blocked: &'a [u64; PORTS],
    /// Per output and input: the input's packet holds the output.
    pub holds: &'a [[u64; RESULT + 1]; PORTS],
}

impl Block {
    /// Is nothing stored or on a link in any of these routers?
    pub(crate) fn is_empty(&self) -> bool {
        let stored = (0..PORTS).fold(0, |w, p| w | self.in_any[p] | self.out_any[p]);
        stored | self.unit_busy == 0
    }

    /// Routers whose merge or reduction unit has to be looked at.
    pub(crate) fn units(&self) -> u64 {
        self.join_heads.iter().fold(self.unit_busy, |w, j| w | j)
    }

    /// Outputs that the head of an input still has to take, as a bit set.
    pub(crate) fn wants(&self, lane: usize, input: usize) -> u8 {
        (0..PORTS).fold(0, |set, o| {
            set | ((self.requests[o][input] >> lane & 1) as u8) << o
        })
    }

    /// The head of an input asks for a set of outputs.
    #[inline]
    pub(crate) fn request(&mut self, lane: usize, input: usize, outputs: u8) {
        let mut rest = outputs & 0x1f;
        while rest != 0 {
            self.requests[rest.trailing_zeros() as usize][input] |= 1 << lane;
            rest &= rest - 1;
        }
    }

    /// Inputs of a router that wait for other contributions, as a bit set.
    pub(crate) fn waiting_heads(&self, lane: usize) -> u8 {
        (0..PORTS).fold(0, |set, p| {
            set | ((self.join_heads[p] >> lane & 1) as u8) << p
        })
    }

    /// Grants every output with buffer space to one requesting input. Returns heads that were taken by some
    /// outputs while others are still open or took them in the same cycle: forks.
    pub(crate) fn arbitrate(&mut self, restriction: Option<Restriction<'_>>) -> [u64; PORTS] {
        let mut taken = [0; RESULT + 1];
        let mut forked = [0; PORTS];
        for out in 0..PORTS {
            let requested = self.requests[out].iter().fold(0, |w, r| w | r);
            if requested & !self.out_full[out] == 0 {
                continue;
            }
            let grants = self.grant(out, restriction.as_ref());
            self.switched[out] = grants.iter().fold(0, |w, g| w | g);
            let kept = !self.switched[out];
            let planes = &mut self.granted[out];
            planes[0] = planes[0] & kept | grants[1] | grants[3] | grants[5];
            planes[1] = planes[1] & kept | grants[2] | grants[3];
            planes[2] = planes[2] & kept | grants[4] | grants[5];
            for input in 0..=RESULT {
                self.requests[out][input] &= !grants[input];
                if input < PORTS {
                    forked[input] |= taken[input] & grants[input];
                }
                taken[input] |= grants[input];
            }
        }
        for input in (0..PORTS).filter(|i| taken[*i] != 0) {
            let open = (0..PORTS).fold(0, |w, o| w | self.requests[o][input]);
            self.popped[input] |= taken[input] & !open;
            forked[input] |= taken[input] & open;
        }
        forked
    }

    /// Grants of one output, per input.
    #[inline]
    fn grant(&self, out: usize, restriction: Option<&Restriction<'_>>) -> [u64; RESULT + 1] {
        let mut requests = self.requests[out];
        let mut free = !self.out_full[out];
        if let Some(restriction) = restriction {
            free &= !restriction.blocked[out];
            let holds = &restriction.holds[out];
            let is_free = !holds.iter().fold(0, |w, h| w | h);
            for (request, hold) in requests.iter_mut().zip(holds) {
                *request &= is_free | hold;
            }
        }
        let mut any = 0;
        let mut contended = 0;
        for request in &requests {
            contended |= any & request;
            any |= request;
        }
        let mut grants = requests.map(|r| r & free & !contended);
        if contended & free != 0 {
            self.grant_in_order(out, &requests, contended & free, &mut grants);
        }
        grants
    }

    /// Round robin where several inputs ask: the requester after the one granted last, else the first one. All lanes at once: a
    /// loop over contended lanes takes half as many instructions where there is one of them, and a mispredicted branch.
    #[inline]
    fn grant_in_order(
        &self,
        out: usize,
        requests: &[u64; RESULT + 1],
        contended: u64,
        grants: &mut [u64; RESULT + 1],
    ) {
        let [low, middle, high] = self.granted[out];
        let was_last = [
            !(low | middle | high),
            low & !(middle | high),
            !low & middle,
            low & middle,
            !low & high,
        ];
        let (mut open, mut is_after) = (contended, 0);
        for input in 1..=RESULT {
            is_after |= was_last[input - 1];
            let chosen = requests[input] & is_after & open;
            grants[input] |= chosen;
            open &= !chosen;
        }
        for (grant, request) in grants.iter_mut().zip(requests) {
            let chosen = request & open;
            *grant |= chosen;
            open &= !chosen;
        }
    }

    /// Takes the heads of outputs away (a link or the NI has them).
    #[inline]
    pub(crate) fn pop_outputs(&mut self, out: usize, lanes: u64) {
        self.take_outputs(out, self.out_full[out], lanes);
    }

    /// As [`Block::pop_outputs`], where `two` tells which outputs hold a second flit.
    #[inline]
    pub(crate) fn take_outputs(&mut self, out: usize, two: u64, lanes: u64) {
        self.out_head[out] ^= lanes;
        self.out_any[out] &= !(lanes & !two);
        self.out_full[out] &= !lanes;
    }

    /// Occupancy after a flit has been appended to outputs. Returns the slots to write, as a bit plane.
    #[inline]
    pub(crate) fn push_outputs(&mut self, out: usize, lanes: u64) -> u64 {
        let slots = self.out_head[out] ^ self.out_any[out];
        self.out_full[out] |= lanes & self.out_any[out];
        self.out_any[out] |= lanes;
        slots
    }

    /// Of the flits that have entered Local outputs, in the slots of `targets`, some are only delivered.
    #[inline]
    pub(crate) fn note_delivery(&mut self, lanes: u64, targets: u64, only_delivered: u64) {
        for (slot, chosen) in [lanes & !targets, lanes & targets].into_iter().enumerate() {
            self.only_delivered[slot] =
                self.only_delivered[slot] & !chosen | only_delivered & chosen;
        }
    }

    /// Routers whose Local output offers a beat that is only delivered.
    #[inline]
    pub(crate) fn only_delivered(&self) -> u64 {
        let heads = self.out_head[LOCAL];
        (self.only_delivered[0] & !heads | self.only_delivered[1] & heads) & self.out_any[LOCAL]
    }

    /// Takes the heads of inputs away; what stands behind them makes its requests. `two` tells which hold a second flit.
    #[inline]
    pub(crate) fn pop_inputs(&mut self, input: usize, two: &mut u64, lanes: u64) {
        let promoted = lanes & *two;
        self.in_head[input] ^= lanes;
        self.in_any[input] &= !lanes | promoted;
        *two &= !lanes;
        if promoted != 0 {
            let behind = self.behind[input];
            self.ask(input, &behind, promoted);
        }
    }

    /// As [`Block::push_inputs`] for one flit that wants one thing. Returns the slot to write.
    #[inline]
    pub(crate) fn push_input(
        &mut self,
        input: usize,
        two: &mut u64,
        lane: usize,
        want: usize,
    ) -> usize {
        let bit = 1 << lane;
        let slot = self.input_slots(input) >> lane & 1;
        if self.in_any[input] & bit == 0 {
            self.in_any[input] |= bit;
            let wish = if want == JOIN {
                &mut self.join_heads[input]
            } else {
                &mut self.requests[want][input]
            };
            *wish |= bit;
        } else {
            *two |= bit;
            for (i, behind) in self.behind[input].iter_mut().enumerate() {
                *behind = *behind & !bit | u64::from(i == want) << lane;
            }
        }
        slot as usize
    }

    /// Slots that flits appended to inputs will take.
    #[inline]
    pub(crate) fn input_slots(&self, input: usize) -> u64 {
        self.in_head[input] ^ self.in_any[input]
    }

    /// Occupancy and requests after flits that want `wants` have been appended to inputs.
    #[inline]
    pub(crate) fn push_inputs(&mut self, input: usize, two: &mut u64, lanes: u64, wants: &Wants) {
        let second = lanes & self.in_any[input];
        *two |= second;
        self.in_any[input] |= lanes;
        self.ask(input, wants, lanes & !second);
        for (behind, want) in self.behind[input].iter_mut().zip(wants) {
            *behind = *behind & !second | want & second;
        }
    }

    /// Heads of inputs make their requests.
    #[inline]
    fn ask(&mut self, input: usize, wants: &Wants, lanes: u64) {
        for (requests, want) in self.requests.iter_mut().zip(wants) {
            requests[input] |= want & lanes;
        }
        self.join_heads[input] |= wants[JOIN] & lanes;
    }

    /// Routers in which a result of the merge or reduction unit passes to an output in this cycle.
    #[inline]
    pub(crate) fn passing_results(&self, out: usize) -> u64 {
        let [first, second, third] = self.granted[out];
        debug_assert_eq!(RESULT, 5);
        self.switched[out] & first & !second & third
    }

    /// An output was granted to a flit that has passed in flight.
    pub(crate) fn note_grant(&mut self, out: usize, lane: usize, input: usize) {
        for (bit, plane) in self.granted[out].iter_mut().enumerate() {
            *plane = *plane & !(1 << lane) | ((input >> bit & 1) as u64) << lane;
        }
    }

    /// Input granted last by an output.
    #[inline]
    pub(crate) fn source(&self, out: usize, lane: usize) -> usize {
        let planes = &self.granted[out];
        (planes[0] >> lane & 1 | (planes[1] >> lane & 1) << 1 | (planes[2] >> lane & 1) << 2)
            as usize
    }
}

/// Distance between a router and its neighbour as whole blocks and lanes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shift {
    pub tiles: isize,
    blocks: isize,
    lanes: u32,
}

impl Shift {
    pub(crate) const fn new(tiles: isize) -> Self {
        Self {
            tiles,
            blocks: tiles.div_euclid(LANES as isize),
            lanes: tiles.rem_euclid(LANES as isize) as u32,
        }
    }

    /// Bits of the routers at this distance from those of `block`; zero beyond the mesh.
    #[inline]
    pub(crate) fn seen_from_neighbours<const N: usize>(
        self,
        words: &[[u64; N]],
        block: usize,
        port: usize,
    ) -> u64 {
        let first = block as isize + self.blocks;
        // 0: no bits beyond the mesh.
        let at = |i: isize| words.get(i as usize).map_or(0, |w| w[port]);
        let low = at(first) >> self.lanes;
        if self.lanes == 0 {
            low
        } else {
            low | at(first + 1) << (LANES as u32 - self.lanes)
        }
    }

    /// First block that holds routers at this distance from those of `block`, and whether the one after
    /// it does too.
    pub(crate) const fn reached(self, block: usize) -> (isize, bool) {
        (block as isize + self.blocks, self.lanes != 0)
    }
}

/// Takes the first `len` elements off a slice.
pub(crate) fn cut<'a, T>(rest: &mut &'a mut [T], len: usize) -> &'a mut [T] {
    let (head, tail) = std::mem::take(rest).split_at_mut(len);
    *rest = tail;
    head
}

#[cfg(test)]
mod tests {
    use super::{Block, RESULT};

    /// Every set of requests after every last grant, a lane each, all lanes at once.
    #[test]
    fn round_robin_serves_the_requester_after_the_last_one() {
        let cases: Vec<(usize, usize)> = (0..=RESULT)
            .flat_map(|last| (1..1 << (RESULT + 1)).map(move |set| (last, set)))
            .collect();
        for cases in cases.chunks(64) {
            let mut block = Block::default();
            for (lane, (last, set)) in cases.iter().enumerate() {
                for (bit, plane) in block.granted[2].iter_mut().enumerate() {
                    *plane |= (*last as u64 >> bit & 1) << lane;
                }
                for (input, requests) in block.requests[2].iter_mut().enumerate() {
                    *requests |= (*set as u64 >> input & 1) << lane;
                }
            }
            let grants = block.grant(2, None);
            for (lane, (last, set)) in cases.iter().enumerate() {
                let in_order = (1..=RESULT + 1).map(|i| (last + i) % (RESULT + 1));
                let expected = in_order.into_iter().find(|input| set >> input & 1 != 0);
                let granted: Vec<usize> = (0..=RESULT)
                    .filter(|input| grants[*input] >> lane & 1 != 0)
                    .collect();
                assert_eq!(granted, Vec::from_iter(expected), "{set:06b} after {last}");
            }
        }
    }
}
