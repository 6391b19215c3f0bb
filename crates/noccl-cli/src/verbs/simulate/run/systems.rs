// SPDX-License-Identifier: Apache-2.0
//! `noccl run program --systems`: one program on several systems, where its time goes, and what faster collectives would save.

use crate::output;
use crate::table::{Align, grouped, table_dropping};
use noccl::Error;
use noccl::program::{ProgramReport, Timeline};
use noccl::study::{Advice, AdvicePart, AdviceRow};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const NS_PER_US: f64 = 1e3;
/// Calls that a row names: so many, and parts of so much of the time.
const MOST_CALLS: usize = 4;
const LEAST_PART: f64 = 0.005;

/// A system that has a preset of a mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct System {
    title: String,
    pub spec: String,
}

/// The systems that `--systems` names: all, or presets.
///
/// # Errors
/// [`Error`] for a preset that there is not.
pub fn systems(named: &str, ranks: u32) -> Result<Vec<System>, Error> {
    let (columns, rows) = mesh_of(ranks);
    if named != "all" {
        let each = named.split(',').map(|spec| {
            noccl::network::load(spec, &[])?;
            Ok(System {
                title: spec.to_owned(),
                spec: spec.to_owned(),
            })
        });
        return each.collect();
    }
    let mesh = format!("{columns}x{rows}");
    let all = [
        ("S4: core tiles", format!("tilepro64_{mesh}")),
        ("S1: collective NoC", format!("collective_noc_{mesh}")),
        (
            "S1 as published",
            format!("collective_noc_{mesh}_published"),
        ),
        ("S1 with bypass", format!("collective_noc_{mesh}_bypass")),
        // S3 writes rows first.
        ("S3: Torrent", format!("torrent_{rows}x{columns}")),
        ("S2: SMART", format!("smart_{mesh}")),
        ("ideal crossbar", format!("ideal_{mesh}")),
    ]
    .map(|(title, spec)| System {
        title: title.to_owned(),
        spec,
    });
    Ok(all.into())
}

/// A message trace without its messages, of which `noccl advise` takes none: those of windows and of what is concurrent with a rank's calls
/// have no place in a trace.
pub fn collectives_of(trace: &str) -> String {
    let (mut out, mut count) = (String::new(), 0);
    for line in trace.lines() {
        // A non-blocking collective counts as one that blocks.
        let line = line.strip_prefix("# begins ").unwrap_or(line);
        let word = line.split(' ').next().unwrap_or(line);
        if matches!(word, "send" | "isend" | "recv" | "irecv" | "wait") {
            continue;
        }
        count = if word == "rank" { 0 } else { count + 1 };
        match word {
            "end" => out += &format!("end {}\n", count - 1),
            _ => out += &format!("{line}\n"),
        }
    }
    out
}

/// Columns and rows of the mesh for ranks: all of its tiles have one if their number is a product of near factors.
pub fn mesh_of(ranks: u32) -> (u32, u32) {
    let ranks = ranks.max(2);
    let root = ranks.isqrt();
    let rows = (1..=root).rev().find(|rows| ranks.is_multiple_of(*rows));
    match rows {
        Some(rows) if ranks / rows <= 4 * rows => (ranks / rows, rows),
        _ => {
            let columns = if root * root < ranks { root + 1 } else { root };
            (columns, ranks.div_ceil(columns))
        }
    }
}

/// A rank of a report, of compiled programs and of scripts.
#[derive(Debug, Clone, Deserialize)]
struct RankTimes {
    finish_cycle: u64,
    compute_cycles: u64,
    #[serde(default)]
    send_cycles: Option<u64>,
    #[serde(default)]
    receive_cycles: Option<u64>,
}

/// What a run has come to.
#[derive(Debug, Clone, Deserialize)]
pub struct Ran {
    cycles: u64,
    time_ns: f64,
    ranks: Vec<RankTimes>,
    /// Cycles of all ranks in calls, by what they wait for.
    #[serde(skip)]
    calls: BTreeMap<String, u64>,
}

