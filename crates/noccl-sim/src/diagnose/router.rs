// SPDX-License-Identifier: Apache-2.0
//! Waits in routers, as the hardware waits.

use crate::diagnose::graph::Wait;
use crate::diagnose::graph::{Node, input_name, output_name};
use crate::diagnose::limits::Limit;
use crate::diagnose::network::{entry, input, output, ports, wait};
use crate::diagnose::view::View;
use crate::router::collective::control::block::RESULT;
use crate::router::collective::fork::route::{next_port, route_of};
use crate::transport::flit::{Flit, FlitKind};
use noccl_net::Port;
use noccl_net::pairs::FoldOrder;
use noccl_net::tree::join_set;
use noccl_spec::Plane;

const LOCAL: usize = Port::Local as usize;

impl View<'_, '_> {
    pub(crate) fn waits_of_input(&self, plane: Plane, r: usize, port: usize) -> Vec<Wait> {
        let state = self.plane(plane);
        let since = self.head_since(plane, r, true, port);
        let Some(flit) = state.fifo(r, true, port).next() else {
            return Vec::new();
        };
        if state.is_joining(r, port) {
            return if state.published.is_some() {
                self.waits_of_join(plane, r, port, flit, since)
            } else {
                self.waits_for_store(plane, r, flit, since)
            };
        }
        ports(state.wants(r, port))
            .flat_map(|out| self.waits_for_output(plane, r, port, out, since))
            .collect()
    }

    /// `input` of a router wants output `out`: another packet holds it, or it has no space.
    pub(crate) fn waits_for_output(
        &self,
        plane: Plane,
        r: usize,
        input: usize,
        out: usize,
        since: u64,
    ) -> Vec<Wait> {
        let state = self.plane(plane);
        let link = output_name(&self.machine.network, plane, r as u32, out);
        if let Some(published) = &state.published
            && let Some(holder) = published.holder(r, out).filter(|h| *h != input)
        {
            let (txn, held_since) = published.held(r, out);
            let place = format!("{link}, which {} holds", self.txn_name(txn));
            let since = since.max(held_since);
            let to = self.packet_at(plane, r, holder, txn);
            return to.into_iter().map(|to| wait(to, &place, since)).collect();
        }
        if !state.is_full(r, false, out) {
            return Vec::new();
        }
        let since = self.full_since(plane, r, false, out, since);
        vec![wait(output(plane, r, out), &link, since)]
    }

    /// Where the next flit stands of the packet that comes through input `input` of a router.
    pub(crate) fn packet_at(&self, plane: Plane, r: usize, input: usize, txn: u32) -> Vec<Node> {
        let state = self.plane(plane);
        let (mut r, mut input) = (r, input);
        loop {
            if input == RESULT {
                let router = r as u32;
                return match state.oldest_result(r) {
                    Some(_) => vec![Node::Result { plane, router }],
                    None => self.contributions(plane, r, txn, None),
                };
            }
            if state.fifo(r, true, input).next().is_some() {
                return vec![self::input(plane, r, input)];
            }
            if input == LOCAL {
                return vec![self.queue(plane, r as u32, txn)];
            }
            let (before, out) = self.upstream_of(r, input);
            if state.fifo(before, false, out).next().is_some() {
                return vec![output(plane, before, out)];
            }
            match state.published.as_ref().and_then(|p| p.holder(before, out)) {
                Some(holder) => (r, input) = (before, holder),
                None => return vec![Node::Transaction(txn)],
            }
        }
    }

