// SPDX-License-Identifier: Apache-2.0
//! `noccl npb`

use crate::args::{OverrideArgs, size};
use crate::progress::watched;
use crate::table::{Align, grouped, table};
use crate::verbs::Verb;
use crate::{Outcome, output, progress};
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
    /// Print the rows as JSON, each with every quantity
    #[arg(long)]
    json: bool,
}

impl Verb for Npb {
    fn run(&self) -> Result<Outcome, Error> {
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
        if self.json {
            output::json(&rows)?;
        } else {
            output::result(&text(&rows))?;
        }
        let is_wrong = rows.iter().any(|row| row.verified == Some(false));
        Ok(if is_wrong {
            Outcome::Failed
        } else {
            Outcome::Fine
        })
    }
}

fn text(rows: &[NpbRow]) -> String {
    use Align::{Left, Right};
    let header = [
        ("kernel", Left),
        ("class", Left),
        ("ranks", Right),
        ("library", Left),
        ("cycles", Right),
        ("timed part", Right),
        ("compute", Right),
        ("send", Right),
        ("receive", Right),
        ("wait", Right),
        ("messages", Right),
        ("bytes", Right),
        ("instructions", Right),
        ("results", Left),
    ];
    let lines: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let network = rows.first().map_or("", |row| &row.network);
    format!("{}network: {network}\n", table(&header, &lines))
}

fn cells(row: &NpbRow) -> Vec<String> {
    let of_ranks = row.compute_cycles + row.send_cycles + row.receive_cycles + row.wait_cycles;
    let part = |cycles: u64| format!("{:.1} %", 100.0 * cycles as f64 / of_ranks.max(1) as f64);
    let right = row.verification.iter().filter(|q| q.is_right == Some(true));
    let results = match row.verified {
        Some(true) => format!("verified ({} numbers)", right.count()),
        Some(false) => "wrong".to_owned(),
        None => "no reference".to_owned(),
    };
    vec![
        row.kernel.clone(),
        row.class.clone(),
        row.ranks.to_string(),
        row.library.clone(),
        grouped(row.cycles),
        grouped(row.timed_cycles),
        part(row.compute_cycles),
        part(row.send_cycles),
        part(row.receive_cycles),
        part(row.wait_cycles),
        grouped(row.messages),
        grouped(row.bytes),
        grouped(row.instructions),
        results,
    ]
}
