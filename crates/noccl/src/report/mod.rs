// SPDX-License-Identifier: Apache-2.0
//! One self-contained HTML page from stored rows: plots, link loads, table. It cannot start a run.
//!
//! The drawings are written as SVG text by a few functions of this module: a plotting library would
//! bring fonts and bitmaps for three kinds of lines, and its files would not follow the reader's
//! light or dark theme.

mod chart;
mod heat;
mod html;
pub(crate) use crate::{Backend, CompareRow, Error, Verified, format_bytes, read_json, word};
use noccl_coll::chain::order::StopOrder;
use noccl_coll::{Choice, Inner};
use noccl_workload::CollectiveKind;
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
/// As [`crate::read_json`].
pub fn read_rows(path: &Path) -> Result<Vec<CompareRow>, Error> {
    let mut rows: Vec<CompareRow> = read_json(path, "list of compare rows")?;
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
    let route = match row.collective {
        CollectiveKind::Multicast => format!("from {root} to {group}"),
        CollectiveKind::Reduce => format!("of {group} into {root}"),
        CollectiveKind::AllReduce
        | CollectiveKind::AllGather
        | CollectiveKind::ReduceScatter
        | CollectiveKind::AllToAll => format!("over {group}"),
        CollectiveKind::Barrier => format!("of {group}, counter at {root}"),
    };
    let by = match row.backend {
        Backend::Sim => "",
        Backend::Model => ", by the model",
    };
    let text = format!("{what} {route} on {}{by}", row.network);
    text[..1].to_uppercase() + &text[1..]
}

/// Algorithm with what tells it apart from its neighbours in a table: the naive chain, the inner
/// structure of a two-dimensional form, the order of a chain's stops, a root in the centre.
#[must_use]
pub fn mechanism(row: &CompareRow) -> String {
    let parameter = |name: &str| row.parameters.get(name).map(String::as_str);
    match (
        row.algorithm.as_str(),
        parameter("chunks"),
        parameter("inner"),
    ) {
        ("chain", Some("1"), _) => "chain, naive".to_owned(),
        ("chain", Some(_), _) => "chain, pipelined".to_owned(),
        (name, _, Some(inner)) => format!("{name} of {inner}s"),
        (name @ "chainwrite", _, _) => {
            let order = parameter("order").filter(|order| *order != StopOrder::Latency.name());
            let words = [parameter("chains"), order, parameter("to")];
            let words = words.into_iter().flatten();
            words.fold(name.to_owned(), |name, word| format!("{name}:{word}"))
        }
        ("in_network_list", _, _) => match parameter("setting") {
            Some(setting) => format!("in_network_list (ESP, {setting})"),
            None => "in_network_list (ESP)".to_owned(),
        },
        ("in_network_once", _, _) => match parameter("root") {
            Some(root) => format!("in_network_once:{root}"),
            None => "in_network_once".to_owned(),
        },
        (name, _, _) => {
            let shape = ["structure", "counters"].into_iter().filter_map(parameter);
            shape.fold(name.to_owned(), |name, part| format!("{name}, {part}"))
        }
    }
}

/// Number of chunks; with `push` or `pull` where that is not the algorithm's default, which is S1's form.
#[must_use]
pub fn chunks(row: &CompareRow) -> Option<String> {
    let parameter = |name: &str| row.parameters.get(name).map(String::as_str);
    let chunks = parameter("chunks")?;
    let inner = parameter("inner").filter(|i| *i == Inner::Tree.name());
    let inner = inner.map_or(String::new(), |i| format!(":{i}"));
    let papers: Option<Choice> = format!("{}:1{inner}", row.algorithm).parse().ok();
    let other =
        parameter("forwarding").filter(|f| papers.is_some_and(|c| c.forwarding.name() != *f));
    Some(other.map_or_else(|| chunks.to_owned(), |f| format!("{chunks} {f}")))
}

/// How a row was verified, in a word: by bytes, or by the checker where there are none; a row of the model not at all.
#[must_use]
pub const fn verdict(row: &CompareRow) -> &'static str {
    match (row.verified, row.collective) {
        (Verified::NotChecked, _) => "not checked",
        (Verified::No, _) => "WRONG",
        (Verified::Yes, CollectiveKind::Barrier) => "order proved",
        (
            Verified::Yes,
            CollectiveKind::Multicast
            | CollectiveKind::Reduce
            | CollectiveKind::AllReduce
            | CollectiveKind::AllGather
            | CollectiveKind::ReduceScatter
            | CollectiveKind::AllToAll,
        ) => "bit-equal",
    }
}

/// Mechanisms of a case in the order of their first rows.
fn mechanisms(rows: &[&CompareRow]) -> Vec<String> {
    let mut out = Vec::new();
    for row in rows {
        let name = mechanism(row);
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
