// SPDX-License-Identifier: Apache-2.0
//! `noccl gemm`

use crate::Outcome;
use crate::effects::{self, Idle};
use crate::forms::{FormArgs, RowColumn, RowTable, Value};
use crate::progress::watched;
use crate::verbs::Verb;
use clap::Args;
use noccl::collective::{ElementType, Verified};
use noccl::study::gemm::{
    Backend, COMPUTATION_SHARE, Collectives, FusedRoot, GemmKernel, parse_backends,
    parse_collectives, parse_fused_root, parse_gemm_kernel, parse_mesh, parse_problem,
    parse_submatrix, parse_sync,
};
use noccl::study::{GemmRequest, GemmRow, GemmSync};
use noccl::{Error, Mode};
use std::path::PathBuf;

/// Matrix products on meshes of clusters
///
/// Reports cycles per iteration, what limits them, and the speedup by in-network collectives.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl gemm summa --mesh 4x4,8x8,16x16 --collectives all
  noccl gemm summa --mesh 256x256 --collectives in_network --sync flags --prefetch 4 --json
  noccl gemm summa --mesh 4x4 --collectives all --mode value
  noccl gemm summa --mesh 64x64 --collectives all --backend all
  noccl gemm summa --mesh 16x16 --shape llama_3_1_8b.gate --collectives all
  noccl gemm fused_concat_linear --mesh 4x4,8x8 --collectives all --mode value")]
pub struct Gemm {
    /// summa or fused_concat_linear
    #[arg(value_name = "KERNEL", value_parser = parse_gemm_kernel)]
    kernel: GemmKernel,
    /// Columns and rows of clusters, powers of two
    #[arg(long, value_name = "WxH,...", value_delimiter = ',', value_parser = parse_mesh, default_value = "4x4")]
    mesh: Vec<(u32, u32)>,
    /// software (S1's, with barriers), deliveries (software without barriers within a collective), in_network or all
    #[arg(long, value_name = "NAME", default_value = "all")]
    collectives: String,
    /// Where the sum of fused_concat_linear is wanted in the network: best (corner or middle, whichever is
    /// faster) or corner (the paper's cluster 0); software always takes the corner
    #[arg(long, value_name = "PLACE", default_value = "best", value_parser = parse_fused_root)]
    root: FusedRoot,
    /// sim (cycle by cycle), model (our model of the same schedule), published (the paper's equations and
    /// constants) or published_with_distance (with two cycles per hop of a software transfer more); of several
    /// or all the table has their distance from the simulation
    #[arg(long, value_name = "NAME,...|all", default_value = "sim")]
    backend: String,
    /// Constants of our model, from `noccl calibrate -o`; default: those that ship with it
    #[arg(long, value_name = "FILE")]
    calibration: Option<PathBuf>,
    /// Submatrices that a cluster holds of each input; 2 is double buffering
    #[arg(long, value_name = "SLOTS", default_value_t = 2)]
    prefetch: u32,
    /// barriers or flags: what keeps a slot from being read too soon or overwritten too early;
    /// software always takes barriers
    #[arg(long, default_value = "barriers", value_parser = parse_sync)]
    sync: GemmSync,
    /// collective_noc (the paper's submatrices) or a product of a language model, e.g. llama_3_1_8b.gate;
    /// a wrong name lists all
    #[arg(long, value_name = "NAME", default_value = "collective_noc")]
    shape: String,
    /// Submatrices of one cluster and iteration instead of the shape's
    #[arg(long, value_name = "ROWSxCOLUMNSxINNER", conflicts_with = "shape")]
    submatrix: Option<String>,
    /// Element of A and B with --submatrix: fp64, fp32, fp16, bf16, fp8_e4m3 or fp8_e5m2
    #[arg(long, default_value = "fp64", value_parser = noccl::collective::parse_element)]
    element: ElementType,
    /// Share of the FPUs' peak that the inner kernel reaches
    #[arg(long, value_name = "SHARE")]
    utilisation: Option<f64>,
    /// Steady-state iterations that are timed
    #[arg(long, default_value_t = 4)]
    iterations: u32,
    /// value (multiplies, and compares with the product) or timing (same cycles, faster)
    #[arg(long, default_value = "timing", value_parser = crate::args::parse_mode)]
    mode: Mode,
    /// Seed of the random inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads of one run (1 to 256); the result does not depend on it
    #[arg(long, default_value_t = 1, value_parser = crate::args::parse_threads)]
    threads: usize,
    #[command(flatten)]
    checkpoint: crate::args::CheckpointArgs,
    #[command(flatten)]
    overrides: crate::args::OverrideArgs,
    /// Price an iteration by the paper's method too: events of one line of clusters, times the lines (JSON only)
    #[arg(long)]
    line_energy: bool,
    #[command(flatten)]
    form: FormArgs,
}

