// SPDX-License-Identifier: Apache-2.0
//! The input FIFOs of all routers, in one vector of slots.

use super::flit::Flit;
use super::{LOCAL, PORTS, Params};

/// FIFOs by input: `tile * PORTS + port`.
#[derive(Debug)]
pub(super) struct Fifos {
    slots: Vec<Flit>,
    /// Cycle from which the flit of a slot may leave, its low bits; unused where a link takes one cycle.
    arrivals: Vec<u32>,
    first: Vec<u32>,
    len: Vec<u32>,
    /// Slots per FIFO.
    stride: u32,
    link_flits: u32,
    local_flits: u32,
    is_delayed: bool,
}

impl Fifos {
    pub(super) fn new(num_tiles: usize, params: &Params) -> Self {
        let (link_flits, local_flits) = (params.input_fifo_flits, params.local_fifo_flits);
        let stride = link_flits.max(local_flits);
        let inputs = num_tiles * PORTS;
        let slots = inputs * stride as usize;
        let is_delayed = params.hop_cycles > 1;
        Self {
            slots: vec![Flit::NONE; slots],
            arrivals: vec![0; if is_delayed { slots } else { 0 }],
            first: vec![0; inputs],
            len: vec![0; inputs],
            stride,
            link_flits,
            local_flits,
            is_delayed,
        }
    }

    /// Has the FIFO of a link space?
    #[inline]
    pub(super) fn has_space(&self, input: usize) -> bool {
        self.len[input] < self.link_flits
    }

    /// Has the FIFO between a tile's endpoint and its router space?
    #[inline]
    pub(super) fn has_local_space(&self, tile: usize) -> bool {
        self.len[tile * PORTS + LOCAL] < self.local_flits
    }

    #[inline]
    pub(super) fn is_empty(&self, input: usize) -> bool {
        self.len[input] == 0
    }

    /// The flit that leaves next; meaningless if there is none.
    #[inline]
    pub(super) fn front(&self, input: usize) -> Flit {
        self.slots[self.slot(input, 0)]
    }

    /// Puts a flit behind the others; `arrival` is the cycle from which it may leave. True if it is the only one.
    #[inline]
    pub(super) fn push(&mut self, input: usize, flit: Flit, arrival: u64) -> bool {
        let len = self.len[input];
        debug_assert!(len < self.stride, "whoever pushes has asked for space");
        let slot = self.slot(input, len);
        self.slots[slot] = flit;
        if self.is_delayed {
            self.arrivals[slot] = arrival as u32;
        }
        self.len[input] = len + 1;
        len == 0
    }

    /// Takes the front; the FIFO is not empty.
    #[inline]
    pub(super) fn pop(&mut self, input: usize) -> Flit {
        let flit = self.front(input);
        let next = self.first[input] + 1;
        self.first[input] = if next == self.stride { 0 } else { next };
        self.len[input] -= 1;
        flit
    }

    /// From when the front may leave, at the earliest in cycle `earliest`.
    #[inline]
    pub(super) fn ready(&self, input: usize, earliest: u64) -> u64 {
        if !self.is_delayed {
            return earliest;
        }
        let arrival = self.arrivals[self.slot(input, 0)];
        // A link takes far less than half the range of 32 bits.
        let later = arrival.wrapping_sub(earliest as u32) as i32;
        earliest + u64::from(later.max(0) as u32)
    }

    #[inline]
    fn slot(&self, input: usize, behind: u32) -> usize {
        let place = self.first[input] + behind;
        let place = if place >= self.stride {
            place - self.stride
        } else {
            place
        };
        input * self.stride as usize + place as usize
    }
}
