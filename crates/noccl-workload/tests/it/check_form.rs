// SPDX-License-Identifier: Apache-2.0
//! Actions that are impossible on the network are refused by field, with what would be accepted.

use crate::common::*;
use noccl_net::{Coord, MultiAddress, TileRef, TileSet};
use noccl_testkit::actions::{barrier, core_sum, to_set};
use noccl_testkit::tiles::place;
use noccl_testkit::{assert_says, rectangle};
use noccl_workload::{
    ActionKind, Arrival, BarrierMechanism, CheckError, Collective, CollectiveKind, Destination,
    ElementType, InNetworkReduction, Operator, Place, Schedule, Transfer, check,
};

fn transfer(change: impl Fn(&mut Transfer)) -> Schedule {
    let to = Destination::One(at(1, 0, 0));
    let kind = copy(cluster(0, 0), at(0, 0, 0), to, 64);
    let ActionKind::Transfer(mut t) = kind else {
        unreachable!("copy makes a transfer")
    };
    change(&mut t);
    one(ActionKind::Transfer(t))
}

fn reduce_row(change: impl Fn(&mut Collective)) -> Schedule {
    let mut c = collective(CollectiveKind::Reduce, row(), cluster(0, 0), 64);
    change(&mut c);
    let mut s = Build::new(Some(c));
    s.reduction(set(0, 0, 3, 0), 0, at(0, 0, 0x8000), 64, &[]);
    s.0
}

#[test]
fn another_format_version_is_refused() {
    let mut s = Build::new(None).0;
    s.format = 2;
    assert_names(&s, "format = 2", "format 1");
}

#[test]
fn impossible_tiles_are_named() {
    let absent = cluster(4, 0);
    assert_names(
        &transfer(|t| t.initiator = absent),
        "actions[0].kind.transfer.initiator = cluster (4,0)",
        "clusters (0,0) to (3,3), memory tiles mem:0 to mem:3",
    );
    assert_names(
        &transfer(|t| t.initiator = TileRef::Memory(0)),
        "actions[0].kind.transfer.initiator = mem:0",
        "a cluster",
    );
    assert_names(
        &transfer(|t| t.source.tile = TileRef::Memory(4)),
        "actions[0].kind.transfer.source.tile = mem:4",
        "mem:3",
    );
    assert_names(
        &transfer(|t| t.destination = Destination::One(place(absent, 0))),
        "actions[0].kind.transfer.destination.one.tile",
        "(3,3)",
    );
}

#[test]
fn ranges_beyond_a_memory_say_bytes_needed_and_available() {
    let s = transfer(|t| t.source.offset = 0x2_0000 - 63);
    let message = rejection(&s).to_string();
    assert_eq!(
        message,
        "actions[0].kind.transfer.source.offset: needs 131073 bytes of cluster (0,0), which has 131072 (cluster.l1_bytes)"
    );
    check(&mesh4x4(), &transfer(|t| t.source.offset = 0x2_0000 - 64)).unwrap();
    let rows = transfer(|t| {
        t.rows = 3;
        t.destination_stride = 0x1_0000;
    });
    assert_says(rejection(&rows), &["destination.one.offset: needs 131136"]);
    assert!(matches!(
        rejection(&transfer(|t| t.source.offset = u64::MAX)),
        CheckError::DoesNotFit { .. }
    ));
    assert!(matches!(
        rejection(&reduce_row(|c| c.output_offset = 0x2_0000)),
        CheckError::DoesNotFit { field, .. } if field == "collective.output_offset"
    ));
}

#[test]
fn lines_that_overlap_are_refused() {
    assert_names(
        &transfer(|t| {
            t.rows = 2;
            t.destination_stride = 63;
        }),
        "actions[0].kind.transfer.destination_stride = 63",
        "at least `bytes`",
    );
    assert_names(
        &transfer(|t| t.rows = 0),
        "actions[0].kind.transfer.rows = 0",
        "at least 1",
    );
}

