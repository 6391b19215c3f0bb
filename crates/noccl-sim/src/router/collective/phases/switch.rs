// SPDX-License-Identifier: Apache-2.0
//! The third phase of a cycle: granted heads pass the switches of a range of blocks.

use crate::kernel::bit_set::BitSet;
use crate::kernel::threads::Phase;
use crate::router::collective::control::block::{Block, LANES, LOCAL, PORTS, RESULT, SLOTS};
use crate::router::collective::fifo::store::{FlitEntry, FlitStore};
use crate::router::collective::fifo::tails::TailsPart;
use crate::router::collective::phases::partition::{Move, Partition};
use crate::router::collective::phases::sizes::{May, Sizes};

/// Granted heads pass from the inputs to the output FIFOs; what stood behind them makes its requests.
pub(crate) struct Switch<'a, S: Sizes> {
    pub(super) partition: &'a mut Partition,
    pub blocks: &'a mut [Block],
    pub in_full: &'a mut [[u64; PORTS]],
    pub input: &'a mut [FlitEntry],
    pub output: &'a mut [FlitEntry],
    /// FIFOs of other depths than two.
    pub deep: S::May<DeepPart<'a>>,
    pub flits: &'a FlitStore,
    pub active: &'a BitSet,
    /// Published routers: moves are told to whom follows their packets.
    pub(super) tells_moves: bool,
    /// Is a delivered beat no more than its checksum?
    pub(super) counts_deliveries: bool,
}

/// FIFOs of other depths than two of a range of blocks.
pub(crate) struct DeepPart<'a> {
    pub inputs: TailsPart<'a>,
    pub outputs: TailsPart<'a>,
    /// Per router: the result that passes the switch.
    pub results: &'a [FlitEntry],
}

impl DeepPart<'_> {
    /// Takes the first `len` blocks off.
    pub(crate) fn cut(&mut self, len: usize) -> Self {
        let results;
        (results, self.results) = self.results.split_at(len * LANES);
        Self {
            inputs: self.inputs.cut(len),
            outputs: self.outputs.cut(len),
            results,
        }
    }
}

impl<S: Sizes> Phase for Switch<'_, S> {
    fn run(mut self) {
        for w in self.partition.members(self.active) {
            if self.deep.get().is_some() {
                self.switch_deep(w);
                continue;
            }
            if self.tells_moves {
                self.switch::<true>(w);
            } else {
                self.switch::<false>(w);
            }
            self.pop_passed(w);
        }
    }
}

impl<S: Sizes> Switch<'_, S> {
    fn switch<const TELLS: bool>(&mut self, w: usize) {
        let at = w - self.partition.first;
        let block = &mut self.blocks[at];
        let input = &self.input[at * PORTS * SLOTS..][..PORTS * SLOTS];
        let mut only_delivered = 0;
        for out in 0..PORTS {
            let lanes = std::mem::take(&mut block.switched[out]);
            if lanes == 0 {
                continue;
            }
            let mut rest = lanes;
            let targets = block.push_outputs(out, lanes);
            let output = &mut self.output[(at * PORTS + out) * SLOTS..][..SLOTS];
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize % LANES;
                rest &= rest - 1;
                let source = block.source(out, lane);
                let target = (targets >> lane & 1) as usize * LANES + lane;
                // A result stands in its slot since it was granted.
                if source != RESULT {
                    let slot = (block.in_head[source & 7] >> lane & 1) as usize;
                    let flit = input[source * SLOTS + slot * LANES + lane];
                    output[target] = flit;
                    if out == LOCAL && self.counts_deliveries {
                        only_delivered |= u64::from(flit.is_only_delivered()) << lane;
                    }
                }
                if TELLS {
                    self.partition.moves.push(Move {
                        flit: self.flits.get(output[target]),
                        router: (w * LANES + lane) as u32,
                        input: source as u8,
                        out: out as u8,
                    });
                }
            }
            if out == LOCAL {
                block.note_delivery(lanes, targets, only_delivered);
            }
        }
    }

    /// Both, for FIFOs of other depths than two.
    fn switch_deep(&mut self, w: usize) {
        let at = w - self.partition.first;
        let Some(deep) = self.deep.get_mut() else {
            return;
        };
        let block = &mut self.blocks[at];
        for out in 0..PORTS {
            let output = &mut self.output[(at * PORTS + out) * SLOTS..][..SLOTS];
            deep.outputs.move_up(block, output, at, out);
            let mut rest = std::mem::take(&mut block.switched[out]);
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let source = block.source(out, lane);
                let flit = if source == RESULT {
                    deep.results[at * LANES + lane]
                } else {
                    let slot = (block.in_head[source & 7] >> lane & 1) as usize;
                    self.input[(at * PORTS + source) * SLOTS + slot * LANES + lane]
                };
                let may_deliver = source != RESULT && out == LOCAL && self.counts_deliveries;
                let only_delivered = may_deliver && flit.is_only_delivered();
                deep.outputs
                    .append(block, output, (at, out, lane), flit, only_delivered);
                if self.tells_moves {
                    self.partition.moves.push(Move {
                        flit: self.flits.get(flit),
                        router: (w * LANES + lane) as u32,
                        input: source as u8,
                        out: out as u8,
                    });
                }
            }
        }
        for port in 0..PORTS {
            let popped = std::mem::take(&mut block.popped[port]);
            if popped != 0 {
                let slots = &mut self.input[(at * PORTS + port) * SLOTS..][..SLOTS];
                let full = &mut self.in_full[at][port];
                deep.inputs.leave(block, full, slots, (at, port), popped);
            }
        }
    }

    fn pop_passed(&mut self, w: usize) {
        let at = w - self.partition.first;
        let block = &mut self.blocks[at];
        for port in 0..PORTS {
            let popped = std::mem::take(&mut block.popped[port]);
            if popped != 0 {
                block.pop_inputs(port, &mut self.in_full[at][port], popped);
            }
        }
    }
}
