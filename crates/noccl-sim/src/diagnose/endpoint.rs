// SPDX-License-Identifier: Apache-2.0
//! Waits at NIs and endpoints: queues, stated limits, transactions as a whole.

use super::View;
use super::graph::Wait;
use super::network::{input, wait};
use super::node::{Node, input_name};
use crate::flit::FlitKind;
use crate::ni::{Source, beat_bytes};
use crate::txn::{Owner, TxnKind};
use noccl_net::Port;
use noccl_spec::Plane;

const LOCAL: usize = Port::Local as usize;

impl View<'_, '_> {
    /// Transaction that a NI would send next.
    pub(super) fn next_of_source(&self, plane: Plane, tile: u32) -> Option<u32> {
        let ni = &self.machine.nis[tile as usize];
        match plane {
            Plane::Req => ni.req.front().map(|f| f.txn),
            Plane::Rsp => ni.rsp.front().map(|f| f.txn),
            Plane::Wide => ni.writes.front().or(ni.reads.front()).map(|s| s.txn),
        }
    }

    /// The tile does not take the flit at its port: a stated limit is reached.
    pub(super) fn waits_for_endpoint(&self, plane: Plane, r: usize, since: u64) -> Vec<Wait> {
        let spec = self.machine.network.spec();
        let Some(flit) = self.plane(plane).fifo(r, false, LOCAL).next() else {
            return Vec::new();
        };
        if self.machine.accepts(r, flit) {
            return Vec::new();
        }
        let (to, what, limit) = if flit.kind == FlitKind::Barrier {
            let open = self.machine.txns.iter_live().filter(|(_, t)| {
                t.kind == TxnKind::Barrier && t.home as usize == r && t.arrived > 0
            });
            let to = open.map(|(id, _)| Node::Transaction(id)).collect();
            (to, "ni.max_open_reductions", spec.ni.max_open_reductions)
        } else {
            let (plane, tile) = (Plane::Wide, r as u32);
            let to = vec![Node::Source { plane, tile }];
            (to, "memory.max_outstanding", spec.memory.max_outstanding)
        };
        self.limited(to, what, limit, r, since)
    }

    pub(super) fn limited(
        &self,
        to: Vec<Node>,
        what: &str,
        limit: u32,
        r: usize,
        since: u64,
    ) -> Vec<Wait> {
        let at = self.tile(r);
        let limit = format!("{what} = {limit} are open at {at}");
        to.into_iter()
            .map(|to| Wait {
                to,
                place: format!("the NI of {at}, {limit}"),
                since,
                limit: Some(limit.clone()),
            })
            .collect()
    }

    pub(super) fn waits_of_source(&self, plane: Plane, tile: u32) -> Vec<Wait> {
        let r = tile as usize;
        let ni = &self.machine.nis[r];
        if plane == Plane::Wide && ni.reads.is_empty() {
            let waits = self.waits_of_write_queue(tile);
            if !waits.is_empty() {
                return waits;
            }
        }
        if self.plane(plane).can_inject(r) {
            return Vec::new();
        }
        let since = self.full_since(plane, r, true, LOCAL, 0);
        let place = input_name(self.machine.network, plane, tile, LOCAL);
        vec![wait(input(plane, r, LOCAL), &place, since)]
    }

    /// The head of the write queue is held back by a limit, or has no data yet.
    pub(super) fn waits_of_write_queue(&self, tile: u32) -> Vec<Wait> {
        let machine = self.machine;
        let ni = &machine.nis[tile as usize];
        let Some(stream) = ni.writes.front() else {
            return Vec::new();
        };
        let txn = machine.txns.get(stream.txn);
        let since = machine.last_progress;
        let limits = &machine.network.spec().ni;
        let is_new = stream.next_beat == 0 && (stream.head_pending || !machine.is_peer);
        let is_reduction = txn.kind == TxnKind::WideReduction;
        if is_new && is_reduction && ni.reductions_outstanding >= limits.max_open_reductions {
            let (what, limit) = ("ni.max_open_reductions", limits.max_open_reductions);
            let open = self.open_bursts(tile, true);
            return self.limited(open, what, limit, tile as usize, since);
        }
        if is_new && ni.wide_outstanding >= limits.max_wide_outstanding {
            let (what, limit) = ("ni.max_wide_outstanding", limits.max_wide_outstanding);
            let open = self.open_bursts(tile, false);
            return self.limited(open, what, limit, tile as usize, since);
        }
        let needed = beat_bytes(txn.address, txn.bytes, stream.next_beat).1;
        if stream.source == Source::Buffer && needed > ni.buffer_bytes {
            let place = format!("the DMA buffer of {}", self.tile(tile as usize));
            let reads = machine.txns.iter_live();
            let reads = reads.filter(|(_, t)| t.owner == Owner::DmaRead && t.home == tile);
            return reads
                .map(|(id, _)| wait(Node::Transaction(id), &place, since))
                .collect();
        }
        Vec::new()
    }

    /// Write and reduction bursts of a tile that have left its queue and have no response.
    pub(super) fn open_bursts(&self, tile: u32, only_reductions: bool) -> Vec<Node> {
        let machine = self.machine;
        let queue = &machine.nis[tile as usize].writes;
        let at = machine.coord(tile);
        let is_open = |id: u32, kind: TxnKind, home: u32| match kind {
            TxnKind::WideReduction => {
                machine.txns.trees.set(id).contains(at) && self.has_contributed(id, tile)
            }
            TxnKind::WideWrite => home == tile && !only_reductions,
            TxnKind::WideRead
            | TxnKind::NarrowWrite
            | TxnKind::NarrowRead
            | TxnKind::Barrier
            | TxnKind::Atomic => false,
        };
        let live = machine.txns.iter_live();
        live.filter(|(id, t)| is_open(*id, t.kind, t.home))
            .filter(|(id, _)| queue.iter().all(|s| s.txn != *id))
            .map(|(id, _)| Node::Transaction(id))
            .collect()
    }

    pub(super) fn waits_of_transaction(&self, txn: u32) -> Vec<Wait> {
        let places = self.places.get(&txn);
        let places = places.into_iter().flatten();
        let waits: Vec<Wait> = places.map(|to| self.wait_at(*to)).collect();
        if waits.is_empty() {
            return self.waits_for_members(txn);
        }
        waits
    }
}
