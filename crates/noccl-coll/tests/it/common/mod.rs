// SPDX-License-Identifier: Apache-2.0
//! Networks and collectives that the tests share.

pub mod matrices;

use noccl_coll::{Algorithm, Choice, CollError, Forwarding, Inner, schedule};
use noccl_net::{Coord, Network, TileRef, TileSet};
use noccl_testkit::schedules;
pub use noccl_testkit::{network, network_with, rectangle};
use noccl_workload::{BarrierMechanism, Collective, CollectiveKind, ElementType, Schedule, check};
use proptest::prelude::*;

/// Int64 sums, output on the beat after the input (which may be of 64 blocks at most).
pub fn collective(kind: CollectiveKind, group: TileSet, root: TileRef, bytes: u64) -> Collective {
    let blocks = match kind {
        CollectiveKind::ReduceScatter | CollectiveKind::AllToAll | CollectiveKind::Scatter => 64,
        CollectiveKind::Custom => 8,
        CollectiveKind::AllGather
        | CollectiveKind::Gather
        | CollectiveKind::Scan
        | CollectiveKind::Multicast
        | CollectiveKind::Reduce
        | CollectiveKind::AllReduce
        | CollectiveKind::Barrier => 1,
    };
    Collective {
        output_offset: (blocks * bytes).next_multiple_of(64),
        element: ElementType::Int64,
        ..schedules::collective(kind, group, root, bytes)
    }
}

/// A schedule that the checker has proved; none if the library refuses to make one.
pub fn proved(network: &Network, task: &Collective, choice: Choice) -> Option<Schedule> {
    let made = match schedule(network, task, choice) {
        Ok(made) => made,
        Err(CollError::Unsupported { .. }) => return None,
        Err(error) => panic!("{choice} for {task:?}: {error}"),
    };
    if let Err(error) = check(network, &made) {
        panic!("{choice} for {task:?}: {error}\n{:#?}", made.actions);
    }
    Some(made)
}

/// Every algorithm for data with every parameter but the chunk count.
pub fn forms(chunks: u32) -> Vec<Choice> {
    let mut out = vec![Choice::new(Algorithm::InNetwork, 1)];
    for base in [
        Choice::new(Algorithm::Chain, chunks),
        Choice::new(Algorithm::Tree, chunks),
        Choice::row_column(Inner::Chain, chunks),
        Choice::row_column(Inner::Tree, chunks),
    ] {
        for forwarding in [Forwarding::Pull, Forwarding::Push] {
            for barrier in [BarrierMechanism::InNetwork, BarrierMechanism::Software] {
                out.push(Choice {
                    forwarding,
                    barrier,
                    ..base
                });
            }
        }
    }
    out
}

/// Every form that can do a collective, with every parameter but the chunk count.
pub fn forms_of(kind: CollectiveKind, chunks: u32) -> Vec<Choice> {
    let mut out = Vec::new();
    for algorithm in Algorithm::ALL.into_iter().filter(|a| a.does(kind)) {
        for barrier in [BarrierMechanism::InNetwork, BarrierMechanism::Software] {
            for forwarding in [Forwarding::Pull, Forwarding::Push] {
                let form = Choice {
                    barrier,
                    forwarding,
                    ..Choice::new(algorithm, if kind.has_blocks() { 1 } else { chunks })
                };
                let same = |c: &Choice| c.to_string() == form.to_string();
                if !out.iter().any(same) {
                    out.push(form);
                }
            }
        }
    }
    out
}

pub const BLOCK_KINDS: [CollectiveKind; 3] = [
    CollectiveKind::AllGather,
    CollectiveKind::ReduceScatter,
    CollectiveKind::AllToAll,
];

pub const DATA_KINDS: [CollectiveKind; 3] = [
    CollectiveKind::Multicast,
    CollectiveKind::Reduce,
    CollectiveKind::AllReduce,
];

pub const DEALT_KINDS: [CollectiveKind; 3] = [
    CollectiveKind::Scatter,
    CollectiveKind::Gather,
    CollectiveKind::Scan,
];

/// Rectangles and other sets on 8×8 clusters.
pub fn any_group() -> impl Strategy<Value = TileSet> {
    prop_oneof![
        (0u16..8, 0u16..8, 1u16..8, 1u16..8).prop_map(|(x, y, w, h)| rectangle(
            x,
            y,
            w.min(8 - x),
            h.min(8 - y)
        )),
        proptest::collection::vec((0u16..8, 0u16..8), 1..20).prop_map(|list| {
            TileSet::Arbitrary(list.into_iter().map(|(x, y)| Coord::new(x, y)).collect())
        }),
    ]
}