#[test]
fn a_transfer_may_not_write_its_own_source() {
    for offset in [1, 63] {
        assert_names(
            &transfer(|t| t.destination = Destination::One(at(0, 0, offset))),
            "actions[0].kind.transfer.destination.one.offset",
            "does not overlap",
        );
    }
    for offset in [0, 64] {
        let s = transfer(|t| t.destination = Destination::One(at(0, 0, offset)));
        check(&mesh4x4(), &s).unwrap();
    }
    // From above downwards too.
    for (offset, is_apart) in [(136, true), (137, false), (199, false), (264, true)] {
        let s = transfer(|t| {
            t.source.offset = 200;
            t.destination = Destination::One(at(0, 0, offset));
        });
        assert_eq!(check(&mesh4x4(), &s).is_ok(), is_apart, "{offset}");
    }
    // Line 1 is written on the source of line 0 or 2, or between them.
    let lines = |destination: u64| {
        transfer(|t| {
            (t.bytes, t.rows, t.source_stride, t.destination_stride) = (16, 3, 64, 64);
            t.destination = Destination::One(at(0, 0, destination));
        })
    };
    for overlapping in [8, 60, 64, 72, 120] {
        assert!(
            check(&mesh4x4(), &lines(overlapping)).is_err(),
            "{overlapping}"
        );
    }
    for apart in [0, 16, 48, 80, 112, 160] {
        check(&mesh4x4(), &lines(apart)).unwrap();
    }
}

#[test]
fn lines_within_one_tile_are_compared_one_by_one() {
    let meet = |a: u64, b: u64, bytes: u64| a.abs_diff(b) < bytes;
    let network = mesh4x4();
    for case in 0..4 * 40 * 40 * 9u64 {
        let (rows, source, destination) = (case % 4 + 1, case / 4 % 40, case / 160 % 40);
        let bytes = 4;
        let source_stride = case / 6400 % 3 * 5;
        let destination_stride = 4 + case / 19200 * 4;
        let s = transfer(|t| {
            t.source.offset = source;
            (t.bytes, t.rows) = (bytes, rows as u32);
            (t.source_stride, t.destination_stride) = (source_stride, destination_stride);
            t.destination = Destination::One(at(0, 0, destination));
        });
        let pairs = || (0..rows).flat_map(|r| (0..rows).map(move |l| (r, l)));
        let is_wrong = pairs().any(|(r, l)| {
            let (from, to) = (
                source + r * source_stride,
                destination + l * destination_stride,
            );
            meet(from, to, bytes) && !(r == l && from == to)
        });
        assert_eq!(
            check(&network, &s).is_err(),
            is_wrong,
            "{:?}",
            s.actions[0].kind
        );
    }
}

#[test]
fn multi_addresses_are_normalised_and_mapped() {
    let multicast = |base: (u16, u16), mask: (u16, u16)| {
        let set = MultiAddress {
            base: Coord::new(base.0, base.1),
            mask: Coord::new(mask.0, mask.1),
        };
        transfer(|t| t.destination = to_set(set, 64))
    };
    let field = "actions[0].kind.transfer.destination.multicast.set";
    assert_names(&multicast((1, 0), (1, 0)), field, "here (0,0)");
    let masked = MultiAddress {
        base: Coord::new(1, 0),
        mask: Coord::new(1, 0),
    };
    let sum = InNetworkReduction {
        group: masked,
        source_offset: 0,
        root: at(0, 0, 64),
        bytes: 64,
        operator: Operator::Sum,
        element: ElementType::Fp64,
    };
    for kind in [
        ActionKind::InNetworkReduction(sum.clone()),
        ActionKind::InNetworkAllReduce(sum),
        ActionKind::Arrival(Arrival {
            group: masked,
            root: cluster(0, 0),
        }),
    ] {
        let field = format!("actions[0].kind.{}.group", kind.name());
        assert_names(&one(kind), &field, "here (0,0)");
    }
    assert_names(&multicast((0, 0), (7, 0)), field, "4 x 4 clusters");
    assert_names(
        &multicast((0, 0), (u16::MAX, u16::MAX)),
        field,
        "4 x 4 clusters",
    );
}

