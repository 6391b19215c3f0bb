// SPDX-License-Identifier: Apache-2.0
//! Every algorithm of messages on random rectangles, roots and sizes: proved by the checker, and by value with the interpreter.

use super::{cores, task};
use noccl_coll::{Algorithm, Choice, RoundSync, choices, schedule};
use noccl_net::{Coord, Network, TileRef, TileSet};
use noccl_testkit::cluster;
use noccl_workload::{Collective, CollectiveKind, Lengths, Memories, Place, check, interpret};
use proptest::prelude::*;
use std::sync::LazyLock;

static NETWORK: LazyLock<Network> = LazyLock::new(|| cores(6, 6));

const KINDS: [CollectiveKind; 5] = [
    CollectiveKind::Multicast,
    CollectiveKind::Reduce,
    CollectiveKind::AllReduce,
    CollectiveKind::AllToAll,
    CollectiveKind::Barrier,
];

fn place(at: Coord, offset: u64) -> Place {
    Place {
        tile: TileRef::Cluster(at),
        offset,
    }
}

/// Member, bytes: other for each rank and byte.
fn input(rank: usize, bytes: u64) -> Vec<u8> {
    (0..bytes)
        .map(|at| (at.wrapping_mul(31) ^ (rank as u64).wrapping_mul(97) ^ at >> 8) as u8)
        .collect()
}

/// What a collective means for these inputs, by plain loops.
fn meaning(of: &Collective, members: &[Coord], inputs: &[Vec<u8>]) -> Vec<(Place, Vec<u8>)> {
    let out = of.output_offset;
    let TileRef::Cluster(root) = of.root else {
        unreachable!("roots are cores")
    };
    let sum = || {
        let element = |bytes: &[u8], i: usize| {
            i64::from_le_bytes(bytes[8 * i..8 * i + 8].try_into().unwrap())
        };
        let sums = (0..of.bytes as usize / 8).map(|i| {
            let all = inputs.iter().map(|bytes| element(bytes, i));
            all.fold(0, i64::wrapping_add)
        });
        sums.flat_map(i64::to_le_bytes).collect::<Vec<u8>>()
    };
    let everybody = |bytes: &[u8]| {
        let outputs = members.iter().map(|m| (place(*m, out), bytes.to_vec()));
        outputs.collect()
    };
    match of.kind.name() {
        "multicast" => {
            let rank = members.binary_search(&root).unwrap();
            everybody(&inputs[rank])
        }
        "reduce" => vec![(place(root, out), sum())],
        "all_reduce" => everybody(&sum()),
        "all_to_all" => {
            let ranks = 0..members.len();
            let pairs = ranks
                .clone()
                .flat_map(|to| ranks.clone().map(move |from| (from, to)));
            let block = |(from, to): (usize, usize)| {
                let start = to * of.bytes as usize;
                let length = of.block_bytes(from, to) as usize;
                let at = out + from as u64 * of.bytes;
                (
                    place(members[to], at),
                    inputs[from][start..start + length].to_vec(),
                )
            };
            pairs.map(block).collect()
        }
        // A barrier moves nothing.
        _ => Vec::new(),
    }
}

fn run<'a>(
    network: &'a Network,
    of: &Collective,
    members: &[Coord],
    choice: Choice,
) -> (Memories<'a>, Vec<Vec<u8>>) {
    let made = schedule(network, of, choice).unwrap_or_else(|e| panic!("{choice}: {e}"));
    let proved = check(network, &made).unwrap_or_else(|e| panic!("{choice} of {of:?}: {e}"));
    assert_eq!(proved.rounds.is_some(), made.claims_rounds, "{choice}");
    let bytes = of.input_bytes(members.len() as u64);
    let inputs: Vec<Vec<u8>> = (0..members.len()).map(|rank| input(rank, bytes)).collect();
    let places: Vec<(Place, &[u8])> = members
        .iter()
        .zip(&inputs)
        .map(|(at, bytes)| (place(*at, of.input_offset), bytes.as_slice()))
        .collect();
    let memories = interpret(network, &made, &places).unwrap();
    (memories, inputs)
}

fn agrees(of: &Collective, choice: Choice) {
    let members = NETWORK.members(&of.group).unwrap();
    let (memories, inputs) = run(&NETWORK, of, &members, choice);
    for (at, expected) in meaning(of, &members, &inputs) {
        let found = memories.read(at, expected.len() as u64);
        assert_eq!(found, Some(expected), "{choice} of {of:?} at {at:?}");
    }
}

/// Column, row, columns, rows of a rectangle on the mesh.
fn rectangles() -> impl Strategy<Value = (u16, u16, u16, u16)> {
    (1u16..=6, 1u16..=6)
        .prop_flat_map(|(width, height)| (0..=6 - width, 0..=6 - height, Just(width), Just(height)))
}

