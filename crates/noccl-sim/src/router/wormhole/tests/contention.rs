// SPDX-License-Identifier: Apache-2.0
//! Packets that meet: outputs are held to the tail, granted in round-robin order, and waiting is counted where it happens.

use super::{Bench, Packet, UDN};
use crate::router::wormhole::{Awaited, Blocked, Params};
use noccl_net::{Port, TileId};

fn packet(from: u32, to: u32, flits: u32, not_before: u64) -> Packet {
    Packet {
        from,
        to,
        flits,
        not_before,
    }
}

/// Straight lines only, so that the numbers below hold no turns.
const STRAIGHT: Params = Params {
    turn_cycles: 0,
    ..UDN
};

#[test]
fn a_head_waits_for_the_tail_and_its_cycles_count_at_the_link_it_wants() {
    // From 0 and from 1 to 3 in a row: both want East of tile 1.
    let packets = [packet(0, 3, 10, 0), packet(1, 3, 4, 2)];
    let mut bench = Bench::new((4, 1), STRAIGHT, &packets);
    bench.run(|_, _| true, 100);
    // The first is in the FIFO of tile 1 from cycle 2 to 11, and takes the output before the other, whose head comes in 3.
    assert_eq!(bench.ended, [Some(4 + 9), Some(4 + 9 + 4)]);
    // Its head stands there from 3 to 11.
    assert_eq!(
        bench.plane.blocked_cycles(bench.now),
        Blocked {
            total: 9,
            links: vec![(TileId(1), Port::East, 9)]
        }
    );
}

#[test]
fn blocked_cycles_of_fronts_that_still_stand_are_counted() {
    let packets = [packet(0, 3, 10, 0), packet(1, 3, 4, 2)];
    let mut bench = Bench::new((4, 1), STRAIGHT, &packets);
    for _ in 0..8 {
        bench.step(|_| true);
    }
    // Cycles 3 to 7.
    assert_eq!(bench.plane.blocked_cycles(bench.now).total, 5);
}

#[test]
fn round_robin_serves_all_inputs_of_an_output_alike() {
    // All others of a 3×3 mesh send to its centre without end; four links share the Local output.
    let packets = (0..9).filter(|from| *from != 4);
    let packets: Vec<Packet> = packets
        .flat_map(|from| (0..60).map(move |_| packet(from, 4, 5, 0)))
        .collect();
    let mut bench = Bench::new((3, 3), UDN, &packets);
    while bench.order.len() < 120 {
        bench.step(|_| true);
    }
    // North and South carry three sources each (both corners turn there), East and West one.
    let from = |tiles: &[u32]| {
        let of = |number: &&usize| tiles.contains(&packets[**number].from);
        bench.order.iter().filter(of).count()
    };
    let counts = [from(&[0, 3, 6]), from(&[2, 5, 8]), from(&[1]), from(&[7])];
    for count in counts {
        assert!(count.abs_diff(30) <= 1, "{counts:?}");
    }
    // And of those three each gets a third.
    for tiles in [[0, 3, 6], [2, 5, 8]] {
        for tile in tiles {
            assert!(from(&[tile]).abs_diff(10) <= 1, "{tile}: {}", from(&[tile]));
        }
    }
}

#[test]
fn a_receiver_that_takes_nothing_is_named_and_nothing_can_move() {
    let packets = [packet(0, 2, 20, 0), packet(1, 2, 2, 4)];
    let mut bench = Bench::new((3, 1), STRAIGHT, &packets);
    for _ in 0..30 {
        bench.step(|_| false);
    }
    assert!(!bench.plane.can_move());
    let waits = bench.plane.waits();
    let first = waits.iter().find(|wait| wait.tile == TileId(2)).unwrap();
    assert_eq!(first.awaited, Awaited::Tile);
    assert_eq!((first.input, first.output), (Port::West, Port::Local));
    let local = waits
        .iter()
        .find(|wait| wait.input == Port::Local && wait.tile == TileId(1));
    assert_eq!(local.unwrap().awaited, Awaited::Packet(first.packet));
    assert_ne!(local.unwrap().packet, first.packet);
    bench.run(|_, _| true, 100);
    assert_eq!(bench.plane.waits(), []);
}

#[test]
fn waiting_for_time_is_no_stall() {
    let params = Params {
        hop_cycles: 3,
        ..UDN
    };
    let mut bench = Bench::new((3, 1), params, &[packet(0, 2, 1, 0)]);
    while bench.order.is_empty() {
        let is_begun = bench.now > 0;
        assert_eq!(bench.plane.can_move(), is_begun, "cycle {}", bench.now);
        bench.step(|_| true);
    }
    // Nothing is left in the network.
    assert_eq!(bench.now, 10);
    assert!(!bench.plane.can_move());
}

#[test]
fn numbers_of_delivered_packets_are_used_again() {
    let packets: Vec<Packet> = (0..200).map(|i| packet(i % 4, (i + 1) % 4, 3, 0)).collect();
    let mut bench = Bench::new((2, 2), UDN, &packets);
    let mut most = 0;
    while bench.order.len() < packets.len() {
        bench.step(|_| true);
        most = most.max(bench.plane.packets.num_open());
    }
    assert!(most <= 16, "{most} packets at a time");
    assert!(bench.plane.packets.num_slots() <= 16);
}
