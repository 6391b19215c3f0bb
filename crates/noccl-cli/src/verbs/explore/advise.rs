// SPDX-License-Identifier: Apache-2.0
//! `noccl advise`

use crate::effects::{self, Idle};
use crate::progress::watched;
use crate::table::{Align, grouped, table};
use crate::verbs::Verb;
use crate::{Outcome, output};
use clap::Args;
use noccl::Error;
use noccl::collective::Verified;
use noccl::study::gemm::parse_mesh;
use noccl::study::{Advice, AdviceEvidence, AdviceRequest, AdviceRow, AdviceSimulation};
use std::path::PathBuf;

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
  noccl advise --mesh 16x16 --workload mixtral-moe --simulate all --json")]
pub struct Advise {
    /// Columns and rows of clusters, 64 at most
    #[arg(long, value_name = "WxH", value_parser = parse_mesh, default_value = "8x8")]
    mesh: (u32, u32),
    /// llama3-8b-decode, llama3-8b-prefill, mixtral-moe, fft, stencil, or a TOML file
    #[arg(long, value_name = "NAME|FILE")]
    workload: String,
    /// all, winners (exchanges between many clusters only where the mechanism can still win), or none: cycles are estimated
    #[arg(long, value_name = "all|winners|none", default_value = "winners", value_parser = parse_simulation)]
    simulate: AdviceSimulation,
    /// Print the command that simulates each number
    #[arg(long, conflicts_with = "json")]
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
    /// Print the workload file and do nothing else
    #[arg(long)]
    show_workload: bool,
    /// Print rows, evidence, commands and conclusion as JSON
    #[arg(long)]
    json: bool,
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
            "mesh",
            "simulate",
            "commands",
            "definitions",
            "output",
            "plot",
            "json",
        ];
        let on = "--show-workload";
        effects::idle(self.show_workload, options, on, "an analysis")
    }

    fn run(&self) -> Result<Outcome, Error> {
        if self.show_workload {
            let text = noccl::study::workload_text(&self.workload)?;
            output::data(text)?;
            return Ok(Outcome::Fine);
        }
        for file in [&self.output, &self.plot].into_iter().flatten() {
            noccl::files::check_output(file)?;
        }
        let request = AdviceRequest {
            mesh: self.mesh,
            workload: noccl::study::read_workload(&self.workload)?,
            simulation: self.simulate,
        };
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
        if self.json {
            output::json(&advice)?;
        } else {
            output::result(&text(&advice, self.commands))?;
        }
        let mut parts = advice.rows.iter().flat_map(|row| &row.parts);
        Ok(match parts.any(|part| part.verified == Verified::No) {
            true => Outcome::Failed,
            false => Outcome::Fine,
        })
    }
}

/// Columns of a terminal that texts fit into.
const WIDTH: usize = 120;

fn text(advice: &Advice, has_commands: bool) -> String {
    let [columns, rows] = advice.mesh;
    let mut out = format!(
        "{} on {columns}x{rows} clusters\n{}computation between the collectives: {:.1} us\n\n{}\n",
        advice.about,
        wrapped(&format!("source: {}", advice.source), ""),
        advice.compute_us,
        mechanisms(&advice.rows)
    );
    out += &wrapped(&advice.conclusion.sentence, "");
    for change in &advice.conclusion.changes {
        out += &wrapped(change, "  ");
    }
    for one in &advice.left_out {
        let reason = format!("not compared: {}: {}", one.mechanism.name(), one.reason);
        out += &wrapped(&reason, "");
    }
    if has_commands {
        out += &commands(&advice.rows);
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

/// Lines of a text that fit into the terminal, each indented.
fn wrapped(text: &str, indent: &str) -> String {
    let mut lines = vec![indent.to_owned()];
    for word in text.split(' ') {
        // 0: there is always a line.
        let length = lines.last().map_or(0, |line| line.chars().count());
        let is_begun = length > indent.len();
        if is_begun && length + 1 + word.chars().count() > WIDTH {
            lines.push(format!("{indent}{word}"));
        } else if let Some(line) = lines.last_mut() {
            line.push_str(if is_begun { " " } else { "" });
            line.push_str(word);
        }
    }
    lines.join("\n") + "\n"
}

fn mechanisms(rows: &[AdviceRow]) -> String {
    use Align::{Left, Right};
    let header = [
        ("mechanism", Left),
        ("cycles", Right),
        ("", Left),
        ("/bound", Right),
        ("speedup", Right),
        ("whole [us]", Right),
        ("speedup", Right),
        ("uJ", Right),
        ("kGE", Right),
        ("FO4", Right),
        ("deadlock", Left),
    ];
    table(&header, &rows.iter().map(cells).collect::<Vec<_>>())
}

fn cells(row: &AdviceRow) -> Vec<String> {
    let dash = || "-".to_owned();
    let (area, path) = (row.area.as_ref(), row.path.as_ref());
    // Of a bound alone it is known that nothing is faster.
    let (least, most, evidence) = match row.evidence {
        AdviceEvidence::Simulated => ("", "", "s"),
        AdviceEvidence::Estimated => ("", "", "e"),
        AdviceEvidence::Bound => (">=", "<=", "b"),
    };
    vec![
        row.mechanism.title().to_owned(),
        format!("{least}{}", grouped(row.cycles)),
        evidence.to_owned(),
        match row.evidence {
            AdviceEvidence::Bound => dash(),
            AdviceEvidence::Simulated | AdviceEvidence::Estimated => {
                format!("{:.2}", row.cycles_over_bound)
            }
        },
        format!("{most}{:.2}", row.collectives_speedup),
        format!("{least}{:.1}", row.time_us),
        format!("{most}{:.3}", row.speedup),
        row.energy_uj.map_or_else(dash, |e| format!("{e:.1}")),
        area.map_or_else(dash, |a| format!("{:.1}", a.kge)),
        path.map_or_else(dash, |p| format!("{:.1}", p.fo4)),
        row.deadlock_freedom.words().to_owned(),
    ]
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
