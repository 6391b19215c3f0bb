// SPDX-License-Identifier: Apache-2.0
//! One attention layer on a mesh, all heads, cycle by cycle.

use crate::request::words;
use crate::{Error, Verified, load};
#[cfg(feature = "clap")]
use crate::{gemm::parse_mesh, parse_element, parse_mode, parse_threads};
use noccl_coll::gemm::{
    Attention, AttentionPlan, DEFAULT_UTILISATION, Matrix, SubmatrixShape, flat_attention,
};
use noccl_net::{AxiNetwork, Coord, Network, TileRef};
use noccl_run::{Counters, MemoryImage, Mode, RunConfig, RunResult, Tally, Watch, energy_pj};
use noccl_workload::number::random_elements;
use noccl_workload::{ElementType, Place};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An attention layer on one mesh of `collective_noc`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct AttentionRequest {
    /// Columns and rows of clusters, powers of two
    #[cfg_attr(feature = "clap", arg(long, value_name = "WxH", value_parser = parse_mesh, default_value = "32x32"))]
    #[serde(deserialize_with = "words::mesh")]
    pub mesh: (u32, u32),
    /// Rows of Q, K and V; a multiple of both sides of the mesh
    #[cfg_attr(feature = "clap", arg(long, default_value_t = 4096))]
    pub tokens: u32,
    /// Columns of Q, K and V of a head
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "COLUMNS", default_value_t = 128)
    )]
    pub head_columns: u32,
    /// Heads, each with its own keys and values
    #[cfg_attr(feature = "clap", arg(long, default_value_t = 32))]
    pub heads: u32,
    /// Element of Q, K, V and of the softmax: fp64, fp32, fp16 or bf16; sums are fp64 or fp32
    #[cfg_attr(feature = "clap", arg(long, default_value = "fp16", value_parser = parse_element))]
    #[serde(deserialize_with = "words::element")]
    pub element: ElementType,
    /// Share of the FPUs' peak that products reach
    #[cfg_attr(feature = "clap", arg(long, value_name = "SHARE"))]
    pub utilisation: Option<f64>,
    /// FPU operations of one exponential
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "OPERATIONS", default_value_t = 8)
    )]
    pub exponential_operations: u32,
    /// value (computes, and compares with the reference) or timing (same cycles, faster)
    #[cfg_attr(feature = "clap", arg(long, default_value = "timing", value_parser = parse_mode))]
    #[serde(deserialize_with = "words::mode")]
    pub mode: Mode,
    /// Seed of the random inputs
    #[cfg_attr(feature = "clap", arg(long, default_value_t = 1))]
    pub seed: u64,
    /// Threads (1 to 256); the result does not depend on it
    #[cfg_attr(feature = "clap", arg(long, default_value_t = 1, value_parser = parse_threads))]
    pub threads: usize,
    /// Fields of the spec that differ from the preset with an L1 of 1 MiB.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub overrides: Vec<(String, String)>,
}

impl AttentionRequest {
    const fn layer(&self) -> Attention {
        Attention {
            tokens: self.tokens,
            head_columns: self.head_columns,
            heads: self.heads,
            element: self.element,
            utilisation: match self.utilisation {
                Some(share) => share,
                None => DEFAULT_UTILISATION,
            },
            exponential_operations: self.exponential_operations,
        }
    }
}

/// What an attention layer took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AttentionRow {
    /// The network, with what was set beside its preset.
    pub network: String,
    /// Clusters, `WxH`.
    pub mesh: String,
    /// Rows of Q, K and V.
    pub tokens: u32,
    /// Columns of Q, K and V of a head.
    pub head_columns: u32,
    /// Heads.
    pub heads: u32,
    /// Element of Q, K, V and of the softmax.
    pub element: ElementType,
    /// From the first load to the last head's reduced output.
    pub cycles: u64,
    /// Cycles per head, without the first one's loads and the last one's reduction.
    pub head_cycles: f64,
    /// Cycles of a head's kernels, all of them.
    pub compute_cycles: u64,
    /// Multiply-adds of both products ÷ what the FPUs could do in all cycles.
    pub utilisation: f64,
    /// Events of the run.
    pub counters: Counters,
    /// Energy of these events; a softmax's operations cost nothing here.
    pub energy_pj: f64,
    /// Value mode: does the last head's output equal the reference interpreter's, bit by bit?
    pub verified: Verified,
}

