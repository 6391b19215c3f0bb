// SPDX-License-Identifier: Apache-2.0
//! Compiled programs whose calls of MPI the runtime of programs carries out, on any network that runs programs.

use crate::collective::Algorithm;
use crate::network::Network;
use crate::program::console::ConsoleStreams;
use crate::program::executed::{
    costs, has_calls, program_bytes, ranks_refused, read_image, refuse_checkpoint,
};
use crate::program::session::{ProgramRequest, session};
use crate::program::{ExecutedRequest, ProgramRankRow, ProgramReport, Timeline};
use crate::{Error, Watch};
use noccl_execute::{CalledRank, CalledRequest as Request};
use noccl_net::Coord;
use noccl_program::{MessageTrace, places};
use noccl_riscv::Program;
use noccl_run::{Mode, RunConfig, Tally};
use noccl_studies::{RECORD_ALL, RunRecording};

/// A program of calls, and how its messages travel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalledRequest {
    /// Program, ranks, costs, memory and limit.
    pub executed: ExecutedRequest,
    /// Algorithm of collectives, where it can do them; else, and for `None`, the one that `auto` picks.
    pub collectives: Option<Algorithm>,
    /// Seed of the noise that a spec of core tiles describes; `None` for cores that nobody interrupts.
    pub noise_seed: Option<u64>,
}

/// Runs a program made by `noccl build --calls`.
///
/// # Errors
/// [`Error`] with the rank and the place in the program; a program of ports; more ranks than tiles; a network that runs no programs.
pub fn run_called(
    network: &Network,
    request: &CalledRequest,
    watch: Watch<'_>,
) -> Result<ProgramReport, Error> {
    let nothing = Recording::default();
    Ok(record_called(network, request, nothing, &mut Vec::new(), watch)?.0)
}

/// What is kept of a run beside its report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Recording {
    /// What the ranks have called.
    pub has_messages: bool,
    /// When they computed, sent, received and waited.
    pub has_timeline: bool,
    /// The same with calls, links, blocked ports and transactions.
    pub has_run: bool,
}

/// What was kept of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recorded {
    /// A message trace (`docs/formats/messages.md`), whose replay on this network takes the same cycles.
    pub messages: Option<String>,
    /// Has the program windows? Their messages are not replayed.
    pub has_windows: bool,
    /// What the ranks did over time.
    pub timeline: Option<Timeline>,
    /// What the ranks and the network did over time.
    pub run: Option<RunRecording>,
}

/// The same, with what is to be kept of it. Where the program fails, `printed` is what each rank had printed by then.
///
/// # Errors
/// As [`run_called`].
pub fn record_called(
    network: &Network,
    request: &CalledRequest,
    recording: Recording,
    printed: &mut Vec<ConsoleStreams>,
    watch: Watch<'_>,
) -> Result<(ProgramReport, Recorded), Error> {
    let executed = &request.executed;
    let unsaved = "the open messages and collectives of a program made by noccl build --calls";
    refuse_checkpoint(executed.checkpoint.as_ref(), unsaved)?;
    let image = read_image(executed)?;
    if !has_calls(&image) {
        let accepted =
            "its messages go through ports; accepted: a program made by noccl build --calls";
        return Err(Error::argument(
            "program",
            executed.program.display(),
            accepted,
        ));
    }
    let program_bytes = program_bytes(&image);
    let program = Program::new(image, &costs(&executed.costs)?)?;
    let coords = places(network, executed.ranks).map_err(ranks_refused)?;
    let mut session = session(
        network,
        &ProgramRequest {
            ranks: executed.ranks,
            collectives: request.collectives,
            max_cycles: executed.max_cycles,
            noise_seed: request.noise_seed,
        },
    )
    .map_err(noccl_execute::ExecuteError::from)?;
    if recording.has_messages {
        session.record();
    }
    if recording.has_timeline {
        session.record_times();
    }
    if recording.has_run {
        session.record_run(RECORD_ALL);
    }
    let usual = RunConfig::new(Mode::Value).max_cycles;
    let called = Request {
        network,
        program: &program,
        ranks: executed.ranks,
        memory_bytes: executed.memory_bytes,
        max_cycles: executed.max_cycles.unwrap_or(usual),
    };
    let tally = Tally::new(watch, 1);
    let failed =
        |consoles: Vec<&[u8]>| *printed = consoles.into_iter().map(ConsoleStreams::of).collect();
    let result = tally
        .run(|on_progress| noccl_execute::run_or(&mut session, &called, failed, on_progress))?;
    let file = executed
        .program
        .file_name()
        .unwrap_or(executed.program.as_os_str());
    let source = format!("{} executed on {}", file.display(), network.spec().label());
    let trace = session.recorded(&source);
    let recorded = Recorded {
        has_windows: trace.as_ref().is_some_and(MessageTrace::has_windows),
        messages: trace.map(|trace| trace.to_string()),
        timeline: match recording.has_timeline {
            true => Some(Timeline::of_session(network, &session)?),
            false => None,
        },
        run: Timeline::recording_of_session(
            network,
            &mut session,
            format!("{}, {} ranks", file.display(), executed.ranks),
        )?,
    };
    let rows = (0..).zip(&coords).zip(result.ranks);
    let ranks = rows.map(|((rank, at), done)| row(rank, *at, &done));
    let mut report = ProgramReport::new(network, result.cycles, result.flit_hops, ranks.collect());
    report.program_bytes = Some(program_bytes);
    report.warnings = result.warnings;
    report.collectives = session.report().collectives;
    Ok((report, recorded))
}

fn row(rank: u32, tile: Coord, done: &CalledRank) -> ProgramRankRow {
    let report = &done.report;
    let printed = ConsoleStreams::of(&done.console);
    ProgramRankRow {
        exit_code: Some(done.exit_code),
        finish_cycle: report.finish_cycle,
        instructions: Some(done.instructions),
        send_cycles: Some(report.send_cycles),
        receive_cycles: Some(report.receive_cycles),
        messages: Some(report.messages),
        bytes: Some(report.bytes),
        console: Some(printed.output),
        errors: Some(printed.errors),
        ..ProgramRankRow::new(rank, tile, report.compute_cycles, report.wait_cycles)
    }
}
