// SPDX-License-Identifier: Apache-2.0
//! What a delivery tells its destinations and its initiator: `docs/order.md`.

use crate::common::*;
use noccl_net::{TileRef, TileSet};
use noccl_testkit::actions::to_set;
use noccl_workload::{
    ActionKind, Arrival, CheckError, CollectiveKind, Destination, ElementType, FoldRows, Kernel,
    Multiply, Operation, Operator, Place, RowWise, Schedule, Transfer, check,
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

// Deliveries, arrivals and kernels: who knows what is over, and who does not.

/// A multicast from the south-west cluster along its row.
fn multicast(offset: u64, bytes: u64) -> Transfer {
    let row = to_set(set(0, 0, 3, 0), offset);
    Transfer::row(cluster(0, 0), at(0, 0, 0), row, bytes)
}

fn arrival(root: TileRef) -> ActionKind {
    ActionKind::Arrival(Arrival {
        group: set(0, 0, 3, 0),
        root,
    })
}

const PRODUCT: Multiply = Multiply {
    a_offset: 0x400,
    b_offset: 0x800,
    c_offset: 0xc00,
    rows: 2,
    columns: 3,
    inner: 4,
    element: ElementType::Fp64,
    accumulate: false,
    b_transposed: false,
};

fn kernel(product: Multiply) -> ActionKind {
    compute(Operation::Multiply(product))
}

fn compute(operation: Operation) -> ActionKind {
    ActionKind::Kernel(Kernel {
        group: TileSet::Row(0),
        cycles: 10,
        operation,
    })
}

const FOLD: FoldRows = FoldRows {
    source_offset: 0x400,
    result_offset: 0x800,
    rows: 4,
    columns: 3,
    element: ElementType::Fp16,
    operator: Operator::Max,
};

const SHIFT: RowWise = RowWise {
    source_offset: 0x400,
    row_offset: 0x800,
    result_offset: 0xc00,
    rows: 4,
    columns: 3,
    element: ElementType::Fp16,
};

#[test]
fn destinations_of_a_delivery_may_use_its_bytes_and_those_of_a_transfer_may_not() {
    let mut s = Build::new(None);
    let load = s.add(ActionKind::Delivery(multicast(0x400, 64)), &[]);
    s.local(cluster(2, 0), &[0x400], 0x500, 64, &[load]);
    assert!(check(&mesh4x4(), &s.0).is_ok());
    s.0.actions[0].kind = ActionKind::Transfer(multicast(0x400, 64));
    let error = check(&mesh4x4(), &s.0).expect_err("nobody told the destination");
    assert!(matches!(error, CheckError::Field { .. }), "{error}");
}

#[test]
fn a_destination_knows_of_its_own_copy_only() {
    let mut s = Build::new(None);
    let load = s.add(ActionKind::Delivery(multicast(0x400, 64)), &[]);
    // c2 has its copy; whether c3 has one it cannot know.
    s.pull(at(3, 0, 0x400), at(2, 0, 0x600), 64, &[load]);
    let error = check(&mesh4x4(), &s.0).expect_err("another cluster's copy");
    assert!(matches!(error, CheckError::Race(_)), "{error}");
}

#[test]
fn an_arrival_orders_members_before_its_root_and_before_nobody_else() {
    let reads_then_overwritten_by = |root: TileRef, writer: TileRef| {
        let mut s = Build::new(None);
        let read = s.add(kernel(PRODUCT), &[]);
        let come = s.add(arrival(root), &[read]);
        s.copy(writer, at(1, 1, 0), at(3, 0, 0x400), 64, &[come]);
        check(&mesh4x4(), &s.0)
    };
    assert!(reads_then_overwritten_by(cluster(1, 0), cluster(1, 0)).is_ok());
    let error = reads_then_overwritten_by(cluster(1, 0), cluster(2, 0));
    assert!(matches!(error, Err(CheckError::Race(_))), "{error:?}");
}

#[test]
fn a_kernel_that_accumulates_reads_what_it_writes() {
    let mut s = Build::new(None);
    s.pull(at(0, 1, 0), at(0, 0, 0xc00), 48, &[]);
    s.add(kernel(PRODUCT), &[0]);
    assert!(check(&mesh4x4(), &s.0).is_ok());
    s.0.actions[1].after.clear();
    assert!(matches!(check(&mesh4x4(), &s.0), Err(CheckError::Race(_))));
}

#[test]
fn impossible_flags_and_kernels_name_their_field() {
    let product = |change: fn(&mut Multiply)| {
        let mut product = PRODUCT;
        change(&mut product);
        kernel(product)
    };
    let fold = |change: fn(&mut FoldRows)| {
        let mut fold = FOLD;
        change(&mut fold);
        compute(Operation::FoldRows(fold))
    };
    let shift = |change: fn(&mut RowWise)| {
        let mut shift = SHIFT;
        change(&mut shift);
        compute(Operation::Exponential(shift))
    };
    let empty = ActionKind::Delivery(multicast(0x400, 0));
    let of_kernels = [
        (product(|p| p.c_offset = 0x410), ".multiply.a_offset"),
        (product(|p| p.b_offset = 0x801), ".multiply.b_offset"),
        (
            product(|p| p.element = ElementType::Int32),
            ".multiply.element",
        ),
        (product(|p| p.c_offset = 0x1_fff8), ""),
        (fold(|f| f.operator = Operator::Min), ".fold_rows.operator"),
        (fold(|f| f.columns = 0), ".fold_rows.columns"),
        (
            fold(|f| f.result_offset = 0x404),
            ".fold_rows.result_offset",
        ),
        (
            shift(|s| s.element = ElementType::Fp8E4m3),
            ".exponential.element",
        ),
        (
            shift(|s| s.result_offset = 0x400),
            ".exponential.result_offset",
        ),
    ];
    let of_kernels = of_kernels.map(|(kind, field)| (kind, format!("kernel.operation{field}")));
    let of_flags = [
        (empty, "delivery.bytes".to_owned()),
        (arrival(cluster(0, 1)), "arrival.root".to_owned()),
        (arrival(TileRef::Memory(0)), "arrival.root".to_owned()),
    ];
    for (kind, field) in of_flags.into_iter().chain(of_kernels) {
        let message = rejection(&one(kind)).to_string();
        let field = format!("actions[0].kind.{field}");
        assert!(message.starts_with(&field), "{message}");
    }
}

#[test]
fn an_operation_of_every_element_may_replace_its_source_if_both_are_of_one_size() {
    let in_place = |element| {
        let rows = RowWise {
            result_offset: SHIFT.source_offset,
            element,
            ..SHIFT
        };
        check(&mesh4x4(), &one(compute(Operation::DivideRows(rows))))
    };
    assert!(in_place(ElementType::Fp64).is_ok());
    assert!(in_place(ElementType::Fp32).is_ok());
    // FP16 results lie in FP32 sources.
    assert!(in_place(ElementType::Fp16).is_err());
}
