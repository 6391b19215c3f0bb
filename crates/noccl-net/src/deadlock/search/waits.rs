// SPDX-License-Identifier: Apache-2.0
//! Who can wait for whom: the graph of a deadlock check of given transactions.

use crate::deadlock::program::{Behind, Program, Transaction, Why};
use crate::deadlock::search::over::Over;
use crate::deadlock::{Place, is_among};
use noccl_spec::Plane;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};

/// Most possible waits that are looked at: seconds.
const MAX_LOOKED_AT: usize = 1 << 25;

/// Uses of places that more than one transaction takes, with their waits.
pub(crate) struct Waits<'a> {
    pub(crate) over: Over<'a>,
    pub(crate) transactions: &'a [Transaction],
    /// (transaction, use): first as a place that is kept, then once more as one where a flit stands in front of others.
    pub(crate) nodes: Vec<(usize, usize)>,
    /// Half of them.
    num_kept: usize,
    program: &'a dyn Program,
    /// Nodes of a place, by transaction.
    at_place: BTreeMap<Place, std::ops::Range<usize>>,
    /// Node of the end of each transaction.
    ends: Vec<Option<usize>>,
    /// What [`Waits::is_ahead`] has found.
    known: RefCell<KnownOrders>,
    /// Possible waits that have been looked at.
    looked_at: Cell<usize>,
    /// What [`Waits::edges`] has found.
    found: Vec<OnceCell<Vec<usize>>>,
}

impl<'a> Waits<'a> {
    pub(crate) fn new(transactions: &'a [Transaction], program: &'a dyn Program) -> Self {
        let mut users: BTreeMap<Place, Vec<(usize, usize)>> = BTreeMap::new();
        for (t, txn) in transactions.iter().enumerate() {
            for (u, one) in txn.uses.iter().enumerate() {
                if one.is_held() {
                    users.entry(one.place).or_default().push((t, u));
                }
            }
        }
        let part = |(t, u): (usize, usize)| (t, transactions[t].uses[u].part);
        // Who is not in flight together with another one there cannot hold it up.
        let is_shared = |list: &[(usize, usize)]| {
            list.iter().enumerate().any(|(at, one)| {
                let beside = program.beside(one.0);
                let mut others = list[..at].iter();
                others.any(|other| {
                    other.0 != one.0
                        && is_among(beside, other.0 as u32)
                        && program.may_overlap(part(*one), part(*other))
                })
            })
        };
        let mut nodes = Vec::new();
        let mut at_place = BTreeMap::new();
        for (place, list) in users {
            // A place that only one transaction takes cannot be part of a cycle; an end is one for whom it awaits.
            if matches!(place, Place::End(_)) || is_shared(&list) {
                at_place.insert(place, nodes.len()..nodes.len() + list.len());
                nodes.extend(list);
            }
        }
        let end_of = |t| at_place.get(&Place::End(t as u32));
        let ends = (0..transactions.len())
            .map(|t| end_of(t).map(|range| range.start))
            .collect();
        let num_kept = nodes.len();
        nodes.extend_from_within(..);
        let found = vec![OnceCell::new(); nodes.len()];
        Self {
            over: Over::new(transactions, program),
            transactions,
            nodes,
            num_kept,
            program,
            at_place,
            ends,
            known: RefCell::new(KnownOrders::new(transactions)),
            looked_at: Cell::new(0),
            found,
        }
    }

    /// Has the bound been reached? Waits are missing then.
    pub(crate) fn is_cut_off(&self) -> bool {
        self.looked_at.get() > MAX_LOOKED_AT
    }

    fn count(&self, waits: usize) {
        self.looked_at.set(self.looked_at.get() + waits);
    }

    /// Uses of others for which the transaction can wait while it keeps this one; none behind the bound.
    pub(crate) fn edges(&self, node: usize) -> &[usize] {
        self.found[node].get_or_init(|| self.find_edges(node))
    }

    /// The edges of all nodes; the graph keeps none.
    pub(crate) fn take_edges(&mut self) -> Vec<Vec<usize>> {
        let nodes = 0..self.nodes.len();
        nodes.clone().for_each(|node| {
            self.edges(node);
        });
        let take = |node: usize| match self.found[node].take() {
            Some(edges) => edges,
            None => self.find_edges(node),
        };
        nodes.map(take).collect()
    }

