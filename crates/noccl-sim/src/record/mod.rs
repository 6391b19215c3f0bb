// SPDX-License-Identifier: Apache-2.0
//! The record of a cycle: what crosses router ports, read off the registers before they change.
//!
//! Nothing in the loop serves the recorder. It looks twice per cycle: after evaluation it notes what the Local
//! outputs offer and how full the Local inputs are, after injection it sees what has changed, and which
//! flits are about to cross links. A transaction's facts are looked up while it is sure to be open: before
//! the endpoint takes the flit. Credits that a merge point returns to its own NI are told to it.

mod facts;
pub(crate) mod recorder;
mod requests;

use crate::machine::Machine;
use crate::record::recorder::{OnCycle, Recorder};
use crate::router::collective::control::block::LOCAL;
use crate::router::collective::merge::types::Credit;
use crate::router::collective::plane::PlaneState;
use crate::transport::flit::{FlitKind, pack};
use noccl_net::Port;
use noccl_net::deadlock::BEATS_PER_CREDIT;
use noccl_run::{CycleRecord, FlitPlace, RunError};
use noccl_spec::Plane;

impl<'n> Machine<'n> {
    /// Records from now on.
    ///
    /// # Errors
    /// [`RunError::Refused`] for published routers, whose flits are not those of our hardware.
    pub(crate) fn record_to(&mut self, sink: OnCycle<'n>) -> Result<(), RunError> {
        if self.network.routers().no_hardware.is_some() {
            return Err(RunError::Refused {
                backend: "sim",
                what: "a record of flits".to_owned(),
                reason: "router.flow must be \"non_blocking\"".to_owned(),
            });
        }
        self.recorder = Some(Box::new(Recorder::new(sink)));
        Ok(())
    }

    /// A merge point returns credits to its own NI.
    pub(crate) fn record_own(&mut self, tile: u32, txn: u32) {
        let Some(mut recorder) = self.recorder.take() else {
            return;
        };
        let beats = BEATS_PER_CREDIT;
        let credit = Credit {
            txn,
            to: pack(self.coord(tile)),
            beats,
        };
        let (place, flit) = (FlitPlace::Own, credit.flit());
        let own = self.handshake(Plane::Rsp, tile as usize, place, flit);
        recorder.own.push(own);
        self.recorder = Some(recorder);
    }

    /// Credits that the NIs may send in this cycle.
    fn record_pending_credits(&self, record: &mut CycleRecord) {
        for tile in
            (0..self.interfaces.nis.len()).filter(|t| self.interfaces.nis[*t].pending_credits > 0)
        {
            if let Some(credit) = self.pending_credit(tile) {
                let pending =
                    self.handshake(Plane::Rsp, tile, FlitPlace::CreditReturn, credit.flit());
                record.handshakes.push(pending);
            }
        }
    }

    /// After evaluation: what the Local ports hold.
    #[cold]
    pub(crate) fn record_offers(&mut self) {
        let Some(mut recorder) = self.recorder.take() else {
            return;
        };
        recorder.record.cycle = self.clock.now();
        recorder.record.handshakes.clear();
        recorder.record.handshakes.append(&mut recorder.own);
        self.record_pending_credits(&mut recorder.record);
        for plane in Plane::ALL {
            let state = &self.mesh.planes[plane.idx()];
            let before = &mut recorder.before[plane.idx()];
            before.clear();
            before.extend((0..state.num_routers()).map(|r| local_occupancy(state, r)));
            for r in 0..state.num_routers() {
                if let Some(flit) = state.fifo(r, false, LOCAL).next() {
                    let offer = self.handshake(plane, r, FlitPlace::Refused, flit);
                    recorder.record.handshakes.push(offer);
                }
            }
        }
        self.recorder = Some(recorder);
    }

    /// After injection: what has entered and left, and what crosses links in this cycle.
    #[cold]
    pub(crate) fn record_moves(&mut self) {
        let Some(mut recorder) = self.recorder.take() else {
            return;
        };
        let Recorder {
            sink,
            record,
            before,
            own: _,
            commands,
            completions,
            starts,
            stores,
        } = &mut *recorder;
        record.commands.clear();
        record.commands.append(commands);
        record.completions.clear();
        record.completions.append(completions);
        record.starts.clear();
        record.starts.append(starts);
        record.stores.clear();
        record.stores.append(stores);
        record.handshakes.retain(|h| {
            h.place != FlitPlace::CreditReturn || !self.has_sent_credit(h.tile.0 as usize, before)
        });
        for offer in &mut record.handshakes {
            let (plane, r) = (offer.plane.idx(), offer.tile.0 as usize);
            if offer.place == FlitPlace::Refused
                && local_occupancy(&self.mesh.planes[plane], r)[1] < before[plane][r][1]
            {
                offer.place = FlitPlace::Leaves;
            }
        }
        for plane in Plane::ALL {
            let state = &self.mesh.planes[plane.idx()];
            for (r, [held, _]) in before[plane.idx()].iter().enumerate() {
                if local_occupancy(state, r)[0] > *held
                    && let Some(flit) = state.fifo(r, true, LOCAL).last()
                {
                    let entry = self.handshake(plane, r, FlitPlace::Enters, flit);
                    record.handshakes.push(entry);
                }
                for port in &Port::ALL[..LOCAL] {
                    if let Some(flit) = state.leaving_flit(r, *port as usize) {
                        let crossing = self.handshake(plane, r, FlitPlace::Crosses(*port), flit);
                        record.handshakes.push(crossing);
                    }
                }
            }
        }
        if !record.handshakes.is_empty()
            || !record.commands.is_empty()
            || !record.completions.is_empty()
            || !record.starts.is_empty()
            || !record.stores.is_empty()
        {
            sink(record);
        }
        self.recorder = Some(recorder);
    }

    /// Has the tile's NI sent a credit in this cycle?
    fn has_sent_credit(&self, r: usize, before: &[Vec<[u8; 2]>; 3]) -> bool {
        let (rsp, state) = (Plane::Rsp.idx(), &self.mesh.planes[Plane::Rsp.idx()]);
        let entered = local_occupancy(state, r)[0] > before[rsp][r][0];
        let last = state.fifo(r, true, LOCAL).last();
        entered && last.is_some_and(|f| f.kind == FlitKind::Credit)
    }
}

/// Flits in the Local input and output of a router.
fn local_occupancy(state: &PlaneState, r: usize) -> [u8; 2] {
    [true, false].map(|is_input| state.fifo(r, is_input, LOCAL).count() as u8)
}
