// SPDX-License-Identifier: Apache-2.0
//! Collectives of blocks, and the algorithms beyond S1: proved by the checker, and what they leave in
//! memory compared with a sum or copy made here.

use crate::common::{
    BLOCK_KINDS, DATA_KINDS, any_group, collective, forms_of, network, proved, rectangle,
    rectangles, roots, scattered, views,
};
use noccl_coll::{Algorithm, Choice, choices, schedule};
use noccl_net::{Coord, Network, TileRef, TileSet};
use noccl_testkit::{assert_says, cluster, cube, place};
use noccl_workload::{ActionKind, Collective, CollectiveKind, Destination, Place, interpret};
use proptest::prelude::*;

const CORNER: TileRef = cluster(0, 0);

/// The checker's result; true if the library made a schedule at all.
fn prove(network: &Network, task: &Collective, choice: Choice) -> bool {
    proved(network, task, choice).is_some()
}

fn odd_sets() -> Vec<TileSet> {
    vec![
        TileSet::Tile(Coord::new(2, 1)),
        TileSet::Cube(cube(1, 0, 2, 3)),
        scattered(&[(0, 0), (3, 3)]),
        scattered(&[(1, 1), (2, 2), (1, 2)]),
        scattered(&[(3, 0), (0, 3), (2, 1), (1, 2), (3, 3), (0, 0), (1, 1)]),
    ]
}

