// SPDX-License-Identifier: Apache-2.0
//! From a flow to the places that it takes.

use super::transaction::{KeptUntil, Part, Transaction};
use super::{Flow, Place};
use crate::{Coord, LinkId, Network, Port, TileId};
use noccl_spec::{Plane, RouterFlow};
use std::collections::{BTreeMap, BTreeSet};

/// What the surroundings of a transaction decide about it.
pub(super) struct Rules<'a> {
    pub(super) network: &'a Network,
    pub(super) flow: RouterFlow,
    /// Can more reductions meet at a router than it works on together?
    pub(super) can_store_fill: bool,
    /// Targets whose counters of open barriers can be in use when a further barrier comes.
    pub(super) full_targets: &'a BTreeSet<TileId>,
    /// Must a tile's next request wait until this one has been answered?
    pub(super) is_answer_awaited: bool,
}

/// A place on the way of a reduction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Link(Coord, Port),
    Leaf(Coord),
}

impl Rules<'_> {
    pub(super) fn transaction(&self, index: usize, flow: &Flow) -> Transaction {
        let mut txn = Transaction::new(flow.describe(index, self.network));
        let members = flow.members(self.network);
        let coords: Vec<Coord> = members.iter().map(|t| self.network.coord(*t)).collect();
        let plane = flow.request_plane();
        match *flow {
            Flow::Write { from, .. }
            | Flow::NarrowWrite { from, .. }
            | Flow::Multicast { from, .. }
            | Flow::NarrowMulticast { from, .. } => {
                let keeps = self.branches(coords.len());
                let first = Some(self.issue(&mut txn, plane, from, keeps));
                let source = self.network.coord(from);
                let ends = self.fork(
                    &mut txn,
                    (plane, Part::Request, keeps),
                    first,
                    source,
                    &coords,
                );
                let answers = self.answers(&mut txn, Plane::Rsp, &ends, keeps);
                self.join(
                    &mut txn,
                    (Plane::Rsp, Part::Response, keeps),
                    &answers,
                    source,
                );
            }
            Flow::Read { from, source } => {
                let further = KeptUntil::PassedOn;
                // Reads are issued apart from writes, and wait for nobody there.
                let (here, there) = (self.network.coord(from), self.network.coord(source));
                let ends = self.fork(
                    &mut txn,
                    (plane, Part::Request, further),
                    None,
                    here,
                    &[there],
                );
                let answers = self.answers(&mut txn, Plane::Wide, &ends, further);
                self.join(
                    &mut txn,
                    (Plane::Wide, Part::Response, further),
                    &answers,
                    here,
                );
            }
            Flow::Reduction { root, .. } | Flow::Barrier { root, .. } => {
                let keeps = self.branches(coords.len());
                let leaves: Vec<(Coord, usize)> = members
                    .iter()
                    .map(|t| {
                        (
                            self.network.coord(*t),
                            self.issue(&mut txn, plane, *t, keeps),
                        )
                    })
                    .collect();
                let end = self.network.coord(root);
                let last = self.join(&mut txn, (plane, Part::Request, keeps), &leaves, end);
                // A response is one flit: a copy that has been taken goes its own way.
                let further = KeptUntil::PassedOn;
                let answers = self.answers(&mut txn, Plane::Rsp, &[(end, last)], further);
                let how = (Plane::Rsp, Part::Response, further);
                self.fork(&mut txn, how, Some(answers[0].1), end, &coords);
            }
        }
        txn
    }

    /// How a place is kept at forks and joins.
    const fn branches(&self, members: usize) -> KeptUntil {
        match self.flow {
            RouterFlow::PeerCompatible | RouterFlow::Esp if members > 1 => KeptUntil::SiblingsTaken,
            RouterFlow::PeerCompatible | RouterFlow::Esp | RouterFlow::NonBlocking => {
                KeptUntil::PassedOn
            }
        }
    }

    fn issue(&self, txn: &mut Transaction, plane: Plane, tile: TileId, keeps: KeptUntil) -> usize {
        let keeps = if self.is_answer_awaited {
            KeptUntil::Answered
        } else {
            keeps
        };
        txn.push(
            Place::Issue { plane, tile },
            Vec::new(),
            keeps,
            Part::Request,
        )
    }

    /// Targets answer in the order in which requests reach them.
    fn answers(
        &self,
        txn: &mut Transaction,
        plane: Plane,
        ends: &[(Coord, usize)],
        keeps: KeptUntil,
    ) -> Vec<(Coord, usize)> {
        ends.iter()
            .map(|(at, end)| {
                let tile = self.network.tile_at(*at);
                let place = Place::Answer { plane, tile };
                (*at, txn.push(place, vec![*end], keeps, Part::Response))
            })
            .collect()
    }

    fn link(&self, plane: Plane, at: Coord, port: Port) -> Place {
        let tile = self.network.tile_at(at);
        Place::Link(LinkId { plane, tile, port })
    }

    /// Links of the paths from `source` to the members; returns the last link of each.
    fn fork(
        &self,
        txn: &mut Transaction,
        (plane, part, keeps): (Plane, Part, KeptUntil),
        first: Option<usize>,
        source: Coord,
        members: &[Coord],
    ) -> Vec<(Coord, usize)> {
        let mut taken: BTreeMap<(Coord, Port), usize> = BTreeMap::new();
        let mut ends = Vec::with_capacity(members.len());
        for member in members {
            let mut last = first;
            for (at, port) in self.network.path(source, *member) {
                let link = *taken.entry((at, port)).or_insert_with(|| {
                    let after = last.into_iter().collect();
                    txn.push(self.link(plane, at, port), after, keeps, part)
                });
                last = Some(link);
            }
            ends.extend(last.map(|link| (*member, link)));
        }
        ends
    }

    /// Links of the paths from the leaves to `root`, with the stores between them; returns the last.
    fn join(
        &self,
        txn: &mut Transaction,
        (plane, part, keeps): (Plane, Part, KeptUntil),
        leaves: &[(Coord, usize)],
        root: Coord,
    ) -> usize {
        let mut sources: BTreeMap<(Coord, Port), Vec<Source>> = BTreeMap::new();
        for (leaf, _) in leaves {
            let mut from = Source::Leaf(*leaf);
            for (at, port) in self.network.path(*leaf, root) {
                let joined = sources.entry((at, port)).or_default();
                if !joined.contains(&from) {
                    joined.push(from);
                }
                from = Source::Link(at, port);
            }
        }
        let mut taken: BTreeMap<Source, usize> = leaves
            .iter()
            .map(|(at, leaf)| (Source::Leaf(*at), *leaf))
            .collect();
        // Farthest links first: what a link needs has then been taken.
        let mut order: Vec<(Coord, Port)> = sources.keys().copied().collect();
        order.sort_by_key(|(at, _)| std::cmp::Reverse(at.hops_to(root)));
        let has_store = self.can_store_fill
            && plane == Plane::Wide
            && part == Part::Request
            && leaves.len() > 1;
        let mut last = 0;
        for (at, port) in order {
            let joined = &sources[&(at, port)];
            let mut after: Vec<usize> = joined.iter().map(|s| taken[s]).collect();
            if has_store && joined.len() > 1 {
                let store = Place::Store(self.network.tile_at(at));
                for before in &mut after {
                    *before = txn.push(store, vec![*before], KeptUntil::SiblingsTaken, part);
                }
            }
            let is_counted = plane == Plane::Req && part == Part::Request && leaves.len() > 1;
            if is_counted && port == Port::Local {
                after = self.counted(txn, at, after, keeps);
            }
            last = txn.push(self.link(plane, at, port), after, keeps, part);
            taken.insert(Source::Link(at, port), last);
        }
        last
    }

    /// The first contribution of a barrier to reach its target goes by itself and takes a counter there:
    /// a merge point on the way may have had no room to wait for the others. Returns what comes with
    /// the last one.
    fn counted(
        &self,
        txn: &mut Transaction,
        at: Coord,
        joined: Vec<usize>,
        keeps: KeptUntil,
    ) -> Vec<usize> {
        let tile = self.network.tile_at(at);
        if !self.full_targets.contains(&tile) {
            return joined;
        }
        let (first, others) = (joined[0], &joined[1..]);
        let link = self.link(Plane::Req, at, Port::Local);
        let link = txn.push(link, vec![first], keeps, Part::Request);
        let bound = KeptUntil::SiblingsTaken;
        txn.push(Place::Counters(tile), vec![link], bound, Part::Request);
        // Contributions through one port come one after the other.
        let others = if others.is_empty() { &joined } else { others };
        others.to_vec()
    }
}
