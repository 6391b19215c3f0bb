// SPDX-License-Identifier: Apache-2.0
//! The record of a cycle: what crosses router ports, read off the registers before they change.
//!
//! Nothing in the loop serves the recorder. It looks twice per cycle: after evaluation it notes what the Local
//! outputs offer and how full the Local inputs are, after injection it sees what has changed, and which
//! flits are about to cross links. A transaction's facts are looked up while it is sure to be open: before
//! the endpoint takes the flit. Room that a merge point gives to its own NI is told to it.

use crate::block::{LANES, LOCAL, PORTS};
use crate::errors::OKAY;
use crate::flit::{Flit, FlitKind, MULTICAST, OWN_COPY, pack, unpack};
use crate::inject::pattern;
use crate::join::Credit;
use crate::machine::Machine;
use crate::ni::{Source, beat_bytes};
use crate::payload::BEAT_BYTES;
use crate::plane::{PlaneState, slot_at};
use crate::txn::TxnKind;
use noccl_net::deadlock::BEATS_PER_CREDIT;
use noccl_net::{Coord, Port, TileId};
use noccl_run::{
    BeatSource, Command, CommandKind, Completion, CycleRecord, FlitPlace, FlitRecord, Handshake,
    RecordedKind, RunError, Store, TransferStart,
};
use noccl_spec::Plane;

/// Takes the record of every cycle in which something crossed a router port.
pub type OnCycle<'a> = &'a mut dyn FnMut(&CycleRecord);

/// State of the recorder.
pub(crate) struct Recorder<'n> {
    sink: OnCycle<'n>,
    record: CycleRecord,
    /// Flits in the Local input and output of each plane and tile at the start of the cycle.
    before: [Vec<[u8; 2]>; 3],
    /// Merge points that give room to their own NI in this cycle.
    own: Vec<Handshake>,
    commands: Vec<Command>,
    completions: Vec<Completion>,
    starts: Vec<TransferStart>,
    stores: Vec<Store>,
}

impl<'n> Machine<'n> {
    /// Records from now on.
    ///
    /// # Errors
    /// [`RunError::Refused`] for published routers, whose flits are not those of our hardware.
    pub(crate) fn record_to(&mut self, sink: OnCycle<'n>) -> Result<(), RunError> {
        if self.is_peer {
            return Err(RunError::Refused {
                backend: "sim",
                what: "a record of flits".to_owned(),
                reason: "router.flow must be \"non_blocking\"".to_owned(),
            });
        }
        self.recorder = Some(Box::new(Recorder {
            sink,
            record: CycleRecord::default(),
            before: [const { Vec::new() }; 3],
            own: Vec::new(),
            commands: Vec::new(),
            completions: Vec::new(),
            starts: Vec::new(),
            stores: Vec::new(),
        }));
        Ok(())
    }

    /// A merge point gives room to its own NI.
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

    /// An endpoint asks its NI for a transaction.
    #[inline]
    pub(crate) fn record_command(&mut self, tile: u32, id: u32, source: Option<Source>) {
        if self.recorder.is_some() {
            let command = self.command(tile, id, source);
            if let Some(recorder) = &mut self.recorder {
                recorder.commands.push(command);
            }
        }
    }

    /// An endpoint has the last answer to a transaction.
    #[inline]
    pub(crate) fn record_completion(&mut self, tile: usize, tag: u32, resp: u8) {
        if let Some(recorder) = &mut self.recorder {
            let tile = TileId(tile as u32);
            recorder.completions.push(Completion { tile, tag, resp });
        }
    }

