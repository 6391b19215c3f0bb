// SPDX-License-Identifier: Apache-2.0
//! `noccl run program`: a compiled program on executed cores, or an mpi4py script by the Python package.

use super::ranks::RanksArgs;
use crate::args::{CheckpointArgs, SpecArgs, size};
use crate::effects::{self, Idle};
use crate::progress::watched;
use crate::python::{interpreter, run_ranks};
use crate::table::{Align, grouped, table};
use crate::{Outcome, output};
use clap::Args;
use noccl::Error;
use noccl::network::Network;
use noccl::program::{
    CalledRankRow, CalledReport, CalledRequest, CollectiveUseRow, ConsoleStreams, ExecutedReport,
    ExecutedRequest, FileRequest, Recording,
};
use std::path::PathBuf;
use std::process::Command;

/// A program of ranks: an ELF file of `noccl build`, or an mpi4py script (.py)
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl run program jacobi.py --ranks 16 --spec collective_noc_4x4 -- 64
  noccl run program ring.elf --ranks 16 --spec tilepro64_4x4
  noccl run program solver.elf --ranks 64 --spec tilepro64_8x8 --checkpoint solver.ckpt")]
pub struct RunProgram {
    /// Program
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    spec: SpecArgs,
    /// Number of ranks, one per tile
    #[arg(long, value_name = "N")]
    ranks: u32,
    #[command(flatten)]
    of_ranks: RanksArgs,
    /// What instructions of a compiled program cost: a name (in_order, one_cycle, tilepro64) or a TOML file
    #[arg(long, value_name = "TABLE", default_value = "in_order")]
    costs: String,
    /// Memory of each core that executes a compiled program
    #[arg(long, value_name = "BYTES", default_value = "4MiB", value_parser = size)]
    program_memory: u64,
    /// Write what the ranks of a compiled program have called to this file, as a message trace; a program of ports is built with programs/recorder/cores
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Set a variable of a compiled program's environment; may be repeated
    #[arg(long = "env", value_name = "NAME=VALUE")]
    environment: Vec<String>,
    /// Give each rank of a compiled program a file in its memory, under this name or another one (/dev/stdin: input of rank 0); may be repeated
    #[arg(long = "file", value_name = "FILE[=NAME]", value_parser = parse_file)]
    files: Vec<FileRequest>,
    #[command(flatten)]
    checkpoint: CheckpointArgs,
    /// Arguments of the program, behind --
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<String>,
}

impl RunProgram {
    fn is_script(&self) -> bool {
        self.file.extension().is_some_and(|end| end == "py")
    }

    /// Options without an effect on the program.
    pub fn idle(&self) -> Vec<Idle> {
        let options = ["costs", "program_memory", "environment", "files"];
        effects::idle(self.is_script(), &options, "a script", "a compiled program")
    }

    pub fn run(&self) -> Result<Outcome, Error> {
        if self.is_script() {
            return self.run_script();
        }
        self.run_compiled(&self.spec.load()?)
    }

    fn run_compiled(&self, network: &Network) -> Result<Outcome, Error> {
        let request = ExecutedRequest {
            program: self.file.clone(),
            arguments: self.arguments.clone(),
            environment: self.environment.clone(),
            files: self.files.clone(),
            ranks: self.ranks,
            costs: self.costs.clone(),
            memory_bytes: self.program_memory,
            max_cycles: self.of_ranks.max_cycles,
            checkpoint: self.checkpoint.request(),
        };
        if let Some(place) = &self.record {
            noccl::files::check_output(place)?;
        }
        self.of_ranks.check_timeline()?;
        if noccl::program::is_program_of_calls(&self.file)? {
            return self.run_called(network, request);
        }
        self.refuse_calls_only()?;
        let mut printed = Vec::new();
        let has_timeline = self.of_ranks.timeline.is_some();
        let done = watched("ranks", |watch| {
            noccl::program::record_executed(network, &request, has_timeline, &mut printed, watch)
        });
        let (mut report, timeline) =
            done.inspect_err(|_| print_failed(&printed, self.of_ranks.json))?;
        self.of_ranks.write_timeline(&timeline)?;
        let consoles = report.ranks.iter_mut().map(|rank| &mut rank.console);
        self.write_recorded(&report.network, consoles)?;
        if self.of_ranks.json {
            output::json(&report)?;
        } else {
            let printed = report
                .ranks
                .iter()
                .map(|rank| (&*rank.console, &*rank.errors));
            print(printed, &summary(&report))?;
        }
        Ok(outcome(report.ranks.iter().map(|rank| rank.exit_code)))
    }

