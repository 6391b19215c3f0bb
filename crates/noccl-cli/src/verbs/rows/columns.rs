// SPDX-License-Identifier: Apache-2.0
//! Columns of compare tables: names for `--columns`, titles, cells for readers and for programs.

use crate::table::{Align, grouped};
use noccl::Error;
use noccl::collective::{CompareRow, word};

type Cell = fn(&CompareRow) -> String;

/// One column.
pub struct RowColumn {
    /// As `--columns` takes it, and as it is called in CSV.
    pub name: &'static str,
    pub title: &'static str,
    pub align: Align,
    /// For readers.
    pub cell: Cell,
    /// For programs: no groups of digits, empty where there is nothing.
    pub raw: Cell,
    /// What the legend says of it.
    pub legend: &'static str,
}

/// Which columns are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// Those that decide, as far as they fit.
    Usual,
    /// All that differ from row to row or say something.
    Wide,
    /// These, in this order.
    Named(Vec<usize>),
}

const NUMBER: Align = Align::Right;
const WORDS: Align = Align::Left;

const fn column(
    (name, title, align): (&'static str, &'static str, Align),
    (cell, raw): (Cell, Cell),
    legend: &'static str,
) -> RowColumn {
    RowColumn {
        name,
        title,
        align,
        cell,
        raw,
        legend,
    }
}

/// All columns, in the order of a wide table.
static COLUMNS: [RowColumn; 24] = [
    column(("network", "network", WORDS), (network, network), ""),
    column(
        ("collective", "collective", WORDS),
        (collective, collective),
        "",
    ),
    column(("group", "group", WORDS), (group, group), ""),
    column(("root", "root", WORDS), (root, root), ""),
    column(
        ("bytes", "bytes", NUMBER),
        (
            |row| noccl::files::format_bytes(row.bytes),
            |row| row.bytes.to_string(),
        ),
        "",
    ),
    column(
        ("algorithm", "algorithm", WORDS),
        (noccl::algorithm, noccl::algorithm),
        "",
    ),
    column(
        ("synchronisation", "synchronisation", WORDS),
        (synchronisation, synchronisation),
        "synchronisation: what a member waits for",
    ),
    column(
        ("cycles", "cycles", NUMBER),
        (|row| grouped(row.cycles), |row| row.cycles.to_string()),
        "",
    ),
    column(("time_us", "time [us]", NUMBER), (time, time), ""),
    column(("gb_per_s", "GB/s", NUMBER), (rate, rate), ""),
    column(
        ("speedup", "speedup", NUMBER),
        (speedup, speedup),
        "speedup: over the fastest software",
    ),
    column(
        ("cycles_over_bound", "cycles/bound", NUMBER),
        (over_bound, over_bound),
        "bound: no algorithm is faster",
    ),
    column(
        ("bound", "bound [cycles]", NUMBER),
        (
            |row| grouped(row.lower_bound_cycles),
            |row| row.lower_bound_cycles.to_string(),
        ),
        "",
    ),
    column(
        ("software_bound", "software [cycles]", NUMBER),
        (
            |row| some(row.software_bound_cycles),
            |row| raw(row.software_bound_cycles),
        ),
        "software: no algorithm without help of the network is faster",
    ),
    column(("energy_nj", "energy [nJ]", NUMBER), (energy, energy), ""),
    column(("busiest_link", "busiest link", WORDS), (link, link), ""),
    column(
        ("busiest_link_flits", "flits", NUMBER),
        (
            |row| some(row.busiest_link.as_ref().map(|l| l.flits)),
            |row| raw(row.busiest_link.as_ref().map(|l| l.flits)),
        ),
        "flits: over the busiest link, whose ends are tiles as --root names them",
    ),
    column(("verified", "verified", WORDS), (verified, verified), ""),
    column(
        ("error_over_limit", "error/limit", NUMBER),
        (error, error),
        "error/limit: of a floating-point sum",
    ),
    column(
        ("link_bound", "links [cycles]", NUMBER),
        (
            |row| some(row.link_bound_cycles),
            |row| raw(row.link_bound_cycles),
        ),
        "links, core: bounds with a message per block",
    ),
    column(
        ("core_bound", "core [cycles]", NUMBER),
        (
            |row| some(row.core_bound_cycles),
            |row| raw(row.core_bound_cycles),
        ),
        "",
    ),
    column(
        ("blocked_cycles", "blocked [cycles]", NUMBER),
        (
            |row| some(row.blocked_link_cycles),
            |row| raw(row.blocked_link_cycles),
        ),
        "blocked: cycles in which words waited for a link",
    ),
    column(
        ("noisy_mean", "noisy mean", NUMBER),
        (noisy_mean, noisy_mean),
        "",
    ),
    column(
        ("noisy_variance_us2", "variance [us^2]", NUMBER),
        (variance, variance),
        "",
    ),
];

