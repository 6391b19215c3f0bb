// SPDX-License-Identifier: Apache-2.0
//! Exact partition of a small set into cubes: branch and bound.

use super::MAX_EXACT;
use crate::{Coord, MultiAddress};

struct Search {
    /// `inside[i][j]`: members of the smallest cube that holds members i and j, or 0 if it is not
    /// inside the set.
    inside: Vec<Vec<u16>>,
    best: Vec<u16>,
    chosen: Vec<u16>,
}

/// The fewest disjoint cubes whose union is `members` (sorted, distinct, at most 16).
pub(super) fn partition(members: &[Coord]) -> Vec<MultiAddress> {
    debug_assert!(members.len() <= MAX_EXACT);
    let index = |c: Coord| members.binary_search(&c).ok();
    let inside = members
        .iter()
        .map(|a| {
            members
                .iter()
                .map(|b| bits(spanned(*a, *b), index))
                .collect()
        })
        .collect();
    let all = members
        .iter()
        .enumerate()
        .fold(0, |set, (i, _)| set | 1 << i);
    let mut search = Search {
        inside,
        best: (0..members.len()).map(|i| 1 << i).collect(),
        chosen: Vec::new(),
    };
    search.split(all);
    let cubes = search.best.iter();
    cubes
        .map(|set| {
            // Members are sorted, but the extreme ones in x and y need not come first and last.
            let inside = (0..members.len()).filter(|i| set >> i & 1 == 1);
            let (any, all) = inside.fold((Coord::new(0, 0), Coord::new(!0, !0)), |(or, and), i| {
                let c = members[i];
                (
                    Coord::new(or.x | c.x, or.y | c.y),
                    Coord::new(and.x & c.x, and.y & c.y),
                )
            });
            spanned(any, all)
        })
        .collect()
}

/// Smallest cube that holds both.
const fn spanned(a: Coord, b: Coord) -> MultiAddress {
    MultiAddress::new(a, Coord::new(a.x ^ b.x, a.y ^ b.y))
}

fn bits(cube: MultiAddress, index: impl Fn(Coord) -> Option<usize>) -> u16 {
    if cube.len() as usize > MAX_EXACT {
        return 0;
    }
    cube.members()
        .try_fold(0, |set, c| index(c).map(|i| set | 1 << i))
        // 0: no bits of a set of which a member has no index, as for one that is too large.
        .unwrap_or(0)
}

impl Search {
    /// Splits `rest` by every cube that holds its lowest member; keeps the shortest partition.
    fn split(&mut self, rest: u16) {
        if rest == 0 {
            if self.chosen.len() < self.best.len() {
                self.best.clone_from(&self.chosen);
            }
            return;
        }
        if self.chosen.len() + self.witnesses(rest) >= self.best.len() {
            return;
        }
        let lowest = rest.trailing_zeros() as usize;
        let mut cubes: Vec<u16> = self.inside[lowest]
            .iter()
            .copied()
            .filter(|cube| *cube != 0 && cube & !rest == 0)
            .collect();
        cubes.sort_unstable_by_key(|cube| (16 - cube.count_ones(), *cube));
        cubes.dedup();
        for cube in cubes {
            self.chosen.push(cube);
            self.split(rest & !cube);
            self.chosen.pop();
        }
    }

    /// Members of which no two share a cube: each needs a cube of its own. Greedy.
    fn witnesses(&self, mut rest: u16) -> usize {
        let mut count = 0;
        while rest != 0 {
            let lowest = rest.trailing_zeros() as usize;
            count += 1;
            for (other, cube) in self.inside[lowest].iter().enumerate() {
                if *cube != 0 {
                    rest &= !(1 << other);
                }
            }
        }
        count
    }
}