/// Nothing, one element, and sizes that are no whole packets.
fn sizes() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(0u64),
        Just(8),
        Just(128),
        Just(136),
        (1u64..60).prop_map(|n| n * 8)
    ]
}

proptest! {
    #![proptest_config(noccl_testkit::config(8, 24))]

    #[test]
    fn every_algorithm_does_what_its_collective_promises(
        (x, y, width, height) in rectangles(),
        root in any::<prop::sample::Index>(),
        bytes in sizes(),
        in_place in any::<bool>(),
    ) {
        let group = crate::common::rectangle(x, y, width, height);
        let members = NETWORK.members(&group).unwrap();
        let root = TileRef::Cluster(members[root.index(members.len())]);
        for kind in KINDS {
            let bytes = if kind == CollectiveKind::Barrier { 0 } else { bytes };
            let mut of = task(kind, group.clone(), members.len() as u64, root, bytes);
            if in_place && !kind.has_blocks() {
                of.output_offset = 0;
            }
            let all = choices(&NETWORK, &of);
            prop_assert!(all.len() >= 2, "{kind}: {all:?}");
            for choice in all {
                agrees(&of, choice);
            }
        }
    }

    #[test]
    fn exchanges_hold_with_any_lag_and_with_barriers_between_their_steps(
        (x, y, width, height) in rectangles(),
        lag in 0u32..4,
        is_synchronised in any::<bool>(),
        bytes in prop_oneof![1u64..10, Just(20)],
    ) {
        let group = crate::common::rectangle(x, y, width, height);
        let num = u64::from(width * height);
        let root = cluster(x, y);
        let of = task(CollectiveKind::AllToAll, group, num, root, bytes);
        for algorithm in [
            Algorithm::Unicast,
            Algorithm::Pairwise,
            Algorithm::Torus,
            Algorithm::Rounds,
            Algorithm::RowColumn,
        ] {
            let mut choice = Choice::new(algorithm, 1);
            choice.messages.lag = Some(lag);
            if is_synchronised {
                choice.messages.sync = RoundSync::Barrier;
            }
            agrees(&of, choice);
        }
    }

    #[test]
    fn blocks_of_any_lengths_arrive_whole(
        (x, y, width, height) in rectangles(),
        seed in any::<u64>(),
    ) {
        let group = crate::common::rectangle(x, y, width, height);
        let num = usize::from(width * height);
        let root = cluster(x, y);
        let mut of = task(CollectiveKind::AllToAll, group, num as u64, root, 40);
        // Many of them are nothing.
        let length = |from: usize, to: usize| {
            let mixed = (seed ^ (from * 64 + to) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
            (mixed % 61).saturating_sub(20)
        };
        let sends: Vec<Vec<u64>> = (0..num).map(|f| (0..num).map(|t| length(f, t)).collect()).collect();
        let receives = (0..num).map(|t| (0..num).map(|f| length(f, t)).collect()).collect();
        of.lengths = Some(Lengths { sends, receives });
        for algorithm in [
            Algorithm::Unicast,
            Algorithm::Pairwise,
            Algorithm::Torus,
            Algorithm::Rounds,
            Algorithm::Planned,
        ] {
            let choice = Choice::new(algorithm, 1);
            let made = schedule(&NETWORK, &of, choice).unwrap();
            let messages = made.actions.iter().filter_map(|a| a.kind.message());
            prop_assert_eq!(messages.filter(|m| !m.is_copy()).count(), num * (num - 1));
            agrees(&of, choice);
        }
    }
}

#[test]
fn sets_with_holes_exchange_reduce_and_meet_where_no_rectangle_is_needed() {
    let holes: Vec<Coord> = [(0, 0), (0, 3), (2, 1), (5, 5), (4, 0)]
        .map(|(x, y)| Coord::new(x, y))
        .to_vec();
    let root = cluster(2, 1);
    for (kind, algorithm) in [
        (CollectiveKind::AllToAll, Algorithm::Pairwise),
        (CollectiveKind::AllToAll, Algorithm::Unicast),
        (CollectiveKind::Reduce, Algorithm::Tree),
        (CollectiveKind::AllReduce, Algorithm::Tree),
        (CollectiveKind::AllReduce, Algorithm::RecursiveDoubling),
        (CollectiveKind::Multicast, Algorithm::Tree),
        (CollectiveKind::Multicast, Algorithm::Unicast),
        (CollectiveKind::Barrier, Algorithm::Tree),
        (CollectiveKind::Barrier, Algorithm::Dissemination),
    ] {
        let bytes = if kind == CollectiveKind::Barrier {
            0
        } else {
            24
        };
        let of = task(kind, TileSet::Arbitrary(holes.clone()), 5, root, bytes);
        agrees(&of, Choice::new(algorithm, 1));
    }
}

#[test]
fn plans_of_long_blocks_come_in_chunks_and_a_barrier_may_stand_before_them() {
    for (width, height, bytes) in [(4, 3, 1024), (3, 2, 2500), (1, 2, 1300), (1, 1, 4096)] {
        let group = crate::common::rectangle(1, 1, width, height);
        let num = u64::from(width * height);
        let root = cluster(1, 1);
        let of = task(CollectiveKind::AllToAll, group, num, root, bytes);
        for name in ["planned", "planned:barrier"] {
            let choice: Choice = name.parse().unwrap();
            assert_eq!(choice.to_string(), name);
            agrees(&of, choice);
            let made = schedule(&NETWORK, &of, choice).unwrap();
            let messages = made.actions.iter().filter_map(|a| a.kind.message());
            let sent: Vec<u64> = messages.filter(|m| !m.is_copy()).map(|m| m.bytes).collect();
            // At most eight units each, as many for every pair.
            let chunks = sent.iter().filter(|bytes| **bytes > 0).count() as u64;
            assert_eq!(chunks, num * (num - 1) * bytes.div_ceil(1024));
            assert!(sent.iter().all(|bytes| *bytes <= 1024));
            assert_eq!(sent.contains(&0), name == "planned:barrier" && num > 1);
        }
    }
}

#[test]
fn columns_and_rows_with_others_between_them_exchange_by_rows_and_columns() {
    let lines: Vec<Coord> = [0, 2, 5]
        .into_iter()
        .flat_map(|x| [1, 2, 4, 5].map(|y| Coord::new(x, y)))
        .collect();
    let root = cluster(0, 1);
    let set = TileSet::Arbitrary(lines);
    let of = task(CollectiveKind::AllToAll, set, 12, root, 12);
    let choice = Choice::new(Algorithm::RowColumn, 1);
    agrees(&of, choice);
    // A message to each tile of the own row and of the own column, and no others.
    let made = schedule(&NETWORK, &of, choice).unwrap();
    let messages = made.actions.iter().filter_map(|a| a.kind.message());
    let sent =
        messages
            .filter(|m| !m.is_copy())
            .map(|m| match (m.source.tile, m.destination.tile) {
                (TileRef::Cluster(from), TileRef::Cluster(to)) => {
                    (from.x == to.x) != (from.y == to.y)
                }
                _ => false,
            });
    assert_eq!(sent.collect::<Vec<_>>(), vec![true; 12 * (2 + 3)]);
}

#[test]
fn a_barrier_without_one_of_its_messages_lets_somebody_leave_too_early() {
    let group = crate::common::rectangle(0, 0, 3, 3);
    let root = cluster(0, 0);
    let of = task(CollectiveKind::Barrier, group, 9, root, 0);
    for choice in choices(&NETWORK, &of) {
        let whole = schedule(&NETWORK, &of, choice).unwrap();
        for missing in 0..whole.actions.len() {
            let mut less = whole.clone();
            less.actions.remove(missing);
            for action in &mut less.actions {
                action.after.retain(|a| a.0 as usize != missing);
                for after in &mut action.after {
                    after.0 -= u32::from(after.0 as usize > missing);
                }
            }
            let found = check(&NETWORK, &less);
            assert!(
                matches!(found, Err(noccl_workload::CheckError::BarrierLeak { .. })),
                "{choice} without actions[{missing}]: {found:?}"
            );
        }
    }
}

#[test]
fn roots_of_static_multicasts_may_change_back_to_back() {
    let group = crate::common::rectangle(1, 1, 4, 3);
    let members = NETWORK.members(&group).unwrap();
    let mut actions = Vec::new();
    for (number, root) in members.iter().enumerate() {
        let mut of = task(
            CollectiveKind::Multicast,
            group.clone(),
            12,
            TileRef::Cluster(*root),
            64,
        );
        of.output_offset = 64 * (number as u64 + 1);
        let made = schedule(&NETWORK, &of, Choice::new(Algorithm::InNetworkStatic, 1)).unwrap();
        actions.extend(made.actions);
    }
    let of = task(
        CollectiveKind::Multicast,
        group,
        12,
        TileRef::Cluster(members[0]),
        64,
    );
    let mut all = schedule(&NETWORK, &of, Choice::new(Algorithm::InNetworkStatic, 1)).unwrap();
    all.actions = actions;
    all.collective = None;
    check(&NETWORK, &all).unwrap();
    let inputs: Vec<Vec<u8>> = (0..12).map(|rank| input(rank, 64)).collect();
    let places: Vec<(Place, &[u8])> = members
        .iter()
        .zip(&inputs)
        .map(|(m, bytes)| (place(*m, 0), bytes.as_slice()))
        .collect();
    let memories = interpret(&NETWORK, &all, &places).unwrap();
    for member in &members {
        for (number, bytes) in inputs.iter().enumerate() {
            let found = memories.read(place(*member, 64 * (number as u64 + 1)), 64);
            assert_eq!(found.as_ref(), Some(bytes), "{member} of root {number}");
        }
    }
}
