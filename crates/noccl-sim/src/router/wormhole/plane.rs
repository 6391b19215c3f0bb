// SPDX-License-Identifier: Apache-2.0
//! The routers of one plane, cycle by cycle.
//!
//! A cycle visits the routers that have flits. Its first half finds, from the registers as they were at its beginning, which
//! fronts of FIFOs move; the second moves them. Within a router heads are granted before or after that (`reserve_cycles`).
//! A flit takes `hop_cycles` from FIFO to FIFO; a head that changes dimension stands `turn_cycles` longer at the front.

use super::fifos::Fifos;
use super::flit::{Flit, WormId};
use super::rule::Rule;
use super::worms::{Worm, Worms};
use super::{LOCAL, PORTS, Params, ports};
use crate::kernel::bit_set::BitSet;
use noccl_net::{Coord, Port, TileId, coord_behind};

/// No input behind an output: Local, and the edge of the mesh.
pub(super) const NO_INPUT: u32 = u32::MAX;

/// By input port: outputs of the other dimension.
const OTHER_DIMENSION: [u8; PORTS] = [0b1010, 0b0101, 0b1010, 0b0101, 0];

/// The front of an input moves over these outputs.
#[derive(Debug, Clone, Copy)]
struct Move {
    input: u32,
    outputs: u8,
}

/// All routers of a plane.
#[derive(Debug)]
pub(crate) struct Plane<R: Rule> {
    pub(super) rule: R,
    pub(super) params: Params,
    pub(super) worms: Worms<R::Route>,
    pub(super) fifos: Fifos,
    /// Per input: outputs that its front wants, or that its worm holds.
    pub(super) outputs: Vec<u8>,
    /// Per input: the first cycle in which its front could move if nothing stood in its path.
    pub(super) since: Vec<u64>,
    /// Per output: the input behind it.
    pub(super) behind: Vec<u32>,
    /// Per tile: inputs with flits, inputs whose outputs are granted, outputs that are held.
    pub(super) filled: Vec<u8>,
    pub(super) holding: Vec<u8>,
    pub(super) held: Vec<u8>,
    /// Per input: the worm that its outputs were granted to last.
    pub(super) holders: Vec<WormId>,
    /// Tiles whose routers may have flits.
    pub(super) active: BitSet,
    /// Per output: flits that have left, and cycles in which one could not.
    pub(super) loads: Vec<u64>,
    pub(super) blocked: Vec<u64>,
    /// Flits in FIFOs.
    num_flits: u64,
    flit_hops: u64,
    moves: Vec<Move>,
    delivered: Vec<(TileId, Flit)>,
    can_move: bool,
}

impl<R: Rule> Plane<R> {
    /// A plane of `width` × `height` idle routers.
    pub(crate) fn with_rule(width: u16, height: u16, params: Params, rule: R) -> Self {
        let num_tiles = usize::from(width) * usize::from(height);
        let inputs = num_tiles * PORTS;
        Self {
            rule,
            params,
            worms: Worms::new(),
            fifos: Fifos::new(num_tiles, &params),
            outputs: vec![0; inputs],
            since: vec![0; inputs],
            behind: inputs_behind(width, height),
            filled: vec![0; num_tiles],
            holding: vec![0; num_tiles],
            held: vec![0; num_tiles],
            holders: vec![WormId(0); inputs],
            active: BitSet::new(num_tiles),
            loads: vec![0; inputs],
            blocked: vec![0; inputs],
            num_flits: 0,
            flit_hops: 0,
            // A router moves one flit per input and cycle, and delivers one.
            moves: Vec::with_capacity(inputs),
            delivered: Vec::with_capacity(num_tiles),
            can_move: false,
        }
    }

    /// A worm along a route whose tail is delivered to so many tiles. Its flits are to be pushed in order, at one tile.
    pub(crate) fn open(&mut self, route: R::Route, flits: u32, tails: u32, tag: u64) -> WormId {
        self.worms.open(route, flits, tails, tag)
    }

    /// A worm that has been opened; until the step after the one that has delivered its last flit.
    pub(crate) fn worm(&self, worm: WormId) -> &Worm<R::Route> {
        self.worms.of(worm)
    }

