// SPDX-License-Identifier: Apache-2.0
//! FIFOs of other depths than two.
//!
//! The bit planes of a [`Block`] hold the first two flits of a FIFO whatever its depth is, so heads, requests and arbitration
//! do not depend on it. What stands behind these two waits in a queue and moves up in the cycle in which the head leaves.
//! "Full", as neighbours, interfaces and arbiters see it, is then something else than "two flits". A plane whose FIFOs all have two
//! slots has nothing of this: there both are one bit.
//!
//! As in `noccl_fifo` of the hardware a full FIFO takes no flit, even in the cycle in which its head leaves. So one slot
//! moves a flit in two cycles at most.

use crate::kernel::bit_set::bits;
use crate::router::collective::control::block::{Block, LANES, LOCAL, PORTS, SLOTS, Wants, cut};
use crate::router::collective::fifo::store::{FlitEntry, empty_slots};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A flit that stands behind the first two.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Behind {
    flit: FlitEntry,
    /// Inputs: what it asks for as a head, a bit set. Outputs: whether it is a beat that is only delivered.
    note: u8,
}

/// The inputs' or the outputs' FIFOs of a plane.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Tails {
    depth: usize,
    /// FIFOs with two flits or more.
    two: Vec<[u64; PORTS]>,
    /// FIFOs with more than two, until those behind have moved up.
    more: Vec<[u64; PORTS]>,
    /// Flits behind the first two, by block, port and lane.
    queues: Vec<VecDeque<Behind>>,
}

/// What a plane needs if its FIFOs have not two slots.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct DeepFifos {
    pub inputs: Tails,
    pub outputs: Tails,
    /// Per router: the unit's result that passes the switch in this cycle.
    pub results: Vec<FlitEntry>,
}

impl DeepFifos {
    pub(crate) fn new(blocks: usize, input_flits: usize, output_flits: usize) -> Self {
        Self {
            inputs: Tails::new(blocks, input_flits),
            outputs: Tails::new(blocks, output_flits),
            results: empty_slots(blocks * LANES),
        }
    }

    pub(crate) const fn side(&self, is_input: bool) -> &Tails {
        if is_input {
            &self.inputs
        } else {
            &self.outputs
        }
    }

    /// Are both as many FIFOs of the same depths?
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.inputs.is_like(&other.inputs)
            && self.outputs.is_like(&other.outputs)
            && self.results.len() == other.results.len()
    }
}

impl Tails {
    fn new(blocks: usize, depth: usize) -> Self {
        Self {
            depth,
            two: vec![[0; PORTS]; blocks],
            more: vec![[0; PORTS]; blocks],
            queues: vec![VecDeque::new(); blocks * PORTS * LANES],
        }
    }

    fn is_like(&self, other: &Self) -> bool {
        let sizes = |t: &Self| (t.depth, t.two.len(), t.more.len(), t.queues.len());
        sizes(self) == sizes(other)
    }

    /// FIFOs with two flits or more.
    pub(crate) fn two(&self) -> &[[u64; PORTS]] {
        &self.two
    }

    /// Flits of a FIFO behind the first two.
    pub(crate) fn behind(&self, r: usize, port: usize) -> impl Iterator<Item = FlitEntry> + '_ {
        let queue = &self.queues[(r / LANES * PORTS + port) * LANES + r % LANES];
        queue.iter().map(|behind| behind.flit)
    }

    /// All of them, to be cut into partitions.
    pub(crate) fn whole(&mut self) -> TailsPart<'_> {
        TailsPart {
            depth: self.depth,
            two: &mut self.two,
            more: &mut self.more,
            queues: &mut self.queues,
        }
    }
}

/// The FIFOs of a range of blocks.
pub(crate) struct TailsPart<'a> {
    depth: usize,
    two: &'a mut [[u64; PORTS]],
    more: &'a mut [[u64; PORTS]],
    queues: &'a mut [VecDeque<Behind>],
}

impl<'a> TailsPart<'a> {
    /// Takes the first `len` blocks off.
    pub(crate) fn cut(&mut self, len: usize) -> Self {
        Self {
            depth: self.depth,
            two: cut(&mut self.two, len),
            more: cut(&mut self.more, len),
            queues: cut(&mut self.queues, len * PORTS * LANES),
        }
    }

    fn queue(&mut self, at: usize, port: usize, lane: usize) -> &mut VecDeque<Behind> {
        &mut self.queues[(at * PORTS + port) * LANES + lane]
    }

    /// Of FIFOs that have just taken a flit, those without a free slot; `any` are those with a flit.
    fn full(&self, at: usize, port: usize, lanes: u64, any: u64) -> u64 {
        match self.depth {
            1 => lanes & any,
            2 => lanes & self.two[at][port],
            depth => {
                let queues = &self.queues[(at * PORTS + port) * LANES..][..LANES];
                let is_full = |lane: &usize| queues[*lane].len() + 2 == depth;
                let full = bits(lanes & self.more[at][port]).filter(is_full);
                full.fold(0, |set, lane| set | 1 << lane)
            }
        }
    }

