// SPDX-License-Identifier: Apache-2.0
//! Which of two uses of one place comes first, kept once it is known.
//!
//! The question is asked tens of millions of times of a program with hundreds of transactions. A hash map of pairs took three
//! quarters of the search's time; here each use has a row with two bits for every use of the same place, made when the
//! first pair of the row is known.

use crate::deadlock::program::Transaction;
use std::collections::HashMap;

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
    use crate::TileId;
    use crate::deadlock::Place;
    use crate::deadlock::program::{KeptUntil, Part, Transaction};

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
