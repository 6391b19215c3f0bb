// SPDX-License-Identifier: Apache-2.0
//! Networks of core tiles: every tile is a compute tile, two planes, no addresses.

use noccl_net::capabilities::Carries;
use noccl_net::deadlock::check_network;
use noccl_net::{Coord, Network, TileId, TileKind, TileRef};
use noccl_spec::PlaneName;
use noccl_testkit::{network, network_with, rectangle};

#[test]
fn the_whole_mesh_is_compute_tiles_at_every_size() {
    for (width, height) in [(1, 1), (1, 64), (64, 1), (7, 7), (3, 5), (64, 64)] {
        let network = network(&format!("tilepro64_{width}x{height}"));
        assert_eq!((network.width(), network.height()), (width, height));
        assert_eq!(
            (network.cluster_width(), network.cluster_height()),
            (width, height)
        );
        assert_eq!(network.cluster_origin(), Coord::new(0, 0));
        assert_eq!(network.clusters().count(), network.num_tiles());
        assert_eq!(network.memories().count(), 0);
        for tile in (0..network.num_tiles() as u32).map(TileId) {
            assert_eq!(network.kind(tile), TileKind::Cluster);
            assert_eq!(
                network.tile_ref(tile),
                TileRef::Cluster(network.coord(tile))
            );
            assert_eq!(network.find(network.tile_ref(tile)), Some(tile));
        }
    }
}

#[test]
fn groups_are_written_as_on_clusters() {
    let network = network("tilepro64_4x3");
    let all = network.parse_tile_set("all").unwrap();
    assert_eq!(network.members(&all).unwrap().len(), 12);
    let part = rectangle(1, 0, 3, 2);
    assert_eq!(network.members(&part).unwrap().len(), 6);
    let outside = network
        .parse_tile_set("0,0,5,3")
        .and_then(|set| network.members(&set));
    assert!(outside.is_err());
}

#[test]
fn both_planes_carry_words() {
    let found = |network: &Network| {
        let planes = network.planes().iter();
        planes
            .map(|one| (one.plane, one.data_bytes, one.hop_cycles))
            .collect::<Vec<_>>()
    };
    let n = network_with("tilepro64_4x4", &[("router.udn.hop_cycles", "2")]);
    let expected = [(PlaneName::Udn, 4, 2), (PlaneName::Static, 4, 1)];
    assert_eq!(found(&n), expected);
    assert_eq!(n.data_plane().plane, PlaneName::Udn);
    assert_eq!(n.beat_bytes(), 4);
    assert_eq!(n.longest_packet_beats(), (34, "core.unit_bytes"));
    let axi = network("collective_noc_4x4");
    assert_eq!(axi.data_plane().plane, PlaneName::Wide);
    assert_eq!(axi.beat_bytes(), 64);
}

#[test]
fn tiles_have_the_memory_that_the_spec_says_and_no_energies() {
    let network = network_with("tilepro64_2x2", &[("core.memory_bytes", "4096")]);
    assert_eq!(network.memory_bytes(TileId(3)), 4096);
    assert_eq!(network.memory_field(TileId(3)), "core.memory_bytes");
    assert!(network.cores().is_some() && network.energy().is_none());
}

#[test]
fn cores_are_no_network_of_interfaces_and_clusters_are_one() {
    assert!(network("tilepro64_2x2").as_axi().is_none());
    let clusters = network("collective_noc_4x4");
    let axi = clusters.as_axi().unwrap();
    assert_eq!(axi.axi(), clusters.spec().axi().unwrap());
}

#[test]
fn routers_carry_words_and_are_free_of_deadlock_if_cores_drain() {
    for (drain, is_deadlock_free) in [("always", true), ("in_receive", false), ("never", false)] {
        let network = network_with("tilepro64_4x4", &[("core.drain", drain)]);
        let routers = network.routers();
        assert_eq!(routers.carries, Carries::Words);
        assert!(routers.carries_words() && !routers.carries_lists_only());
        assert_eq!(routers.is_deadlock_free, is_deadlock_free, "{drain}");
        assert!(routers.no_hardware.is_some());
        assert!(check_network(&network).is_ok(), "XY closes no circle");
    }
    let axi = network("collective_noc_4x4");
    assert!(!axi.routers().carries_words() && axi.cores().is_none());
}
