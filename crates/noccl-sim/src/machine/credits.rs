// SPDX-License-Identifier: Apache-2.0
//! Credits of merge points: from the arithmetic that has freed buffer space to the NI that sends or takes them.
//!
//! Merge points that have started the last beat of a credit batch give its buffer space back two cycles later: to their own
//! NI over wires, to others over the response plane.

use super::Machine;
use super::event::Event;
use crate::router::collective::merge::types::{Credit, PendingCredits};
use noccl_net::Port;
use noccl_net::deadlock::BEATS_PER_CREDIT;
use noccl_spec::Plane;

/// Cycles from the start of the last pass of a credit batch's last beat to its credits.
const CYCLES_TO_PENDING_CREDITS: u64 = 2;

impl Machine<'_> {
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
            self.record_own(tile, txn);
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

    pub(crate) fn pending_credit(&self, tile: usize) -> Option<Credit> {
        let wide = &self.mesh.planes[Plane::Wide.idx()];
        let trees = &self.txns.trees;
        wide.joins.pending_credit(tile, wide.coord(tile), trees)
    }
}
