// SPDX-License-Identifier: Apache-2.0
//! The file of a recording: JSON in the trace-event format, which Perfetto and Chrome show, with the recording itself beside the events.
//!
//! Slices of a track never overlap: what overlaps is in another track of the same tile.

use super::{EXPECTED, RecordedSlice, RunRecording, Windows};
use crate::Error;
use crate::trace_event::{TraceEvents, quoted};
use noccl_files::FileError;
use noccl_run::BLOCKING_CAUSES;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Links with a counter track of their own: those with most flits.
const MAX_LINK_TRACKS: usize = 16;

/// Processes of the viewer; tiles follow, then ranks.
const NETWORK: u32 = 1;
const LINKS: u32 = 2;
const BLOCKED: u32 = 3;
const FIRST_TILE: u32 = 4;
/// Tracks of a tile: actions, and from here on transactions.
const TRANSACTIONS: u32 = 1000;

#[derive(Serialize)]
struct OtherData<'a> {
    workload: &'a str,
    network: &'a str,
    clock_ghz: f64,
    cycles: u64,
}

/// The recording alone.
#[derive(Serialize)]
struct PlainFile<'a> {
    recording: &'a RunRecording,
}

/// Something that a tile did for a while: an action, or a transaction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Slice {
    tile: u32,
    first_track: u32,
    cycles: (u64, u64),
    index: usize,
}