/// The columns that decide, in their order.
const USUAL: [&str; 8] = [
    "bytes",
    "algorithm",
    "cycles",
    "time_us",
    "gb_per_s",
    "speedup",
    "cycles_over_bound",
    "verified",
];
/// What a narrow output lacks first.
const DROPPED_FIRST: [&str; 4] = ["time_us", "gb_per_s", "cycles_over_bound", "speedup"];
/// What runs under noise are asked for.
const OF_NOISE: [&str; 2] = ["noisy_mean", "noisy_variance_us2"];
/// What the title says anyway.
const OF_CASE: [&str; 4] = ["network", "collective", "group", "root"];

impl Shown {
    /// Reads `--columns`.
    ///
    /// # Errors
    /// [`Error::Argument`] with the names that exist.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let read = |name: &str| {
            let word = name.trim().to_lowercase().replace('-', "_");
            let found = COLUMNS.iter().position(|column| column.name == word);
            found.ok_or_else(|| {
                let names = COLUMNS.iter().map(|column| column.name);
                let hint = noccl::network::nearest(&word, names);
                Error::argument(
                    "--columns",
                    name,
                    format!("accepted: {}{hint}", Self::names()),
                )
            })
        };
        let found: Result<Vec<usize>, Error> = text.split(',').map(read).collect();
        Ok(Self::Named(found?))
    }

    /// All names.
    pub fn names() -> String {
        let names: Vec<&str> = COLUMNS.iter().map(|column| column.name).collect();
        names.join(", ")
    }

    /// The columns for these rows.
    pub fn of(&self, rows: &[&CompareRow]) -> Vec<&'static RowColumn> {
        let has = |column: &RowColumn| rows.iter().any(|row| !(column.raw)(row).is_empty());
        let is_one_size = rows.windows(2).all(|pair| pair[0].bytes == pair[1].bytes);
        let is_in_title = |column: &RowColumn| is_one_size && column.name == "bytes";
        let is_usual = |column: &RowColumn| {
            let is_of_noise = OF_NOISE.contains(&column.name) && has(column);
            USUAL.contains(&column.name) || is_of_noise
        };
        let columns = COLUMNS.iter();
        match self {
            Self::Named(indices) => indices.iter().map(|idx| &COLUMNS[*idx]).collect(),
            Self::Wide => columns
                .filter(|c| !OF_CASE.contains(&c.name) && has(c) && !is_in_title(c))
                .collect(),
            Self::Usual => columns
                .filter(|c| is_usual(c) && has(c) && !is_in_title(c))
                .collect(),
        }
    }

    /// All columns with a value in some row: for files that programs read.
    pub fn all(rows: &[CompareRow]) -> Self {
        let has = |column: &RowColumn| rows.iter().any(|row| !(column.raw)(row).is_empty());
        let indices = COLUMNS.iter().enumerate().filter(|(_, column)| has(column));
        Self::Named(indices.map(|(idx, _)| idx).collect())
    }
}

