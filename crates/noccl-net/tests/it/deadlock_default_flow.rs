// SPDX-License-Identifier: Apache-2.0
//! The default flow accepts everything within its stated limits and names what exceeds them.

use crate::common::flows::{
    ALL, ROW, assert_closed, check, check_in_order, cluster, multicast, reduction, set,
};
use crate::common::{network, spec};
use noccl_net::deadlock::{
    Flow, IssueOrder, Place, Windows, merge_points, merge_timeout_cycles, reduction_flows,
    reductions_at_a_router,
};
use noccl_net::{Network, elaborate};

/// Flow sets that the published router can deadlock on.
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
fn the_default_flow_accepts_what_the_published_one_deadlocks_on() {
    let n = network("collective_noc_4x4");
    for flows in hard(&n) {
        check(&n, &flows).unwrap();
    }
}

#[test]
fn order_of_issue_does_not_matter_to_the_default_flow_within_its_limit() {
    let mut s = spec("collective_noc_4x4");
    s.axi_mut().unwrap().router.wide_reduction.store_beats *= 2;
    let n = elaborate(&s).unwrap();
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
    assert_eq!(n.spec().axi().unwrap().ni.max_open_reductions, 8);
    check_in_order(&n, &reductions(8), &order).unwrap();
    // The ninth waits at one tile for the response of the first, at the other it is the opposite.
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
    s.axi_mut().unwrap().router.wide_reduction.window_beats = 16;
    s.axi_mut().unwrap().router.wide_reduction.store_beats = 191;
    let n = elaborate(&s).unwrap();
    assert_eq!(reduction_flows(n.as_axi().unwrap()), 2);
    let reductions = |roots: &[u16], beats| -> Vec<Flow> {
        let one = |x: &u16| Flow::Reduction {
            group: ROW,
            root: cluster(&n, *x, 0),
            beats,
        };
        roots.iter().map(one).collect()
    };
    // Cluster 2 issues them in the opposite order.
    let order = IssueOrder::from([(cluster(&n, 2, 0), vec![2, 1, 0])]);
    // Each takes a slot at every inner router of the row, however short it is.
    for (roots, beats, meeting) in [
        ([0, 3].as_slice(), 64, 2),
        (&[0, 0, 0], 1, 3),
        (&[0, 3, 0], 64, 3),
        (&[3, 3, 3], 64, 3),
    ] {
        let flows = reductions(roots, beats);
        assert_eq!(reductions_at_a_router(&n, &flows), meeting);
        match check_in_order(&n, &flows, &order) {
            Ok(_) => assert_eq!(meeting, 2, "{roots:?}"),
            Err(cycle) => {
                assert_eq!(meeting, 3, "{cycle}");
                assert_closed(&cycle);
                let is_store = |p| matches!(p, Place::Store(_));
                assert!(cycle.waits.iter().any(|w| is_store(w.holds)), "{cycle}");
            }
        }
    }
}

#[test]
fn reductions_meet_where_contributions_do() {
    let n = network("collective_noc_4x4");
    let meeting = |flows: &[Flow]| reductions_at_a_router(&n, flows);
    assert_eq!(meeting(&[reduction(&n, ROW, 0, 0)]), 1);
    assert_eq!(meeting(&[reduction(&n, set(1, 0, 0, 0), 1, 0)]), 0);
    assert_eq!(meeting(&[multicast(&n, 1, 1, ALL)]), 0);
    // Rows share no router, a row and a column one.
    let rows = [set(0, 1, 3, 0), ROW].map(|row| reduction(&n, row, 0, 0));
    assert_eq!(meeting(&rows[..1]), 1);
    let crossing = [
        reduction(&n, ROW, 0, 0),
        reduction(&n, set(2, 0, 0, 3), 2, 0),
    ];
    assert_eq!(meeting(&crossing), 2);
    // The stated limit: what an endpoint may have open has slots and space in the preset.
    assert_eq!(
        reduction_flows(n.as_axi().unwrap()),
        n.spec().axi().unwrap().ni.max_open_reductions
    );
}

