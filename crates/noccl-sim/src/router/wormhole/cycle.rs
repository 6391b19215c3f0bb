// SPDX-License-Identifier: Apache-2.0
//! What routers do in a cycle.
//!
//! The first half finds, from the registers as they were at its beginning, which fronts of FIFOs move; the second moves
//! them. It looks at inputs that hold outputs one by one, and at routers only where heads wait for a grant: a flit of a
//! body costs no arbitration. Heads are granted behind that, and move in the same cycle or not (`reserve_cycles`).

use super::WormholeFlit;
use super::observe::INPUTS_PER_TILE;
use super::plane::Plane;
use super::rule::Rule;
use super::{LINKS, LOCAL, PORTS, ports};
use noccl_net::TileId;

/// By input port: outputs of the other dimension.
const OTHER_DIMENSION: [u8; INPUTS_PER_TILE] = [0b1010, 0b0101, 0b1010, 0b0101, 0, 0, 0, 0];

impl<R: Rule> Plane<R> {
    /// One cycle; true if a flit has moved, or a head was granted that moves later (`reserve_cycles`). `takes` says whether a tile takes a flit.
    pub(crate) fn step(
        &mut self,
        now: u64,
        mut takes: impl FnMut(TileId, WormholeFlit) -> bool,
    ) -> bool {
        self.packets.retire();
        self.delivered.clear();
        self.moves.clear();
        self.can_move = false;
        self.find_streams(now, &mut takes);
        let has_granted = !R::IS_CONFIGURED && self.find_heads(now, &mut takes);
        let moves = std::mem::take(&mut self.moves);
        for input in &moves {
            self.leave(now, *input as usize);
        }
        let has_moved = has_granted || !moves.is_empty();
        self.moves = moves;
        self.can_move |= has_moved;
        has_moved
    }

    /// Fronts that move over outputs which they hold.
    #[inline]
    fn find_streams(&mut self, now: u64, takes: &mut impl FnMut(TileId, WormholeFlit) -> bool) {
        let mut from = 0;
        while let Some(word) = self.streams.next_word(from) {
            let mut inputs = self.streams.word(word);
            while inputs != 0 {
                let input = word * 64 + inputs.trailing_zeros() as usize;
                inputs &= inputs - 1;
                let fifo = self.fifos.inputs[input];
                if fifo.len == 0 {
                    self.streams.remove(input);
                } else if fifo.since > now {
                    self.can_move = true;
                } else if self.can_leave(input, fifo.outputs, takes) {
                    self.moves.push(input as u32);
                }
            }
            from = word + 1;
        }
    }

    /// Heads that are granted, and move in this cycle if that needs none of its own. True if some move later.
    #[inline]
    fn find_heads(
        &mut self,
        now: u64,
        takes: &mut impl FnMut(TileId, WormholeFlit) -> bool,
    ) -> bool {
        const TILE: u64 = (1 << INPUTS_PER_TILE) - 1;
        let mut has_granted = false;
        let mut from = 0;
        while let Some(word) = self.heads.next_word(from) {
            let mut inputs = self.heads.word(word);
            while inputs != 0 {
                let place = inputs.trailing_zeros() as usize / INPUTS_PER_TILE;
                let heads = (inputs >> (place * INPUTS_PER_TILE) & TILE) as u8;
                inputs &= !(TILE << (place * INPUTS_PER_TILE));
                let tile = word * (64 / INPUTS_PER_TILE) + place;
                has_granted |= self.grant(now, tile, heads, takes);
            }
            from = word + 1;
        }
        has_granted
    }

    /// Heads of a router get their outputs.
    fn grant(
        &mut self,
        now: u64,
        tile: usize,
        heads: u8,
        takes: &mut impl FnMut(TileId, WormholeFlit) -> bool,
    ) -> bool {
        let base = tile * INPUTS_PER_TILE;
        let mut wanted = [0; PORTS];
        let mut ready = 0;
        for port in ports(heads) {
            let fifo = self.fifos.inputs[base + port];
            wanted[port] = fifo.outputs;
            ready |= u8::from(fifo.since <= now) << port;
        }
        self.can_move |= ready != heads;
        if ready == 0 {
            return false;
        }
        let granted = self.rule.grant(tile, ready, &wanted, !self.held[tile]);
        for port in ports(granted) {
            let input = base + port;
            self.held[tile] |= wanted[port];
            self.granted_links += u64::from((wanted[port] & LINKS).count_ones());
            self.holders[input] = self.fifos.front(input).packet();
            self.fifos.inputs[input].is_holding = true;
            self.heads.remove(input);
            self.streams.insert(input);
            if self.params.reserve_cycles == 0 && self.can_leave(input, wanted[port], takes) {
                self.moves.push(input as u32);
            }
        }
        granted != 0 && self.params.reserve_cycles > 0
    }

