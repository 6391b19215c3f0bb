// SPDX-License-Identifier: Apache-2.0
//! An iteration by S1's equations: eq. (7) to (9) over (2) to (4).

use super::{Backend, GemmRow};
use noccl_coll::gemm::{Spread, Summa};
use noccl_model::published::{Extent, MulticastConstants};
use noccl_net::Network;

/// Cycles that a software transfer takes per hop in the authors' later model.
const CYCLES_PER_HOP: f64 = 2.0;

/// The longer of compute and communication, without barrier; communication is A's multicast and then B's.
pub(super) fn fill(network: &Network, backend: Backend, problem: &Summa, row: &mut GemmRow) {
    let shape = problem.shape;
    let lines = [
        (network.cluster_width(), shape.a_bytes()),
        (network.cluster_height(), shape.b_bytes()),
    ];
    let has_distance = backend == Backend::ModelWithDistance;
    let communication: f64 = lines
        .into_iter()
        .map(|(length, bytes)| {
            let beats = bytes.div_ceil(64) as f64;
            multicast_cycles(problem.spread, length.into(), beats, has_distance)
        })
        .sum();
    row.communication_cycles = communication;
    row.iteration_cycles = communication.max(problem.compute_cycles as f64);
}

fn multicast_cycles(spread: Spread, length: u32, beats: f64, has_distance: bool) -> f64 {
    let constants = MulticastConstants::PUBLISHED;
    let line = Extent::row(length);
    match spread {
        Spread::InNetwork => constants.in_network_cycles(line, beats),
        // Levels reach length / 2, length / 4, …, 1 hops.
        Spread::Tree => {
            let hops = if has_distance {
                f64::from(length) - 1.0
            } else {
                0.0
            };
            constants.tree_cycles(line, beats) + CYCLES_PER_HOP * hops
        }
        Spread::Chain { chunks } => constants.pipelined_cycles(line, beats, chunks.into()),
    }
}