    fn find_edges(&self, node: usize) -> Vec<usize> {
        let mut edges = Vec::new();
        if self.is_cut_off() {
            return edges;
        }
        let (t, held) = self.nodes[node];
        let txn = &self.transactions[t];
        let is_kept = node < self.num_kept;
        for (wanted, want) in txn.uses.iter().enumerate() {
            let can_wait = if is_kept {
                txn.keeps_while_wanting(held, wanted)
            } else {
                txn.stands_while_wanting(held, wanted)
            };
            if !can_wait {
                continue;
            }
            if let Place::Issue { tile, .. } | Place::DmaBuffer(tile) = want.place {
                let awaited = self.program.awaited(t, tile);
                self.count(awaited.len());
                for other in awaited {
                    self.end_of((t, held), *other as usize, &mut edges);
                }
            }
            let Some(users) = self.at_place.get(&want.place) else {
                continue;
            };
            self.each_beside(t, users.clone(), |to| {
                if self.can_be_first((t, held, is_kept), (t, wanted), self.nodes[to]) {
                    // A flit behind others waits for what is there, not for the end of its packet.
                    edges.push(if want.is_held() {
                        to
                    } else {
                        to + self.num_kept
                    });
                }
            });
        }
        // Stable: what one place gives is in order already.
        edges.sort();
        edges.dedup();
        edges
    }

    /// Nodes among these that belong to a transaction which may be in flight together with `t`.
    fn each_beside(&self, t: usize, users: std::ops::Range<usize>, mut visit: impl FnMut(usize)) {
        let beside = self.program.beside(t);
        let list = &self.nodes[users.clone()];
        self.count(beside.len().min(list.len()));
        if beside.len() >= list.len() {
            for (at, (other, _)) in list.iter().enumerate() {
                if *other != t && is_among(beside, *other as u32) {
                    visit(users.start + at);
                }
            }
            return;
        }
        let mut at = 0;
        for other in beside.iter().map(|b| *b as usize).filter(|b| *b != t) {
            at = first_of(list, at, other);
            while at < list.len() && list[at].0 == other {
                visit(users.start + at);
                at += 1;
            }
        }
    }

    /// A participant begins only after the end of another action.
    fn end_of(&self, (t, held): (usize, usize), other: usize, edges: &mut Vec<usize>) {
        let Some(node) = self.ends[other] else {
            return;
        };
        let part = self.transactions[other].uses[self.nodes[node].1].part;
        let is_over = self.over.is_over((t, held), other);
        let have = &self.transactions[t].uses[held];
        if other != t && !is_over && self.program.may_overlap((t, have.part), (other, part)) {
            edges.push(node);
        }
    }

    /// Can the other one be at the place first, while this one keeps `held` and still wants the place?
    fn can_be_first(
        &self,
        (t, held, is_kept): (usize, usize, bool),
        wanted: (usize, usize),
        other: (usize, usize),
    ) -> bool {
        let txn = &self.transactions[t];
        let (have, want) = (&txn.uses[held], &txn.uses[wanted.1]);
        let has = &self.transactions[other.0].uses[other.1];
        if self.over.is_over((t, held), other.0) || self.over.is_over(other, t) {
            return false;
        }
        let overlaps = |part| self.program.may_overlap((t, part), (other.0, has.part));
        if !overlaps(want.part) || (have.part != want.part && !overlaps(have.part)) {
            return false;
        }
        if !want.is_held() {
            // Whose first flit is ahead of the others is ahead with all of them.
            let first = (t, want.after[0]);
            let is_behind = match want.waits_behind(has) {
                Behind::Nobody => false,
                Behind::Sums => true,
                Behind::SameQueue => self.share_interface(first, other),
            };
            return is_behind && !self.is_ahead(first, other);
        }
        // Sums come out of the arithmetic: they hold an output against everything that comes by an input.
        let is_sum = has.why == Why::SumCutsIn;
        if (have.cuts_in() || !is_kept) && !is_sum && self.came_by(other, have.place) {
            return false;
        }
        !self.is_known_ahead(wanted, other)
    }

