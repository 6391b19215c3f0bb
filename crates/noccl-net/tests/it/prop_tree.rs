// SPDX-License-Identifier: Apache-2.0
//! The mask comparators of a router equal the trees derived from the next hop, on every router of
//! every tree.

use crate::common::mesh;
use noccl_net::tree::{
    Cube, fork_set, fork_set_derived, join_set, join_set_derived, leaves_through,
};
use noccl_net::{Coord, MultiAddress, Network, Port, TileId, elaborate};
use noccl_testkit::sides::{Sides, spec};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Routers of a multicast tree with the port through which it enters them.
fn entries(network: &Network, source: Coord, set: Cube) -> BTreeMap<Coord, Port> {
    let mut entered = BTreeMap::new();
    for member in set.members() {
        let mut from = Port::Local;
        for (at, out) in network.path(source, member) {
            assert_eq!(
                *entered.entry(at).or_insert(from),
                from,
                "a tree enters {at} once"
            );
            from = out.opposite();
        }
    }
    entered
}

fn check_forks(network: &Network, source: Coord, set: Cube) {
    for (at, from) in entries(network, source, set) {
        assert_eq!(
            fork_set(at, from, set),
            fork_set_derived(network, at, source, set),
            "{at} from {from:?}: {source} -> {set:?}"
        );
    }
}

/// Follows the masked fork sets only: how often each router's Local port is reached.
fn delivered(network: &Network, source: Coord, set: Cube) -> BTreeMap<Coord, u32> {
    let mut reached = BTreeMap::new();
    let mut open = vec![(source, Port::Local)];
    while let Some((at, from)) = open.pop() {
        let ports = fork_set(at, from, set);
        for port in Port::ALL.into_iter().filter(|p| ports & p.bit() != 0) {
            match network.neighbour(at, port) {
                Some(next) => open.push((next, port.opposite())),
                None if port == Port::Local => *reached.entry(at).or_default() += 1,
                None => panic!("{source} -> {set:?} leaves the mesh at {at} through {port:?}"),
            }
        }
        assert!(
            open.len() < 10_000,
            "the tree of {source} -> {set:?} never ends"
        );
    }
    reached
}

fn check_delivery(network: &Network, source: Coord, set: Cube) {
    let expected: BTreeMap<Coord, u32> = set.members().map(|c| (c, 1)).collect();
    assert_eq!(
        delivered(network, source, set),
        expected,
        "{source} -> {set:?}"
    );
}

fn check_joins(network: &Network, group: Cube, root: Coord) {
    let mut through: BTreeMap<Coord, u32> = BTreeMap::new();
    for member in group.members() {
        for (at, _) in network.path(member, root) {
            *through.entry(at).or_default() += 1;
        }
    }
    // Routers off the tree too: there both forms say that nothing comes.
    for at in (0..network.num_tiles() as u32).map(|t| network.coord(TileId(t))) {
        let ports = join_set(at, group, root);
        let what = format!("{at}: {group:?} -> {root}");
        assert_eq!(ports, join_set_derived(network, at, group, root), "{what}");
        let leaves = through.get(&at).copied().unwrap_or(0);
        if leaves > 0 {
            assert_eq!(leaves_through(at, group, root), leaves, "{what}");
        }
        // What comes in through the joined ports is what goes out.
        let incoming: u32 = Port::ALL
            .into_iter()
            .filter(|p| ports & p.bit() != 0)
            .map(|p| {
                network
                    .neighbour(at, p)
                    .map_or(1, |from| leaves_through(from, group, root))
            })
            .sum();
        assert_eq!(incoming, leaves, "{what}");
    }
    assert_eq!(
        leaves_through(root, group, root),
        group.set.len(),
        "{group:?} -> {root}"
    );
}

/// All multi-addresses of a region of 2^x_bits by 2^y_bits clusters.
fn all_cubes(x_bits: u32, y_bits: u32) -> Vec<MultiAddress> {
    let side = |bits: u32| {
        let all = 0..1u16 << bits;
        all.clone().flat_map(move |mask| {
            all.clone()
                .filter(move |base| base & mask == 0)
                .map(move |base| (base, mask))
        })
    };
    side(x_bits)
        .flat_map(|x| side(y_bits).map(move |y| (x, y)))
        .map(|((x, mask_x), (y, mask_y))| MultiAddress {
            base: Coord::new(x, y),
            mask: Coord::new(mask_x, mask_y),
        })
        .collect()
}

fn check_every_set_and_end(n: &Network) {
    let cubes = all_cubes(2, 2);
    assert_eq!(cubes.len(), 81);
    for set in cubes {
        // Memory tiles are sources and roots too.
        for end in (0..n.num_tiles() as u32).map(|t| n.coord(TileId(t))) {
            check_forks(n, end, n.cube(set));
            check_delivery(n, end, n.cube(set));
            check_joins(n, n.cube(set), end);
        }
    }
}

#[test]
fn masks_equal_derived_trees_for_every_set_and_end_on_4x4() {
    check_every_set_and_end(&mesh(4, 4));
}

#[test]
fn masks_equal_derived_trees_with_memories_on_any_side() {
    for sides in Sides::all(1) {
        let spec = spec("collective_noc_4x4", (4, 4), sides);
        check_every_set_and_end(&elaborate(&spec).unwrap());
    }
}

#[test]
fn one_coordinate_is_a_path() {
    let n = mesh(4, 4);
    for source in (0..n.num_tiles() as u32).map(|t| n.coord(TileId(t))) {
        for target in (0..n.num_tiles() as u32).map(|t| n.coord(TileId(t))) {
            let set = Cube::single(target);
            for (at, from) in entries(&n, source, set) {
                assert_eq!(fork_set(at, from, set), n.next_hop(at, target).bit());
            }
        }
    }
}

proptest! {
    #![proptest_config(noccl_testkit::cheap())]

    #[test]
    fn masks_equal_derived_trees_on_any_mesh(
        width in 1u16..33, height in 1u16..33, base: (u16, u16), mask: (u16, u16), end: prop::sample::Index,
    ) {
        let n = mesh(width, height);
        let (columns, rows) = n.padded_clusters();
        let inside = |c: (u16, u16)| Coord::new(c.0 & (columns as u16 - 1), c.1 & (rows as u16 - 1));
        // Where the set names absent tiles, its largest coordinates shrink until it does not.
        let mut set = MultiAddress::new(inside(base), inside(mask));
        while !n.has_cluster(set.max()) {
            let shrink = |value: u16, is_outside: bool| if is_outside { value / 2 } else { value };
            let (is_east, is_north) = (set.max().x >= width, set.max().y >= height);
            let base = Coord::new(shrink(set.base.x, is_east), shrink(set.base.y, is_north));
            let mask = Coord::new(shrink(set.mask.x, is_east), shrink(set.mask.y, is_north));
            set = MultiAddress::new(base, mask);
        }
        let end = n.coord(TileId(end.index(n.num_tiles()) as u32));
        check_forks(&n, end, n.cube(set));
        check_delivery(&n, end, n.cube(set));
        check_joins(&n, n.cube(set), end);
    }
}
