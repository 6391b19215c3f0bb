// SPDX-License-Identifier: Apache-2.0
//! FusedConcatLinear: one product per cluster, then one reduction over the mesh.

use super::candidates::{Reduction, reductions};
use super::case::{GemmCase, Timed};
use super::{Backend, GemmRow, fastest, published, values};
use crate::{Error, Verified};
use noccl_coll::gemm::{FusedConcatLinear, FusedPlan, SubmatrixShape, fused_concat_linear};
use noccl_net::{Network, TileRef};
use noccl_run::MemoryImage;
use noccl_workload::Place;
use noccl_workload::number::random_elements;

/// Largest mesh on which the loads of B are run too. They lie before the clock starts; their number of
/// flit-hops grows with the third power of a side.
const MAX_LOADED_CLUSTERS: usize = 1024;

/// The fastest reduction that a word stands for.
pub(super) fn best_row(case: &GemmCase<'_>) -> Result<GemmRow, Error> {
    let shape = case.request.submatrix;
    let compute_cycles = shape.compute_cycles(case.network, case.request.utilisation)?;
    match case.backend {
        Backend::Published | Backend::PublishedWithDistance => {
            let mut row = published::fused_row(case, shape, compute_cycles)?;
            row.conclude_sum();
            return Ok(row);
        }
        Backend::Sim | Backend::Model => {}
    }
    let rows = reductions(case.network, case.collectives, case.request.root)
        .into_iter()
        .map(|reduction| row(case, &reduction, compute_cycles));
    fastest(rows, case.collectives)
}

fn row(case: &GemmCase<'_>, reduction: &Reduction, compute_cycles: u64) -> Result<GemmRow, Error> {
    let network = case.network;
    let clusters = network.clusters().count();
    let shape = case.request.submatrix;
    let fused = FusedConcatLinear {
        shape,
        compute_cycles,
        reduce: reduction.choice,
        root: reduction.root,
        has_loads: clusters <= MAX_LOADED_CLUSTERS,
    };
    let plan = fused_concat_linear(network, &fused)?;
    let images = if case.has_values() {
        images(network, &plan, &fused, case.request.seed)
    } else {
        Vec::new()
    };
    let outputs: Vec<(Place, u64)> = case
        .has_values()
        .then_some((plan.result, plan.result_bytes))
        .into_iter()
        .collect();
    let timed = case.time(&plan.schedule, &images, &outputs)?;
    let mut row = GemmRow::of(case, shape, compute_cycles);
    row.spread = format!("{} into {}", reduction.choice, reduction.root);
    measure(&plan, &timed, &mut row);
    row.add_run(network, &timed, 1);
    row.conclude_sum();
    if case.has_values() {
        let is_right = interpreted(network, &plan, &images)? == timed.memory;
        row.verified = Verified::compared(is_right);
    }
    Ok(row)
}

/// The clock runs from the first kernel's start to the end of the reduction.
fn measure(plan: &FusedPlan, timed: &Timed, row: &mut GemmRow) {
    row.iterations = 1;
    row.iteration_cycles = timed.end() - timed.start(plan.kernel);
    row.communication_cycles = timed.end() - timed.finish(plan.kernel);
}

/// Random A in every L1, and B in the memory tiles or in L1 too.
fn images(
    network: &Network,
    plan: &FusedPlan,
    fused: &FusedConcatLinear,
    seed: u64,
) -> Vec<MemoryImage> {
    let shape: SubmatrixShape = fused.shape;
    let mut images = Vec::new();
    for (idx, at) in values::clusters(network).enumerate() {
        let own = |offset| Place {
            tile: TileRef::Cluster(at),
            offset,
        };
        let b = if fused.has_loads {
            plan.b_sources[idx].1
        } else {
            own(plan.b_offset)
        };
        let parts = [(own(plan.a_offset), shape.a_bytes()), (b, shape.b_bytes())];
        for (part, (place, bytes)) in parts.into_iter().enumerate() {
            let stream = seed.wrapping_mul(1 << 32) + 2 * idx as u64 + part as u64;
            images.push(MemoryImage {
                tile: place.tile,
                offset: place.offset,
                bytes: random_elements(stream, bytes as usize, shape.element),
            });
        }
    }
    images
}

/// What the reference interpreter leaves at the root.
fn interpreted(
    network: &Network,
    plan: &FusedPlan,
    images: &[MemoryImage],
) -> Result<Vec<MemoryImage>, Error> {
    let inputs: Vec<(Place, &[u8])> = images
        .iter()
        .map(|i| {
            let place = Place {
                tile: i.tile,
                offset: i.offset,
            };
            (place, i.bytes.as_slice())
        })
        .collect();
    let memories = noccl_workload::interpret(network, &plan.schedule, &inputs)?;
    let bytes = memories.read(plan.result, plan.result_bytes);
    Ok(bytes
        .map(|bytes| MemoryImage {
            tile: plan.result.tile,
            offset: plan.result.offset,
            bytes,
        })
        .into_iter()
        .collect())
}
