// SPDX-License-Identifier: Apache-2.0
//! The numbers say what the network says, on meshes of all shapes.

use noccl_net::deadlock::{Windows, merge_points};
use noccl_net::{Coord, MultiAddress, Network, elaborate};
use noccl_rtl::{RtlConfig, vectors_text};
use noccl_spec::{Spec, parse_spec, preset_text};
use noccl_testkit::sides::{self, Sides};
use proptest::prelude::*;

fn mesh(width: u32, height: u32) -> Network {
    let name = "collective_noc_4x4";
    let mut spec: Spec = parse_spec(name, &preset_text(name).unwrap(), &[]).unwrap();
    (spec.mesh.width, spec.mesh.height) = (width + 1, height);
    spec.mesh.regions.iter_mut().for_each(|r| r.height = height);
    spec.mesh.regions[1].width = width;
    spec.mesh.regions[0].base_address = 1 << 40;
    spec.mesh.regions[1].base_address = 1 << 41;
    elaborate(&spec).unwrap()
}

/// What a decoder makes of an address: picks bits, adds the corner, compares sizes.
fn decode(config: &RtlConfig, address: u64) -> Option<(Coord, u64)> {
    let field = |low: u32, bits: u32| (address >> low) & ((1 << bits) - 1);
    config.regions.iter().find_map(|r| {
        let top = r.offset_bits + r.y_bits + r.x_bits;
        let (x, y) = (
            field(r.offset_bits + r.y_bits, r.x_bits),
            field(r.offset_bits, r.y_bits),
        );
        let offset = field(0, r.offset_bits);
        let is_hit = address >> top == r.base >> top
            && x < r.width.into()
            && y < r.height.into()
            && offset < r.memory_bytes.into();
        let at = Coord::new(x as u16 + r.x as u16, y as u16 + r.y as u16);
        is_hit.then_some((at, offset))
    })
}

/// All sets of clusters that one multi-address names.
fn sets(network: &Network) -> Vec<MultiAddress> {
    let (columns, rows) = network.padded_clusters();
    let all = |f: &mut dyn FnMut(Coord)| {
        for x in 0..columns as u16 {
            (0..rows as u16).for_each(|y| f(Coord::new(x, y)));
        }
    };
    let mut found = Vec::new();
    all(&mut |mask| all(&mut |base| found.push(MultiAddress::new(base, mask))));
    found.sort();
    found.dedup();
    found.retain(|set| {
        let last = MultiAddress::max(*set);
        last.x < network.cluster_width() && last.y < network.cluster_height()
    });
    found
}

proptest! {
    #![proptest_config(noccl_testkit::cheap())]

    #[test]
    fn picking_bits_decodes_as_the_network_does(
        width in 1_u32..12, height in 1_u32..12, region in 0_usize..2, low in any::<u64>(), far in any::<bool>(),
    ) {
        let network = mesh(width, height);
        let config = RtlConfig::new(&network).unwrap();
        let r = &config.regions[region];
        let size = 1_u64 << (r.offset_bits + r.y_bits + r.x_bits);
        let address = r.base + low % size + if far { size } else { 0 };
        let expected = network.decode(address).map(|(tile, offset)| (network.coord(tile), offset));
        prop_assert_eq!(decode(&config, address), expected);
    }

    #[test]
    fn so_it_does_with_memories_on_any_side(
        width in 1_u32..6, height in 1_u32..6, wide in 1_u32..4, set in 0_usize..16, region: prop::sample::Index,
        low in any::<u64>(), far in any::<bool>(),
    ) {
        let sides = Sides::all(wide).nth(set).unwrap();
        let network = elaborate(&sides::spec("collective_noc_4x4", (width, height), sides)).unwrap();
        let config = RtlConfig::new(&network).unwrap();
        let count = config.regions.len();
        prop_assert_eq!(count, 1 + set.count_ones() as usize);
        let clusters = &config.regions[config.cluster_region as usize];
        prop_assert_eq!((clusters.x, clusters.y), (config.region_x, config.region_y));
        let r = &config.regions[region.index(count)];
        let size = 1_u64 << (r.offset_bits + r.y_bits + r.x_bits);
        let address = r.base + low % size + if far { size } else { 0 };
        let expected = network.decode(address).map(|(tile, offset)| (network.coord(tile), offset));
        prop_assert_eq!(decode(&config, address), expected);
    }

    #[test]
    fn every_number_fits_its_bits(width in 1_u32..40, height in 1_u32..40) {
        let network = mesh(width, height);
        let c = RtlConfig::new(&network).unwrap();
        prop_assert!(c.mesh_width <= 1 << c.x_bits && c.mesh_height <= 1 << c.y_bits);
        prop_assert!(c.region_width <= 1 << c.region_x_bits && c.region_height <= 1 << c.region_y_bits);
        prop_assert!(c.region_width * c.region_height < 1 << c.count_bits);
        for r in &c.regions {
            prop_assert!(u64::from(r.memory_bytes) <= 1 << c.offset_bits);
            prop_assert!(u64::from(r.memory_bytes) <= u64::from(c.wide_bits / 8) << c.line_bits);
        }
    }
}

#[test]
fn the_largest_window_is_that_of_the_farthest_merge_points() {
    for (width, height) in [(2, 2), (4, 4), (8, 2), (3, 5)] {
        let network = mesh(width, height);
        let config = RtlConfig::new(&network).unwrap();
        let mut farthest = 1;
        for set in sets(&network) {
            for member in set.members() {
                let root = network.tile_at(network.mesh_coord(member));
                let hops = merge_points(&network, set, root)
                    .into_iter()
                    .map(|(_, h)| h);
                farthest = farthest.max(hops.max().unwrap_or(0));
            }
        }
        let largest = config.window_beats + Windows::BEATS_PER_HOP * (farthest - 1);
        assert_eq!(config.max_window_beats, largest, "{width}x{height}");
        assert_eq!(config.reduction_flows, 8);
    }
}

#[test]
fn vectors_are_exhaustive_and_agree_with_the_definition() {
    let network = mesh(4, 4);
    let text = vectors_text(&network);
    let sets = sets(&network);
    let routers = 20;
    let vectors: Vec<Vec<u16>> = text.lines().map(numbers).collect();
    let count = |kind| vectors.iter().filter(|v| v[0] == kind).count();
    assert_eq!(count(0), routers * routers);
    assert_eq!(count(1), routers * sets.len());
    // From the south-west cluster's own NI to all clusters: north, east and its own L1.
    let all = [1, 1, 0, 0, 0, 0, 0, 3, 3];
    let vector = vectors.iter().find(|v| v.starts_with(&all)).unwrap();
    assert_eq!(vector[13], 0b10011);
    for v in vectors.iter().filter(|v| v[0] == 0) {
        let hop = network.next_hop(Coord::new(v[1], v[2]), Coord::new(v[3], v[4]));
        assert_eq!(v[9..], [u16::from(hop.bit()); 5], "{v:?}");
    }
}

fn numbers(line: &str) -> Vec<u16> {
    let digits = line.split('_');
    digits
        .map(|n| u16::from_str_radix(n, 16).unwrap())
        .collect()
}
