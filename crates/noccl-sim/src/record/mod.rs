// SPDX-License-Identifier: Apache-2.0
//! The record of a cycle: what crosses router ports, read off the registers before they change.
//!
//! Nothing in the loop serves the recorder. It looks twice per cycle: after evaluation it notes what the Local
//! outputs offer and how full the Local inputs are, after injection it sees what has changed, and which
//! flits are about to cross links. A transaction's facts are looked up while it is sure to be open: before
//! the endpoint takes the flit. Credits that a merge point returns to its own NI are told to it.

use crate::machine::{Clock, Machine};
use crate::ni::axi::error_table::Errors;
use crate::ni::axi::state::{Interfaces, Source};
use crate::router::collective::control::block::LOCAL;
use crate::router::collective::merge::types::Credit;
use crate::router::collective::plane::PlaneState;
use crate::router::mesh::Mesh;
use crate::transport::flit::{FlitKind, pack};
use crate::transport::payload::PayloadPool;
use crate::transport::payload::WideBeat;
use noccl_net::deadlock::BEATS_PER_CREDIT;
use noccl_net::{Network, Port, TileId};
use noccl_run::{
    Command, Completion, CycleRecord, FlitPlace, Handshake, RunError, Store, TransferStart,
};
use noccl_spec::Plane;

mod facts;
mod requests;

/// What the recorder looks at: everything below the agents, as it is at one moment.
pub(crate) struct Observed<'a> {
    network: &'a Network,
    beat: WideBeat,
    is_value: bool,
    clock: &'a Clock,
    mesh: &'a Mesh,
    interfaces: &'a Interfaces<'a>,
    errors: &'a Errors,
    pool: &'a PayloadPool,
}

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

    /// The recorder, if there is one, and what it looks at.
    #[inline]
    pub(crate) fn observe(&mut self) -> Option<(&mut Recorder<'n>, Observed<'_>)> {
        let is_value = self.is_value();
        let recorder = self.recorder.as_deref_mut()?;
        let observed = Observed {
            network: &self.network,
            beat: self.beat,
            is_value,
            clock: &self.clock,
            mesh: &self.mesh,
            interfaces: &self.interfaces,
            errors: &self.errors,
            pool: &self.memory.pool,
        };
        Some((recorder, observed))
    }

    /// An endpoint asks its NI for a transaction.
    #[inline]
    pub(crate) fn record_command(&mut self, tile: u32, id: u32, source: Option<Source>) {
        if let Some((recorder, observed)) = self.observe() {
            recorder.commands.push(observed.command(tile, id, source));
        }
        if self.observer.is_some() {
            self.note_command(tile, id);
        }
    }

    /// An endpoint has the last response to a transaction.
    #[inline]
    pub(crate) fn record_completion(&mut self, tile: usize, tag: u32, resp: u8) {
        if let Some(recorder) = &mut self.recorder {
            let tile = TileId(tile as u32);
            recorder.completions.push(Completion { tile, tag, resp });
        }
        self.note_completed(tile as u32, tag);
    }

    /// A tile writes its own memory without the network.
    pub(crate) fn store(&mut self, tile: u32, offset: u64, bytes: &[u8]) {
        self.memory.memories.write(tile, offset, bytes);
        if let Some(recorder) = &mut self.recorder {
            recorder.stores.push(Store {
                tile: TileId(tile),
                offset,
                bytes: bytes.to_vec(),
            });
        }
    }

    /// A DMA engine begins a transfer.
    pub(crate) fn record_start(&mut self, start: TransferStart) {
        if let Some(recorder) = &mut self.recorder {
            recorder.starts.push(start);
        }
    }
}

