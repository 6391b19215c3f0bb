// SPDX-License-Identifier: Apache-2.0
//! Trees by load: an idle source sends over its shared tree, one whose column is full over the private one, and it comes back.

use super::super::plane::SmartPlane;
use super::{network, plane, run};
use noccl_net::{Coord, Network, TileId};
use proptest::prelude::*;

fn by_load(size: &str, vcs: u32) -> Network {
    let overrides = [("tree", "\"by_load\"".to_owned()), ("vcs", vcs.to_string())];
    network(&format!("smart_{size}"), &overrides)
}

fn all(network: &Network) -> Vec<Coord> {
    let tiles = (0..network.num_tiles() as u32).map(TileId);
    tiles.map(|tile| network.coord(tile)).collect()
}

fn broadcast(network: &Network, plane: &mut SmartPlane, from: Coord, tag: u64) {
    let trees = network.multicast_trees().unwrap();
    let tree = plane.add_multicast(network, trees, from, &all(network));
    plane.send_multicast(network.tile_at(from), tree, 1, tag);
}

/// Flits over links of one broadcast that is alone: over its corner it has the path there besides.
fn hops_alone(network: &Network, plane: &mut SmartPlane, from: Coord) -> u64 {
    let before = plane.flit_hops();
    broadcast(network, plane, from, 0);
    run(plane);
    plane.flit_hops() - before
}

#[test]
fn source_of_a_full_column_sends_over_its_corner_until_that_is_long_ago() {
    let network = by_load("8x8", 4);
    let from = Coord::new(3, 2);
    let corner = network.nearest_corner(from);
    let to_corner = u64::from(from.x.abs_diff(corner.x) + from.y.abs_diff(corner.y));
    let (shared, private) = (63, 63 + to_corner);
    let mut plane = plane(&network, 0);
    assert_eq!(hops_alone(&network, &mut plane, from), shared);

    // More at once than a column has channels for.
    let before = plane.flit_hops();
    for tag in 0..64 {
        for x in 0..8 {
            broadcast(&network, &mut plane, Coord::new(x, from.y), tag);
        }
    }
    let delivered = run(&mut plane);
    assert_eq!(delivered.len(), 8 * 64 * 64);
    let hops = plane.flit_hops() - before;
    let least = 8 * 64 * shared;
    assert!(
        hops > least + 64 * to_corner,
        "{hops} of {least}: all are shared"
    );

    // It remembers: the first packets after that still go over the corner.
    let mut packets = (0..100).map(|_| hops_alone(&network, &mut plane, from));
    assert_eq!(packets.next(), Some(private));
    let later: Vec<u64> = packets.collect();
    let back = later.iter().position(|hops| *hops == shared).unwrap();
    assert!(back < 20, "{back} packets");
    assert!(later[back..].iter().all(|hops| *hops == shared));
}

proptest! {
    #[test]
    fn packet_that_is_alone_takes_what_it_takes_over_a_shared_tree(
        width in 2..=9u16, height in 2..=9u16, vcs in 1..=8u32, draw: prop::sample::Index,
    ) {
        let network = by_load(&format!("{width}x{height}"), vcs);
        let all = all(&network);
        let from = *draw.get(&all);
        let mut plane = plane(&network, 0);
        broadcast(&network, &mut plane, from, 0);
        let found = run(&mut plane);
        prop_assert_eq!(found.len(), all.len());
        for (cycle, tile, _) in found {
            let cycles = network.idle_copy_cycles(from, network.coord(tile));
            prop_assert_eq!(cycle, u64::from(cycles));
        }
        prop_assert!(plane.trees.len() == plane.unused_trees.len(), "a tree is kept");
    }
}
