// SPDX-License-Identifier: Apache-2.0
//! Rounds of an exchange of everybody with everybody over a rectangle, by displacement (S4 §3; the paper leaves the order open).
//!
//! A class has all pairs of tiles that are as far apart in columns and rows, each pair in both directions. Classes with one displacement
//! of zero are *direct*; the others are two, *left* (east and north, west and south) and *right* (east and south, west and north).
//! Within a class everybody sends, and tiles less than the displacement apart would share a link. So a class is split: with
//! C = max(min(a, columns − a), min(b, rows − b), 1) a tile acts in subround (x + y) mod C. Of two senders that could share a link, the
//! distance is smaller than C and not zero, so they act in different subrounds. The checker proves it message by message.

use noccl_net::counts::max_or_zero;

/// In which direction a class goes from its senders, counted from the south-west.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sense {
    /// Columns and rows in the same direction.
    Left,
    /// Columns in one direction, rows in the other.
    Right,
}

/// A class: displacement in columns and rows, and which of its two halves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Class {
    columns: u16,
    rows: u16,
    sense: Sense,
}

/// A message from one tile of the rectangle to another one, both counted from its south-west corner.
pub(crate) type Pair = ((u16, u16), (u16, u16));

/// The rectangle whose tiles exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Grid {
    pub(crate) columns: u16,
    pub(crate) rows: u16,
}

/// How many of what an exchange by rounds has (spec of the claim).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Classes, which are the rounds of the paper.
    pub(crate) rounds: usize,
    /// Subrounds, which share no link.
    pub(crate) subrounds: usize,
    /// Messages one after the other, of the busiest tile of every subround, which has one port.
    pub(crate) slots: usize,
}

impl Class {
    /// Subrounds without a shared link; no fewer are possible, so many messages cross the middle of a row or column.
    pub(crate) fn num_subrounds(self, grid: Grid) -> u16 {
        let across = |displacement: u16, size: u16| displacement.min(size - displacement);
        across(self.columns, grid.columns)
            .max(across(self.rows, grid.rows))
            .max(1)
    }

    /// To whom a tile sends, at most two.
    fn partners(self, grid: Grid, (x, y): (u16, u16)) -> impl Iterator<Item = (u16, u16)> {
        let east = move |x: u16| x.checked_add(self.columns).filter(|x| *x < grid.columns);
        let west = move |x: u16| x.checked_sub(self.columns);
        let north = move |y: u16| y.checked_add(self.rows).filter(|y| *y < grid.rows);
        let south = move |y: u16| y.checked_sub(self.rows);
        let both = match self.sense {
            Sense::Left => [(east(x), north(y)), (west(x), south(y))],
            Sense::Right => [(east(x), south(y)), (west(x), north(y))],
        };
        both.into_iter().filter_map(|(x, y)| Some((x?, y?)))
    }

    /// Its messages, in the order of the senders.
    fn pairs(self, grid: Grid) -> impl Iterator<Item = Pair> {
        grid.tiles()
            .flat_map(move |from| self.partners(grid, from).map(move |to| (from, to)))
    }
}

impl Grid {
    /// Its tiles, columns first.
    pub(crate) fn tiles(self) -> impl Iterator<Item = (u16, u16)> {
        (0..self.columns).flat_map(move |x| (0..self.rows).map(move |y| (x, y)))
    }

    /// Classes in their order: by the larger displacement, direct ones first, left before right.
    pub(crate) fn classes(self) -> Vec<Class> {
        let mut classes = Vec::new();
        for far in 1..self.columns.max(self.rows) {
            let direct = [(far, 0), (0, far)];
            let wide = (1..far).map(|rows| (far, rows));
            let high = (1..far).map(|columns| (columns, far));
            let all = direct.into_iter().chain(wide).chain(high);
            for (columns, rows) in all.chain([(far, far)]) {
                if columns >= self.columns || rows >= self.rows {
                    continue;
                }
                let class = |sense| Class {
                    columns,
                    rows,
                    sense,
                };
                classes.push(class(Sense::Left));
                if columns > 0 && rows > 0 {
                    classes.push(class(Sense::Right));
                }
            }
        }
        classes
    }

