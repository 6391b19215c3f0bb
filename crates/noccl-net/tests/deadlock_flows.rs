// SPDX-License-Identifier: Apache-2.0
//! Given transactions are accepted exactly where nobody can wait for each other forever.
#![allow(clippy::unwrap_used)]

mod common;

use common::{network, spec};
use noccl_net::deadlock::{
    Cycle, Flow, IssueOrder, Place, check, check_in_order, store_beats_needed,
};
use noccl_net::{Coord, MultiAddress, Network, TileId, TileRef, elaborate};
use noccl_spec::{Plane, RouterFlow, WideReductionKind};
use proptest::prelude::*;

fn peer() -> Network {
    network("collective_noc_4x4_peer")
}

fn cluster(n: &Network, x: u16, y: u16) -> TileId {
    n.find(TileRef::Cluster(Coord::new(x, y))).unwrap()
}

fn set(x: u16, y: u16, mask_x: u16, mask_y: u16) -> MultiAddress {
    MultiAddress::new(Coord::new(x, y), Coord::new(mask_x, mask_y))
}

const ROW: MultiAddress = MultiAddress::new(Coord::new(0, 0), Coord::new(3, 0));
const ALL: MultiAddress = MultiAddress::new(Coord::new(0, 0), Coord::new(3, 3));

fn multicast(n: &Network, x: u16, y: u16, set: MultiAddress) -> Flow {
    Flow::Multicast {
        from: cluster(n, x, y),
        set,
    }
}

fn reduction(n: &Network, group: MultiAddress, x: u16, y: u16) -> Flow {
    Flow::Reduction {
        group,
        root: cluster(n, x, y),
        beats: 64,
    }
}

/// A named cycle holds together: each waits for what the next one holds, and different flows do.
fn assert_closed(cycle: &Cycle) {
    let next = cycle.waits.iter().cycle().skip(1);
    for (wait, next) in cycle.waits.iter().zip(next) {
        assert_eq!(wait.waits_for, next.holds, "{cycle}");
        assert_ne!(wait.flow, next.flow, "{cycle}");
    }
    assert!(cycle.waits.len() >= 2, "{cycle}");
}

fn rejected(n: &Network, flows: &[Flow]) -> Cycle {
    let cycle = check(n, flows).unwrap_err();
    assert_closed(&cycle);
    cycle
}

