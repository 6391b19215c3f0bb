// SPDX-License-Identifier: Apache-2.0
//! Routers with virtual channels: every preset is free of deadlock, and private trees need their order of classes.

use crate::common::flows::{
    ALL, ROW, assert_closed, check, check_in_order, cluster, multicast, published, reduction,
    rejected, set,
};
use crate::common::{network, spec};
use noccl_net::deadlock::{
    Buffers, ChannelClass, Cycle, Flow, IssueOrder, OrderClasses, Place, Proof, check_mechanism,
    check_network,
};
use noccl_net::{Coord, Network, Port, TileId, elaborate};
use noccl_spec::{Plane, SmartPriority, SmartReduction, SmartTree};

fn with_order(n: &Network, order: OrderClasses) -> Result<Proof, Cycle> {
    let mut mechanism = n.routers().mechanism.clone();
    mechanism.buffers = Buffers::Channels(order);
    check_mechanism(n, &mechanism)
}

#[test]
fn every_preset_has_waits_and_no_cycle_of_them() {
    for suffix in [
        "",
        "_baseline",
        "_collective",
        "_unicast",
        "_private",
        "_connected",
    ] {
        for size in ["1x1", "1x8", "2x2", "3x5", "8x8", "16x16", "64x64"] {
            if suffix == "_private" && size.starts_with('1') && size.len() == 3 {
                continue;
            }
            let n = network(&format!("smart_{size}{suffix}"));
            let proof = check_network(&n).unwrap();
            assert_eq!(proof.nodes, n.num_tiles() * 25);
            assert_eq!(proof.waits == 0, n.num_tiles() == 1, "{size}{suffix}");
        }
    }
}

/// Waits are for channels, whoever goes first: nobody waits for ever at a link (`noccl-sim`, `router/smart/tests/contention.rs`).
#[test]
fn priorities_and_greedy_reductions_add_no_wait() {
    for suffix in ["", "_private"] {
        let preset = format!("smart_8x8{suffix}");
        let mut spec = spec(&preset);
        let table = spec.axi_mut().unwrap().router.smart.as_mut().unwrap();
        table.priority = SmartPriority::Bypass;
        table.reduction = SmartReduction::Greedy;
        let proof = check_network(&elaborate(&spec).unwrap()).unwrap();
        assert_eq!(proof, check_network(&network(&preset)).unwrap());
    }
}

fn by_load(size: &str) -> Network {
    let mut spec = spec(&format!("smart_{size}"));
    spec.axi_mut().unwrap().router.smart.as_mut().unwrap().tree = SmartTree::ByLoad;
    elaborate(&spec).unwrap()
}

#[test]
fn shared_trees_beside_private_ones_add_waits_and_no_cycle() {
    for size in ["2x2", "3x5", "8x8", "16x16"] {
        let private = check_network(&network(&format!("smart_{size}_private"))).unwrap();
        let both = check_network(&by_load(size)).unwrap();
        assert!(both.waits > private.waits, "{size}");
        // Behind a class for both dimensions of private trees there is the same cycle as without shared ones.
        let cycle = with_order(&by_load(size), OrderClasses::Two).unwrap_err();
        assert!(!cycle.waits.is_empty(), "{size}");
    }
}

#[test]
fn shared_trees_need_one_class_only() {
    let n = network("smart_8x8");
    let proof = check_network(&n).unwrap();
    for order in [OrderClasses::Two, OrderClasses::One] {
        assert_eq!(with_order(&n, order).unwrap(), proof);
    }
}

/// Around the edge of the mesh, against the clock: inputs of the routers.
fn edge(n: &Network) -> Vec<(Coord, Port)> {
    let (east, north) = (n.width() - 1, n.height() - 1);
    let at = Coord::new;
    let south_side = (1..=east).map(|x| (at(x, 0), Port::West));
    let east_side = (1..=north).map(|y| (at(east, y), Port::South));
    let north_side = (0..east).rev().map(|x| (at(x, north), Port::East));
    let west_side = (0..north).rev().map(|y| (at(0, y), Port::North));
    let all = south_side.chain(east_side).chain(north_side);
    all.chain(west_side).collect()
}

