// SPDX-License-Identifier: Apache-2.0
//! What is asked: kernel, meshes, submatrices, collectives.

use super::shapes::Problem;
#[cfg(feature = "clap")]
use super::shapes::parse_problem;
use crate::request::words;
use crate::{CheckpointRequest, Error};
#[cfg(feature = "clap")]
use crate::{parse_element, parse_mode, parse_threads};
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

/// What yields the cycles; the command line reads it as one text.
pub type Backends = Vec<Backend>;
/// Who communicates; the command line reads it as one text.
pub type Communication = Vec<Collectives>;
/// A product by its name; none for S1's submatrices.
pub type NamedProblem = Option<Problem>;

/// Matrix products on meshes of `collective_noc`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct GemmRequest {
    /// summa or fused_concat_linear
    #[cfg_attr(feature = "clap", arg(value_name = "KERNEL", value_parser = parse_gemm_kernel))]
    #[serde(deserialize_with = "words::gemm_kernel")]
    pub kernel: GemmKernel,
    /// Columns and rows of clusters, powers of two
    #[cfg_attr(feature = "clap", arg(id = "mesh", long = "mesh", value_name = "WxH,...", value_delimiter = ',', value_parser = parse_mesh, default_value = "4x4"))]
    #[serde(deserialize_with = "words::meshes")]
    pub meshes: Vec<(u32, u32)>,
    /// software (S1's, with barriers), deliveries (software without barriers within a collective), in_network or all
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME", default_value = "all", value_parser = parse_collectives))]
    #[serde(deserialize_with = "words::communication")]
    pub collectives: Communication,
    /// Where the sum of fused_concat_linear is wanted in the network: best (corner or middle, whichever is
    /// faster) or corner (the paper's cluster 0); software always takes the corner
    #[cfg_attr(feature = "clap", arg(long, value_name = "PLACE", default_value = "best", value_parser = parse_fused_root))]
    #[serde(deserialize_with = "words::fused_root")]
    pub root: FusedRoot,
    /// sim (cycle by cycle), model (our model of the same schedule), published (the paper's equations and
    /// constants) or published_with_distance (with two cycles per hop of a software transfer more); of several
    /// or all the table has their distance from the simulation
    #[cfg_attr(feature = "clap", arg(id = "backend", long = "backend", value_name = "NAME,...|all", default_value = "sim", value_parser = parse_backends))]
    #[serde(rename = "backend", deserialize_with = "words::backends")]
    pub backends: Backends,
    /// Constants of our model; `None` for those that ship with the library.
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub calibration: Option<Box<Calibration>>,
    /// Submatrices that a cluster holds of each input; 2 is double buffering
    #[cfg_attr(feature = "clap", arg(long, value_name = "SLOTS", default_value_t = 2))]
    pub prefetch: u32,
    /// barriers or flags: what keeps a slot from being read too soon or overwritten too early;
    /// software always takes barriers
    #[cfg_attr(feature = "clap", arg(long, default_value = "barriers", value_parser = parse_sync))]
    #[serde(deserialize_with = "words::sync")]
    pub sync: Sync,
    /// collective_noc (the paper's submatrices) or a product of a language model, e.g. llama_3_1_8b.gate;
    /// a wrong name lists all
    #[cfg_attr(feature = "clap", arg(id = "shape", long = "shape", value_name = "NAME", default_value = "collective_noc", value_parser = parse_problem))]
    #[serde(rename = "shape", deserialize_with = "words::problem")]
    pub problem: NamedProblem,
    /// Submatrices of one cluster and iteration instead of the shape's
    #[cfg_attr(feature = "clap", arg(long, value_name = "ROWSxCOLUMNSxINNER", conflicts_with = "shape", value_parser = parse_submatrix))]
    #[serde(deserialize_with = "words::submatrix")]
    pub submatrix: Option<Sides>,
    /// Element of A and B with --submatrix: fp64, fp32, fp16, bf16, fp8_e4m3 or fp8_e5m2
    #[cfg_attr(feature = "clap", arg(long, default_value = "fp64", value_parser = parse_element))]
    #[serde(deserialize_with = "words::element")]
    pub element: ElementType,
    /// Share of the FPUs' peak that the inner kernel reaches
    #[cfg_attr(feature = "clap", arg(long, value_name = "SHARE"))]
    pub utilisation: Option<f64>,
    /// Steady-state iterations that are timed
    #[cfg_attr(feature = "clap", arg(long, default_value_t = 4))]
    pub iterations: u32,
    /// value (multiplies, and compares with the product) or timing (same cycles, faster)
    #[cfg_attr(feature = "clap", arg(long, default_value = "timing", value_parser = parse_mode))]
    #[serde(deserialize_with = "words::mode")]
    pub mode: Mode,
    /// Seed of the random inputs
    #[cfg_attr(feature = "clap", arg(long, default_value_t = 1))]
    pub seed: u64,
    /// Threads of one run (1 to 256); the result does not depend on it
    #[cfg_attr(feature = "clap", arg(long, default_value_t = 1, value_parser = parse_threads))]
    pub threads: usize,
    /// Price an iteration by the paper's method too: events of one line of clusters, times the lines (JSON only)
    #[cfg_attr(feature = "clap", arg(long = "line-energy"))]
    pub has_line_energy: bool,
    /// Fields of the spec that differ from the preset.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub overrides: Vec<(String, String)>,
    /// Save the runs, or go on with saved ones.
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub checkpoint: Option<CheckpointRequest>,
}

impl Default for GemmRequest {
    fn default() -> Self {
        Self {
            kernel: GemmKernel::Summa,
            meshes: vec![(4, 4)],
            backends: vec![Backend::Sim],
            calibration: None,
            problem: None,
            submatrix: None,
            element: ElementType::Fp64,
            utilisation: None,
            iterations: 4,
            prefetch: 2,
            collectives: Collectives::ALL.to_vec(),
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
}

impl GemmRequest {
    /// S1's submatrices, double buffered, with barriers, in timing mode.
    #[must_use]
    pub fn new(kernel: GemmKernel, meshes: Vec<(u32, u32)>, collectives: Vec<Collectives>) -> Self {
        Self {
            kernel,
            meshes,
            collectives,
            ..Self::default()
        }
    }

    /// Submatrices of one cluster and iteration, S1's if none are given; with a problem they are chosen per mesh instead.
    pub(super) fn shape(&self) -> SubmatrixShape {
        let ([rows, columns, inner], element) = match self.submatrix {
            Some(sides) => (sides, self.element),
            None => ([18; 3], ElementType::Fp64),
        };
        SubmatrixShape {
            rows,
            columns,
            inner,
            element,
        }
    }

    /// Share of the FPUs' peak that the inner kernel reaches.
    pub(super) fn utilisation(&self) -> f64 {
        self.utilisation.unwrap_or(DEFAULT_UTILISATION)
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

/// Rows, columns and inner dimension of submatrices.
pub type Sides = [u32; 3];

/// Reads `MxNxK` with rows, columns and inner dimension of the submatrices.
///
/// # Errors
/// [`Error::Argument`].
pub fn parse_submatrix(text: &str) -> Result<Sides, Error> {
    let side = |text: &str| text.parse().ok().filter(|n| (1..=MAX_SIDE).contains(n));
    let sides: Option<Vec<u32>> = text.split('x').map(side).collect();
    sides
        .and_then(|sides| sides.try_into().ok())
        .ok_or_else(|| {
            let accepted = "accepted: ROWSxCOLUMNSxINNER, each 1 to 65536, e.g. 18x18x18";
            Error::argument("--submatrix", text, accepted)
        })
}
