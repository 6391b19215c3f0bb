// SPDX-License-Identifier: Apache-2.0
//! Actions that may wait for each other forever are refused with the cycle; ordered ones are not, and default routers need
//! no order.

use crate::common::*;
use noccl_testkit::assert_says;
use noccl_testkit::traces::{together, trace, wide_multicast};
use noccl_workload::{CheckError, Deadlock, DeadlockProof, Schedule, check, check_trace};

/// Two multicasts from both ends of a row to all of it; the second one after these.
fn two_multicasts(is_ordered: bool) -> Schedule {
    let mut s = Build::new(None);
    let row_set = set(0, 0, 3, 0);
    let first = s.multicast(at(0, 0, 0), row_set, 0x1000, 512, &[]);
    let gate = s.barrier(row(), &[first]);
    let after: &[u32] = if is_ordered { &[gate] } else { &[] };
    s.multicast(at(3, 0, 0), row_set, 0x2000, 512, after);
    s.0
}

fn refusal(schedule: &Schedule) -> Deadlock {
    match check(&network("collective_noc_4x4_published"), schedule) {
        Err(CheckError::Deadlock(deadlock)) => *deadlock,
        other => panic!("should be refused: {other:?}"),
    }
}

#[test]
fn two_multicasts_in_one_row_are_refused_with_the_links_they_hold() {
    let deadlock = refusal(&two_multicasts(false));
    assert!(deadlock.is_found, "{deadlock}");
    let cycle = &deadlock.cycle;
    let next = cycle.iter().cycle().skip(1);
    for (wait, next) in cycle.iter().zip(next) {
        assert_eq!(wait.waits_for, next.holds, "{deadlock}");
        assert_ne!(wait.index, next.index, "{deadlock}");
    }
    let words = [
        "deadlock is possible",
        "actions[0] (transfer)",
        "actions[2] (transfer)",
        "accepted",
    ];
    assert_says(&deadlock, &words);
    assert!(!deadlock.report().free);
}

#[test]
fn what_a_barrier_orders_is_accepted_and_default_routers_need_no_order() {
    let published = network("collective_noc_4x4_published");
    let report = check(&published, &two_multicasts(true)).unwrap().deadlock;
    assert!(report.free);
    assert_eq!(report.proof, Some(DeadlockProof::Search));
    let report = check(&mesh4x4(), &two_multicasts(false)).unwrap().deadlock;
    assert!(report.free);
    assert_eq!(report.proof, Some(DeadlockProof::Mechanism));
}

#[test]
fn transactions_of_a_trace_are_refused_in_the_same_words() {
    let multicast = |x| together(wide_multicast(cluster(x, 0), set(0, 0, 3, 0), 8), 1);
    let published = network("collective_noc_4x4_published");
    check_trace(&published, &trace(vec![multicast(0)])).unwrap();
    let two = trace(vec![multicast(0), multicast(3)]);
    let error = check_trace(&published, &two).unwrap_err();
    let holds = "transactions[1] (wide_multicast) holds wide link";
    assert_says(error, &[holds]);
    check_trace(&mesh4x4(), &two).unwrap();
}
