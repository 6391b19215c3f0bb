// SPDX-License-Identifier: Apache-2.0
//! What can be read of a plane: loads, blocked cycles, and who waits for whom.

use super::plane::Plane;
use super::rule::Rule;
use super::{LINKS, LOCAL, PORTS, Params, ports};
use super::{PacketId, WormholeFlit};
use noccl_net::{Port, TileId};
use serde::{Deserialize, Serialize};

/// What the front of a FIFO waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Awaited {
    /// A packet that holds the output or fills the FIFO behind it; its own, if the FIFO behind it is full of its own flits.
    Packet(PacketId),
    /// The endpoint of this tile.
    Tile,
}

/// The front of a FIFO waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WormholeWait {
    pub tile: TileId,
    pub input: Port,
    pub packet: PacketId,
    pub output: Port,
    pub awaited: Awaited,
}

/// Cycles in which fronts of FIFOs wanted a link between routers and could not move: the output was held, another head was
/// granted, or the FIFO behind was full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Blocked {
    /// Sum over all links between routers.
    pub total: u64,
    /// Links between routers with such cycles: tile, output, cycles.
    pub links: Vec<(TileId, Port, u64)>,
}

impl<R: Rule> Plane<R> {
    /// Hops of all flits so far. A sum over all links: not for every cycle.
    pub(crate) fn flit_hops(&self) -> u64 {
        let links = self
            .link_loads()
            .filter(|(_, port, _)| *port != Port::Local);
        links.map(|(_, _, flits)| flits).sum()
    }

    /// Hops of flits behind heads so far; for networks with heads that are granted.
    pub(crate) fn body_hops(&self) -> u64 {
        let links = |outputs: u8| u64::from((outputs & LINKS).count_ones());
        let granted = self.filled().filter(|input| {
            self.fifos.inputs[*input].is_holding && self.fifos.front(*input).is_head()
        });
        let granted: u64 = granted.map(|input| links(self.wanted(input))).sum();
        self.flit_hops() - (self.granted_links - granted)
    }

    /// Flits that have left over each output that has been used: tile, output, flits. Local is among them.
    pub(crate) fn link_loads(&self) -> impl Iterator<Item = (TileId, Port, u64)> {
        let used = self
            .loads
            .iter()
            .enumerate()
            .filter(|(_, flits)| **flits > 0);
        used.map(|(output, flits)| {
            let (tile, port) = place(output);
            (tile, port, *flits)
        })
    }

    /// Blocked cycles before cycle `now`.
    pub(crate) fn blocked_cycles(&self, now: u64) -> Blocked {
        let mut blocked = self.blocked.clone();
        for input in self.filled() {
            let waited = self.blocked_until(now, input, self.fifos.front(input));
            for output in ports(self.wanted(input)) {
                blocked[input - input % INPUTS_PER_TILE + output] += waited;
            }
        }
        let between = |output: &usize| output % INPUTS_PER_TILE < LOCAL && blocked[*output] > 0;
        let links = (0..blocked.len()).filter(between).map(|output| {
            let (tile, port) = place(output);
            (tile, port, blocked[output])
        });
        let links: Vec<(TileId, Port, u64)> = links.collect();
        Blocked {
            total: links.iter().map(|(_, _, cycles)| cycles).sum(),
            links,
        }
    }

    /// Who waits for whom, by tile and input.
    pub(crate) fn waits(&self) -> Vec<WormholeWait> {
        let mut waits = Vec::new();
        for input in self.filled() {
            for output in ports(self.wanted(input)) {
                let (tile, port) = place(input);
                if let Some(awaited) = self.awaited(input, output) {
                    waits.push(WormholeWait {
                        tile,
                        input: port,
                        packet: self.fifos.front(input).packet(),
                        output: Port::ALL[output],
                        awaited,
                    });
                }
            }
        }
        waits
    }

    fn filled(&self) -> impl Iterator<Item = usize> {
        let inputs = self.fifos.inputs.iter().enumerate();
        inputs
            .filter(|(_, fifo)| fifo.len > 0)
            .map(|(input, _)| input)
    }

    /// Outputs that the front of an input wants or holds: none where nothing is configured for it.
    fn wanted(&self, input: usize) -> u8 {
        self.fifos.inputs[input].outputs
    }

    /// What the front of an input waits for at an output; none if it takes the front, or would be granted.
    fn awaited(&self, input: usize, output: usize) -> Option<Awaited> {
        let tile = input / INPUTS_PER_TILE;
        if !self.fifos.inputs[input].is_holding {
            if self.held[tile] >> output & 1 == 0 {
                return None;
            }
            // Flits of the packet may be elsewhere; it holds the output until its tail has passed.
            let base = tile * INPUTS_PER_TILE;
            let holds = |input: &usize| {
                let fifo = self.fifos.inputs[*input];
                fifo.is_holding && fifo.outputs >> output & 1 != 0
            };
            let holder = (base..base + PORTS).find(holds)?;
            return Some(Awaited::Packet(self.holders[holder]));
        }
        if output == LOCAL {
            return Some(Awaited::Tile);
        }
        let behind = self.behind(tile, output);
        let is_full = !self.fifos.has_space(behind);
        is_full.then(|| Awaited::Packet(self.fifos.front(behind).packet()))
    }
}

