// SPDX-License-Identifier: Apache-2.0
//! When each rank of a program computed, sent, received and waited, as a file of trace events (`docs/formats/timeline.md`), which
//! Perfetto and Chrome show.

use noccl_net::{Coord, Network};
use noccl_program::{ProgramError, RankId, Session, Span, places};
use noccl_run::TimeSlices;
use noccl_studies::{RunRecording, TraceEvents, quoted};
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
struct OtherData<'a> {
    version: u32,
    network: &'a str,
    clock_ghz: f64,
    cycles: u64,
    ranks: usize,
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

    /// The recording of a session that has been asked to record its run; once.
    ///
    /// # Errors
    /// [`ProgramError::Ranks`].
    pub fn recording_of_session(
        network: &Network,
        session: &mut Session<'_>,
        workload: String,
    ) -> Result<Option<RunRecording>, ProgramError> {
        let Some(recording) = session.take_recording() else {
            return Ok(None);
        };
        let timeline = Self::of_session(network, session)?;
        Ok(Some(timeline.recording(network, workload, &recording)))
    }

    /// What the network has recorded, with these ranks.
    pub(crate) fn recording(
        &self,
        network: &Network,
        workload: String,
        recording: &noccl_run::Recording,
    ) -> RunRecording {
        let ranks = self.ranks.iter();
        let ranks: Vec<_> = ranks
            .map(|of| (of.tile, &of.times, &of.calls[..]))
            .collect();
        RunRecording::new(network, workload, self.cycles, recording).with_ranks(network, &ranks)
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
        let about = serde_json::to_string(&OtherData {
            version: TIMELINE_VERSION,
            network: &self.network,
            clock_ghz: self.clock_ghz,
            cycles: self.cycles,
            ranks: self.ranks.len(),
        })?;
        let mut events = TraceEvents::new(self.clock_ghz);
        for rank in &self.ranks {
            rank.put_events(&mut events);
        }
        Ok(events.file(&about, ""))
    }
}

impl TimelineRank {
    fn put_events(&self, events: &mut TraceEvents) {
        let Self { rank, tile, .. } = *self;
        events.process(rank, &format!("rank {rank} (tile {},{})", tile.x, tile.y));
        events.track((rank, TIME_TRACK), "time");
        if !self.calls.is_empty() {
            events.track((rank, CALL_TRACK), "calls");
        }
        for part in self.times.all() {
            let cycles = (part.start_cycle, part.end_cycle);
            let name = quoted(part.time.name());
            events.slice((rank, TIME_TRACK), &name, cycles, format_args!(""));
        }
        for call in &self.calls {
            let cycles = (call.start_cycle, call.end_cycle);
            let place = quoted(&call.call_site);
            let args = format_args!(r#""place":{place},"#);
            events.slice((rank, CALL_TRACK), &quoted(call.what), cycles, args);
        }
    }
}
