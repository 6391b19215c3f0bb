// SPDX-License-Identifier: Apache-2.0
//! A run that cannot finish ends with who waits for whom, where, since when.

use crate::common::hand_written::schedule_of;
use crate::common::{cluster, cube, network, network_with, run_alone, stalled, stalling};
use noccl_net::TileSet;
use noccl_net::deadlock::{Flow, Place, Wait, check};
use noccl_run::{Diagnosis, Mode, RunConfig, WaitEdge};
use noccl_spec::Plane;
use noccl_testkit::schedules::after;
use noccl_testkit::traces::{
    barrier as port_barrier, entry, together, trace, wide_multicast, wide_reduction, wide_write,
};
use noccl_testkit::{actions, assert_says};
use noccl_workload::{Action, BarrierMechanism, PortKind, PortTransaction};

fn stall(
    preset: &str,
    overrides: &[(&str, &str)],
    transactions: Vec<PortTransaction>,
) -> Diagnosis {
    let net = network_with(preset, overrides);
    let (trace, config) = (trace(transactions), RunConfig::new(Mode::Value));
    stalled(noccl_sim::run_trace(&net, &trace, &config, &mut |_| true))
}

/// The waits are linked: each awaited one is the next waiter. Returns whether they close a cycle.
fn is_cycle(diagnosis: &Diagnosis) -> bool {
    let waits = &diagnosis.waits;
    assert!(!waits.is_empty(), "{diagnosis}");
    for (wait, next) in waits.iter().zip(&waits[1..]) {
        assert_eq!(wait.awaited, next.waiter, "{diagnosis}");
    }
    for wait in waits {
        assert!(
            wait.since_cycle <= diagnosis.last_progress_cycle,
            "{diagnosis}"
        );
        assert!(!wait.place.is_empty(), "{diagnosis}");
    }
    waits[0].waiter == waits[waits.len() - 1].awaited
}

fn barrier(x: u16, y: u16) -> PortKind {
    port_barrier(cube(0, 0, 3, 0), cluster(x, y))
}

#[test]
fn published_router_names_the_links_that_two_packets_hold_and_since_when() {
    let to = cube(0, 0, 3, 0);
    let (a, b) = (cluster(1, 0), cluster(2, 0));
    let multicast = |from, start| entry(vec![Some(start)], wide_multicast(from, to, 64));
    for start in [0, 40] {
        let two = vec![multicast(a, start), multicast(b, start)];
        let diagnosis = stall("collective_noc_4x4_published", &[], two);
        assert!(is_cycle(&diagnosis));
        assert_eq!(
            diagnosis.summary,
            "deadlock in the network: multicast #0 from cluster (1,0) and multicast #1 from \
             cluster (2,0) wait for each other"
        );
        let held: Vec<_> = diagnosis
            .waits
            .iter()
            .filter(|w| w.place.contains("holds"))
            .collect();
        assert_eq!(held.len(), 2, "{diagnosis}");
        // AW passes the router of its initiator in the cycle after its start, and stands at the
        // neighbour's input two cycles later.
        for wait in held {
            assert!(wait.place.contains("link wide cluster ("), "{diagnosis}");
            assert_eq!(wait.since_cycle, start + 3, "{diagnosis}");
        }
    }
}

#[test]
fn deadlock_of_two_multicasts_is_the_cycle_that_the_static_check_names() {
    let preset = "collective_noc_4x4_published";
    let net = network(preset);
    let (row, all) = (cube(0, 0, 3, 0), cube(0, 0, 3, 3));
    for (a, b, to) in [
        (cluster(0, 0), cluster(3, 0), row),
        (cluster(1, 0), cluster(2, 0), row),
        (cluster(0, 0), cluster(3, 3), all),
        (cluster(0, 1), cluster(2, 2), all),
    ] {
        let flow = |from| {
            let from = net.find(from).expect("on the mesh");
            Flow::Multicast { from, set: to }
        };
        let cycle = check(net.as_axi().unwrap(), &[flow(a), flow(b)])
            .expect_err("the check must reject them");
        let multicast = |from| together(wide_multicast(from, to, 64), 1);
        let diagnosis = stall(preset, &[], vec![multicast(a), multicast(b)]);
        assert!(is_cycle(&diagnosis));
        // The same transactions: both, and no other.
        let mut flows: Vec<_> = cycle.waits.iter().map(|w| w.flow).collect();
        flows.sort();
        flows.dedup();
        assert_eq!(flows, [Some(0), Some(1)], "{cycle}");
        for (i, from) in [a, b].into_iter().enumerate() {
            let name = format!("multicast #{i} from {from}");
            assert!(diagnosis.summary.contains(&name), "{diagnosis}");
        }
        // The same kind of resources: outputs of the wide plane, held by the other packet.
        let on_wide_outputs =
            |w: &Wait| matches!(w.waits_for, Place::Link(link) if link.plane == Plane::Wide);
        assert!(cycle.waits.iter().all(on_wide_outputs), "{cycle}");
        let held = diagnosis
            .waits
            .iter()
            .filter(|w| w.place.contains("which multicast #"));
        let mut held: Vec<_> = held.map(|w| &w.place).collect();
        held.dedup();
        assert_eq!(held.len(), 2, "{diagnosis}");
        assert!(held.iter().all(|p| p.contains(" wide ")), "{diagnosis}");
    }
}