#[test]
fn sizes_are_whole_elements_and_operators_fit_the_type() {
    assert_names(
        &reduce_row(|c| c.bytes = 60),
        "collective.bytes = 60",
        "a multiple of 8 bytes, one fp64",
    );
    assert_names(
        &reduce_row(|c| c.input_offset = 4),
        "collective.input_offset = 4",
        "8 bytes",
    );
    assert_names(
        &reduce_row(|c| c.operator = Operator::And),
        "collective.operator = and",
        "sum, min or max for fp64",
    );
    let mut s = Build::new(None);
    s.reduction(set(0, 0, 3, 0), 4, at(0, 0, 0), 64, &[]);
    assert_names(
        &s.0,
        "actions[0].kind.in_network_reduction.source_offset = 4",
        "8 bytes",
    );
}

#[test]
fn local_reduce_has_operands_and_writes_beside_them() {
    let reduce = |inputs: &[u64], output: u64| {
        let tile = cluster(0, 0);
        one(core_sum(tile, inputs, output, 64, ElementType::Fp64))
    };
    assert_names(
        &reduce(&[], 0),
        "actions[0].kind.local_reduce.inputs",
        "at least one",
    );
    assert_names(
        &reduce(&[64, 32], 0),
        "actions[0].kind.local_reduce.inputs[1] = 32",
        "`bytes` away",
    );
    assert_names(
        &reduce(&[64, 129], 0),
        "actions[0].kind.local_reduce.inputs[1] = 129",
        "8 bytes",
    );
    assert!(check(&mesh4x4(), &reduce(&[64, 56], 0)).is_err());
    check(&mesh4x4(), &reduce(&[0, 64], 0)).unwrap();
}

#[test]
fn reductions_end_in_clusters_and_beside_their_sources() {
    let reduction = |root: Place| {
        let mut s = Build::new(None);
        s.reduction(set(0, 0, 3, 0), 0, root, 64, &[]);
        s.0
    };
    let memory = place(TileRef::Memory(0), 0);
    assert_names(
        &reduction(memory),
        "actions[0].kind.in_network_reduction.root.tile = mem:0",
        "a cluster",
    );
    assert_names(
        &reduction(at(0, 0, 8)),
        "actions[0].kind.in_network_reduction.root.offset = 8",
        "`source_offset`",
    );
    check(&mesh4x4(), &reduction(at(0, 0, 0))).unwrap();
    // A root outside of the group holds no source.
    check(&mesh4x4(), &reduction(at(0, 1, 8))).unwrap();
}

#[test]
fn the_published_router_joins_two_operands_only() {
    let published = network("collective_noc_4x4_published");
    let plane = |group: MultiAddress, root: Place| {
        let mut s = Build::new(None);
        s.reduction(group, 0, root, 64, &[]);
        check(&published, &s.0)
    };
    plane(set(0, 0, 3, 0), at(0, 0, 0)).unwrap();
    plane(set(0, 0, 0, 3), at(0, 3, 0)).unwrap();
    for (group, root) in [
        (set(0, 0, 3, 3), at(0, 0, 0)),
        (set(0, 0, 3, 0), at(1, 0, 0)),
    ] {
        let message = plane(group, root).unwrap_err().to_string();
        assert_says(&message, &["three inputs at the router", "published"]);
    }
}

#[test]
fn barrier_groups_exist_and_fit_their_mechanism() {
    let barrier = |group: TileSet, mechanism| one(barrier(group, cluster(0, 0), mechanism));
    let three = rectangle(0, 0, 3, 1);
    let software = barrier(three.clone(), BarrierMechanism::Software);
    check(&mesh4x4(), &software).unwrap();
    assert_names(
        &barrier(three, BarrierMechanism::InNetwork),
        "actions[0].kind.barrier.group = 3 clusters",
        "(dst, mask) pair",
    );
    let empty = TileSet::Arbitrary(Vec::new());
    assert_names(
        &barrier(empty, BarrierMechanism::Software),
        "actions[0].kind.barrier.group",
        "at least one",
    );
    let huge = rectangle(1, 1, u16::MAX, u16::MAX);
    assert_names(
        &barrier(huge, BarrierMechanism::Software),
        "actions[0].kind.barrier.group",
        "4 x 4",
    );
    assert_names(
        &barrier(TileSet::Row(4), BarrierMechanism::Software),
        "actions[0].kind.barrier.group",
        "4 x 4",
    );
}
