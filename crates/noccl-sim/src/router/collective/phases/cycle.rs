// SPDX-License-Identifier: Apache-2.0
//! A plane's cycle: its three phases cut into partitions, and what the main thread does between them.

use crate::kernel::bit_set::bits;
use crate::router::collective::context::Context;
use crate::router::collective::control::block::{LANES, PORTS, SLOTS, cut, slot_at};
use crate::router::collective::fifo::link_stages::LinksPart;
use crate::router::collective::fifo::tails::TailsPart;
use crate::router::collective::phases::partition::{Evaluate, Receive};
use crate::router::collective::phases::sizes::{AnySizes, May, Sizes, TwoSlots};
use crate::router::collective::phases::switch::{DeepPart, Switch};
use crate::router::collective::plane::PlaneState;
use crate::router::published::packets::PublishedPackets;
use crate::transport::flit::{Flit, FlitKind};
use crate::transport::transaction::Trees;

impl PlaneState {
    /// The partitions' parts of the first phase.
    pub(crate) fn evaluate_parts<S: Sizes>(
        &mut self,
        is_value: bool,
    ) -> impl Iterator<Item = Evaluate<'_, S>> {
        let (mut blocks, mut leaving) = (&mut self.blocks[..], &mut self.leaving[..]);
        let mut leaving_slot = &mut self.leaving_slot[..];
        let (in_full, active, shifts) = (&self.in_full[..], &self.active, &self.shifts);
        let (mut first, defers_all) = (0, self.published.is_some());
        let (deep, links, output) = (&mut self.deep, &mut self.links, &self.output[..]);
        let mut outputs: S::May<TailsPart<'_>> =
            May::new(|| deep.as_mut().map(|deep| deep.outputs.whole()));
        let mut links: S::May<LinksPart<'_>> =
            May::new(|| links.as_mut().map(|links| links.whole(output)));
        self.partitions.iter_mut().map(move |partition| {
            let len = partition.len();
            first += len;
            Evaluate {
                partition,
                first: first - len,
                blocks: cut(&mut blocks, len),
                leaving: cut(&mut leaving, len),
                leaving_slot: cut(&mut leaving_slot, len),
                in_full,
                active,
                shifts,
                outputs: May::new(|| outputs.get_mut().map(|all| all.cut(len))),
                links: May::new(|| links.get_mut().map(|all| all.cut(len))),
                is_value,
                defers_all,
            }
        })
    }

    /// Before the first phase: registers that only diagnosis and published routers have.
    pub(crate) fn begin(&mut self, cycle: u64) {
        if self.head_ages.is_some() || self.joins.store_full_cycle().is_some() {
            self.note_head_ages(cycle);
        }
        if let Some(published) = &mut self.published {
            published.cycle = cycle;
        }
    }

    /// After the first phase: blocks with merge units, shared payloads, the set of active blocks.
    pub(crate) fn finish_evaluate(&mut self, context: &mut Context<'_>) {
        let mut published = self.published.take();
        for s in 0..self.partitions.len() {
            let mut deferred = std::mem::take(&mut self.partitions[s].deferred);
            for w in deferred.drain(..) {
                let w = w as usize;
                match &mut published {
                    None => self.evaluate_units(w, context),
                    Some(published) => self.evaluate_published_units(w, published, context),
                }
                if self.has_two_slots() {
                    self.evaluate_deferred::<TwoSlots>(
                        w,
                        s,
                        published.as_deref(),
                        context.is_value,
                    );
                } else {
                    self.evaluate_deferred::<AnySizes>(
                        w,
                        s,
                        published.as_deref(),
                        context.is_value,
                    );
                }
                self.take_results(w, context.cycle);
                let units = self.blocks[w].unit_busy;
                self.joins.end(w, units, context);
            }
            self.partitions[s].deferred = deferred;
            let mut forked = std::mem::take(&mut self.partitions[s].forked);
            for (w, inputs) in forked.drain(..) {
                self.share_payloads(w as usize, &inputs, context);
            }
            self.partitions[s].forked = forked;
            for w in self.partitions[s].emptied.drain(..) {
                self.active.remove(w as usize);
            }
        }
        self.published = published;
        self.advance_direct(context);
    }

    fn evaluate_deferred<S: Sizes>(
        &mut self,
        w: usize,
        s: usize,
        published: Option<&PublishedPackets>,
        is_value: bool,
    ) {
        let (deep, links, output) = (&mut self.deep, &mut self.links, &self.output[..]);
        let mut all = Evaluate::<S> {
            partition: &mut self.partitions[s],
            first: 0,
            blocks: &mut self.blocks,
            leaving: &mut self.leaving,
            leaving_slot: &mut self.leaving_slot,
            in_full: &self.in_full,
            active: &self.active,
            shifts: &self.shifts,
            outputs: May::new(|| deep.as_mut().map(|deep| deep.outputs.whole())),
            links: May::new(|| links.as_mut().map(|links| links.whole(output))),
            is_value,
            defers_all: published.is_some(),
        };
        all.evaluate_block(w, published);
    }

    /// Granted results go to where the switch will find them: in output FIFOs of two slots in the slot that they will have. There is
    /// space, so it is the same whether a flit in the other one leaves in this cycle or not.
    fn take_results(&mut self, w: usize, cycle: u64) {
        for out in 0..PORTS {
            let block = &self.blocks[w];
            let slots = block.out_head[out] ^ block.out_any[out];
            for lane in bits(block.passing_results(out)) {
                let r = w * LANES + lane;
                let flit = self.joins.take_result(r, self.coords[r], cycle);
                let flit = self.flits.put(flit.packed(), 1);
                match &mut self.deep {
                    None => {
                        let slot = (slots >> lane & 1) as usize;
                        self.output[slot_at(r, out, slot)] = flit;
                    }
                    Some(deep) => deep.results[r] = flit,
                }
            }
        }
    }

    /// A fork's copies share a payload slot: one more reference for each copy but the last.
    fn share_payloads(&self, w: usize, forked: &[u64; PORTS], context: &mut Context<'_>) {
        let block = &self.blocks[w];
        for (input, lanes) in forked.iter().enumerate() {
            for lane in bits(*lanes) {
                let flit = self.input_head(w * LANES + lane, input);
                let copies = (0..PORTS).filter(|o| {
                    block.switched[*o] >> lane & 1 != 0 && block.source(*o, lane) == input
                });
                let last = (block.popped[input] >> lane & 1) as u32;
                if matches!(flit.kind, FlitKind::Write | FlitKind::Result) {
                    context
                        .pool
                        .share(flit.payload, copies.count() as u32 - last);
                }
            }
        }
    }

    /// The partitions' parts of the second phase. Links come before switches, so that a flit never crosses
    /// two stages in a cycle.
    pub(crate) fn receive_parts<'a, S: Sizes>(
        &'a mut self,
        trees: &'a Trees,
    ) -> impl Iterator<Item = Receive<'a, S>> {
        self.gather_receiving();
        let (mut blocks, mut in_full) = (&mut self.blocks[..], &mut self.in_full[..]);
        let (mut input, mut entered) = (&mut self.input[..], &mut self.entered[..]);
        let (receiving, shifts) = (&self.receiving[..], &self.shifts);
        let output = match &self.links {
            None => &self.output[..],
            Some(links) => links.last(),
        };
        let (leaving, leaving_slot) = (&self.leaving[..], &self.leaving_slot[..]);
        let coords = &self.coords[..];
        let deep = &mut self.deep;
        let mut inputs: S::May<TailsPart<'_>> =
            May::new(|| deep.as_mut().map(|deep| deep.inputs.whole()));
        self.partitions.iter_mut().map(move |partition| {
            let len = partition.len();
            Receive {
                partition,
                blocks: cut(&mut blocks, len),
                in_full: cut(&mut in_full, len),
                input: cut(&mut input, len * PORTS * SLOTS),
                entered: cut(&mut entered, len * LANES),
                receiving,
                leaving,
                leaving_slot,
                output,
                coords,
                shifts,
                inputs: May::new(|| inputs.get_mut().map(|all| all.cut(len))),
                trees,
            }
        })
    }

    fn gather_receiving(&mut self) {
        self.receiving.fill(0);
        for partition in &mut self.partitions {
            for (all, word) in self.receiving.iter_mut().zip(&mut partition.receiving) {
                *all |= std::mem::take(word);
            }
        }
    }

    /// After the second phase: who is active now.
    pub(crate) fn finish_receive(&mut self) {
        for partition in &mut self.partitions {
            self.flit_hops += std::mem::take(&mut partition.flit_hops);
            for w in partition.woken.drain(..) {
                let w = w as usize;
                self.has_received[w / 64] |= 1 << (w % 64);
                self.active.insert(w);
            }
        }
    }

    /// The partitions' parts of the third phase.
    pub(crate) fn switch_parts<S: Sizes>(
        &mut self,
        counts_deliveries: bool,
    ) -> impl Iterator<Item = Switch<'_, S>> {
        let (mut blocks, mut in_full) = (&mut self.blocks[..], &mut self.in_full[..]);
        let (mut input, mut output) = (&mut self.input[..], &mut self.output[..]);
        let deep = &mut self.deep;
        let mut deep: S::May<DeepPart<'_>> = May::new(|| {
            deep.as_deref_mut().map(|deep| DeepPart {
                inputs: deep.inputs.whole(),
                outputs: deep.outputs.whole(),
                results: &deep.results,
            })
        });
        let (active, tells_moves, flits) = (&self.active, self.published.is_some(), &self.flits);
        self.partitions.iter_mut().map(move |partition| {
            let len = partition.len();
            Switch {
                partition,
                blocks: cut(&mut blocks, len),
                in_full: cut(&mut in_full, len),
                input: cut(&mut input, len * PORTS * SLOTS),
                output: cut(&mut output, len * PORTS * SLOTS),
                deep: May::new(|| deep.get_mut().map(|all| all.cut(len))),
                flits,
                active,
                tells_moves,
                counts_deliveries,
            }
        })
    }

    /// After the third phase: published packets are followed.
    pub(crate) fn finish_switch(&mut self) {
        let mut published = self.published.take();
        for partition in &mut self.partitions {
            for m in partition.moves.drain(..) {
                if let Some(published) = &mut published {
                    let (r, flit) = (m.router as usize, Flit::from_packed(m.flit));
                    published.passed(r / LANES, r % LANES, m.input as usize, m.out as usize, flit);
                }
            }
        }
        if let Some(published) = &mut published {
            self.commit_joined(published);
        }
        self.published = published;
        self.flits.end_cycle();
    }
}
