// SPDX-License-Identifier: Apache-2.0
//! Error responses as `docs/errors.md` defines them: its rows 1 to 16, except those of `contributions.rs` and `diagnosis.rs`.
//!
//! Value mode checks the bytes too: a transaction counts as wrong if a byte differs from what the
//! definition leaves in memory, or its response from the defined one.

use crate::common::{
    cluster, cube, disagree, image, network, reduction, run_trace as run, stalled,
};
use noccl_net::{Coord, Network, TileRef};
use noccl_run::{Mode, RunConfig, RunError};
use noccl_testkit::schedules::at_once;
use noccl_testkit::tiles::place;
use noccl_testkit::traces::{
    atomic, barrier, narrow_multicast, narrow_read, narrow_write, wide_multicast, wide_read,
    wide_reduction, wide_write,
};
use noccl_workload::{
    ActionKind, Difference, ElementType, Fault, InNetworkReduction, Operator, PortKind,
};

const OKAY: u8 = 0;
const SLVERR: u8 = 2;
const DECERR: u8 = 3;
const PRESETS: [&str; 2] = ["collective_noc_4x4", "collective_noc_4x4_published"];

fn one(kind: PortKind) -> (Vec<Option<u64>>, PortKind) {
    (vec![Some(0)], kind)
}

/// 3 columns and 4 rows of clusters: the column x = 3 is padding.
fn padded() -> Network {
    network("collective_noc_3x4")
}

fn broken(tile: TileRef, offset: u64) -> Fault {
    Fault::Memory {
        tile,
        offset,
        bytes: 64,
    }
}

#[test]
fn slave_error_of_one_member_reaches_the_initiator_of_a_multicast() {
    for preset in PRESETS {
        let net = network(preset);
        for broken_tile in [cluster(3, 3), cluster(0, 0), cluster(1, 2)] {
            let to = cube(0, 0, 3, 3);
            let wide = wide_multicast(cluster(0, 0), to, 65);
            // Two bursts; the fault lies in the second one, which is not written at that tile.
            let faults = vec![broken(broken_tile, 64 * 64)];
            let result = run(&net, vec![one(wide)], faults).expect("completes");
            assert_eq!(result.responses, [SLVERR], "{preset} {broken_tile}");
            assert_eq!(result.counters.error_responses, 1, "one burst of two");
            let narrow = narrow_multicast(cluster(1, 1), to);
            let result = run(&net, vec![one(narrow)], vec![broken(broken_tile, 0)]);
            assert_eq!(result.expect("completes").responses, [SLVERR]);
        }
    }
}

#[test]
fn slave_error_of_the_target_reaches_the_initiator_of_a_unicast() {
    let net = network("collective_noc_4x4");
    let (from, to) = (cluster(2, 1), TileRef::Memory(1));
    let source = to;
    for (kind, is_broken) in [
        (wide_write(from, to, 3), true),
        (wide_read(from, source, 3), true),
        (narrow_write(from, to), true),
        (narrow_read(from, source), true),
        (atomic(from, to), true),
        (wide_write(from, TileRef::Memory(0), 3), false),
    ] {
        let result = run(&net, vec![one(kind.clone())], vec![broken(source, 0)]).expect("ends");
        let expected = if is_broken { SLVERR } else { OKAY };
        assert_eq!(result.responses, [expected], "{kind:?}");
        assert_eq!(result.counters.error_responses, u64::from(is_broken));
    }
}

#[test]
fn slave_error_at_the_root_reaches_every_member() {
    for preset in PRESETS {
        let net = network(preset);
        let (group, root) = (cube(0, 0, 3, 0), cluster(3, 0));
        for kind in [wide_reduction(group, root, 2), barrier(group, root)] {
            // Offset 64 is in the second beat of the reduction; a barrier counts at offset 0.
            let is_touched = matches!(kind, PortKind::WideReduction { .. });
            let entry = (vec![Some(0); 4], kind);
            let result = run(&net, vec![entry], vec![broken(root, 64)]).expect("completes");
            let (expected, responses) = if is_touched { (SLVERR, 4) } else { (OKAY, 0) };
            assert_eq!(result.responses, [expected], "{preset}");
            assert_eq!(result.counters.error_responses, responses);
            let entry = (vec![Some(0); 4], barrier(group, root));
            let result = run(&net, vec![entry], vec![broken(root, 0)]).expect("completes");
            assert_eq!(result.responses, [SLVERR], "{preset}");
            assert_eq!(result.counters.error_responses, 4);
        }
    }
}

