// SPDX-License-Identifier: Apache-2.0
//! Links that a flit crosses in more than one cycle.
//!
//! Each cycle beyond the first is a register stage of two slots with valid and ready, a FIFO of depth two as at the ports of a router: it
//! passes a flit per cycle and no signal crosses it within a cycle. The stages of a link belong to the block of the router
//! that sends over it; the last one stands where the output FIFO would stand: its head enters the neighbour's input.

use crate::router::collective::control::block::{LANES, PORTS, SLOTS, cut, slot_at};
use crate::router::collective::fifo::store::{FlitEntry, empty_slots};
use serde::{Deserialize, Serialize};

/// One stage of the links of 64 routers.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Registers {
    /// Links with at least one flit here, with two, and the slot of the head.
    any: [u64; 4],
    full: [u64; 4],
    head: [u64; 4],
}

impl Registers {
    /// Heads leave.
    const fn pop(&mut self, port: usize, lanes: u64) {
        self.head[port] ^= lanes;
        self.any[port] &= !(lanes & !self.full[port]);
        self.full[port] &= !lanes;
    }

    /// Flits come. Returns their slots.
    const fn push(&mut self, port: usize, lanes: u64) -> u64 {
        let slots = self.head[port] ^ self.any[port];
        self.full[port] |= lanes & self.any[port];
        self.any[port] |= lanes;
        slots
    }
}

/// Register stages of the links of a plane, all of one length.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct LinkStages {
    /// Stages by block, then from the sender on.
    registers: Vec<Registers>,
    /// Their flits by stage, block, port, lane and slot.
    flits: Vec<Vec<FlitEntry>>,
}

impl LinkStages {
    /// Links of so many cycles, at least two.
    pub(crate) fn new(blocks: usize, link_cycles: usize) -> Self {
        let stages = link_cycles - 1;
        Self {
            registers: vec![Registers::default(); blocks * stages],
            flits: (0..stages)
                .map(|_| empty_slots(blocks * PORTS * SLOTS))
                .collect(),
        }
    }

    /// Slots of the last stages.
    pub(crate) fn last(&self) -> &[FlitEntry] {
        self.flits.last().map_or(&[], |slots| slots)
    }

    /// Links behind an output of a block that hold a flit.
    pub(crate) fn held(&self, w: usize, port: usize) -> u64 {
        let stages = self.flits.len();
        let own = &self.registers[w * stages..][..stages];
        own.iter().fold(0, |held, stage| held | stage.any[port])
    }

    /// Are both links of the same length between as many routers?
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let sizes = |links: &Self| {
            let slots: Vec<usize> = links.flits.iter().map(Vec::len).collect();
            (links.registers.len(), slots)
        };
        sizes(self) == sizes(other)
    }

    /// Flits on the link behind an output, in no order.
    pub(crate) fn on_link(&self, r: usize, port: usize) -> impl Iterator<Item = FlitEntry> + '_ {
        let (w, lane, stages) = (r / LANES, r % LANES, self.flits.len());
        (0..stages).flat_map(move |stage| {
            let at = self.registers[w * stages + stage];
            let bit = |plane: u64| (plane >> lane & 1) as usize;
            let len = bit(at.any[port]) + bit(at.full[port]);
            let head = bit(at.head[port]);
            let slots = &self.flits[stage];
            (0..len).map(move |i| slots[slot_at(r, port, head ^ i)])
        })
    }

    /// All of them, to be cut into partitions. `output` are the slots of the output FIFOs.
    pub(crate) fn whole<'a>(&'a mut self, output: &'a [FlitEntry]) -> LinksPart<'a> {
        LinksPart {
            registers: &mut self.registers,
            flits: self.flits.iter_mut().map(|slots| &mut slots[..]).collect(),
            output,
        }
    }
}

/// The links that start in a range of blocks.
pub(crate) struct LinksPart<'a> {
    registers: &'a mut [Registers],
    flits: Vec<&'a mut [FlitEntry]>,
    output: &'a [FlitEntry],
}

impl<'a> LinksPart<'a> {
    /// Takes the first `len` blocks off.
    pub(crate) fn cut(&mut self, len: usize) -> Self {
        let slots = len * PORTS * SLOTS;
        let output;
        (output, self.output) = self.output.split_at(slots);
        Self {
            registers: cut(&mut self.registers, len * self.flits.len()),
            flits: self.flits.iter_mut().map(|all| cut(all, slots)).collect(),
            output,
        }
    }

    fn of(&self, at: usize) -> &[Registers] {
        let stages = self.flits.len();
        &self.registers[at * stages..][..stages]
    }

    /// Is nothing on the links of a block?
    pub(crate) fn is_empty(&self, at: usize) -> bool {
        self.of(at).iter().all(|stage| stage.any == [0; 4])
    }

    /// Flits that ask to enter the neighbours' inputs, and the slots that they leave.
    pub(crate) fn offers(&self, at: usize) -> ([u64; 4], [u64; 4]) {
        let last = self.of(at).last();
        last.map_or(([0; 4], [0; 4]), |stage| (stage.any, stage.head))
    }

    /// A cycle of the links of a block. `offered` and `heads` are those of its output FIFOs; `leaving` enter the neighbours' inputs.
    /// Returns the flits that leave the output FIFOs.
    pub(crate) fn advance(
        &mut self,
        at: usize,
        (offered, heads): (&[u64; PORTS], &[u64; PORTS]),
        leaving: &[u64; 4],
    ) -> [u64; 4] {
        let stages = self.flits.len();
        let own = &mut self.registers[at * stages..][..stages];
        let mut left = [0; 4];
        for (port, left) in left.iter_mut().enumerate() {
            let first = at * PORTS * SLOTS + port * SLOTS;
            // From the last stage on: what a stage takes in depends on it alone, as it was before the cycle.
            let mut free = !own[stages - 1].full[port];
            own[stages - 1].pop(port, leaving[port]);
            for stage in (1..stages).rev() {
                let (before, after) = own.split_at_mut(stage);
                let (from, to) = (&mut before[stage - 1], &mut after[0]);
                let moving = from.any[port] & free;
                free = !from.full[port];
                let sources = from.head[port];
                from.pop(port, moving);
                let targets = to.push(port, moving);
                let (before, after) = self.flits.split_at_mut(stage);
                let from = &before[stage - 1][first..][..SLOTS];
                let to = &mut after[0][first..][..SLOTS];
                copy(from, to, moving, sources, targets);
            }
            *left = offered[port] & free;
            let targets = own[0].push(port, *left);
            let from = &self.output[first..][..SLOTS];
            let to = &mut self.flits[0][first..][..SLOTS];
            copy(from, to, *left, heads[port], targets);
        }
        left
    }
}

/// Copies the flits of some lanes from one port's slots to another's.
fn copy(from: &[FlitEntry], to: &mut [FlitEntry], mut lanes: u64, sources: u64, targets: u64) {
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize;
        lanes &= lanes - 1;
        let (source, target) = (
            (sources >> lane & 1) as usize,
            (targets >> lane & 1) as usize,
        );
        to[target * LANES + lane] = from[source * LANES + lane];
    }
}