impl Ran {
    /// Of a compiled program.
    pub fn new(report: &ProgramReport, timeline: &Timeline) -> Self {
        let ranks = report.ranks.iter().map(|rank| RankTimes {
            finish_cycle: rank.finish_cycle,
            compute_cycles: rank.compute_cycles,
            send_cycles: rank.send_cycles,
            receive_cycles: rank.receive_cycles,
        });
        let mut ran = Self {
            cycles: report.cycles,
            time_ns: report.time_ns,
            ranks: ranks.collect(),
            calls: BTreeMap::new(),
        };
        for span in timeline.ranks.iter().flat_map(|rank| &rank.calls) {
            ran.add(span.what, span.end_cycle - span.start_cycle);
        }
        ran
    }

    /// Of a script, as JSON of the report and of the timeline.
    pub fn parse(report: &str, timeline: &str) -> Result<Self, serde_json::Error> {
        let mut ran: Self = serde_json::from_str(report)?;
        let timeline: File = serde_json::from_str(timeline)?;
        for event in timeline.trace_events {
            if let (CALLS, Some(args)) = (event.tid, event.args) {
                ran.add(&event.name, args.end_cycle - args.start_cycle);
            }
        }
        Ok(ran)
    }

    fn add(&mut self, what: &str, cycles: u64) {
        if what != "compute" && cycles > 0 {
            *self.calls.entry(what.to_owned()).or_default() += cycles;
        }
    }
}

/// Track of the calls of a rank.
const CALLS: u32 = 1;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    trace_events: Vec<Event>,
}

#[derive(Debug, Deserialize)]
struct Event {
    #[serde(default)]
    tid: u32,
    name: String,
    #[serde(default, deserialize_with = "cycles_or_none")]
    args: Option<Cycles>,
}

#[derive(Debug, Deserialize)]
struct Cycles {
    start_cycle: u64,
    end_cycle: u64,
}

/// Names of tracks have other arguments.
fn cycles_or_none<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Cycles>, D::Error> {
    let value = serde_json::Value::deserialize(from)?;
    Ok(serde_json::from_value(value).ok())
}

/// A program on a system.
#[derive(Debug, Clone, Serialize)]
struct SystemRow {
    system: String,
    spec: String,
    cycles: u64,
    time_us: f64,
    /// Over the slowest system, in time.
    speedup: f64,
    /// Fractions of the time of all ranks.
    computing: f64,
    sending: f64,
    receiving: f64,
    waiting: f64,
    /// Fractions of it in calls that wait, by what they are; they have sending and receiving in them.
    calls: BTreeMap<String, f64>,
}

/// A collective that the program calls, by software alone and by the fastest mechanism.
#[derive(Debug, Clone, Serialize)]
struct CallRow {
    call: String,
    count: u64,
    software_algorithm: String,
    software_cycles: u64,
    fastest: String,
    algorithm: String,
    cycles: u64,
    /// What all calls of it together save.
    saved_us: f64,
}

/// A system on which the program does not run.
#[derive(Debug, Clone, Serialize)]
struct LeftOut {
    spec: String,
    reason: String,
}

/// All systems.
#[derive(Debug, Clone, Serialize)]
pub struct Compared {
    program: String,
    ranks: u32,
    rows: Vec<SystemRow>,
    left_out: Vec<LeftOut>,
    collectives: Vec<CallRow>,
    /// What a faster mechanism for collectives would gain, or why that is not known.
    conclusion: String,
}

impl Compared {
    pub fn new(
        program: String,
        ranks: u32,
        runs: &[(System, Result<Ran, String>)],
        advice: Result<Advice, String>,
    ) -> Self {
        let done: Vec<(&System, &Ran)> = runs
            .iter()
            .filter_map(|(system, ran)| Some((system, ran.as_ref().ok()?)))
            .collect();
        let slowest = done.iter().map(|(_, ran)| ran.time_ns).fold(0.0, f64::max);
        let left_out = runs.iter().filter_map(|(system, ran)| {
            Some(LeftOut {
                spec: system.spec.clone(),
                reason: ran.as_ref().err()?.clone(),
            })
        });
        let (collectives, conclusion) = match advice {
            Ok(advice) => {
                let rows = call_rows(&advice.rows);
                let conclusion = conclusion(&advice, &rows);
                (rows, conclusion)
            }
            Err(reason) => (
                Vec::new(),
                format!("collectives are not compared: {reason}"),
            ),
        };
        Self {
            program,
            ranks,
            rows: done
                .iter()
                .map(|(system, ran)| row(system, ran, slowest))
                .collect(),
            left_out: left_out.collect(),
            collectives,
            conclusion,
        }
    }

