// SPDX-License-Identifier: Apache-2.0
//! Ranges of blocks ("partitions"), so that several threads can work on one cycle.
//!
//! A cycle has three phases in which blocks cannot disturb each other: each phase reads what earlier ones
//! have left and writes registers of its own blocks only.
//!
//! | phase | reads of other blocks | writes |
//! |---|---|---|
//! | [`Evaluate`] | which inputs are full | arbitration, flits that leave over links |
//! | [`Receive`] | leaving flits | input FIFOs |
//! | [`Switch`](crate::router::collective::phases::switch::Switch) | nothing | output FIFOs, heads of inputs |
//!
//! What touches the rest of the simulation (merge units, sets of active blocks, published routers) goes
//! into lists that the main thread works off in ascending order between the phases. So results do not
//! depend on how many partitions there are, and one thread runs the same code over a single partition.

use crate::kernel::bit_set::BitSet;
use crate::kernel::threads::Phase;
use crate::router::collective::control::block::{
    Block, LANES, LOCAL, PORTS, Restriction, SLOTS, Shift, slot_at,
};
use crate::router::collective::fifo::link_stages::LinksPart;
use crate::router::collective::fifo::store::FlitEntry;
use crate::router::collective::fifo::tails::TailsPart;
use crate::router::collective::fork::requests::{Forks, route};
use crate::router::collective::phases::sizes::{May, Sizes};
use crate::router::published::packets::PublishedPackets;
use crate::transport::flit::Packed;
use crate::transport::transaction::Trees;

/// One range of blocks of a plane, and what its phases leave for the main thread.
#[derive(Debug, Default)]
pub(crate) struct Partition {
    pub first: usize,
    len: usize,
    /// Blocks with flits at Local outputs.
    pub offering: Vec<u32>,
    /// Blocks whose merge units have to be looked at before arbitration.
    pub(super) deferred: Vec<u32>,
    /// Blocks that hold nothing any more.
    pub(super) emptied: Vec<u32>,
    /// Blocks that have received flits.
    pub(super) woken: Vec<u32>,
    /// Value mode: inputs whose heads have forked, per block.
    pub(super) forked: Vec<(u32, [u64; PORTS])>,
    /// Published routers: moves, for the main thread to follow their packets.
    pub moves: Vec<Move>,
    /// Blocks, of this partition or not, that receive flits from this partition in this cycle.
    pub(super) receiving: Vec<u64>,
    pub flit_hops: u64,
}

/// A flit that has passed the switch of a router.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Move {
    pub flit: Packed,
    pub router: u32,
    pub input: u8,
    pub out: u8,
}

/// Cuts `blocks` blocks into at most `count` partitions of nearly equal length.
pub(crate) fn partitions(blocks: usize, count: usize) -> Vec<Partition> {
    let count = count.clamp(1, blocks.max(1));
    let bound = |i: usize| blocks * i / count;
    let partition = |i: usize| Partition {
        first: bound(i),
        len: bound(i + 1) - bound(i),
        receiving: vec![0; blocks.div_ceil(64)],
        ..Partition::default()
    };
    (0..count).map(partition).collect()
}

impl Partition {
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Members of a set of blocks that lie in this partition, in ascending order.
    pub(crate) fn members<'s>(&self, set: &'s BitSet) -> impl Iterator<Item = usize> + use<'s> {
        let mut next = self.first;
        let end = self.first + self.len;
        std::iter::from_fn(move || {
            let found = set.next_member(next).filter(|w| *w < end)?;
            next = found + 1;
            Some(found)
        })
    }
}

/// Which flits move: arbitration, and the flits that leave over links.
pub(crate) struct Evaluate<'a, S: Sizes> {
    pub(super) partition: &'a mut Partition,
    /// Index of the first block of the slices.
    pub first: usize,
    pub blocks: &'a mut [Block],
    pub leaving: &'a mut [[u64; 4]],
    pub leaving_slot: &'a mut [[u64; 4]],
    pub in_full: &'a [[u64; PORTS]],
    pub active: &'a BitSet,
    pub shifts: &'a [Shift; 4],
    /// Outputs of other depths than two.
    pub outputs: S::May<TailsPart<'a>>,
    /// Links of more than a cycle.
    pub links: S::May<LinksPart<'a>>,
    pub is_value: bool,
    /// Published routers: packets restrict the arbitration of every block.
    pub(super) defers_all: bool,
}

impl<S: Sizes> Phase for Evaluate<'_, S> {
    fn run(mut self) {
        for w in self.partition.members(self.active) {
            let block = &self.blocks[w - self.first];
            if block.out_any[LOCAL] != 0 {
                self.partition.offering.push(w as u32);
            }
            if self.defers_all || block.units() != 0 {
                self.partition.deferred.push(w as u32);
            } else {
                self.evaluate_block(w, None);
            }
        }
    }
}