    /// Can the endpoint push a flit? To be asked before this cycle's [`Self::step`], so that it sees the cycle's beginning.
    pub(crate) fn has_space(&self, tile: TileId) -> bool {
        self.fifos.has_local_space(tile.idx())
    }

    /// The endpoint of a tile writes a flit in cycle `now`; at most one per cycle, and there [`Self::has_space`].
    pub(crate) fn push(&mut self, now: u64, tile: TileId, worm: WormId, index: u32) {
        let flit = self.worms.flit(worm, index);
        self.num_flits += 1;
        self.can_move = true;
        self.enter(now, tile.idx() * PORTS + LOCAL, flit);
    }

    /// One cycle; true if a flit has moved or a head was granted. `takes` says whether a tile takes a flit.
    pub(crate) fn step(&mut self, now: u64, mut takes: impl FnMut(TileId, Flit) -> bool) -> bool {
        self.worms.retire();
        self.delivered.clear();
        self.moves.clear();
        self.can_move = false;
        let mut has_granted = false;
        let mut from = 0;
        while let Some(word) = self.active.next_word(from) {
            let mut tiles = self.active.word(word);
            while tiles != 0 {
                let tile = word * 64 + tiles.trailing_zeros() as usize;
                tiles &= tiles - 1;
                has_granted |= self.evaluate(now, tile, &mut takes);
            }
            from = word + 1;
        }
        let moves = std::mem::take(&mut self.moves);
        for Move { input, outputs } in &moves {
            self.leave(now, *input as usize, *outputs);
        }
        let has_moved = has_granted || !moves.is_empty();
        self.moves = moves;
        self.can_move |= has_moved;
        has_moved
    }

    /// What the last cycle has delivered, in ascending order of tiles.
    pub(crate) fn delivered(&self) -> &[(TileId, Flit)] {
        &self.delivered
    }

    /// Is no flit in a router?
    pub(crate) const fn is_idle(&self) -> bool {
        self.num_flits == 0
    }

    /// Could a further cycle change something although endpoints neither push a flit nor take others than before?
    pub(crate) const fn can_move(&self) -> bool {
        self.can_move
    }

    /// Hops of all flits so far.
    pub(crate) const fn flit_hops(&self) -> u64 {
        self.flit_hops
    }

    pub(super) const fn rule(&self) -> &R {
        &self.rule
    }

    /// Something has changed from outside.
    pub(super) const fn note_change(&mut self) {
        self.can_move = true;
    }

    /// Finds the moves of a router. True if a head was granted.
    #[inline]
    fn evaluate(
        &mut self,
        now: u64,
        tile: usize,
        takes: &mut impl FnMut(TileId, Flit) -> bool,
    ) -> bool {
        let filled = self.filled[tile];
        if filled == 0 {
            self.active.remove(tile);
            return false;
        }
        let base = tile * PORTS;
        let mut ready = 0;
        for port in ports(filled) {
            ready |= u8::from(self.since[base + port] <= now) << port;
        }
        self.can_move |= ready != filled;
        let heads = ready & !self.holding[tile];
        let reserves_first = self.params.reserve_cycles > 0;
        let mut has_granted = false;
        if heads != 0 && !reserves_first {
            has_granted = self.grant(tile, heads);
        }
        let granted = if reserves_first { heads } else { 0 };
        for port in ports(ready & self.holding[tile]) {
            let outputs = self.outputs[base + port];
            if self.can_take(tile, base + port, outputs, takes) {
                let input = (base + port) as u32;
                self.moves.push(Move { input, outputs });
            }
        }
        if granted != 0 {
            has_granted = self.grant(tile, granted);
        }
        has_granted
    }

    /// Do all outputs take the front of an input?
    #[inline]
    fn can_take(
        &self,
        tile: usize,
        input: usize,
        outputs: u8,
        takes: &mut impl FnMut(TileId, Flit) -> bool,
    ) -> bool {
        let base = tile * PORTS;
        ports(outputs).all(|output| {
            if output == LOCAL {
                return takes(TileId(tile as u32), self.fifos.front(input));
            }
            self.fifos.has_space(self.behind[base + output] as usize)
        })
    }

