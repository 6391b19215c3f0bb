// SPDX-License-Identifier: Apache-2.0
//! From flows to the places that they take.

use crate::deadlock::channels::Forks;
use crate::deadlock::program::transaction::{KeptUntil, Part, Transaction, Why};
use crate::deadlock::{Flow, Place};
use crate::{Coord, LinkId, Network, Port, TileId};
use noccl_spec::Plane;
use std::collections::{BTreeMap, BTreeSet};

/// What the surroundings of a transaction decide about it.
pub(crate) struct Rules<'a> {
    pub(crate) network: &'a Network,
    /// Can more reductions meet at a router than it works on together?
    pub(crate) can_store_fill: bool,
    /// Targets whose counters of open barriers can be in use when a further barrier comes.
    pub(crate) full_targets: &'a BTreeSet<TileId>,
    /// Must a tile's next request wait until this one has been responded to?
    pub(crate) is_response_awaited: bool,
    /// Where flits can come between those of a packet.
    pub(crate) cut_ins: &'a CutIns,
}

/// Where flits can come between those of a packet.
#[derive(Debug, Clone, Default)]
pub(crate) struct CutIns {
    /// Merged barriers on the request plane.
    pub(crate) req: bool,
    /// Sums on the wide plane.
    pub(crate) wide: bool,
    /// Tiles that send read data, which alternates with their writes.
    pub(crate) sources: BTreeSet<TileId>,
    /// Tiles that send writes or contributions.
    pub(crate) writers: BTreeSet<TileId>,
}

impl CutIns {
    /// Of these flows; none where no others come between the flits of a packet.
    pub(crate) fn of<'f>(network: &Network, flows: impl Iterator<Item = &'f Flow>) -> Self {
        let mut cut_ins = Self::default();
        if !network.routers().lets_others_between {
            return cut_ins;
        }
        for one in flows {
            match *one {
                Flow::Read { source, .. } => {
                    cut_ins.sources.insert(source);
                }
                Flow::Reduction { .. } => {
                    cut_ins.wide = true;
                    cut_ins.writers.extend(one.members(network));
                }
                Flow::Write { from, .. } | Flow::Multicast { from, .. } => {
                    cut_ins.writers.insert(from);
                }
                Flow::Barrier { .. } => cut_ins.req = true,
                Flow::NarrowWrite { .. } | Flow::NarrowMulticast { .. } => {}
            }
        }
        cut_ins
    }

    /// Between those of a packet from this tile?
    fn among(&self, plane: Plane, from: TileId) -> bool {
        match plane {
            Plane::Req => self.req,
            Plane::Wide => self.wide || self.sources.contains(&from),
            Plane::Rsp => false,
        }
    }
}

