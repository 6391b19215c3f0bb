// SPDX-License-Identifier: Apache-2.0
//! `noccl run program`: a compiled program on executed cores, or an mpi4py script by the Python package.

use super::program_report::{print, print_failed};
use super::ranks::RanksArgs;
use super::systems::{Compared, Ran, collectives_of, mesh_of, systems};
use crate::args::{CheckpointArgs, SpecArgs, size};
use crate::effects::{self, Idle};
use crate::progress::watched;
use crate::python::{interpreter, run_ranks};
use crate::{Outcome, output};
use clap::Args;
use noccl::files::{FileError, Scratch};
use noccl::network::Network;
use noccl::program::{CalledRequest, ExecutedRequest, FileRequest, ProgramReport, Recording};
use noccl::study::{Advice, AdviceRequest, AdviceSimulation};
use noccl::{Error, Watch};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program of ranks: an ELF file of `noccl build`, or an mpi4py script (.py)
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl run program jacobi.py --ranks 16 --spec collective_noc_4x4 -- 64
  noccl run program ring.elf --ranks 16 --spec tilepro64_4x4
  noccl run program jacobi.py --ranks 16 --record-run run.json
  noccl run program jacobi.py --ranks 16 --systems all -- 64
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
    /// Run it on several systems and compare them: all, or presets separated by commas
    #[arg(long, value_name = "all|PRESET,...")]
    systems: Option<String>,
    #[command(flatten)]
    of_ranks: RanksArgs,
    /// What instructions of a compiled program cost: a name (in_order, one_cycle, tilepro64) or a TOML file
    #[arg(long, value_name = "TABLE", default_value = "in_order")]
    costs: String,
    /// Memory of each core that executes a compiled program
    #[arg(long, value_name = "BYTES", default_value = "4MiB", value_parser = size)]
    program_memory: u64,
    /// Write what the ranks have called to this file, as a message trace; a compiled program of ports is built with programs/recorder/cores
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
        let of_one = [
            "spec",
            "overrides",
            "noise",
            "timeline",
            "record",
            "record_run",
            "checkpoint",
            "checkpoint_every",
            "resume",
        ];
        let on = "--systems";
        [
            effects::idle(self.is_script(), &options, "a script", "a compiled program"),
            effects::idle(self.systems.is_some(), &of_one, on, "a run on one system"),
        ]
        .concat()
    }

    pub fn run(&self) -> Result<Outcome, Error> {
        if let Some(named) = &self.systems {
            return self.compare(named);
        }
        if self.is_script() {
            return self.run_script();
        }
        self.run_compiled(&self.spec.load()?)
    }

    /// Runs on each of several systems.
    fn compare(&self, named: &str) -> Result<Outcome, Error> {
        if !self.is_script() && !noccl::program::is_program_of_calls(&self.file)? {
            let accepted = "its messages go through ports of core tiles; accepted: a program of noccl build --calls, or a script";
            return Err(Error::argument("--systems", self.file.display(), accepted));
        }
        let folder = Scratch::temporary("noccl-systems", "program");
        let mut runs = Vec::new();
        for system in systems(named, self.ranks)? {
            let ran = match self.is_script() {
                true => self.run_script_on(&system.spec, &folder, None)?,
                false => self.run_called_on(&system.spec)?,
            };
            runs.push((system, ran));
        }
        let advice = match runs.iter().any(|(_, ran)| ran.is_ok()) {
            true => self.advice(&folder).map_err(|error| first_line(&error)),
            false => Err("the program runs on no system".to_owned()),
        };
        // 0: a path without a name has no program.
        let name = self.file.file_name().unwrap_or_default();
        let compared = Compared::new(
            name.to_string_lossy().into_owned(),
            self.ranks,
            &runs,
            advice,
        );
        if self.of_ranks.json {
            output::json(&compared)?;
        } else {
            compared.print()?;
        }
        Ok(match compared.is_empty() {
            true => Outcome::Failed,
            false => Outcome::Fine,
        })
    }

    /// Its collectives by every mechanism.
    fn advice(&self, folder: &Scratch) -> Result<Advice, Error> {
        let mesh = mesh_of(self.ranks);
        let trace = self.recorded(mesh, folder)?;
        let text = noccl::files::read_text(&trace)?;
        noccl::files::write_file(&trace, &collectives_of(&text))?;
        let request = AdviceRequest {
            mesh,
            workload: noccl::study::read_workload_on(&trace.to_string_lossy(), mesh)?,
            simulation: AdviceSimulation::Winners,
        };
        noccl::study::advise(&request, Watch::quiet())
    }

    /// A message trace of the program on S1's clusters.
    fn recorded(&self, mesh: (u32, u32), folder: &Scratch) -> Result<PathBuf, Error> {
        let spec = noccl::study::program_preset(mesh)?;
        let name = "program.messages";
        folder.write(name, &[])?;
        let trace = folder.path(name);
        let failed = |reason| Error::argument("program", self.file.display(), reason);
        if self.is_script() {
            let ran = self.run_script_on(&spec, folder, Some(&trace))?;
            return ran.map(|_| trace).map_err(failed);
        }
        let network = noccl::network::load(&spec, &[])?.network;
        let recording = Recording {
            has_messages: true,
            ..Recording::default()
        };
        let request = self.called_request(self.executed_request())?;
        let (_, recorded) = noccl::program::record_called(
            &network,
            &request,
            recording,
            &mut Vec::new(),
            Watch::quiet(),
        )?;
        // 0: it was asked for.
        noccl::files::write_file(&trace, &recorded.messages.unwrap_or_default())?;
        Ok(trace)
    }

    /// A compiled program on a system, or why it does not run there.
    fn run_called_on(&self, spec: &str) -> Result<Result<Ran, String>, Error> {
        let network = match noccl::network::load(spec, &[]) {
            Ok(loaded) => loaded.network,
            Err(error) => return Ok(Err(first_line(&error))),
        };
        let request = self.called_request(self.executed_request())?;
        let recording = Recording {
            has_timeline: true,
            ..Recording::default()
        };
        let mut printed = Vec::new();
        let done = watched("ranks", |watch| {
            noccl::program::record_called(&network, &request, recording, &mut printed, watch)
        });
        Ok(match done {
            Ok((report, recorded)) => match &recorded.timeline {
                Some(timeline) => Ok(Ran::new(&report, timeline)),
                None => Err("no timeline was kept".to_owned()),
            },
            Err(error) => Err(first_line(&error)),
        })
    }

    /// A script on a system, or why it does not run there.
    fn run_script_on(
        &self,
        spec: &str,
        folder: &Scratch,
        trace: Option<&Path>,
    ) -> Result<Result<Ran, String>, Error> {
        let file = |name: &str| -> Result<(PathBuf, File), Error> {
            folder.write(name, &[])?;
            let (place, opened) = (folder.path(name), folder.create(name));
            let opened =
                opened.map_err(|e| Error::argument("program", place.display(), e.to_string()));
            Ok((place, opened?))
        };
        let (report, out) = file("report.json")?;
        let (errors, said) = file("errors.txt")?;
        let (timeline, _) = file("timeline.json")?;
        let mut command = self.script_command(spec);
        command.arg("--json").arg("--timeline").arg(&timeline);
        if let Some(trace) = trace {
            command.arg("--record").arg(trace);
        }
        command.arg(&self.file).args(&self.arguments);
        command.stdout(out).stderr(said);
        if run_ranks(command, &self.file)? != Outcome::Fine {
            return Ok(Err(reason(&noccl::files::read_text(&errors)?)));
        }
        let texts = (
            noccl::files::read_text(&report)?,
            noccl::files::read_text(&timeline)?,
        );
        Ok(Ran::parse(&texts.0, &texts.1).map_err(|error| error.to_string()))
    }

    fn executed_request(&self) -> ExecutedRequest {
        ExecutedRequest {
            program: self.file.clone(),
            arguments: self.arguments.clone(),
            environment: self.environment.clone(),
            files: self.files.clone(),
            ranks: self.ranks,
            costs: self.costs.clone(),
            memory_bytes: self.program_memory,
            max_cycles: self.of_ranks.max_cycles,
            checkpoint: self.checkpoint.request(),
        }
    }

    fn called_request(&self, executed: ExecutedRequest) -> Result<CalledRequest, Error> {
        Ok(CalledRequest {
            executed,
            collectives: noccl::program::parse_program_algorithm(&self.of_ranks.collectives)?,
            noise_seed: self.of_ranks.noise,
        })
    }

    fn run_compiled(&self, network: &Network) -> Result<Outcome, Error> {
        let request = self.executed_request();
        if let Some(place) = &self.record {
            noccl::files::check_output(place)?;
        }
        self.of_ranks.check_outputs()?;
        if noccl::program::is_program_of_calls(&self.file)? {
            return self.run_called(network, request);
        }
        self.refuse_calls_only()?;
        let mut printed = Vec::new();
        let recording = self.of_ranks.recording();
        let done = watched("ranks", |watch| {
            noccl::program::record_executed(network, &request, recording, &mut printed, watch)
        });
        let (mut report, kept) =
            done.inspect_err(|_| print_failed(&printed, self.of_ranks.json))?;
        self.of_ranks
            .write(kept.timeline.as_ref(), kept.run.as_ref())?;
        let consoles = report.ranks.iter_mut();
        let consoles: Vec<&mut String> = consoles.filter_map(|r| r.console.as_mut()).collect();
        self.write_recorded(&report.network, consoles.into_iter())?;
        self.ended(&report)
    }

    /// Runs a program of `noccl build --calls`.
    fn run_called(&self, network: &Network, executed: ExecutedRequest) -> Result<Outcome, Error> {
        let request = self.called_request(executed)?;
        let recording = Recording {
            has_messages: self.record.is_some(),
            ..self.of_ranks.recording()
        };
        let mut printed = Vec::new();
        let done = watched("ranks", |watch| {
            noccl::program::record_called(network, &request, recording, &mut printed, watch)
        });
        let (report, recorded) =
            done.inspect_err(|_| print_failed(&printed, self.of_ranks.json))?;
        if let (Some(place), Some(trace)) = (&self.record, &recorded.messages) {
            if recorded.has_windows {
                let accepted = "the program has windows, whose accesses are concurrent with the calls of their target; accepted: a program without them, or --timeline";
                return Err(Error::argument("--record", place.display(), accepted));
            }
            noccl::files::write_file(place, trace)?;
        }
        self.of_ranks
            .write(recorded.timeline.as_ref(), recorded.run.as_ref())?;
        self.ended(&report)
    }

    /// Shows a report; the exit status is the program's.
    fn ended(&self, report: &ProgramReport) -> Result<Outcome, Error> {
        if self.of_ranks.json {
            output::json(report)?;
        } else {
            print(report)?;
        }
        Ok(outcome(
            report.ranks.iter().filter_map(|rank| rank.exit_code),
        ))
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

    /// A script on a network, by the Python package of this installation.
    fn script_command(&self, spec: &str) -> Command {
        let mut command = Command::new(interpreter());
        // Without the current folder in front of the path: a file `types.py` there would stand for Python's own.
        command.args(["-P", "-m", "noccl.programs", "--spec", spec]);
        command.args(["--ranks", &self.ranks.to_string()]);
        command.args(["--collectives", &self.of_ranks.collectives]);
        if let Some(cycles) = self.of_ranks.max_cycles {
            command.args(["--max-cycles", &cycles.to_string()]);
        }
        command
    }

    /// Hands a script to the Python package of this installation.
    fn run_script(&self) -> Result<Outcome, Error> {
        std::fs::metadata(&self.file).map_err(|error| FileError::File {
            path: self.file.display().to_string(),
            reason: format!("cannot read: {error}"),
        })?;
        let unsaved = "the Python objects of a script's ranks";
        noccl::program::refuse_checkpoint(self.checkpoint.request().as_ref(), unsaved)?;
        let mut command = self.script_command(&self.spec.spec);
        for (key, value) in &self.spec.overrides.overrides {
            command.args(["--override", &format!("{key}={value}")]);
        }
        if let Some(seed) = self.of_ranks.noise {
            command.args(["--noise-seed", &seed.to_string()]);
        }
        if let Some(place) = &self.of_ranks.timeline {
            command.arg("--timeline").arg(place);
        }
        if let Some(place) = &self.record {
            noccl::files::check_output(place)?;
            command.arg("--record").arg(place);
        }
        if let Some(place) = &self.of_ranks.record_run {
            crate::recording::check("--record-run", place)?;
            command.arg("--record-run").arg(place);
        }
        if self.of_ranks.json {
            command.arg("--json");
        }
        command.arg(&self.file).args(&self.arguments);
        run_ranks(command, &self.file)
    }
}

fn first_line(error: &Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or(&text);
    line.trim_end_matches(':').to_owned()
}

/// The error that a script has ended with, on one line.
fn reason(errors: &str) -> String {
    let lines: Vec<&str> = errors.lines().collect();
    let found = lines.iter().rfind(|line| line.starts_with("error: "));
    let line = found.or(lines.last()).copied();
    let line = line.unwrap_or("it has ended without a message");
    line.trim_start_matches("error: ")
        .trim_end_matches(':')
        .to_owned()
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
