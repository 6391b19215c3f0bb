// SPDX-License-Identifier: Apache-2.0
//! One cycle: due events, evaluate all planes, deliver at the NIs, let the driver react, inject, commit.

use super::Machine;
use super::event::Event;
use crate::machine::event::{Done, DriverEvent};
use crate::router::collective::merge::types::PendingCredits;
use crate::transport::axi_response::OKAY;
use crate::transport::flit::{Flit, FlitKind, LAST, MULTICAST, pack};
use crate::transport::transaction::Txn;
use noccl_net::Port;
use noccl_net::deadlock::BEATS_PER_CREDIT;
use noccl_spec::Plane;

/// Cycles from the start of the last pass of a credit batch's last beat to its credits.
const CYCLES_TO_PENDING_CREDITS: u64 = 2;

impl Machine<'_> {
    /// First part of a cycle: events, evaluation, delivery. Afterwards the driver reads `done`.
    pub(crate) fn begin_cycle(&mut self, driver_events: &mut Vec<DriverEvent>) {
        self.take_events(driver_events);
        self.mesh.evaluate(self.clock.now(), self.is_value());
        for plane in Plane::ALL {
            let (state, mut context) = self.split(plane);
            state.finish_evaluate(&mut context);
            self.schedule_timeouts(plane);
        }
        self.note_pending_credits();
        if self.observer.is_some() {
            self.note_arbitration();
        }
        if let Some((recorder, observed)) = self.observe() {
            recorder.note_offers(&observed);
        }
        for plane in Plane::ALL {
            self.hand_over(plane);
        }
        self.take_own_responses();
    }

    /// Events that became due while this cycle was processed. Returns whether there were any.
    pub(crate) fn more_events(&mut self, driver_events: &mut Vec<DriverEvent>) -> bool {
        let has_more = self.clock.has_more_due();
        if has_more {
            self.take_events(driver_events);
        }
        has_more
    }

    fn take_events(&mut self, driver_events: &mut Vec<DriverEvent>) {
        driver_events.clear();
        let mut due = self.clock.take_due();
        let num_due = due.len();
        for event in due.drain(..) {
            if let Event::Driver(event) = event {
                driver_events.push(event);
            } else {
                self.handle(event);
            }
        }
        let num_from_sources = if self.sources > 0 {
            driver_events.len()
        } else {
            0
        };
        if num_due > num_from_sources {
            // What it sets in motion may be held up in this cycle: waiting for a late event is no stall.
            self.clock.note_progress();
        }
        self.clock.give_back(due);
    }

    /// Second part: inject what the NIs and the driver offer, then commit all registers.
    pub(crate) fn end_cycle(&mut self) {
        self.tick_torrents();
        self.inject();
        if let Some((recorder, observed)) = self.observe() {
            recorder.note_moves(&observed);
        }
        if self.observer.is_some() {
            self.note_cycle();
        }
        let has_passed = self.mesh.has_bypass() && self.pass_in_flight();
        let counts_deliveries = self.counts_deliveries();
        let trees = &self.interfaces.txns.trees;
        let has_crossed = self.mesh.commit(trees, counts_deliveries);
        if has_crossed || has_passed {
            // A flit that crosses the network for long is no stall: a barrier crosses a large mesh without
            // being seen by any NI.
            self.clock.note_progress();
        }
        let is_idle = self.is_idle();
        self.clock.advance(is_idle, self.config.max_cycles);
    }

    /// Flits that cross a link go on. Returns whether any does.
    #[inline(never)]
    fn pass_in_flight(&mut self) -> bool {
        let mut has_passed = false;
        for plane in Plane::ALL {
            let (state, mut context) = self.split(plane);
            has_passed |= state.pass_in_flight(&mut context);
        }
        has_passed
    }

    fn schedule_timeouts(&mut self, plane: Plane) {
        let mut timeouts = std::mem::take(self.mesh.planes[plane.idx()].joins.timeouts());
        for (cycle, entry) in timeouts.drain(..) {
            self.clock.schedule(
                cycle,
                Event::MergeTimeout {
                    plane: plane.idx() as u8,
                    entry,
                },
            );
        }
        *self.mesh.planes[plane.idx()].joins.timeouts() = timeouts;
    }

    /// Hands an event to the unit that it is of.
    fn handle(&mut self, event: Event) {
        match event {
            Event::Respond { tile, txn } => self.respond(tile, txn),
            Event::RespondToGroup { txn } => {
                let facts = *self.interfaces.txns.get(txn);
                let kind = FlitKind::ReduceResponse;
                let flit = Flit {
                    txn,
                    dst: 0,
                    payload: 0,
                    beat: 0,
                    kind,
                    flags: LAST | MULTICAST,
                }
                .with_resp(facts.resp.max(self.errors.memory_response(
                    facts.home,
                    facts.address,
                    facts.bytes,
                )));
                self.interfaces.send(facts.home, Plane::Rsp, flit);
            }
            Event::StartRead { tile, txn } => self.start_read(tile, txn),
            Event::AtomicDone { tile, txn } => {
                let Txn {
                    owner,
                    address,
                    beats,
                    ..
                } = *self.interfaces.txns.get(txn);
                self.note_delivered(tile, txn);
                self.done.push(Done::Delivered { owner, tile, beats });
                let resp = self.errors.memory_response(tile, address, 4);
                let old = if resp == OKAY {
                    self.memory.atomic_add(tile, address)
                } else {
                    0
                };
                let dst = pack(self.interfaces.txns.trees.tree(txn).root);
                let flit = Flit {
                    txn,
                    dst,
                    payload: old,
                    beat: 0,
                    kind: FlitKind::Response,
                    flags: LAST,
                };
                self.interfaces.send(tile, Plane::Rsp, flit.with_resp(resp));
            }
            Event::MergeTimeout { plane, entry } => {
                let state = &mut self.mesh.planes[plane as usize];
                if state.joins.time_out(entry) {
                    state.wake(entry.router as usize);
                }
            }
            Event::CreditsPending(pending) => self.add_pending(pending),
            Event::OwnCredit { tile, txn, beats } => {
                self.take_own_credit(tile as usize, txn, beats)
            }
            Event::Freed { tile, place } => self.free(tile as usize, place),
            Event::Operands { txn, offset } => self.give_operands(txn, offset),
            Event::ResultBeat { txn } => self.note_result_beat(txn),
            Event::MemberDone { tile, txn } => {
                let Txn { address, bytes, .. } = *self.interfaces.txns.get(txn);
                let resp = self.errors.memory_response(tile, address, bytes);
                self.close_member(tile as usize, txn, resp);
            }
            Event::Buffered { tile, bytes } => {
                self.interfaces.nis[tile as usize].buffer_bytes += bytes;
                self.done.push(Done::ReadBeat { tile, bytes });
                self.refresh_injecting(tile as usize);
            }
            Event::Refused { index } => self.respond_to_refused(index),
            Event::Torrent { tile } => {
                if let Some(torrents) = &mut self.torrents {
                    torrents.wake(tile);
                }
            }
            Event::ChainDone { instance } => self.done.push(Done::Chain { instance }),
            Event::Driver(_) => {}
        }
    }

    /// Merge points that have combined the last beat of a credit batch return its credits two cycles later: to
    /// their own NI over wires, to others over the response plane.
    pub(super) fn note_pending_credits(&mut self) {
        let mut new = std::mem::take(self.mesh.planes[Plane::Wide.idx()].joins.pending());
        for pending in new.drain(..) {
            self.clock.schedule(
                self.clock.now() + CYCLES_TO_PENDING_CREDITS,
                Event::CreditsPending(pending),
            );
        }
        *self.mesh.planes[Plane::Wide.idx()].joins.pending() = new;
    }

    /// From this cycle on a tile's NI has credits to send; its own one counts from the next cycle on.
    pub(crate) fn add_pending(&mut self, pending: PendingCredits) {
        let (tile, txn, local) = (pending.router, pending.txn, Port::Local.bit());
        if pending.inputs & local != 0 {
            self.own_credit_next(tile, txn, BEATS_PER_CREDIT);
            if let Some((recorder, observed)) = self.observe() {
                recorder.note_own_credit(&observed, tile, txn);
            }
        }
        let inputs = pending.inputs & !local;
        if inputs != 0 {
            let wide = &mut self.mesh.planes[Plane::Wide.idx()];
            let credits = wide.joins.add_pending(PendingCredits { inputs, ..pending });
            self.interfaces.nis[tile as usize].pending_credits += credits as u16;
            self.interfaces.wake(Plane::Rsp, tile as usize);
        }
    }

    /// Credits for a NI that count from the next cycle on.
    pub(crate) fn own_credit_next(&mut self, tile: u32, txn: u32, beats: u32) {
        let event = Event::OwnCredit { tile, txn, beats };
        self.clock.schedule(self.clock.now() + 1, event);
    }
}
