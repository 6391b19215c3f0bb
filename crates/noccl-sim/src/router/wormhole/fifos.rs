// SPDX-License-Identifier: Apache-2.0
//! The input FIFOs of all routers: a record per input, and all slots in one vector.
//!
//! An input is `tile * INPUTS_PER_TILE + port`. The stride is a power of two so that tile and port are found by shifts, and
//! five records of a tile stand together: the loop over flits reads nothing else of an input but one slot.

use super::flit::WormholeFlit;
use super::{LOCAL, Params};
use serde::{Deserialize, Serialize};

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
    /// Outputs that the front wants, or that its worm holds.
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