#[test]
fn private_trees_with_one_class_for_both_dimensions_wait_around_the_edge() {
    for size in ["2x2", "3x5", "8x8"] {
        let n = network(&format!("smart_{size}_private"));
        let cycle = with_order(&n, OrderClasses::Two).unwrap_err();
        let mut found: Vec<(Coord, Port)> = Vec::new();
        for wait in &cycle.waits {
            let Place::Channels { class, tile, port } = wait.holds else {
                panic!("{cycle}");
            };
            assert_eq!(class, ChannelClass::FirstDimension);
            found.push((n.coord(tile), port));
        }
        let expected = edge(&n);
        let first = found.iter().position(|place| *place == expected[0]);
        found.rotate_left(first.unwrap());
        assert_eq!(found, expected, "{size}");
        assert!(cycle.is_certain);
    }
    let n = network("smart_2x2_private");
    let text = with_order(&n, OrderClasses::Two).unwrap_err().to_string();
    let expected = "in channels of multicasts along the first dimension at input West of cluster (1,0) waits for";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn private_trees_with_one_class_at_all_wait_in_a_cycle() {
    for size in ["2x2", "4x4", "8x8"] {
        let n = network(&format!("smart_{size}_private"));
        let cycle = with_order(&n, OrderClasses::One).unwrap_err();
        let next = cycle.waits.iter().cycle().skip(1);
        for (wait, next) in cycle.waits.iter().zip(next) {
            assert_eq!(wait.waits_for, next.holds, "{cycle}");
            let is_multicast = |place| {
                matches!(
                    place,
                    Place::Channels {
                        class: ChannelClass::Multicast,
                        ..
                    }
                )
            };
            assert!(is_multicast(wait.holds), "{cycle}");
        }
        assert!(cycle.is_certain && cycle.waits.len() >= 4, "{cycle}");
    }
}

// Reductions and barriers on the published router, where the order of issue decides.

#[test]
fn reductions_issued_in_one_order_are_accepted() {
    let n = published();
    check(&n, &[reduction(&n, ROW, 0, 0); 3]).unwrap();
    check(
        &n,
        &[
            reduction(&n, ROW, 0, 0),
            reduction(&n, ROW, 3, 0),
            reduction(&n, ROW, 1, 0),
        ],
    )
    .unwrap();
    check(
        &n,
        &[Flow::Barrier {
            group: ALL,
            root: cluster(&n, 1, 1),
        }; 2],
    )
    .unwrap();
}

#[test]
fn reductions_issued_in_different_orders_are_rejected() {
    let n = published();
    for flows in [
        [reduction(&n, ROW, 0, 0); 2],
        [reduction(&n, ROW, 0, 0), reduction(&n, ROW, 3, 0)],
        [Flow::Barrier {
            group: ROW,
            root: cluster(&n, 1, 1),
        }; 2],
    ] {
        let order = IssueOrder::from([(cluster(&n, 2, 0), vec![1, 0])]);
        let cycle = check_in_order(&n, &flows, &order).unwrap_err();
        assert_closed(&cycle);
        // The same order everywhere, whichever it is, is fine.
        let order = n.clusters().map(|t| (t, vec![1, 0])).collect();
        check_in_order(&n, &flows, &order).unwrap();
    }
}

#[test]
fn overlapping_reductions_of_different_groups_are_rejected() {
    let n = published();
    let (near, far) = (set(2, 0, 1, 0), set(1, 0, 2, 0));
    // Cluster 3 issues one of them first; on the link into its router the other one can be ahead.
    rejected(&n, &[reduction(&n, near, 3, 0), reduction(&n, far, 3, 0)]);
    rejected(&n, &[reduction(&n, far, 3, 0), reduction(&n, near, 3, 0)]);
    // Here the first one is ahead at the only place where both start, and so everywhere.
    check(
        &n,
        &[
            reduction(&n, set(0, 0, 1, 0), 3, 0),
            reduction(&n, set(0, 0, 2, 0), 3, 0),
        ],
    )
    .unwrap();
}

#[test]
fn a_packet_that_is_not_reduced_overtakes_sums_in_the_pipeline() {
    // Cluster 0 issues both in one order. At cluster 1 the second passes by the sums of the first, and
    // at cluster 0 each waits for a contribution behind the other.
    let n = published();
    rejected(
        &n,
        &[
            reduction(&n, ROW, 0, 0),
            reduction(&n, set(0, 0, 2, 0), 0, 0),
        ],
    );
    // Barriers are merged without a pipeline.
    let barrier = |group| Flow::Barrier {
        group,
        root: cluster(&n, 0, 0),
    };
    check(&n, &[barrier(ROW), barrier(set(0, 0, 2, 0))]).unwrap();
}

#[test]
fn a_merged_response_that_waits_for_members_not_yet_reached_is_part_of_a_cycle() {
    let n = published();
    let flows = [
        multicast(&n, 0, 0, set(1, 0, 2, 3)),
        reduction(&n, set(0, 2, 3, 1), 2, 3),
        reduction(&n, set(1, 0, 0, 2), 1, 3),
    ];
    let cycle = rejected(&n, &flows);
    let is_response = |p| matches!(p, Place::Link(l) if l.plane == Plane::Rsp);
    assert!(
        cycle
            .waits
            .iter()
            .any(|w| is_response(w.holds) && !is_response(w.waits_for)),
        "{cycle}"
    );
    for pair in [[0, 1], [0, 2], [1, 2]] {
        check(&n, &pair.map(|i| flows[i])).unwrap();
    }
}

// Unicasts on the published router, alone and beside collectives.

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

// Multicasts on the published router are accepted exactly where none can wait for another forever.

#[test]
fn two_multicasts_to_one_row_are_rejected_with_the_links_they_hold() {
    let n = published();
    let cycle = rejected(&n, &[multicast(&n, 1, 0, ROW), multicast(&n, 2, 0, ROW)]);
    assert_eq!(cycle.waits.len(), 2);
    let text = cycle.to_string();
    assert!(
        text.contains("multicast from cluster (1,0) (#0) holds wide link"),
        "{text}"
    );
    assert!(
        text.contains("multicast from cluster (2,0) (#1) holds wide link"),
        "{text}"
    );
    for wait in &cycle.waits {
        assert!(matches!(wait.holds, Place::Link(_)), "{text}");
    }
}

#[test]
fn multicasts_to_crossing_rectangles_are_rejected() {
    let n = published();
    let tall = set(0, 0, 1, 3);
    let wide = set(0, 0, 3, 1);
    rejected(&n, &[multicast(&n, 0, 3, tall), multicast(&n, 3, 0, wide)]);
    rejected(&n, &[multicast(&n, 0, 0, ALL), multicast(&n, 3, 3, ALL)]);
    let narrow = |x, y| Flow::NarrowMulticast {
        from: cluster(&n, x, y),
        set: ALL,
    };
    rejected(&n, &[narrow(0, 0), narrow(3, 3)]);
}

#[test]
fn single_and_disjoint_multicasts_are_accepted() {
    let n = published();
    for (x, y) in (0..4).flat_map(|x| (0..4).map(move |y| (x, y))) {
        check(&n, &[multicast(&n, x, y, ALL)]).unwrap();
    }
    let rows: Vec<Flow> = (0..4)
        .map(|y| multicast(&n, 1, y, set(0, y, 3, 0)))
        .collect();
    check(&n, &rows).unwrap();
    let columns: Vec<Flow> = (0..4)
        .map(|x| multicast(&n, x, 2, set(x, 0, 0, 3)))
        .collect();
    check(&n, &columns).unwrap();
}

#[test]
fn multicasts_of_one_initiator_meet_in_their_responses_only() {
    let n = published();
    check(&n, &[multicast(&n, 1, 1, ALL); 4]).unwrap();
    check(&n, &[multicast(&n, 1, 1, ALL), multicast(&n, 1, 1, ROW)]).unwrap();
    // Responses from different targets come to a merge point in any order.
    let sets = [set(0, 0, 3, 2), set(1, 0, 2, 1)];
    let cycle = rejected(&n, &sets.map(|s| multicast(&n, 1, 0, s)));
    let is_response = |p| {
        matches!(p, Place::Link(l) if l.plane == Plane::Rsp)
            || matches!(
                p,
                Place::Responses {
                    plane: Plane::Rsp,
                    ..
                }
            )
    };
    assert!(cycle.waits.iter().all(|w| is_response(w.holds)), "{cycle}");
}

#[test]
fn planes_of_one_initiator_are_ordered_apart() {
    // One narrow and one wide multicast start in any order, and so do their responses.
    let n = published();
    let from = cluster(&n, 1, 1);
    let (wide, narrow) = (
        Flow::Multicast { from, set: ALL },
        Flow::NarrowMulticast { from, set: ALL },
    );
    let cycle = rejected(&n, &[wide, narrow]);
    assert!(
        cycle
            .waits
            .iter()
            .all(|w| matches!(w.holds, Place::Responses { .. } | Place::Link(_)))
    );
    assert!(!cycle.to_string().contains("requests of"), "{cycle}");
}
