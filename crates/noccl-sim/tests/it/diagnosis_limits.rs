// SPDX-License-Identifier: Apache-2.0
//! Whoever waits for a stated limit is told which field of the spec it is, its value, and who has how much of it.

use crate::common::{cluster, cube, network_with, run_alone, stalled};
use noccl_net::{MultiAddress, Network, TileRef};
use noccl_run::{Diagnosis, Mode, RunConfig, RunError};
use noccl_testkit::actions::copy;
use noccl_testkit::at;
use noccl_testkit::schedules::at_once;
use noccl_testkit::traces::{
    barrier as port_barrier, entry, together, trace, wide_read, wide_reduction, wide_write,
};
use noccl_workload::{Destination, PortKind, PortTransaction};

fn config(max_cycles: u64) -> RunConfig {
    RunConfig {
        max_cycles,
        ..RunConfig::new(Mode::Timing)
    }
}

/// The diagnosis of a trace that stalls, or is given up after so many cycles.
fn diagnosis(net: &Network, kinds: Vec<PortTransaction>, max_cycles: u64) -> Option<Diagnosis> {
    let trace = trace(kinds);
    match noccl_sim::run_trace(net, &trace, &config(max_cycles), &mut |_| true) {
        Err(RunError::Stall(diagnosis)) => Some(*diagnosis),
        Ok(_) => None,
        Err(other) => panic!("{other}"),
    }
}

fn assert_names(diagnosis: &Diagnosis, limit: &str, holders: &str) {
    let text = diagnosis.to_string();
    assert!(!text.contains("nobody"), "{text}");
    assert!(diagnosis.summary.contains("limit reached: "), "{text}");
    assert!(diagnosis.summary.contains(limit), "{text}");
    assert!(diagnosis.summary.contains(holders), "{text}");
}

/// `count` of these for two clusters, the second one beginning with the last of them.
fn opposite(count: u64, kind: impl Fn(MultiAddress, u16) -> PortKind) -> Vec<PortTransaction> {
    let one = |i: u64| {
        let starts = vec![Some(i * 9), Some((count - 1 - i) * 9)];
        entry(starts, kind(cube(0, 0, 1, 0), i as u16))
    };
    (0..count).map(one).collect()
}

fn reduction(group: MultiAddress, _: u16) -> PortKind {
    wide_reduction(group, cluster(0, 0), 1)
}

#[test]
fn interfaces_name_the_limit_of_open_reductions_and_of_wide_transactions() {
    let net = network_with("collective_noc_4x4", &[("ni.max_open_reductions", "4")]);
    let stall = diagnosis(&net, opposite(9, reduction), u64::MAX).expect("stalls");
    let limit = "ni.max_open_reductions = 4 are open at cluster (";
    assert_names(&stall, limit, " to cluster (0,0) has 1, reduction #");

    let few = [
        ("ni.max_open_reductions", "1"),
        ("ni.max_wide_outstanding", "2"),
    ];
    let net = network_with("collective_noc_4x4", &few);
    let write = |_| together(wide_write(cluster(0, 0), cluster(3, 3), 1), 1);
    let given_up = diagnosis(&net, (0..9).map(write).collect(), 12).expect("is given up");
    let limit = "ni.max_wide_outstanding = 2 are open at cluster (0,0) (";
    let holders = "write #0 from cluster (0,0) has 1, write #1";
    assert_names(&given_up, limit, holders);
}

#[test]
fn interfaces_name_the_limit_of_narrow_transactions() {
    let net = network_with("collective_noc_4x4", &[("ni.max_narrow_outstanding", "4")]);
    let barrier = |group, i: u16| port_barrier(group, cluster(i % 4, i / 4));
    let diagnosis = diagnosis(&net, opposite(9, barrier), u64::MAX).expect("stalls");
    let limit = "ni.max_narrow_outstanding = 4 are open at cluster (";
    assert_names(&diagnosis, limit, "has 1, barrier #");
}

#[test]
fn a_full_store_names_the_reductions_that_have_its_slots() {
    let small = [
        ("router.wide_reduction.window_beats", "16"),
        ("router.wide_reduction.store_beats", "128"),
    ];
    let net = network_with("collective_noc_4x4", &small);
    let long = |group, _| wide_reduction(group, cluster(0, 0), 64);
    let diagnosis = diagnosis(&net, opposite(6, long), u64::MAX).expect("stalls");
    let limit = "router.wide_reduction.store_beats = 128 operands are set aside at cluster (0,0) (";
    assert_names(&diagnosis, limit, " to cluster (0,0) has 1, reduction #");
}

#[test]
fn a_memory_names_its_limit_and_a_window_its_beats_while_a_run_goes_on() {
    let net = network_with("collective_noc_4x4", &[("memory.max_outstanding", "1")]);
    let read = |i: u16| together(wide_read(cluster(i % 4, i / 4), TileRef::Memory(0), 64), 1);
    let reads = || (0..16).map(read).collect();
    let given_up = diagnosis(&net, reads(), 60).expect("is given up");
    let start = "the limit of 60 cycles is reached; ";
    assert!(given_up.summary.starts_with(start), "{given_up}");
    let limit = "memory.max_outstanding = 1 are open at mem:0";
    assert_names(&given_up, limit, "read #");

    // In the middle four inputs meet: beats come faster than they are combined.
    let group = cube(0, 0, 3, 3);
    let reduce = || vec![together(wide_reduction(group, cluster(1, 1), 64), 16)];
    let limit = "router.wide_reduction.window_beats = 20 beats are in flight at cluster (";
    let mut num_named = 0;
    for cycles in 60..120 {
        let given_up = diagnosis(&net, reduce(), cycles).expect("is given up");
        assert!(!given_up.to_string().contains("nobody"), "{given_up}");
        num_named += u32::from(given_up.summary.contains(limit));
    }
    assert!(num_named > 0);
}

#[test]
fn a_dma_engine_names_its_limit_of_transfers_and_those_in_work() {
    let net = network_with("collective_noc_4x4", &[("cluster.dma.max_transfers", "1")]);
    let transfer = |offset: u64, bytes: u64| {
        let to = Destination::One(at(1, 0, offset));
        copy(cluster(0, 0), at(0, 0, offset), to, bytes)
    };
    let schedule = at_once([transfer(0, 0x8000), transfer(0x8000, 0x8000)]);
    let given_up = stalled(run_alone(&net, &schedule, &config(200)));
    let limit = "cluster.dma.max_transfers = 1 are in work at cluster (0,0) (";
    let holder = "action #0 (transfer) at cluster (0,0) has 1";
    assert_names(&given_up, limit, holder);
}