impl Rules<'_> {
    pub(crate) fn transaction(&self, index: usize, flow: &Flow) -> Transaction {
        let mut txn = Transaction::new(flow.describe(index, self.network));
        self.add(&mut txn, flow, &[]);
        txn
    }

    /// Adds the uses of a flow that begins after those of `first`.
    pub(crate) fn add(&self, txn: &mut Transaction, flow: &Flow, first: &[usize]) {
        match *flow {
            Flow::Write { from, .. }
            | Flow::NarrowWrite { from, .. }
            | Flow::Multicast { from, .. }
            | Flow::NarrowMulticast { from, .. } => self.write(txn, flow, from, first),
            Flow::Read { from, source } => self.read(txn, (from, source), first),
            Flow::Reduction { root, .. } | Flow::Barrier { root, .. } => {
                self.meeting(txn, flow, root, first);
            }
        }
    }

    fn write(&self, txn: &mut Transaction, flow: &Flow, from: TileId, first: &[usize]) {
        let plane = flow.request_plane();
        let members = flow.members(self.network);
        let coords: Vec<_> = members.iter().map(|t| self.network.coord(*t)).collect();
        let keeps = self.branches(coords.len());
        let issue = self.issue(txn, plane, from, first, keeps);
        let ends = self.packet(txn, plane, (from, issue), &coords, keeps);
        let responses = self.responses(txn, Plane::Rsp, &ends, keeps);
        let paths = self.paths(Plane::Rsp, Part::Response, keeps);
        paths.join(txn, &responses, self.network.coord(from));
    }

    /// A burst from an interface to all members; returns the last link of each.
    pub(crate) fn packet(
        &self,
        txn: &mut Transaction,
        plane: Plane,
        (from, issue): (TileId, usize),
        members: &[crate::Coord],
        keeps: KeptUntil,
    ) -> Vec<(crate::Coord, usize)> {
        let source = self.network.coord(from);
        let paths = |keeps| self.paths(plane, Part::Request, keeps);
        if !self.cut_ins.among(plane, from) {
            return paths(keeps).fork(txn, Some(issue), source, members);
        }
        let keeps = match keeps {
            KeptUntil::PassedOn => KeptUntil::RestPassed,
            KeptUntil::RestPassed | KeptUntil::OthersTaken | KeptUntil::Responded => keeps,
        };
        let first = txn.uses.len();
        let enters = self.enter(txn, plane, from, Some(issue), keeps);
        let ends = paths(keeps).fork(txn, Some(enters), source, members);
        txn.push_rest(first, Why::ForTheRest);
        ends
    }

    /// The FIFO between an interface and its router, which writes, contributions and read data share.
    fn enter(
        &self,
        txn: &mut Transaction,
        plane: Plane,
        tile: TileId,
        after: Option<usize>,
        keeps: KeptUntil,
    ) -> usize {
        let port = crate::Port::Local;
        let place = Place::Input { plane, tile, port };
        txn.push(place, after.into_iter().collect(), keeps, Part::Request)
    }

    /// Reads are issued apart from writes, and do not wait there. Their data are packets too.
    pub(crate) fn read(
        &self,
        txn: &mut Transaction,
        (from, source): (TileId, TileId),
        first: &[usize],
    ) {
        let further = KeptUntil::PassedOn;
        let (here, there) = (self.network.coord(from), self.network.coord(source));
        let mut begins = first.first().copied();
        if self.cut_ins.req {
            begins = Some(self.enter(txn, Plane::Req, from, begins, further));
        }
        let request = self.paths(Plane::Req, Part::Request, further);
        let ends = request.fork(txn, begins, here, &[there]);
        let data = txn.uses.len();
        let mut responses = self.responses(txn, Plane::Wide, &ends, further);
        let first = txn.uses.len();
        let is_cut = self.cut_ins.wide || self.cut_ins.writers.contains(&source);
        let further = if is_cut {
            KeptUntil::RestPassed
        } else {
            further
        };
        if is_cut {
            let (tile, port) = (source, crate::Port::Local);
            let place = Place::Input {
                plane: Plane::Wide,
                tile,
                port,
            };
            for (_, response) in &mut responses {
                *response = txn.push(place, vec![*response], further, Part::Response);
            }
        }
        self.paths(Plane::Wide, Part::Response, further)
            .join(txn, &responses, here);
        txn.explain(data, Why::CutsIn);
        if is_cut {
            txn.push_rest(first, Why::RestOfData);
        }
    }

    fn meeting(&self, txn: &mut Transaction, flow: &Flow, root: TileId, first: &[usize]) {
        let plane = flow.request_plane();
        let members = flow.members(self.network);
        let coords: Vec<_> = members.iter().map(|t| self.network.coord(*t)).collect();
        let keeps = self.branches(coords.len());
        let mut leaves = Vec::with_capacity(members.len());
        for (tile, at) in members.iter().zip(&coords) {
            let issue = self.issue(txn, plane, *tile, first, keeps);
            leaves.push((*at, issue));
        }
        let end = self.network.coord(root);
        let begins = txn.uses.len();
        for (tile, leaf) in members.iter().zip(&mut leaves) {
            if self.cut_ins.among(plane, *tile) {
                leaf.1 = self.enter(txn, plane, *tile, Some(leaf.1), keeps);
            }
        }
        let last = self
            .paths(plane, Part::Request, keeps)
            .join(txn, &leaves, end);
        if members.iter().any(|t| self.cut_ins.sources.contains(t)) {
            txn.push_rest(begins, Why::RestOfOperands);
        }
        // A response is one flit: a copy that has been taken proceeds on its own.
        let further = KeptUntil::PassedOn;
        let responses = self.responses(txn, Plane::Rsp, &[(end, last)], further);
        let paths = self.paths(Plane::Rsp, Part::Response, further);
        paths.fork(txn, Some(responses[0].1), end, &coords);
    }

    /// How a place is kept at forks and joins.
    pub(crate) const fn branches(&self, members: usize) -> KeptUntil {
        match self.network.routers().mechanism.forks {
            Forks::HoldOutputs if members > 1 => KeptUntil::OthersTaken,
            Forks::HoldOutputs | Forks::PerOutput => KeptUntil::PassedOn,
        }
    }

    pub(crate) fn issue(
        &self,
        txn: &mut Transaction,
        plane: Plane,
        tile: TileId,
        first: &[usize],
        keeps: KeptUntil,
    ) -> usize {
        let keeps = if self.is_response_awaited {
            KeptUntil::Responded
        } else {
            keeps
        };
        let place = Place::Issue { plane, tile };
        txn.push(place, first.to_vec(), keeps, Part::Request)
    }

    /// Targets respond in the order in which requests reach them.
    fn responses(
        &self,
        txn: &mut Transaction,
        plane: Plane,
        ends: &[(crate::Coord, usize)],
        keeps: KeptUntil,
    ) -> Vec<(crate::Coord, usize)> {
        ends.iter()
            .map(|(at, end)| {
                let tile = self.network.tile_at(*at);
                let place = Place::Responses { plane, tile };
                (*at, txn.push(place, vec![*end], keeps, Part::Response))
            })
            .collect()
    }

    pub(crate) const fn paths(&self, plane: Plane, part: Part, keeps: KeptUntil) -> Paths<'_> {
        Paths {
            rules: self,
            plane,
            part,
            keeps,
        }
    }
}

