// SPDX-License-Identifier: Apache-2.0
//! What is asked: kernel, meshes, submatrices, collectives.

use super::shapes::Problem;
use crate::{CheckpointRequest, Error};
use noccl_coll::gemm::{DEFAULT_UTILISATION, Spread, SubmatrixShape, Sync};
use noccl_model::Calibration;
use noccl_run::Mode;
use noccl_workload::ElementType;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Longest side of a submatrix.
const MAX_SIDE: u32 = 1 << 16;
/// Most slots per input.
const MAX_PREFETCH: u32 = 1 << 10;
/// Most timed iterations.
const MAX_ITERATIONS: u32 = 1 << 20;

/// How a matrix product is distributed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GemmKernel {
    /// A along rows, B along columns, iteration by iteration (S1 §4.3.1).
    Summa,
    /// The inner dimension over all clusters, then one reduction (S1 §4.3.2).
    FusedConcatLinear,
}

/// Who does the communication.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Collectives {
    /// DMA engines and barriers: the fastest software algorithm of S1.
    Software,
    /// DMA engines that wake each other: the fastest algorithm without barriers within a collective.
    Deliveries,
    /// The network's multicasts and reductions.
    InNetwork,
}

impl Collectives {
    /// All of them, software first.
    pub const ALL: [Self; 3] = [Self::Software, Self::Deliveries, Self::InNetwork];

    /// Name in tables and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Collectives::Software => "software",
            Collectives::Deliveries => "deliveries",
            Collectives::InNetwork => "in_network",
        }
    }
}

/// What yields the cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Backend {
    /// The simulator, cycle by cycle.
    Sim,
    /// Our model of the same schedule, action by action, with calibrated constants (`noccl_model::predict`).
    Model,
    /// S1's equations with its constants, which charge one cycle per hop and no barrier.
    Published,
    /// The same with two cycles per hop of a software transfer, as the authors' own model has them later.
    PublishedWithDistance,
}

/// Where the sum of a fused product is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FusedRoot {
    /// In the network in the corner or in the middle, whichever is faster; software in the corner.
    Best,
    /// Cluster (0, 0), as in S1.
    Corner,
}

impl Backend {
    /// All of them, the simulator first.
    pub const ALL: [Self; 4] = [
        Backend::Sim,
        Backend::Model,
        Backend::Published,
        Backend::PublishedWithDistance,
    ];

    /// Name in tables and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Backend::Sim => "sim",
            Backend::Model => "model",
            Backend::Published => "published",
            Backend::PublishedWithDistance => "published_with_distance",
        }
    }
}

/// Matrix products on meshes of `collective_noc`.
#[derive(Debug, Clone, PartialEq)]
pub struct GemmRequest {
    /// How the product is distributed.
    pub kernel: GemmKernel,
    /// Columns and rows of clusters, powers of two.
    pub meshes: Vec<(u32, u32)>,
    /// What yields the cycles; rows of several stand beside each other.
    pub backends: Vec<Backend>,
    /// Constants of our model; `None` for those that ship with the library.
    pub calibration: Option<Calibration>,
    /// Product that the mesh works on; `None` for submatrices given by hand, without an end.
    pub problem: Option<Problem>,
    /// Submatrices of one cluster and iteration; with a problem they are chosen per mesh instead.
    pub submatrix: SubmatrixShape,
    /// Share of the FPUs' peak that the inner kernel reaches.
    pub utilisation: f64,
    /// Steady-state iterations that are timed.
    pub iterations: u32,
    /// Slots per input in every cluster; 2 is double buffering.
    pub prefetch: u32,
    /// Who communicates.
    pub collectives: Vec<Collectives>,
    /// Where the sum of a fused product is wanted.
    pub root: FusedRoot,
    /// What orders the use of buffers; software always uses barriers.
    pub sync: Sync,
    /// Price a step by S1's method too, square meshes and equal submatrices of A, B and C only.
    pub has_line_energy: bool,
    /// Value mode multiplies and compares, timing mode is faster.
    pub mode: Mode,
    /// Seed of the inputs in value mode.
    pub seed: u64,
    /// Threads of one run; results do not depend on it.
    pub threads: usize,
    /// Fields of the spec that differ from the preset.
    pub overrides: Vec<(String, String)>,
    /// Save the runs, or go on with saved ones.
    pub checkpoint: Option<CheckpointRequest>,
}

impl GemmRequest {
    /// S1's submatrices, double buffered, with barriers, by software and in the network, in timing mode.
    #[must_use]
    pub fn new(kernel: GemmKernel, meshes: Vec<(u32, u32)>, collectives: Vec<Collectives>) -> Self {
        Self {
            kernel,
            meshes,
            backends: vec![Backend::Sim],
            calibration: None,
            problem: None,
            submatrix: SubmatrixShape {
                rows: 18,
                columns: 18,
                inner: 18,
                element: ElementType::Fp64,
            },
            utilisation: DEFAULT_UTILISATION,
            iterations: 4,
            prefetch: 2,
            collectives,
            root: FusedRoot::Best,
            sync: Sync::Barriers,
            has_line_energy: false,
            mode: Mode::Timing,
            seed: 1,
            threads: 1,
            overrides: Vec::new(),
            checkpoint: None,
        }
    }

