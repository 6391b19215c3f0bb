// SPDX-License-Identifier: Apache-2.0
//! Partition of a large irregular set into few cubes: three simple methods, the best one wins.

use super::{MAX_EXACT, cover_members, product};
use crate::{Coord, MultiAddress};
use std::collections::{BTreeMap, BTreeSet};

/// Greedy growth is quadratic; beyond this many members only the cheap methods are tried.
const MAX_GREEDY: usize = 1024;

/// Few disjoint cubes whose union is `members` (sorted, distinct).
pub(super) fn partition(members: &[Coord]) -> Vec<MultiAddress> {
    let flip = |c: &Coord| Coord::new(c.y, c.x);
    let mut flipped: Vec<Coord> = members.iter().map(flip).collect();
    flipped.sort_unstable();
    let back = |cube: MultiAddress| MultiAddress::new(flip(&cube.base), flip(&cube.mask));
    let mut partitions = vec![
        merged(singles(members)),
        merged(singles(&flipped)).into_iter().map(back).collect(),
    ];
    let is_line = members.iter().all(|c| c.x == members[0].x);
    if !is_line && members.iter().any(|c| c.y != members[0].y) {
        partitions.push(merged(by_columns(members)));
        partitions.push(merged(by_columns(&flipped)).into_iter().map(back).collect());
    }
    if members.len() <= MAX_GREEDY {
        partitions.push(merged(largest_first(members)));
    }
    let fewest = partitions.into_iter().min_by_key(Vec::len);
    fewest.unwrap_or_else(|| singles(members))
}

fn singles(members: &[Coord]) -> Vec<MultiAddress> {
    members.iter().map(|c| MultiAddress::single(*c)).collect()
}

/// Columns with the same members are split together: (the columns) × (their rows).
fn by_columns(members: &[Coord]) -> Vec<MultiAddress> {
    let mut rows_of: BTreeMap<u16, Vec<Coord>> = BTreeMap::new();
    for c in members {
        rows_of.entry(c.x).or_default().push(Coord::new(0, c.y));
    }
    let mut alike: BTreeMap<Vec<Coord>, Vec<Coord>> = BTreeMap::new();
    for (x, rows) in rows_of {
        alike.entry(rows).or_default().push(Coord::new(x, 0));
    }
    let mut cubes = Vec::new();
    for (rows, columns) in alike {
        let xs: Vec<(u16, u16)> = line(&columns)
            .iter()
            .map(|c| (c.base.x, c.mask.x))
            .collect();
        let ys: Vec<(u16, u16)> = line(&rows).iter().map(|c| (c.base.y, c.mask.y)).collect();
        cubes.append(&mut product(&xs, &ys));
    }
    cubes
}

/// Members on one line, along x or along y: exactly if they are few, else run by run.
fn line(members: &[Coord]) -> Vec<MultiAddress> {
    if members.len() <= MAX_EXACT {
        return cover_members(members);
    }
    let mut cubes = Vec::new();
    let follows = |a: &Coord, b: &Coord| a.hops_to(*b) == 1;
    for run in members.chunk_by(follows) {
        cubes.append(&mut cover_members(run));
    }
    merged(cubes)
}

/// Joins pairs of cubes that differ in one bit until there is none: low bits of y first, then x.
fn merged(cubes: Vec<MultiAddress>) -> Vec<MultiAddress> {
    let mut cubes: BTreeSet<MultiAddress> = cubes.into_iter().collect();
    let used = cubes.iter().fold(0, |bits, c| {
        bits | c.base.x | c.base.y | c.mask.x | c.mask.y
    });
    let places = 16 - used.leading_zeros();
    let bits: Vec<Coord> = (0..places)
        .map(|bit| Coord::new(0, 1 << bit))
        .chain((0..places).map(|bit| Coord::new(1 << bit, 0)))
        .collect();
    loop {
        let before = cubes.len();
        for bit in &bits {
            let is_lower = |c: &&MultiAddress| {
                (c.base.x | c.mask.x) & bit.x == 0 && (c.base.y | c.mask.y) & bit.y == 0
            };
            let lower: Vec<MultiAddress> = cubes.iter().filter(is_lower).copied().collect();
            for cube in lower {
                let upper = MultiAddress {
                    base: Coord::new(cube.base.x | bit.x, cube.base.y | bit.y),
                    mask: cube.mask,
                };
                if cubes.remove(&upper) {
                    cubes.remove(&cube);
                    let mask = Coord::new(cube.mask.x | bit.x, cube.mask.y | bit.y);
                    cubes.insert(MultiAddress::new(cube.base, mask));
                }
            }
        }
        if cubes.len() == before {
            return cubes.into_iter().collect();
        }
    }
}

/// Takes the largest cube that some remaining member grows into, again and again.
fn largest_first(members: &[Coord]) -> Vec<MultiAddress> {
    let mut rest: BTreeSet<Coord> = members.iter().copied().collect();
    let mut cubes = Vec::new();
    while let Some(cube) = rest
        .iter()
        .map(|c| grown(*c, &rest))
        .max_by_key(|cube| (cube.len(), std::cmp::Reverse(*cube)))
    {
        for c in cube.members() {
            rest.remove(&c);
        }
        cubes.push(cube);
    }
    cubes
}

/// A maximal cube in `rest` around a member: one bit after the other is freed where that works.
fn grown(from: Coord, rest: &BTreeSet<Coord>) -> MultiAddress {
    let mut cube = MultiAddress::single(from);
    let bits = (0..16).flat_map(|bit| [Coord::new(1 << bit, 0), Coord::new(0, 1 << bit)]);
    for bit in bits {
        let mirror = Coord::new(cube.base.x ^ bit.x, cube.base.y ^ bit.y);
        let is_free = MultiAddress::new(mirror, cube.mask)
            .members()
            .all(|c| rest.contains(&c));
        if is_free {
            let mask = Coord::new(cube.mask.x | bit.x, cube.mask.y | bit.y);
            cube = MultiAddress::new(cube.base, mask);
        }
    }
    cube
}
