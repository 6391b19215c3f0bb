// SPDX-License-Identifier: Apache-2.0
//! Every algorithm meets its postcondition: proved by the checker for groups, roots, sizes and chunk counts.

use crate::common::{
    DATA_KINDS, any_group, collective, forms, network, proved, rectangle, rectangles,
};
use noccl_coll::chain::order::ChainOrder;
use noccl_coll::{Algorithm, Choice, choices, schedule};
use noccl_net::{Coord, Network, TileRef, TileSet};
use noccl_testkit::{cluster, cube, one_in};
use noccl_workload::{Collective, CollectiveKind, ElementType, Operator, check};
use proptest::prelude::*;

const SIZES: [u64; 6] = [8, 64, 72, 1000, 4096, 16];
const ELEMENTS: [ElementType; 4] = [
    ElementType::Int8,
    ElementType::Bf16,
    ElementType::Fp32,
    ElementType::Fp64,
];
const CHUNKS: [u32; 5] = [1, 2, 3, 8, 1_000_000];

fn prove(network: &Network, task: &Collective, choice: Choice) -> bool {
    proved(network, task, choice).is_some()
}

fn clusters(width: u16, height: u16) -> impl Iterator<Item = TileRef> {
    (0..width).flat_map(move |x| (0..height).map(move |y| cluster(x, y)))
}

fn odd_sets() -> Vec<TileSet> {
    let list = |coords: &[(u16, u16)]| {
        TileSet::Arbitrary(coords.iter().map(|(x, y)| Coord::new(*x, *y)).collect())
    };
    vec![
        TileSet::Row(2),
        TileSet::Column(3),
        TileSet::Tile(Coord::new(2, 1)),
        TileSet::Cube(cube(1, 0, 2, 3)),
        list(&[(0, 0), (3, 3)]),
        list(&[(1, 1), (2, 2), (1, 2)]),
        list(&[(0, 0), (1, 0), (2, 0), (0, 1), (3, 3), (1, 3)]),
        list(&[(3, 0), (0, 3), (2, 1), (1, 2), (3, 3), (0, 0), (1, 1)]),
    ]
}

#[test]
fn every_rectangle_and_root_of_4x4_by_every_algorithm() {
    let net = network("collective_noc_4x4");
    let roots: Vec<TileRef> = clusters(4, 4).chain((0..4).map(TileRef::Memory)).collect();
    let (every, mut case) = (one_in(5), 0);
    for group in rectangles(4, 4) {
        for root in roots.iter().skip(case % every).step_by(every) {
            for kind in DATA_KINDS {
                // Sizes and chunk counts rotate, so that all pairs meet every kind of group.
                let chunks = CHUNKS[case % CHUNKS.len()];
                let bytes = SIZES[case % SIZES.len()];
                case += 1;
                let task = collective(kind, group.clone(), *root, bytes);
                for choice in forms(chunks) {
                    assert!(prove(&net, &task, choice), "{choice} refuses {task:?}");
                }
            }
        }
    }
}

#[test]
fn every_size_and_chunk_count_by_every_algorithm() {
    let net = network("collective_noc_4x4");
    let groups = [
        rectangle(0, 0, 4, 4),
        rectangle(1, 1, 3, 2),
        rectangle(0, 0, 4, 1),
        rectangle(2, 0, 1, 3),
    ];
    let roots = [cluster(0, 0), cluster(2, 1), TileRef::Memory(1)];
    let (every, mut case) = (one_in(4), 0);
    for (group, root) in groups.iter().flat_map(|g| roots.map(|r| (g, r))) {
        let pairs = SIZES.iter().flat_map(|b| CHUNKS.map(|c| (*b, c)));
        case += 1;
        for (bytes, chunks) in pairs.skip(case % every).step_by(every) {
            for kind in DATA_KINDS {
                let task = collective(kind, group.clone(), root, bytes);
                for choice in forms(chunks) {
                    assert!(prove(&net, &task, choice), "{choice} refuses {task:?}");
                }
            }
        }
    }
}

