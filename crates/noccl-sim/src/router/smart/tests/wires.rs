// SPDX-License-Identifier: Apache-2.0
//! A wire between any two interfaces: a flit per cycle and pair, any number into an interface.

use super::super::packet::Combining;
use super::{plane, run};
use noccl_net::{Coord, Network};
use noccl_workload::{ElementType, Operator};
use proptest::prelude::*;

fn mesh(width: u16, height: u16) -> Network {
    noccl_testkit::network(&format!("smart_{width}x{height}_connected"))
}

/// Tiles of some packets by number, and the flits of each.
fn packets() -> impl Strategy<Value = (u16, u16, Vec<(usize, usize, u16)>)> {
    (1..=6u16, 1..=6u16).prop_flat_map(|(width, height)| {
        let tiles = usize::from(width) * usize::from(height);
        let packet = (0..tiles, 0..tiles, 1..=5u16);
        let packets = prop::collection::vec(packet, 1..30);
        (Just(width), Just(height), packets)
    })
}

proptest! {
    /// Packets of one pair follow each other; those of different pairs do not meet, whatever their ends.
    #[test]
    fn a_packet_waits_for_those_of_its_pair_only((width, height, packets) in packets()) {
        let network = mesh(width, height);
        let mut plane = plane(&network, 0);
        let tiles: Vec<_> = network.clusters().collect();
        let (mut sent, mut expected) = (std::collections::HashMap::new(), Vec::new());
        for (tag, (from, to, flits)) in packets.iter().enumerate() {
            plane.send_unicast(tiles[*from], tiles[*to], *flits, tag as u64);
            let before = sent.entry((*from, *to)).or_insert(0);
            *before += u64::from(*flits);
            expected.push((*before, tiles[*to], tag as u64));
        }
        let mut done = run(&mut plane);
        done.sort_unstable();
        expected.sort_unstable();
        prop_assert_eq!(done, expected);
        let flits = packets.iter().map(|(_, _, flits)| u64::from(*flits));
        prop_assert_eq!(plane.flit_hops(), flits.sum::<u64>());
    }
}

/// All contributions come in the next cycle, and the root combines them.
#[test]
fn a_reduction_of_the_whole_mesh_takes_one_cycle() {
    let network = mesh(8, 8);
    let mut plane = plane(&network, 8);
    let members: Vec<Coord> = network.clusters().map(|tile| network.coord(tile)).collect();
    let table = network.shared_reduction(Coord::new(3, 4), &members);
    let combining = Combining::Values(Operator::Sum, ElementType::Int64);
    let reduction = plane.add_reduction(&table, 64, combining, 7);
    for (value, member) in (1_i64..).zip(&members) {
        let from = network.tile_at(*member);
        plane.send_contribution(from, reduction, &value.to_le_bytes());
    }
    let root = network.tile_at(Coord::new(3, 4));
    assert_eq!(run(&mut plane), [(1, root, 7)]);
    assert_eq!(plane.result(reduction), (64, &2080_i64.to_le_bytes()[..]));
}

/// An interface that pauses gets its flits later, and no others wait for it.
#[test]
fn an_interface_that_takes_nothing_keeps_only_its_own_packets() {
    let network = mesh(3, 1);
    let mut plane = plane(&network, 0);
    let tiles: Vec<_> = network.clusters().collect();
    plane.send_unicast(tiles[0], tiles[1], 1, 1);
    plane.send_unicast(tiles[0], tiles[2], 1, 2);
    let mut done = Vec::new();
    for cycle in 0..6_u64 {
        let is_open = cycle >= 3;
        plane.step(|tile| is_open || tile != tiles[1], |_| true);
        done.extend(plane.deliveries.iter().map(|d| (cycle, d.tag)));
        plane.settle();
    }
    assert!(plane.is_idle());
    assert_eq!(done, [(1, 2), (4, 1)]);
}