/// Word w of rank r's input.
fn word(rank: u64, index: u64) -> u64 {
    (rank + 1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(index as u32 % 64)
        ^ index
}

/// What every output must hold, word by word: made from the definition alone.
fn meaning(kind: CollectiveKind, rank: u64, ranks: u64, block_words: u64) -> Vec<u64> {
    let sum = |index: u64| (0..ranks).fold(0u64, |s, r| s.wrapping_add(word(r, index)));
    let blocks = |of: &dyn Fn(u64, u64) -> u64| {
        let all = (0..ranks).flat_map(|source| (0..block_words).map(move |i| (source, i)));
        all.map(|(source, i)| of(source, i)).collect()
    };
    match kind.name() {
        "all_gather" => blocks(&word),
        "all_to_all" => blocks(&|source, i| word(source, rank * block_words + i)),
        "reduce_scatter" => (0..block_words)
            .map(|i| sum(rank * block_words + i))
            .collect(),
        "all_reduce" => (0..block_words).map(sum).collect(),
        other => unreachable!("{other} is not asked here"),
    }
}

/// Does the reference interpreter leave what the collective means?
fn holds(network: &Network, task: &Collective, choice: Choice) {
    let Ok(made) = schedule(network, task, choice) else {
        return;
    };
    let members = network
        .members(&task.group)
        .expect("the group is on the mesh");
    let ranks = members.len() as u64;
    let place = |member: &Coord, offset| place(TileRef::Cluster(*member), offset);
    let words = task.input_bytes(ranks) / 8;
    let inputs: Vec<(Place, Vec<u8>)> = (0..)
        .zip(&members)
        .map(|(rank, member)| {
            let bytes = (0..words)
                .flat_map(|i| word(rank, i).to_le_bytes())
                .collect();
            (place(member, task.input_offset), bytes)
        })
        .collect();
    let memories = interpret(network, &made, &views(&inputs));
    let memories = memories.unwrap_or_else(|e| panic!("{choice}: {e}"));
    for (rank, member) in (0..).zip(&members) {
        let expected: Vec<u8> = meaning(task.kind, rank, ranks, task.bytes / 8)
            .into_iter()
            .flat_map(u64::to_le_bytes)
            .collect();
        let found = memories.read(place(member, task.output_offset), task.output_bytes(ranks));
        assert_eq!(found, Some(expected), "{choice} at {member} for {task:?}");
    }
}

#[test]
fn every_rectangle_of_4x4_by_every_algorithm() {
    let net = network("collective_noc_4x4");
    let mut case = 0;
    for group in rectangles(4, 4).chain(odd_sets()) {
        for kind in BLOCK_KINDS {
            let bytes = [8, 64, 72, 1000, 1024][case % 5];
            case += 1;
            let task = collective(kind, group.clone(), CORNER, bytes);
            for choice in forms_of(kind, 1) {
                let is_made = prove(&net, &task, choice);
                let needs_lines = matches!(
                    choice.algorithm,
                    Algorithm::RowColumn | Algorithm::InNetworkLines
                ) || (choice.algorithm == Algorithm::PointToPoint
                    && kind == CollectiveKind::AllToAll);
                assert!(is_made || needs_lines, "{choice} refuses {task:?}");
            }
        }
    }
}

#[test]
fn outputs_are_what_the_collective_means() {
    let net = network("collective_noc_4x4");
    let groups = [
        rectangle(0, 0, 4, 4),
        rectangle(0, 1, 4, 2),
        rectangle(2, 0, 1, 4),
        rectangle(0, 3, 2, 1),
        rectangle(1, 0, 3, 3),
    ];
    for group in groups.into_iter().chain(odd_sets()) {
        for kind in BLOCK_KINDS.into_iter().chain([CollectiveKind::AllReduce]) {
            for bytes in [8, 136, 512] {
                let task = collective(kind, group.clone(), CORNER, bytes);
                for choice in forms_of(kind, 3) {
                    holds(&net, &task, choice);
                }
            }
        }
    }
}

#[test]
fn two_trees_and_rings_for_every_rectangle_and_root() {
    let net = network("collective_noc_4x4");
    let roots = [(0, 0), (3, 1), (2, 2)].map(|(x, y)| cluster(x, y));
    let mut case = 0;
    for group in rectangles(4, 4).chain(odd_sets()) {
        for root in roots.into_iter().chain([TileRef::Memory(1)]) {
            for kind in DATA_KINDS {
                case += 1;
                let (bytes, chunks) = ([8, 1000, 4096][case % 3], [1, 2, 5][case / 3 % 3]);
                let mut task = collective(kind, group.clone(), root, bytes);
                if case % 4 == 0 {
                    task.output_offset = task.input_offset;
                }
                for algorithm in [Algorithm::DoubleTree, Algorithm::Ring] {
                    if algorithm.does(kind) {
                        let chunks = if algorithm == Algorithm::Ring {
                            1
                        } else {
                            chunks
                        };
                        assert!(prove(&net, &task, Choice::new(algorithm, chunks)));
                    }
                }
            }
        }
    }
}

#[test]
fn segments_of_an_all_reduce_for_every_multi_address() {
    let net = network("collective_noc_4x4");
    for group in rectangles(4, 4) {
        let cubes = noccl_net::cover(&net, &group)
            .expect("the group is on the mesh")
            .len();
        for (bytes, chunks) in [(8, 2), (1000, 3), (4096, 20)] {
            for is_in_place in [false, true] {
                let mut task = collective(CollectiveKind::AllReduce, group.clone(), CORNER, bytes);
                if is_in_place {
                    task.output_offset = task.input_offset;
                }
                let choice = Choice::new(Algorithm::InNetwork, chunks);
                assert_eq!(prove(&net, &task, choice), cubes == 1);
            }
        }
    }
}

#[test]
fn one_transaction_for_every_multi_address_of_two_or_more() {
    let net = network("collective_noc_4x4");
    for group in rectangles(4, 4).chain(odd_sets()) {
        let cubes = noccl_net::cover(&net, &group).expect("the group is on the mesh");
        let is_possible = cubes.len() == 1 && cubes[0].len() > 1;
        for choice in [Choice::new(Algorithm::InNetworkOnce, 1), Choice::central()] {
            for bytes in [8, 1000, 32_768] {
                for is_in_place in [false, true] {
                    let mut task =
                        collective(CollectiveKind::AllReduce, group.clone(), CORNER, bytes);
                    if is_in_place {
                        task.output_offset = task.input_offset;
                    }
                    assert_eq!(prove(&net, &task, choice), is_possible, "{choice} {task:?}");
                    if is_possible && bytes == 1000 {
                        holds(&net, &task, choice);
                    }
                }
            }
        }
    }
    let cut = Choice::new(Algorithm::InNetworkOnce, 2);
    let all = rectangle(0, 0, 4, 4);
    let task = collective(CollectiveKind::AllReduce, all, CORNER, 512);
    assert!(schedule(&net, &task, cut).is_err(), "it is never cut");
    let published = network("collective_noc_4x4_published");
    let whole = Choice::new(Algorithm::InNetworkOnce, 1);
    let error = schedule(&published, &task, whole).expect_err("published routers");
    assert_says(&error, &["accepted: in_network"]);
}

/// Into members, clusters outside of the group and memory tiles, with results in place of operands too.
#[test]
fn a_reduction_by_one_transaction_into_any_root_from_every_multi_address() {
    let net = network("collective_noc_4x4");
    for group in rectangles(4, 4).chain(odd_sets()) {
        let cubes = noccl_net::cover(&net, &group).expect("the group is on the mesh");
        let is_possible = cubes.len() == 1 && cubes[0].len() > 1;
        for (root, is_in_place) in roots().flat_map(|root| [(root, false), (root, true)]) {
            let mut task = collective(CollectiveKind::Reduce, group.clone(), root, 1000);
            if is_in_place {
                task.output_offset = task.input_offset;
            }
            for choice in [Choice::new(Algorithm::InNetworkOnce, 1), Choice::central()] {
                assert_eq!(prove(&net, &task, choice), is_possible, "{choice} {task:?}");
            }
        }
    }
}

#[test]
fn every_offered_choice_is_sound_and_in_network_is_among_them() {
    let net = network("collective_noc_4x4");
    for kind in BLOCK_KINDS {
        let task = collective(kind, rectangle(0, 0, 4, 4), CORNER, 512);
        let offered = choices(&net, &task);
        assert!(offered.len() >= 3, "{kind}: {offered:?}");
        let is_in_network = offered.iter().any(|c| c.algorithm.is_in_network());
        assert_eq!(is_in_network, kind != CollectiveKind::AllToAll);
        for choice in offered {
            assert!(prove(&net, &task, choice));
        }
    }
}

#[test]
fn inputs_and_outputs_of_blocks_may_not_overlap() {
    let net = network("collective_noc_4x4");
    for kind in BLOCK_KINDS {
        let mut task = collective(kind, rectangle(0, 0, 2, 2), CORNER, 512);
        task.output_offset = task.input_offset;
        for choice in forms_of(kind, 1) {
            let error = schedule(&net, &task, choice).expect_err("the same place");
            assert_says(error, &["accepted: disjoint"]);
        }
    }
}

#[test]
fn chunks_are_refused_where_there_are_none() {
    let net = network("collective_noc_4x4");
    for kind in BLOCK_KINDS {
        let task = collective(kind, rectangle(0, 0, 2, 2), CORNER, 512);
        let cuts_blocks =
            |a: Algorithm| a == Algorithm::PointToPoint && kind != CollectiveKind::AllToAll;
        let whole = |a: &Algorithm| a.does(kind) && !cuts_blocks(*a);
        for algorithm in Algorithm::ALL.into_iter().filter(whole) {
            let error = schedule(&net, &task, Choice::new(algorithm, 2)).expect_err("two chunks");
            assert!(error.to_string().contains("one chunk"), "{error}");
        }
    }
}

#[test]
fn a_planned_all_to_all_uses_every_link_for_one_transfer_at_a_time() {
    let net = network("collective_noc_8x8");
    let task = collective(CollectiveKind::AllToAll, rectangle(0, 0, 8, 8), CORNER, 512);
    let made = schedule(&net, &task, Choice::new(Algorithm::Slotted, 1)).expect("it is offered");
    // Start of each transfer by the waits before it: (link, first cycle) of every beat train.
    let wait_overhead = 10;
    let mut uses: Vec<((Coord, usize), u64)> = Vec::new();
    let mut ends = vec![0u64; made.actions.len()];
    for (idx, action) in made.actions.iter().enumerate() {
        let start = action
            .after
            .iter()
            .map(|a| ends[a.0 as usize])
            .max()
            .unwrap_or(0);
        if let ActionKind::Compute(c) = &action.kind {
            ends[idx] = start + wait_overhead + c.cycles;
            continue;
        }
        let ActionKind::Transfer(t) = &action.kind else {
            unreachable!("waits and transfers only")
        };
        let (TileRef::Cluster(from), Destination::One(place)) = (t.source.tile, t.destination)
        else {
            unreachable!("from a cluster to one place")
        };
        let TileRef::Cluster(to) = place.tile else {
            unreachable!("to a cluster")
        };
        let path = net.path(net.mesh_coord(from), net.mesh_coord(to));
        let links = path.filter(|_| from != to).zip(1u64..);
        uses.extend(links.map(|((at, port), hop)| ((at, port.idx()), start + 2 * hop)));
    }
    uses.sort_unstable();
    for pair in uses.windows(2) {
        let is_apart = pair[0].0 != pair[1].0 || pair[1].1 - pair[0].1 >= 8;
        assert!(is_apart, "{pair:?}");
    }
    // The middle of the mesh passes 16 * 8 transfers per link and direction.
    let last = uses.iter().map(|(_, start)| *start).max();
    assert!(last.is_some_and(|l| l >= 128 * 8), "{last:?}");
}

proptest! {
    #![proptest_config(noccl_testkit::config(8, 24))]

    #[test]
    fn any_collective_of_blocks_on_8x8(kind in 0usize..3, group in any_group(), words in 1u64..40) {
        let net = network("collective_noc_8x8");
        let task = collective(BLOCK_KINDS[kind], group, CORNER, 8 * words);
        for choice in forms_of(task.kind, 1) {
            prove(&net, &task, choice);
        }
    }
}