    /// Have both come out of the queue of one interface?
    fn share_interface(&self, one: (usize, usize), other: (usize, usize)) -> bool {
        let (txn, uses) = (&self.transactions[one.0], &self.transactions[one.0].uses);
        uses.iter().enumerate().any(|(u, at)| {
            matches!(at.place, Place::Input { .. })
                && at.is_held()
                && txn.comes_before(u, one.1)
                && (self.transactions[other.0].uses[other.1].place == at.place
                    || self.came_by(other, at.place))
        })
    }

    /// Has a packet come to this use by that place? Flits that came between its own at that place go on over the
    /// outputs that it holds; a flit that waits for them there waits for the packet too.
    fn came_by(&self, (t, at): (usize, usize), place: Place) -> bool {
        let txn = &self.transactions[t];
        let mut uses = txn.uses.iter().enumerate();
        uses.any(|(u, one)| {
            u != at && one.is_held() && one.place == place && txn.comes_before(u, at)
        })
    }

    /// Does the first use always come before the second one?
    ///
    /// Order is set where requests are issued, and FIFOs keep it: if both come out of the same place,
    /// in which the first is ahead, it is ahead here too, because a fork or a join takes a flit out
    /// of a FIFO only when all copies or other contributions go on. Sums of a wide reduction are the exception: they
    /// come out of the arithmetic pipeline later, and what is not reduced there overtakes them.
    fn is_ahead(&self, first: (usize, usize), second: (usize, usize)) -> bool {
        let use_of = |(t, u): (usize, usize)| &self.transactions[t].uses[u];
        let (a, b) = (use_of(first), use_of(second));
        match a.place {
            Place::Issue { tile, .. } | Place::DmaBuffer(tile) => {
                self.program.is_issued_first(tile, first.0, second.0)
            }
            Place::Link(link)
                if link.plane == Plane::Wide && a.after.len() > 1 && b.after.len() == 1 =>
            {
                false
            }
            Place::Link(_)
            | Place::Input { .. }
            | Place::Channels { .. }
            | Place::Responses { .. }
            | Place::Store(_)
            | Place::Counters(_)
            | Place::Follower(_)
            | Place::ChainGrant(_)
            | Place::End(_)
            | Place::ReductionUnit(_) => a.after.iter().any(|x| {
                b.after.iter().any(|y| {
                    let (x, y) = ((first.0, *x), (second.0, *y));
                    use_of(x).place == use_of(y).place && self.is_known_ahead(x, y)
                })
            }),
        }
    }

    /// [`Waits::is_ahead`] of two uses of one place, found once.
    fn is_known_ahead(&self, first: (usize, usize), second: (usize, usize)) -> bool {
        if let Some(known) = self.known.borrow().get(first, second) {
            return known;
        }
        let is_ahead = self.is_ahead(first, second);
        self.known.borrow_mut().put(first, second, is_ahead);
        is_ahead
    }
}

/// The first position not before `from` whose owner is not below this one: it is near where most owners are asked for.
fn first_of(list: &[(usize, usize)], mut from: usize, owner: usize) -> usize {
    let (mut end, mut step) = (from, 1);
    while end < list.len() && list[end].0 < owner {
        from = end + 1;
        end += step;
        step *= 2;
    }
    let rest = &list[from..end.clamp(from, list.len())];
    from + rest.partition_point(|(one, _)| *one < owner)
}

// Which of two uses of one place comes first, kept once it is known.
//
// The question is asked tens of millions of times of a program with hundreds of transactions. A hash map of pairs took three
// quarters of the search's time; here each use has a row with two bits for every use of the same place, made when the
// first pair of the row is known.

/// Bits of a pair: is it known, and is the first one ahead.
const BITS: usize = 2;
const PAIRS_PER_WORD: usize = u64::BITS as usize / BITS;

pub(crate) struct KnownOrders {
    /// Number of each transaction's first use.
    first_uses: Vec<usize>,
    /// Position of each use among those of its place.
    ranks: Vec<usize>,
    /// Number of the place of each use.
    places: Vec<usize>,
    /// Uses of each place.
    num_uses: Vec<usize>,
    /// Of each use the pairs with the uses of its place; empty as long as none is known.
    rows: Vec<Vec<u64>>,
}

