// SPDX-License-Identifier: Apache-2.0
//! `noccl advise`

use crate::effects::{self, Idle};
use crate::forms::{FormArgs, RowColumn, RowTable, Value};
use crate::progress::watched;
use crate::python::{interpreter, run_ranks};
use crate::table::grouped;
use crate::verbs::Verb;
use crate::{Outcome, output};
use clap::Args;
use noccl::Error;
use noccl::collective::Verified;
use noccl::files::Scratch;
use noccl::study::gemm::parse_mesh;
use noccl::study::{Advice, AdviceEvidence, AdviceRequest, AdviceRow, AdviceSimulation};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const LEGEND: &str = "\
cycles: of all collectives; s: simulated, bytes compared, e: estimated, b: at least the bound, which is too slow to win
/bound: cycles over a proved bound of the mechanism; speedup: over software alone, of the collectives and of the whole
uJ: energy of the collectives; deadlock: freedom proved for any traffic, or checked by schedule
kGE: routers and additions per tile, without memories; FO4: critical path without wires; -: not synthesised
";

/// Is hardware for collectives worth it for a workload?
///
/// One row per mechanism: time of the whole workload, energy, area, critical path; which wins, and what would change that.
///
/// Each collective is run by the fastest algorithm that the mechanism has hardware for. A workload file has steps: collectives with sizes and
/// counts, and computation; `--show-workload` prints one that ships with the program, to be copied and changed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl advise --mesh 16x16 --workload llama3-8b-decode
  noccl advise --mesh 8x8 --workload fft --output fft.html --plot fft.svg
  noccl advise --workload stencil --show-workload > mine.toml && noccl advise --mesh 4x4 --workload mine.toml
  noccl advise --mesh 4x4 --workload jacobi.py -- 64
  noccl advise --mesh 16x16 --workload mixtral-moe --simulate all --json")]
pub struct Advise {
    /// Columns and rows of clusters, 64 at most
    #[arg(long, value_name = "WxH", value_parser = parse_mesh, default_value = "8x8")]
    mesh: (u32, u32),
    /// llama3-8b-decode, llama3-8b-prefill, mixtral-moe, fft, stencil, a TOML file, or a program: an mpi4py script (.py), which runs with a
    /// rank per cluster, or a message trace, as `noccl run program --record` writes it
    #[arg(long, value_name = "NAME|FILE")]
    workload: String,
    /// all, winners (exchanges between many clusters only where the mechanism can still win), or none: cycles are estimated
    #[arg(long, value_name = "all|winners|none", default_value = "winners", value_parser = parse_simulation)]
    simulate: AdviceSimulation,
    /// Print the command that simulates each number
    #[arg(long)]
    commands: bool,
    /// Write the files that commands of halo exchanges name into this directory
    #[arg(long, value_name = "DIRECTORY")]
    definitions: Option<PathBuf>,
    /// Write a page with table, plot and commands
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the plot of time over area (SVG)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print the workload file, of a program too, and do nothing else
    #[arg(long)]
    show_workload: bool,
    /// Arguments of a script, behind --
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<String>,
    #[command(flatten)]
    form: FormArgs,
}

/// `all`, `winners` or `none`.
fn parse_simulation(text: &str) -> Result<AdviceSimulation, Error> {
    match text {
        "all" => Ok(AdviceSimulation::All),
        "winners" => Ok(AdviceSimulation::Winners),
        "none" => Ok(AdviceSimulation::None),
        _ => Err(Error::argument(
            "--simulate",
            text,
            "accepted: all, winners, none",
        )),
    }
}

impl Verb for Advise {
    fn idle(&self) -> Vec<Idle> {
        let options = &[
            "simulate",
            "commands",
            "definitions",
            "output",
            "plot",
            "format",
            "json",
            "wide",
            "columns",
        ];
        let (on, has_text) = (
            "--show-workload",
            !self.form.is_json() && !self.form.is_csv(),
        );
        let of_text = "rows for programs; JSON has the commands";
        [
            effects::idle(self.show_workload, options, on, "an analysis"),
            effects::idle(
                self.show_workload && self.is_shipped(),
                &["mesh"],
                on,
                "an analysis, a program",
            ),
            effects::idle(
                !self.is_script(),
                &["arguments"],
                "a workload that is no script",
                "a script",
            ),
            effects::idle(!has_text, &["commands"], of_text, "--format table, md"),
            self.form.idle(),
        ]
        .concat()
    }

