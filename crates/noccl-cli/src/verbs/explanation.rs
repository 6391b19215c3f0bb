// SPDX-License-Identifier: Apache-2.0
//! Tables of an explanation.

use crate::table::{Align, grouped, table};
use crate::width::prose;
use noccl::collective::{ExplainMethod, Explanation};
use std::fmt::Write;

/// Characters of a bar for all cycles.
const BAR: f64 = 28.0;

/// The parts with their bars, the busiest resources, the runs with more of something, and the critical path if it is asked for.
pub fn text(found: &Explanation, has_path: bool) -> String {
    let mut out = format!("{}\n{}", prose(&title(found)), parts(found));
    if !found.busiest.is_empty() {
        // Writing to a string cannot fail.
        let _ = write!(out, "\nBusiest resources\n\n{}", busiest(found));
    }
    if !found.relaxed.is_empty() {
        let _ = write!(out, "\n{}", relaxed(found));
    }
    if has_path {
        let _ = write!(out, "\nCritical path\n\n{}", path(found));
    }
    if found.method == ExplainMethod::ByAction {
        out += &prose(
            "\nBy action, since this simulator records no cycles: what each takes alone, the rest is waiting.",
        );
    }
    out
}

fn title(found: &Explanation) -> String {
    let what = found.collective.map_or("schedule", |kind| kind.name());
    let size = found.bytes.map(noccl::files::format_bytes);
    let group = found.group.as_ref().map(|group| format!("group {group}"));
    let (network, algorithm) = (found.network.clone(), found.algorithm.clone());
    let words = [
        Some(what.to_owned()),
        size,
        group,
        Some(network),
        Some(algorithm),
    ];
    let words: Vec<String> = words.into_iter().flatten().collect();
    let (cycles, time) = (grouped(found.cycles), found.time_ns / 1e3);
    format!("{}: {cycles} cycles, {time:.3} us", words.join(", "))
}

fn percent(fraction: f64) -> String {
    format!("{:.1}", fraction * 100.0)
}

fn parts(found: &Explanation) -> String {
    let mut rows = Vec::new();
    for part in &found.parts {
        let only = part.causes.first().filter(|_| part.causes.len() == 1);
        let bar = "#".repeat((part.fraction * BAR).round() as usize);
        rows.push(vec![
            part.name.clone(),
            grouped(part.cycles),
            percent(part.fraction),
            bar,
            only.map_or_else(String::new, most),
        ]);
        for cause in part.causes.iter().filter(|_| only.is_none()) {
            rows.push(vec![
                format!("  {}", cause.name),
                grouped(cause.cycles),
                String::new(),
                String::new(),
                most(cause),
            ]);
        }
    }
    let header = [
        ("part", Align::Left),
        ("cycles", Align::Right),
        ("%", Align::Right),
        ("", Align::Left),
        ("most at", Align::Left),
    ];
    table(&header, &rows)
}

fn most(cause: &noccl::collective::CauseRow) -> String {
    let at = cause.most_at.as_ref().zip(cause.most_cycles);
    at.map_or_else(String::new, |(at, cycles)| {
        if cycles == cause.cycles {
            at.clone()
        } else {
            format!("{at} ({})", grouped(cycles))
        }
    })
}

fn busiest(found: &Explanation) -> String {
    let rows: Vec<Vec<String>> = found
        .busiest
        .iter()
        .map(|row| {
            let blocked = row.blocked.iter();
            let blocked: Vec<String> = blocked
                .map(|b| format!("{} {}", grouped(b.cycles), b.cause.words()))
                .collect();
            vec![
                row.resource.clone(),
                grouped(row.busy_cycles),
                percent(row.busy_fraction),
                blocked.join(", "),
            ]
        })
        .collect();
    let header = [
        ("resource", Align::Left),
        ("busy", Align::Right),
        ("%", Align::Right),
        ("cycles in which something waits there", Align::Left),
    ];
    table(&header, &rows)
}

/// Runs that differ from this one, and those that do not.
fn relaxed(found: &Explanation) -> String {
    let runs = found.relaxed.iter();
    let (moved, same): (Vec<_>, Vec<_>) = runs.partition(|run| run.cycles != found.cycles);
    let mut rows = Vec::new();
    for run in &moved {
        let change = run.cycles as f64 / found.cycles.max(1) as f64 - 1.0;
        let mut numbers = [grouped(run.cycles), format!("{:+.1} %", change * 100.0)];
        // An option per line: several would be wider than a terminal.
        for option in options(&run.options) {
            let [cycles, change] = std::mem::take(&mut numbers);
            rows.push(vec![option, cycles, change]);
        }
    }
    let header = [
        ("this command with", Align::Left),
        ("cycles", Align::Right),
        ("change", Align::Right),
    ];
    let mut out = String::from("What would change it, by a run each\n\n");
    if !rows.is_empty() {
        out += &table(&header, &rows);
    }
    for option in same.iter().flat_map(|run| options(&run.options)) {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "no change: {option}");
    }
    if found.collective.is_some() {
        let _ = writeln!(out, "all with --algorithm {}", found.algorithm);
    }
    out
}

/// Options one by one; those behind the first are indented.
fn options(all: &str) -> Vec<String> {
    let each = all.split("-P ").map(str::trim).filter(|o| !o.is_empty());
    let indented = each.enumerate().map(|(at, option)| match at {
        0 => format!("-P {option}"),
        _ => format!("  -P {option}"),
    });
    indented.collect()
}

fn path(found: &Explanation) -> String {
    let rows: Vec<Vec<String>> = found
        .path
        .iter()
        .map(|step| {
            vec![
                grouped(step.start_cycle),
                grouped(step.end_cycle),
                step.action.to_string(),
                step.kind.clone(),
                step.tile.clone(),
            ]
        })
        .collect();
    let header = [
        ("from", Align::Right),
        ("to", Align::Right),
        ("action", Align::Right),
        ("kind", Align::Left),
        ("tile", Align::Left),
    ];
    table(&header, &rows)
}
