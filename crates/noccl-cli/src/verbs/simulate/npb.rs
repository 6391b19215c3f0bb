// SPDX-License-Identifier: Apache-2.0
//! `noccl npb`

use crate::args::{OverrideArgs, size};
use crate::effects::Idle;
use crate::forms::{FormArgs, RowColumn, RowTable, Value};
use crate::progress::watched;
use crate::verbs::Verb;
use crate::{Outcome, progress};
use clap::Args;
use noccl::Error;
use noccl::program::{NpbRequest, NpbRow};

/// Run NAS Parallel Benchmarks on executed cores
///
/// The results are compared with the published ones.
///
/// IS, CG, MG, FT and LU in C (programs/npb, written from the published definitions), compiled for RISC-V cores on S4's mesh. Libraries: nocmsg
/// (S4's, whose collectives know the mesh), plain (the same messages, trees and shifts of ranks), interrupt (plain, and each message costs what the
/// presets tilepro64_WxH_interrupt say), calls (the runtime of programs of ranks, on any network: `noccl build --calls`). `all` is the first three. Cycles of compute, send, receive and wait are those of all ranks together.
///
/// Exit code 1 if a result is not the published one.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl npb is,mg --ranks 4
  noccl npb is,cg,mg,ft,lu --class S --ranks 16 --library all
  noccl npb ft --ranks 16 --library calls --spec collective_noc_4x4
  noccl npb cg --class W --ranks 16 --program-memory 16MiB --json")]
pub struct Npb {
    /// Kernels: is, cg, mg, ft, lu, between commas, or all
    #[arg(value_name = "KERNELS")]
    kernels: String,
    /// Size: S (sample), W (workstation), A, or X: sizes that -D states
    #[arg(long, value_name = "CLASS", default_value = "S")]
    class: String,
    /// Number of ranks, one per core
    #[arg(long, value_name = "N")]
    ranks: u32,
    /// Message libraries: nocmsg, plain, interrupt, calls, between commas, or all
    #[arg(long, value_name = "LIST", default_value = "nocmsg")]
    library: String,
    /// Network, of core tiles unless the library is calls [default: the smallest of tilepro64_WxH that holds the ranks]
    #[arg(long, value_name = "SPEC")]
    spec: Option<String>,
    #[command(flatten)]
    overrides: OverrideArgs,
    /// What instructions cost: a name (in_order, one_cycle, tilepro64) or a TOML file
    #[arg(long, value_name = "TABLE", default_value = "in_order")]
    costs: String,
    /// Memory of each core
    #[arg(long, value_name = "BYTES", default_value = "16MiB", value_parser = size)]
    program_memory: u64,
    /// Define a macro of the sources; may be repeated
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    define: Vec<String>,
    #[command(flatten)]
    form: FormArgs,
}

impl Verb for Npb {
    fn idle(&self) -> Vec<Idle> {
        self.form.idle()
    }

    fn run(&self) -> Result<Outcome, Error> {
        self.form.check(&TABLE)?;
        let request = NpbRequest {
            kernels: noccl::program::parse_npb_kernels(&self.kernels)?,
            class: noccl::program::parse_npb_class(&self.class)?,
            define: self.define.clone(),
            ranks: self.ranks,
            libraries: noccl::program::parse_npb_libraries(&self.library)?,
            spec: self.spec.clone(),
            overrides: self.overrides.overrides.clone(),
            costs: self.costs.clone(),
            memory_bytes: self.program_memory,
        };
        let on_step = |_: &noccl::program::CompileStep| !progress::is_asked();
        let rows = watched("ranks", |watch| {
            noccl::program::npb(&request, &on_step, watch)
        })?;
        let network = rows.first().map_or("", |row| &row.network);
        let below = format!("network: {network}\n");
        self.form.print(&TABLE, &rows, &rows, ("", &below))?;
        let is_wrong = rows.iter().any(|row| row.verified == Some(false));
        Ok(if is_wrong {
            Outcome::Failed
        } else {
            Outcome::Fine
        })
    }
}

static TABLE: RowTable<NpbRow> = RowTable {
    columns: &[
        RowColumn::words("kernel", "kernel", |row| Value::words(&row.kernel)),
        RowColumn::words("class", "class", |row| Value::words(&row.class)),
        RowColumn::number("ranks", "ranks", |row| Value::words(row.ranks.to_string())),
        RowColumn::words("library", "library", |row| Value::words(&row.library)),
        RowColumn::number("cycles", "cycles", |row| Value::count(row.cycles)),
        RowColumn::number("timed_cycles", "timed part", |row| {
            Value::count(row.timed_cycles)
        }),
        RowColumn::number("compute_percent", "compute", |row| {
            of_ranks(row, row.compute_cycles)
        }),
        RowColumn::number("send_percent", "send", |row| of_ranks(row, row.send_cycles)),
        RowColumn::number("receive_percent", "receive", |row| {
            of_ranks(row, row.receive_cycles)
        }),
        RowColumn::number("wait_percent", "wait", |row| of_ranks(row, row.wait_cycles)),
        RowColumn::number("messages", "messages", |row| Value::count(row.messages)),
        RowColumn::number("message_bytes", "bytes", |row| Value::count(row.bytes)),
        RowColumn::number("instructions", "instructions", |row| {
            Value::count(row.instructions)
        }),
        RowColumn::words("results", "results", |row| Value::words(results(row))),
    ],
    dropped_first: &["instructions", "message_bytes", "messages"],
};

/// A part of the cycles of all ranks.
fn of_ranks(row: &NpbRow, cycles: u64) -> Value {
    let all = row.compute_cycles + row.send_cycles + row.receive_cycles + row.wait_cycles;
    Value::percent(cycles as f64 / all.max(1) as f64)
}

fn results(row: &NpbRow) -> String {
    let right = row.verification.iter().filter(|q| q.is_right == Some(true));
    match row.verified {
        Some(true) => format!("verified ({} numbers)", right.count()),
        Some(false) => "wrong".to_owned(),
        None => "no reference".to_owned(),
    }
}