    /// Has it run on no system?
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn print(&self) -> Result<(), Error> {
        let mut text = format!("{} with {} ranks\n\n", self.program, self.ranks);
        text += &self.systems_table();
        for LeftOut { spec, reason } in &self.left_out {
            text += &format!("not run: {spec}: {reason}\n");
        }
        if !self.collectives.is_empty() {
            text += &format!("\n{}", self.collectives_table());
        }
        text += &format!("\n{}\n", self.conclusion);
        output::result(&text)
    }

    fn systems_table(&self) -> String {
        let header = [
            ("system", Align::Left),
            ("cycles", Align::Right),
            ("us", Align::Right),
            ("speedup", Align::Right),
            ("computing", Align::Right),
            ("sending", Align::Right),
            ("receiving", Align::Right),
            ("waiting", Align::Right),
            ("in calls", Align::Left),
        ];
        let cells = |row: &SystemRow| {
            vec![
                row.system.clone(),
                grouped(row.cycles),
                format!("{:.1}", row.time_us),
                format!("{:.2}", row.speedup),
                percent(row.computing),
                percent(row.sending),
                percent(row.receiving),
                percent(row.waiting),
                calls_text(&row.calls),
            ]
        };
        let rows: Vec<Vec<String>> = self.rows.iter().map(cells).collect();
        table_dropping(
            &header,
            &rows,
            &["receiving", "sending", "waiting", "computing"],
            None,
        )
    }

    fn collectives_table(&self) -> String {
        let header = [
            ("collective", Align::Left),
            ("calls", Align::Right),
            ("software [cycles]", Align::Right),
            ("cycles", Align::Right),
            ("saves [us]", Align::Right),
            ("fastest", Align::Left),
            ("algorithm", Align::Left),
            ("software alone", Align::Left),
        ];
        let cells = |row: &CallRow| {
            vec![
                row.call.clone(),
                grouped(row.count),
                grouped(row.software_cycles),
                grouped(row.cycles),
                format!("{:.1}", row.saved_us),
                row.fastest.clone(),
                row.algorithm.clone(),
                row.software_algorithm.clone(),
            ]
        };
        let rows: Vec<Vec<String>> = self.collectives.iter().map(cells).collect();
        table_dropping(&header, &rows, &["software alone", "saves [us]"], None)
    }
}

fn percent(fraction: f64) -> String {
    format!("{:.0} %", 100.0 * fraction)
}

/// The calls that take longest.
fn calls_text(calls: &BTreeMap<String, f64>) -> String {
    let mut sorted: Vec<(&String, f64)> = calls.iter().map(|(name, part)| (name, *part)).collect();
    sorted.sort_by(|a, b| b.1.total_cmp(&a.1));
    let words = sorted.iter().take(MOST_CALLS);
    let words = words.filter(|(_, part)| *part >= LEAST_PART);
    let words = words.map(|(name, part)| format!("{name} {}", percent(*part)));
    words.collect::<Vec<_>>().join(", ")
}

fn row(system: &System, ran: &Ran, slowest_ns: f64) -> SystemRow {
    let sum = |of: fn(&RankTimes) -> u64| ran.ranks.iter().map(of).sum::<u64>() as f64;
    let whole = sum(|rank| rank.finish_cycle).max(1.0);
    let computing = sum(|rank| rank.compute_cycles) / whole;
    // 0: what tiles do not count is waiting.
    let sending = sum(|rank| rank.send_cycles.unwrap_or(0)) / whole;
    // 0: the same.
    let receiving = sum(|rank| rank.receive_cycles.unwrap_or(0)) / whole;
    let calls = ran.calls.iter();
    SystemRow {
        system: system.title.clone(),
        spec: system.spec.clone(),
        cycles: ran.cycles,
        time_us: ran.time_ns / NS_PER_US,
        speedup: slowest_ns / ran.time_ns,
        computing,
        sending,
        receiving,
        waiting: (1.0 - computing - sending - receiving).max(0.0),
        calls: calls
            .map(|(name, cycles)| (name.clone(), *cycles as f64 / whole))
            .collect(),
    }
}

