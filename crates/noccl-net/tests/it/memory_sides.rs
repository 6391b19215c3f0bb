// SPDX-License-Identifier: Apache-2.0
//! Memory tiles stand on any side of the clusters: the mesh, the address map, sets and the deadlock check follow.

use crate::common::spec as preset;
use noccl_net::deadlock::check_network;
use noccl_net::{Coord, Network, TileId, TileKind, TileRef, elaborate};
use noccl_spec::TileKindName;
use noccl_testkit::cube;
use noccl_testkit::sides::{Sides, spec};

const BASE: &str = "collective_noc_4x4";

/// Every combination of sides, narrow and wide, around clusters of several shapes.
fn networks() -> impl Iterator<Item = (Sides, (u32, u32), Network)> {
    let shapes = [(1, 1), (2, 2), (4, 3), (1, 5)];
    let sides = [1, 3].into_iter().flat_map(Sides::all);
    sides.flat_map(move |sides| {
        shapes.map(|shape| {
            let network = elaborate(&spec(BASE, shape, sides)).unwrap();
            (sides, shape, network)
        })
    })
}

#[test]
fn every_tile_has_its_kind_its_name_and_its_addresses() {
    for (sides, shape, n) in networks() {
        let count = n.memories().count() as u32;
        assert_eq!(count, sides.memories(shape), "{sides:?}");
        for idx in 0..n.num_tiles() as u32 {
            let tile = TileId(idx);
            let at = n.coord(tile);
            let cluster = Coord::new(
                at.x.wrapping_sub(sides.west as u16),
                at.y.wrapping_sub(sides.south as u16),
            );
            let is_cluster = u32::from(cluster.x) < shape.0 && u32::from(cluster.y) < shape.1;
            let memories_before = n.memories().filter(|m| *m < tile).count() as u32;
            let (kind, name) = if is_cluster {
                (TileKind::Cluster, TileRef::Cluster(cluster))
            } else {
                (TileKind::Memory, TileRef::Memory(memories_before))
            };
            assert_eq!((n.kind(tile), n.tile_ref(tile)), (kind, name), "{sides:?}");
            assert_eq!(n.find(name), Some(tile));
            let last = n.memory_bytes(tile) - 1;
            for offset in [0, 64, last] {
                assert_eq!(n.decode(n.address(tile, offset)), Some((tile, offset)));
            }
        }
    }
}

#[test]
fn a_mask_names_clusters_only_wherever_memories_stand() {
    for (sides, shape, n) in networks() {
        let (columns, rows) = n.padded_clusters();
        let all = cube(0, 0, columns as u16 - 1, rows as u16 - 1);
        let bus = n.masked_address(all, 128).unwrap();
        assert_eq!(n.decode_masked(bus).unwrap(), (all, 128), "{sides:?}");
        let tiles: Vec<_> = n.multi_tiles(all).flatten().collect();
        assert_eq!(tiles.len() as u32, shape.0 * shape.1);
        assert!(tiles.iter().all(|tile| n.kind(*tile) == TileKind::Cluster));
        for memory in n.memories() {
            let bus = noccl_net::MaskedAddress {
                address: n.address(memory, 0),
                ..bus
            };
            let refusal = n.decode_masked(bus).unwrap_err().to_string();
            assert!(refusal.contains("only the cluster region"), "{refusal}");
        }
    }
}

#[test]
fn the_default_routers_are_free_of_deadlock_with_memories_on_any_side() {
    for (sides, _, n) in networks() {
        let proof = check_network(&n).unwrap();
        assert_eq!(proof.nodes, n.num_tiles() * 34, "{sides:?}");
    }
}

#[test]
fn a_million_clusters_have_memories_on_four_sides() {
    let sides = Sides::all(1).last().unwrap();
    let n = elaborate(&spec(BASE, (1022, 1022), sides)).unwrap();
    assert_eq!((n.width(), n.height()), (1024, 1024));
    let last = n.memories().last().unwrap();
    assert_eq!(n.decode(n.address(last, 8)), Some((last, 8)));
}

/// Memories between clusters would need two regions of clusters.
#[test]
fn a_second_region_of_clusters_is_refused_by_its_field() {
    let mut spec = preset(BASE);
    spec.mesh.width = 9;
    let mut second = spec.mesh.regions[1].clone();
    (second.x, second.base_address) = (5, 0x3000_0000);
    assert_eq!(second.kind, TileKindName::Cluster);
    spec.mesh.regions.push(second);
    let refusal = elaborate(&spec).unwrap_err().to_string();
    let expected = "mesh.regions.2.kind = \"cluster\": must be \"memory\": mesh.regions.1 holds the clusters already, and a \
                    multi-address, a cluster's coordinates and a router's join set name tiles of one rectangle; make it larger";
    assert_eq!(refusal, expected);
}
