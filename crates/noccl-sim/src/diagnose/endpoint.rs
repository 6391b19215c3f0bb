// SPDX-License-Identifier: Apache-2.0
//! Waits at NIs and endpoints: queues, stated limits, transactions as a whole.

use crate::diagnose::graph::Wait;
use crate::diagnose::graph::{Node, input_name};
use crate::diagnose::limits::Limit;
use crate::diagnose::network::{entry, input, wait};
use crate::diagnose::view::View;
use crate::ni::axi::state::{BurstStream, Source};
use crate::transport::flit::FlitKind;
use crate::transport::transaction::TxnKind;
use noccl_net::Port;
use noccl_net::tree::join_set;
use noccl_spec::Plane;

const LOCAL: usize = Port::Local as usize;

impl View<'_, '_> {
    /// Transaction that a NI would send next.
    pub(crate) fn next_of_source(&self, plane: Plane, tile: u32) -> Option<u32> {
        let ni = &self.machine.interfaces.nis[tile as usize];
        match plane {
            Plane::Req => ni.req.iter().next().map(|f| f.txn),
            Plane::Rsp => ni.rsp.iter().next().map(|f| f.txn),
            Plane::Wide => ni.reads.front().map(|s| s.txn),
        }
    }

    /// The tile does not take the flit at its port: a stated limit is reached.
    pub(crate) fn waits_for_endpoint(&self, plane: Plane, r: usize, since: u64) -> Vec<Wait> {
        let Some(flit) = self.plane(plane).fifo(r, false, LOCAL).next() else {
            return Vec::new();
        };
        let torrents = self.machine.torrents.as_deref();
        if self.machine.interfaces.accepts(r, flit, torrents) {
            return Vec::new();
        }
        if let Some(waits) = self.waits_for_switch(r, flit, since) {
            return waits;
        }
        let (open, limit) = if flit.kind == FlitKind::Barrier {
            let open = self.machine.interfaces.txns.iter_live().filter(|(_, t)| {
                t.kind == TxnKind::Barrier && t.home as usize == r && t.arrived > 0
            });
            let open = open.map(|(id, _)| Node::Transaction(id)).collect();
            (open, Limit::OpenReductions)
        } else {
            (self.reads_at(r), Limit::MemoryOutstanding)
        };
        self.limited(limit, r, open, since)
    }

    /// Wide reads that a memory is serving.
    fn reads_at(&self, r: usize) -> Vec<Node> {
        let reads = &self.machine.interfaces.nis[r].reads;
        reads.iter().map(|s| Node::Transaction(s.txn)).collect()
    }

    pub(crate) fn waits_of_source(&self, plane: Plane, tile: u32) -> Vec<Wait> {
        if self.plane(plane).can_inject(tile as usize) {
            return match plane {
                Plane::Req => self.waits_of_requests(tile),
                Plane::Rsp | Plane::Wide => Vec::new(),
            };
        }
        let since = self.full_since(plane, tile as usize, true, LOCAL, 0);
        let place = input_name(&self.machine.network, plane, tile, LOCAL);
        vec![wait(input(plane, tile as usize, LOCAL), &place, since)]
    }

    /// A burst in the write queue: held back by a limit or a window, without data, or behind another.
    pub(crate) fn waits_of_stream(&self, tile: u32, id: u32) -> Vec<Wait> {
        let machine = self.machine;
        let ni = &machine.interfaces.nis[tile as usize];
        let Some(at) = ni.writes.iter().position(|s| s.txn == id) else {
            return Vec::new();
        };
        let stream = &ni.writes[at];
        let since = machine.clock.last_progress();
        let limited = self.waits_for_limits(tile, stream, since);
        if !limited.is_empty() {
            return limited;
        }
        if let Some(waits) = self.waits_of_switched(tile, stream) {
            return waits;
        }
        if self.lacks_bytes(tile, stream) {
            return self.waits_for_buffer(tile, id);
        }
        let channel = |txn: u32| machine.interfaces.txns.get(txn).owner.channel();
        let mut earlier = ni.writes.iter().take(at);
        // Own operands of an all-reduce are opened in the order of the reductions.
        let is_operand = matches!(stream.source, Source::Operand(_));
        let opens_later = |s: &BurstStream| is_operand && s.next_beat == 0;
        let holds = |s: &&BurstStream| {
            !machine.behaviour.has_write_channels || opens_later(s) || channel(s.txn) == channel(id)
        };
        if let Some(before) = earlier.find(holds) {
            let place = format!("the write queue of {}", self.tile(tile as usize));
            let to = Node::Stream {
                tile,
                txn: before.txn,
            };
            return vec![wait(to, &place, since)];
        }
        self.waits_of_source(Plane::Wide, tile)
    }