/// A collective that the program calls, as a mechanism carries it out.
#[derive(Debug, Clone)]
struct Call<'a> {
    /// By one collective, or by two that together do it.
    parts: &'a [AdvicePart],
    clock_ghz: f64,
    mechanism: &'static str,
}

impl Call<'_> {
    fn cycles(&self) -> u64 {
        self.parts.iter().map(|part| part.cycles).sum()
    }

    fn us(&self) -> f64 {
        self.cycles() as f64 / (self.clock_ghz * NS_PER_US)
    }

    fn algorithm(&self) -> String {
        let each = self.parts.iter().map(|part| part.algorithm.as_str());
        each.collect::<Vec<_>>().join(" + ")
    }

    /// S2's routers add integers alone: that is another collective.
    fn is_same(&self, software: &AdvicePart) -> bool {
        let element = |part: &AdvicePart| {
            let (_, rest) = part.command.split_once("--element ")?;
            Some(rest.split(' ').next().unwrap_or(rest).to_owned())
        };
        let wanted = element(software);
        self.parts.iter().all(|part| {
            let found = element(part);
            found.is_none() || found == wanted
        })
    }
}

/// The calls of a mechanism, in the order of those of software alone, each of which is one collective.
fn calls_of<'a>(row: &'a AdviceRow, software: &[AdvicePart]) -> Vec<Call<'a>> {
    let mut rest = &row.parts[..];
    let mut found = Vec::new();
    for wanted in software {
        let is_whole = rest.first().is_none_or(|part| part.call == wanted.call);
        let (parts, others) = rest.split_at(rest.len().min(if is_whole { 1 } else { 2 }));
        rest = others;
        found.push(Call {
            parts,
            clock_ghz: row.clock_ghz,
            mechanism: row.mechanism.name(),
        });
    }
    found
}

/// Each collective by software alone, which is the first row, and by the fastest mechanism.
fn call_rows(rows: &[AdviceRow]) -> Vec<CallRow> {
    let Some(first) = rows.first() else {
        return Vec::new();
    };
    let of_rows: Vec<Vec<Call<'_>>> = rows.iter().map(|row| calls_of(row, &first.parts)).collect();
    let call_row = |(index, part): (usize, &AdvicePart)| {
        let known = of_rows.iter().filter_map(|calls| calls.get(index));
        let known = known.filter(|call| !call.parts.is_empty() && call.is_same(part));
        let fastest = known.min_by(|a, b| a.us().total_cmp(&b.us()))?;
        let software_us = part.cycles as f64 / (first.clock_ghz * NS_PER_US);
        Some(CallRow {
            call: part.call.clone(),
            count: part.count,
            software_algorithm: part.algorithm.clone(),
            software_cycles: part.cycles,
            fastest: fastest.mechanism.to_owned(),
            algorithm: fastest.algorithm(),
            cycles: fastest.cycles(),
            saved_us: part.count as f64 * (software_us - fastest.us()),
        })
    };
    first
        .parts
        .iter()
        .enumerate()
        .filter_map(call_row)
        .collect()
}

/// What the fastest mechanisms of all calls save together.
fn conclusion(advice: &Advice, calls: &[CallRow]) -> String {
    let saved: f64 = calls.iter().map(|call| call.saved_us).sum();
    // 0: without a row there are no calls.
    let whole = advice.rows.first().map_or(0.0, |row| row.time_us);
    format!(
        "the fastest mechanism of each collective saves {saved:.1} of {whole:.1} us with software alone on S1's clusters, {} (areas, paths: noccl advise)",
        percent(saved / whole.max(f64::MIN_POSITIVE))
    )
}