#[test]
fn unmapped_member_of_a_multicast_has_its_response_from_the_ni_and_nothing_is_delivered() {
    let net = padded();
    let from = cluster(1, 1);
    let other = wide_write(cluster(0, 0), cluster(2, 3), 64);
    for kind in [
        wide_multicast(from, cube(0, 0, 3, 3), 64),
        narrow_multicast(from, cube(2, 0, 1, 0)),
    ] {
        let entries = vec![one(kind), one(other.clone())];
        let result = run(&net, entries, Vec::new()).expect("completes");
        assert_eq!(result.responses, [DECERR, OKAY]);
        assert_eq!(result.counters.error_responses, 1);
        // The flits on the mesh are those of the other write alone.
        let alone = run(&net, vec![one(other.clone())], Vec::new()).expect("completes");
        assert_eq!(result.counters.flit_hops, alone.counters.flit_hops);
        assert_eq!(
            result.counters.spm_write_bytes,
            alone.counters.spm_write_bytes
        );
    }
}

#[test]
fn unmapped_member_of_a_collective_gives_each_contributor_a_decode_error() {
    let net = padded();
    let (group, root) = (cube(0, 0, 3, 0), cluster(0, 0));
    let starts = vec![Some(0), Some(5), Some(9), None];
    for kind in [barrier(group, root), wide_reduction(group, root, 4)] {
        let result = run(&net, vec![(starts.clone(), kind)], Vec::new()).expect("completes");
        assert_eq!(result.responses, [DECERR]);
        assert_eq!(result.counters.error_responses, 3);
        assert_eq!(result.counters.flit_hops, 0);
    }
}

#[test]
fn address_without_a_target_is_a_decode_error_of_the_ni() {
    let net = network("collective_noc_4x4");
    let (from, to) = (cluster(0, 0), cluster(3, 3));
    let source = to;
    let fault = || vec![Fault::Unmapped { transaction: 0 }];
    // The NI takes the beats, one per cycle, and responds one cycle after the last.
    for (kind, cycles) in [
        (wide_write(from, to, 8), 9),
        (wide_read(from, source, 8), 9),
        (narrow_write(from, to), 2),
        (narrow_read(from, source), 2),
        (atomic(from, to), 2),
    ] {
        let result = run(&net, vec![one(kind.clone())], fault()).expect("completes");
        assert_eq!(result.responses, [DECERR], "{kind:?}");
        assert_eq!(result.actions[0].finish_cycle, cycles, "{kind:?}");
        assert_eq!(result.counters.flit_hops, 0, "{kind:?}");
    }
    let padded = padded();
    let kind = wide_write(from, cluster(3, 0), 1);
    let result = run(&padded, vec![one(kind)], Vec::new()).expect("completes");
    assert_eq!(result.responses, [DECERR], "a padded tile has no memory");
}

#[test]
fn mask_on_a_read_or_an_atomic_is_a_decode_error() {
    let net = network("collective_noc_4x4");
    let (from, to) = (cluster(0, 0), cluster(2, 0));
    let source = to;
    let mask = |transaction| Fault::Mask {
        transaction,
        mask: Coord::new(1, 0),
    };
    for kind in [
        wide_read(from, source, 4),
        narrow_read(from, source),
        atomic(from, to),
    ] {
        let entries = vec![one(kind.clone()), one(kind.clone())];
        let result = run(&net, entries, vec![mask(1)]).expect("completes");
        assert_eq!(result.responses, [OKAY, DECERR], "{kind:?}");
    }
    let write = wide_write(from, to, 1);
    let refused = run(&net, vec![one(write)], vec![mask(0)]);
    assert!(
        matches!(refused, Err(RunError::Refused { .. })),
        "a write may have a mask"
    );
}

#[test]
fn decode_error_wins_over_slave_error_in_one_transaction() {
    // Two bursts of one write: the first fails at the target, all are refused by the NI.
    let net = network("collective_noc_4x4");
    let to = cluster(1, 0);
    let kind = wide_write(cluster(0, 0), to, 128);
    let faults = vec![broken(to, 0), Fault::Unmapped { transaction: 0 }];
    let result = run(&net, vec![one(kind)], faults).expect("completes");
    assert_eq!(result.responses, [DECERR]);
}

#[test]
fn members_that_disagree_all_get_a_slave_error_and_nothing_is_written() {
    let net = network("collective_noc_4x4");
    for member in [0, 5, 15] {
        for difference in [
            Difference::Operator(Operator::Max),
            Difference::Element(ElementType::Fp32),
            Difference::EnabledBytes(8),
        ] {
            let fault = disagree(member, difference);
            // A second reduction over the same tiles is not touched by it.
            let entries = vec![reduction(65), reduction(3)];
            let result = run(&net, entries, vec![fault]).expect("completes");
            assert_eq!(result.responses, [SLVERR, OKAY], "{difference:?}");
            assert_eq!(result.counters.error_responses, 2 * 16);
        }
    }
}

