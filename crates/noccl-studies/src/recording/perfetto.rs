// SPDX-License-Identifier: Apache-2.0
//! The file of a recording: JSON in the trace-event format, which Perfetto and Chrome show, with the recording itself beside the events.
//!
//! Slices of a track never overlap: what overlaps is in another track of the same tile.

use super::{EXPECTED, RunRecording};
use crate::Error;
use crate::trace_event::{TraceEvent, microseconds};
use noccl_files::FileError;
use noccl_run::BLOCKING_CAUSES;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Links with a counter track of their own: those with most flits.
const MAX_LINK_TRACKS: usize = 16;

/// Processes of the viewer; tiles follow.
const NETWORK: u32 = 1;
const LINKS: u32 = 2;
const BLOCKED: u32 = 3;
const FIRST_TILE: u32 = 4;
/// Tracks of a tile: actions, and from here on transactions.
const TRANSACTIONS: u32 = 1000;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TraceFile<'a> {
    display_time_unit: &'static str,
    other_data: Value,
    trace_events: Vec<Event>,
    recording: &'a RunRecording,
}

type Event = TraceEvent<'static, Value>;

/// Something that a tile did for a while.
struct Slice {
    tile: [u16; 2],
    first_track: u32,
    name: String,
    cycles: (u64, u64),
    args: Value,
}

impl RunRecording {
    /// The text of the file.
    ///
    /// # Errors
    /// [`Error::File`] with the field of the recording that is wrong.
    pub fn file(&self) -> Result<String, Error> {
        let wrong = |reason| FileError::Content {
            path: "recording".to_owned(),
            expected: EXPECTED,
            reason,
        };
        let mut events = self.counters().map_err(wrong)?;
        events.extend(self.slices());
        let file = TraceFile {
            display_time_unit: "ns",
            other_data: json!({"network": self.network, "clock_ghz": self.clock_ghz, "cycles": self.cycles}),
            trace_events: events,
            recording: self,
        };
        let text = serde_json::to_string(&file).map_err(|error| wrong(error.to_string()))?;
        Ok(text + "\n")
    }

    /// Load of planes and of the busiest links, and blocked ports by cause.
    fn counters(&self) -> Result<Vec<Event>, String> {
        let (links, ports) = (&self.flits.links, &self.blocked.ports);
        let mut events = vec![
            process(NETWORK, "links: flits per cycle"),
            process(LINKS, "busiest links: flits per cycle"),
        ];
        let flits = self.flits()?;
        let flits = (&flits[..], links.len());
        let plane = |index: usize| Some(links[index].plane.name().to_owned());
        events.extend(self.counter(NETWORK, flits, plane));
        let mut busiest: Vec<usize> = (0..links.len()).collect();
        busiest.sort_by_key(|at| std::cmp::Reverse(links[*at].flits));
        busiest.truncate(MAX_LINK_TRACKS);
        let link = |index: usize| {
            let link = &links[index];
            let ([x, y], [to_x, to_y]) = (link.from, link.to);
            let is_busy = busiest.contains(&index);
            is_busy.then(|| format!("{} ({x},{y})->({to_x},{to_y})", link.plane.name()))
        };
        events.extend(self.counter(LINKS, flits, link));
        if !ports.is_empty() {
            events.push(process(BLOCKED, "blocked ports, by cause"));
            let cause = |index: usize| {
                let cause = ports[index].cause;
                let is_known = BLOCKING_CAUSES.contains(&cause);
                is_known.then(|| cause.words().to_owned())
            };
            events.extend(self.counter(BLOCKED, (&self.blocked()?, ports.len()), cause));
        }
        Ok(events)
    }