    fn run(&self) -> Result<Outcome, Error> {
        self.form.check(&TABLE)?;
        for file in [&self.output, &self.plot].into_iter().flatten() {
            noccl::files::check_output(file)?;
        }
        if self.show_workload && self.is_shipped() {
            // With its comments.
            output::data(noccl::study::workload_text(&self.workload)?)?;
            return Ok(Outcome::Fine);
        }
        let folder = Scratch::temporary("noccl-advise", "program");
        let file = match self.recorded(&folder)? {
            Ok(file) => file,
            Err(outcome) => return Ok(outcome),
        };
        let request = AdviceRequest {
            mesh: self.mesh,
            workload: noccl::study::read_workload_on(&file, self.mesh)?,
            simulation: self.simulate,
        };
        if self.show_workload {
            output::data(&noccl::study::workload_toml(&request.workload)?)?;
            return Ok(Outcome::Fine);
        }
        if let Some(directory) = &self.definitions {
            for (name, text) in noccl::study::advice_files(&request)? {
                noccl::files::write_file(&directory.join(name), &text)?;
            }
        }
        let advice = watched("collectives", |watch| noccl::study::advise(&request, watch))?;
        if let Some(file) = &self.output {
            noccl::files::write_file(file, &noccl::report::advice_page(&advice))?;
        }
        if let Some(file) = &self.plot {
            noccl::files::write_file(file, &noccl::report::advice_plot(&advice))?;
        }
        let (above, below) = (head(&advice), conclusion(&advice));
        self.form
            .print(&TABLE, &advice.rows, &advice, (&above, &below))?;
        if self.commands {
            // Not wrapped: to be copied.
            output::result(&commands(&advice.rows))?;
        }
        let mut parts = advice.rows.iter().flat_map(|row| &row.parts);
        Ok(match parts.any(|part| part.verified == Verified::No) {
            true => Outcome::Failed,
            false => Outcome::Fine,
        })
    }
}

impl Advise {
    fn is_shipped(&self) -> bool {
        noccl::study::WORKLOAD_NAMES.contains(&&*self.workload)
    }

    fn is_script(&self) -> bool {
        Path::new(&self.workload)
            .extension()
            .is_some_and(|end| end == "py")
    }

    /// The workload's name or file; of a script a trace in the folder of what its ranks call, or how it has ended if it fails.
    fn recorded(&self, folder: &Scratch) -> Result<Result<String, Outcome>, Error> {
        let script = Path::new(&self.workload);
        if !self.is_script() {
            return Ok(Ok(self.workload.clone()));
        }
        let spec = noccl::study::program_preset(self.mesh)?;
        let name = script.with_extension("messages");
        // 0: a path without a name is no script.
        let trace = Path::new("trace").join(name.file_name().unwrap_or_default());
        folder.write(&trace, &[])?;
        let trace = folder.path(trace);
        let (columns, rows) = self.mesh;
        let mut command = Command::new(interpreter());
        command.args(["-P", "-m", "noccl.programs", "--json", "--spec", &spec]);
        command.args(["--ranks", &(columns * rows).to_string()]);
        command.arg("--record").arg(&trace);
        command.arg(script).args(&self.arguments);
        // What the script prints goes to stderr; the summary is not needed.
        command.stdout(Stdio::null());
        Ok(match run_ranks(command, script)? {
            Outcome::Fine => Ok(trace.to_string_lossy().into_owned()),
            failed @ (Outcome::Failed | Outcome::Ended(_)) => Err(failed),
        })
    }
}

fn head(advice: &Advice) -> String {
    let [columns, rows] = advice.mesh;
    format!(
        "{} on {columns}x{rows} clusters\nsource: {}\ncomputation between the collectives: {:.1} us\n\n",
        advice.about, advice.source, advice.compute_us,
    )
}