    /// Runs a program of `noccl build --calls`.
    fn run_called(&self, network: &Network, executed: ExecutedRequest) -> Result<Outcome, Error> {
        let request = CalledRequest {
            executed,
            collectives: noccl::program::parse_program_algorithm(&self.of_ranks.collectives)?,
            noise_seed: self.of_ranks.noise,
        };
        let recording = Recording {
            has_messages: self.record.is_some(),
            has_timeline: self.of_ranks.timeline.is_some(),
        };
        let mut printed = Vec::new();
        let done = watched("ranks", |watch| {
            noccl::program::record_called(network, &request, recording, &mut printed, watch)
        });
        let (report, recorded) =
            done.inspect_err(|_| print_failed(&printed, self.of_ranks.json))?;
        if let (Some(place), Some(trace)) = (&self.record, &recorded.messages) {
            noccl::files::write_file(place, trace)?;
        }
        if let Some(timeline) = &recorded.timeline {
            self.of_ranks.write_timeline(timeline)?;
        }
        if self.of_ranks.json {
            output::json(&report)?;
        } else {
            let printed = report
                .ranks
                .iter()
                .map(|rank| (&*rank.console, &*rank.errors));
            print(printed, &called_summary(&report))?;
        }
        Ok(outcome(report.ranks.iter().map(|rank| rank.exit_code)))
    }

    /// Refuses what has no effect on a program over ports, whose messages are its own instructions.
    fn refuse_calls_only(&self) -> Result<(), Error> {
        let accepted = "it has no effect on a program over ports; accepted: with a program of noccl build --calls, a script or a message trace";
        if self.of_ranks.collectives != "auto" {
            return Err(Error::argument(
                "--collectives",
                &self.of_ranks.collectives,
                accepted,
            ));
        }
        match self.of_ranks.noise {
            Some(seed) => Err(Error::argument("--noise", seed, accepted)),
            None => Ok(()),
        }
    }

    /// Writes the message trace that ranks have printed, if somebody wants it.
    fn write_recorded<'a>(
        &self,
        network: &str,
        consoles: impl ExactSizeIterator<Item = &'a mut String>,
    ) -> Result<(), Error> {
        let Some(place) = &self.record else {
            return Ok(());
        };
        let name = self.file.file_name().unwrap_or(self.file.as_os_str());
        let source = format!("{} on executed cores of {}", name.display(), self.spec.spec);
        let text = noccl::program::take_recorded(
            (&noccl::files::visible_line(&source), network),
            consoles,
        )?;
        noccl::files::write_file(place, &text)?;
        Ok(())
    }

    /// Hands a script to the Python package of this installation.
    fn run_script(&self) -> Result<Outcome, Error> {
        if let Some(place) = &self.record {
            let accepted = "accepted: with a compiled program (ELF)";
            return Err(Error::argument("--record", place.display(), accepted));
        }
        let unsaved = "the Python objects of a script's ranks";
        noccl::program::refuse_checkpoint(self.checkpoint.request().as_ref(), unsaved)?;
        let mut command = Command::new(interpreter());
        // Without the current folder in front of the path: a file `types.py` there would stand for Python's own.
        command.args(["-P", "-m", "noccl.programs", "--spec", &self.spec.spec]);
        command.args(["--ranks", &self.ranks.to_string()]);
        command.args(["--collectives", &self.of_ranks.collectives]);
        for (key, value) in &self.spec.overrides.overrides {
            command.args(["--override", &format!("{key}={value}")]);
        }
        if let Some(cycles) = self.of_ranks.max_cycles {
            command.args(["--max-cycles", &cycles.to_string()]);
        }
        if let Some(seed) = self.of_ranks.noise {
            command.args(["--noise-seed", &seed.to_string()]);
        }
        if let Some(place) = &self.of_ranks.timeline {
            command.arg("--timeline").arg(place);
        }
        if self.of_ranks.json {
            command.arg("--json");
        }
        command.arg(&self.file).args(&self.arguments);
        run_ranks(command, &self.file)
    }
}

/// The program ends as the first rank does that has not ended with 0.
fn outcome(mut exit_codes: impl Iterator<Item = u64>) -> Outcome {
    match exit_codes.find(|code| *code != 0) {
        // What a shell sees of an exit code; one of 256 stays a failure.
        Some(code) => Outcome::Ended(((code & 0xff) as u8).max(1)),
        None => Outcome::Fine,
    }
}

/// A file for a program, by its own name or another one.
fn parse_file(text: &str) -> Result<FileRequest, Error> {
    let (file, name) = text.split_once('=').unwrap_or((text, text));
    if file.is_empty() || name.is_empty() {
        let accepted = "accepted: FILE, or FILE=NAME with the name that the program opens";
        return Err(Error::argument("--file", text, accepted));
    }
    Ok(FileRequest {
        name: name.to_owned(),
        file: file.into(),
    })
}

/// Standard output has that of the program alone, as outside of a simulation; standard error that of the program, then the summary.
fn print<'a>(
    ranks: impl Iterator<Item = (&'a str, &'a str)> + Clone,
    summary: &str,
) -> Result<(), Error> {
    let outputs = by_rank(ranks.clone().map(|(output, _)| output));
    if !outputs.is_empty() {
        output::result(&outputs)?;
    }
    log(&by_rank(ranks.map(|(_, errors)| errors)));
    output::log(summary);
    Ok(())
}

