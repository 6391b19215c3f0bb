// SPDX-License-Identifier: Apache-2.0
//! What a delivery tells its destinations and its initiator: `docs/order.md`.

use crate::common::*;
use noccl_net::{TileRef, TileSet};
use noccl_testkit::actions::to_set;
use noccl_workload::{
    ActionKind, CheckError, CollectiveKind, Destination, Place, Schedule, Transfer, check,
};

fn deliver(
    s: &mut Build,
    initiator: TileRef,
    source: Place,
    to: Destination,
    after: &[u32],
) -> u32 {
    let transfer = Transfer::row(initiator, source, to, 64);
    s.add(ActionKind::Delivery(transfer), after)
}

/// From a tile of the south row to another one.
fn send(s: &mut Build, (from, x): (u16, u64), (to, y): (u16, u64), after: &[u32]) -> u32 {
    let one = Destination::One(at(to, 0, y));
    deliver(s, cluster(from, 0), at(from, 0, x), one, after)
}

/// The only thing that is wrong.
macro_rules! race {
    ($s:expr) => {
        match check(&mesh4x4(), $s) {
            Err(CheckError::Race(race)) => *race,
            other => panic!("{other:?}"),
        }
    };
}

fn assert_accepted(s: &Build) {
    if let Err(error) = check(&mesh4x4(), &s.0) {
        panic!("{error}");
    }
}

#[test]
fn a_destination_may_have_the_range_overwritten_that_its_bytes_were_read_from() {
    let mut s = Build::new(None);
    let sent = send(&mut s, (0, 0), (1, 0), &[]);
    send(&mut s, (1, 64), (0, 0), &[sent]);
    assert_accepted(&s);
    // Without `after` the second one may come before the first has read.
    s.0.actions[1].after.clear();
    let race = race!(&s.0);
    assert_eq!(race.first, "actions[0] (delivery)");
    assert_eq!(race.second, "actions[1] (delivery)");
    assert_eq!((race.first_access, race.second_access), ("reads", "writes"));
    assert_eq!((race.start, race.end), (0, 64));
}

#[test]
fn what_is_known_of_a_read_goes_on_over_further_deliveries_and_barriers() {
    let mut s = Build::new(None);
    let first = send(&mut s, (0, 0), (1, 0), &[]);
    let second = send(&mut s, (1, 64), (2, 0), &[first]);
    send(&mut s, (2, 64), (0, 0), &[second]);
    assert_accepted(&s);
    let mut s = Build::new(None);
    let first = send(&mut s, (0, 0), (1, 0), &[]);
    // The tiles 1 and 3 meet.
    let met = s.barrier(TileSet::Cube(set(1, 0, 2, 0)), &[first]);
    send(&mut s, (3, 64), (0, 0), &[met]);
    assert_accepted(&s);
}

#[test]
fn one_copy_of_a_multicast_tells_that_all_bytes_were_read_and_nothing_of_the_other_copies() {
    let row = to_set(set(0, 0, 3, 0), 256);
    let mut s = Build::new(None);
    let sent = deliver(&mut s, cluster(0, 0), at(0, 0, 0), row, &[]);
    send(&mut s, (2, 64), (0, 0), &[sent]);
    assert_accepted(&s);
    send(&mut s, (2, 64), (3, 256), &[sent]);
    let race = race!(&s.0);
    assert_eq!(
        (race.first_access, race.second_access),
        ("writes", "writes")
    );
    assert_eq!(race.tile, "cluster (3,0)");
}

#[test]
fn bytes_and_rows_that_another_engine_pulls_have_been_read_too() {
    let mut s = Build::new(None);
    let one = Destination::One(at(2, 0, 0));
    let pulled = deliver(&mut s, cluster(1, 0), at(0, 0, 0), one, &[]);
    if let ActionKind::Delivery(transfer) = &mut s.0.actions[0].kind {
        (transfer.rows, transfer.source_stride) = (4, 128);
        transfer.destination_stride = 64;
    }
    for row in 0..4 {
        send(&mut s, (2, 1024), (0, 128 * row), &[pulled]);
    }
    assert_accepted(&s);
    s.0.actions[3].after.clear();
    let race = race!(&s.0);
    assert_eq!((race.start, race.end), (256, 320));
}