/// The sentences behind the table, and what its columns say.
fn conclusion(advice: &Advice) -> String {
    let mut out = format!("\n{}\n", advice.conclusion.sentence);
    for change in &advice.conclusion.changes {
        out += &format!("  {change}\n");
    }
    for one in &advice.left_out {
        out += &format!("not compared: {}: {}\n", one.mechanism.name(), one.reason);
    }
    out + "\n" + LEGEND + &synthesis(&advice.rows)
}

/// By what, and when, areas and paths were found.
fn synthesis(rows: &[AdviceRow]) -> String {
    let areas = rows.iter().filter_map(|row| row.area.as_ref());
    let paths = rows.iter().filter_map(|row| row.path.as_ref());
    let dates = areas.map(|area| &area.date);
    let mut dates: Vec<&str> = dates
        .chain(paths.map(|path| &path.date))
        .map(String::as_str)
        .collect();
    dates.sort_unstable();
    let (Some(first), Some(last)) = (dates.first(), dates.last()) else {
        return String::new();
    };
    format!("both: Yosys and the OSU 180 nm library, {first} to {last}\n")
}

static TABLE: RowTable<AdviceRow> = RowTable {
    columns: &[
        RowColumn::words("mechanism", "mechanism", |row| {
            Value::words(row.mechanism.title())
        }),
        RowColumn::number("cycles", "cycles", |row| {
            Value::count(row.cycles).signed(signs(row).0, "")
        }),
        RowColumn::words("evidence", "", |row| Value::words(signs(row).2)),
        RowColumn::number("cycles_over_bound", "/bound", |row| {
            let known = Some(row.cycles_over_bound);
            let known = known.filter(|_| row.evidence != AdviceEvidence::Bound);
            Value::of(known, |ratio| Value::fixed(ratio, 2))
        }),
        RowColumn::number("collectives_speedup", "speedup", |row| {
            Value::fixed(row.collectives_speedup, 2).signed(signs(row).1, "")
        }),
        RowColumn::number("time_us", "whole [us]", |row| {
            Value::fixed(row.time_us, 1).signed(signs(row).0, "")
        }),
        RowColumn::number("speedup", "speedup", |row| {
            Value::fixed(row.speedup, 3).signed(signs(row).1, "")
        }),
        RowColumn::number("energy_uj", "uJ", |row| {
            Value::of(row.energy_uj, |e| Value::fixed(e, 1))
        }),
        RowColumn::number("area_kge", "kGE", |row| {
            Value::of(row.area.as_ref(), |a| Value::fixed(a.kge, 1))
        }),
        RowColumn::number("path_fo4", "FO4", |row| {
            Value::of(row.path.as_ref(), |p| Value::fixed(p.fo4, 1))
        }),
        RowColumn::words("deadlock", "deadlock", |row| {
            Value::words(row.deadlock_freedom.words())
        }),
    ],
    dropped_first: &["deadlock", "cycles_over_bound", "path_fo4"],
};

/// Signs before times and speedups, and the letter of the evidence. Of a bound alone it is known that nothing is faster.
const fn signs(row: &AdviceRow) -> (&'static str, &'static str, &'static str) {
    match row.evidence {
        AdviceEvidence::Simulated => ("", "", "s"),
        AdviceEvidence::Estimated => ("", "", "e"),
        AdviceEvidence::Bound => (">=", "<=", "b"),
    }
}

/// What each mechanism calls: calls, cycles and the command.
fn commands(rows: &[AdviceRow]) -> String {
    let mut out = String::new();
    for row in rows {
        out += &format!("\n{}\n", row.mechanism.name());
        for part in &row.parts {
            let error = part.error.as_deref().unwrap_or("");
            let evidence = match part.evidence {
                AdviceEvidence::Simulated => "simulated".to_owned(),
                AdviceEvidence::Estimated => format!("estimated, error {error}"),
                AdviceEvidence::Bound => "at least, bound".to_owned(),
            };
            let (count, cycles) = (grouped(part.count), grouped(part.cycles));
            out += &format!(
                "  {count} x {cycles} cycles, {evidence}: {}\n",
                part.command
            );
        }
    }
    out
}