    /// Do all outputs take the front of an input?
    #[inline]
    fn can_leave(
        &self,
        input: usize,
        outputs: u8,
        takes: &mut impl FnMut(TileId, WormholeFlit) -> bool,
    ) -> bool {
        let tile = input / INPUTS_PER_TILE;
        let mut outputs = outputs;
        loop {
            let output = outputs.trailing_zeros() as usize;
            let is_free = if output >= LOCAL {
                takes(TileId(tile as u32), self.fifos.front(input))
            } else {
                self.fifos.has_space(self.behind(tile, output))
            };
            outputs &= outputs.wrapping_sub(1);
            if !is_free || outputs == 0 {
                return is_free;
            }
        }
    }

    /// The front of an input moves over all its outputs; a tail gives them back.
    #[inline(always)]
    fn leave(&mut self, now: u64, input: usize) {
        let fifo = self.fifos.inputs[input];
        let (tile, base) = (input / INPUTS_PER_TILE, input & !(INPUTS_PER_TILE - 1));
        let flit = self.fifos.pop(input);
        if fifo.since < now {
            self.count_blocked(now, input, flit);
        }
        if flit.is_tail() && !R::IS_CONFIGURED {
            self.release(now, input);
        } else {
            self.fifos.inputs[input].since = self.fifos.ready(input, now + 1);
        }
        let mut outputs = fifo.outputs;
        loop {
            let output = outputs.trailing_zeros() as usize;
            outputs &= outputs.wrapping_sub(1);
            self.loads[base + output] += 1;
            if output >= LOCAL {
                self.deliver(tile, flit);
            } else {
                self.enter(now, self.behind(tile, output), flit);
            }
            if outputs == 0 {
                break;
            }
            // A copy.
            self.num_flits += 1;
        }
    }

    /// A tail leaves; a head may be behind it.
    #[inline(never)]
    fn release(&mut self, now: u64, input: usize) {
        let fifo = &mut self.fifos.inputs[input];
        fifo.is_holding = false;
        self.held[input / INPUTS_PER_TILE] &= !fifo.outputs;
        self.streams.remove(input);
        if fifo.len > 0 {
            let ready = self.fifos.ready(input, now + 1);
            self.head_is_first(input, self.fifos.front(input), ready);
        }
    }

    #[inline]
    fn deliver(&mut self, tile: usize, flit: WormholeFlit) {
        self.num_flits -= 1;
        self.delivered.push((TileId(tile as u32), flit));
        if flit.is_tail() {
            self.packets.tail_delivered(flit.packet());
        }
    }

    /// A flit that leaves where it was in cycle `now` comes to a FIFO.
    #[inline(always)]
    pub(super) fn enter(&mut self, now: u64, input: usize, flit: WormholeFlit) {
        let arrival = now + u64::from(self.params.hop_cycles);
        if self.fifos.push(input, flit, arrival) {
            let fifo = &mut self.fifos.inputs[input];
            fifo.since = arrival;
            if fifo.is_holding {
                if !self.streams.contains(input) {
                    self.streams.insert(input);
                }
            } else if !R::IS_CONFIGURED {
                self.head_is_first(input, flit, arrival);
            }
        }
    }

    #[inline(never)]
    /// A head is the first of its FIFO and could leave straight on from cycle `ready`.
    fn head_is_first(&mut self, input: usize, head: WormholeFlit, ready: u64) {
        let (tile, port) = (input / INPUTS_PER_TILE, input % INPUTS_PER_TILE);
        let outputs = self
            .rule
            .outputs(&self.packets.of(head.packet()).route, tile);
        let fifo = &mut self.fifos.inputs[input];
        fifo.outputs = outputs;
        fifo.since = ready;
        if outputs & OTHER_DIMENSION[port] != 0 {
            fifo.since += u64::from(self.params.turn_cycles);
        }
        self.heads.insert(input);
    }

    /// Cycles in which a flit that leaves now could not.
    #[cold]
    fn count_blocked(&mut self, now: u64, input: usize, flit: WormholeFlit) {
        let waited = self.blocked_until(now, input, flit);
        let base = input - input % INPUTS_PER_TILE;
        for output in ports(self.fifos.inputs[input].outputs) {
            self.blocked[base + output] += waited;
        }
    }

    /// Cycles before `now` in which the front of an input could not move, beyond the one of its grant.
    pub(super) fn blocked_until(&self, now: u64, input: usize, flit: WormholeFlit) -> u64 {
        let waited = now.saturating_sub(self.fifos.inputs[input].since);
        let granting = if flit.is_head() {
            self.params.reserve_cycles
        } else {
            0
        };
        waited.saturating_sub(u64::from(granting))
    }
}