/// Runs an attention layer.
///
/// # Errors
/// [`Error::Coll`] if it does not fit the mesh, [`Error::Run`] if the run cannot finish.
pub fn attention(request: &AttentionRequest, watch: Watch<'_>) -> Result<AttentionRow, Error> {
    let (width, height) = request.mesh;
    let preset = format!("collective_noc_{width}x{height}_large");
    let loaded = load(&preset, &request.overrides)?.network;
    let network = Error::axi(&loaded, "attention")?;
    let plan = flat_attention(network, &request.layer())?;
    noccl_workload::check(&network, &plan.schedule)?;
    let is_value = request.mode == Mode::Value;
    let inputs = if is_value {
        images(request, &plan)
    } else {
        Vec::new()
    };
    let outputs = if is_value {
        outputs(&network, request, &plan)?
    } else {
        Vec::new()
    };
    let config = RunConfig {
        threads: request.threads,
        ..RunConfig::new(request.mode)
    };
    let result = Tally::run_actions(watch, |on_progress| {
        let schedule = &plan.schedule;
        noccl_sim::run_schedule(&network, schedule, &inputs, &outputs, &config, on_progress)
    })?;
    let mut row = row(network, request, &plan, &result);
    if is_value {
        let expected = interpreted(&network, &plan, &inputs, &outputs)?;
        row.verified = Verified::compared(expected == result.memory);
    }
    Ok(row)
}

fn row(
    network: AxiNetwork<'_>,
    request: &AttentionRequest,
    plan: &AttentionPlan,
    result: &RunResult,
) -> AttentionRow {
    let times = &result.actions;
    let start = times.iter().map(|a| a.start_cycle).min();
    let end = times.iter().map(|a| a.finish_cycle).max();
    // 0: without actions nothing takes time.
    let cycles = start.zip(end).map_or(0, |(start, end)| end - start);
    let left = |head: usize| {
        plan.barriers
            .get(head)
            .map(|b| times[b.0 as usize].finish_cycle)
    };
    let heads = plan.barriers.len();
    let steady = left(heads - 1).zip(left(0)).filter(|_| heads > 1);
    let head_cycles = steady.map_or(cycles as f64, |(last, first)| {
        (last - first) as f64 / (heads - 1) as f64
    });
    let clusters = network.clusters().count() as f64;
    let cluster = &network.axi().cluster;
    let lanes = u64::from(cluster.num_cores) * (8 / request.element.bytes());
    let peak = clusters * lanes as f64 * cycles as f64;
    AttentionRow {
        network: network.spec().label(),
        mesh: format!("{}x{}", network.cluster_width(), network.cluster_height()),
        tokens: request.tokens,
        head_columns: request.head_columns,
        heads: request.heads,
        element: request.element,
        cycles,
        head_cycles,
        compute_cycles: plan.compute_cycles,
        utilisation: result.counters.gemm_ops as f64 / peak,
        counters: result.counters,
        energy_pj: energy_pj(&result.counters, &network.axi().energy),
        verified: Verified::NotChecked,
    }
}

/// Random slices of Q, K and V in the memory tiles, for as many heads as lie there.
fn images(request: &AttentionRequest, plan: &AttentionPlan) -> Vec<MemoryImage> {
    let mut images = Vec::new();
    for matrix in Matrix::BOTH {
        for line in 0..plan.layout.lines(matrix) {
            for head in 0..request.heads {
                let place = plan.layout.source(matrix, line, head);
                let stream = (u64::from(head) << 32) | (u64::from(line) << 1);
                let stream = stream | u64::from(matrix == Matrix::B);
                let bytes = plan.layout.bytes(matrix) as usize;
                images.push(MemoryImage {
                    tile: place.tile,
                    offset: place.offset,
                    bytes: random_elements(
                        request.seed.wrapping_add(stream),
                        bytes,
                        request.element,
                    ),
                });
            }
        }
    }
    images
}

/// The last head's output in every row's westernmost cluster.
fn outputs(
    network: &Network,
    request: &AttentionRequest,
    plan: &AttentionPlan,
) -> Result<Vec<(Place, u64)>, Error> {
    let (rows, columns) = plan.o_shape;
    let shape = SubmatrixShape {
        rows,
        columns,
        inner: 1,
        element: request.element,
    };
    let bytes = shape.c_bytes()?;
    let rows = 0..network.cluster_height();
    Ok(rows
        .map(|y| {
            let place = Place {
                tile: TileRef::Cluster(Coord::new(0, y)),
                offset: plan.o_offset,
            };
            (place, bytes)
        })
        .collect())
}

fn interpreted(
    network: &Network,
    plan: &AttentionPlan,
    inputs: &[MemoryImage],
    outputs: &[(Place, u64)],
) -> Result<Vec<MemoryImage>, Error> {
    let inputs: Vec<(Place, &[u8])> = inputs
        .iter()
        .map(|image| {
            let MemoryImage {
                tile,
                offset,
                bytes,
            } = image;
            let place = Place {
                tile: *tile,
                offset: *offset,
            };
            (place, bytes.as_slice())
        })
        .collect();
    let memories = noccl_workload::interpret(network, &plan.schedule, &inputs)?;
    let read = |(place, bytes): &(Place, u64)| {
        Some(MemoryImage {
            tile: place.tile,
            offset: place.offset,
            bytes: memories.read(*place, *bytes)?,
        })
    };
    Ok(outputs.iter().filter_map(read).collect())
}
