// SPDX-License-Identifier: Apache-2.0
//! Compiled programs on the cores of a network.

use crate::collective::CheckpointRequest;
use crate::network::Network;
use crate::program::console::ConsoleStreams;
use crate::program::{ProgramRankRow, ProgramReport, Recorded, Recording, Timeline, TimelineRank};
use crate::{Error, Mode, RunConfig, Watch};
use noccl_compile::CALLS_MARK;
use noccl_files::FileError;
use noccl_net::Coord;
use noccl_program::{ProgramError, places};
use noccl_riscv::{CostTable, GivenFile, Image, Program, Surroundings};
use noccl_run::{OnProgress, Tally};
use noccl_sim::{ExecutedRank, ExecutedRequest as Request, ExecutedResult, ExecutedRun};
use noccl_spec::{INSTRUCTION_COSTS, instruction_costs_text};
use noccl_studies::RECORD_ALL;
use noccl_studies::parts::Session;
use std::path::{Path, PathBuf};

/// A compiled program and what it runs on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutedRequest {
    /// Program file (ELF for RV64IMAFDC).
    pub program: PathBuf,
    /// What `main` gets behind the program's name.
    pub arguments: Vec<String>,
    /// Its environment: `NAME=VALUE`.
    pub environment: Vec<String>,
    /// Files that each rank finds in its memory.
    pub files: Vec<FileRequest>,
    /// Number of ranks.
    pub ranks: u32,
    /// Name of a table of instruction costs, or a TOML file with one.
    pub costs: String,
    /// Bytes of each core's memory.
    pub memory_bytes: u64,
    /// Give up after this many cycles; `None` for the usual limit.
    pub max_cycles: Option<u64>,
    /// Save the run of a program over ports, or go on with a saved one.
    pub checkpoint: Option<CheckpointRequest>,
}

/// A file for a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRequest {
    /// What the program calls it.
    pub name: String,
    /// Where it is.
    pub file: PathBuf,
}

/// Runs a compiled program on the cores of a network.
///
/// # Errors
/// [`Error`] with the rank and the place in the program; a network without cores; more ranks than cores;
/// [`Error::Checkpoint`] if the run cannot be gone on with, [`Error::Suspended`].
pub fn run_executed(
    network: &Network,
    request: &ExecutedRequest,
    watch: Watch<'_>,
) -> Result<ProgramReport, Error> {
    let nothing = Recording::default();
    Ok(run(network, request, nothing, &mut Vec::new(), watch)?.0)
}

/// The same, with what is to be kept of it; messages are what the program prints. Where the program fails, `printed` is what each rank had
/// printed by then.
///
/// # Errors
/// As [`run_executed`].
pub fn record_executed(
    network: &Network,
    request: &ExecutedRequest,
    recording: Recording,
    printed: &mut Vec<ConsoleStreams>,
    watch: Watch<'_>,
) -> Result<(ProgramReport, Recorded), Error> {
    if recording.has_timeline || recording.has_run {
        refuse_checkpoint(request.checkpoint.as_ref(), "a run with a record of time")?;
    }
    run(network, request, recording, printed, watch)
}

