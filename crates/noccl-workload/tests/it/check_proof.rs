// SPDX-License-Identifier: Apache-2.0
//! Schedules of the right form that are wrong: orders, races, collectives that are not achieved.

use crate::common::*;
use noccl_net::TileSet;
use noccl_testkit::assert_says;
use noccl_workload::check::Wait;
use noccl_workload::{ActionKind, CheckError, CollectiveKind, Operator, Schedule, check};

#[test]
fn after_names_earlier_actions_with_a_common_participant() {
    let mut s = Build::new(None);
    s.compute(cluster(0, 0), &[]);
    s.compute(cluster(1, 0), &[0]);
    assert_names(
        &s.0,
        "actions[1].after[0] = 0",
        "only a barrier or a reduction",
    );
    let mut s = Build::new(None);
    s.compute(cluster(0, 0), &[1]);
    s.compute(cluster(0, 0), &[]);
    assert_names(
        &s.0,
        "actions[0].after[0] = 1",
        "the first action comes after no other",
    );
    let mut s = Build::new(None);
    s.compute(cluster(0, 0), &[7]);
    assert_names(&s.0, "actions[0].after[0] = 7", "after no other");
}

#[test]
fn opposite_orders_of_collectives_are_a_named_cycle() {
    let mut s = Build::new(None);
    s.barrier(row(), &[3]);
    s.compute(cluster(0, 0), &[0]);
    s.reduction(set(0, 0, 3, 0), 0, at(0, 0, 0), 64, &[1]);
    s.compute(cluster(1, 0), &[2]);
    // (0,0) does the barrier, then the reduction; (1,0) the reduction, then the barrier.
    let CheckError::WaitCycle(waits) = rejection(&s.0) else {
        panic!("no wait cycle")
    };
    let names = ["barrier", "compute", "in_network_reduction", "compute"];
    let wait = |x: u16, waiter: usize, awaited: usize| Wait {
        tile: format!("cluster ({x},0)"),
        waiter: format!("actions[{waiter}] ({})", names[waiter]),
        awaited: format!("actions[{awaited}] ({})", names[awaited]),
    };
    let circle = [wait(1, 0, 3), wait(1, 3, 2), wait(0, 2, 1), wait(0, 1, 0)];
    assert_eq!(waits, circle);
    assert_says(rejection(&s.0), &["in the same order at all tiles"]);
}

#[test]
fn an_action_after_itself_waits_for_ever() {
    let mut s = Build::new(None);
    s.compute(cluster(0, 0), &[0]);
    let message = rejection(&s.0).to_string();
    assert!(
        message
            .starts_with("wait cycle: at cluster (0,0) actions[0] (compute) waits for actions[0]"),
        "{message}"
    );
}

/// Removes one `after` edge.
fn without(mut s: Schedule, action: usize, index: usize) -> Schedule {
    s.actions[action].after.remove(index);
    s
}

#[test]
fn exactly_the_orders_that_carry_data_are_needed() {
    let network = mesh4x4();
    let good = chain_reduce(4, 512);
    for (i, action) in good.actions.iter().enumerate() {
        for after_idx in 0..action.after.len() {
            let before = &good.actions[action.after[after_idx].0 as usize].kind;
            let carries_data = matches!(
                (before, &action.kind),
                (ActionKind::Transfer(_), ActionKind::Barrier(_))
                    | (ActionKind::Barrier(_), ActionKind::LocalReduce(_))
                    | (ActionKind::LocalReduce(_), ActionKind::Transfer(_))
            );
            let result = check(&network, &without(good.clone(), i, after_idx));
            let is_race = matches!(result, Err(CheckError::Race(_)));
            assert_eq!(is_race, carries_data, "{i} {after_idx}: {result:?}");
            assert_eq!(result.is_ok(), !carries_data, "{i} {after_idx}: {result:?}");
        }
    }
}

#[test]
fn a_race_names_both_actions_and_the_range() {
    let mut s = Build::new(None);
    s.push(at(0, 0, 0), at(1, 0, 256), 128, &[]);
    s.push(at(1, 0, 320), at(2, 0, 0), 64, &[]);
    let message = rejection(&s.0).to_string();
    assert!(
        message.starts_with(
            "race: actions[1] (transfer) reads bytes 320..384 of cluster (1,0), which actions[0] (transfer) writes"
        ),
        "{message}"
    );
    assert!(
        message.contains("by a barrier or reduction in which both initiators take part"),
        "{message}"
    );
    // Bytes that do not overlap are no race.
    let mut s = Build::new(None);
    s.push(at(0, 0, 0), at(1, 0, 256), 64, &[]);
    s.push(at(1, 0, 320), at(2, 0, 0), 64, &[]);
    check(&mesh4x4(), &s.0).unwrap();
}

