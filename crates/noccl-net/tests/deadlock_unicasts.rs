// SPDX-License-Identifier: Apache-2.0
//! Unicasts on the published router, alone and beside collectives.
#![allow(clippy::unwrap_used)]

mod common;

use common::flows::{ALL, cluster, multicast, peer, rejected, set};
use noccl_net::TileId;
use noccl_net::deadlock::{Flow, check};

#[test]
fn unicasts_are_accepted_whatever_they_are() {
    let n = peer();
    let tiles: Vec<TileId> = (0..n.num_tiles() as u32).map(TileId).collect();
    let mut flows = Vec::new();
    for (idx, from) in tiles.iter().enumerate() {
        for step in [1, 7, 13] {
            let to = tiles[(idx + step) % tiles.len()];
            flows.push(Flow::Write { from: *from, to });
            flows.push(Flow::Read {
                from: *from,
                source: to,
            });
            flows.push(Flow::NarrowWrite { from: *from, to });
        }
    }
    let proof = check(&n, &flows).unwrap();
    assert!(proof.nodes > 500 && proof.waits > 5000, "{proof:?}");
}

#[test]
fn a_multicast_among_unicasts_is_accepted() {
    let n = peer();
    let mut flows = vec![multicast(&n, 1, 2, ALL)];
    for x in 0..4 {
        for y in 0..4 {
            let (from, to) = (cluster(&n, x, y), cluster(&n, 3 - x, (y + x) % 4));
            flows.push(Flow::Write { from, to });
            flows.push(Flow::Read { from, source: to });
        }
    }
    check(&n, &flows).unwrap();
}

#[test]
fn a_unicast_can_connect_two_collectives_into_a_cycle() {
    let n = peer();
    let flows = [
        Flow::NarrowWrite {
            from: cluster(&n, 3, 0),
            to: cluster(&n, 0, 2),
        },
        Flow::Barrier {
            group: set(0, 0, 2, 2),
            root: cluster(&n, 1, 0),
        },
        Flow::NarrowMulticast {
            from: cluster(&n, 2, 1),
            set: ALL,
        },
    ];
    let cycle = rejected(&n, &flows);
    assert_eq!(cycle.waits.len(), 3, "{cycle}");
    for pair in [[0, 1], [0, 2], [1, 2]] {
        check(&n, &pair.map(|i| flows[i])).unwrap();
    }
}
