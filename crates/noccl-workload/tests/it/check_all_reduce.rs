// SPDX-License-Identifier: Apache-2.0
//! All-reduces in one transaction: what they achieve, who knows of it, which are refused.

use crate::common::*;
use noccl_net::{Coord, Network};
use noccl_testkit::assert_says;
use noccl_workload::{
    ActionKind, CheckError, CollectiveKind, ElementType, InNetworkReduction, Operator, Place,
    Schedule, check, interpret,
};

fn row_all_reduce(source_offset: u64, root: Place, bytes: u64) -> ActionKind {
    ActionKind::InNetworkAllReduce(InNetworkReduction {
        group: set(0, 0, 3, 0),
        source_offset,
        root,
        bytes,
        operator: Operator::Sum,
        element: ElementType::Fp64,
    })
}

fn claimed(root: Place) -> Schedule {
    let c = collective(CollectiveKind::AllReduce, row(), cluster(0, 0), 128);
    let mut s = Build::new(Some(c));
    s.add(row_all_reduce(0, root, 128), &[]);
    s.0
}

fn error_of(network: &Network, kind: ActionKind) -> CheckError {
    check(network, &one(kind)).expect_err("is impossible")
}

#[test]
fn one_all_reduce_achieves_the_collective_whichever_member_reduces() {
    for x in 0..4 {
        assert_eq!(check(&mesh4x4(), &claimed(at(x, 0, 0x8000))).err(), None);
    }
    let error = check(&mesh4x4(), &claimed(at(0, 0, 0x8040)));
    assert!(
        matches!(error, Err(CheckError::Postcondition(_))),
        "{error:?}"
    );
}

#[test]
fn every_member_gets_the_fold_in_the_order_of_the_network() {
    let net = mesh4x4();
    let values = [1e300, 1.0, -1e300, 3.0];
    let bytes: Vec<[u8; 8]> = values.iter().map(|v: &f64| v.to_le_bytes()).collect();
    let inputs: Vec<(Place, &[u8])> = (0..4)
        .map(|x| (at(x, 0, 0), bytes[usize::from(x)].as_slice()))
        .collect();
    let s = one(row_all_reduce(0, at(1, 0, 0x8000), 8));
    let memories = interpret(&net, &s, &inputs).expect("a right schedule");
    // East of the root (3.0 - 1e300) comes first, then what comes from West, then the root's own.
    let expected = ((3.0 + -1e300) + 1e300) + 1.0_f64;
    for x in 0..4 {
        let sum = memories.read(at(x, 0, 0x8000), 8).expect("in memory");
        assert_eq!(sum, expected.to_le_bytes(), "at {x}");
    }
}

#[test]
fn a_member_may_use_its_own_result_and_overwrite_any_contribution_but_no_other_result() {
    let after = |initiator, source, destination| {
        let mut s = Build::new(None);
        let all = s.add(row_all_reduce(0, at(0, 0, 0x8000), 64), &[]);
        s.copy(initiator, source, destination, 64, &[all]);
        check(&mesh4x4(), &s.0).err()
    };
    assert_eq!(after(cluster(2, 0), at(2, 0, 0x8000), at(2, 1, 0)), None);
    // All contributions have been reduced before any member has a result.
    assert_eq!(after(cluster(2, 0), at(2, 0, 0x8000), at(3, 0, 0)), None);
    // Whether member 3 has its result member 2 cannot know.
    let error = after(cluster(2, 0), at(3, 0, 0x8000), at(2, 1, 0));
    assert!(matches!(error, Some(CheckError::Race(_))), "{error:?}");
}

#[test]
fn nobody_may_touch_contributions_or_results_while_the_all_reduce_runs() {
    let beside = |source, destination| {
        let mut s = Build::new(None);
        s.add(row_all_reduce(0, at(0, 0, 0x8000), 64), &[]);
        s.copy(cluster(2, 0), source, destination, 64, &[]);
        check(&mesh4x4(), &s.0).err()
    };
    assert_eq!(beside(at(2, 0, 0), at(2, 1, 0)), None);
    for (source, destination) in [(at(2, 1, 0), at(2, 0, 0)), (at(2, 0, 0x8000), at(2, 1, 0))] {
        let error = beside(source, destination);
        assert!(matches!(error, Some(CheckError::Race(_))), "{error:?}");
    }
}

#[test]
fn results_may_replace_contributions_but_not_shift_them() {
    let s = one(row_all_reduce(64, at(0, 0, 64), 128));
    assert_eq!(check(&mesh4x4(), &s).err(), None);
    let text = error_of(&mesh4x4(), row_all_reduce(64, at(0, 0, 128), 128));
    assert_says(&text, &["root.offset", "source_offset"]);
}

#[test]
fn a_root_outside_a_group_of_one_and_a_published_router_are_refused() {
    let text = error_of(&mesh4x4(), row_all_reduce(0, at(0, 1, 0x8000), 64));
    assert_says(&text, &["root.tile", "member"]);
    let mut alone = row_all_reduce(0, at(0, 0, 0x8000), 64);
    if let ActionKind::InNetworkAllReduce(r) = &mut alone {
        r.group = noccl_net::MultiAddress::single(Coord::new(0, 0));
    }
    assert_says(error_of(&mesh4x4(), alone), &["at least two"]);
    let published = network("collective_noc_4x4_published");
    let text = error_of(&published, row_all_reduce(0, at(0, 0, 0x8000), 64));
    assert_says(&text, &["published", "multicast"]);
}
