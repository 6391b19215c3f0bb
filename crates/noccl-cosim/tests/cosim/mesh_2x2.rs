// SPDX-License-Identifier: Apache-2.0
//! The mesh of 2×2 clusters is the simulator's, handshake by handshake.
//!
//! In hardware that has wide reductions too, which nothing here uses: so one library serves `reductions_2x2` as well. Without
//! that hardware it is `mesh_4x4`, and `mesh_mutants`.

use crate::common::cases::{Cases, matches_the_simulator};
use crate::common::{Tamper, library, network, records, whole_or_tiles};
use noccl_cosim::lockstep::{Follow, Lockstep, LockstepError};
use noccl_run::{CycleRecord, FlitPlace, RecordedKind};

const PRESET: &str = "collective_noc_2x2";

fn name() -> &'static str {
    whole_or_tiles("2x2-reducing", "2x2-reducing-tiles")
}

matches_the_simulator!(Cases::new(name(), network(PRESET)); unicasts(0..6), multicasts_and_barriers(0..6), overlapping_transactions(0..12), congested_traces(0..100));

/// The first difference between the mesh and records that somebody has changed.
fn found(tamper: Tamper) -> LockstepError {
    let network = network(PRESET);
    let mut records = records(&network, &crate::common::UNICAST, 64, 1);
    let at = records.len() / 2;
    tamper(&mut records, at);
    crate::common::follow(name(), &network, &records).expect_err("the change is noticed")
}

fn place(error: &LockstepError) -> &'static str {
    match error {
        LockstepError::Divergence(divergence) => divergence.at,
        LockstepError::Library { .. }
        | LockstepError::Unsupported { .. }
        | LockstepError::Messages(_)
        | LockstepError::Ports(_)
        | LockstepError::Assertion { .. } => panic!("{error}"),
    }
}

/// The first handshake of a kind of place, from a record on.
fn first(records: &mut [CycleRecord], at: usize, is_it: fn(FlitPlace) -> bool) -> (usize, usize) {
    let here = |record: &CycleRecord| record.handshakes.iter().position(|h| is_it(h.place));
    let mut found = (at..records.len()).filter_map(|i| Some((i, here(&records[i])?)));
    found.next().unwrap()
}

#[test]
fn a_wrong_bit_is_noticed_where_it_stands() {
    let error = found(|records, at| {
        let (i, h) = first(records, at, |p| matches!(p, FlitPlace::Crosses(_)));
        records[i].handshakes[h].flit.tag ^= 1;
    });
    assert!(place(&error).starts_with("link"), "{error}");
}

#[test]
fn a_missing_crossing_is_noticed() {
    let error = found(|records, at| {
        let (i, h) = first(records, at, |p| matches!(p, FlitPlace::Crosses(_)));
        records[i].handshakes.remove(h);
    });
    assert!(place(&error).starts_with("link"), "{error}");
}

#[test]
fn a_missing_delivery_is_noticed() {
    let error = found(|records, at| {
        let (i, h) = first(records, at, |p| p == FlitPlace::Leaves);
        records[i].handshakes.remove(h);
    });
    assert_eq!(place(&error), "Local output");
}

#[test]
fn an_entry_that_the_mesh_refuses_is_noticed() {
    let network = network(PRESET);
    let records = records(&network, &crate::common::UNICAST, 64, 1);
    let entering = |r: &CycleRecord| r.handshakes.iter().any(|h| h.place == FlitPlace::Enters);
    let first = records.iter().find(|r| entering(r)).unwrap();
    let mut entry = first.clone();
    entry.handshakes.retain(|h| h.place == FlitPlace::Enters);
    let mut mesh = Lockstep::open(&library(name()), &network).unwrap();
    // Nobody takes anything: the path fills up, and what the record says would have to pause.
    let error = (0..).find_map(|cycle| {
        entry.cycle = cycle;
        mesh.follow(&entry).err()
    });
    assert!(error.is_some());
}

#[test]
fn a_flit_that_comes_a_cycle_late_is_noticed() {
    let error = found(|records, at| {
        for record in &mut records[at..] {
            record.cycle += 1;
        }
    });
    assert!(!place(&error).is_empty());
}

#[test]
fn a_library_of_another_network_is_refused() {
    let network = network("collective_noc_4x4");
    let error = Lockstep::open(&library(name()), &network).err().unwrap();
    assert!(error.to_string().contains("MESH_WIDTH is 3"), "{error}");
}

#[test]
fn an_all_reduce_in_one_transaction_is_refused_by_name() {
    let error = found(|records, at| {
        let (i, h) = first(records, at, |p| matches!(p, FlitPlace::Crosses(_)));
        records[i].handshakes[h].flit.kind = RecordedKind::Result;
    });
    assert!(matches!(error, LockstepError::Unsupported { .. }));
    assert!(error.to_string().contains("in_network_once"), "{error}");
}
