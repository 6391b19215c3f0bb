// SPDX-License-Identifier: Apache-2.0
//! Overlapping reductions and barriers in traces: what keeps the stated limits completes with the right bytes, whatever the
//! order in which each member issues them; what exceeds them is refused by name, and can deadlock.

use crate::common::{cluster, cube, network, network_with, stalling};
use noccl_net::{MultiAddress, Network};
use noccl_run::{Mode, RunConfig, RunError, RunResult, mix};
use noccl_testkit::traces::{barrier, entry, trace, wide_reduction};
use noccl_workload::{CheckError, Overload, PortTransaction, Trace, check_trace_limits};
use proptest::prelude::*;

fn run(net: &Network, trace: &Trace, stall_seed: u64) -> Result<RunResult, RunError> {
    let mut config = RunConfig::new(Mode::Value);
    config.stall_seed = stall_seed;
    let (target, initiator) = ((stall_seed % 3) as u32 * 40, (stall_seed % 5) as u32 * 30);
    config.stalls = (stall_seed != 0).then_some(stalling(target, initiator));
    noccl_sim::run_trace(net, trace, &config, &mut |_| true)
}

/// A reduction that each member starts in a cycle of its own.
fn reduction(
    group: MultiAddress,
    root: (u16, u16),
    beats: u32,
    start: impl Fn(u16, u16) -> u64,
) -> PortTransaction {
    let starts = group.members().map(|m| Some(start(m.x, m.y)));
    let root = cluster(root.0, root.1);
    entry(starts.collect(), wide_reduction(group, root, beats))
}

/// The checker accepts it, and it ends with the right bytes.
fn completes(net: &Network, trace: &Trace) {
    check_trace_limits(net, trace).expect("is accepted");
    let result = run(net, trace, 0).expect("completes");
    assert_eq!(result.wrong_transactions, 0);
}

fn crowd(net: &Network, trace: &Trace) -> Overload {
    match check_trace_limits(net, trace) {
        Err(CheckError::Overload(crowd)) => *crowd,
        other => panic!("should be refused: {other:?}"),
    }
}

/// Eight bursts of the first reduction wait at its root for one member. The second reduction has other members; what it
/// sends to the same root stands in front of that member.
fn two_that_meet_at_a_root(second_beats: u32) -> Trace {
    let (late, root) = ((2, 0), (0, 0));
    let first = reduction(cube(2, 0, 1, 3), root, 1024, |x, y| {
        if (x, y) == late { 3000 } else { 0 }
    });
    let second = reduction(cube(0, 0, 1, 3), root, second_beats, |_, _| 1500);
    trace(vec![first, second])
}

/// Eight reductions of eight bursts that all members issue in one order, one member later than the others.
fn eight_in_one_order() -> Trace {
    let group = cube(2, 0, 1, 3);
    let one = |i: u64| {
        reduction(group, (0, 0), 512, move |x, y| {
            i + if (x, y) == (2, 0) { 3000 } else { 0 }
        })
    };
    trace((0..8).map(one).collect())
}

/// Seven reductions of all clusters, of several bursts each, that every member issues in an order of its own.
fn seven_in_any_order(seed: u64) -> Trace {
    let of = |i: u64, what: u64| mix(seed << 32 | i << 8 | what);
    let one = |i: u64| {
        let root = ((of(i, 1) % 4) as u16, (of(i, 2) % 4) as u16);
        let beats = 100 + (of(i, 3) % 201) as u32;
        reduction(cube(0, 0, 3, 3), root, beats, move |x, y| {
            mix(seed << 40 | i << 16 | u64::from(x) << 8 | u64::from(y)) % 64
        })
    };
    trace((0..7).map(one).collect())
}

#[test]
fn reductions_that_crowd_a_merge_point_are_refused_by_name_and_do_deadlock() {
    let net = network("collective_noc_4x4");
    let refusal = crowd(&net, &two_that_meet_at_a_root(64));
    assert_eq!(
        refusal.to_string(),
        "cluster (0,0): transactions[0] (wide_reduction), transactions[1] (wide_reduction) may be open together and need \
         router.wide_reduction.store_beats of 720 there, the network has 640; accepted: at most 1 of them at a time, the \
         others in a trace of their own, or router.wide_reduction.store_beats of at least 720"
    );
    let mut num_stalled = 0;
    let any_order = (0..4).map(seven_in_any_order);
    for trace in [two_that_meet_at_a_root(64), eight_in_one_order()]
        .into_iter()
        .chain(any_order)
    {
        let refusal = crowd(&net, &trace);
        assert_eq!(refusal.limit, "router.wide_reduction.store_beats");
        match run(&net, &trace, 0) {
            Err(RunError::Stall(diagnosis)) => {
                num_stalled += 1;
                let start = "limit reached: router.wide_reduction.store_beats = 640";
                assert!(diagnosis.summary.starts_with(start), "{diagnosis}");
            }
            other => assert!(other.is_ok(), "{other:?}"),
        }
    }
    assert!(num_stalled >= 4, "{num_stalled} of 6 stall");
}

