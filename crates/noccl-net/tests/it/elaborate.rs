// SPDX-License-Identifier: Apache-2.0
//! A spec becomes a network, or is refused with the field and what would be accepted.

use crate::common::{mesh, network, refused, spec};
use noccl_net::{Coord, TileId, TileKind, TileRef, elaborate};
use noccl_spec::{PRESET_NAMES, TileKindName};
use noccl_testkit::{assert_says, cluster};

fn shows(found: &noccl_net::NetError, parts: &[&str]) {
    let text = found.to_string();
    assert_says(&text, parts);
}

#[test]
fn every_preset_elaborates() {
    for name in PRESET_NAMES {
        let n = network(name);
        assert_eq!(n.spec().name, name);
        assert_eq!(n.clusters().count() + n.memories().count(), n.num_tiles());
    }
    for size in [
        "32x32_large",
        "1x1024",
        "1024x1",
        "256x2_large",
        "3x5",
        "1x1",
        "64x64_published",
    ] {
        let _ = network(&format!("collective_noc_{size}"));
    }
}

#[test]
fn a_million_clusters_elaborate() {
    let n = mesh(1024, 1024);
    assert_eq!(n.num_tiles(), 1025 * 1024);
    let far = n.find(cluster(1023, 1023)).unwrap();
    assert_eq!(far.idx(), n.num_tiles() - 1);
    assert_eq!(n.decode(n.address(far, 100)), Some((far, 100)));
}

#[test]
fn kinds_and_names_of_all_tiles_agree_with_the_regions() {
    let n = mesh(4, 3);
    for idx in 0..n.num_tiles() as u32 {
        let tile = TileId(idx);
        let at = n.coord(tile);
        assert_eq!(n.tile_at(at), tile);
        let expected = if at.x == 0 {
            (TileKind::Memory, TileRef::Memory(at.y.into()))
        } else {
            (TileKind::Cluster, cluster(at.x - 1, at.y))
        };
        assert_eq!((n.kind(tile), n.tile_ref(tile)), expected);
        assert_eq!(n.find(expected.1), Some(tile));
    }
    assert_eq!(n.find(TileRef::Memory(3)), None);
    assert_eq!(n.find(cluster(4, 0)), None);
    assert_eq!(n.find(cluster(0, 3)), None);
    let mut sorted: Vec<_> = n.clusters().collect();
    sorted.sort_unstable();
    assert_eq!(sorted, n.clusters().collect::<Vec<_>>());
}

#[test]
fn a_mesh_without_memory_tiles_is_a_network() {
    let mut s = spec("collective_noc_4x4");
    s.mesh.regions.remove(0);
    s.mesh.regions[0].x = 0;
    s.mesh.width = 4;
    let n = elaborate(&s).unwrap();
    assert_eq!((n.memories().count(), n.clusters().count()), (0, 16));
    assert_eq!(n.cluster_origin(), Coord::new(0, 0));
}

#[test]
fn memory_on_several_sides_is_numbered_in_index_order() {
    let mut s = spec("collective_noc_4x4");
    s.mesh.width = 6;
    let mut east = s.mesh.regions[0].clone();
    (east.x, east.base_address) = (5, 0x6000_0000);
    s.mesh.regions.insert(0, east);
    let n = elaborate(&s).unwrap();
    let columns: Vec<u16> = n.memories().map(|t| n.coord(t).x).collect();
    assert_eq!(columns, [0, 0, 0, 0, 5, 5, 5, 5]);
}

#[test]
fn values_out_of_range_are_refused_as_in_a_file() {
    let found = refused(|s| s.mesh.width = 0);
    shows(&found, &["mesh.width = 0", "1 to 4096"]);
    let found = refused(|s| s.axi_mut().unwrap().ni.wide_beat_bytes = 512);
    shows(&found, &["ni.wide_beat_bytes = 512", "must be 8 to 256"]);
}

#[test]
fn too_many_tiles_or_regions_are_refused() {
    let found = refused(|s| (s.mesh.width, s.mesh.height) = (4096, 4096));
    shows(
        &found,
        &["mesh.width * mesh.height = 16777216", "at most 1052672"],
    );
    let found = refused(|s| s.mesh.regions = vec![s.mesh.regions[0].clone(); 4097]);
    shows(&found, &["4097 regions", "at most 4096"]);
}

