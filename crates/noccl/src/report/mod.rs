// SPDX-License-Identifier: Apache-2.0
//! One self-contained HTML page from stored rows: plots, link loads, table. It cannot start a run.
//!
//! The drawings are written as SVG text by a few functions of this module: a plotting library would
//! bring fonts and bitmaps for three kinds of lines, and its files would not follow the reader's
//! light or dark theme.

mod advice;
mod chart;
mod heat;
mod html;
mod live;
mod looks;
mod pareto;
mod svg;

pub(crate) use crate::collective::{CompareRow, Verified, word};
pub(crate) use crate::files::format_bytes;
pub(crate) use crate::{Backend, Error};
pub use advice::{advice_page, advice_plot};
pub use live::{ShownRun, live_page, read_runs};
use noccl_coll::{Algorithm, Choice, Inner};
use noccl_files::FileError;
use noccl_workload::Holders;
use std::path::Path;

/// Rows of one collective over one group on one network.
#[derive(Debug, Clone, PartialEq)]
pub struct Case<'a> {
    /// What was compared, in words.
    pub title: String,
    /// Rows in their order.
    pub rows: Vec<&'a CompareRow>,
}

/// Sorts rows into cases, in the order of their first rows.
#[must_use]
pub fn cases(rows: &[CompareRow]) -> Vec<Case<'_>> {
    let mut out: Vec<Case<'_>> = Vec::new();
    for row in rows {
        let title = title(row);
        match out.iter_mut().find(|case| case.title == title) {
            Some(case) => case.rows.push(row),
            None => out.push(Case {
                title,
                rows: vec![row],
            }),
        }
    }
    out
}

/// Reads stored rows of `compare`. Older versions called rows of the model verified; nothing is checked there.
///
/// # Errors
/// As [`crate::files::read_json`].
pub fn read_rows(path: &Path) -> Result<Vec<CompareRow>, Error> {
    const ROWS: &str = "list of compare rows";
    let text = crate::files::read_text(path)?;
    if text.trim_start().starts_with('{') {
        let failure = FileError::Content {
            path: path.display().to_string(),
            expected: ROWS,
            reason:
                "it is one object, as a schedule is; accepted: what `noccl compare --json` prints"
                    .to_owned(),
        };
        return Err(failure.into());
    }
    let mut rows: Vec<CompareRow> =
        crate::files::parse_json(&path.display().to_string(), &text, ROWS)?;
    for row in &mut rows {
        match row.backend {
            Backend::Sim => {}
            Backend::Model => row.verified = Verified::NotChecked,
        }
    }
    Ok(rows)
}

/// The page.
///
/// # Errors
/// [`Error::Argument`] if there are no rows.
pub fn page(rows: &[CompareRow]) -> Result<String, Error> {
    if rows.is_empty() {
        return Err(Error::argument(
            "RESULTS",
            "[]",
            "holds no rows; accepted: at least one row of noccl compare --json",
        ));
    }
    rows.iter().enumerate().try_for_each(check)?;
    Ok(html::page(&cases(rows)))
}

/// Sides of a mesh that could be simulated; more would only be drawn.
const MAX_SIDE: u16 = 4096;

/// Stored rows come from anywhere: is there a mesh like this?
fn check((index, row): (usize, &CompareRow)) -> Result<(), Error> {
    let refuse = |field: &str, found: String, accepted: String| {
        let found = format!("[{index}].{field} = {found}");
        Err(Error::argument("RESULTS", found, accepted))
    };
    let [width, height] = row.mesh;
    if !(1..=MAX_SIDE).contains(&width) || !(1..=MAX_SIDE).contains(&height) {
        let accepted = format!("accepted: columns and rows of a mesh, 1 to {MAX_SIDE} each");
        return refuse("mesh", format!("[{width}, {height}]"), accepted);
    }
    let [x, y, columns, rows] = row.cluster_region;
    let is_inside = |at: u16, size: u16, side: u16| {
        size > 0 && at.checked_add(size).is_some_and(|end| end <= side)
    };
    if !is_inside(x, columns, width) || !is_inside(y, rows, height) {
        let accepted =
            format!("accepted: x, y, columns and rows inside the mesh of {width}x{height}");
        return refuse(
            "cluster_region",
            format!("{:?}", row.cluster_region),
            accepted,
        );
    }
    let ends = row
        .links
        .iter()
        .chain(&row.busiest_link)
        .flat_map(|l| [l.from, l.to]);
    let mut outside = ends.filter(|[x, y]| *x >= width || *y >= height);
    match outside.next() {
        None => Ok(()),
        Some(at) => refuse(
            "links",
            format!("{at:?}"),
            "accepted: coordinates on the mesh".to_owned(),
        ),
    }
}

