// SPDX-License-Identifier: Apache-2.0
//! Addresses and tiles are two names of one thing; masks over addresses are masks over coordinates.

use crate::common::{mesh, network};
use noccl_net::{Coord, MaskedAddress, MultiAddress, TileId, TileRef};
use noccl_testkit::{cluster, cube};
use proptest::prelude::*;

#[test]
fn the_map_of_the_4x4_system_is_the_published_one() {
    let n = network("collective_noc_4x4");
    for x in 0..4u16 {
        for y in 0..4u16 {
            let tile = n.find(cluster(x, y)).unwrap();
            let index = u64::from(x * 4 + y);
            assert_eq!(n.address(tile, 0x40), 0x2000_0000 + index * 0x4_0000 + 0x40);
        }
    }
    let memory = n.find(TileRef::Memory(2)).unwrap();
    assert_eq!(n.address(memory, 0), 0x7020_0000);
}

#[test]
fn addresses_without_memory_decode_to_nothing() {
    let n = mesh(3, 3);
    assert_eq!(n.padded_clusters(), (4, 4));
    for (address, what) in [
        (0, "before all regions"),
        (0x2000_0000 - 1, "just before the clusters"),
        (
            0x2000_0000 + 0x2_0000,
            "behind the L1, before the next stride",
        ),
        (0x2000_0000 + 3 * 0x4_0000, "padded row"),
        (0x2000_0000 + 12 * 0x4_0000, "padded column"),
        (0x2000_0000 + 16 * 0x4_0000, "just behind the clusters"),
        (0x7000_0000 + 3 * 0x10_0000, "padded memory tile"),
        (u64::MAX, "beyond the bus"),
    ] {
        assert_eq!(n.decode(address), None, "{what}");
    }
}

#[test]
fn masks_that_do_not_select_clusters_are_refused() {
    let n = network("collective_noc_4x4");
    let fails = |address, mask| {
        let found = n
            .decode_masked(MaskedAddress { address, mask })
            .unwrap_err();
        found.to_string()
    };
    assert!(fails(0x2000_0000, 0x2_0000).contains("only mask bits of 0x3c0000"));
    assert!(fails(0x2000_0000, 0x40_0000).contains("only mask bits"));
    assert!(
        fails(0x7000_0000, 0x4_0000).contains("only the cluster region 0x20000000..0x20400000")
    );
    let whole = cube(0, 0, 7, 3);
    assert!(n.masked_address(whole, 0).is_err());
    for just_outside in [Coord::new(4, 0), Coord::new(0, 4)] {
        let set = MultiAddress::single(just_outside);
        assert!(n.masked_address(set, 0).is_err(), "{set}");
    }
    assert!(
        n.masked_address(MultiAddress::single(Coord::new(0, 0)), 0x4_0000)
            .is_err()
    );
}

proptest! {
    #![proptest_config(noccl_testkit::cheap())]

    #[test]
    fn decode_undoes_address(width in 1u16..20, height in 1u16..20, tile: prop::sample::Index, at: u64) {
        let n = mesh(width, height);
        let tile = TileId(tile.index(n.num_tiles()) as u32);
        let offset = at % n.memory_bytes(tile);
        prop_assert_eq!(n.decode(n.address(tile, offset)), Some((tile, offset)));
    }

    #[test]
    fn a_decoded_address_encodes_back(width in 1u16..20, height in 1u16..20, address in 0x1fff_0000u64..0x8000_0000) {
        let n = mesh(width, height);
        if let Some((tile, offset)) = n.decode(address) {
            prop_assert_eq!(n.address(tile, offset), address);
        }
    }

    #[test]
    fn a_masked_address_names_exactly_the_addresses_of_its_members(
        width in 1u16..10, height in 1u16..10, x: u16, y: u16, mx: u16, my: u16, offset in 0u64..0x2_0000, junk: u64,
    ) {
        let n = mesh(width, height);
        let (columns, rows) = n.padded_clusters();
        let (cx, cy) = (columns as u16 - 1, rows as u16 - 1);
        let set = cube(x & cx, y & cy, mx & cx, my & cy);
        let bus = n.masked_address(set, offset).unwrap();
        prop_assert_eq!(n.decode_masked(bus), Ok((set, offset)));
        let other = MaskedAddress { address: bus.address | (junk & bus.mask), mask: bus.mask };
        prop_assert_eq!(n.decode_masked(other), Ok((set, offset)));
        // Every tile of the mesh agrees, absent members included.
        for tile in n.clusters() {
            let named = n.address(tile, offset) & !bus.mask == bus.address;
            prop_assert_eq!(named, set.contains(n.cluster_coord(n.coord(tile)).unwrap()));
        }
        let mapped = n.multi_tiles(set).flatten().count();
        let expected = n.clusters().filter(|t| n.address(*t, offset) & !bus.mask == bus.address).count();
        prop_assert_eq!(mapped, expected);
    }
}
