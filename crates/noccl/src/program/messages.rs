// SPDX-License-Identifier: Apache-2.0
//! Replay of message traces: what ranks of a recorded program have called, on a simulated network.

use crate::collective::Algorithm;
use crate::network::Network;
use crate::program::{
    ProgramCall, ProgramRankRow, ProgramReport, ProgramRequest, Recorded, Recording, Report,
    Timeline, session,
};
use crate::{Error, Step, Watch, WorkStage};
use noccl_net::{Coord, elaborate};
use noccl_program::{
    Event, Library, LibraryCosts, MessageTrace, Replayed, Span, Unit, parse_messages, places,
};
use noccl_spec::Spec;
use noccl_studies::RECORD_ALL;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A message trace and how it is replayed.
#[derive(Debug, Clone, PartialEq)]
pub struct MessagesRequest {
    /// File with the trace (`docs/formats/messages.md`).
    pub trace: PathBuf,
    /// Number of ranks that is expected; `None` for as many as there are.
    pub ranks: Option<u32>,
    /// Whose costs of messages are taken; `None`: the recorded ones, where the trace has them for this network.
    pub library: Option<LibraryCosts>,
    /// Algorithm of collectives; `None` for the one that `auto` picks.
    pub collectives: Option<Algorithm>,
    /// Factor of all computations; not negative.
    pub compute_scale: f64,
    /// Give up after this many cycles; `None` for the usual limit.
    pub max_cycles: Option<u64>,
    /// Seed of the noise that a spec of core tiles describes.
    pub noise_seed: Option<u64>,
}

/// Whose costs of messages a replay has taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessagesLibrary {
    /// Those of the network's description.
    Modelled,
    /// Those of the message library, as the trace has them.
    Recorded,
}

/// Replays a message trace.
///
/// # Errors
/// [`Error`] with the line of the trace; a network that runs no programs; more ranks than tiles.
pub fn replay_messages(
    network: &Network,
    request: &MessagesRequest,
    watch: Watch<'_>,
) -> Result<ProgramReport, Error> {
    Ok(replay(network, request, Recording::default(), watch)?.0)
}

/// The same, with what is to be kept of it; the messages are in the trace.
///
/// # Errors
/// As [`replay_messages`].
pub fn record_replayed(
    network: &Network,
    request: &MessagesRequest,
    recording: Recording,
    watch: Watch<'_>,
) -> Result<(ProgramReport, Recorded), Error> {
    replay(network, request, recording, watch)
}

fn replay(
    network: &Network,
    request: &MessagesRequest,
    recording: Recording,
    watch: Watch<'_>,
) -> Result<(ProgramReport, Recorded), Error> {
    let text = noccl_files::read_text(&request.trace)?;
    let file = name(&request.trace);
    let mut trace = parse_messages(&file, &text)?;
    drop(text);
    let library = library(network, &trace, request.library)?.cloned();
    let bare = library
        .as_ref()
        .map(|library| bare_cores(network.spec(), library));
    let bare = bare.as_ref().map(elaborate).transpose()?;
    let network = bare.as_ref().unwrap_or(network);
    let costs = match library {
        None => LibraryCosts::Modelled,
        Some(_) => LibraryCosts::Recorded,
    };
    trace.take_costs(costs);
    let cycles_per_unit = cycles_per_unit(network, &trace, request.compute_scale)?;
    let ranks = trace.ranks.len() as u32;
    if let Some(stated) = request.ranks.filter(|stated| *stated != ranks) {
        let accepted = format!("{ranks}, as in the trace");
        return Err(Error::argument("--ranks", stated, accepted));
    }
    let asked = ProgramRequest {
        ranks,
        // The library's own broadcast.
        collectives: match costs {
            LibraryCosts::Modelled => request.collectives,
            LibraryCosts::Recorded => request.collectives.or(Some(Algorithm::InNetworkStatic)),
        },
        max_cycles: request.max_cycles,
        noise_seed: request.noise_seed,
    };
    let mut session = session(network, &asked)?;
    // The trace itself is in memory.
    session.keep_all_calls();
    if recording.has_timeline {
        session.record_times();
    }
    if recording.has_run {
        session.record_run(RECORD_ALL);
    }
    let total = trace.num_records();
    let mut may_go_on = |done| {
        watch.report(Step {
            done,
            total,
            simulated_cycles: 0,
            activity: WorkStage::Simulating,
        })
    };
    let replayed =
        noccl_program::replay(&mut session, &trace, &file, cycles_per_unit, &mut may_go_on)?;
    let source = &trace.source;
    let workload = format!("replay of {source}, {ranks} ranks");
    let recorded = Recorded {
        has_windows: false,
        messages: None,
        timeline: match recording.has_timeline {
            true => Some(Timeline::of_session(network, &session)?),
            false => None,
        },
        run: Timeline::recording_of_session(network, &mut session, workload)?,
    };
    let report = session.report();
    let coords = places(network, ranks)?;
    let rows = rows(&report, &replayed, &coords);
    let mut replayed = ProgramReport::new(network, report.cycles, report.flit_hops, rows);
    replayed.source = Some(trace.source.clone());
    replayed.library = Some(match costs {
        LibraryCosts::Modelled => MessagesLibrary::Modelled,
        LibraryCosts::Recorded => MessagesLibrary::Recorded,
    });
    replayed.compute_scale = Some(request.compute_scale);
    replayed.any_source_receives = Some(any_source_receives(&trace));
    replayed.timeline = session.timeline().iter().map(call).collect();
    Ok((replayed, recorded))
}

