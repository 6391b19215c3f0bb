// SPDX-License-Identifier: Apache-2.0
//! All-to-all: in which order every rank sends to every other one.
//!
//! Linear: to rank 0, 1, 2, … Pairwise: by exclusive or where the ranks are a power of two, else to the rank so many places on. Torus: to the
//! tile so many columns and rows on, around the edge, through the rows back and forth. Rounds: by displacement without going around. By rows
//! and columns: blocks for a whole column travel along the row together, then those for one tile along the column.

use noccl_net::counts::max_or_zero;

/// Messages of a step, as ranks of sender and receiver.
pub(crate) type ExchangeStep = Vec<(usize, usize)>;

/// To rank 0, 1, 2, …
pub(crate) const fn linear(_rank: usize, step: usize, _num: usize) -> usize {
    step
}

/// By exclusive or where the ranks are a power of two, so that pairs exchange, else by rotation; to itself first.
pub(crate) const fn pairwise(rank: usize, step: usize, num: usize) -> usize {
    match num.is_power_of_two() {
        true => rank ^ step,
        false => rotation(rank, step, num),
    }
}

/// To the rank so many places on; to itself first.
pub(crate) const fn rotation(rank: usize, step: usize, num: usize) -> usize {
    (rank + step) % num
}

/// To the tile so many columns and rows on, around the edge, of ranks that go up the columns.
pub(crate) fn torus(rows: usize) -> impl Fn(usize, usize, usize) -> usize {
    move |rank, step, num| {
        // Rows up for an even number of columns, down for an odd one: one step differs from the next by a row or a column.
        let (across, along) = (step / rows, step % rows);
        let along = match across.is_multiple_of(2) {
            true => along,
            false => rows - 1 - along,
        };
        let x = (rank / rows + across) % (num / rows);
        x * rows + (rank % rows + along) % rows
    }
}

/// Steps in which every rank has one partner, who is another one or itself.
pub(crate) fn by_partners(
    num: usize,
    partner: impl Fn(usize, usize, usize) -> usize,
) -> impl Iterator<Item = ExchangeStep> {
    (0..num).map(move |step| {
        let pair = |rank| (rank, partner(rank, step, num));
        (0..num).map(pair).collect()
    })
}

/// Bytes of one rank's memory for another one's, in rows of equal length.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moved {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) source: u64,
    pub(crate) destination: u64,
    pub(crate) bytes: u64,
    pub(crate) rows: usize,
    /// From row to row, at both sides.
    pub(crate) stride: u64,
}

/// An all-to-all over columns × rows, whose ranks go up the columns, with the offsets of its blocks. Nothing is packed: the input has the blocks of
/// a column side by side, and those for one tile are gathered and scattered in rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ByRowAndColumn {
    pub(crate) columns: usize,
    pub(crate) rows: usize,
    /// Bytes of a block.
    pub(crate) bytes: u64,
    pub(crate) input: u64,
    /// What the tiles of a row have for this column: a block by sender's column and receiver's row.
    pub(crate) between: u64,
    pub(crate) output: u64,
}

impl ByRowAndColumn {
    /// In a step along the row: the blocks for the partner's column.
    pub(crate) fn along_rows(
        self,
        step: usize,
        partner: impl Fn(usize, usize, usize) -> usize,
    ) -> Vec<Moved> {
        let bytes = self.bytes * self.rows as u64;
        let moved = self.tiles().map(|(column, row)| {
            let other = partner(column, step, self.columns);
            Moved {
                from: self.rank(column, row),
                to: self.rank(other, row),
                source: self.input + other as u64 * bytes,
                destination: self.between + column as u64 * bytes,
                bytes,
                rows: 1,
                stride: 0,
            }
        });
        moved.collect()
    }

    /// In a step along the column: what the row has for the partner, a block of each column.
    pub(crate) fn along_columns(
        self,
        step: usize,
        partner: impl Fn(usize, usize, usize) -> usize,
    ) -> Vec<Moved> {
        let moved = self.tiles().map(|(column, row)| {
            let other = partner(row, step, self.rows);
            Moved {
                from: self.rank(column, row),
                to: self.rank(column, other),
                source: self.between + other as u64 * self.bytes,
                destination: self.output + row as u64 * self.bytes,
                bytes: self.bytes,
                rows: self.columns,
                stride: self.bytes * self.rows as u64,
            }
        });
        moved.collect()
    }

    fn tiles(self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.columns).flat_map(move |column| (0..self.rows).map(move |row| (column, row)))
    }

    const fn rank(self, column: usize, row: usize) -> usize {
        column * self.rows + row
    }
}

// Rounds of an exchange over a rectangle, by displacement (S4 §3; the paper leaves the order open).
//
// A class has all pairs of tiles that are as far apart in columns and rows, each pair in both directions. Classes with one displacement
// of zero are *direct*; the others are two, *left* (east and north, west and south) and *right* (east and south, west and north).
// Within a class everybody sends, and tiles less than the displacement apart would share a link. So a class is split: with
// C = max(min(a, columns − a), min(b, rows − b), 1) a tile acts in subround (x + y) mod C. Of two senders that could share a link, the
// distance is smaller than C and not zero, so they act in different subrounds. The checker proves it message by message.

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
struct Class {
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
    fn num_subrounds(self, grid: Grid) -> u16 {
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
    fn classes(self) -> Vec<Class> {
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