fn run(
    network: &Network,
    request: &ExecutedRequest,
    recording: Recording,
    printed: &mut Vec<ConsoleStreams>,
    watch: Watch<'_>,
) -> Result<(ProgramReport, Recorded), Error> {
    let image = read_image(request)?;
    if has_calls(&image) {
        let accepted = "made by noccl build --calls; accepted: one that was made without it";
        return Err(Error::argument(
            "program",
            request.program.display(),
            accepted,
        ));
    }
    if network.cores().is_none() {
        let accepted = format!(
            "its messages go through ports of core tiles, which '{}' does not have; accepted on this network: a program made by noccl build --calls",
            network.spec().name
        );
        return Err(Error::argument(
            "program",
            request.program.display(),
            accepted,
        ));
    }
    let program_bytes = program_bytes(&image);
    let program = Program::new(image, &costs(&request.costs)?)?;
    let coords = places(network, request.ranks).map_err(ranks_refused)?;
    let places: Vec<_> = coords.iter().map(|at| network.tile_at(*at)).collect();
    let mut config = RunConfig::new(Mode::Value);
    config.max_cycles = request.max_cycles.unwrap_or(config.max_cycles);
    let of = Request {
        network,
        program: &program,
        places: &places,
        memory_bytes: request.memory_bytes,
        config: &config,
        has_times: recording.has_timeline || recording.has_run,
    };
    let tally = Tally::new(watch, 1);
    let failed =
        |run: &ExecutedRun<'_>| *printed = run.consoles().map(ConsoleStreams::of).collect();
    let (result, recorded) = if recording.has_run {
        tally.run(|on_progress| recorded_run(&of, failed, on_progress))?
    } else {
        let mut session = Session::<ExecutedResult>::begin(request.checkpoint.as_ref())?;
        let outcome = |run: &ExecutedRun<'_>| Ok(run.outcome()?);
        let result = tally.run(|on_progress| session.run_or(&of, outcome, failed, on_progress))?;
        (result, None)
    };
    let ranks = (0..).zip(&coords).zip(&result.ranks);
    let ranks = ranks.map(|((rank, at), done)| TimelineRank {
        rank,
        tile: *at,
        times: done.times.clone(),
        calls: Vec::new(),
    });
    let timeline = Timeline::new(network, result.cycles, ranks.collect());
    let rows = (0..).zip(&coords).zip(result.ranks);
    let ranks = rows.map(|((rank, at), done)| row(rank, *at, done));
    let mut report = ProgramReport::new(network, result.cycles, result.flit_hops, ranks.collect());
    report.program_bytes = Some(program_bytes);
    let name = request
        .program
        .file_name()
        .unwrap_or(request.program.as_os_str());
    let workload = || format!("{}, {} ranks", name.display(), request.ranks);
    let kept = Recorded {
        has_windows: false,
        messages: None,
        run: recorded.map(|recorded| timeline.recording(network, workload(), &recorded)),
        timeline: recording.has_timeline.then_some(timeline),
    };
    Ok((report, kept))
}