impl Verb for Gemm {
    fn idle(&self) -> Vec<Idle> {
        // 0: what cannot be read is refused where it is read.
        let backends = parse_backends(&self.backend).unwrap_or_default();
        let has = |backend| backends.is_empty() || backends.contains(&backend);
        let is_summa = self.kernel == GemmKernel::Summa;
        let of_runs = [
            "mode",
            "seed",
            "threads",
            "iterations",
            "checkpoint",
            "checkpoint_every",
        ];
        let is_software =
            parse_collectives(&self.collectives).is_ok_and(|all| all == [Collectives::Software]);
        [
            effects::idle(!has(Backend::Sim), &of_runs, "a model", "--backend sim"),
            effects::idle(
                !has(Backend::Model),
                &["calibration"],
                "this backend",
                "--backend model",
            ),
            effects::idle(
                self.mode == Mode::Timing,
                &["seed"],
                "--mode timing",
                "--mode value",
            ),
            effects::idle(
                !is_summa,
                &["prefetch", "sync", "iterations"],
                "fused_concat_linear",
                "summa",
            ),
            effects::idle(is_summa, &["root"], "summa", "fused_concat_linear"),
            effects::idle(
                self.submatrix.is_none(),
                &["element"],
                "a shape by name",
                "--submatrix",
            ),
            effects::idle(
                is_software,
                &["sync", "root"],
                "--collectives software",
                "in_network",
            ),
            effects::idle(!self.form.is_json(), &["line_energy"], "a table", "--json"),
            self.form.idle(),
        ]
        .concat()
    }

    fn run(&self) -> Result<Outcome, Error> {
        self.form.check(&TABLE)?;
        let collectives = parse_collectives(&self.collectives)?;
        let base = GemmRequest::new(self.kernel, self.mesh.clone(), collectives);
        let by_hand = self.submatrix.as_deref();
        let by_hand = by_hand.map(|text| parse_submatrix(text, self.element));
        let request = GemmRequest {
            problem: parse_problem(&self.shape)?,
            submatrix: by_hand.transpose()?.unwrap_or(base.submatrix),
            backends: parse_backends(&self.backend)?,
            calibration: self
                .calibration
                .as_deref()
                .map(noccl::study::read_calibration)
                .transpose()?,
            root: self.root,
            has_line_energy: self.line_energy,
            prefetch: self.prefetch,
            sync: self.sync,
            utilisation: self.utilisation.unwrap_or(base.utilisation),
            iterations: self.iterations,
            mode: self.mode,
            seed: self.seed,
            threads: self.threads,
            overrides: self.overrides.overrides.clone(),
            checkpoint: self.checkpoint.request(),
            ..base
        };
        let rows = watched("products", |watch| noccl::study::gemm(&request, watch))?;
        let (above, below) = (self.overrides.heading(), legend() + &conclusion(&rows));
        self.form.print(&TABLE, &rows, &rows, (&above, &below))?;
        let is_right = rows.iter().all(|r| !r.verified.is_no());
        Ok(if is_right {
            Outcome::Fine
        } else {
            Outcome::Failed
        })
    }
}

static TABLE: RowTable<GemmRow> = RowTable {
    columns: &[
        RowColumn::words("mesh", "mesh", |r| Value::words(&r.mesh)),
        RowColumn::words("backend", "backend", |r| Value::words(r.backend.name())),
        RowColumn::words("collectives", "collectives", |r| {
            Value::words(r.collectives.name())
        }),
        RowColumn::words("by", "by", |r| {
            Value::words(match r.collectives {
                Collectives::Software | Collectives::Deliveries => &r.spread,
                Collectives::InNetwork if r.sync.is_empty() => &r.spread,
                Collectives::InNetwork => &r.sync,
            })
        }),
        RowColumn::number("slots", "slots", |r| Value::count(r.prefetch)),
        RowColumn::number("iteration_cycles", "iteration [cycles]", |r| {
            Value::fixed(r.iteration_cycles, 1)
        }),
        RowColumn::number("compute_cycles", "compute", |r| {
            Value::words(r.compute_cycles.to_string())
        }),
        RowColumn::number("communication_cycles", "communication", |r| {
            Value::fixed(r.communication_cycles, 1)
        }),
        RowColumn::number("barrier_cycles", "barrier", |r| {
            Value::fixed(r.sync_cycles, 1)
        }),
        RowColumn::words("bound_by", "bound by", |r| Value::words(r.bound_by.name())),
        RowColumn::number("fpu_use_percent", "FPU use", |r| {
            Value::percent(r.utilisation)
        }),
        RowColumn::number("speedup", "speedup", |r| {
            Value::of(r.speedup, |s| Value::fixed(s, 2))
        }),
        RowColumn::number("off_sim_percent", "off sim", |r| {
            Value::of(r.sim_error, |e| {
                let sign = if e < 0.0 { "" } else { "+" };
                Value::percent(e).signed(sign, "")
            })
        }),
    ],
    dropped_first: &[
        "slots",
        "compute_cycles",
        "barrier_cycles",
        "communication_cycles",
    ],
};

/// Are the products right?
fn conclusion(rows: &[GemmRow]) -> String {
    let count = |is: fn(Verified) -> bool| rows.iter().filter(|r| is(r.verified)).count();
    match (count(Verified::is_yes), count(Verified::is_no)) {
        (0, 0) => "\nproducts: not checked\n".to_owned(),
        (right, 0) if right == rows.len() => "\nall products are right, bit by bit\n".to_owned(),
        (right, 0) => {
            format!("\n{right} products are right, bit by bit; the others are not checked\n")
        }
        (_, wrong) => format!("\n{wrong} products are WRONG\n"),
    }
}

/// What the column "bound by" says.
fn legend() -> String {
    format!(
        "\nbound by: communication if an iteration takes longer than its kernel and the barrier behind it; else \
         computation if the kernel takes at least {:.0} % of it, else synchronisation; of a fused product the \
         longer one of kernel and reduction\n",
        100.0 * COMPUTATION_SHARE
    )
}