#[test]
fn sets_that_are_no_rectangles() {
    let net = network("collective_noc_4x4");
    for group in odd_sets() {
        for root in clusters(4, 4).chain([TileRef::Memory(2)]) {
            for kind in DATA_KINDS {
                let task = collective(kind, group.clone(), root, 1000);
                for choice in forms(3) {
                    let is_made = prove(&net, &task, choice);
                    assert!(
                        is_made || choice.algorithm == Algorithm::RowColumn,
                        "{choice} refuses {task:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn unicasts_to_any_set_from_any_root() {
    let net = network("collective_noc_4x4");
    let choice = Choice::new(Algorithm::Unicast, 1);
    for group in odd_sets().into_iter().chain([rectangle(0, 0, 4, 4)]) {
        for root in clusters(4, 4).chain([TileRef::Memory(2)]) {
            for in_place in [false, true] {
                let mut task = collective(CollectiveKind::Multicast, group.clone(), root, 1000);
                if in_place {
                    task.output_offset = task.input_offset;
                }
                assert!(prove(&net, &task, choice), "{choice} refuses {task:?}");
            }
        }
    }
}

#[test]
fn lists_to_any_rectangle_from_any_root_as_far_as_the_header_goes() {
    let net = network("esp_4x5");
    let choice = Choice::new(Algorithm::InNetworkList, 1);
    for (case, group) in rectangles(5, 4).enumerate() {
        for root in clusters(5, 4) {
            let mut task = collective(CollectiveKind::Multicast, group.clone(), root, 1000);
            if case % 3 == 0 {
                task.output_offset = task.input_offset;
            }
            assert!(prove(&net, &task, choice), "{choice} refuses {task:?}");
        }
    }
    let root = cluster(0, 0);
    let large = network("esp_8x8");
    let of = |rows: u16| {
        let group = rectangle(0, 0, 8, rows);
        collective(CollectiveKind::Multicast, group, root, 64)
    };
    assert!(prove(&large, &of(4), choice));
    assert!(!prove(&large, &of(5), choice));
    let elsewhere = network("torrent_4x5");
    let error = schedule(
        &elsewhere,
        &collective(CollectiveKind::Multicast, rectangle(0, 0, 2, 2), root, 64),
        choice,
    )
    .unwrap_err()
    .to_string();
    assert!(error.contains("esp"), "{error}");
}

#[test]
fn results_may_replace_inputs() {
    let net = network("collective_noc_4x4");
    for group in [
        rectangle(0, 0, 4, 4),
        rectangle(1, 0, 3, 3),
        rectangle(1, 1, 1, 1),
    ] {
        for root in clusters(4, 4) {
            for kind in DATA_KINDS {
                let mut task = collective(kind, group.clone(), root, 520);
                task.output_offset = task.input_offset;
                for choice in forms(2) {
                    assert!(prove(&net, &task, choice), "{choice} refuses {task:?}");
                }
            }
        }
    }
}

#[test]
fn barriers_of_every_rectangle_and_counter() {
    let net = network("collective_noc_4x4");
    for group in rectangles(4, 4).chain(odd_sets()) {
        for root in clusters(4, 4) {
            let task = collective(CollectiveKind::Barrier, group.clone(), root, 0);
            assert!(prove(&net, &task, Choice::new(Algorithm::Counter, 1)));
            let is_made = prove(&net, &task, Choice::new(Algorithm::InNetwork, 1));
            let cubes = noccl_net::cover(&net, &group).expect("the group is on the mesh");
            let is_scattered = cubes.len() > 1 && cubes.iter().all(|p| p.len() == 1);
            assert_eq!(is_made, !is_scattered, "{task:?}");
        }
    }
}

#[test]
fn all_choices_that_are_offered_are_sound() {
    let net = network("collective_noc_4x4");
    for kind in DATA_KINDS.into_iter().chain([CollectiveKind::Barrier]) {
        for group in [rectangle(0, 0, 4, 1), rectangle(0, 0, 4, 4)] {
            for bytes in [1024, 0x8000] {
                let root = cluster(0, 0);
                let task = collective(kind, group.clone(), root, bytes);
                let offered = choices(&net, &task);
                assert!(offered.len() >= 2, "{task:?}");
                for choice in offered {
                    assert!(prove(&net, &task, choice));
                }
            }
        }
    }
}

#[test]
fn no_bytes_make_no_actions() {
    let net = network("collective_noc_4x4");
    let task = collective(
        CollectiveKind::Reduce,
        rectangle(0, 0, 2, 2),
        TileRef::Memory(0),
        0,
    );
    for choice in forms(4) {
        let made = schedule(&net, &task, choice).expect("no bytes are no error");
        assert!(made.actions.is_empty());
        assert!(check(&net, &made).is_ok());
    }
}

#[test]
fn sizes_and_operators_that_do_not_fit_the_element_are_refused() {
    let net = network("collective_noc_4x4");
    let root = cluster(0, 0);
    let good = collective(CollectiveKind::Reduce, rectangle(0, 0, 2, 2), root, 64);
    let mut bad_size = good.clone();
    bad_size.bytes = 12;
    let mut bad_operator = good.clone();
    bad_operator.element = ElementType::Fp64;
    bad_operator.operator = Operator::And;
    let mut overlap = good.clone();
    overlap.output_offset = 32;
    let mut absent = good.clone();
    absent.root = TileRef::Memory(9);
    for choice in forms(2) {
        assert!(prove(&net, &good, choice));
        for (task, hint) in [
            (&bad_size, "multiples of 8"),
            (&bad_operator, "integer type"),
            (&overlap, "equal or disjoint"),
            (&absent, "4 memory tiles"),
        ] {
            let error = schedule(&net, task, choice).expect_err(hint).to_string();
            assert!(error.contains(hint), "{error}");
        }
    }
}

fn any_tile() -> impl Strategy<Value = TileRef> {
    prop_oneof![
        8 => (0u16..8, 0u16..8).prop_map(|(x, y)| cluster(x, y)),
        1 => (0u32..8).prop_map(TileRef::Memory),
    ]
}

proptest! {
    #![proptest_config(noccl_testkit::config(16, 64))]

    #[test]
    fn any_collective_on_8x8(
        kind in 0usize..3, group in any_group(), root in any_tile(),
        element in 0usize..4, elements in 1u64..300, chunks in 1u32..20,
    ) {
        let net = network("collective_noc_8x8");
        let element = ELEMENTS[element];
        let mut task = collective(DATA_KINDS[kind], group, root, element.bytes() * elements);
        task.element = element;
        for choice in forms(chunks) {
            let is_made = prove(&net, &task, choice);
            prop_assert!(is_made || choice.algorithm == Algorithm::RowColumn);
        }
    }
}

#[test]
fn every_rectangle_root_and_odd_set_by_a_chain_of_endpoints() {
    let net = network("torrent_4x5");
    let mut case = 0;
    let mut groups: Vec<TileSet> = rectangles(5, 4).collect();
    groups.extend(odd_sets());
    for group in groups {
        for root in clusters(5, 4) {
            for output in [0x2_0000, 0] {
                let mut task = collective(CollectiveKind::Multicast, group.clone(), root, 640);
                (task.input_offset, task.output_offset) = (0, output);
                // Exact orders of many destinations take long; all orders are taken in rotation.
                let orders = [ChainOrder::Id, ChainOrder::Greedy, ChainOrder::Nearest];
                let choice = Choice::chainwrite(orders[case % orders.len()]);
                case += 1;
                assert!(prove(&net, &task, choice), "{choice} refuses {task:?}");
            }
        }
    }
    for order in ChainOrder::ALL {
        let group = rectangle(1, 0, 3, 4);
        let root = cluster(2, 2);
        let task = collective(CollectiveKind::Multicast, group, root, 640);
        assert!(prove(&net, &task, Choice::chainwrite(order)), "{order}");
    }
}

/// Several chains share the members; by blocks, a chain visits a member of each and the network does the rest.
#[test]
fn every_rectangle_root_and_odd_set_by_several_chains_and_by_blocks() {
    let net = network("torrent_4x5_parallel");
    let mut groups: Vec<TileSet> = rectangles(5, 4).collect();
    groups.extend(odd_sets());
    let mut proved = [0; 3];
    for group in groups {
        let members = net.members(&group).unwrap();
        let blocks = noccl_net::cover(&net, &group).unwrap();
        let is_whole = |mask: u16| (mask + 1).is_power_of_two();
        let has_blocks = blocks.iter().any(|block| block.len() > 1)
            && blocks
                .iter()
                .all(|b| is_whole(b.mask.x) && is_whole(b.mask.y));
        for at in [(0, 0), (2, 1), (4, 3)].map(|(x, y)| Coord::new(x, y)) {
            let followers = members.iter().filter(|m| **m != at).count();
            let other_blocks = blocks.iter().filter(|block| !block.contains(at)).count();
            for output in [0x2_0000, 0] {
                let root = TileRef::Cluster(at);
                let mut task = collective(CollectiveKind::Multicast, group.clone(), root, 640);
                (task.input_offset, task.output_offset) = (0, output);
                let cases = [
                    (Choice::chainwrites(ChainOrder::Nearest, 2), followers >= 2),
                    (
                        Choice::chainwrite_blocks(ChainOrder::Nearest, 1),
                        has_blocks,
                    ),
                    (
                        Choice::chainwrite_blocks(ChainOrder::Nearest, 3),
                        has_blocks && other_blocks >= 3,
                    ),
                ];
                for ((choice, is_possible), proved) in cases.into_iter().zip(&mut proved) {
                    let is_proved = prove(&net, &task, choice);
                    assert_eq!(is_proved, is_possible, "{choice}: {task:?}");
                    *proved += u32::from(is_proved);
                }
            }
        }
    }
    assert!(proved.iter().all(|cases| *cases > 100), "{proved:?}");
}

#[test]
fn chains_of_endpoints_refuse_what_they_cannot_do_and_say_what_they_can() {
    let choice = Choice::new(Algorithm::Chainwrite, 1);
    let task = collective(
        CollectiveKind::Multicast,
        rectangle(0, 0, 2, 2),
        cluster(0, 0),
        640,
    );
    let refusal = |net: &Network, task: &Collective| {
        schedule(net, task, choice)
            .expect_err("is impossible")
            .to_string()
    };
    let plain = network("collective_noc_4x4");
    assert!(refusal(&plain, &task).contains("[cluster.torrent]"));
    let net = network("torrent_4x5");
    let odd = Collective {
        bytes: 648,
        ..task.clone()
    };
    assert!(refusal(&net, &odd).contains("a multiple of 64"));
    let reduce = Collective {
        kind: CollectiveKind::Reduce,
        ..task
    };
    assert!(refusal(&net, &reduce).contains("accepted: chain, tree"));
}