#[test]
fn an_initiator_without_a_copy_of_its_own_waits_for_all_copies() {
    let two = |offset| to_set(set(2, 0, 1, 0), offset);
    let mut s = Build::new(None);
    let first = deliver(&mut s, cluster(0, 0), at(0, 0, 0), two(0), &[]);
    let second = deliver(&mut s, cluster(0, 0), at(0, 0, 64), two(0), &[first]);
    assert_accepted(&s);
    s.0.actions[second as usize].after.clear();
    assert_eq!(race!(&s.0).tile, "cluster (2,0)");
    // One that has a copy knows of that one only.
    let row = |offset| to_set(set(0, 0, 3, 0), offset);
    let mut s = Build::new(None);
    let first = deliver(&mut s, cluster(0, 0), at(0, 0, 0), row(256), &[]);
    deliver(&mut s, cluster(0, 0), at(0, 0, 64), row(256), &[first]);
    assert_eq!(race!(&s.0).tile, "cluster (1,0)");
}

#[test]
fn a_core_may_add_into_what_a_delivery_has_read_behind_the_response() {
    let mut s = Build::new(None);
    let sent = send(&mut s, (0, 0), (1, 256), &[]);
    let added = s.local(cluster(1, 0), &[0, 256], 0, 64, &[sent]);
    let response = send(&mut s, (1, 0), (0, 256), &[added]);
    s.local(cluster(0, 0), &[0, 256], 0, 64, &[response]);
    assert_accepted(&s);
    s.0.actions[3].after.clear();
    assert_eq!(race!(&s.0).second, "actions[3] (local_reduce)");
}

/// All-reduce of a row by deliveries along a ring, each tile in its own range of 256 bytes: partial sums go once around, then sums do.
///
/// Incoming partial sums lie behind it, 64 bytes for each of three steps.
fn ring_in_place() -> Schedule {
    let mut c = collective(CollectiveKind::AllReduce, row(), cluster(0, 0), 256);
    c.output_offset = c.input_offset;
    let mut s = Build::new(Some(c));
    let block = |rank: u16, step: u16| u64::from((rank + 8 - step) % 4) * 64;
    // What each tile does next follows what it has done last.
    let mut last: Vec<Vec<u32>> = vec![Vec::new(); 4];
    for step in 0..3 {
        let place = 256 + 64 * u64::from(step);
        let mut come = Vec::new();
        for rank in 0..4 {
            let next = (rank + 1) % 4;
            let after = &last[usize::from(rank)];
            come.push(send(
                &mut s,
                (rank, block(rank, step)),
                (next, place),
                after,
            ));
        }
        for rank in 0..4 {
            let own = block(rank, step + 1);
            let sent = come[usize::from((rank + 3) % 4)];
            let added = s.local(cluster(rank, 0), &[own, place], own, 64, &[sent]);
            last[usize::from(rank)] = vec![added];
        }
    }
    for step in 3..6 {
        let mut come = Vec::new();
        for rank in 0..4 {
            let own = block(rank, step);
            let after = &last[usize::from(rank)];
            let next = (rank + 1) % 4;
            come.push(send(&mut s, (rank, own), (next, own), after));
        }
        for rank in 0..4_u16 {
            last[usize::from(rank)] = vec![come[usize::from((rank + 3) % 4)]];
        }
    }
    s.0
}

#[test]
fn a_ring_adds_in_place_without_waiting_for_responses() {
    let ring = ring_in_place();
    check(&mesh4x4(), &ring).unwrap();
    // No tile waits for the end of a delivery of its own.
    for action in &ring.actions {
        let ActionKind::Delivery(own) = &action.kind else {
            continue;
        };
        let is_own = |earlier: &&noccl_workload::ActionId| {
            let kind = &ring.actions[earlier.0 as usize].kind;
            matches!(kind, ActionKind::Delivery(t) if t.initiator == own.initiator)
        };
        assert_eq!(action.after.iter().find(is_own), None);
    }
    // Each receive is needed: without it, the block that is passed on races with the one that comes.
    for action in 0..ring.actions.len() {
        let mut torn = ring.clone();
        if !torn.actions[action].after.is_empty() {
            torn.actions[action].after.clear();
            let _ = race!(&torn);
        }
    }
}