/// The library whose records are replayed. They are of one network's cores: on another one its messages would come at other times.
fn library<'t>(
    network: &Network,
    trace: &'t MessageTrace,
    asked: Option<LibraryCosts>,
) -> Result<Option<&'t Library>, Error> {
    let recorded = trace.library.as_ref();
    let here = recorded.filter(|library| library.network == network.spec().label());
    match asked {
        Some(LibraryCosts::Modelled) => Ok(None),
        None => Ok(here),
        Some(LibraryCosts::Recorded) if here.is_some() => Ok(here),
        Some(LibraryCosts::Recorded) => {
            let accepted = match recorded {
                Some(library) => format!("accepted with this trace: on '{}'", library.network),
                None => "the trace has no records of a message library; accepted: modelled".into(),
            };
            Err(Error::argument("--library", "recorded", accepted))
        }
    }
}

/// The network with cores that take cycles for the words of a message alone: all else is in the records.
fn bare_cores(spec: &Spec, library: &Library) -> Spec {
    let mut spec = spec.clone();
    if let Some(tiles) = spec.cores_mut() {
        let core = &mut tiles.core;
        core.send_cycles = 0;
        core.receive_cycles = 0;
        core.receive_ahead_cycles = 0;
        core.unit_cycles = 0;
        core.list_cycles = 0;
        core.row_cycles = 0;
        core.round_cycles = 0;
        core.blocked_cycles = library.blocked_cycles;
        core.combine_cycles = 0;
        core.route_cycles = 0;
        core.word_cycles = library.read_word_cycles;
        core.send_word_cycles = library.written_word_cycles;
    }
    spec
}

/// As places of calls name the file.
fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    noccl_files::visible(&name.to_string_lossy()).into_owned()
}

/// What a unit of the trace's computations takes on this network.
fn cycles_per_unit(network: &Network, trace: &MessageTrace, scale: f64) -> Result<f64, Error> {
    if !scale.is_finite() || scale < 0.0 {
        let accepted = "a factor of 0 and more";
        return Err(Error::argument("--compute-scale", scale, accepted));
    }
    Ok(match trace.unit {
        Unit::Nanoseconds => scale * network.spec().clock_ghz,
        Unit::Cycles => scale,
    })
}

fn any_source_receives(trace: &MessageTrace) -> u64 {
    let events = trace.ranks.iter().flatten().map(|record| &record.event);
    let any = events.filter(|event| {
        matches!(
            event,
            Event::Receive {
                is_any_source: true,
                ..
            }
        )
    });
    any.count() as u64
}

fn rows(report: &Report, replayed: &[Replayed], coords: &[Coord]) -> Vec<ProgramRankRow> {
    let all = report.ranks.iter().zip(replayed).zip(coords);
    all.map(|((rank, replayed), tile)| ProgramRankRow {
        finish_cycle: rank.finish_cycle,
        send_cycles: Some(rank.send_cycles),
        receive_cycles: Some(rank.receive_cycles),
        messages: Some(rank.messages),
        bytes: Some(rank.bytes),
        received_messages: Some(replayed.received_messages),
        received_bytes: Some(replayed.received_bytes),
        ..ProgramRankRow::new(rank.rank.0, *tile, rank.compute_cycles, rank.wait_cycles)
    })
    .collect()
}

fn call(span: &Span) -> ProgramCall {
    ProgramCall {
        rank: span.rank.0,
        start_cycle: span.start_cycle,
        end_cycle: span.end_cycle,
        what: span.what.to_owned(),
        place: span.call_site.clone(),
    }
}