    /// A counter track per name: the sum of what has this name, per cycle; an event where it changes. `name` is of each of `num_rows`.
    fn counter(
        &self,
        pid: u32,
        (windows, num_rows): (&[Vec<(u32, u32)>], usize),
        name: impl Fn(usize) -> Option<String>,
    ) -> Vec<Event> {
        let names: Vec<Option<String>> = (0..num_rows).map(name).collect();
        let known: BTreeSet<&String> = names.iter().flatten().collect();
        let tracks: Vec<&String> = known.into_iter().collect();
        let track = |name: &String| tracks.binary_search(&name).ok();
        let track_of: Vec<Option<usize>> = names.iter().map(|n| track(n.as_ref()?)).collect();
        let mut last = vec![0; tracks.len()];
        let mut events = Vec::new();
        let nothing = Vec::new();
        for (w, window) in (0_u64..).zip(windows.iter().chain([&nothing])) {
            let mut sums = vec![0; tracks.len()];
            for (index, count) in window {
                if let Some(track) = track_of[*index as usize] {
                    sums[track] += u64::from(*count);
                }
            }
            for track in (0..tracks.len()).filter(|track| sums[*track] != last[*track]) {
                let value = sums[track] as f64 / self.flits.window_cycles as f64;
                let start_us = microseconds(w * self.flits.window_cycles, self.clock_ghz);
                let (name, args) = (tracks[track].clone(), json!({"value": value}));
                events.push(Event::counter(pid, name, start_us, args));
            }
            last = sums;
        }
        events
    }

    /// Actions and transactions, in tracks of their first tile.
    fn slices(&self) -> Vec<Event> {
        let height = u32::from(self.mesh[1]).max(1);
        let actions = self
            .actions
            .iter()
            .enumerate()
            .filter_map(|(index, action)| {
                let tile = action.tiles.first()?;
                Some(Slice {
                    tile: [(tile / height) as u16, (tile % height) as u16],
                    first_track: 0,
                    name: action.kind.clone(),
                    cycles: (action.start_cycle, action.finish_cycle?),
                    args: json!({"action": index}),
                })
            });
        let transactions = self.transactions.iter().map(|of| Slice {
            tile: of.from,
            first_track: TRANSACTIONS,
            name: of.kind.clone(),
            // One that is not over ends with the run.
            cycles: (of.start_cycle, of.response_cycle.unwrap_or(self.cycles)),
            args: json!({
                "action": of.action, "to": of.to, "bytes": of.bytes,
                "first_beat_cycle": of.first_beat_cycle, "last_beat_cycle": of.last_beat_cycle,
            }),
        });
        let mut slices: Vec<Slice> = actions.chain(transactions).collect();
        slices.sort_by_key(|slice| (slice.tile, slice.first_track, slice.cycles));
        let mut events = Vec::new();
        // By tile and kind: the end of each track.
        let mut tracks: BTreeMap<([u16; 2], u32), Vec<u64>> = BTreeMap::new();
        for slice in slices {
            let (start, end) = slice.cycles;
            let [x, y] = slice.tile;
            let pid = FIRST_TILE + u32::from(x) * height + u32::from(y);
            let ends = tracks.entry((slice.tile, slice.first_track)).or_default();
            let free = ends.iter().position(|end| *end <= start);
            let track = free.unwrap_or(ends.len());
            let tid = slice.first_track + track as u32;
            if track == ends.len() {
                ends.push(0);
                let is_action = slice.first_track == 0;
                let title = if is_action { "actions" } else { "transactions" };
                events.push(process(pid, &format!("tile ({x},{y})")));
                events.push(named(pid, tid, "thread_name", title));
            }
            ends[track] = end;
            let [start_us, length_us] = [start, end.saturating_sub(start)]
                .map(|cycles| microseconds(cycles, self.clock_ghz));
            let args = with_cycles(slice.args, start, end);
            events.push(Event::slice(
                (pid, tid),
                slice.name,
                (start_us, length_us),
                args,
            ));
        }
        events
    }
}

fn with_cycles(mut args: Value, start: u64, end: u64) -> Value {
    if let Value::Object(fields) = &mut args {
        fields.insert("start_cycle".to_owned(), start.into());
        fields.insert("end_cycle".to_owned(), end.into());
        fields.retain(|_, value| !value.is_null());
    }
    args
}

fn process(pid: u32, name: &str) -> Event {
    named(pid, 0, "process_name", name)
}

fn named(pid: u32, tid: u32, what: &'static str, name: &str) -> Event {
    Event::naming((pid, tid), what, json!({"name": name}))
}
