// SPDX-License-Identifier: Apache-2.0
//! From flows to the places that they take.

use crate::deadlock::options::Forks;
use crate::deadlock::program::paths::Paths;
use crate::deadlock::program::transaction::{KeptUntil, Part, Transaction, Why};
use crate::deadlock::{Flow, Place};
use crate::{Network, TileId};
use noccl_spec::Plane;
use std::collections::BTreeSet;

/// What the surroundings of a transaction decide about it.
pub(crate) struct Rules<'a> {
    pub(crate) network: &'a Network,
    /// Can more reductions meet at a router than it works on together?
    pub(crate) can_store_fill: bool,
    /// Targets whose counters of open barriers can be in use when a further barrier comes.
    pub(crate) full_targets: &'a BTreeSet<TileId>,
    /// Must a tile's next request wait until this one has been responded to?
    pub(crate) is_response_awaited: bool,
    /// Where flits can come between those of a worm.
    pub(crate) cut_ins: &'a CutIns,
}

/// Where flits can come between those of a worm.
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
    /// Of these flows; none where no others come between the flits of a worm.
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

    /// Between those of a worm from this tile?
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
        let ends = self.worm(txn, plane, (from, issue), &coords, keeps);
        let responses = self.responses(txn, Plane::Rsp, &ends, keeps);
        let paths = self.paths(Plane::Rsp, Part::Response, keeps);
        paths.join(txn, &responses, self.network.coord(from));
    }

    /// A burst from an interface to all members; returns the last link of each.
    pub(crate) fn worm(
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

    /// Reads are issued apart from writes, and wait for nobody there. Their data are worms too.
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
