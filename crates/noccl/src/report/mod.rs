// SPDX-License-Identifier: Apache-2.0
//! One self-contained HTML page from stored rows: plots, link loads, table. It cannot start a run.
//!
//! The drawings are written as SVG text by a few functions of this module: a plotting library would
//! bring fonts and bitmaps for three kinds of lines, and its files would not follow the reader's
//! light or dark theme.

mod chart;
mod heat;
mod html;
pub(crate) mod svg;

use crate::compare::CompareRow;
use crate::names::word;
use crate::{Error, format_bytes};
use noccl_coll::stops::StopOrder;
use noccl_coll::{Choice, Inner};
use noccl_workload::CollectiveKind;

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
    Ok(html::page(&cases(rows)))
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
    let text = format!("{what} {route} on {}", row.network);
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

/// How a row was verified, in a word: by bytes, or by the checker where no bytes move.
#[must_use]
pub const fn verdict(row: &CompareRow) -> &'static str {
    match (row.verified, row.collective) {
        (false, _) => "WRONG",
        (true, CollectiveKind::Barrier) => "order proved",
        (
            true,
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