#[test]
fn a_region_outside_the_mesh_is_refused() {
    let found = refused(|s| s.mesh.regions[1].width = 5);
    shows(
        &found,
        &[
            "mesh.regions.1.x + width = 6",
            "at most 5, the mesh's width",
        ],
    );
    let found = refused(|s| s.mesh.regions[0].y = 1);
    shows(
        &found,
        &[
            "mesh.regions.0.y + height = 5",
            "at most 4, the mesh's height",
        ],
    );
}

#[test]
fn holes_and_overlaps_of_regions_are_refused_with_the_tile() {
    let found = refused(|s| s.mesh.regions[0].height = 3);
    shows(&found, &["tile (0,3) is covered 0 times"]);
    let found = refused(|s| (s.mesh.regions[1].x, s.mesh.regions[1].y) = (0, 0));
    shows(&found, &["tile (0,0) is covered 2 times"]);
}

#[test]
fn exactly_one_cluster_region_is_accepted() {
    let found = refused(|s| s.mesh.regions[1].kind = TileKindName::Memory);
    // 1 MiB of memory does not fit the stride of a cluster.
    shows(
        &found,
        &["mesh.regions.1.stride_bytes = 262144", "at least 1048576"],
    );
    let found = refused(|s| {
        s.mesh.regions[1].kind = TileKindName::Memory;
        s.axi_mut().unwrap().memory.bytes = 4096;
    });
    shows(&found, &["mesh.regions", "exactly one"]);
    let found = refused(|s| s.mesh.regions[0].kind = TileKindName::Cluster);
    shows(
        &found,
        &["mesh.regions.1.kind", "mesh.regions.0 holds the clusters"],
    );
}

#[test]
fn a_stride_smaller_than_the_memory_is_refused() {
    let found = refused(|s| s.axi_mut().unwrap().cluster.l1_bytes = 0x4_0040);
    shows(
        &found,
        &["mesh.regions.1.stride_bytes = 262144", "at least 262208"],
    );
}

#[test]
fn a_misaligned_base_is_refused_with_the_nearest_aligned_ones() {
    let found = refused(|s| s.mesh.regions[1].base_address = 0x2020_0000);
    shows(
        &found,
        &[
            "mesh.regions.1.base_address = 0x20200000",
            "0x400000",
            "0x20000000 or 0x20400000",
        ],
    );
}

#[test]
fn alignment_counts_padded_tiles() {
    // 3 rows are padded to 4: a base aligned for 4 x 3 tiles only is refused.
    let mut s = spec("collective_noc_4x3");
    s.mesh.regions[1].base_address = 0x2030_0000;
    shows(&elaborate(&s).unwrap_err(), &["4 x 4 tiles (padded"]);
}

#[test]
fn the_address_space_ends_at_48_bits() {
    let at = |base: u64| {
        let mut s = spec("collective_noc_4x4");
        s.mesh.regions[0].stride_bytes = 1 << 40;
        s.mesh.regions[0].base_address = base;
        elaborate(&s)
    };
    let last = (1 << 48) - (1 << 42);
    let n = at(last).unwrap();
    let tile = n.find(TileRef::Memory(3)).unwrap();
    assert_eq!(n.address(tile, 0), last + (3 << 40));
    shows(
        &at(1 << 48).unwrap_err(),
        &["mesh.regions.0.base_address", "must be 0 to"],
    );
    let mut s = spec("collective_noc_1024x1024_large");
    s.mesh.regions[1].stride_bytes = 1 << 29;
    s.mesh.regions[1].base_address = 0;
    shows(
        &elaborate(&s).unwrap_err(),
        &["mesh.regions.1.base_address = 0x0", "below 2^48"],
    );
}

#[test]
fn overlapping_address_ranges_are_refused_with_both_regions() {
    let found = refused(|s| s.mesh.regions[0].base_address = 0x2000_0000);
    shows(
        &found,
        &[
            "mesh.regions.1: addresses 0x20000000..0x20400000",
            "mesh.regions.0",
        ],
    );
    // Padding counts: the fourth row of a 4x3 region is not free for others.
    let mut s = spec("collective_noc_1x3");
    s.mesh.regions[0].base_address = 0x2000_0000;
    s.mesh.regions[1].base_address = 0x2030_0000;
    s.mesh.regions[1].stride_bytes = 0x4_0000;
    shows(
        &elaborate(&s).unwrap_err(),
        &["mesh.regions.1: addresses", "mesh.regions.0"],
    );
}
