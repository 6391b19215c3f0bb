// SPDX-License-Identifier: Apache-2.0
//! A packet alone needs exactly the cycles of the closed form, at every pair of tiles.

use super::{Bench, Packet, UDN};
use crate::router::wormhole::Params;

/// From the cycle of the first write to that in which the last flit is delivered (`docs/design/0013-core-tiles.md`).
fn formula(params: &Params, from: (u32, u32), to: (u32, u32), flits: u32) -> u64 {
    let (x, y) = (from.0.abs_diff(to.0), from.1.abs_diff(to.1));
    let turns = u32::from(x > 0 && y > 0);
    u64::from((x + y + 1) * params.hop_cycles + turns * params.turn_cycles + flits - 1)
}

#[test]
fn a_lone_packet_takes_the_closed_form_exactly() {
    for (hop_cycles, turn_cycles) in [(1, 0), (1, 1), (2, 0), (2, 1), (3, 0)] {
        // Three flits, as the preset, or more where links are slower than in it.
        let flits = UDN.input_fifo_flits.max(hop_cycles + turn_cycles + 1);
        let params = Params {
            hop_cycles,
            turn_cycles,
            input_fifo_flits: flits,
            local_fifo_flits: flits,
            ..UDN
        };
        for size in [(1, 1), (4, 4), (3, 5), (7, 1), (1, 6), (8, 2)] {
            let tiles = u32::from(size.0) * u32::from(size.1);
            for (from, to) in (0..tiles).flat_map(|a| (0..tiles).map(move |b| (a, b))) {
                for flits in [1, 2, 3, 4, 34, 129] {
                    check(&params, size, from, to, flits);
                }
            }
        }
    }
}

fn check(params: &Params, size: (u16, u16), from: u32, to: u32, flits: u32) {
    let packet = Packet {
        from,
        to,
        flits,
        not_before: 5,
    };
    let mut bench = Bench::new(size, *params, &[packet]);
    bench.run(|_, _| true, 1000);
    let height = u32::from(size.1);
    let at = |tile: u32| (tile / height, tile % height);
    assert_eq!(bench.written[0], Some(5));
    let expected = 5 + formula(params, at(from), at(to), flits);
    assert_eq!(
        bench.ended[0],
        Some(expected),
        "{params:?}, {size:?}, {from} to {to}, {flits} flits"
    );
    assert_eq!(bench.plane.blocked_cycles(bench.now).total, 0);
    let hops = u64::from(at(from).0.abs_diff(at(to).0) + at(from).1.abs_diff(at(to).1));
    assert_eq!(bench.plane.flit_hops(), hops * u64::from(flits));
    let loads: u64 = bench.plane.link_loads().map(|(_, _, flits)| flits).sum();
    assert_eq!(loads, (hops + 1) * u64::from(flits));
}

#[test]
fn a_fifo_smaller_than_its_round_trip_lowers_the_rate() {
    let params = Params {
        input_fifo_flits: 1,
        hop_cycles: 2,
        turn_cycles: 0,
        ..UDN
    };
    let packet = Packet {
        from: 0,
        to: 3,
        flits: 20,
        not_before: 0,
    };
    let mut bench = Bench::new((4, 1), params, &[packet]);
    bench.run(|_, _| true, 1000);
    // One slot is in use for the two cycles of the link, and seen as free in the cycle after them.
    assert_eq!(bench.ended[0], Some(4 * 2 + 19 * 3));
}