fn place(output: usize) -> (TileId, Port) {
    let tile = TileId((output / INPUTS_PER_TILE) as u32);
    (tile, Port::ALL[(output % INPUTS_PER_TILE).min(LOCAL)])
}

// The input FIFOs of all routers: a record per input, and all slots in one vector.
//
// An input is `tile * INPUTS_PER_TILE + port`. The stride is a power of two so that tile and port are found by shifts, and
// five records of a tile stand together: the loop over flits reads nothing else of an input but one slot.

/// Stride of inputs, and of outputs: a power of two not below [`super::PORTS`].
pub(super) const INPUTS_PER_TILE: usize = 8;

/// Larger FIFOs than any network's; the lengths of records have 16 bits.
const MAX_FIFO_FLITS: u32 = 1 << 15;

/// An input of a router.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Input {
    /// The first cycle in which the front could move if nothing stood in its path.
    pub since: u64,
    pub first: u16,
    pub len: u16,
    /// Outputs that the front wants, or that its packet holds.
    pub outputs: u8,
    /// Are the outputs granted, or configured?
    pub is_holding: bool,
}

/// FIFOs by input.
#[derive(Debug)]
pub(super) struct Fifos {
    pub(super) inputs: Vec<Input>,
    pub(super) slots: Vec<WormholeFlit>,
    /// Cycle from which the flit of a slot may leave; unused where a link takes one cycle.
    pub(super) arrivals: Vec<u64>,
    /// Slots per FIFO are two to this power.
    pub(super) shift: u32,
    pub(super) mask: u16,
    pub(super) link_flits: u16,
    pub(super) local_flits: u16,
    pub(super) is_delayed: bool,
}

impl Fifos {
    pub(super) fn new(num_tiles: usize, params: &Params) -> Self {
        let size = |flits: u32| flits.clamp(1, MAX_FIFO_FLITS) as u16;
        let link_flits = size(params.input_fifo_flits);
        let local_flits = size(params.local_fifo_flits);
        let stride = usize::from(link_flits.max(local_flits)).next_power_of_two();
        let inputs = num_tiles * INPUTS_PER_TILE;
        let slots = inputs * stride;
        let is_delayed = params.hop_cycles > 1;
        Self {
            inputs: vec![Input::default(); inputs],
            slots: vec![WormholeFlit::NONE; slots],
            arrivals: vec![0; if is_delayed { slots } else { 0 }],
            shift: stride.trailing_zeros(),
            mask: (stride - 1) as u16,
            link_flits,
            local_flits,
            is_delayed,
        }
    }

    /// Has the FIFO of a link space?
    #[inline]
    pub(super) fn has_space(&self, input: usize) -> bool {
        self.inputs[input].len < self.link_flits
    }

    /// Has the FIFO between a tile's endpoint and its router space?
    #[inline]
    pub(super) fn has_local_space(&self, tile: usize) -> bool {
        self.inputs[tile * INPUTS_PER_TILE + LOCAL].len < self.local_flits
    }

    /// The flit that leaves next; meaningless if there is none.
    #[inline]
    pub(super) fn front(&self, input: usize) -> WormholeFlit {
        self.slots[input << self.shift | usize::from(self.inputs[input].first)]
    }

    /// Puts a flit behind the others; `arrival` is the cycle from which it may leave. True if it is the only one.
    #[inline]
    pub(super) fn push(&mut self, input: usize, flit: WormholeFlit, arrival: u64) -> bool {
        let fifo = &mut self.inputs[input];
        let len = fifo.len;
        debug_assert!(len <= self.mask, "whoever pushes has asked for space");
        let slot = input << self.shift | usize::from((fifo.first + len) & self.mask);
        fifo.len = len + 1;
        self.slots[slot] = flit;
        if self.is_delayed {
            self.arrivals[slot] = arrival;
        }
        len == 0
    }

    /// Takes the front; the FIFO is not empty.
    #[inline]
    pub(super) fn pop(&mut self, input: usize) -> WormholeFlit {
        let fifo = &mut self.inputs[input];
        let slot = input << self.shift | usize::from(fifo.first);
        fifo.first = (fifo.first + 1) & self.mask;
        fifo.len -= 1;
        self.slots[slot]
    }

    /// From when the front may leave, in cycle `earliest` at the earliest.
    #[inline]
    pub(super) fn ready(&self, input: usize, earliest: u64) -> u64 {
        if !self.is_delayed {
            return earliest;
        }
        let slot = input << self.shift | usize::from(self.inputs[input].first);
        self.arrivals[slot].max(earliest)
    }
}