#[test]
fn a_larger_store_is_accepted_and_completes() {
    let double = [("router.wide_reduction.store_beats", "1280")];
    let net = network_with("collective_noc_4x4", &double);
    // There are slots for nine.
    completes(&net, &two_that_meet_at_a_root(64));
}

#[test]
fn interfaces_in_opposite_orders_are_refused_beyond_what_they_may_have_open() {
    let few = [("ni.max_open_reductions", "4")];
    let net = network_with("collective_noc_4x4", &few);
    let pairs = |count: u64, is_opposite: bool| {
        let last = count - 1;
        let one = |i: u64| {
            reduction(cube(0, 0, 1, 0), (0, 0), 1, move |x, _| {
                if x == 1 && is_opposite { last - i } else { i }
            })
        };
        trace((0..count).map(one).collect())
    };
    for count in [4, 7] {
        completes(&net, &pairs(count, false));
    }
    completes(&net, &pairs(4, true));
    let refusal = crowd(&net, &pairs(7, true));
    assert_eq!(refusal.limit, "ni.max_open_reductions");
    assert_eq!(
        (refusal.needed, refusal.available, refusal.num_accepted),
        (7, 4, 4)
    );
    assert!(run(&net, &pairs(9, true), 0).is_err());
}

#[test]
fn barriers_in_opposite_orders_are_refused_beyond_what_they_may_have_open() {
    let net = network("collective_noc_4x4");
    let barriers = |count: u16, is_opposite: bool| {
        let one = |i: u16| {
            let other = if is_opposite { count - 1 - i } else { i };
            let starts = [i, other].map(|start| Some(start.into()));
            let kind = barrier(cube(0, 0, 1, 0), cluster(i % 4, i / 4));
            entry(starts.to_vec(), kind)
        };
        trace((0..count).map(one).collect())
    };
    completes(&net, &barriers(16, false));
    completes(&net, &barriers(8, true));
    let refusal = crowd(&net, &barriers(16, true));
    assert_eq!(refusal.limit, "ni.max_narrow_outstanding");
    assert!(run(&net, &barriers(16, true), 0).is_err());
}

/// Cycles in which the members of one reduction start it, by hash; all the same order, or each its own.
fn starts(seed: u64, index: u64, is_one_order: bool) -> impl Fn(u16, u16) -> u64 {
    move |x, y| {
        let tile = u64::from(x) << 8 | u64::from(y);
        let late = if mix(seed ^ tile).is_multiple_of(6) {
            700
        } else {
            0
        };
        let place = if is_one_order {
            index * 3
        } else {
            mix(seed << 20 ^ index << 16 ^ tile) % 40
        };
        late + place
    }
}

proptest! {
    #![proptest_config(noccl_testkit::config(24, 96))]

    #[test]
    fn reductions_within_the_limits_complete_in_any_order_of_issue(
        seed in any::<u64>(),
        is_one_order in any::<bool>(),
        shapes in prop::collection::vec(
            (
                prop::sample::select(vec![(3_u16, 3_u16), (3, 0), (0, 3), (1, 3), (1, 1), (2, 0)]),
                (0_u16..4, 0_u16..4),
                (0_u16..4, 0_u16..4),
                prop_oneof![1_u32..65, 65_u32..300],
            ),
            1..8,
        ),
    ) {
        let net = network("collective_noc_4x4");
        let one = |(i, ((mask_x, mask_y), (x, y), root, beats)): (usize, &_)| {
            let (mask_x, mask_y): (u16, u16) = (*mask_x, *mask_y);
            let group = cube(x & !mask_x, y & !mask_y, mask_x, mask_y);
            reduction(group, *root, *beats, starts(seed, i as u64, is_one_order))
        };
        let trace = trace(shapes.iter().enumerate().map(one).collect());
        match check_trace_limits(&net, &trace) {
            Ok(()) => {
                let result = run(&net, &trace, seed % 16);
                prop_assert_eq!(result.map(|r| r.wrong_transactions).map_err(|e| e.to_string()), Ok(0));
            }
            Err(CheckError::Overload(crowd)) => prop_assert!(crowd.needed > crowd.available),
            Err(other) => prop_assert!(false, "{other}"),
        }
    }
}
