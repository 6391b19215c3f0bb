// SPDX-License-Identifier: Apache-2.0
//! Networks and collectives that the tests share.

pub mod matrices;

use noccl_coll::{Algorithm, Choice, CollError, Forwarding, Inner, schedule};
use noccl_net::{Coord, Network, TileRef, TileSet};
use noccl_testkit::cluster;
use noccl_testkit::schedules::{self, KINDS};
pub use noccl_testkit::{network, network_with, rectangle};
use noccl_workload::{
    BarrierMechanism, Collective, CollectiveKind, ElementType, Place, Schedule, check,
};
use proptest::prelude::*;

/// Int64 sums, output on the beat after the input (which may be of 64 blocks at most).
pub fn collective(kind: CollectiveKind, group: TileSet, root: TileRef, bytes: u64) -> Collective {
    let blocks = match kind.gives_blocks() {
        true => 64,
        // Of a custom one at most so many chunks.
        false => kind.input_blocks(64).map_or(8, |_| 1),
    };
    Collective {
        output_offset: (blocks * bytes).next_multiple_of(64),
        element: ElementType::Int64,
        ..schedules::collective(kind, group, root, bytes)
    }
}

/// Every rectangle of that many columns and rows.
pub fn rectangles(width: u16, height: u16) -> impl Iterator<Item = TileSet> {
    let spans = |n: u16| (0..n).flat_map(move |at| (1..=n - at).map(move |len| (at, len)));
    spans(width).flat_map(move |(x, w)| spans(height).map(move |(y, h)| rectangle(x, y, w, h)))
}

/// These clusters, in any order.
pub fn scattered(coords: &[(u16, u16)]) -> TileSet {
    TileSet::Arbitrary(coords.iter().map(|(x, y)| Coord::new(*x, *y)).collect())
}

/// Every cluster of 4×4 and two of the memory tiles.
pub fn roots() -> impl Iterator<Item = TileRef> {
    let clusters = (0..4).flat_map(|x| (0..4).map(move |y| cluster(x, y)));
    clusters.chain([TileRef::Memory(0), TileRef::Memory(3)])
}

/// Inputs as the interpreter takes them.
pub fn views(inputs: &[(Place, Vec<u8>)]) -> Vec<(Place, &[u8])> {
    inputs.iter().map(|(p, b)| (*p, b.as_slice())).collect()
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

pub const DATA_KINDS: [CollectiveKind; 3] = [KINDS[0], KINDS[1], KINDS[2]];
pub const BLOCK_KINDS: [CollectiveKind; 3] = [KINDS[3], KINDS[4], KINDS[5]];
pub const DEALT_KINDS: [CollectiveKind; 3] = [KINDS[6], KINDS[7], KINDS[8]];

/// Rectangles and other sets on 8×8 clusters.
pub fn any_group() -> impl Strategy<Value = TileSet> {
    prop_oneof![
        (0u16..8, 0u16..8, 1u16..8, 1u16..8).prop_map(|(x, y, w, h)| rectangle(
            x,
            y,
            w.min(8 - x),
            h.min(8 - y)
        )),
        proptest::collection::vec((0u16..8, 0u16..8), 1..20).prop_map(|list| scattered(&list)),
    ]
}
