// SPDX-License-Identifier: Apache-2.0
//! Deliveries, arrivals and kernels: who knows what is over, and who does not.

use crate::common::*;
use noccl_net::{TileRef, TileSet};
use noccl_testkit::actions::to_set;
use noccl_workload::{
    ActionKind, Arrival, CheckError, ElementType, FoldRows, Kernel, Multiply, Operation, Operator,
    RowWise, Transfer, check,
};

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
