// SPDX-License-Identifier: Apache-2.0
//! Network interfaces and mesh of 2×2 clusters are the simulator's, at the AXI ports: `make cosim-endpoints`.

use crate::common::endpoints::{Hardware, busy, held, records};
use crate::common::faults;
use crate::common::{cluster, network_of, reductions_of_2x2, set, whole_or_tiles};
use noccl_cosim::lockstep::LockstepError;
use noccl_run::CycleRecord;
use noccl_studies::StressKind;
use noccl_testkit::is_long;
use noccl_testkit::traces::{entry, trace, wide_multicast, wide_read};
use std::sync::LazyLock;

static MESH: LazyLock<Hardware> = LazyLock::new(|| Hardware {
    library: whole_or_tiles("2x2-endpoints", "2x2-endpoints-tiles"),
});

#[test]
fn writes_match_the_simulator() {
    MESH.agree(&[StressKind::Write], 0..6);
}

#[test]
fn reads_match_the_simulator() {
    MESH.agree(&[StressKind::Read], 0..6);
}

#[test]
fn writes_and_reads_match_the_simulator() {
    MESH.agree(&[StressKind::Write, StressKind::Read], 0..6);
}

#[test]
fn atomics_and_barriers_match_the_simulator() {
    MESH.agree(&[StressKind::Atomic, StressKind::Barrier], 0..6);
}

#[test]
fn multicasts_match_the_simulator() {
    MESH.agree(&[StressKind::Multicast], 0..6);
}

#[test]
fn overlapping_transactions_match_the_simulator() {
    MESH.agree(&crate::common::ALL, 0..12);
}

#[test]
fn reductions_match_the_simulator() {
    for one in reductions_of_2x2() {
        MESH.agree_on(vec![one]);
    }
}

#[test]
fn random_reductions_match_the_simulator() {
    MESH.agree(&[StressKind::Reduction], 0..6);
    MESH.agree(&crate::common::REDUCING, 0..6);
}

#[test]
fn everything_at_once_matches_the_simulator() {
    MESH.agree(&StressKind::ALL, 0..24);
}

#[test]
fn busy_memories_and_managers_hold_up_both_alike() {
    MESH.agree_under(busy, &crate::common::ALL, 0..8);
    MESH.agree_under(busy, &StressKind::ALL, 0..12);
}

#[test]
fn members_that_disagree_are_found_out_in_the_same_cycle() {
    for trace in faults::disagreements() {
        let responses = MESH.follows(&trace);
        let responses = responses.unwrap_or_else(|error| panic!("{trace:?}: {error}"));
        assert_eq!(responses, [2, 0], "{trace:?}");
    }
    let responses = MESH.follows(&faults::two_parties());
    assert_eq!(responses.unwrap_or_else(|error| panic!("{error}")), [2]);
}

#[test]
fn a_barrier_whose_name_is_in_use_is_refused_alike() {
    let responses = MESH.follows(&faults::name_in_use());
    assert_eq!(responses.unwrap_or_else(|error| panic!("{error}")), [0, 2]);
    let trace = faults::name_in_use_behind_a_full_table(&network_of(MESH.library));
    let responses = MESH.follows(&trace);
    let responses = responses.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(responses.last(), Some(&2), "{responses:?}");
    assert_eq!(responses.iter().filter(|r| **r != 0).count(), 1);
}

/// In the first of these traces an own copy takes the last place while the router takes nothing: a read that was offered in that cycle
/// stays offered.
#[test]
fn congested_narrow_ports_match_the_simulator() {
    let more = 0..if is_long() { 1000 } else { 8 };
    MESH.congested_narrow_traces([84, 87, 237, 295, 525].into_iter().chain(more));
}

#[test]
fn congested_interfaces_match_the_simulator() {
    MESH.congested_traces(0..if is_long() { 400 } else { 6 });
}

/// A read of a tile's memory in the cycle in which its multicast writes the same line there: the old bytes.
#[test]
fn a_read_in_the_cycle_of_an_own_copy_matches_the_simulator() {
    let own = cluster(0, 1);
    let transactions = vec![
        entry(vec![Some(3)], wide_multicast(own, set((0, 0), (1, 1)), 53)),
        entry(vec![Some(0)], wide_read(own, own, 1)),
    ];
    let responses = MESH.follows(&trace(transactions));
    responses.unwrap_or_else(|error| panic!("{error}"));
}

/// The first difference between the hardware and records that somebody has changed.
fn found(tamper: fn(&mut CycleRecord) -> bool) -> LockstepError {
    let network = network_of(MESH.library);
    let (mut records, config) = records(&network, (&StressKind::ALL, 32), (1, held(1)));
    let early = records.len() / 8;
    let has_changed = records[early..].iter_mut().any(tamper);
    assert!(has_changed, "nothing to change");
    let comparison = MESH.follow(&network, &(records, config));
    comparison.expect_err("the change is noticed")
}

fn place(error: &LockstepError) -> &'static str {
    let LockstepError::Divergence(divergence) = error else {
        panic!("{error}");
    };
    divergence.at
}

#[test]
fn ports_that_are_busy_in_the_run_only_are_noticed() {
    let network = network_of(MESH.library);
    let (records, _) = records(&network, (&StressKind::ALL, 32), (1, busy(1)));
    let comparison = MESH.follow(&network, &(records, held(0)));
    let error = comparison.expect_err("other stalls are noticed");
    assert!(place(&error).contains("Local output"), "{error}");
}

#[test]
fn a_missing_response_is_noticed_at_its_port() {
    let error = found(|record| record.completions.pop().is_some());
    assert!(place(&error).contains("port, "), "{error}");
}

#[test]
fn another_response_is_noticed_at_its_port() {
    let error = found(|record| {
        let first = record.completions.first_mut();
        first.map(|completion| completion.resp = 2).is_some()
    });
    assert!(place(&error).contains("port, "), "{error}");
}

#[test]
fn a_byte_that_a_manager_changes_is_noticed_when_its_beat_leaves() {
    let error = found(|record| {
        let mut writes = record
            .commands
            .iter_mut()
            .filter_map(|c| c.data.first_mut());
        writes.next().map(|beat| beat[0] ^= 1).is_some()
    });
    assert_eq!(place(&error), "Local input", "{error}");
}

#[test]
fn a_command_of_another_tile_is_noticed() {
    let error = found(|record| {
        let first = record.commands.first_mut();
        first.map(|c| c.tile.0 = (c.tile.0 + 1) % 6).is_some()
    });
    assert!(!place(&error).is_empty());
}