// The links of one part of a transaction: trees away from a tile and towards one.

/// A place on the path of a reduction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Link(Coord, Port),
    Leaf(Coord),
}

/// Links of one plane for one part of a transaction, and how they are kept.
pub(crate) struct Paths<'a> {
    pub(crate) rules: &'a Rules<'a>,
    pub(crate) plane: Plane,
    pub(crate) part: Part,
    pub(crate) keeps: KeptUntil,
}

impl Paths<'_> {
    fn link(&self, plane: Plane, at: Coord, port: Port) -> Place {
        let tile = self.rules.network.tile_at(at);
        Place::Link(LinkId::new(plane, tile, port))
    }

    /// Links of the paths from `source` to the members; returns the last link of each.
    pub(crate) fn fork(
        &self,
        txn: &mut Transaction,
        first: Option<usize>,
        source: Coord,
        members: &[Coord],
    ) -> Vec<(Coord, usize)> {
        let mut taken: BTreeMap<(Coord, Port), usize> = BTreeMap::new();
        let mut ends = Vec::with_capacity(members.len());
        for member in members {
            let mut last = first;
            for (at, port) in self.rules.network.path(source, *member) {
                let link = *taken.entry((at, port)).or_insert_with(|| {
                    let after = last.into_iter().collect();
                    txn.push(
                        self.link(self.plane, at, port),
                        after,
                        self.keeps,
                        self.part,
                    )
                });
                last = Some(link);
            }
            ends.extend(last.map(|link| (*member, link)));
        }
        ends
    }

    /// What comes immediately before each link of the paths from the leaves to `root`.
    fn sources(
        &self,
        leaves: &[(Coord, usize)],
        root: Coord,
    ) -> BTreeMap<(Coord, Port), Vec<Source>> {
        let mut sources: BTreeMap<(Coord, Port), Vec<Source>> = BTreeMap::new();
        for (leaf, _) in leaves {
            let mut from = Source::Leaf(*leaf);
            for (at, port) in self.rules.network.path(*leaf, root) {
                let joined = sources.entry((at, port)).or_default();
                if !joined.contains(&from) {
                    joined.push(from);
                }
                from = Source::Link(at, port);
            }
        }
        sources
    }

    /// Links of the paths from the leaves to `root`, with the stores between them; returns the last.
    pub(crate) fn join(
        &self,
        txn: &mut Transaction,
        leaves: &[(Coord, usize)],
        root: Coord,
    ) -> usize {
        let (plane, part) = (self.plane, self.part);
        let sources = self.sources(leaves, root);
        let mut taken: BTreeMap<Source, usize> = leaves
            .iter()
            .map(|(at, leaf)| (Source::Leaf(*at), *leaf))
            .collect();
        // Farthest links first: what a link needs has then been taken.
        let mut order: Vec<(Coord, Port)> = sources.keys().copied().collect();
        order.sort_by_key(|(at, _)| std::cmp::Reverse(at.hops_to(root)));
        let is_meeting = part == Part::Request && leaves.len() > 1;
        let has_store = self.rules.can_store_fill && plane == Plane::Wide && is_meeting;
        let mut last = 0;
        for (at, port) in order {
            let joined = &sources[&(at, port)];
            let mut after: Vec<usize> = joined.iter().map(|s| taken[s]).collect();
            let is_merged = is_meeting
                && (after.len() > 1 || after.iter().any(|before| txn.uses[*before].cuts_in()));
            if has_store && joined.len() > 1 {
                let store = Place::Store(self.rules.network.tile_at(at));
                for before in &mut after {
                    *before = txn.push(store, vec![*before], KeptUntil::OthersTaken, part);
                }
            }
            if plane == Plane::Req && is_meeting && port == Port::Local {
                after = self.counted(txn, at, after);
            }
            last = txn.push(self.link(plane, at, port), after, self.keeps, part);
            if is_merged {
                txn.explain(last, Why::SumCutsIn);
            }
            taken.insert(Source::Link(at, port), last);
        }
        last
    }

    /// The first contribution of a barrier to reach its target goes by itself and takes a counter there:
    /// a merge point on the path may have had no space to wait for the others. Returns what comes with
    /// the last one.
    fn counted(&self, txn: &mut Transaction, at: Coord, joined: Vec<usize>) -> Vec<usize> {
        let tile = self.rules.network.tile_at(at);
        if !self.rules.full_targets.contains(&tile) {
            return joined;
        }
        let (first, others) = (joined[0], &joined[1..]);
        let link = self.link(Plane::Req, at, Port::Local);
        let link = txn.push(link, vec![first], self.keeps, Part::Request);
        let bound = KeptUntil::OthersTaken;
        txn.push(Place::Counters(tile), vec![link], bound, Part::Request);
        // Contributions through one port come one after the other.
        let others = if others.is_empty() { &joined } else { others };
        others.to_vec()
    }
}
