// SPDX-License-Identifier: Apache-2.0
//! A split is a partition, and as small as `cover` promises.

use crate::common::mesh;
use noccl_net::{Coord, MultiAddress, Network, TileSet, cover, interval_cubes};
use noccl_testkit::{cube, rectangle};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Splits a set and checks that the parts are disjoint and make up the set; returns their number.
fn split(n: &Network, set: &TileSet) -> usize {
    let parts = cover(n, set).unwrap();
    let mut seen = BTreeSet::new();
    for part in &parts {
        assert!(
            n.multi_tiles(*part).all(|t| t.is_some()),
            "{set} {part}: absent tile"
        );
        for c in part.members() {
            assert!(seen.insert(c), "{set}: {c} twice");
        }
    }
    let members: BTreeSet<Coord> = n.members(set).unwrap().into_iter().collect();
    assert_eq!(seen, members, "{set}");
    assert!(parts.is_sorted(), "{set}");
    parts.len()
}

/// Do two values share a cube inside `low..=high`?
fn share_a_cube(p: u16, q: u16, low: u16, high: u16) -> bool {
    p & q >= low && p | q <= high
}

/// The largest set of values in the interval of which no two share a cube (values below 32).
fn witnesses(low: u16, high: u16) -> usize {
    fn largest(free: u32, near: &[u32]) -> usize {
        if free == 0 {
            return 0;
        }
        let p = free.trailing_zeros() as usize;
        // Either p is taken, or one of its neighbours is (else p could be added).
        let with = 1 + largest(free & !near[p], near);
        if (free & near[p]).count_ones() == 1 {
            return with;
        }
        with.max(largest(free & !(1 << p), near))
    }
    let near: Vec<u32> = (0..32)
        .map(|p| {
            (low..=high)
                .filter(|q| share_a_cube(p, *q, low, high))
                .fold(0, |s, q| s | 1 << q)
        })
        .collect();
    largest((low..=high).fold(0, |s, p| s | 1 << p), &near)
}

#[test]
fn interval_cubes_partition_every_interval() {
    for low in 0..160u16 {
        for high in low..160 {
            let mut seen = BTreeSet::new();
            for (base, mask) in interval_cubes(low, high) {
                assert_eq!(base & mask, 0, "{low}..={high}");
                let cube = cube(base, 0, mask, 0);
                assert!(cube.members().all(|c| seen.insert(c.x)), "{low}..={high}");
            }
            assert!(seen.into_iter().eq(low..=high), "{low}..={high}");
        }
    }
    assert_eq!(interval_cubes(0, u16::MAX), [(0, u16::MAX)]);
    assert_eq!(interval_cubes(1, 0), []);
}

#[test]
fn intervals_are_split_into_as_many_cubes_as_they_have_witnesses() {
    let mut short = Vec::new();
    for low in 0..32 {
        for high in low..32 {
            let (cubes, witnesses) = (interval_cubes(low, high).len(), witnesses(low, high));
            assert!(cubes >= witnesses, "{low}..={high}");
            if cubes > witnesses {
                short.push((low, high, cubes - witnesses));
            }
        }
    }
    // Up to 16 clusters one shape is left to the next test; up to 32 ten more.
    let expected = [
        (1, 14, 1),
        (1, 22, 1),
        (1, 26, 1),
        (1, 28, 1),
        (1, 29, 1),
        (1, 30, 2),
        (2, 29, 1),
        (2, 30, 1),
        (3, 30, 1),
        (5, 30, 1),
        (9, 30, 1),
        (17, 30, 1),
    ];
    assert_eq!(short, expected);
}

#[test]
fn the_interval_without_enough_witnesses_weighs_as_much_as_its_cubes() {
    // Halves: 1 for values with one or three bits, -1/2 for those with two.
    let weight = |v: u16| if v.count_ones() == 2 { -1 } else { 2 };
    for mask in 0..16u16 {
        for base in (0..16u16).filter(|b| b & mask == 0) {
            if base >= 1 && base | mask <= 14 {
                let cube = cube(base, 0, mask, 0);
                let total: i32 = cube.members().map(|c| weight(c.x)).sum();
                assert!(total <= 2, "{base}/{mask}");
            }
        }
    }
    let total: i32 = (1..=14).map(weight).sum();
    assert_eq!(total, 2 * interval_cubes(1, 14).len() as i32);
}

#[test]
fn a_rectangle_is_split_into_the_product_of_its_sides() {
    for n in [mesh(8, 8), mesh(7, 5), mesh(16, 3)] {
        let (columns, rows) = (n.cluster_width(), n.cluster_height());
        for (x, y) in (0..columns).flat_map(|x| (0..rows).map(move |y| (x, y))) {
            for (width, height) in
                (1..=columns - x).flat_map(|w| (1..=rows - y).map(move |h| (w, h)))
            {
                let parts = split(&n, &rectangle(x, y, width, height));
                let sides = interval_cubes(x, x + width - 1).len()
                    * interval_cubes(y, y + height - 1).len();
                assert_eq!(parts, sides);
            }
        }
    }
    assert_eq!(split(&mesh(8, 8), &rectangle(1, 1, 6, 6)), 9);
    assert_eq!(
        split(&mesh(1024, 1024), &rectangle(1, 0, 1022, 1024)),
        interval_cubes(1, 1022).len()
    );
}