    /// A tile writes its own memory without the network.
    pub(crate) fn store(&mut self, tile: u32, offset: u64, bytes: &[u8]) {
        self.memories.write(tile, offset, bytes);
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

    #[cold]
    fn command(&self, tile: u32, id: u32, source: Option<Source>) -> Command {
        let txn = self.txns.get(id);
        let tree = self.txns.trees.tree(id);
        let (kind, target, is_group) = match txn.kind {
            TxnKind::WideWrite => (CommandKind::WideWrite, txn.target, txn.is_multicast),
            TxnKind::WideRead => (CommandKind::WideRead, txn.target, false),
            TxnKind::WideReduction => (CommandKind::Reduction, txn.home, true),
            TxnKind::NarrowWrite => (CommandKind::NarrowWrite, txn.target, txn.is_multicast),
            TxnKind::NarrowRead => (CommandKind::NarrowRead, txn.target, false),
            TxnKind::Barrier => (CommandKind::Barrier, txn.home, true),
            TxnKind::Atomic => (CommandKind::Atomic, txn.target, false),
        };
        // Only these bytes do not depend on what happens until the beat leaves.
        let seed = if let Some(Source::Pattern(seed)) = source
            && self.is_value()
        {
            Some(seed)
        } else {
            None
        };
        let beats = if seed.is_some() { txn.beats } else { 0 };
        let beat = |beat| {
            let (from, len) = beat_bytes(txn.address, txn.bytes, beat);
            let mut line = [0; BEAT_BYTES];
            let start = ((txn.address + u64::from(from)) % BEAT_BYTES as u64) as usize;
            pattern(
                seed.unwrap_or(0),
                from,
                &mut line[start..start + len as usize],
            );
            line
        };
        let (trees, number) = (&self.txns.trees, self.errors.variant(id, tile));
        let (said, variant) = (trees.arithmetic(id, number), trees.variant(id, number));
        let (kind_of_owner, index) = txn.owner.channel();
        Command {
            tile: TileId(tile),
            tag: id,
            name: self.txns.trees.name_of(id),
            transfer: u64::from(kind_of_owner) << 32 | u64::from(index),
            kind,
            target: self.coord(target),
            set: is_group.then_some(tree.set.set),
            address: txn.address,
            bytes: txn.bytes,
            beats: txn.beats,
            operator: said.0,
            element: said.1,
            enabled_bytes: variant.map_or(64, |v| v.enabled_bytes),
            source: match source {
                None | Some(Source::Pattern(_)) => BeatSource::Command,
                Some(Source::Memory(offset)) => BeatSource::Memory(offset),
                Some(Source::Buffer) => BeatSource::Engine,
                Some(Source::Operand(_) | Source::Switch(_) | Source::Result) => BeatSource::Other,
            },
            data: (0..beats).map(beat).collect(),
        }
    }

    /// Credits that the NIs may send in this cycle.
    fn record_owed(&self, record: &mut CycleRecord) {
        for tile in (0..self.nis.len()).filter(|t| self.nis[*t].credits_owed > 0) {
            if let Some(credit) = self.owed_credit(tile) {
                let owed = self.handshake(Plane::Rsp, tile, FlitPlace::CreditReturn, credit.flit());
                record.handshakes.push(owed);
            }
        }
    }

    /// After evaluation: what the Local ports hold.
    #[cold]
    pub(crate) fn record_offers(&mut self) {
        let Some(mut recorder) = self.recorder.take() else {
            return;
        };
        recorder.record.cycle = self.cycle;
        recorder.record.handshakes.clear();
        recorder.record.handshakes.append(&mut recorder.own);
        self.record_owed(&mut recorder.record);
        for plane in Plane::ALL {
            let state = &self.planes[plane.idx()];
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
                && local_occupancy(&self.planes[plane], r)[1] < before[plane][r][1]
            {
                offer.place = FlitPlace::Leaves;
            }
        }
        for plane in Plane::ALL {
            let state = &self.planes[plane.idx()];
            for (r, [held, _]) in before[plane.idx()].iter().enumerate() {
                if local_occupancy(state, r)[0] > *held
                    && let Some(flit) = state.fifo(r, true, LOCAL).last()
                {
                    let entry = self.handshake(plane, r, FlitPlace::Enters, flit);
                    record.handshakes.push(entry);
                }
                for port in &Port::ALL[..LOCAL] {
                    if let Some(flit) = leaving(state, r, *port as usize) {
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
        let (rsp, state) = (Plane::Rsp.idx(), &self.planes[Plane::Rsp.idx()]);
        let entered = local_occupancy(state, r)[0] > before[rsp][r][0];
        let last = state.fifo(r, true, LOCAL).last();
        entered && last.is_some_and(|f| f.kind == FlitKind::Credit)
    }

    fn handshake(&self, plane: Plane, r: usize, place: FlitPlace, flit: Flit) -> Handshake {
        Handshake {
            plane,
            tile: TileId(r as u32),
            place,
            flit: self.facts(plane, flit),
        }
    }

    /// All that a hardware flit carries.
    fn facts(&self, plane: Plane, flit: Flit) -> FlitRecord {
        let txn = self.txns.get(flit.txn);
        let tree = self.txns.trees.tree(flit.txn);
        let is_atomic = txn.kind == TxnKind::Atomic && flit.kind == FlitKind::Response;
        let kind = if is_atomic {
            RecordedKind::Atomic
        } else {
            recorded_kind(flit.kind)
        };
        let is_multicast = flit.flags & MULTICAST != 0;
        let joins = matches!(
            kind,
            RecordedKind::Reduce | RecordedKind::Barrier | RecordedKind::CollectedResponse
        );
        let src = match kind {
            RecordedKind::Reduce => unpack(flit.dst),
            RecordedKind::Barrier | RecordedKind::GroupResponse | RecordedKind::Credit => tree.root,
            RecordedKind::ReadData | RecordedKind::Response => {
                self.network.coord(TileId(txn.target))
            }
            RecordedKind::Atomic if plane == Plane::Rsp => self.network.coord(TileId(txn.target)),
            RecordedKind::Write
            | RecordedKind::ReadRequest
            | RecordedKind::Atomic
            | RecordedKind::Result
            | RecordedKind::CollectedResponse => self.network.coord(TileId(txn.home)),
        };
        let dst = if is_multicast && kind == RecordedKind::Write {
            let (origin, base) = (tree.set.origin, tree.set.set.base);
            Coord::new(origin.x + base.x, origin.y + base.y)
        } else if is_multicast {
            Coord::new(0, 0)
        } else if kind == RecordedKind::Reduce {
            tree.root
        } else {
            unpack(flit.dst)
        };
        let counts = matches!(
            kind,
            RecordedKind::Barrier | RecordedKind::CollectedResponse | RecordedKind::Credit
        );
        let (trees, number) = (&self.txns.trees, flit.variant());
        let said = trees.arithmetic(flit.txn, number);
        // Sums are whole lines, and marked if a contribution was not.
        let partial = (trees.variant(flit.txn, number)).filter(|_| flit.resp() == OKAY);
        debug_assert!(kind != RecordedKind::Reduce || pack(src) == flit.dst);
        FlitRecord {
            kind,
            is_multicast,
            is_wide: txn.is_wide,
            has_own_copy: flit.flags & OWN_COPY != 0,
            resp: flit.resp(),
            dst,
            src,
            set: (is_multicast || joins).then_some(tree.set.set),
            tag: self.txns.trees.name_of(flit.txn),
            count: if counts { flit.payload } else { 0 },
            address: txn.address,
            bytes: txn.bytes,
            beats: txn.beats,
            beat: flit.beat,
            operator: said.0,
            element: said.1,
            enabled_bytes: partial.map_or(64, |v| v.enabled_bytes),
            value: if is_atomic { flit.payload } else { 0 },
            data: (self.is_value() && plane == Plane::Wide).then(|| *self.pool.bytes(flit.payload)),
        }
    }
}

/// Flits in the Local input and output of a router.
fn local_occupancy(state: &PlaneState, r: usize) -> [u8; 2] {
    [true, false].map(|is_input| state.fifo(r, is_input, LOCAL).count() as u8)
}

/// The flit that crosses the link behind an output in this cycle.
fn leaving(state: &PlaneState, r: usize, port: usize) -> Option<Flit> {
    let (w, lane) = (r / LANES, r % LANES);
    let is_leaving = state.leaving[w][port] >> lane & 1 != 0;
    let slot = (state.leaving_slot[w][port] >> lane & 1) as usize;
    debug_assert!(port < PORTS);
    is_leaving.then(|| Flit::from_packed(state.output[slot_at(r, port) + slot]))
}

const fn recorded_kind(kind: FlitKind) -> RecordedKind {
    match kind {
        FlitKind::Write | FlitKind::WriteHead | FlitKind::NarrowWrite => RecordedKind::Write,
        FlitKind::Reduce | FlitKind::ReduceHead => RecordedKind::Reduce,
        FlitKind::ReadRequest => RecordedKind::ReadRequest,
        FlitKind::ReadData => RecordedKind::ReadData,
        FlitKind::Response => RecordedKind::Response,
        FlitKind::CollectB => RecordedKind::CollectedResponse,
        FlitKind::ReduceResponse => RecordedKind::GroupResponse,
        FlitKind::Barrier | FlitKind::BarrierHead => RecordedKind::Barrier,
        FlitKind::Atomic => RecordedKind::Atomic,
        FlitKind::Credit => RecordedKind::Credit,
        FlitKind::Result => RecordedKind::Result,
    }
}
