// SPDX-License-Identifier: Apache-2.0
//! Reductions and barriers on the published router, where the order of issue decides.

use crate::common::flows::{
    ALL, ROW, assert_closed, cluster, multicast, published, reduction, rejected, set,
};
use noccl_net::deadlock::{Flow, IssueOrder, Place, check, check_in_order};
use noccl_spec::Plane;

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