    /// Limits that keep all counts in their types.
    pub(super) fn check(&self) -> Result<(), Error> {
        let limits = [
            ("--prefetch", self.prefetch, MAX_PREFETCH),
            ("--iterations", self.iterations, MAX_ITERATIONS),
        ];
        for (name, found, most) in limits {
            if !(1..=most).contains(&found) {
                return Err(Error::argument(
                    name,
                    found,
                    format!("accepted: 1 to {most}"),
                ));
            }
        }
        let is_simulated = self.backends.contains(&Backend::Sim);
        if self.collectives == [Collectives::Deliveries] && !is_simulated {
            let found = self.backends.first().map_or("", |backend| backend.name());
            let accepted = "accepted with deliveries: sim; equations are of software, in_network";
            return Err(Error::argument("--backend", found, accepted));
        }
        Ok(())
    }

    pub(super) const fn sync_with(&self, spread: Spread) -> Sync {
        match spread {
            Spread::InNetwork => self.sync,
            Spread::Tree | Spread::Chain { .. } | Spread::Deliveries { .. } => Sync::Barriers,
        }
    }
}

/// Reads the name of a kernel.
///
/// # Errors
/// [`Error::Argument`] with the accepted names.
pub fn parse_gemm_kernel(text: &str) -> Result<GemmKernel, Error> {
    match text {
        "summa" => Ok(GemmKernel::Summa),
        "fused_concat_linear" => Ok(GemmKernel::FusedConcatLinear),
        _ => Err(Error::argument(
            "KERNEL",
            text,
            "accepted: summa, fused_concat_linear",
        )),
    }
}

/// Reads names of backends, or `all`.
///
/// # Errors
/// [`Error::Argument`] with the accepted names.
pub fn parse_backends(text: &str) -> Result<Vec<Backend>, Error> {
    if text == "all" {
        return Ok(Backend::ALL.to_vec());
    }
    let one = |name: &str| Backend::ALL.into_iter().find(|b| b.name() == name);
    let names = Backend::ALL.map(Backend::name).join(", ");
    text.split(',')
        .map(|name| {
            one(name).ok_or_else(|| {
                Error::argument("--backend", name, format!("accepted: {names}, all"))
            })
        })
        .collect()
}

/// Reads `WxH`.
///
/// # Errors
/// [`Error::Argument`].
pub fn parse_mesh(text: &str) -> Result<(u32, u32), Error> {
    let side = |text: &str| text.parse::<u32>().ok().filter(|n| *n >= 1);
    let sides = text.split_once('x').and_then(|(w, h)| side(w).zip(side(h)));
    sides.ok_or_else(|| Error::argument("--mesh", text, "accepted: WxH, e.g. 64x64"))
}

/// Reads `software`, `deliveries`, `in_network` or `all`.
///
/// # Errors
/// [`Error::Argument`].
pub fn parse_collectives(text: &str) -> Result<Vec<Collectives>, Error> {
    match text {
        "software" => Ok(vec![Collectives::Software]),
        "deliveries" => Ok(vec![Collectives::Deliveries]),
        "in_network" => Ok(vec![Collectives::InNetwork]),
        "all" => Ok(Collectives::ALL.to_vec()),
        _ => Err(Error::argument(
            "--collectives",
            text,
            "accepted: software, deliveries, in_network, all",
        )),
    }
}

/// Reads `best` or `corner`.
///
/// # Errors
/// [`Error::Argument`].
pub fn parse_fused_root(text: &str) -> Result<FusedRoot, Error> {
    match text {
        "best" => Ok(FusedRoot::Best),
        "corner" => Ok(FusedRoot::Corner),
        _ => Err(Error::argument("--root", text, "accepted: best, corner")),
    }
}

/// Reads `barriers` or `flags`.
///
/// # Errors
/// [`Error::Argument`].
pub fn parse_sync(text: &str) -> Result<Sync, Error> {
    match text {
        "barriers" => Ok(Sync::Barriers),
        "flags" => Ok(Sync::Flags),
        _ => Err(Error::argument("--sync", text, "accepted: barriers, flags")),
    }
}

/// Reads `MxNxK` with rows, columns and inner dimension of the submatrices; FP64.
///
/// # Errors
/// [`Error::Argument`].
pub fn parse_submatrix(text: &str, element: ElementType) -> Result<SubmatrixShape, Error> {
    let sides: Option<Vec<u32>> = text
        .split('x')
        .map(|n| n.parse().ok().filter(|n| (1..=MAX_SIDE).contains(n)))
        .collect();
    match sides.as_deref() {
        Some([rows, columns, inner]) => Ok(SubmatrixShape {
            rows: *rows,
            columns: *columns,
            inner: *inner,
            element,
        }),
        Some(_) | None => Err(Error::argument(
            "--submatrix",
            text,
            "accepted: ROWSxCOLUMNSxINNER, each 1 to 65536, e.g. 18x18x18",
        )),
    }
}