#[test]
fn two_multicasts_to_one_row_are_rejected_with_the_links_they_hold() {
    let n = peer();
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
    let n = peer();
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
    let n = peer();
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
    let n = peer();
    check(&n, &[multicast(&n, 1, 1, ALL); 4]).unwrap();
    check(&n, &[multicast(&n, 1, 1, ALL), multicast(&n, 1, 1, ROW)]).unwrap();
    // Responses from different targets come to a merge point in any order.
    let sets = [set(0, 0, 3, 2), set(1, 0, 2, 1)];
    let cycle = rejected(&n, &sets.map(|s| multicast(&n, 1, 0, s)));
    let is_response = |p| {
        matches!(p, Place::Link(l) if l.plane == Plane::Rsp)
            || matches!(
                p,
                Place::Answer {
                    plane: Plane::Rsp,
                    ..
                }
            )
    };
    assert!(cycle.waits.iter().all(|w| is_response(w.holds)), "{cycle}");
}

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
fn reductions_issued_in_one_order_are_accepted() {
    let n = peer();
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
    let n = peer();
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
    let n = peer();
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
    // at cluster 0 each waits for a sibling behind the other.
    let n = peer();
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

/// Flow sets that the published router can hang on.
fn hard(n: &Network) -> Vec<Vec<Flow>> {
    vec![
        vec![multicast(n, 1, 0, ROW), multicast(n, 2, 0, ROW)],
        n.clusters()
            .map(|from| Flow::Multicast { from, set: ALL })
            .collect(),
        vec![
            reduction(n, set(2, 0, 1, 0), 3, 0),
            reduction(n, set(1, 0, 2, 0), 3, 0),
        ],
        n.clusters()
            .take(4)
            .map(|root| Flow::Reduction {
                group: ALL,
                root,
                beats: 16,
            })
            .collect(),
        n.clusters()
            .take(4)
            .map(|root| Flow::Barrier { group: ALL, root })
            .collect(),
    ]
}

#[test]
fn the_default_flow_accepts_what_the_published_one_hangs_on() {
    let n = network("collective_noc_4x4");
    for flows in hard(&n) {
        check(&n, &flows).unwrap();
    }
}

#[test]
fn order_of_issue_does_not_matter_to_the_default_flow_within_its_limit() {
    let n = network("collective_noc_4x4");
    let order = IssueOrder::from([(cluster(&n, 2, 0), (0..9).rev().collect())]);
    let reductions = |count: usize| {
        vec![
            Flow::Reduction {
                group: ROW,
                root: cluster(&n, 0, 0),
                beats: 1
            };
            count
        ]
    };
    assert_eq!(n.spec().ni.max_open_reductions, 8);
    check_in_order(&n, &reductions(8), &order).unwrap();
    // The ninth waits at one tile for the answer of the first, at the other the other way round.
    let cycle = check_in_order(&n, &reductions(9), &order).unwrap_err();
    assert_closed(&cycle);
    assert!(
        cycle
            .waits
            .iter()
            .any(|w| matches!(w.holds, Place::Issue { .. })),
        "{cycle}"
    );
}

#[test]
fn a_store_too_small_for_the_waiting_operands_is_rejected() {
    let mut s = spec("collective_noc_4x4");
    s.router.wide_reduction.window_beats = 16;
    s.router.wide_reduction.store_beats = 64;
    let n = elaborate(&s).unwrap();
    let reductions = |roots: &[u16], beats| -> Vec<Flow> {
        let one = |x: &u16| Flow::Reduction {
            group: ROW,
            root: cluster(&n, *x, 0),
            beats,
        };
        roots.iter().map(one).collect()
    };
    // Cluster 2 issues them the other way round than everybody else.
    let order = IssueOrder::from([(cluster(&n, 2, 0), vec![2, 1, 0])]);
    // An inner router joins two operands of each reduction, a window of beats of each.
    for (roots, beats, needed) in [
        ([0, 3].as_slice(), 64, 64),
        (&[0, 0, 0], 10, 60),
        (&[0, 3, 0], 64, 96),
        (&[0, 0, 0], 11, 66),
        (&[3, 3, 3], 64, 96),
    ] {
        let flows = reductions(roots, beats);
        assert_eq!(store_beats_needed(&n, &flows), needed);
        match check_in_order(&n, &flows, &order) {
            Ok(_) => assert!(needed <= 64, "{roots:?}"),
            Err(cycle) => {
                assert!(needed > 64, "{cycle}");
                assert_closed(&cycle);
                let is_store = |p| matches!(p, Place::Store(_));
                assert!(cycle.waits.iter().any(|w| is_store(w.holds)), "{cycle}");
            }
        }
    }
}

#[test]
fn planes_of_one_initiator_are_ordered_apart() {
    // One narrow and one wide multicast start in any order, and so do their answers.
    let n = peer();
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
            .all(|w| matches!(w.holds, Place::Answer { .. } | Place::Link(_)))
    );
    assert!(!cycle.to_string().contains("requests of"), "{cycle}");
}

