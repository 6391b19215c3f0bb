// SPDX-License-Identifier: Apache-2.0
//! Whatever is sent and however receivers stall: each flit is delivered once, in order, packets of a pair in theirs, and
//! everything arrives while receivers take flits again and again.

use super::{Bench, Packet, UDN};
use crate::kernel::random::is_drawn;
use crate::router::wormhole::Params;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn packets(tiles: u32) -> impl Strategy<Value = Vec<Packet>> {
    let one = (0..tiles, 0..tiles, 1u32..40, 0u64..50);
    let one = one.prop_map(|(from, to, flits, not_before)| Packet {
        from,
        to,
        flits,
        not_before,
    });
    prop::collection::vec(one, 1..120)
}

type Case = ((u16, u16), Params, Vec<Packet>, u32, u64);

fn cases() -> impl Strategy<Value = Case> {
    let sizes = (1u16..6, 1u16..6);
    sizes.prop_flat_map(|size| {
        let tiles = u32::from(size.0) * u32::from(size.1);
        let params = (1u32..5, 1u32..5, 1u32..4, 0u32..3, 0u32..2).prop_map(
            |(input_fifo_flits, local_fifo_flits, hop_cycles, turn_cycles, reserve_cycles)| {
                Params {
                    input_fifo_flits,
                    local_fifo_flits,
                    hop_cycles,
                    turn_cycles,
                    reserve_cycles,
                }
            },
        );
        (Just(size), params, packets(tiles), 0u32..250, any::<u64>())
    })
}

proptest! {
    #![proptest_config(noccl_testkit::config(100, 400))]

    #[test]
    fn everything_is_delivered_once_and_pairs_keep_their_order(
        (size, params, packets, per_256, seed) in cases()
    ) {
        let mut bench = Bench::new(size, params, &packets);
        let takes = |now: u64, tile: noccl_net::TileId| !is_drawn(seed, now << 8 | u64::from(tile.0), per_256);
        // No cycle moves fewer flits than one per 43 cycles of the slowest receiver, and a flit has ten hops at most.
        let flits: u64 = packets.iter().map(|p| u64::from(p.flits)).sum();
        bench.run(takes, 1000 + flits * 1500);
        let mut last: BTreeMap<(u32, u32), usize> = BTreeMap::new();
        for number in &bench.order {
            let pair = (packets[*number].from, packets[*number].to);
            prop_assert!(last.insert(pair, *number).is_none_or(|before| before < *number));
        }
    }

    #[test]
    fn a_packet_alone_is_never_blocked(
        (size, params, packets, ..) in cases()
    ) {
        let params = Params {
            input_fifo_flits: params.full_rate_flits(),
            local_fifo_flits: params.full_rate_flits(),
            reserve_cycles: 0,
            ..params
        };
        let mut bench = Bench::new(size, params, &packets[..1]);
        bench.run(|_, _| true, 10_000);
        prop_assert_eq!(bench.plane.blocked_cycles(bench.now).total, 0);
    }
}

#[test]
fn the_preset_drains_saturating_traffic_of_long_packets() {
    let mut stream = crate::kernel::random::Stream::new(7);
    let packets: Vec<Packet> = (0..64 * 40)
        .map(|i| Packet {
            from: i % 64,
            to: stream.below(64) as u32,
            flits: 34,
            not_before: 0,
        })
        .collect();
    let mut bench = Bench::new((8, 8), UDN, &packets);
    bench.run(|_, _| true, 40 * 34 * 20);
}
