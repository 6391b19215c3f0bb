// SPDX-License-Identifier: Apache-2.0
//! FusedConcatLinear: one product per cluster, then one reduction over the mesh.

use super::candidates::{Reduction, reductions};
use super::{Backend, Collectives, GemmRequest, GemmRow, MAX_CHECKED_CLUSTERS, fastest, values};
use crate::Error;
use crate::watch::Tally;
use noccl_coll::gemm::{FusedConcatLinear, FusedPlan, SubmatrixShape, fused_concat_linear};
use noccl_net::{Network, TileRef};
use noccl_run::{MemoryImage, Mode, RunConfig, RunResult};
use noccl_workload::number::random_elements;
use noccl_workload::{ActionId, Place};

/// Largest mesh on which the loads of B are run too. They lie before the clock starts; their number of
/// flit-hops grows with the third power of a side.
const MAX_LOADED_CLUSTERS: usize = 1024;

/// The fastest reduction that a word stands for.
pub(super) fn best_row(
    network: &Network,
    request: &GemmRequest,
    collectives: Collectives,
    tally: &Tally<'_>,
) -> Result<GemmRow, Error> {
    if request.backend != Backend::Sim {
        return Err(Error::argument(
            "--backend",
            "model",
            "accepted: sim (S1 publishes no constants of its reductions)",
        ));
    }
    let rows = reductions(network, collectives)
        .into_iter()
        .map(|reduction| row(network, request, collectives, &reduction, tally));
    fastest(rows, collectives)
}

fn row(
    network: &Network,
    request: &GemmRequest,
    collectives: Collectives,
    reduction: &Reduction,
    tally: &Tally<'_>,
) -> Result<GemmRow, Error> {
    let clusters = network.clusters().count();
    let shape = request.submatrix;
    let compute_cycles = shape.compute_cycles(network, request.utilisation)?;
    let fused = FusedConcatLinear {
        shape,
        compute_cycles,
        reduce: reduction.choice,
        root: reduction.root,
        has_loads: clusters <= MAX_LOADED_CLUSTERS,
    };
    let plan = fused_concat_linear(network, &fused)?;
    if clusters <= MAX_CHECKED_CLUSTERS {
        noccl_workload::check(network, &plan.schedule)?;
    }
    let is_value = request.mode == Mode::Value;
    let images = if is_value {
        images(network, &plan, &fused, request.seed)
    } else {
        Vec::new()
    };
    let outputs: Vec<(Place, u64)> = is_value
        .then_some((plan.result, plan.result_bytes))
        .into_iter()
        .collect();
    let config = RunConfig {
        threads: request.threads,
        ..RunConfig::new(request.mode)
    };
    let result = tally.run(|on_progress| {
        let schedule = &plan.schedule;
        noccl_sim::run_schedule(network, schedule, &images, &outputs, &config, on_progress)
    })?;
    let mut row = GemmRow::of(network, request, collectives, shape, compute_cycles);
    row.spread = format!("{} into {}", reduction.choice, reduction.root);
    measure(&plan, &result, &mut row);
    row.add_run(network, &result, 1);
    row.conclude_sum();
    if is_value {
        row.verified = Some(interpreted(network, &plan, &images)? == result.memory);
    }
    Ok(row)
}

/// The clock runs from the first kernel's start to the end of the reduction.
fn measure(plan: &FusedPlan, result: &RunResult, row: &mut GemmRow) {
    let ActionId(kernel) = plan.kernel;
    let kernel = result.actions[kernel as usize];
    let end = result.actions.iter().map(|a| a.finish_cycle).max();
    let end = end.unwrap_or(kernel.finish_cycle);
    row.iterations = 1;
    row.iteration_cycles = (end - kernel.start_cycle) as f64;
    row.communication_cycles = (end - kernel.finish_cycle) as f64;
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
            FusedPlan::b_source(shape, at)
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