    /// Heads get their outputs; a configured network has nobody to ask.
    #[inline]
    fn grant(&mut self, tile: usize, heads: u8) -> bool {
        if R::IS_CONFIGURED {
            return false;
        }
        let base = tile * PORTS;
        let wanted = &self.outputs[base..base + PORTS];
        let granted = self.rule.grant(tile, heads, wanted, !self.held[tile]);
        for port in ports(granted) {
            self.held[tile] |= self.outputs[base + port];
            self.holders[base + port] = self.fifos.front(base + port).worm();
        }
        self.holding[tile] |= granted;
        granted != 0
    }

    /// The front of an input moves over all its outputs; a tail gives them back.
    #[inline]
    fn leave(&mut self, now: u64, input: usize, outputs: u8) {
        let (tile, port) = (input / PORTS, input % PORTS);
        let base = tile * PORTS;
        let flit = self.fifos.pop(input);
        self.count_blocked(now, input, flit);
        self.num_flits -= 1;
        for output in ports(outputs) {
            self.loads[base + output] += 1;
            if output == LOCAL {
                self.deliver(tile, flit);
            } else {
                self.num_flits += 1;
                self.flit_hops += 1;
                self.enter(now, self.behind[base + output] as usize, flit);
            }
        }
        if flit.is_tail() && !R::IS_CONFIGURED {
            self.holding[tile] &= !(1 << port);
            self.held[tile] &= !outputs;
        }
        if self.fifos.is_empty(input) {
            self.filled[tile] &= !(1 << port);
        } else {
            let ready = self.fifos.ready(input, now + 1);
            self.become_front(input, ready);
        }
    }

    fn deliver(&mut self, tile: usize, flit: Flit) {
        self.delivered.push((TileId(tile as u32), flit));
        if flit.is_tail() {
            self.worms.tail_delivered(flit.worm());
        }
    }

    /// A flit that leaves where it was in cycle `now` comes to a FIFO.
    #[inline]
    fn enter(&mut self, now: u64, input: usize, flit: Flit) {
        let arrival = now + u64::from(self.params.hop_cycles);
        if self.fifos.push(input, flit, arrival) {
            let tile = input / PORTS;
            if self.filled[tile] == 0 {
                self.active.insert(tile);
            }
            self.filled[tile] |= 1 << (input % PORTS);
            self.become_front(input, arrival);
        }
    }

    /// A flit is the first of its FIFO, and may leave from cycle `ready` on.
    #[inline]
    fn become_front(&mut self, input: usize, ready: u64) {
        self.since[input] = ready;
        let flit = self.fifos.front(input);
        if flit.is_head() && !R::IS_CONFIGURED {
            let (tile, port) = (input / PORTS, input % PORTS);
            let outputs = self.rule.outputs(&self.worms.of(flit.worm()).route, tile);
            self.outputs[input] = outputs;
            if outputs & OTHER_DIMENSION[port] != 0 {
                self.since[input] += u64::from(self.params.turn_cycles);
            }
        }
    }

    /// Cycles in which a flit that leaves now could not.
    #[inline]
    fn count_blocked(&mut self, now: u64, input: usize, flit: Flit) {
        let waited = self.blocked_until(now, input, flit);
        if waited > 0 {
            let base = input - input % PORTS;
            for output in ports(self.outputs[input]) {
                self.blocked[base + output] += waited;
            }
        }
    }

    /// Cycles before `now` in which the front of an input could not move, beyond the one of its grant.
    #[inline]
    pub(super) fn blocked_until(&self, now: u64, input: usize, flit: Flit) -> u64 {
        let waited = now.saturating_sub(self.since[input]);
        if flit.is_head() {
            waited.saturating_sub(u64::from(self.params.reserve_cycles))
        } else {
            waited
        }
    }
}

/// Per output the input behind it.
fn inputs_behind(width: u16, height: u16) -> Vec<u32> {
    let tiles = (0..width).flat_map(|x| (0..height).map(move |y| Coord::new(x, y)));
    let outputs = tiles.flat_map(|at| Port::ALL.map(|port| (at, port)));
    let behind = outputs.map(|(at, port)| {
        let next = coord_behind(at, port).filter(|next| next.x < width && next.y < height);
        next.map_or(NO_INPUT, |next| {
            let tile = u32::from(next.x) * u32::from(height) + u32::from(next.y);
            tile * PORTS as u32 + port.opposite().idx() as u32
        })
    });
    behind.collect()
}