/// A run with a record of its links; `failed` sees one that does not come to its end.
fn recorded_run(
    of: &Request<'_>,
    failed: impl FnOnce(&ExecutedRun<'_>),
    on_progress: OnProgress<'_>,
) -> Result<(ExecutedResult, Option<noccl_run::Recording>), Error> {
    let mut run = ExecutedRun::new(of)?;
    run.record(RECORD_ALL);
    let advanced = noccl_run::advance(&mut run, on_progress).map_err(Error::from);
    match advanced.and_then(|()| Ok(run.outcome()?)) {
        Ok(result) => Ok((result, run.take_recording())),
        Err(error) => {
            failed(&run);
            Err(error)
        }
    }
}

/// Refuses to save, or go on with, a run whose state no file holds.
///
/// # Errors
/// [`Error::Argument`] if that is asked for, with `what` cannot be stored.
pub fn refuse_checkpoint(request: Option<&CheckpointRequest>, what: &str) -> Result<(), Error> {
    let Some(request) = request else {
        return Ok(());
    };
    let (argument, file) = match &request.resume {
        Some(file) => ("--resume", file),
        None => ("--checkpoint", &request.file),
    };
    let accepted = format!(
        "{what} cannot be stored; accepted: with a schedule, or with a compiled program over ports (noccl build without --calls)"
    );
    Err(Error::argument(argument, file.display(), accepted))
}

/// Was a program file made by `noccl build --calls`?
///
/// # Errors
/// [`Error::File`], [`Error::Program`].
pub fn is_program_of_calls(program: &Path) -> Result<bool, Error> {
    Ok(has_calls(&image_of(program)?))
}

/// The program in a file; an error names the file, and what else it may be.
fn image_of(program: &Path) -> Result<Image, Error> {
    let file = noccl_files::read_bytes(program, MAX_PROGRAM_BYTES)?;
    Image::from_elf(&file).map_err(|error| {
        let hint = match program.extension().and_then(|end| end.to_str()) {
            Some("c") => "; a source in C is built first: `noccl build FILE -o PROGRAM.elf`",
            Some("json") => "; a schedule runs as `noccl run schedule FILE`",
            Some(_) | None => ", or mpi4py scripts (.py)",
        };
        let failure = FileError::Content {
            path: program.display().to_string(),
            expected: "program",
            reason: format!("{error}{hint}"),
        };
        failure.into()
    })
}

pub(crate) fn has_calls(image: &Image) -> bool {
    image.has_symbol(CALLS_MARK)
}

/// The program with its arguments, environment and files.
pub(crate) fn read_image(request: &ExecutedRequest) -> Result<Image, Error> {
    let name = request
        .program
        .file_name()
        .unwrap_or(request.program.as_os_str());
    let name = name.to_string_lossy().into_owned();
    let mut image = image_of(&request.program)?;
    image.arguments = std::iter::once(name)
        .chain(request.arguments.iter().cloned())
        .collect();
    image.surroundings = surroundings(request)?;
    Ok(image)
}

fn surroundings(request: &ExecutedRequest) -> Result<Surroundings, Error> {
    let is_named = |text: &&String| text.find('=').is_none_or(|at| at == 0);
    if let Some(wrong) = request.environment.iter().find(is_named) {
        let accepted = "accepted: NAME=VALUE";
        return Err(Error::argument("--env", wrong, accepted));
    }
    let read = |file: &FileRequest| -> Result<GivenFile, Error> {
        Ok(GivenFile {
            name: file.name.clone(),
            content: noccl_files::read_bytes(&file.file, MAX_FILE_BYTES)?,
        })
    };
    Ok(Surroundings {
        environment: request.environment.clone(),
        files: request.files.iter().map(read).collect::<Result<_, _>>()?,
    })
}

pub(crate) fn program_bytes(image: &Image) -> u64 {
    image.segments.iter().map(|s| s.memory_bytes).sum()
}

/// Longest file for a program: every rank has it in its memory.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// Longest program file that is read.
const MAX_PROGRAM_BYTES: u64 = 256 << 20;

fn row(rank: u32, tile: Coord, done: ExecutedRank) -> ProgramRankRow {
    let printed = ConsoleStreams::of(&done.console);
    let wait_cycles = done.send_wait_cycles + done.receive_wait_cycles;
    let compute_cycles = done.finish_cycle - wait_cycles;
    ProgramRankRow {
        exit_code: Some(done.exit_code),
        instructions: Some(done.instructions),
        send_wait_cycles: Some(done.send_wait_cycles),
        receive_wait_cycles: Some(done.receive_wait_cycles),
        packets: Some(done.packets),
        sent_words: Some(done.sent_words),
        received_words: Some(done.received_words),
        console: Some(printed.output),
        errors: Some(printed.errors),
        ..ProgramRankRow::new(rank, tile, compute_cycles, wait_cycles)
    }
}

pub(crate) fn ranks_refused(error: ProgramError) -> Error {
    Error::argument("--ranks", error, "accepted: as many as there are cores")
}

/// A table by its name, or from a file.
pub(crate) fn costs(name: &str) -> Result<CostTable, Error> {
    let path = Path::new(name);
    let text = match instruction_costs_text(name) {
        Some(text) => text.to_owned(),
        None if path.extension().is_some_and(|e| e == "toml") => noccl_studies::read_text(path)?,
        None => {
            let names: Vec<&str> = INSTRUCTION_COSTS.iter().map(|(name, _)| *name).collect();
            let accepted = format!("accepted: {}, or a TOML file", names.join(", "));
            return Err(Error::argument("--costs", name, accepted));
        }
    };
    toml::from_str(&text).map_err(|error| {
        Error::argument(
            "--costs",
            name,
            format!("{error}; accepted: a number of cycles for each class of instructions"),
        )
    })
}
