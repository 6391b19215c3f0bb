// SPDX-License-Identifier: Apache-2.0
//! Compiled programs whose calls of MPI the runtime of programs carries out, on any network that runs programs.

use crate::collective::Algorithm;
use crate::network::Network;
use crate::program::console::ConsoleStreams;
use crate::program::executed::{
    costs, has_calls, program_bytes, ranks_refused, read_image, refuse_checkpoint,
};
use crate::program::session::{CollectiveUseRow, ProgramRequest, session, use_rows};
use crate::program::{ExecutedRequest, Timeline};
use crate::{Error, Watch};
use noccl_execute::{CalledRank, CalledRequest as Request};
use noccl_net::Coord;
use noccl_program::places;
use noccl_riscv::Program;
use noccl_run::{Mode, RunConfig, Tally};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

/// What a rank has done. Computing, sending, receiving and waiting add up to its cycles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CalledRankRow {
    /// Rank.
    pub rank: u32,
    /// Its tile.
    pub tile: Coord,
    /// What its program has ended with.
    pub exit_code: u64,
    /// When it ended.
    pub finish_cycle: u64,
    /// Instructions that it has executed.
    pub instructions: u64,
    /// Cycles of these instructions.
    pub compute_cycles: u64,
    /// Cycles in which its tile was busy with what it sends.
    pub send_cycles: u64,
    /// Cycles in which its tile was busy with what it receives.
    pub receive_cycles: u64,
    /// Cycles in which it waited.
    pub wait_cycles: u64,
    /// Messages that it has sent, those of collectives that are composed too.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// What it has printed to standard output; bytes that are no UTF-8 are replaced.
    pub console: String,
    /// The same of standard error.
    #[serde(default)]
    pub errors: String,
}

/// A run of a program of calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CalledReport {
    /// Name of the network.
    pub network: String,
    /// When the last rank ended.
    pub cycles: u64,
    /// The same at the network's clock.
    pub time_ns: f64,
    /// Flits or words times links between routers.
    pub flit_hops: u64,
    /// Bytes of code and data in each core's memory, heap and stack apart.
    pub program_bytes: u64,
    /// By rank.
    pub ranks: Vec<CalledRankRow>,
    /// How its collectives were carried out.
    #[serde(default)]
    pub collectives: Vec<CollectiveUseRow>,
}

/// Runs a program made by `noccl build --calls`.
///
/// # Errors
/// [`Error`] with the rank and the place in the program; a program of ports; more ranks than tiles; a network that runs no programs.
pub fn run_called(
    network: &Network,
    request: &CalledRequest,
    watch: Watch<'_>,
) -> Result<CalledReport, Error> {
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
}

/// What was kept of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recorded {
    /// A message trace (`docs/formats/messages.md`), whose replay on this network takes the same cycles.
    pub messages: Option<String>,
    /// What the ranks did over time.
    pub timeline: Option<Timeline>,
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
) -> Result<(CalledReport, Recorded), Error> {
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
    let recorded = Recorded {
        messages: session.recorded(&source).map(|trace| trace.to_string()),
        timeline: match recording.has_timeline {
            true => Some(Timeline::of_session(network, &session)?),
            false => None,
        },
    };
    let rows = (0..).zip(&coords).zip(result.ranks);
    let report = CalledReport {
        network: network.spec().label(),
        cycles: result.cycles,
        time_ns: noccl_run::time_ns(result.cycles as f64, network.spec().clock_ghz),
        flit_hops: result.flit_hops,
        program_bytes,
        ranks: rows
            .map(|((rank, at), done)| row(rank, *at, &done))
            .collect(),
        collectives: use_rows(session.report().collectives),
    };
    Ok((report, recorded))
}

fn row(rank: u32, tile: Coord, done: &CalledRank) -> CalledRankRow {
    let report = &done.report;
    let printed = ConsoleStreams::of(&done.console);
    CalledRankRow {
        rank,
        tile,
        exit_code: done.exit_code,
        finish_cycle: report.finish_cycle,
        instructions: done.instructions,
        compute_cycles: report.compute_cycles,
        send_cycles: report.send_cycles,
        receive_cycles: report.receive_cycles,
        wait_cycles: report.wait_cycles,
        messages: report.messages,
        bytes: report.bytes,
        console: printed.output,
        errors: printed.errors,
    }
}