/// What ranks of a program that fails have printed: kept, where JSON is expected on standard error.
fn print_failed(printed: &[ConsoleStreams], is_json: bool) {
    let outputs = by_rank(printed.iter().map(|rank| &*rank.output));
    if is_json {
        log(&outputs);
    } else if !outputs.is_empty() {
        // The program's own error is told in any case.
        let _ = output::result(&outputs);
    }
    log(&by_rank(printed.iter().map(|rank| &*rank.errors)));
}

/// Standard error gets lines, if there are any.
fn log(lines: &str) {
    if !lines.is_empty() {
        output::log(lines.trim_end_matches('\n'));
    }
}

/// What ranks have printed, each line with its rank.
fn by_rank<'a>(ranks: impl Iterator<Item = &'a str>) -> String {
    let printed = ranks.enumerate().map(|(rank, text)| {
        let lines = text.lines();
        let lines = lines.map(|line| format!("rank {rank}: {line}\n"));
        lines.collect::<String>()
    });
    printed.collect()
}

/// How the collectives of a program were carried out; nothing if it calls none.
fn collectives_table(uses: &[CollectiveUseRow]) -> String {
    if uses.is_empty() {
        return String::new();
    }
    let header = [
        ("collective", Align::Left),
        ("ranks", Align::Right),
        ("bytes", Align::Right),
        ("calls", Align::Right),
        ("algorithm", Align::Left),
        ("reason", Align::Left),
    ];
    let row = |one: &CollectiveUseRow| {
        vec![
            one.collective.clone(),
            one.ranks.to_string(),
            one.bytes.map_or_else(|| "various".to_owned(), grouped),
            grouped(one.calls),
            one.algorithm.clone(),
            // 0: an empty cell: nothing was refused.
            one.reason.clone().unwrap_or_default(),
        ]
    };
    let rows: Vec<Vec<String>> = uses.iter().map(row).collect();
    format!("{}\n", table(&header, &rows))
}

fn called_summary(report: &CalledReport) -> String {
    let header = [
        ("rank", Align::Right),
        ("tile", Align::Left),
        ("exit", Align::Right),
        ("cycles", Align::Right),
        ("computing", Align::Right),
        ("sending", Align::Right),
        ("receiving", Align::Right),
        ("waiting", Align::Right),
        ("instructions", Align::Right),
        ("messages", Align::Right),
        ("bytes", Align::Right),
    ];
    let row = |rank: &CalledRankRow| {
        let tile = format!("{},{}", rank.tile.x, rank.tile.y);
        let mut row = vec![rank.rank.to_string(), tile, rank.exit_code.to_string()];
        row.extend(
            [
                rank.finish_cycle,
                rank.compute_cycles,
                rank.send_cycles,
                rank.receive_cycles,
                rank.wait_cycles,
                rank.instructions,
                rank.messages,
                rank.bytes,
            ]
            .map(grouped),
        );
        row
    };
    let rows: Vec<Vec<String>> = report.ranks.iter().map(row).collect();
    let total = Total {
        network: &report.network,
        cycles: report.cycles,
        time_ns: report.time_ns,
        flit_hops: report.flit_hops,
        program_bytes: report.program_bytes,
    };
    let collectives = collectives_table(&report.collectives);
    format!("{}\n{collectives}{}", table(&header, &rows), total.lines())
}

/// What stands below the table of ranks.
struct Total<'a> {
    network: &'a str,
    cycles: u64,
    time_ns: f64,
    flit_hops: u64,
    program_bytes: u64,
}

impl Total<'_> {
    fn lines(&self) -> String {
        format!(
            "network    {}\ncycles     {} ({:.0} ns)\nflit-hops  {}\nprogram    {} bytes of code and data per core\n",
            self.network,
            grouped(self.cycles),
            self.time_ns,
            grouped(self.flit_hops),
            grouped(self.program_bytes),
        )
    }
}

fn summary(report: &ExecutedReport) -> String {
    let header = [
        ("rank", Align::Right),
        ("tile", Align::Left),
        ("exit", Align::Right),
        ("cycles", Align::Right),
        ("executing", Align::Right),
        ("waits to send", Align::Right),
        ("waits for words", Align::Right),
        ("instructions", Align::Right),
        ("packets", Align::Right),
        ("words sent", Align::Right),
    ];
    let rows: Vec<Vec<String>> = report
        .ranks
        .iter()
        .map(|rank| {
            vec![
                rank.rank.to_string(),
                format!("{},{}", rank.tile.x, rank.tile.y),
                rank.exit_code.to_string(),
                grouped(rank.finish_cycle),
                grouped(rank.execute_cycles),
                grouped(rank.send_wait_cycles),
                grouped(rank.receive_wait_cycles),
                grouped(rank.instructions),
                grouped(rank.packets),
                grouped(rank.sent_words),
            ]
        })
        .collect();
    let total = Total {
        network: &report.network,
        cycles: report.cycles,
        time_ns: report.time_ns,
        flit_hops: report.flit_hops,
        program_bytes: report.program_bytes,
    };
    format!("{}\n{}", table(&header, &rows), total.lines())
}
