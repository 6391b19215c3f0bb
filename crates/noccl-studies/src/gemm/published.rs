// SPDX-License-Identifier: Apache-2.0
//! A product by S1's equations: (7) to (9) over (2) to (4) for SUMMA, a kernel and (14) or (15) for FusedConcatLinear.

use super::case::GemmCase;
use super::{Backend, Collectives, GemmRow};
use crate::Error;
use crate::analytic::fitted_reduce_constants;
use noccl_coll::gemm::{Spread, SubmatrixShape, Summa};
use noccl_model::published::{Extent, MulticastConstants, ReduceConstants};
use noccl_model::{best_chunks, even_chunks};

/// Cycles that a software transfer takes per hop in the authors' later model.
const CYCLES_PER_HOP: f64 = 2.0;

/// The longer of compute and communication, without barrier; communication is A's multicast and then B's.
pub(super) fn summa_row(case: &GemmCase<'_>, problem: &Summa) -> GemmRow {
    let shape = problem.shape;
    let lines = [
        (case.network.cluster_width(), shape.a_bytes()),
        (case.network.cluster_height(), shape.b_bytes()),
    ];
    let communication: f64 = lines
        .into_iter()
        .map(|(length, bytes)| {
            let beats = case.network.axi().ni.beats(bytes) as f64;
            multicast_cycles(problem.spread, length.into(), beats, has_distance(case))
        })
        .sum();
    let mut row = GemmRow::new(case, problem);
    row.communication_cycles = communication;
    row.iteration_cycles = communication.max(problem.compute_cycles as f64);
    row
}

fn has_distance(case: &GemmCase<'_>) -> bool {
    match case.backend {
        Backend::PublishedWithDistance => true,
        Backend::Sim | Backend::Model | Backend::Published => false,
    }
}

fn multicast_cycles(spread: Spread, length: u32, beats: f64, has_distance: bool) -> f64 {
    let constants = MulticastConstants::PUBLISHED;
    let line = Extent::row(length);
    match spread {
        Spread::InNetwork => constants.in_network_cycles(line, beats),
        // Deliveries have no equations of S1: `Case::is_known`.
        Spread::Tree | Spread::Deliveries { .. } => {
            constants.tree_cycles(line, beats) + tree_path(&[length], has_distance)
        }
        Spread::Chain { chunks } => constants.pipelined_cycles(line, beats, chunks.into()),
    }
}

/// Levels of a tree over a line reach length / 2, length / 4, …, 1 hops.
fn tree_path(lines: &[u32], has_distance: bool) -> f64 {
    let hops: u32 = lines.iter().map(|length| length - 1).sum();
    let per_hop = if has_distance { CYCLES_PER_HOP } else { 0.0 };
    per_hop * f64::from(hops)
}

/// A kernel and a reduction behind it. α of the additions and of the network are fitted: S1 does not state them.
///
/// # Errors
/// [`Error::Coll`] for a product of integers.
pub(super) fn fused_row(
    case: &GemmCase<'_>,
    shape: SubmatrixShape,
    compute_cycles: u64,
) -> Result<GemmRow, Error> {
    let (columns, rows) = (case.network.cluster_width(), case.network.cluster_height());
    let extent = Extent {
        columns: columns.into(),
        rows: rows.into(),
    };
    let beats = case.network.axi().ni.beats(shape.c_bytes()?);
    let constants = fitted_reduce_constants();
    let mut row = GemmRow::of(case, shape, compute_cycles);
    let (spread, cycles) = match case.collectives {
        Collectives::InNetwork => {
            let cycles = constants.in_network_cycles(extent, beats as f64);
            ("in_network, fitted".to_owned(), cycles)
        }
        Collectives::Software | Collectives::Deliveries => {
            let path = tree_path(&[extent.columns, extent.rows], has_distance(case));
            software(&constants, extent, beats as u32, path)
        }
    };
    row.spread = spread;
    row.iterations = 1;
    row.communication_cycles = cycles;
    row.iteration_cycles = compute_cycles as f64 + cycles;
    Ok(row)
}

/// The faster of tree and chain, each with its best number of chunks.
fn software(
    constants: &ReduceConstants,
    extent: Extent,
    beats: u32,
    tree_path: f64,
) -> (String, f64) {
    let n = f64::from(beats);
    let best = |cycles: &dyn Fn(f64) -> f64| {
        best_chunks(even_chunks(beats), |chunks| cycles(f64::from(chunks)))
            .unwrap_or((1, cycles(1.0)))
    };
    let tree = best(&|chunks| constants.tree_cycles(extent, n, chunks) + tree_path);
    let chain = best(&|chunks| constants.pipelined_cycles(extent, n, chunks));
    if chain.1 < tree.1 {
        (format!("chain:{}, fitted", chain.0), chain.1)
    } else {
        (format!("tree:{}, fitted", tree.0), tree.1)
    }
}