#[test]
fn a_merged_response_that_waits_for_members_not_yet_reached_is_part_of_a_cycle() {
    let n = peer();
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

#[test]
fn a_store_holds_a_window_per_joined_input() {
    let n = network("collective_noc_4x4");
    let window = u64::from(n.spec().router.wide_reduction.window_beats);
    let needed = |flow: Flow| store_beats_needed(&n, &[flow]);
    assert!(window < 64);
    assert_eq!(needed(reduction(&n, ROW, 0, 0)), 2 * window);
    assert_eq!(needed(reduction(&n, ROW, 1, 0)), 3 * window);
    // Five inputs at the root, of which the last one completes a beat.
    assert_eq!(needed(reduction(&n, ALL, 1, 1)), 4 * window);
    assert_eq!(needed(reduction(&n, set(1, 0, 0, 0), 1, 0)), 0);
    assert_eq!(needed(multicast(&n, 1, 1, ALL)), 0);
    let one_beat = Flow::Reduction {
        group: ROW,
        root: cluster(&n, 1, 0),
        beats: 1,
    };
    assert_eq!(needed(one_beat), 3);
    // The stated limit: what an endpoint may have open fits into the store of the preset.
    let open = n.spec().ni.max_open_reductions as usize;
    let most = vec![reduction(&n, ALL, 1, 1); open];
    assert!(store_beats_needed(&n, &most) <= u64::from(n.spec().router.wide_reduction.store_beats));
}

/// Any flow on a 4x4 system: (kind, tile, tile, set).
fn any_flow() -> impl Strategy<Value = (u8, u16, u16, (u16, u16, u16, u16))> {
    (
        0u8..7,
        0u16..16,
        0u16..16,
        (0u16..4, 0u16..4, 0u16..4, 0u16..4),
    )
}

fn flow(n: &Network, (kind, a, b, (x, y, mx, my)): (u8, u16, u16, (u16, u16, u16, u16))) -> Flow {
    let (from, to) = (cluster(n, a / 4, a % 4), cluster(n, b / 4, b % 4));
    let set = set(x, y, mx, my);
    match kind {
        0 => Flow::Write { from, to },
        1 => Flow::Read { from, source: to },
        2 => Flow::NarrowWrite { from, to },
        3 => Flow::Multicast { from, set },
        4 => Flow::NarrowMulticast { from, set },
        5 => Flow::Reduction {
            group: set,
            root: to,
            beats: 16,
        },
        _ => Flow::Barrier {
            group: set,
            root: to,
        },
    }
}

/// The 4x4 system with the published router, or with the default one.
fn with_flow(flow: RouterFlow) -> Network {
    let mut s = spec("collective_noc_4x4");
    s.router.flow = flow;
    s.router.wide_reduction.kind = WideReductionKind::TwoOperand;
    elaborate(&s).unwrap()
}

proptest! {
    #[test]
    fn a_part_of_an_accepted_set_is_accepted(flows in prop::collection::vec(any_flow(), 1..5), without: prop::sample::Index) {
        let n = with_flow(RouterFlow::PeerCompatible);
        let mut flows: Vec<Flow> = flows.into_iter().map(|f| flow(&n, f)).collect();
        match check(&n, &flows) {
            Ok(_) => {
                flows.remove(without.index(flows.len()));
                prop_assert!(check(&n, &flows).is_ok());
            }
            Err(cycle) => assert_closed(&cycle),
        }
    }

    #[test]
    fn one_flow_alone_is_accepted(one in any_flow()) {
        let n = with_flow(RouterFlow::PeerCompatible);
        prop_assert!(check(&n, &[flow(&n, one)]).is_ok());
    }

    #[test]
    fn collectives_that_share_at_most_one_place_are_accepted(a in any_flow(), b in any_flow()) {
        let n = with_flow(RouterFlow::PeerCompatible);
        // Rows apart share no link, neither with their requests nor with their responses.
        let on = |f: (u8, u16, u16, (u16, u16, u16, u16)), row: u16| {
            let (kind, from, to, (x, _, mx, _)) = f;
            flow(&n, (kind, from / 4 * 4 + row, to / 4 * 4 + row, (x, row, mx, 0)))
        };
        prop_assert!(check(&n, &[on(a, 0), on(b, 1)]).is_ok());
    }

    #[test]
    fn the_default_flow_accepts_any_set_within_its_limits(flows in prop::collection::vec(any_flow(), 1..8)) {
        let n = with_flow(RouterFlow::NonBlocking);
        let flows: Vec<Flow> = flows.into_iter().map(|f| flow(&n, f)).collect();
        prop_assert!(store_beats_needed(&n, &flows) <= u64::from(n.spec().router.wide_reduction.store_beats));
        prop_assert!(check(&n, &flows).is_ok());
    }
}
