// SPDX-License-Identifier: Apache-2.0
//! Reductions and barriers for which a tile has no space together are refused, those in sequence are not.

use crate::common::*;
use noccl_net::TileSet;
use noccl_testkit::rectangle;
use noccl_workload::{CheckError, Schedule, check};

/// Reductions over pairs of a column into its south end, each into a place of its own.
fn pairs(after: &[&[u32]]) -> Schedule {
    let mut s = Build::new(None);
    for (i, after) in after.iter().enumerate() {
        let pair = set(0, 0, 0, 1 + i as u16 % 2);
        let root = at(0, 0, 0x4000 * (i as u64 + 1));
        s.reduction(pair, 0, root, 4096, after);
    }
    s.0
}

#[test]
fn reductions_without_space_together_are_named_with_the_store_and_what_would_fit() {
    // Each is one burst; a burst stands for four windows of 16 beats.
    let error = check(&small_store(), &pairs(&[&[], &[]])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cluster (0,0): actions[0] (in_network_reduction), actions[1] (in_network_reduction) may be \
         open together and need router.wide_reduction.store_beats of 128 there, the network has 64; \
         accepted: at most 1 of them at a time, the others ordered with `after`, or \
         router.wide_reduction.store_beats of at least 128"
    );
    check(&mesh4x4(), &pairs(&[&[], &[]])).unwrap();
}

#[test]
fn reductions_that_follow_each_other_need_space_for_one() {
    // Cluster (0,2) has no part in the first one: it may be early. A barrier makes it wait.
    let error = check(&small_store(), &pairs(&[&[], &[0]])).unwrap_err();
    assert!(matches!(error, CheckError::Overload(_)), "{error}");
    let mut s = Build::new(None);
    s.0 = pairs(&[&[]]);
    let column = rectangle(0, 0, 1, 4);
    let meeting = s.barrier(column, &[0]);
    s.reduction(set(0, 0, 0, 2), 0, at(0, 0, 0x8000), 4096, &[meeting]);
    check(&small_store(), &s.0).unwrap();
}

#[test]
fn reductions_of_one_group_share_what_an_endpoint_may_have_open() {
    let many = |count: u64| {
        let mut s = Build::new(None);
        for i in 0..count {
            s.reduction(set(0, 0, 3, 3), 0, at(1, 1, 0x1000 * (i + 1)), 4096, &[]);
        }
        s.0
    };
    for count in [8, 20] {
        check(&mesh4x4(), &many(count)).unwrap();
    }
}

#[test]
fn barriers_of_more_groups_than_their_target_counts_are_refused_unless_ordered() {
    let n = network("collective_noc_16x16");
    let barriers = |rows: u16, is_ordered: bool| {
        let mut s = Build::new(None);
        for y in 0..rows {
            let row = TileSet::Cube(set(0, y, 15, 0));
            let before = s.0.actions.len() as u32;
            if is_ordered && y > 0 {
                // All rows meet in between.
                let all = TileSet::Cube(set(0, 0, 15, 15));
                let meeting = s.barrier(all, &[before - 1]);
                s.barrier(row, &[meeting]);
            } else {
                s.barrier(row, &[]);
            }
        }
        s.0
    };
    check(&n, &barriers(8, false)).unwrap();
    let error = check(&n, &barriers(9, false)).unwrap_err().to_string();
    let start = "cluster (0,0): actions[0] (barrier), actions[1] (barrier)";
    assert!(error.starts_with(start), "{error}");
    let end = "need ni.max_open_reductions of 9 there, the network has 8; accepted: at most 8 of them at \
               a time, the others ordered with `after`, or ni.max_open_reductions of at least 9";
    assert!(error.ends_with(end), "{error}");
    check(&n, &barriers(9, true)).unwrap();
}

#[test]
fn the_published_router_has_no_store_to_be_checked() {
    let n = network("collective_noc_4x4_published");
    // Such a pair can deadlock there for another reason, which is named.
    let error = check(&n, &pairs(&[&[], &[]])).unwrap_err();
    assert!(matches!(error, CheckError::Deadlock(_)), "{error}");
    let mut apart = Build::new(None);
    for x in 0..2 {
        apart.reduction(set(x, 0, 0, 1), 0, at(x, 0, 0x4000), 4096, &[]);
    }
    check(&n, &apart.0).unwrap();
}