    /// Messages round by round: a round is a class.
    pub(crate) fn literal_rounds(self) -> Vec<Vec<Pair>> {
        let classes = self.classes().into_iter();
        classes.map(|class| class.pairs(self).collect()).collect()
    }

    /// Messages round by round: a round is a subround of a class.
    pub(crate) fn split_rounds(self) -> Vec<Vec<Pair>> {
        let mut rounds = Vec::new();
        for class in self.classes() {
            let num = class.num_subrounds(self);
            let first = rounds.len();
            rounds.resize_with(first + usize::from(num), Vec::new);
            for (from, to) in class.pairs(self) {
                rounds[first + usize::from((from.0 + from.1) % num)].push((from, to));
            }
        }
        rounds
    }

    /// What an exchange by rounds has.
    pub(crate) fn counts(self) -> Counts {
        let split = self.split_rounds();
        let width = |round: &Vec<Pair>| {
            let senders = round.chunk_by(|a, b| a.0 == b.0);
            max_or_zero(senders.map(<[Pair]>::len))
        };
        Counts {
            rounds: self.classes().len(),
            subrounds: split.len(),
            slots: split.iter().map(width).sum(),
        }
    }

    /// Slots that no exchange can do without: receives of one port, and messages over the links in the middle of rows and columns.
    pub(crate) fn least_slots(self) -> u64 {
        let (columns, rows) = (u64::from(self.columns), u64::from(self.rows));
        let across = |size: u64, lines: u64| (size / 2) * size.div_ceil(2) * lines;
        (columns * rows)
            .saturating_sub(1)
            .max(across(columns, rows))
            .max(across(rows, columns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn rounds_subrounds_slots_and_the_bound_are_those_of_the_table() {
        // Columns, rows, classes, subrounds, slots of one port, lower bound.
        for (columns, rows, classes, subrounds, slots, bound) in [
            (2, 2, 4, 4, 4, 3),
            (3, 3, 12, 12, 16, 8),
            (4, 4, 24, 36, 40, 16),
            (5, 5, 40, 68, 86, 30),
            (7, 7, 84, 200, 252, 84),
            (4, 2, 10, 13, 14, 8),
            (8, 4, 52, 120, 139, 64),
        ] {
            let grid = Grid { columns, rows };
            let expected = Counts {
                rounds: classes,
                subrounds,
                slots,
            };
            assert_eq!(grid.counts(), expected, "{columns}x{rows}");
            assert_eq!(grid.least_slots(), bound, "{columns}x{rows}");
        }
    }

    #[test]
    fn every_ordered_pair_is_sent_once() {
        for columns in 1..=10 {
            for rows in 1..=10 {
                let grid = Grid { columns, rows };
                for rounds in [grid.split_rounds(), grid.literal_rounds()] {
                    let pairs: Vec<Pair> = rounds.into_iter().flatten().collect();
                    let distinct: BTreeSet<&Pair> = pairs.iter().collect();
                    let tiles = usize::from(columns * rows);
                    assert_eq!(pairs.len(), tiles * (tiles - 1), "{columns}x{rows}");
                    assert_eq!(distinct.len(), pairs.len(), "{columns}x{rows}");
                    assert!(pairs.iter().all(|(from, to)| from != to));
                }
            }
        }
    }

    #[test]
    fn classes_come_by_the_larger_displacement_and_direct_ones_first() {
        let grid = Grid {
            columns: 3,
            rows: 3,
        };
        let found: Vec<(u16, u16, Sense)> = grid
            .classes()
            .iter()
            .map(|class| (class.columns, class.rows, class.sense))
            .collect();
        use Sense::{Left, Right};
        let expected = [
            (1, 0, Left),
            (0, 1, Left),
            (1, 1, Left),
            (1, 1, Right),
            (2, 0, Left),
            (0, 2, Left),
            (2, 1, Left),
            (2, 1, Right),
            (1, 2, Left),
            (1, 2, Right),
            (2, 2, Left),
            (2, 2, Right),
        ];
        assert_eq!(found, expected);
    }
}