#[test]
fn a_window_grows_with_the_distance_to_the_merge_point() {
    let n = network("collective_noc_8x8");
    let window = n.spec().axi().unwrap().router.wide_reduction.window_beats;
    let windows = Windows::of(n.as_axi().unwrap());
    let root = cluster(&n, 6, 0);
    let hops = |mask_x| -> Vec<u32> {
        let points = merge_points(&n, set(0, 0, mask_x, 0), root);
        points.into_iter().map(|(_, hops)| hops).collect()
    };
    // Every second cluster: two hops between merge points, none from the own NI.
    assert_eq!(hops(6), [2, 2, 2]);
    // Clusters 0 and 4, and the root two hops further on, which is no member.
    assert_eq!(hops(4), [4]);
    let over = [0, 1, 2, 4, 5, 14].map(|hops| windows.over(hops));
    assert_eq!(over, [0, 0, 4, 12, 12, 12].map(|more| window + more));
    assert_eq!(windows.most, window + 12);
}

/// With links of a cycle it is a number of the hardware.
#[test]
fn an_entry_of_a_full_merge_table_waits_longer_over_longer_links() {
    for (cycles, timeout) in [("1", 256), ("8", 64 * 18)] {
        let text = noccl_spec::preset_text("collective_noc_8x8").unwrap();
        let set =
            ["rsp", "wide"].map(|plane| (format!("router.link_cycles.{plane}"), cycles.to_owned()));
        let spec = noccl_spec::parse_spec("preset", &text, &set).unwrap();
        assert_eq!(
            merge_timeout_cycles(elaborate(&spec).unwrap().as_axi().unwrap()),
            timeout
        );
    }
}

#[test]
fn a_window_grows_with_the_length_of_the_links_of_beats_and_credits() {
    let windows = |rsp: &str, wide: &str| {
        let text = noccl_spec::preset_text("collective_noc_8x8").unwrap();
        let set = [("rsp", rsp), ("wide", wide), ("req", "8")]
            .map(|(plane, cycles)| (format!("router.link_cycles.{plane}"), cycles.to_owned()));
        let spec = noccl_spec::parse_spec("preset", &text, &set).unwrap();
        Windows::of(elaborate(&spec).unwrap().as_axi().unwrap())
    };
    // A beat needs two cycles a hop more with links of three cycles, its credit one more with links of two.
    let (short, long) = (windows("1", "1"), windows("2", "3"));
    for hops in 0..5 {
        assert_eq!(long.over(hops), short.over(hops) + 3 * hops);
    }
    assert_eq!((short.neighbours(), long.neighbours()), (20, 23));
    assert_eq!(long.most, short.most + 3 * 4);
}

/// Barriers of different rows of a 16x16 system at one counter.
fn row_barriers(n: &Network, rows: u16) -> Vec<Flow> {
    let root = cluster(n, 3, 3);
    let barrier = |y| Flow::Barrier {
        group: set(0, y, 3, 0),
        root,
    };
    (0..rows).map(barrier).collect()
}

#[test]
fn more_barriers_at_one_target_than_it_counts_are_rejected_with_the_counters_they_hold() {
    let n = network("collective_noc_16x16");
    let counted = n.spec().axi().unwrap().ni.max_open_reductions as u16;
    check(&n, &row_barriers(&n, counted)).unwrap();
    let cycle = check(&n, &row_barriers(&n, counted + 1)).unwrap_err();
    assert_closed(&cycle);
    let counters = Place::Counters(cluster(&n, 3, 3));
    assert!(cycle.waits.iter().any(|w| w.holds == counters), "{cycle}");
    let text = "counters of open barriers at cluster (3,3)";
    assert!(cycle.to_string().contains(text), "{cycle}");
}

#[test]
fn barriers_of_one_group_in_one_order_never_need_more_counters_than_a_member_has_outstanding() {
    let n = network("collective_noc_4x4");
    let root = cluster(&n, 1, 1);
    let barriers = [Flow::Barrier { group: ALL, root }; 12];
    let backwards = (0..12).rev().collect::<Vec<_>>();
    let all_backwards = n.clusters().map(|t| (t, backwards.clone())).collect();
    for order in [IssueOrder::new(), all_backwards] {
        check_in_order(&n, &barriers, &order).unwrap();
    }
    let one_backwards = IssueOrder::from([(cluster(&n, 2, 0), backwards)]);
    let cycle = check_in_order(&n, &barriers, &one_backwards).unwrap_err();
    assert_closed(&cycle);
}
