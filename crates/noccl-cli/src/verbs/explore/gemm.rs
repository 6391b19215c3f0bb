// SPDX-License-Identifier: Apache-2.0
//! `noccl gemm`

use crate::Outcome;
use crate::effects::{self, Idle};
use crate::forms::{FormArgs, RowColumn, RowTable, Value};
use crate::progress::watched;
use crate::verbs::Verb;
use clap::Args;
use noccl::collective::Verified;
use noccl::study::gemm::{Backend, COMPUTATION_SHARE, Collectives, GemmKernel};
use noccl::study::{GemmRequest, GemmRow};
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
    #[command(flatten)]
    request: GemmRequest,
    /// Constants of our model, from `noccl calibrate -o`; default: those that ship with it
    #[arg(long, value_name = "FILE")]
    calibration: Option<PathBuf>,
    #[command(flatten)]
    checkpoint: crate::args::CheckpointArgs,
    #[command(flatten)]
    overrides: crate::args::OverrideArgs,
    #[command(flatten)]
    form: FormArgs,
}

impl Verb for Gemm {
    fn idle(&self) -> Vec<Idle> {
        let request = &self.request;
        let has = |backend| request.backends.contains(&backend);
        let is_summa = request.kernel == GemmKernel::Summa;
        let of_runs = [
            "mode",
            "seed",
            "threads",
            "iterations",
            "checkpoint",
            "checkpoint_every",
        ];
        let is_software = request.collectives == [Collectives::Software];
        [
            effects::idle(!has(Backend::Sim), &of_runs, "a model", "--backend sim"),
            effects::idle(
                !has(Backend::Model),
                &["calibration"],
                "this backend",
                "--backend model",
            ),
            effects::idle(
                request.mode == Mode::Timing,
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
                request.submatrix.is_none(),
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
            effects::idle(
                !self.form.is_json(),
                &["has_line_energy"],
                "a table",
                "--json",
            ),
            self.form.idle(),
        ]
        .concat()
    }

    fn run(&self) -> Result<Outcome, Error> {
        self.form.check(&TABLE)?;
        let calibration = self.calibration.as_deref();
        let calibration = calibration.map(noccl::study::read_calibration);
        let request = GemmRequest {
            calibration: calibration.transpose()?.map(Box::new),
            overrides: self.overrides.overrides.clone(),
            checkpoint: self.checkpoint.request(),
            ..self.request.clone()
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