/// Fewest cubes for every subset of 4x4, by dynamic programming over subsets.
fn fewest_on_4x4() -> Vec<u8> {
    let bit = |c: Coord| 1u16 << (c.x * 4 + c.y);
    let mut cubes = Vec::new();
    for mask in 0..16u16 {
        for base in (0..16u16).filter(|b| b & mask == 0) {
            let at = |v: u16| Coord::new(v >> 2, v & 3);
            let cube = MultiAddress::new(at(base), at(mask));
            cubes.push(cube.members().fold(0u16, |s, c| s | bit(c)));
        }
    }
    assert_eq!(cubes.len(), 81);
    let mut fewest = vec![0u8; 1 << 16];
    for set in 1..=u16::MAX {
        let lowest = set & set.wrapping_neg();
        let inside = cubes
            .iter()
            .filter(|c| **c & lowest != 0 && **c & !set == 0);
        fewest[set as usize] = 1 + inside.map(|c| fewest[(set & !c) as usize]).min().unwrap();
    }
    fewest
}

#[test]
fn every_set_on_4x4_is_split_into_the_fewest() {
    let n = mesh(4, 4);
    let fewest = fewest_on_4x4();
    for set in 1..=u16::MAX {
        let members = (0..16)
            .filter(|i| set >> i & 1 == 1)
            .map(|i| Coord::new(i / 4, i % 4));
        let parts = split(&n, &TileSet::Arbitrary(members.collect()));
        assert_eq!(parts, usize::from(fewest[set as usize]), "{set:#018b}");
    }
}

#[test]
fn a_cube_with_strides_stays_one() {
    let n = mesh(32, 32);
    for mask in [
        Coord::new(5, 10),
        Coord::new(16, 31),
        Coord::new(0, 0),
        Coord::new(31, 31),
    ] {
        let cube = MultiAddress::new(Coord::new(2, 1), mask);
        assert_eq!(cover(&n, &TileSet::Cube(cube)), Ok(vec![cube]));
        assert_eq!(
            cover(&n, &TileSet::Arbitrary(cube.members().collect())),
            Ok(vec![cube])
        );
    }
}

/// Members of which no two share a cube inside the set, collected greedily, those that share least
/// first: a lower bound.
fn bound(members: &[Coord]) -> usize {
    let all: BTreeSet<Coord> = members.iter().copied().collect();
    let shares = |p: &Coord, q: &Coord| {
        let mask = Coord::new(p.x ^ q.x, p.y ^ q.y);
        MultiAddress::new(*p, mask)
            .members()
            .all(|m| all.contains(&m))
    };
    let near: Vec<Vec<bool>> = members
        .iter()
        .map(|p| members.iter().map(|q| shares(p, q)).collect())
        .collect();
    let mut free: Vec<usize> = (0..members.len()).collect();
    let mut count = 0;
    while let Some(p) = free
        .iter()
        .copied()
        .min_by_key(|p| free.iter().filter(|q| near[*p][**q]).count())
    {
        free.retain(|q| !near[p][*q]);
        count += 1;
    }
    count
}

proptest! {
    #![proptest_config(noccl_testkit::cheap())]

    #[test]
    fn any_set_is_split_within_three_times_the_bound(
        log_width in 2u32..5, log_height in 2u32..5, per_16 in 1u32..16,
        holes: bool, draws in prop::collection::vec(0u32..16, 256),
    ) {
        // Absent rows and columns too: one less than a power of two.
        let (width, height) = ((1u16 << log_width) - u16::from(holes), 1u16 << log_height);
        let n = mesh(width, height);
        let all = n.members(&rectangle(0, 0, width, height)).unwrap();
        let members: Vec<Coord> = all.iter().zip(&draws).filter(|(_, d)| **d < per_16).map(|(c, _)| *c).collect();
        prop_assume!(!members.is_empty());
        let least = bound(&members);
        let parts = split(&n, &TileSet::Arbitrary(members));
        prop_assert!(parts >= least);
        prop_assert!(parts <= 3 * least, "{} parts, at least {}", parts, least);
    }

    #[test]
    fn a_union_of_rectangles_is_split_within_three_times_the_bound(
        corners in prop::collection::vec((0u16..16, 0u16..16, 1u16..16, 1u16..16), 2..4),
    ) {
        let n = mesh(16, 16);
        let mut members: Vec<Coord> = Vec::new();
        for (x, y, w, h) in corners {
            members.append(&mut n.members(&rectangle(x, y, w.min(16 - x), h.min(16 - y))).unwrap());
        }
        members.sort_unstable();
        members.dedup();
        let least = bound(&members);
        let parts = split(&n, &TileSet::Arbitrary(members));
        prop_assert!(parts <= 3 * least, "{} parts, at least {}", parts, least);
    }
}