#[test]
fn published_router_names_barriers_that_wait_for_each_others_contributions() {
    // Even members come to #0 first, odd members to #1.
    let starts = |first: u64| (0..4).map(|m| Some((m + first) % 2 * 9)).collect();
    let two = vec![
        entry(starts(0), barrier(0, 0)),
        entry(starts(1), barrier(0, 0)),
    ];
    let diagnosis = stall("collective_noc_4x4_published", &[], two);
    assert!(is_cycle(&diagnosis));
    let names = ["barrier #0 at cluster (0,0)", "barrier #1 at cluster (0,0)"];
    assert_says(&diagnosis.summary, &names);
    assert_says(&diagnosis, &["where another contribution is due"]);
}

fn row_reduction(beats: u32) -> PortKind {
    wide_reduction(cube(0, 0, 3, 0), cluster(0, 0), beats)
}

#[test]
fn members_that_never_contribute_are_named_by_both_routers() {
    let starts = || vec![Some(0), None, Some(0), None];
    for preset in ["collective_noc_4x4", "collective_noc_4x4_published"] {
        for (kind, name) in [
            (barrier(0, 0), "barrier #0 at cluster (0,0)"),
            (row_reduction(4), "reduction #0 to cluster (0,0)"),
        ] {
            let diagnosis = stall(preset, &[], vec![entry(starts(), kind)]);
            assert!(!is_cycle(&diagnosis));
            assert_eq!(
                diagnosis.summary,
                format!(
                    "{name} cannot finish: cluster (1,0) has not contributed, cluster (3,0) has \
                     not contributed"
                ),
                "{preset}: {diagnosis}"
            );
        }
    }
}

/// The root waits for the sum of cluster (2,0), and that one for cluster (3,0), which is not there.
#[test]
fn operands_in_pairs_name_the_sums_that_they_wait_for() {
    let starts = vec![Some(0), Some(0), Some(0), None];
    let reduction = entry(starts, row_reduction(1));
    let diagnosis = stall("collective_noc_4x4_bypass", &[], vec![reduction]);
    let [root, second] = &diagnosis.waits[..] else {
        panic!("two waits: {diagnosis}")
    };
    assert!(root.awaited.ends_with("cluster (2,0)"), "{diagnosis}");
    assert_eq!(second.waiter, root.awaited, "{diagnosis}");
    assert_eq!(second.place, "the sum of cluster (3,0)", "{diagnosis}");
}

#[test]
fn member_is_named_when_all_that_came_is_counted_at_the_target() {
    // The first barrier holds the only entry of the tables until its last member comes; what has come
    // of the second one goes on to the target's counters.
    let overrides = [("router.merge_table_entries", "1")];
    let first = entry(vec![Some(0), Some(0), Some(500), Some(0)], barrier(0, 0));
    let second = entry(vec![Some(0), Some(0), None, Some(0)], barrier(0, 0));
    let diagnosis = stall("collective_noc_4x4", &overrides, vec![first, second]);
    let expected = "barrier #1 at cluster (0,0) cannot finish: cluster (2,0) has not contributed";
    assert_eq!(diagnosis.summary, expected, "{diagnosis}");
    assert_eq!(diagnosis.waits.len(), 1, "{diagnosis}");
    assert_eq!(diagnosis.waits[0].since_cycle, 0, "{diagnosis}");
}

#[test]
fn collective_that_nobody_starts_is_named() {
    let nobody = vec![entry(vec![None; 4], barrier(1, 0))];
    let diagnosis = stall("collective_noc_4x4", &[], nobody);
    let expected = "barrier #0 at cluster (1,0) cannot finish: no member has contributed";
    assert_eq!(diagnosis.summary, expected);
}

#[test]
fn full_store_is_named_as_the_limit() {
    // One member starts with the first three reductions, the other with the last three: six windows of
    // 16 beats come to a store of 64.
    let overrides = [
        ("router.wide_reduction.window_beats", "16"),
        ("router.wide_reduction.store_beats", "64"),
    ];
    let reduction = |a, b| {
        let kind = wide_reduction(cube(0, 0, 1, 0), cluster(0, 0), 64);
        entry(vec![Some(a), Some(b)], kind)
    };
    let first = [reduction(0, 300), reduction(0, 300), reduction(0, 300)];
    let last = [reduction(300, 0), reduction(300, 0), reduction(300, 0)];
    let reductions = first.into_iter().chain(last).collect();
    let diagnosis = stall("collective_noc_4x4", &overrides, reductions);
    let limit = "limit reached: router.wide_reduction.store_beats = 64 operands are set aside at \
                 cluster (0,0)";
    assert!(diagnosis.summary.starts_with(limit), "{diagnosis}");
    assert!(is_cycle(&diagnosis));
    let is_at_store = |w: &&WaitEdge| w.place == "the store of cluster (0,0)";
    let at_store = diagnosis.waits.iter().find(is_at_store);
    // The FIFOs in front of the store fill up after it.
    let last = diagnosis.last_progress_cycle;
    assert!(
        at_store.is_some_and(|w| w.since_cycle < last),
        "{diagnosis}"
    );
}

