// SPDX-License-Identifier: Apache-2.0
//! The routers of one plane: input queues, reservations, lock-step (ESP's `lookahead_router_multicast`).
//!
//! A head that stands in a queue reserves all its outputs in one cycle, or none; reserved outputs stay its worm's own until
//! the tail has passed. A flit moves only if every reserved output can take it, and then over all of them at once. So a worm
//! with one blocked branch stands still on all others. Invariant: an output has one holder at most. Both halves of a cycle
//! look at the registers as they were at its beginning.

use super::arbiter::{Matrix, PORTS};
use noccl_net::{Network, Port, TileId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

const LOCAL: usize = 4;

/// A flit: the worm it belongs to, and which of its flits; 0 is the head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flit {
    pub(super) worm: u32,
    pub index: u32,
}

/// Flits that follow each other over one tree.
#[derive(Debug)]
pub(super) struct Worm {
    pub action: u32,
    pub source: TileId,
    /// With the head.
    pub flits: u32,
    /// First beat of the payload that the flit behind the head carries.
    pub(super) first_beat: u64,
    /// Output ports per router, as a mask.
    pub outputs: BTreeMap<TileId, u8>,
}

#[derive(Debug, Default, Clone)]
struct Router {
    queues: [VecDeque<Flit>; PORTS],
    /// Per input: outputs that its worm has reserved.
    reserved: [u8; PORTS],
    /// Per output: the input that holds it.
    holder: [Option<u8>; PORTS],
    /// Per input: the worm that holds its outputs.
    worm: [u32; PORTS],
    single: [Matrix; PORTS],
    several: Matrix,
}

/// All routers of a plane.
pub(super) struct Plane<'n> {
    network: &'n Network,
    depth: usize,
    reserves_first: bool,
    routers: Vec<Router>,
    /// Routers with a flit in a queue.
    active: BTreeSet<u32>,
    pub(super) worms: Vec<Worm>,
    /// Worms that wait at or pass a tile's injection port, and the next flit of the first.
    injecting: BTreeMap<u32, (VecDeque<u32>, u32)>,
    /// Flits per tile and output.
    pub(super) loads: Vec<[u64; PORTS]>,
    /// Hops of flits behind heads.
    pub(super) body_hops: u64,
}

/// What a cycle has done.
#[derive(Debug, Default)]
pub(super) struct Moves {
    /// Flits that have reached a tile.
    pub(super) delivered: Vec<(TileId, Flit)>,
    /// Worms whose tail has been injected.
    pub(super) injected: Vec<u32>,
    pub has_moved: bool,
}

impl<'n> Plane<'n> {
    pub(super) fn new(network: &'n Network, depth: usize, reserve_cycles: u32) -> Self {
        Self {
            network,
            depth,
            reserves_first: reserve_cycles > 0,
            routers: vec![Router::default(); network.num_tiles()],
            active: BTreeSet::new(),
            worms: Vec::new(),
            injecting: BTreeMap::new(),
            loads: vec![[0; PORTS]; network.num_tiles()],
            body_hops: 0,
        }
    }

    /// Queues a worm at its source.
    pub(super) fn send(&mut self, worm: Worm) {
        let id = self.worms.len() as u32;
        let queue = self.injecting.entry(worm.source.0).or_default();
        queue.0.push_back(id);
        self.worms.push(worm);
    }

    pub(super) fn is_idle(&self) -> bool {
        self.active.is_empty() && self.injecting.is_empty()
    }

    /// Hops of all flits so far.
    pub(super) fn flit_hops(&self) -> u64 {
        let links = self.loads.iter().flat_map(|ports| &ports[..LOCAL]);
        links.sum()
    }

    /// One cycle. `takes` says whether a tile takes a flit, `offers` whether it injects one.
    pub(super) fn step(
        &mut self,
        takes: impl Fn(TileId) -> bool,
        offers: impl Fn(TileId) -> bool,
    ) -> Moves {
        if !self.reserves_first {
            let grants = self.grants();
            self.reserve(&grants);
        }
        let passing = self.passing(takes);
        let grants = if self.reserves_first {
            self.grants()
        } else {
            Vec::new()
        };
        let entering = self.entering(offers);
        let mut moves = Moves {
            has_moved: !(passing.is_empty() && grants.is_empty() && entering.is_empty()),
            ..Moves::default()
        };
        for (at, input) in passing {
            self.pass(at, input, &mut moves);
        }
        self.reserve(&grants);
        for tile in entering {
            self.enter(tile, &mut moves);
        }
        moves
    }

    /// Inputs whose first flit can move over all reserved outputs.
    fn passing(&self, takes: impl Fn(TileId) -> bool) -> Vec<(u32, usize)> {
        let mut passing = Vec::new();
        for at in &self.active {
            let router = &self.routers[*at as usize];
            for input in 0..PORTS {
                let outputs = router.reserved[input];
                if outputs == 0 || router.queues[input].is_empty() {
                    continue;
                }
                let is_free = |out: &usize| match self.next(*at, *out) {
                    None => takes(TileId(*at)),
                    Some((next, from)) => self.has_space(next, from),
                };
                if ports(outputs).all(|out| is_free(&out)) {
                    passing.push((*at, input));
                }
            }
        }
        passing
    }