    /// Published router: a contribution waits at a FIFO head for the others.
    pub(crate) fn waits_of_join(
        &self,
        plane: Plane,
        r: usize,
        port: usize,
        flit: Flit,
        since: u64,
    ) -> Vec<Wait> {
        let state = self.plane(plane);
        let missing = state.missing_contributions(r, port, &self.machine.interfaces.txns.trees);
        if missing == 0 {
            let out = next_port(
                self.coord(r),
                route_of(flit, &self.machine.interfaces.txns.trees),
            );
            let router = r as u32;
            if flit.kind == FlitKind::ReduceHead && state.joins.has_results(r) {
                let place = format!("the reduction unit of {}", self.tile(r));
                return vec![wait(Node::Result { plane, router }, &place, since)];
            }
            return self.waits_for_output(plane, r, RESULT, out, since);
        }
        ports(missing)
            .flat_map(|p| {
                let place = input_name(&self.machine.network, plane, r as u32, p);
                let place = format!("{place}, where another contribution is due");
                let since = match state.fifo(r, true, p).next() {
                    Some(_) => since.max(self.head_since(plane, r, true, p)),
                    None => since,
                };
                let to = self.upstream(plane, r, p, flit.txn, None);
                to.into_iter().map(move |to| wait(to, &place, since))
            })
            .collect()
    }

    /// Default flow: a contribution stays in its FIFO because the store is full.
    pub(crate) fn waits_for_store(
        &self,
        plane: Plane,
        r: usize,
        flit: Flit,
        since: u64,
    ) -> Vec<Wait> {
        let slots = self.slots_taken(plane, r, flit.txn);
        self.limited(Limit::Store, r, slots, since)
    }

    /// The queue of a NI that a transaction's flits come from.
    fn queue(&self, plane: Plane, tile: u32, txn: u32) -> Node {
        match plane {
            Plane::Wide => Node::Stream { tile, txn },
            Plane::Req | Plane::Rsp => Node::Source { plane, tile },
        }
    }

    /// Where the contributions to a transaction stand that are due at a router.
    pub(crate) fn contributions(
        &self,
        plane: Plane,
        r: usize,
        txn: u32,
        beat: Option<u16>,
    ) -> Vec<Node> {
        let tree = self.machine.interfaces.txns.trees.tree(txn);
        let expected = join_set(self.coord(r), tree.set, tree.root);
        let inputs = ports(expected);
        inputs
            .flat_map(|p| self.upstream(plane, r, p, txn, beat))
            .collect()
    }

    /// Where the contribution stands that is due at an input: there, or upstream, or with the member.
    pub(crate) fn upstream(
        &self,
        plane: Plane,
        r: usize,
        port: usize,
        txn: u32,
        beat: Option<u16>,
    ) -> Vec<Node> {
        let state = self.plane(plane);
        if state.fifo(r, true, port).next().is_some() {
            return vec![input(plane, r, port)];
        }
        if port == LOCAL {
            let tile = r as u32;
            let queue = self.queue(plane, tile, txn);
            let is_queued = self.places.get(&txn).is_some_and(|p| p.contains(&queue));
            let short = self.machine.errors.beats_of(txn, tile);
            let is_short = short.zip(beat).is_some_and(|(has, beat)| beat >= has);
            return match (is_queued, self.has_contributed(txn, tile) && !is_short) {
                (true, _) => vec![queue],
                (false, true) => Vec::new(),
                (false, false) => vec![self.member(txn, tile)],
            };
        }
        let (before, out) = self.upstream_of(r, port);
        if state.fifo(before, false, out).next().is_some() {
            return vec![output(plane, before, out)];
        }
        let mut entries = state.joins.waiting_at(before);
        if let Some(w) = entries.find(|w| w.txn == txn && (beat.is_none() || w.beat == beat)) {
            return vec![entry(plane, before, txn, w.beat)];
        }
        if state.oldest_result(before).is_some() {
            let router = before as u32;
            return vec![Node::Result { plane, router }];
        }
        self.contributions(plane, before, txn, beat)
    }