/// Places of the columns that a narrow output lacks first.
pub fn dropped_first(columns: &[&'static RowColumn]) -> Vec<usize> {
    let place = |name: &&str| columns.iter().position(|column| column.name == *name);
    DROPPED_FIRST.iter().filter_map(place).collect()
}

/// One line on what is shown.
pub fn legend(columns: &[&'static RowColumn], rows: &[&CompareRow]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut add = |part: String| {
        if !part.is_empty() && !parts.contains(&part) {
            parts.push(part);
        }
    };
    let is_shown = |names: &[&str]| columns.iter().any(|column| names.contains(&column.name));
    let what = match (is_shown(&["time_us"]), is_shown(&["gb_per_s"])) {
        (true, true) => "time and GB/s",
        (true, false) => "time",
        (false, true) => "GB/s",
        (false, false) => "",
    };
    if !what.is_empty() {
        clocks(what, rows).into_iter().for_each(&mut add);
    }
    for column in columns {
        add(column.legend.to_owned());
    }
    if is_shown(&["verified"]) {
        VERIFIED
            .iter()
            .filter(|(word, _)| rows.iter().any(|row| verified(row) == *word))
            .for_each(|(_, part)| add((*part).to_owned()));
    }
    parts.join("; ")
}

/// What the words of the column `verified` mean.
const VERIFIED: [(&str, &str); 4] = [
    ("bit-exact", "bit-exact: every byte compared"),
    (
        "order proved",
        "order proved: no member leaves before all have entered",
    ),
    (
        "estimated",
        "estimated: within 20 %, too slow to be the fastest (--all simulates it)",
    ),
    ("not checked", "not checked: the model moves no bytes"),
];

/// The clocks of the rows, and where a clock comes from that no spec names.
fn clocks(what: &str, rows: &[&CompareRow]) -> Vec<String> {
    let text = |row: &&CompareRow| match row.clock_ghz == 1.0 {
        true => format!("{what} at 1 GHz (S1's clock, the default)"),
        false => format!("{what} at {} GHz", row.clock_ghz),
    };
    rows.iter().map(text).collect()
}

fn some(value: Option<u64>) -> String {
    value.map_or_else(String::new, grouped)
}

fn raw(value: Option<u64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

fn network(row: &CompareRow) -> String {
    row.network.clone()
}

fn collective(row: &CompareRow) -> String {
    word(&row.collective)
}

fn group(row: &CompareRow) -> String {
    row.group.clone()
}

fn root(row: &CompareRow) -> String {
    row.root.clone()
}

fn synchronisation(row: &CompareRow) -> String {
    let waits_for = row.synchronisation;
    waits_for.map_or_else(String::new, |s| s.words().to_owned())
}

/// In microseconds, to the nanosecond: a cycle of the fastest clocks is a fraction of one.
fn time(row: &CompareRow) -> String {
    format!("{:.3}", row.time_ns / 1e3)
}

fn rate(row: &CompareRow) -> String {
    let rate = row.payload_gb_per_s;
    rate.map_or_else(String::new, |rate| format!("{rate:.2}"))
}

fn speedup(row: &CompareRow) -> String {
    let speedup = row.speedup_over_best_software;
    speedup.map_or_else(String::new, |speedup| format!("{speedup:.2}"))
}

fn over_bound(row: &CompareRow) -> String {
    format!("{:.2}", row.cycles_over_lower_bound)
}

/// In nJ; nothing where the spec has no costs.
fn energy(row: &CompareRow) -> String {
    let pj = row.energy_pj.filter(|pj| *pj > 0.0);
    pj.map_or_else(String::new, |pj| format!("{:.1}", pj / 1e3))
}

fn link(row: &CompareRow) -> String {
    let link = row.busiest_link.as_ref();
    link.map_or_else(String::new, |link| link.name())
}

fn verified(row: &CompareRow) -> String {
    noccl::verification(row).to_owned()
}

fn error(row: &CompareRow) -> String {
    let error = row.sum_error;
    error.map_or_else(String::new, |e| format!("{:.2}", e.largest_of_bound))
}

fn noisy_mean(row: &CompareRow) -> String {
    let noise = row.noise;
    noise.map_or_else(String::new, |noise| format!("{:.0}", noise.mean_cycles))
}

fn variance(row: &CompareRow) -> String {
    let noise = row.noise;
    noise.map_or_else(String::new, |noise| format!("{:.3}", noise.variance_us2))
}
