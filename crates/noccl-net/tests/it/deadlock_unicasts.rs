// SPDX-License-Identifier: Apache-2.0
//! Unicasts on the published router, alone and beside collectives.

use crate::common::flows::{ALL, cluster, multicast, published, rejected, set};
use noccl_net::deadlock::{Flow, check};
use noccl_net::{Network, TileId};

/// Three unicasts per tile: wide or read, and narrow.
fn unicasts(n: &Network, wide: impl Fn(TileId, TileId) -> Flow) -> Vec<Flow> {
    let tiles: Vec<TileId> = (0..n.num_tiles() as u32).map(TileId).collect();
    let mut flows = Vec::new();
    for (idx, from) in tiles.iter().enumerate() {
        for step in [1, 7, 13] {
            let to = tiles[(idx + step) % tiles.len()];
            flows.push(wide(*from, to));
            flows.push(Flow::NarrowWrite { from: *from, to });
        }
    }
    flows
}

#[test]
fn writes_or_reads_are_accepted_whatever_they_are() {
    let n = published();
    let writes = unicasts(&n, |from, to| Flow::Write { from, to });
    let reads = unicasts(&n, |from, source| Flow::Read { from, source });
    for flows in [writes, reads] {
        let proof = check(&n, &flows).unwrap();
        assert!(proof.nodes > 300 && proof.waits > 1000, "{proof:?}");
    }
}

#[test]
fn read_data_between_the_beats_of_writes_can_close_a_cycle() {
    // An interface sends beats of writes and read data alternately. Beats wait behind data that wait for a link of another
    // write, whose beats wait behind other data.
    let n = published();
    let all = unicasts(&n, |from, to| Flow::Write { from, to });
    let reads = unicasts(&n, |from, source| Flow::Read { from, source });
    let both: Vec<Flow> = all.into_iter().chain(reads).collect();
    let cycle = rejected(&n, &both);
    assert!(
        cycle.waits.iter().any(|w| w.holder.contains("write")),
        "{cycle}"
    );
    assert!(
        cycle.waits.iter().any(|w| w.holder.contains("read")),
        "{cycle}"
    );
    // No tile that writes sends data: nothing comes between.
    let parted: Vec<Flow> = both
        .into_iter()
        .filter(|flow| match *flow {
            Flow::Write { from, .. } => from.0 % 2 == 0,
            Flow::Read { source, .. } => source.0 % 2 == 1,
            Flow::Multicast { .. }
            | Flow::Reduction { .. }
            | Flow::Barrier { .. }
            | Flow::NarrowWrite { .. }
            | Flow::NarrowMulticast { .. } => true,
        })
        .collect();
    check(&n, &parted).unwrap();
}

#[test]
fn a_multicast_among_writes_is_accepted() {
    let n = published();
    let mut flows = vec![multicast(&n, 1, 2, ALL)];
    for x in 0..4 {
        for y in 0..4 {
            let (from, to) = (cluster(&n, x, y), cluster(&n, 3 - x, (y + x) % 4));
            flows.push(Flow::Write { from, to });
            flows.push(Flow::NarrowWrite { from, to });
        }
    }
    check(&n, &flows).unwrap();
}

#[test]
fn a_unicast_can_connect_two_collectives_into_a_cycle() {
    let n = published();
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