impl RunRecording {
    /// The text of the file.
    ///
    /// # Errors
    /// [`Error::File`] with the field of the recording that is wrong.
    pub fn file(&self) -> Result<String, Error> {
        let windows = self.checked().map_err(wrong)?;
        let mut events = TraceEvents::new(self.clock_ghz);
        self.counters(&windows, &mut events);
        self.slices(&mut events);
        self.rank_slices(&mut events);
        let about = text(&OtherData {
            workload: &self.workload,
            network: &self.network,
            clock_ghz: self.clock_ghz,
            cycles: self.cycles,
        })?;
        Ok(events.file(&about, &format!(r#","recording":{}"#, text(self)?)))
    }

    /// The text of a file without events, which all readers of recordings take.
    ///
    /// # Errors
    /// As [`RunRecording::file`].
    pub fn plain_file(&self) -> Result<String, Error> {
        Ok(text(&PlainFile { recording: self })? + "\n")
    }

    /// Load of planes and of the busiest links, and blocked ports by cause.
    fn counters(&self, windows: &Windows, events: &mut TraceEvents) {
        let (links, ports) = (&self.flits.links, &self.blocked.ports);
        events.process(NETWORK, "links: flits per cycle");
        events.process(LINKS, "busiest links: flits per cycle");
        let flits = (&windows.flits[..], links.len());
        let plane = |index: usize| Some(links[index].plane.name().to_owned());
        self.counter(NETWORK, flits, plane, events);
        let mut busiest: Vec<usize> = (0..links.len()).collect();
        busiest.sort_by_key(|at| std::cmp::Reverse(links[*at].flits));
        busiest.truncate(MAX_LINK_TRACKS);
        let link = |index: usize| {
            let link = &links[index];
            let ([x, y], [to_x, to_y]) = (link.from, link.to);
            let is_busy = busiest.contains(&index);
            is_busy.then(|| format!("{} ({x},{y})->({to_x},{to_y})", link.plane.name()))
        };
        self.counter(LINKS, flits, link, events);
        if !ports.is_empty() {
            events.process(BLOCKED, "blocked ports, by cause");
            let cause = |index: usize| {
                let cause = ports[index].cause;
                let is_known = BLOCKING_CAUSES.contains(&cause);
                is_known.then(|| cause.words().to_owned())
            };
            self.counter(BLOCKED, (&windows.blocked, ports.len()), cause, events);
        }
    }

    /// A counter track per name: the sum of what has this name, per cycle; an event where it changes. `name` is of each of `num_rows`.
    fn counter(
        &self,
        pid: u32,
        (windows, num_rows): (&[Vec<(u32, u32)>], usize),
        name: impl Fn(usize) -> Option<String>,
        events: &mut TraceEvents,
    ) {
        let names: Vec<Option<String>> = (0..num_rows).map(name).collect();
        let known: BTreeSet<&String> = names.iter().flatten().collect();
        let tracks: Vec<&String> = known.into_iter().collect();
        let texts: Vec<String> = tracks.iter().map(|name| quoted(name)).collect();
        let track = |name: &String| tracks.binary_search(&name).ok();
        let track_of: Vec<Option<usize>> = names.iter().map(|n| track(n.as_ref()?)).collect();
        let mut last = vec![0; tracks.len()];
        let nothing = Vec::new();
        for (w, window) in (0_u64..).zip(windows.iter().chain([&nothing])) {
            let mut sums = vec![0; tracks.len()];
            for (index, count) in window {
                if let Some(track) = track_of[*index as usize] {
                    sums[track] += u64::from(*count);
                }
            }
            let start = w * self.flits.window_cycles;
            for track in (0..tracks.len()).filter(|track| sums[*track] != last[*track]) {
                let value = sums[track] as f64 / self.flits.window_cycles as f64;
                events.counter(pid, &texts[track], start, value);
            }
            last = sums;
        }
    }

    /// Actions and transactions, in tracks of their first tile.
    fn slices(&self, events: &mut TraceEvents) {
        let actions = self.actions.iter().enumerate();
        let actions = actions.filter_map(|(index, action)| {
            Some(Slice {
                tile: *action.tiles.first()?,
                first_track: 0,
                cycles: (action.start_cycle, action.finish_cycle?),
                index,
            })
        });
        let of = &self.transactions;
        let transactions = (0..of.len()).map(|index| Slice {
            tile: of.from[index],
            first_track: TRANSACTIONS,
            // One that is not over ends with the run.
            cycles: (
                of.start_cycle[index],
                of.response_cycle[index].unwrap_or(self.cycles),
            ),
            index,
        });
        let mut slices: Vec<Slice> = actions.chain(transactions).collect();
        slices.sort_unstable();
        // By tile and kind: the end of each track.
        let mut tracks: BTreeMap<(u32, u32), Vec<u64>> = BTreeMap::new();
        let mut names: BTreeMap<&str, String> = BTreeMap::new();
        for slice in slices {
            let pid = FIRST_TILE + slice.tile;
            let ends = tracks.entry((slice.tile, slice.first_track)).or_default();
            let free = ends.iter().position(|end| *end <= slice.cycles.0);
            let track = free.unwrap_or(ends.len());
            let tid = slice.first_track + track as u32;
            let is_action = slice.first_track == 0;
            if track == ends.len() {
                ends.push(0);
                let title = if is_action { "actions" } else { "transactions" };
                let [x, y] = self.coordinate(slice.tile);
                events.process(pid, &format!("tile ({x},{y})"));
                events.track((pid, tid), title);
            }
            ends[track] = slice.cycles.1;
            let index = slice.index;
            let kind = match is_action {
                true => &self.actions[index].kind,
                false => &of.kinds[of.kind[index] as usize],
            };
            let name = names.entry(kind).or_insert_with(|| quoted(kind));
            if is_action {
                let args = format_args!(r#""action":{index},"#);
                events.slice((pid, tid), name, slice.cycles, args);
            } else {
                let args = self.transaction_fields(index);
                events.slice((pid, tid), name, slice.cycles, format_args!("{args}"));
            }
        }
    }

    /// What the viewer shows of a transaction.
    fn transaction_fields(&self, index: usize) -> String {
        let of = &self.transactions;
        let mut fields = format!(r#""bytes":{},"#, of.bytes[index]);
        let numbers = [
            ("action", of.action[index].map(u64::from)),
            ("first_beat_cycle", of.first_beat_cycle[index]),
            ("last_beat_cycle", of.last_beat_cycle[index]),
        ];
        for (name, number) in numbers {
            if let Some(number) = number {
                let _ = write!(fields, r#""{name}":{number},"#);
            }
        }
        if let Some(to) = of.to[index] {
            let [x, y] = self.coordinate(to);
            let _ = write!(fields, r#""to":[{x},{y}],"#);
        }
        fields
    }

    /// What each rank did.
    fn rank_slices(&self, events: &mut TraceEvents) {
        let calls = self.calls.iter().map(|of| {
            let [call, site, awaits] = [&of.call, &of.call_site, &of.awaits].map(|t| quoted(t));
            format!(r#""call":{call},"call_site":{site},"awaits":{awaits},"#)
        });
        let calls: Vec<String> = calls.collect();
        let first = FIRST_TILE + self.tiles.len() as u32;
        for (rank, of) in (0..).zip(&self.ranks) {
            let pid = first + rank;
            let [x, y] = of.at;
            events.process(pid, &format!("rank {rank} (tile {x},{y})"));
            events.track((pid, 0), "time");
            for RecordedSlice(activity, start, end, call) in &of.slices {
                let name = quoted(activity.name());
                // 0: no fields of no call.
                let args = call.map_or("", |call| &*calls[call as usize]);
                events.slice((pid, 0), &name, (*start, *end), format_args!("{args}"));
            }
        }
    }

    fn coordinate(&self, tile: u32) -> [u32; 2] {
        let rows = u32::from(self.mesh[1]).max(1);
        [tile / rows, tile % rows]
    }
}

fn text(of: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(of).map_err(|error| wrong(error.to_string()))
}

fn wrong(reason: String) -> Error {
    let path = "recording".to_owned();
    FileError::Content {
        path,
        expected: EXPECTED,
        reason,
    }
    .into()
}
