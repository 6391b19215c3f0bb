// SPDX-License-Identifier: Apache-2.0
//! Algorithms of core tiles, simulated: right by value everywhere, and as fast as their goals say.

use crate::common::rows_of;
use noccl_studies::{CompareRequest, CompareRow};
use noccl_workload::{CollectiveKind, ElementType};

/// Rows of one collective over a group; no algorithms: all there are.
fn rows(
    preset: &str,
    overrides: &[(&str, &str)],
    what: (CollectiveKind, &str, Vec<u64>),
    algorithms: &str,
) -> Vec<CompareRow> {
    // An element is a word.
    let words = |request: &mut CompareRequest| request.element = ElementType::Int32;
    rows_of((preset, overrides), what, algorithms, words)
}

/// Cycles of one exchange over its larger bound.
fn over_bound(preset: &str, overrides: &[(&str, &str)], bytes: u64, algorithm: &str) -> f64 {
    let what = (CollectiveKind::AllToAll, "all", vec![bytes]);
    let row = &rows(preset, overrides, what, algorithm)[0];
    assert!(row.verified.is_yes(), "{preset} {algorithm}");
    let bound = row
        .link_bound_cycles
        .max(row.core_bound_cycles)
        .expect("it is an exchange of cores");
    row.cycles as f64 / bound as f64
}

#[test]
fn every_algorithm_is_right_by_value_on_a_rectangle_of_a_larger_mesh() {
    for (kind, least) in [
        (CollectiveKind::Multicast, 4),
        (CollectiveKind::Reduce, 4),
        (CollectiveKind::AllReduce, 5),
        (CollectiveKind::AllToAll, 6),
        (CollectiveKind::Barrier, 4),
    ] {
        // One element, a unit, and what is no whole units.
        let what = (kind, "1,2,4,3", vec![8, 128, 1048]);
        let found = rows("tilepro64_6x5", &[], what, "");
        let names: Vec<_> = found.iter().map(|r| (&r.algorithm, r.bytes)).collect();
        let sizes = if kind == CollectiveKind::Barrier {
            1
        } else {
            3
        };
        assert!(found.len() >= least * sizes, "{kind}: {names:?}");
        for row in &found {
            assert!(
                row.verified.is_yes(),
                "{kind} by {} of {}",
                row.algorithm,
                row.bytes
            );
        }
    }
}

#[test]
fn a_planned_exchange_is_near_its_bound() {
    let bounds = [
        ("tilepro64_7x7", 1.10),
        ("tilepro64_8x8", 1.15),
        ("tilepro64_12x12", 1.30),
    ];
    for (preset, most) in bounds {
        let found = over_bound(preset, &[], 128, "planned");
        assert!(found <= most, "{preset}: {found}");
    }
    // Other costs of a message too.
    let costs = [("core.send_cycles", "20"), ("core.receive_cycles", "21")];
    let found = over_bound("tilepro64_7x7", &costs, 128, "planned");
    assert!(found <= 1.10, "{found}");
    // Without a plan.
    let found = over_bound("tilepro64_7x7", &costs, 128, "torus");
    assert!(found <= 1.30, "{found}");
}

#[test]
fn a_chain_in_chunks_reduces_four_times_as_fast_as_rows_and_columns_directly() {
    let cycles = |algorithm: &str| {
        let what = (CollectiveKind::Reduce, "all", vec![16384]);
        rows("tilepro64_7x7", &[], what, algorithm)[0].cycles
    };
    let direct = cycles("row_column:1:direct");
    for algorithm in ["chain:128", "row_column:64"] {
        let found = cycles(algorithm);
        assert!(direct >= 4 * found, "{algorithm}: {found} of {direct}");
    }
}
