// SPDX-License-Identifier: Apache-2.0
//! Injection: from the NI's queues into the Local inputs, one flit per plane, tile and cycle.

use crate::machine::Machine;
use crate::ni::axi::own_copy::Copied;
use crate::ni::axi::state::{BurstStream, Source};
use crate::transport::flit::{Flit, FlitKind, MULTICAST, TO_ITSELF};
use noccl_run::LocalSide;
use noccl_spec::Plane;

impl Machine<'_> {
    /// Every NI with something to send tries once per plane.
    pub(crate) fn inject(&mut self) {
        let mut next = 0;
        while let Some(word) = self.next_injecting(next) {
            next = word + 1;
            let sets = self
                .interfaces
                .injecting
                .each_ref()
                .map(|set| set.word(word));
            let mut bits = sets.iter().fold(0, |all, set| all | set);
            self.interfaces.nis.touch(word, bits);
            while bits != 0 {
                let lane = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                self.inject_tile(word * 64 + lane, sets.map(|set| set >> lane & 1 != 0));
            }
        }
    }

    /// Word of the sets of injecting tiles, at or after `from`, in which some set has members.
    fn next_injecting(&self, from: usize) -> Option<usize> {
        let sets = self
            .interfaces
            .injecting
            .iter()
            .filter(|set| !set.is_empty());
        sets.filter_map(|set| set.next_word(from)).min()
    }

    /// `wishes`: per plane, may the tile have something to send?
    fn inject_tile(&mut self, tile: usize, wishes: [bool; 3]) {
        let [wishes_req, wishes_rsp, wishes_wide] = wishes;
        let copied = wishes_req.then(|| self.copy_narrow(tile)).flatten();
        // The port of narrow writes has no other one in this cycle; reads may leave.
        let was_copy = copied == Some(Copied::All);
        let mut has_sent = was_copy;
        if wishes_req
            && self.may_send(Plane::Req, tile)
            && let Some(source) = self.next_request_beside(tile, was_copy)
        {
            let flit = self.take_request(tile, source, was_copy);
            let opens = flit.is_some_and(|f| self.opens_narrow(f));
            self.interfaces.nis[tile].narrow_outstanding += u32::from(opens);
            let is_wide_read = flit.is_some_and(|f| self.opens_wide_read(f));
            self.interfaces.nis[tile].reads_outstanding += u32::from(is_wide_read);
            self.push(Plane::Req, tile, flit);
            has_sent = true;
        }
        // The hardware counts in registers: its place is taken from the next cycle on.
        if copied.is_some() {
            self.interfaces.nis[tile].narrow_outstanding += 1;
        }
        if wishes_rsp && self.may_send(Plane::Rsp, tile) {
            let credit = self.next_credit(tile);
            let flit = credit.or_else(|| self.take_response(tile));
            self.push(Plane::Rsp, tile, flit);
            has_sent = true;
        }
        let mut goes_on = false;
        if wishes_wide {
            goes_on = self.inject_wide(tile);
            has_sent |= !goes_on;
        }
        if has_sent {
            for plane in Plane::ALL {
                if wishes[plane.idx()] && !(goes_on && plane == Plane::Wide) {
                    self.refresh_plane(plane, tile);
                }
            }
        }
    }

    fn take_response(&mut self, tile: usize) -> Option<Flit> {
        let responses = &mut self.interfaces.nis[tile].rsp;
        let source = responses.next(|_, _| true)?;
        responses.take(source)
    }

    /// Credits go before responses: senders of operands wait for them.
    fn next_credit(&mut self, tile: usize) -> Option<Flit> {
        if self.interfaces.nis[tile].pending_credits == 0 {
            return None;
        }
        let credit = self.pending_credit(tile)?;
        self.interfaces.nis[tile].pending_credits -= 1;
        let wide = &mut self.mesh.planes[Plane::Wide.idx()];
        wide.joins.return_credit(tile);
        wide.wake(tile);
        Some(credit.flit())
    }

    /// A write beat or read data, alternately. Returns whether the tile surely has more to send.
    fn inject_wide(&mut self, tile: usize) -> bool {
        let may_send = self.may_send(Plane::Wide, tile);
        if !may_send && !self.may_copy(tile) {
            return true;
        }
        let mut write = self.ready_write(tile);
        if let Some(at) = write
            && self.has_own_copy(tile, self.interfaces.nis[tile].writes[at].txn)
        {
            self.copy_beat(tile, at);
            write = None;
        }
        if !may_send {
            return false;
        }
        let ni = &mut self.interfaces.nis[tile];
        let (has_read, has_write) = (!ni.reads.is_empty(), write.is_some() || ni.copied.is_some());
        if !has_read && !has_write {
            return false;
        }
        let yields = has_read && !ni.read_was_granted;
        ni.read_was_granted = !has_write || yields;
        let copied = if yields { None } else { ni.copied.take() };
        let write = write.filter(|_| !yields);
        let flit = match (copied, write) {
            (Some(flit), _) => flit,
            (None, Some(at)) => self.next_write_beat(tile, at),
            (None, None) => self.next_read_beat(tile),
        };
        self.push(Plane::Wide, tile, Some(flit));
        let waits = |s: &BurstStream| matches!(s.source, Source::Buffer | Source::Switch(_));
        let goes_on = |s: &BurstStream| s.txn == flit.txn && !waits(s) && s.in_flight < s.window;
        let is_beat = matches!(flit.kind, FlitKind::Write | FlitKind::Reduce);
        let next = write.and_then(|at| self.interfaces.nis[tile].writes.get(at));
        is_beat && next.is_some_and(goes_on)
    }

    fn may_send(&self, plane: Plane, tile: usize) -> bool {
        self.mesh.planes[plane.idx()].can_inject(tile)
            && !self.config.is_held(
                self.clock.now(),
                plane,
                tile,
                LocalSide::Input {
                    tiles: self.interfaces.nis.len(),
                },
            )
    }

    fn push(&mut self, plane: Plane, tile: usize, flit: Option<Flit>) {
        let Some(flit) = flit else { return };
        self.clock.note_progress();
        let mut flit = flit;
        if self.is_to_itself(tile, flit) {
            flit.flags |= TO_ITSELF;
            self.interfaces.nis[tile].own_in_flight[usize::from(flit.kind == FlitKind::Write)] += 1;
        }
        let (state, context) = self.split(plane);
        state.push_local(tile, flit, &context);
    }

    /// A unicast write flit of a tile to itself (default flow).
    fn is_to_itself(&self, tile: usize, flit: Flit) -> bool {
        let is_write = matches!(flit.kind, FlitKind::Write | FlitKind::NarrowWrite);
        if !self.behaviour.has_own_copies || !is_write || flit.flags & MULTICAST != 0 {
            return false;
        }
        let txn = self.txns.get(flit.txn);
        txn.home as usize == tile && txn.target as usize == tile
    }
}