fn title(row: &CompareRow) -> String {
    let members = row.num_participants;
    let group = match row.group.as_str() {
        "all" => format!("all {members} clusters"),
        group => format!("{members} clusters ({group})"),
    };
    let what = match (row.operator, row.element) {
        (Some(operator), Some(element)) => format!(
            "{} ({} {})",
            word(&row.collective),
            word(&element).to_uppercase(),
            word(&operator)
        ),
        (_, _) => word(&row.collective),
    };
    let root = &row.root;
    let (from, to) = (
        row.collective.input_holders(),
        row.collective.output_holders(),
    );
    let route = match (from, to) {
        (Holders::Nobody, _) | (_, Holders::Nobody) => format!("of {group}, counter at {root}"),
        (Holders::Root, _) if row.collective.gives_blocks() => format!("from {root} over {group}"),
        (Holders::Root, _) => format!("from {root} to {group}"),
        (Holders::Members, Holders::Root) => format!("of {group} into {root}"),
        (Holders::Members, Holders::Members) => format!("over {group}"),
    };
    let by = match row.backend {
        Backend::Sim => "",
        // Stands beside rows of the simulator.
        Backend::Model if row.estimate.is_some() => "",
        Backend::Model => ", by the model",
    };
    let text = format!("{what} {route} on {}{by}", row.network);
    text[..1].to_uppercase() + &text[1..]
}

/// The algorithm with its parameters, as `--algorithms` takes it: `chain:8`, `row_column:4:tree`. Rows of other versions
/// may have parameters that are none today; then its name.
#[must_use]
pub fn algorithm(row: &CompareRow) -> String {
    choice(row).map_or_else(|| row.algorithm.clone(), |choice| choice.to_string())
}

/// What the rows of one line of a plot have in common: the algorithm without the chunks, which are searched for each size. A
/// chain of one chunk is a line of its own: nothing overlaps in it.
fn line_name(row: &CompareRow) -> String {
    let Some(choice) = choice(row) else {
        return row.algorithm.clone();
    };
    let is_one_chunk = choice.algorithm == Algorithm::Chain && choice.chunks == 1;
    match choice.inner {
        _ if is_one_chunk || !choice.has_chunks() => choice.to_string(),
        Inner::Chain => choice.algorithm.to_string(),
        Inner::Tree => format!("{}:{}", choice.algorithm, choice.inner.name()),
    }
}

/// The choice that a row's name and parameters spell.
fn choice(row: &CompareRow) -> Option<Choice> {
    let mut text = row.algorithm.clone();
    let tree = row.parameters.get("tree").map(String::as_str);
    for (name, ignored) in SPELT {
        match row.parameters.get(name) {
            // Of trees between cores only a root that is not the usual one is spelt.
            Some(word)
                if name == "root" && tree.is_some_and(|t| t == "binomial" || word == "centre") => {}
            Some(word) if !ignored.contains(&word.as_str()) => text += &format!(":{word}"),
            Some(_) | None => {}
        }
    }
    text.parse().ok()
}

/// Parameters in the order of a choice's text, each with the words that it leaves out.
const SPELT: [(&str, &[&str]); 12] = [
    ("chunks", &[]),
    ("chains", &[]),
    ("inner", &["chain"]),
    ("forwarding", &[]),
    ("barrier", &["hardware"]),
    ("order", &[]),
    ("to", &[]),
    ("form", &["split"]),
    ("tree", &["binomial"]),
    ("root", &[]),
    ("structure", &[]),
    ("counters", &[]),
];

/// How a row was verified, in a word: by bytes, or by the checker where there are none; a row of the model not at all.
#[must_use]
pub const fn verification(row: &CompareRow) -> &'static str {
    match (row.verified, row.collective.has_payload()) {
        (Verified::NotChecked, _) if row.estimate.is_some() => "estimated",
        (Verified::NotChecked, _) => "not checked",
        (Verified::No, _) => "WRONG",
        (Verified::Yes, false) => "order proved",
        (Verified::Yes, true) => "bit-exact",
    }
}

/// Lines of a case's plot in the order of their first rows.
fn line_names(rows: &[&CompareRow]) -> Vec<String> {
    let mut out = Vec::new();
    for row in rows {
        let name = line_name(row);
        if !out.contains(&name) {
            out.push(name);
        }
    }
    out
}

fn sizes(rows: &[&CompareRow]) -> Vec<u64> {
    let mut out: Vec<u64> = rows.iter().map(|r| r.bytes).collect();
    out.sort_unstable();
    out.dedup();
    out
}

fn size_label(bytes: u64) -> String {
    format_bytes(bytes)
}
