// SPDX-License-Identifier: Apache-2.0
//! When each rank of a program computed, sent, received and waited, as a file of trace events (`docs/formats/timeline.md`), which
//! Perfetto and Chrome show.

use noccl_net::{Coord, Network};
use noccl_program::{ProgramError, RankId, Session, Span, places};
use noccl_run::TimeSlices;
use noccl_studies::{TraceEvent, microseconds};
use serde::Serialize;

/// Version of the file.
pub const TIMELINE_VERSION: u32 = 1;

/// What a rank has done over time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimelineRank {
    /// Rank.
    pub rank: u32,
    /// Its tile.
    pub tile: Coord,
    /// What it did in each cycle.
    pub times: TimeSlices,
    /// Its calls, in the order in which they ended; none of a program whose messages go through ports.
    pub calls: Vec<Span>,
}

/// What all ranks of a program have done over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Timeline {
    /// Name of the network.
    pub network: String,
    /// Cycles per nanosecond.
    pub clock_ghz: f64,
    /// When the last rank ended.
    pub cycles: u64,
    /// By rank.
    pub ranks: Vec<TimelineRank>,
}

/// Tracks of a rank.
const TIME_TRACK: u32 = 0;
const CALL_TRACK: u32 = 1;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct File<'a> {
    display_time_unit: &'static str,
    other_data: OtherData<'a>,
    trace_events: Vec<Event<'a>>,
}

#[derive(Debug, Serialize)]
struct OtherData<'a> {
    version: u32,
    network: &'a str,
    clock_ghz: f64,
    cycles: u64,
    ranks: usize,
}

type Event<'a> = TraceEvent<'a, Arguments<'a>>;

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Arguments<'a> {
    Name {
        name: String,
    },
    Cycles {
        start_cycle: u64,
        end_cycle: u64,
    },
    Call {
        start_cycle: u64,
        end_cycle: u64,
        place: &'a str,
    },
}

impl Timeline {
    /// The timeline of a session that has been asked to keep times.
    ///
    /// # Errors
    /// [`ProgramError::Ranks`].
    pub fn of_session(network: &Network, session: &Session<'_>) -> Result<Self, ProgramError> {
        let report = session.report();
        let coords = places(network, report.ranks.len() as u32)?;
        let mut calls: Vec<Vec<Span>> = vec![Vec::new(); report.ranks.len()];
        for span in session.timeline() {
            calls[span.rank.0 as usize].push(span.clone());
        }
        let ranks = (0..).zip(coords).zip(calls);
        let rank = |((rank, tile), calls)| TimelineRank {
            rank,
            tile,
            times: session.times(RankId(rank)),
            calls,
        };
        Ok(Self::new(network, report.cycles, ranks.map(rank).collect()))
    }

    /// The timeline of ranks on a network.
    pub(crate) fn new(network: &Network, cycles: u64, ranks: Vec<TimelineRank>) -> Self {
        Self {
            network: network.spec().label(),
            clock_ghz: network.spec().clock_ghz,
            cycles,
            ranks,
        }
    }

    /// The file's text.
    ///
    /// # Errors
    /// [`serde_json::Error`] for a number that JSON does not have.
    pub fn trace_events(&self) -> Result<String, serde_json::Error> {
        let file = File {
            display_time_unit: "ns",
            other_data: OtherData {
                version: TIMELINE_VERSION,
                network: &self.network,
                clock_ghz: self.clock_ghz,
                cycles: self.cycles,
                ranks: self.ranks.len(),
            },
            trace_events: self.ranks.iter().flat_map(|r| self.events(r)).collect(),
        };
        serde_json::to_string(&file).map(|text| text + "\n")
    }

    fn events<'a>(&self, of: &'a TimelineRank) -> Vec<Event<'a>> {
        let named =
            |tid, what, name: String| Event::naming((of.rank, tid), what, Arguments::Name { name });
        let title = format!("rank {} (tile {},{})", of.rank, of.tile.x, of.tile.y);
        let mut events = vec![
            named(TIME_TRACK, "process_name", title),
            named(TIME_TRACK, "thread_name", "time".to_owned()),
        ];
        if !of.calls.is_empty() {
            events.push(named(CALL_TRACK, "thread_name", "calls".to_owned()));
        }
        let slice = |tid, name: &'a str, (start, end): (u64, u64), args| {
            let [start_us, length_us] =
                [start, end - start].map(|cycles| microseconds(cycles, self.clock_ghz));
            Event::slice((of.rank, tid), name, (start_us, length_us), args)
        };
        events.extend(of.times.all().iter().map(|part| {
            let (start_cycle, end_cycle) = (part.start_cycle, part.end_cycle);
            let args = Arguments::Cycles {
                start_cycle,
                end_cycle,
            };
            let name = part.time.name();
            slice(TIME_TRACK, name, (start_cycle, end_cycle), args)
        }));
        events.extend(of.calls.iter().map(|call| {
            let (start_cycle, end_cycle) = (call.start_cycle, call.end_cycle);
            let args = Arguments::Call {
                start_cycle,
                end_cycle,
                place: &call.call_site,
            };
            slice(CALL_TRACK, call.what, (start_cycle, end_cycle), args)
        }));
        events
    }
}
