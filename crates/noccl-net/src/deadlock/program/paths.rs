// SPDX-License-Identifier: Apache-2.0
//! The links of one part of a transaction: trees away from a tile and towards one.

use crate::deadlock::Place;
use crate::deadlock::program::build::Rules;
use crate::deadlock::program::transaction::{KeptUntil, Part, Transaction, Why};
use crate::{Coord, LinkId, Port};
use noccl_spec::Plane;
use std::collections::BTreeMap;

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
