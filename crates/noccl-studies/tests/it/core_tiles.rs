// SPDX-License-Identifier: Apache-2.0
//! Collectives of core tiles, simulated: rounds in lock-step, bounds of exchanges, barriers, noise.

use crate::common::rows_of;
use noccl_run::Watch;
use noccl_studies::{CompareRequest, CompareRow, NoiseRequest, compare, load, parse_group};
use noccl_workload::CollectiveKind;

/// Rows of one collective over a whole mesh.
fn rows(
    preset: &str,
    overrides: &[(&str, &str)],
    kind: CollectiveKind,
    algorithms: &str,
    change: impl FnOnce(&mut CompareRequest),
) -> Vec<CompareRow> {
    let what = (kind, "all", vec![128]);
    rows_of((preset, overrides), what, algorithms, change)
}

fn blocked(preset: &str, algorithm: &str, is_lock_step: bool) -> u64 {
    let kind = CollectiveKind::AllToAll;
    let found = rows(preset, &[], kind, algorithm, |r| {
        r.is_lock_step = is_lock_step
    });
    assert!(found[0].verified.is_yes());
    found[0].blocked_link_cycles.expect("they are core tiles")
}

#[test]
fn split_rounds_block_no_link_in_lock_step_and_literal_ones_do() {
    for mesh in ["2x2", "3x3", "4x4", "5x4", "4x2", "1x6", "7x7"] {
        let preset = format!("tilepro64_{mesh}");
        assert_eq!(blocked(&preset, "rounds:split", true), 0, "{mesh}");
    }
    assert_eq!(blocked("tilepro64_3x3", "rounds:literal", true), 0);
    assert!(blocked("tilepro64_4x4", "rounds:literal", true) > 0);
    // Nothing keeps the rounds apart in a run of cores alone.
    assert!(blocked("tilepro64_4x4", "rounds:split", false) > 0);
}

#[test]
fn an_exchange_has_both_bounds_and_no_other_collective_has() {
    let kind = CollectiveKind::AllToAll;
    let found = rows("tilepro64_7x7", &[], kind, "torus", |_| {});
    assert_eq!(found[0].link_bound_cycles, Some(84 * 34));
    assert_eq!(found[0].core_bound_cycles, Some(48 * (30 + 2 * 34)));
    assert!(found[0].cycles >= 48 * (30 + 2 * 34));
    let barrier = rows(
        "tilepro64_2x2",
        &[],
        CollectiveKind::Barrier,
        "tree",
        |_| {},
    );
    assert_eq!(
        (barrier[0].link_bound_cycles, barrier[0].core_bound_cycles),
        (None, None)
    );
}

#[test]
fn a_barrier_of_49_cores_is_below_its_goal() {
    let found = rows(
        "tilepro64_7x7",
        &[],
        CollectiveKind::Barrier,
        "dissemination",
        |_| {},
    );
    assert!(found[0].cycles <= 320, "{} cycles", found[0].cycles);
}

#[test]
fn noise_widens_runtimes_by_what_the_spec_says() {
    let noise = [
        ("core.noise_per_billion_messages", "20000000"),
        ("core.noise_cycles", "5000"),
    ];
    let found = rows(
        "tilepro64_3x3",
        &noise,
        CollectiveKind::Barrier,
        "dissemination",
        |r| {
            r.noise = Some(NoiseRequest {
                seed: 1,
                runs: 200,
                start_skew_cycles: 0,
            });
        },
    );
    let noisy = found[0].noise.unwrap();
    assert_eq!(noisy.least_cycles, found[0].cycles);
    assert!(noisy.most_cycles >= found[0].cycles + 5000, "{noisy:?}");
    assert!(noisy.variance_us2 > 1.0, "{noisy:?}");
}

/// Cycles of an all-to-all of so many bytes by each of the algorithms, on the whole of a mesh.
fn exchange_cycles(preset: &str, bytes: u64, algorithms: &str) -> Vec<u64> {
    let what = (CollectiveKind::AllToAll, "all", vec![bytes]);
    let found = rows_of((preset, &[]), what, algorithms, |_| {});
    assert!(found.iter().all(|row| row.verified.is_yes()));
    found.iter().map(|row| row.cycles).collect()
}

#[test]
fn short_blocks_are_exchanged_by_rows_and_columns_and_long_ones_are_not() {
    let direct = "planned,torus,torus:lag=0,torus:lag=4,pairwise,pairwise:lag=0,rounds:lag=0,\
                  rounds:literal,unicast,unicast:receive";
    let by_lines = exchange_cycles("tilepro64_8x8", 8, "row_column")[0];
    for cycles in exchange_cycles("tilepro64_8x8", 8, direct) {
        assert!(2 * cycles >= 3 * by_lines, "{cycles} and {by_lines} cycles");
    }
    let by_lines = exchange_cycles("tilepro64_8x8", 64, "row_column")[0];
    assert!(exchange_cycles("tilepro64_8x8", 64, "planned")[0] < by_lines);
}

#[test]
fn long_blocks_are_planned_near_the_bound_of_their_cores() {
    // 48 or 63 messages sent and received: the cycles of a message, eight units of 34 words at either end.
    for (preset, others, percent) in [("tilepro64_7x7", 48, 125), ("tilepro64_8x8", 63, 133)] {
        let bound = others * (30 + 2 * 8 * 34);
        let found = exchange_cycles(preset, 1024, "planned")[0];
        assert!(found >= bound && found * 100 <= bound * percent, "{found}");
    }
}

#[test]
fn cores_that_begin_late_cost_a_torus_exchange_at_most_that_and_a_tenth() {
    for skew in [50, 500] {
        let found = rows(
            "tilepro64_7x7",
            &[],
            CollectiveKind::AllToAll,
            "torus,pairwise,rounds,planned",
            |r| {
                r.noise = Some(NoiseRequest {
                    seed: 0,
                    runs: noccl_testkit::cases(4, 12),
                    start_skew_cycles: skew,
                });
            },
        );
        for row in &found {
            let mean = row.noise.expect("they were asked for").mean_cycles;
            let allowed = row.cycles as f64 * 1.1 + skew as f64;
            // A plan of short messages is as exact as its times.
            let is_robust = row.algorithm != "planned";
            assert_eq!(mean <= allowed, is_robust, "{}: {mean}", row.algorithm);
        }
    }
}

/// The refusal names the field that keeps all algorithms out, not one that core tiles do not have.
#[test]
fn memories_that_no_algorithm_fits_into_are_named() {
    for (kind, bytes, memory_bytes) in [
        (CollectiveKind::Reduce, 8, "184"),
        (CollectiveKind::Reduce, 512, "1852"),
    ] {
        let overrides = [("core.memory_bytes".to_owned(), memory_bytes.to_owned())];
        let network = load("tilepro64_3x2", &overrides).unwrap().network;
        let group = parse_group(&network, "all").unwrap();
        let request = CompareRequest::new(kind, group, vec![bytes]);
        let refused = compare(&network, &request, Watch::quiet()).unwrap_err();
        let text = refused.to_string();
        assert!(text.contains("core.memory_bytes"), "{text}");
    }
}
