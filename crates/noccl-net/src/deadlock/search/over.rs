// SPDX-License-Identifier: Apache-2.0
//! Which other transactions are surely over while a transaction keeps a use.
//!
//! A participant begins when everything that it awaits is over. What a use comes after is over, so everything is that its
//! participants awaited. Many uses come after the same participants: each set of them has one list, made when it is first
//! asked for. To look through the participants at each question took half of the search of hundreds of barriers.

use crate::deadlock::is_among;
use crate::deadlock::program::{Program, Transaction};
use std::cell::OnceCell;
use std::collections::HashMap;

pub(crate) struct Over<'a> {
    pub(crate) transactions: &'a [Transaction],
    pub(crate) program: &'a dyn Program,
    found: Vec<OnceCell<OfUses>>,
}

/// Of one transaction.
#[derive(Default)]
struct OfUses {
    /// The list of each use, by its number; none if participants await nothing.
    list_of: Vec<u32>,
    /// Transactions that are over, sorted.
    lists: Vec<Vec<u32>>,
}

impl<'a> Over<'a> {
    pub(crate) fn new(transactions: &'a [Transaction], program: &'a dyn Program) -> Self {
        let mut found = Vec::new();
        found.resize_with(transactions.len(), OnceCell::new);
        Self {
            transactions,
            program,
            found,
        }
    }

    /// Is the other transaction surely over while this (transaction, use) is kept: did a participant that has begun wait for
    /// its end?
    pub(crate) fn is_over(&self, (t, at): (usize, usize), other: usize) -> bool {
        let of = self.found[t].get_or_init(|| self.find(t));
        let list = of.list_of.get(at).map(|list| &of.lists[*list as usize]);
        list.is_some_and(|list| is_among(list, other as u32))
    }

    fn find(&self, t: usize) -> OfUses {
        let txn = &self.transactions[t];
        let awaited = |tile| self.program.awaited(t, tile);
        let entries = txn.entries.iter();
        let entries: Vec<_> = entries
            .filter(|(_, tile)| !awaited(*tile).is_empty())
            .collect();
        if entries.is_empty() {
            return OfUses::default();
        }
        let mut of = OfUses::default();
        let mut numbers: HashMap<Vec<bool>, u32> = HashMap::new();
        for at in 0..txn.uses.len() {
            let begun = entries
                .iter()
                .map(|(entry, _)| txn.comes_before(*entry, at));
            let begun: Vec<bool> = begun.collect();
            let list = *numbers.entry(begun.clone()).or_insert_with(|| {
                let begun = entries.iter().zip(begun).filter(|(_, has)| *has);
                let all = begun.flat_map(|((_, tile), _)| awaited(*tile));
                let mut list: Vec<u32> = all.copied().collect();
                list.sort_unstable();
                list.dedup();
                of.lists.push(list);
                (of.lists.len() - 1) as u32
            });
            of.list_of.push(list);
        }
        of
    }
}

#[cfg(test)]
mod tests {
    use super::Over;
    use crate::TileId;
    use crate::deadlock::program::{KeptUntil, Part, Transaction};
    use crate::deadlock::{Place, Program};
    use noccl_spec::Plane;

    /// Tile 1 awaits transactions 3 and 7, tile 2 awaits 5, tile 3 nothing.
    struct Awaits;

    impl Program for Awaits {
        fn beside(&self, _: usize) -> &[u32] {
            &[]
        }

        fn may_overlap(&self, _: (usize, Part), _: (usize, Part)) -> bool {
            true
        }

        fn is_issued_first(&self, _: TileId, _: usize, _: usize) -> bool {
            false
        }

        fn awaited(&self, t: usize, tile: TileId) -> &[u32] {
            match (t, tile.0) {
                (0, 1) => &[3, 7],
                (0, 2) => &[5],
                _ => &[],
            }
        }
    }

    #[test]
    fn what_participants_awaited_that_a_use_comes_after_is_over_and_nothing_else() {
        let mut txn = Transaction::new(String::new());
        let mut push = |place, after: &[usize]| {
            txn.push(place, after.to_vec(), KeptUntil::PassedOn, Part::Request)
        };
        let issues = [1, 2, 3].map(|tile| {
            let tile = TileId(tile);
            push(
                Place::Issue {
                    tile,
                    plane: Plane::Wide,
                },
                &[],
            )
        });
        let one = push(Place::Store(TileId(0)), &issues[..1]);
        let both = push(Place::Store(TileId(1)), &[one, issues[1]]);
        let third = push(Place::Store(TileId(2)), &issues[2..]);
        let transactions = [txn.clone(), txn];
        let over = Over::new(&transactions, &Awaits);
        let of = |t, at| {
            (0..9)
                .filter(|other| over.is_over((t, at), *other))
                .collect::<Vec<_>>()
        };
        assert_eq!(of(0, one), [3, 7]);
        assert_eq!(of(0, both), [3, 5, 7]);
        assert_eq!(of(0, issues[1]), [5]);
        assert!(of(0, third).is_empty());
        assert!(of(1, both).is_empty());
    }
}