    /// The next flit of a FIFO moves up behind its head.
    fn next(&mut self, at: usize, port: usize, lane: usize) -> Option<Behind> {
        let queue = self.queue(at, port, lane);
        let next = queue.pop_front();
        if queue.is_empty() {
            self.more[at][port] &= !(1 << lane);
        }
        next
    }

    /// A flit that comes over a link takes its place, in its slot or behind two others. [`TailsPart::enter`] follows for
    /// all that come.
    pub(crate) fn place(
        &mut self,
        (at, port, lane): (usize, usize, usize),
        slots: &mut [FlitEntry],
        slot: usize,
        flit: FlitEntry,
    ) {
        if self.two[at][port] >> lane & 1 != 0 {
            let behind = Behind { flit, note: 0 };
            self.queue(at, port, lane).push_back(behind);
        } else {
            slots[slot * LANES + lane] = flit;
        }
    }

    /// Occupancy and requests after flits that want `wants` have taken their places in inputs.
    pub(crate) fn enter(
        &mut self,
        block: &mut Block,
        full: &mut u64,
        (at, port): (usize, usize),
        lanes: u64,
        wants: &Wants,
    ) {
        let behind = lanes & self.two[at][port];
        block.push_inputs(port, &mut self.two[at][port], lanes & !behind, wants);
        for lane in bits(behind) {
            if let Some(last) = self.queue(at, port, lane).back_mut() {
                last.note = wanted(wants, lane);
            }
        }
        self.more[at][port] |= behind;
        *full |= self.full(at, port, lanes, block.in_any[port]);
    }

    /// Heads of inputs leave, and what stands behind them moves up; `slots` are those of the port.
    pub(crate) fn leave(
        &mut self,
        block: &mut Block,
        full: &mut u64,
        slots: &mut [FlitEntry],
        (at, port): (usize, usize),
        lanes: u64,
    ) {
        block.pop_inputs(port, &mut self.two[at][port], lanes);
        *full &= !lanes;
        for lane in bits(lanes & self.more[at][port]) {
            if let Some(next) = self.next(at, port, lane) {
                let slot = (block.input_slots(port) >> lane & 1) as usize;
                slots[slot * LANES + lane] = next.flit;
                let wants = wants_of(next.note, lane);
                block.push_inputs(port, &mut self.two[at][port], 1 << lane, &wants);
            }
        }
    }

    /// Heads of outputs leave. What stands behind them moves up in the third phase only ([`TailsPart::move_up`]), as a
    /// neighbour still reads the slots in the second.
    pub(crate) fn pop_outputs(&mut self, block: &mut Block, at: usize, out: usize, lanes: u64) {
        let two = &mut self.two[at][out];
        block.take_outputs(out, *two, lanes);
        *two &= !lanes;
    }

    /// Flits of outputs move up where a head has left; `slots` are those of the port.
    pub(crate) fn move_up(
        &mut self,
        block: &mut Block,
        slots: &mut [FlitEntry],
        at: usize,
        out: usize,
    ) {
        for lane in bits(self.more[at][out] & !self.two[at][out]) {
            if let Some(next) = self.next(at, out, lane) {
                self.store(block, slots, (at, out, lane), next);
            }
        }
    }

    /// A flit enters an output; `slots` are those of the port.
    pub(crate) fn append(
        &mut self,
        block: &mut Block,
        slots: &mut [FlitEntry],
        (at, out, lane): (usize, usize, usize),
        flit: FlitEntry,
        only_delivered: bool,
    ) {
        let note = u8::from(only_delivered);
        let behind = Behind { flit, note };
        if self.two[at][out] >> lane & 1 != 0 {
            self.queue(at, out, lane).push_back(behind);
            self.more[at][out] |= 1 << lane;
        } else {
            self.store(block, slots, (at, out, lane), behind);
        }
        block.out_full[out] |= self.full(at, out, 1 << lane, block.out_any[out]);
    }

    /// A flit becomes one of the first two of an output.
    fn store(
        &mut self,
        block: &mut Block,
        slots: &mut [FlitEntry],
        (at, out, lane): (usize, usize, usize),
        flit: Behind,
    ) {
        debug_assert_eq!(slots.len(), SLOTS);
        let bit = 1 << lane;
        let targets = block.out_head[out] ^ block.out_any[out];
        slots[(targets >> lane & 1) as usize * LANES + lane] = flit.flit;
        self.two[at][out] |= bit & block.out_any[out];
        block.out_any[out] |= bit;
        if out == LOCAL {
            block.note_delivery(bit, targets, u64::from(flit.note) << lane);
        }
    }
}

/// What the flit of one lane wants, as a bit set.
fn wanted(wants: &Wants, lane: usize) -> u8 {
    let bits = wants.iter().enumerate();
    bits.fold(0, |set, (i, want)| set | ((want >> lane & 1) as u8) << i)
}

/// The reverse of [`wanted`].
fn wants_of(set: u8, lane: usize) -> Wants {
    std::array::from_fn(|i| u64::from(set >> i & 1) << lane)
}