impl Recorder<'_> {
    /// A merge point returns credits to its own NI.
    pub(crate) fn note_own_credit(&mut self, observed: &Observed<'_>, tile: u32, txn: u32) {
        let credit = Credit {
            txn,
            to: pack(observed.network.coord(TileId(tile))),
            beats: BEATS_PER_CREDIT,
        };
        let (place, flit) = (FlitPlace::Own, credit.flit());
        let own = observed.handshake(Plane::Rsp, tile as usize, place, flit);
        self.own.push(own);
    }

    /// After evaluation: what the Local ports hold.
    #[cold]
    pub(crate) fn note_offers(&mut self, observed: &Observed<'_>) {
        self.record.cycle = observed.clock.now();
        self.record.handshakes.clear();
        self.record.handshakes.append(&mut self.own);
        observed.add_pending_credits(&mut self.record);
        for plane in Plane::ALL {
            let state = &observed.mesh.planes[plane.idx()];
            let before = &mut self.before[plane.idx()];
            before.clear();
            before.extend((0..state.num_routers()).map(|r| local_occupancy(state, r)));
            for r in 0..state.num_routers() {
                if let Some(flit) = state.fifo(r, false, LOCAL).next() {
                    let offer = observed.handshake(plane, r, FlitPlace::Refused, flit);
                    self.record.handshakes.push(offer);
                }
            }
        }
    }

    /// After injection: what has entered and left, and what crosses links in this cycle.
    #[cold]
    pub(crate) fn note_moves(&mut self, observed: &Observed<'_>) {
        let Self {
            sink,
            record,
            before,
            own: _,
            commands,
            completions,
            starts,
            stores,
        } = self;
        record.commands.clear();
        record.commands.append(commands);
        record.completions.clear();
        record.completions.append(completions);
        record.starts.clear();
        record.starts.append(starts);
        record.stores.clear();
        record.stores.append(stores);
        record.handshakes.retain(|h| {
            h.place != FlitPlace::CreditReturn
                || !observed.has_sent_credit(h.tile.0 as usize, before)
        });
        for offer in &mut record.handshakes {
            let (plane, r) = (offer.plane.idx(), offer.tile.0 as usize);
            if offer.place == FlitPlace::Refused
                && local_occupancy(&observed.mesh.planes[plane], r)[1] < before[plane][r][1]
            {
                offer.place = FlitPlace::Leaves;
            }
        }
        for plane in Plane::ALL {
            let state = &observed.mesh.planes[plane.idx()];
            for (r, [held, _]) in before[plane.idx()].iter().enumerate() {
                if local_occupancy(state, r)[0] > *held
                    && let Some(flit) = state.fifo(r, true, LOCAL).last()
                {
                    let entry = observed.handshake(plane, r, FlitPlace::Enters, flit);
                    record.handshakes.push(entry);
                }
                for port in &Port::ALL[..LOCAL] {
                    if let Some(flit) = state.leaving_flit(r, *port as usize) {
                        let crossing =
                            observed.handshake(plane, r, FlitPlace::Crosses(*port), flit);
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
    }
}

impl Observed<'_> {
    /// Credits that the NIs may send in this cycle.
    fn add_pending_credits(&self, record: &mut CycleRecord) {
        for tile in
            (0..self.interfaces.nis.len()).filter(|t| self.interfaces.nis[*t].pending_credits > 0)
        {
            let wide = &self.mesh.planes[Plane::Wide.idx()];
            if let Some(credit) = wide.pending_credit(tile, &self.interfaces.txns.trees) {
                let pending =
                    self.handshake(Plane::Rsp, tile, FlitPlace::CreditReturn, credit.flit());
                record.handshakes.push(pending);
            }
        }
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

// State of the recorder.

/// Takes the record of every cycle in which something crossed a router port.
pub type OnCycle<'a> = &'a mut dyn FnMut(&CycleRecord);

/// State of the recorder.
pub(crate) struct Recorder<'n> {
    sink: OnCycle<'n>,
    record: CycleRecord,
    /// Flits in the Local input and output of each plane and tile at the start of the cycle.
    before: [Vec<[u8; 2]>; 3],
    /// Merge points that return credits to their own NI in this cycle.
    pub own: Vec<Handshake>,
    commands: Vec<Command>,
    completions: Vec<Completion>,
    starts: Vec<TransferStart>,
    pub stores: Vec<Store>,
}

impl<'n> Recorder<'n> {
    pub(crate) fn new(sink: OnCycle<'n>) -> Self {
        Self {
            sink,
            record: CycleRecord::default(),
            before: [const { Vec::new() }; 3],
            own: Vec::new(),
            commands: Vec::new(),
            completions: Vec::new(),
            starts: Vec::new(),
            stores: Vec::new(),
        }
    }
}
