// SPDX-License-Identifier: Apache-2.0
//! All that a hardware flit carries, from the flit and its transaction.

use crate::record::Observed;
use crate::transport::axi_response::OKAY;
use crate::transport::flit::{Flit, FlitKind, MULTICAST, OWN_COPY, pack, unpack};
use crate::transport::transaction::TxnKind;
use noccl_net::{Coord, TileId};
use noccl_run::{FlitPlace, FlitRecord, Handshake, RecordedKind};
use noccl_spec::Plane;

impl Observed<'_> {
    pub(super) fn handshake(
        &self,
        plane: Plane,
        r: usize,
        place: FlitPlace,
        flit: Flit,
    ) -> Handshake {
        Handshake {
            plane,
            tile: TileId(r as u32),
            place,
            flit: self.facts(plane, flit),
        }
    }

    /// All that a hardware flit carries.
    fn facts(&self, plane: Plane, flit: Flit) -> FlitRecord {
        let txn = self.interfaces.txns.get(flit.txn);
        let tree = self.interfaces.txns.trees.tree(flit.txn);
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
        let (trees, number) = (&self.interfaces.txns.trees, flit.variant());
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
            tag: self.interfaces.txns.trees.name_of(flit.txn),
            count: if counts { flit.payload } else { 0 },
            address: txn.address,
            bytes: txn.bytes,
            beats: txn.beats,
            beat: flit.beat,
            operator: said.0,
            element: said.1,
            enabled_bytes: partial.map_or(self.beat.bytes() as u16, |v| v.enabled_bytes),
            value: if is_atomic { flit.payload } else { 0 },
            data: (self.is_value && plane == Plane::Wide)
                .then(|| self.pool.bytes(flit.payload).to_vec()),
        }
    }
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