impl KnownOrders {
    pub(crate) fn new(transactions: &[Transaction]) -> Self {
        let mut numbers = HashMap::new();
        let mut known = Self {
            first_uses: Vec::with_capacity(transactions.len()),
            ranks: Vec::new(),
            places: Vec::new(),
            num_uses: Vec::new(),
            rows: Vec::new(),
        };
        for txn in transactions {
            known.first_uses.push(known.ranks.len());
            for one in &txn.uses {
                let place = *numbers.entry(one.place).or_insert(known.num_uses.len());
                if place == known.num_uses.len() {
                    known.num_uses.push(0);
                }
                known.ranks.push(known.num_uses[place]);
                known.places.push(place);
                known.num_uses[place] += 1;
            }
        }
        known.rows.resize(known.ranks.len(), Vec::new());
        known
    }

    /// Is the first (transaction, use) ahead of the second one, if that is known?
    pub(crate) fn get(&self, first: (usize, usize), second: (usize, usize)) -> Option<bool> {
        let (row, word, shift) = self.at(first, second);
        let pair = self.rows[row].get(word)? >> shift;
        (pair & 1 != 0).then_some(pair & 2 != 0)
    }

    pub(crate) fn put(&mut self, first: (usize, usize), second: (usize, usize), is_ahead: bool) {
        let (row, word, shift) = self.at(first, second);
        let words = self.num_uses[self.places[row]].div_ceil(PAIRS_PER_WORD);
        let row = &mut self.rows[row];
        row.resize(words, 0);
        row[word] |= (1 | u64::from(is_ahead) << 1) << shift;
    }

    /// Row, word in it and shift in that of a pair of uses of one place.
    fn at(&self, first: (usize, usize), second: (usize, usize)) -> (usize, usize, usize) {
        let number = |(t, u): (usize, usize)| self.first_uses[t] + u;
        let (row, column) = (number(first), number(second));
        debug_assert_eq!(self.places[row], self.places[column]);
        let rank = self.ranks[column];
        let shift = rank % PAIRS_PER_WORD * BITS;
        (row, rank / PAIRS_PER_WORD, shift)
    }
}

#[cfg(test)]
mod tests {
    use super::KnownOrders;
    use super::first_of;
    use crate::TileId;
    use crate::deadlock::Place;
    use crate::deadlock::program::{KeptUntil, Part, Transaction};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_first_position_of_an_owner_is_the_one_that_a_walk_finds(
            mut owners in prop::collection::vec(0usize..40, 0..80), from in 0usize..90, owner in 0usize..42,
        ) {
            owners.sort_unstable();
            let from = from.min(owners.len());
            let list: Vec<(usize, usize)> = owners.into_iter().map(|one| (one, 0)).collect();
            let walk = (from..list.len()).find(|at| list[*at].0 >= owner);
            prop_assert_eq!(first_of(&list, from, owner), walk.unwrap_or(list.len()));
        }
    }

    #[test]
    fn a_pair_is_unknown_until_it_is_put_and_apart_from_all_others() {
        let mut txn = Transaction::new(String::new());
        for place in [3, 5, 3] {
            let place = Place::Store(TileId(place));
            txn.push(place, vec![], KeptUntil::PassedOn, Part::Request);
        }
        let transactions = vec![txn; 40];
        let mut known = KnownOrders::new(&transactions);
        for (is_ahead, second) in [(true, (39, 2)), (false, (39, 0)), (true, (0, 2))] {
            assert_eq!(known.get((7, 0), second), None);
            known.put((7, 0), second, is_ahead);
            assert_eq!(known.get((7, 0), second), Some(is_ahead));
        }
        assert_eq!(known.get((7, 0), (39, 2)), Some(true));
        assert_eq!(known.get((7, 2), (39, 2)), None);
        assert_eq!(known.get((39, 2), (7, 0)), None);
        assert_eq!(known.get((7, 1), (39, 1)), None);
    }
}
