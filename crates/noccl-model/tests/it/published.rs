// SPDX-License-Identifier: Apache-2.0
//! The published equations with the published constants give what the authors' model gave, and their
//! optimum is where the formulas say.

use noccl_model::published::{Extent, MulticastConstants, ReduceConstants};
use noccl_model::{best_chunks, even_chunks, limit};
use proptest::prelude::*;

const MULTICAST: MulticastConstants = MulticastConstants::PUBLISHED;
const ROW: Extent = Extent::row(4);

fn best_software_multicast(beats: u32) -> f64 {
    let n = f64::from(beats);
    let chain = best_chunks(even_chunks(beats), |chunks| {
        MULTICAST.pipelined_cycles(ROW, n, f64::from(chunks))
    });
    chain.unwrap().1.min(MULTICAST.tree_cycles(ROW, n))
}

#[test]
fn multicast_over_a_row_takes_the_cycles_of_the_authors_model() {
    // Beats, in the network, best software.
    let model = [
        (16, 49.0, 148.0),
        (32, 65.0, 196.0),
        (64, 97.0, 292.0),
        (128, 161.0, 484.0),
        (256, 289.0, 868.0),
        (512, 545.0, 1322.0),
    ];
    let mut product = 1.0_f64;
    for (beats, in_network, software) in model {
        let n = f64::from(beats);
        assert_eq!(MULTICAST.in_network_cycles(ROW, n), in_network);
        assert_eq!(best_software_multicast(beats), software, "{beats} beats");
        product *= software / in_network;
    }
    let mean = product.powf(1.0 / 6.0);
    assert!((mean - 2.905).abs() < 5e-4, "{mean}");
}

#[test]
fn naive_is_the_chain_of_one_chunk_and_one_row_is_a_case_of_two_dimensions() {
    let n = 64.0;
    // Eq. (1): four transfers, three synchronisations between them.
    assert_eq!(
        MULTICAST.naive_cycles(ROW, n),
        4.0 * (30.0 + n + 36.0) - 36.0
    );
    // Eq. (10): c + r − 1 transfers.
    let square = Extent {
        columns: 4,
        rows: 4,
    };
    assert_eq!(
        MULTICAST.naive_cycles(square, n),
        7.0 * (30.0 + n + 36.0) - 36.0
    );
    // Eq. (12) and (13): twice the levels; as many hops as both sides have.
    assert_eq!(
        MULTICAST.tree_cycles(square, n),
        30.0 + 4.0 * 17.0 + 5.0 * n + 3.0 * 36.0
    );
    assert_eq!(MULTICAST.in_network_cycles(square, n), 30.0 + n + 6.0);
}

#[test]
fn reductions_add_up_their_steps() {
    let constants = ReduceConstants::published(17.0, 20.0, 40.0);
    // Eq. (5): t_m + 4 max + 2 t_c + 6 δ with t_m = 17 + 32, t_c = 20 + 1.16 · 32.
    let (moved, reduced) = (49.0, 57.12);
    let chain = constants.pipelined_cycles(ROW, 64.0, 2.0);
    assert!((chain - (moved + 4.0 * reduced + 2.0 * reduced + 6.0 * 32.0)).abs() < 1e-9);
    // Eq. (6), two levels.
    let tree = constants.tree_cycles(ROW, 64.0, 2.0);
    assert!((tree - 2.0 * (moved + 30.0 + reduced + 30.0 + reduced)).abs() < 1e-9);
    // Eq. (15): rows, then the column.
    let square = Extent {
        columns: 4,
        rows: 4,
    };
    let both = constants.pipelined_cycles(square, 64.0, 2.0);
    let (row, column) = (moved + 5.0 * reduced, 5.0 * reduced + 2.0 * reduced);
    assert!((both - (row + column + 12.0 * 44.0)).abs() < 1e-9);
    // Eq. (14): twice the levels of (6).
    assert_eq!(constants.tree_cycles(square, 64.0, 2.0), 2.0 * tree);
    assert_eq!(
        constants.in_network_cycles(square, 64.0),
        2.0 * constants.in_network_cycles(ROW, 64.0)
    );
}

#[test]
fn pipelined_multicast_becomes_the_networks_as_overheads_vanish() {
    let overheads: Vec<f64> = (0..=11).map(|i| f64::from(66 - 6 * i)).collect();
    let points = limit(&MULTICAST, ROW, 512, &overheads);
    assert!(points.windows(2).all(
        |w| w[1].pipelined_cycles < w[0].pipelined_cycles && w[1].num_chunks >= w[0].num_chunks
    ));
    let last = points.last().unwrap();
    assert_eq!(last.overhead_cycles, 0.0);
    assert_eq!(last.num_chunks, 512);
    assert_eq!(last.pipelined_cycles, last.in_network_cycles);
}

/// No whole number of chunks is faster than the formula's, and the formula's neighbours are the best ones.
fn check_optimum(optimum: f64, beats: u32, cycles: impl Fn(f64) -> f64) {
    let (best, least) = best_chunks(1..=beats, |chunks| cycles(f64::from(chunks))).unwrap();
    assert!(cycles(optimum) <= least + 1e-9, "{optimum}: {least}");
    assert!(
        (optimum - f64::from(best)).abs() < 1.0 + 1e-9,
        "{optimum}, {best}"
    );
}

proptest! {
    #![proptest_config(noccl_testkit::cheap())]

    #[test]
    fn optimal_chunks_are_where_the_runtime_is_least(
        columns in 2u32..40, rows in 1u32..40, beats in 1u32..600,
    ) {
        let extent = Extent { columns, rows };
        let n = f64::from(beats);
        check_optimum(MULTICAST.optimal_chunks(extent, n), beats, |chunks| {
            MULTICAST.pipelined_cycles(extent, n, chunks)
        });
        // Additions are the longer part of every step.
        let constants = ReduceConstants::published(17.0, 20.0, 40.0);
        check_optimum(constants.optimal_pipelined_chunks(extent, n), beats, |chunks| {
            constants.pipelined_cycles(extent, n, chunks)
        });
        check_optimum(constants.optimal_tree_chunks(n), beats, |chunks| {
            constants.tree_cycles(extent, n, chunks)
        });
    }
}