#[test]
fn initiator_limit_of_open_reductions_is_named() {
    let overrides = [("ni.max_open_reductions", "2")];
    let (group, root) = (cube(0, 0, 1, 0), cluster(0, 0));
    let kind = || wide_reduction(group, root, 1);
    // The first member issues 0, 1, 2, the second 2, 1, 0: with two open at a time nobody can go on.
    let starts = |a, b| vec![Some(a), Some(b)];
    let three = [starts(0, 30), starts(10, 20), starts(20, 10), starts(30, 0)];
    let entries = three.into_iter().map(|s| entry(s, kind())).collect();
    let diagnosis = stall("collective_noc_4x4", &overrides, entries);
    let limit = "limit reached: ni.max_open_reductions = 2 are open at cluster (";
    assert!(diagnosis.summary.starts_with(limit), "{diagnosis}");
    assert!(is_cycle(&diagnosis));
}

#[test]
fn merging_keeps_incomplete_barriers_away_from_the_counters_of_their_target() {
    let overrides = [("ni.max_open_reductions", "1")];
    let starts = |a, b| vec![Some(a), Some(b), Some(a), Some(b)];
    let two = vec![
        entry(starts(0, 40), barrier(0, 0)),
        entry(starts(40, 0), barrier(0, 0)),
    ];
    let net = network_with("collective_noc_4x4", &overrides);
    let (trace, config) = (trace(two), RunConfig::new(Mode::Value));
    let result = noccl_sim::run_trace(&net, &trace, &config, &mut |_| true);
    // Merging in the routers keeps all but complete barriers away from the target's counters.
    assert!(result.is_ok(), "{result:?}");
}

fn barrier_over_row_0(mechanism: BarrierMechanism, other: u32) -> Action {
    let (group, counter) = (TileSet::Row(0), cluster(0, 0));
    after(actions::barrier(group, counter, mechanism), &[other])
}

fn compute(x: u16, other: u32) -> Action {
    after(actions::compute(cluster(x, 0), 10), &[other])
}

#[test]
fn programs_that_wait_in_opposite_orders_are_named_with_actions_and_tiles() {
    let net = network("collective_noc_4x4");
    for mechanism in [BarrierMechanism::Software, BarrierMechanism::InNetwork] {
        // (0,0) wants #0 before #2, (1,0) wants #2 before #0.
        let actions = vec![
            barrier_over_row_0(mechanism, 3),
            compute(0, 0),
            barrier_over_row_0(mechanism, 1),
            compute(1, 2),
        ];
        let config = RunConfig::new(Mode::Value);
        let diagnosis = stalled(run_alone(&net, &schedule_of(actions), &config));
        assert!(is_cycle(&diagnosis));
        let start = "the programs wait for each other: ";
        assert!(diagnosis.summary.starts_with(start), "{diagnosis}");
        let names = [
            "action #0 (barrier) at cluster (1,0)",
            "action #2 (barrier) at cluster (1,0)",
            "action #3 (compute) at cluster (1,0)",
        ];
        assert_says(&diagnosis, &names);
    }
}

#[test]
fn flits_on_a_long_path_are_no_stall() {
    let net = network("collective_noc_64x64");
    let (group, root) = (cube(0, 0, 63, 0), cluster(0, 0));
    let trace = trace(vec![together(port_barrier(group, root), 64)]);
    // No NI sees a flit for more than 100 cycles.
    let config = RunConfig {
        stall_cycles: 20,
        ..RunConfig::new(Mode::Timing)
    };
    let result = noccl_sim::run_trace(&net, &trace, &config, &mut |_| true).unwrap();
    assert_eq!(result.cycles, 5 + 4 * 63);
}

#[test]
fn what_starts_long_after_everything_else_and_is_held_up_does_not_stall() {
    let write = wide_write(cluster(0, 0), cluster(1, 0), 1);
    for preset in ["collective_noc_2x2", "collective_noc_2x2_published"] {
        let net = network(preset);
        for stall_seed in 0..20 {
            let config = RunConfig {
                stall_seed,
                stalls: Some(stalling(128, 128)),
                ..RunConfig::new(Mode::Value)
            };
            let late = 10 * config.stall_cycles;
            let trace = trace(vec![
                entry(vec![Some(0)], write.clone()),
                entry(vec![Some(late)], write.clone()),
            ]);
            let result = noccl_sim::run_trace(&net, &trace, &config, &mut |_| true);
            assert!(result.is_ok(), "{preset}, stalls {stall_seed}: {result:?}");
        }
    }
}