#[test]
fn overwriting_what_is_still_read_is_a_race() {
    let mut s = Build::new(None);
    let read = s.pull(at(1, 0, 0), at(0, 0, 0), 64, &[]);
    s.push(at(2, 0, 0), at(1, 0, 0), 64, &[]);
    assert!(matches!(
        rejection(&s.0),
        CheckError::Race(race) if (race.first_access, race.second_access) == ("reads", "writes")
    ));
    // A barrier of others does not help; one of both does.
    for (group, is_ordered) in [(set(2, 0, 1, 0), false), (set(0, 0, 2, 0), true)] {
        let mut s = Build(s.0.clone());
        let write = s.0.actions.pop().unwrap();
        let gate = s.barrier(TileSet::Cube(group), if is_ordered { &[0] } else { &[] });
        assert_eq!(read, 0);
        s.add(write.kind, &[gate]);
        assert_eq!(check(&mesh4x4(), &s.0).is_ok(), is_ordered);
    }
}

#[test]
fn a_reduction_orders_its_contributors_but_an_empty_one_does_not() {
    for (bytes, is_ordered) in [(8, true), (0, false)] {
        let mut s = Build::new(None);
        let push = s.push(at(0, 0, 0x100), at(3, 0, 0x100), 64, &[]);
        let sum = s.reduction(set(0, 0, 3, 0), 0, at(1, 0, 0x1000), bytes, &[push]);
        s.push(at(3, 0, 0x100), at(3, 1, 0), 64, &[sum]);
        assert_eq!(check(&mesh4x4(), &s.0).is_ok(), is_ordered, "{bytes}");
    }
}

#[test]
fn a_root_outside_the_group_does_not_notice_the_result() {
    let mut s = Build::new(None);
    let sum = s.reduction(set(0, 0, 3, 0), 0, at(0, 1, 0), 64, &[]);
    s.push(at(0, 1, 0), at(0, 2, 0), 64, &[sum]);
    assert!(rejection(&s.0).to_string().contains("after[0]"));
    s.0.actions[1].after.clear();
    assert!(matches!(rejection(&s.0), CheckError::Race(_)));
}

#[test]
fn missing_data_names_the_first_byte_range_and_the_rank() {
    let row = TileSet::Cube(set(0, 0, 3, 0));
    let c = collective(CollectiveKind::Multicast, row, cluster(0, 0), 256);
    let mut s = Build::new(Some(c));
    s.multicast(at(0, 0, 0), set(0, 0, 3, 0), 0x8000, 192, &[]);
    assert_eq!(
        rejection(&s.0).to_string(),
        "collective.output_offset: bytes 32960..33024 of cluster (0,0) (rank 0): expected bytes 192..256 of \
         the input of cluster (0,0), found initial bytes 32960..33024 of cluster (0,0)"
    );
}

#[test]
fn misplaced_data_is_refused() {
    let row = TileSet::Cube(set(0, 0, 3, 0));
    let c = collective(CollectiveKind::Multicast, row, cluster(0, 0), 256);
    let mut s = Build::new(Some(c));
    s.multicast(at(0, 0, 1), set(0, 0, 3, 0), 0x8000, 256, &[]);
    let message = rejection(&s.0).to_string();
    assert!(
        message.ends_with("found initial bytes 1..257 of cluster (0,0)"),
        "{message}"
    );
}

/// A reduction of the row by local reduces over these operands: rank r's input lies at `r * 0x100`.
fn gathered(inputs: &[u64], operator: Operator) -> CheckError {
    let c = collective(CollectiveKind::Reduce, row(), cluster(0, 0), 64);
    let mut s = Build::new(Some(c));
    let pushes: Vec<u32> = (1..4)
        .map(|x| s.pull(at(x, 0, 0), at(0, 0, 0x100 * u64::from(x)), 64, &[]))
        .collect();
    let sum = s.local(cluster(0, 0), inputs, 0x8000, 64, &pushes);
    let ActionKind::LocalReduce(r) = &mut s.0.actions[sum as usize].kind else {
        unreachable!("a local reduce")
    };
    r.operator = operator;
    check(&mesh4x4(), &s.0).expect_err("wrong operands")
}