#[test]
fn member_that_contributes_fewer_beats_is_named_by_the_diagnosis() {
    let net = network("collective_noc_4x4");
    for (given, in_burst, beats) in [(1, "1 of 4", 4), (3, "3 of 4", 4), (64, "0 of 1", 65)] {
        let fault = disagree(9, Difference::Beats(given));
        let diagnosis = stalled(run(&net, vec![reduction(beats)], vec![fault]));
        let expected = format!("cluster (2,1) has contributed {in_burst} beats");
        assert!(diagnosis.summary.contains(&expected), "{diagnosis}");
    }
}

#[test]
fn transactions_without_beats_are_refused() {
    let net = network("collective_noc_4x4");
    let (from, to, source) = (cluster(0, 0), cluster(1, 0), cluster(1, 0));
    for kind in [
        wide_write(from, to, 0),
        wide_read(from, source, 0),
        wide_multicast(from, cube(0, 0, 0, 0), 0),
        wide_reduction(cube(0, 0, 0, 0), to, 0),
    ] {
        let Err(RunError::Refused { what, reason, .. }) = run(&net, vec![one(kind)], Vec::new())
        else {
            panic!("should be refused")
        };
        assert!(what.starts_with("transactions[0].kind.wide_"), "{what}");
        assert!(what.ends_with(".beats"), "{what}");
        assert!(reason.starts_with("is 0; accepted: 1 to 16384"), "{reason}");
    }
}

#[test]
fn faults_that_name_nothing_are_refused() {
    let net = network("collective_noc_4x4");
    let kind = narrow_write(cluster(0, 0), cluster(1, 0));
    let disagree = |transaction, member, difference| Fault::Disagree {
        transaction,
        member,
        difference,
    };
    for fault in [
        broken(cluster(7, 7), 0),
        Fault::Unmapped { transaction: 2 },
        Fault::Mask {
            transaction: 0,
            mask: Coord::new(1, 0),
        },
        disagree(0, 0, Difference::EnabledBytes(8)),
        disagree(1, 16, Difference::EnabledBytes(8)),
        disagree(1, 0, Difference::EnabledBytes(64)),
        disagree(1, 0, Difference::Beats(4)),
        disagree(1, 0, Difference::Operator(Operator::Sum)),
    ] {
        let entries = vec![one(kind.clone()), reduction(4)];
        let result = run(&net, entries, vec![fault.clone()]);
        let Err(RunError::Refused { what, .. }) = result else {
            panic!("{fault:?} should be refused")
        };
        assert_eq!(what, "faults[0]");
    }
}

#[test]
fn reduction_writes_only_the_bytes_that_its_strobes_enable() {
    let net = network("collective_noc_4x4");
    // 9 elements from the middle of a line on: both beats are partial.
    let (offset, bytes, count) = (0x1020, 72u64, 9u64);
    let root = place(cluster(2, 1), offset);
    let kind = ActionKind::InNetworkReduction(InNetworkReduction {
        group: cube(0, 0, 3, 3),
        source_offset: 0x20,
        root,
        bytes,
        operator: Operator::Max,
        element: ElementType::Int64,
    });
    let schedule = at_once([kind]);
    // Negative values: a lane without an enabled byte must not win with its zero.
    let value = |tile: u64, i: u64| -((1000 + (tile * 7 + i * 13) % 16) as i64);
    let words = |tile: u64| {
        (0..count)
            .flat_map(move |i| value(tile, i).to_le_bytes())
            .collect()
    };
    let mut inputs = vec![image(root.tile, offset - 0x20, vec![0xee; 192])];
    let members = (0..16).map(|m| (m, cluster(m as u16 / 4, m as u16 % 4)));
    inputs.extend(members.map(|(m, tile)| image(tile, 0x20, words(m))));
    let outputs = [(place(root.tile, offset - 0x20), 192)];
    let config = RunConfig::new(Mode::Value);
    let result =
        noccl_sim::run_schedule(&net, &schedule, &inputs, &outputs, &config, &mut |_| true)
            .expect("completes");
    let mut expected = vec![0xee; 192];
    for i in 0..count {
        let max = (0..16).map(|m| value(m, i)).max().expect("16 members");
        let at = 0x20 + i as usize * 8;
        expected[at..at + 8].copy_from_slice(&max.to_le_bytes());
    }
    assert_eq!(result.memory[0].bytes, expected);
    assert_eq!(result.counters.spm_write_bytes, bytes);
    assert_eq!(result.responses, [OKAY]);
}