impl<S: Sizes> Evaluate<'_, S> {
    /// Decides the moves of one block.
    pub(crate) fn evaluate_block(&mut self, w: usize, published: Option<&PublishedPackets>) {
        let at = w - self.first;
        let block = &mut self.blocks[at];
        if block.is_empty() && self.links.get().is_none_or(|links| links.is_empty(at)) {
            self.partition.emptied.push(w as u32);
        }
        let staged = self.links.get().map(|links| links.offers(at));
        let offers = staged.as_ref().map_or(&block.out_any[..4], |(any, _)| any);
        let mut leaving = [0; 4];
        for (port, shift) in self.shifts.iter().enumerate() {
            let offered = offers[port];
            if offered != 0 {
                let full = shift.seen_from_neighbours(self.in_full, w, (port + 2) & 3);
                leaving[port] = offered & !full;
            }
        }
        let forked = block.arbitrate(published.map(|p| Restriction {
            blocked: &p.taken[w],
            holds: &p.holds[w],
        }));
        self.leaving[at] = leaving;
        if let Some((_, heads)) = staged {
            self.leaving_slot[at] = heads;
            self.advance_links(at, &leaving);
        }
        let block = &mut self.blocks[at];
        for (port, shift) in self.shifts.iter().enumerate() {
            if leaving[port] != 0 {
                if staged.is_none() {
                    self.leaving_slot[at][port] = block.out_head[port];
                    match self.outputs.get_mut() {
                        None => block.pop_outputs(port, leaving[port]),
                        Some(outputs) => outputs.pop_outputs(block, at, port, leaving[port]),
                    }
                }
                let (first, reaches_next) = shift.reached(w);
                for b in first..=first + isize::from(reaches_next) {
                    if let Some(word) = self.partition.receiving.get_mut((b >> 6) as usize) {
                        *word |= 1 << (b & 63);
                    }
                }
            }
        }
        if self.is_value && forked.iter().any(|f| *f != 0) {
            self.partition.forked.push((w as u32, forked));
        }
    }

    /// Flits pass from stage to stage of long links, and from the output FIFOs into the first stages.
    fn advance_links(&mut self, at: usize, leaving: &[u64; 4]) {
        let Some(links) = self.links.get_mut() else {
            return;
        };
        let block = &mut self.blocks[at];
        let left = links.advance(at, (&block.out_any, &block.out_head), leaving);
        for (port, lanes) in left.into_iter().enumerate() {
            match self.outputs.get_mut() {
                None => block.pop_outputs(port, lanes),
                Some(outputs) => outputs.pop_outputs(block, at, port, lanes),
            }
        }
    }
}

/// Flits that neighbours send enter the input FIFOs and are routed.
pub(crate) struct Receive<'a, S: Sizes> {
    pub(super) partition: &'a mut Partition,
    pub blocks: &'a mut [Block],
    pub in_full: &'a mut [[u64; PORTS]],
    pub input: &'a mut [FlitEntry],
    pub entered: &'a mut [[u32; 4]],
    pub(super) receiving: &'a [u64],
    pub leaving: &'a [[u64; 4]],
    pub leaving_slot: &'a [[u64; 4]],
    /// Slots that flits leave: of the output FIFOs, or of the last stages of long links.
    pub output: &'a [FlitEntry],
    pub coords: &'a [u32],
    pub shifts: &'a [Shift; 4],
    /// Inputs of other depths than two.
    pub inputs: S::May<TailsPart<'a>>,
    pub trees: &'a Trees,
}

impl<S: Sizes> Phase for Receive<'_, S> {
    fn run(mut self) {
        let (first, end) = (
            self.partition.first,
            self.partition.first + self.partition.len,
        );
        for word in first / 64..end.div_ceil(64) {
            let mut rest = self.receiving[word];
            while rest != 0 {
                let w = word * 64 + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                // A block beyond the last column is only marked, never sent to.
                if (first..end).contains(&w) {
                    self.receive(w);
                }
            }
        }
    }
}

impl<S: Sizes> Receive<'_, S> {
    fn receive(&mut self, w: usize) {
        let at = w - self.partition.first;
        let coords = &self.coords[w * LANES..][..LANES];
        let mut received = 0;
        for (port, shift) in self.shifts.iter().enumerate() {
            let from = (port + 2) & 3;
            let arriving = shift.seen_from_neighbours(self.leaving, w, from);
            if arriving == 0 {
                continue;
            }
            received |= arriving;
            self.partition.flit_hops += u64::from(arriving.count_ones());
            let sources = shift.seen_from_neighbours(self.leaving_slot, w, from);
            let targets = self.blocks[at].input_slots(port);
            let into = &mut self.input[(at * PORTS + port) * SLOTS..][..SLOTS];
            let entered = &mut self.entered[at * LANES..][..LANES];
            let (mut wants, mut forks) = ([0; PORTS + 1], Forks::NONE);
            let mut rest = arriving;
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize % LANES;
                rest &= rest - 1;
                let source = (w * LANES + lane).wrapping_add_signed(shift.tiles);
                let slot = (sources >> lane & 1) as usize;
                let flit = self.output[slot_at(source, from, slot)];
                let target = (targets >> lane & 1) as usize;
                if let Some(inputs) = self.inputs.get_mut() {
                    inputs.place((at, port, lane), into, target, flit);
                } else {
                    into[target * LANES + lane] = flit;
                }
                entered[lane][port] += 1;
                let here = coords[lane];
                route(&mut wants, &mut forks, lane, port, here, flit, self.trees);
            }
            if forks.any {
                forks.add_to(&mut wants);
            }
            let (block, full) = (&mut self.blocks[at], &mut self.in_full[at][port]);
            if let Some(inputs) = self.inputs.get_mut() {
                inputs.enter(block, full, (at, port), arriving, &wants);
            } else {
                block.push_inputs(port, full, arriving, &wants);
            }
        }
        if received != 0 {
            self.partition.woken.push(w as u32);
        }
    }
}
