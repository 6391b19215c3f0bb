// SPDX-License-Identifier: Apache-2.0
//! Multicasts on the published router are accepted exactly where none can wait for another forever.

use crate::common::flows::{ALL, ROW, cluster, multicast, published, rejected, set};
use noccl_net::deadlock::{Flow, Place, check};
use noccl_spec::Plane;

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
