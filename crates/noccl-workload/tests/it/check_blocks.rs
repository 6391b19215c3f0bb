// SPDX-License-Identifier: Apache-2.0
//! Collectives of blocks: right schedules are accepted, each block in a wrong place is named.

use crate::common::*;
use noccl_net::TileRef;
use noccl_workload::{
    ActionKind, CheckError, Collective, CollectiveKind, Destination, ElementType, Schedule, check,
};

const BLOCK_BYTES: u64 = 192;
const OUTPUT: u64 = 0x8000;

fn blocks(kind: CollectiveKind) -> Collective {
    collective(kind, row(), cluster(0, 0), BLOCK_BYTES)
}

/// Everybody multicasts its input to its place in all outputs.
fn all_gather() -> Schedule {
    let mut s = Build::new(Some(blocks(CollectiveKind::AllGather)));
    for rank in 0..4u16 {
        let to = OUTPUT + u64::from(rank) * BLOCK_BYTES;
        s.multicast(at(rank, 0, 0), set(0, 0, 3, 0), to, BLOCK_BYTES, &[]);
    }
    s.0
}

/// One reduction per rank.
fn reduce_scatter() -> Schedule {
    let mut s = Build::new(Some(blocks(CollectiveKind::ReduceScatter)));
    for rank in 0..4u16 {
        let from = u64::from(rank) * BLOCK_BYTES;
        s.reduction(set(0, 0, 3, 0), from, at(rank, 0, OUTPUT), BLOCK_BYTES, &[]);
    }
    s.0
}

/// Everybody writes each of its blocks to its rank.
fn all_to_all() -> Schedule {
    let mut s = Build::new(Some(blocks(CollectiveKind::AllToAll)));
    for (from, to) in (0..4u16).flat_map(|f| (0..4u16).map(move |t| (f, t))) {
        let source = at(from, 0, u64::from(to) * BLOCK_BYTES);
        let destination = at(to, 0, OUTPUT + u64::from(from) * BLOCK_BYTES);
        s.copy(cluster(from, 0), source, destination, BLOCK_BYTES, &[]);
    }
    s.0
}

fn all() -> [Schedule; 3] {
    [all_gather(), reduce_scatter(), all_to_all()]
}

fn wrong_output(schedule: &Schedule) -> String {
    match check(&mesh4x4(), schedule) {
        Err(CheckError::Postcondition(wrong)) => wrong.to_string(),
        other => panic!("expected a wrong output, got {other:?}"),
    }
}

#[test]
fn plain_schedules_of_blocks_are_accepted() {
    for schedule in all() {
        let report = check(&mesh4x4(), &schedule);
        report.unwrap_or_else(|e| panic!("{:?}: {e}", schedule.collective));
    }
    let orders = check(&mesh4x4(), &reduce_scatter()).map(|r| r.fold_orders.len());
    assert_eq!(orders, Ok(4), "every rank has its own tree");
}

#[test]
fn every_action_is_needed() {
    for schedule in all() {
        for without in 0..schedule.actions.len() {
            let mut less = schedule.clone();
            less.actions.remove(without);
            wrong_output(&less);
        }
    }
}

#[test]
fn a_block_from_the_wrong_place_is_named() {
    for schedule in all() {
        let mut wrong = schedule.clone();
        let kind = &mut wrong.actions[1].kind;
        if let ActionKind::Transfer(t) = kind {
            t.source.offset += 64;
        } else if let ActionKind::InNetworkReduction(r) = kind {
            r.source_offset += 64;
        }
        assert_ne!(wrong, schedule);
        let message = wrong_output(&wrong);
        assert!(message.contains("rank"), "{message}");
    }
}

#[test]
fn blocks_of_two_ranks_may_not_change_places() {
    let mut s = all_to_all();
    for action in &mut s.actions {
        if let ActionKind::Transfer(t) = &mut action.kind
            && let Destination::One(place) = &mut t.destination
            && place.tile == cluster(3, 0)
        {
            let rank = (place.offset - OUTPUT) / BLOCK_BYTES;
            place.offset = OUTPUT + (rank ^ 1) * BLOCK_BYTES;
        }
    }
    let message = wrong_output(&s);
    assert!(message.contains("rank 3"), "{message}");
}

#[test]
fn inputs_and_outputs_of_blocks_must_fit() {
    for kind in [
        CollectiveKind::AllGather,
        CollectiveKind::ReduceScatter,
        CollectiveKind::AllToAll,
    ] {
        let mut c = blocks(kind);
        // Four blocks from 0x8000 on end behind 128 KiB; one does not.
        (c.bytes, c.input_offset) = (0x6800, 0x8000);
        c.element = ElementType::Int8;
        let message = match check(&mesh4x4(), &Build::new(Some(c)).0) {
            Err(error @ CheckError::DoesNotFit { .. }) => error.to_string(),
            other => panic!("{kind}: {other:?}"),
        };
        assert!(message.contains("131072"), "{message}");
    }
}

#[test]
fn there_is_a_root_that_exists() {
    let mut s = all_gather();
    if let Some(c) = &mut s.collective {
        c.root = TileRef::Memory(9);
    }
    let error = check(&mesh4x4(), &s).expect_err("there are four memory tiles");
    assert!(error.to_string().starts_with("collective.root"), "{error}");
}