#[test]
fn missing_doubled_and_foreign_contributions_are_refused() {
    for (inputs, found) in [
        (&[0, 0x100, 0x300][..], "no input of rank 2 (cluster (2,0))"),
        (
            &[0, 0x100, 0x200, 0x300, 0x100],
            "the input of rank 1 (cluster (1,0)) twice",
        ),
        (
            &[0, 0x100, 0x200, 0x400],
            "memory of rank 0 (cluster (0,0)) from offset 1024",
        ),
    ] {
        let message = gathered(inputs, Operator::Sum).to_string();
        assert!(message.contains(found), "{message}");
        assert_says(&message, &["bytes 32768..32832 of cluster (0,0) (rank 0)"]);
    }
    let message = gathered(&[0, 0x100, 0x200, 0x300], Operator::Max).to_string();
    assert!(message.contains("reduced by max of fp64"), "{message}");
}

#[test]
fn elements_put_together_from_chunks_are_refused_unless_they_belong_together() {
    // Two transfers that meet inside an element: bytes 16 to 19 and 20 to 23.
    let cut = |second_source: u64| {
        let group = TileSet::Cube(set(0, 0, 1, 0));
        let c = collective(CollectiveKind::Reduce, group, cluster(0, 0), 64);
        let mut s = Build::new(Some(c));
        let low = s.pull(at(1, 0, 0), at(0, 0, 0x100), 20, &[]);
        let high = s.pull(at(1, 0, second_source), at(0, 0, 0x114), 44, &[]);
        s.local(cluster(0, 0), &[0, 0x100], 0x8000, 64, &[low, high]);
        s.0
    };
    check(&mesh4x4(), &cut(20)).unwrap();
    let message = rejection(&cut(28)).to_string();
    assert!(message.contains("bytes 32784..32792"), "{message}");
    assert_says(&message, &["actions[2] reduces from chunks"]);
}

#[test]
fn elements_cut_in_two_by_a_shifted_fold_are_refused() {
    // Bytes 4 to 59 of both inputs are reduced as if elements began at byte 4, then put in their place.
    let group = TileSet::Cube(set(0, 0, 1, 0));
    let c = collective(CollectiveKind::Reduce, group, cluster(0, 0), 64);
    let mut s = Build::new(Some(c));
    let here = cluster(0, 0);
    let all = s.copy(here, at(1, 0, 0), at(0, 0, 0x400), 64, &[]);
    let right = s.local(here, &[0, 0x400], 0x8000, 64, &[all]);
    let own = s.copy(here, at(0, 0, 4), at(0, 0, 0x100), 56, &[]);
    let other = s.copy(here, at(1, 0, 4), at(0, 0, 0x200), 56, &[]);
    let shifted = s.local(here, &[0x100, 0x200], 0x300, 56, &[own, other]);
    s.copy(
        here,
        at(0, 0, 0x300),
        at(0, 0, 0x8004),
        56,
        &[right, shifted],
    );
    let message = rejection(&s.0).to_string();
    assert!(message.contains("bytes 32772..32828"), "{message}");
    assert_says(&message, &["cuts elements of fp64 in two"]);
}

#[test]
fn all_reduce_misses_a_member_that_got_nothing() {
    let c = collective(CollectiveKind::AllReduce, row(), cluster(0, 0), 64);
    let mut s = Build::new(Some(c));
    let up = s.reduction(set(0, 0, 3, 0), 0, at(0, 0, 0x8000), 64, &[]);
    s.multicast(at(0, 0, 0x8000), set(0, 0, 1, 0), 0x8000, 64, &[up]);
    assert_says(rejection(&s.0), &["cluster (2,0) (rank 2)"]);
}

#[test]
fn a_barrier_that_leaves_somebody_out_names_both() {
    let c = collective(CollectiveKind::Barrier, row(), cluster(0, 0), 0);
    let mut s = Build::new(Some(c));
    s.barrier(TileSet::Cube(set(0, 0, 1, 0)), &[]);
    s.barrier(TileSet::Cube(set(2, 0, 1, 0)), &[]);
    assert_eq!(
        rejection(&s.0).to_string(),
        "collective: rank 2 (cluster (2,0)) can finish before rank 0 (cluster (0,0)) has started; accepted: \
         a barrier in which both take part"
    );
    // Two rounds of pairs are a barrier of four.
    s.barrier(TileSet::Cube(set(0, 0, 2, 0)), &[0, 1]);
    s.barrier(TileSet::Cube(set(1, 0, 2, 0)), &[0, 1]);
    check(&mesh4x4(), &s.0).unwrap();
}