    pub(crate) fn waits_of_entry(
        &self,
        plane: Plane,
        r: usize,
        txn: u32,
        beat: Option<u16>,
    ) -> Vec<Wait> {
        let tree = self.machine.interfaces.txns.trees.tree(txn);
        let mut entries = self.plane(plane).joins.waiting_at(r);
        let Some(entry) = entries.find(|w| w.txn == txn && w.beat == beat) else {
            return Vec::new();
        };
        if plane == Plane::Rsp {
            return self.waits_for_requests(txn, entry.since);
        }
        if tree.fold_order == FoldOrder::InPairs {
            return self.waits_for_senders(r, txn, entry.since);
        }
        let missing = join_set(self.coord(r), tree.set, tree.root) & !entry.have;
        if missing == 0 {
            return self.waits_for_credits(r, txn, false);
        }
        ports(missing)
            .flat_map(|p| {
                let place = input_name(&self.machine.network, plane, r as u32, p);
                let to = self.upstream(plane, r, p, txn, beat);
                to.into_iter().map(move |to| wait(to, &place, entry.since))
            })
            .collect()
    }

    /// Operands in pairs that a router lacks: at a member that has not contributed, in a queue, at the router that combines them, or on the
    /// path.
    fn waits_for_senders(&self, r: usize, txn: u32, since: u64) -> Vec<Wait> {
        let plane = Plane::Wide;
        let (joins, trees) = (
            &self.plane(plane).joins,
            &self.machine.interfaces.txns.trees,
        );
        let places = || self.places.get(&txn).into_iter().flatten().copied();
        let mut waits = Vec::new();
        for sender in joins.missing_senders(r, self.coord(r), txn, trees) {
            let tile = self.machine.network.tile_at(sender).0;
            let is_at_sender = |node: &Node| {
                matches!(node, Node::Entry { router, .. } | Node::Result { router, .. } if *router == tile)
                    || matches!(node, Node::Stream { tile: at, .. } if *at == tile)
            };
            let place = format!("the sum of {}", self.tile(tile as usize));
            let at_sender: Vec<Node> = places().filter(is_at_sender).collect();
            let to = if !at_sender.is_empty() {
                at_sender
            } else if self.has_contributed(txn, tile) {
                let is_flit =
                    |node: &Node| matches!(node, Node::Input { .. } | Node::Output { .. });
                places().filter(is_flit).collect()
            } else {
                vec![self.member(txn, tile)]
            };
            waits.extend(to.into_iter().map(|to| wait(to, &place, since)));
        }
        waits
    }

    /// Responses that wait for the others: those members' data has not arrived.
    pub(crate) fn waits_for_requests(&self, txn: u32, since: u64) -> Vec<Wait> {
        let places = self.places.get(&txn).into_iter().flatten();
        let requests = places.filter(|node| match node {
            Node::Input { plane, .. } | Node::Output { plane, .. } | Node::Source { plane, .. } => {
                *plane != Plane::Rsp
            }
            Node::Stream { .. } => true,
            Node::Entry { .. }
            | Node::Result { .. }
            | Node::Transaction(_)
            | Node::Member { .. }
            | Node::Entrant(_)
            | Node::Share(_)
            | Node::Limit { .. }
            | Node::Chain { .. } => false,
        });
        requests
            .map(|to| Wait {
                since,
                ..self.wait_at(*to)
            })
            .collect()
    }

    pub(crate) fn waits_of_result(&self, plane: Plane, r: usize) -> Vec<Wait> {
        match self.plane(plane).oldest_result(r) {
            Some((done, flit)) => {
                let out = next_port(
                    self.coord(r),
                    route_of(flit, &self.machine.interfaces.txns.trees),
                );
                self.waits_for_output(plane, r, RESULT, out, done)
            }
            None => Vec::new(),
        }
    }

    pub(crate) fn waits_of_output(&self, plane: Plane, r: usize, port: usize) -> Vec<Wait> {
        let since = self.head_since(plane, r, false, port);
        if port == LOCAL {
            return self.waits_for_endpoint(plane, r, since);
        }
        let (next, entry) = self.upstream_of(r, port);
        if !self.plane(plane).is_full(next, true, entry) {
            return Vec::new();
        }
        let since = self.full_since(plane, next, true, entry, since);
        let place = input_name(&self.machine.network, plane, next as u32, entry);
        vec![wait(input(plane, next, entry), &place, since)]
    }
}