    /// Heads that get their outputs: those that want one first, then those that want several, each all or none.
    fn grants(&self) -> Vec<(u32, usize, u8)> {
        let mut grants = Vec::new();
        for at in &self.active {
            let router = &self.routers[*at as usize];
            let wanted: [u8; PORTS] = std::array::from_fn(|input| self.wanted(*at, input));
            let mut free = ports_where(|out| router.holder[out].is_none());
            for out in ports(free) {
                let requests = ports_where(|input| wanted[input] == 1 << out);
                if let Some(input) = router.single[out].first(requests) {
                    free &= !(1 << out);
                    grants.push((*at, input, 1 << out));
                }
            }
            let mut rest = ports_where(|input| wanted[input].count_ones() > 1);
            loop {
                let able = rest & ports_where(|input| wanted[input] & !free == 0);
                let Some(input) = router.several.first(able) else {
                    break;
                };
                rest &= !(1 << input);
                free &= !wanted[input];
                grants.push((*at, input, wanted[input]));
            }
        }
        grants
    }

    /// Outputs that the head at an input asks for; none if there is no head or it has them.
    fn wanted(&self, at: u32, input: usize) -> u8 {
        let router = &self.routers[at as usize];
        match router.queues[input].front() {
            Some(flit) if router.reserved[input] == 0 => {
                let outputs = &self.worms[flit.worm as usize].outputs;
                outputs.get(&TileId(at)).copied().unwrap_or(0)
            }
            Some(_) | None => 0,
        }
    }

    fn reserve(&mut self, grants: &[(u32, usize, u8)]) {
        for (at, input, outputs) in grants {
            let router = &mut self.routers[*at as usize];
            router.reserved[*input] = *outputs;
            router.worm[*input] = router.queues[*input].front().map_or(0, |flit| flit.worm);
            for out in ports(*outputs) {
                router.holder[out] = Some(*input as u8);
            }
            match outputs.count_ones() {
                1 => router.single[outputs.trailing_zeros() as usize].served(*input),
                _ => router.several.served(*input),
            }
        }
    }

    /// Tiles whose injection port has a flit and space for it.
    fn entering(&self, offers: impl Fn(TileId) -> bool) -> Vec<u32> {
        let tiles = self.injecting.keys().copied();
        tiles
            .filter(|tile| self.has_space(*tile, LOCAL) && offers(TileId(*tile)))
            .collect()
    }

    fn enter(&mut self, tile: u32, moves: &mut Moves) {
        let Some((queue, next)) = self.injecting.get_mut(&tile) else {
            return;
        };
        let worm = queue[0];
        let flit = Flit { worm, index: *next };
        *next += 1;
        if *next == self.worms[worm as usize].flits {
            moves.injected.push(worm);
            *next = 0;
            queue.pop_front();
            if queue.is_empty() {
                self.injecting.remove(&tile);
            }
        }
        self.push(tile, LOCAL, flit);
    }

    /// The first flit of an input moves; a tail gives its outputs back.
    fn pass(&mut self, at: u32, input: usize, moves: &mut Moves) {
        let router = &mut self.routers[at as usize];
        let Some(flit) = router.queues[input].pop_front() else {
            return;
        };
        let outputs = router.reserved[input];
        if flit.index + 1 == self.worms[flit.worm as usize].flits {
            router.reserved[input] = 0;
            for out in ports(outputs) {
                router.holder[out] = None;
            }
        }
        if router.queues.iter().all(VecDeque::is_empty) {
            self.active.remove(&at);
        }
        for out in ports(outputs) {
            self.loads[at as usize][out] += 1;
            match self.next(at, out) {
                None => moves.delivered.push((TileId(at), flit)),
                Some((next, from)) => {
                    self.body_hops += u64::from(flit.index > 0);
                    self.push(next, from, flit);
                }
            }
        }
    }

    fn push(&mut self, at: u32, input: usize, flit: Flit) {
        self.routers[at as usize].queues[input].push_back(flit);
        self.active.insert(at);
    }

    fn has_space(&self, at: u32, input: usize) -> bool {
        self.routers[at as usize].queues[input].len() < self.depth
    }

    /// The router and input behind an output; none behind Local.
    fn next(&self, at: u32, out: usize) -> Option<(u32, usize)> {
        let here = self.network.coord(TileId(at));
        let next = self.network.neighbour(here, Port::ALL[out])?;
        Some((self.network.tile_at(next).0, (out + 2) & 3))
    }

    /// Who waits for whom: worm, awaited worm, router, output.
    pub(super) fn waits(&self) -> Vec<(u32, u32, TileId, Port)> {
        let mut waits = Vec::new();
        for at in &self.active {
            let router = &self.routers[*at as usize];
            for input in 0..PORTS {
                let Some(flit) = router.queues[input].front() else {
                    continue;
                };
                for out in ports(self.wanted(*at, input)) {
                    if let Some(holder) = router.holder[out] {
                        let awaited = router.worm[usize::from(holder)];
                        waits.push((flit.worm, awaited, TileId(*at), Port::ALL[out]));
                    }
                }
                for out in ports(router.reserved[input]) {
                    let Some((next, from)) = self.next(*at, out) else {
                        continue;
                    };
                    let queue = &self.routers[next as usize].queues[from];
                    let first = queue.front().filter(|_| !self.has_space(next, from));
                    if let Some(first) = first.filter(|f| f.worm != flit.worm) {
                        waits.push((flit.worm, first.worm, TileId(*at), Port::ALL[out]));
                    }
                }
            }
        }
        waits
    }
}

/// Members of a mask, ascending.
fn ports(mask: u8) -> impl Iterator<Item = usize> {
    (0..PORTS).filter(move |port| mask >> port & 1 != 0)
}

fn ports_where(is_member: impl Fn(usize) -> bool) -> u8 {
    (0..PORTS).fold(0, |mask, port| mask | u8::from(is_member(port)) << port)
}