    fn waits_for_limits(&self, tile: u32, stream: &BurstStream, since: u64) -> Vec<Wait> {
        let machine = self.machine;
        let ni = &machine.interfaces.nis[tile as usize];
        let limits = &machine.network.axi().ni;
        let is_new =
            stream.next_beat == 0 && (stream.head_pending || !machine.behaviour.is_wormhole);
        let is_reduction = machine.interfaces.txns.get(stream.txn).kind == TxnKind::WideReduction;
        if is_new && is_reduction && ni.reductions_outstanding >= limits.max_open_reductions {
            let open = self.open_bursts(tile, true);
            return self.limited(Limit::OpenReductions, tile as usize, open, since);
        }
        if is_new && ni.wide_outstanding >= limits.max_wide_outstanding {
            let open = self.open_bursts(tile, false);
            return self.limited(Limit::WideOutstanding, tile as usize, open, since);
        }
        if stream.in_flight >= stream.window {
            return self.waits_for_credits(tile as usize, stream.txn, true);
        }
        Vec::new()
    }

    /// Beats of a reduction fill the window to the next merge point, where they wait for other contributions.
    pub(crate) fn waits_for_credits(&self, from: usize, txn: u32, counts_here: bool) -> Vec<Wait> {
        let tree = self.machine.interfaces.txns.trees.tree(txn);
        let network = self.machine.network;
        let mut path = network.path(self.coord(from), tree.root);
        if !counts_here {
            path.next();
        }
        let merges = |at| join_set(at, tree.set, tree.root).count_ones() > 1;
        let Some((at, _)) = path.find(|(at, _)| merges(*at)) else {
            return Vec::new();
        };
        let router = network.tile_at(at).0;
        let place = format!(
            "the window to the merge point of {}",
            self.tile(router as usize)
        );
        let joins = &self.plane(Plane::Wide).joins;
        let waiting = joins.waiting_at(router as usize).filter(|w| w.txn == txn);
        let mut waits: Vec<Wait> = waiting
            .map(|w| {
                wait(
                    entry(Plane::Wide, router as usize, txn, w.beat),
                    &place,
                    w.since,
                )
            })
            .collect();
        if waits.is_empty() {
            return self.waits_for_window(router, txn);
        }
        // In a deadlock the window is not the cause: those beats wait for others.
        if self.is_over_its_limit() {
            let limit = self.limit_text(Limit::Window, router as usize, &[]);
            waits.iter_mut().for_each(|w| w.limit = Some(limit.clone()));
        }
        waits
    }

    /// Write and reduction bursts of a tile that have left its queue and have no response.
    pub(crate) fn open_bursts(&self, tile: u32, only_reductions: bool) -> Vec<Node> {
        let machine = self.machine;
        let queue = &machine.interfaces.nis[tile as usize].writes;
        let at = machine.coord(tile);
        let is_open = |id: u32, kind: TxnKind, home: u32| match kind {
            TxnKind::WideReduction => {
                machine.interfaces.txns.trees.set(id).contains(at) && self.has_contributed(id, tile)
            }
            TxnKind::WideWrite => home == tile && !only_reductions,
            TxnKind::WideRead
            | TxnKind::NarrowWrite
            | TxnKind::NarrowRead
            | TxnKind::Barrier
            | TxnKind::Atomic => false,
        };
        let live = machine.interfaces.txns.iter_live();
        live.filter(|(id, t)| is_open(*id, t.kind, t.home))
            .filter(|(id, _)| queue.iter().all(|s| s.txn != *id))
            .map(|(id, _)| Node::Transaction(id))
            .collect()
    }

    pub(crate) fn waits_of_transaction(&self, txn: u32) -> Vec<Wait> {
        let places = self.places.get(&txn);
        let places = places.into_iter().flatten();
        let waits: Vec<Wait> = places.map(|to| self.wait_at(*to)).collect();
        if waits.is_empty() {
            return self.waits_for_members(txn);
        }
        waits
    }
}
