// SPDX-License-Identifier: Apache-2.0
//! The fastest algorithm of each size in words.

use crate::table::grouped;
use noccl::Backend;
use noccl::collective::CompareRow;

/// A line per size of a case; none where there is nothing to compare.
pub fn lines(rows: &[&CompareRow]) -> Vec<String> {
    let mut sizes: Vec<u64> = Vec::new();
    for row in rows {
        if !sizes.contains(&row.bytes) {
            sizes.push(row.bytes);
        }
    }
    let of_size = |bytes: &u64| {
        let of: Vec<&CompareRow> = rows.iter().filter(|r| r.bytes == *bytes).copied().collect();
        let at = match sizes.len() {
            1 => String::new(),
            _ => format!(" at {}", noccl::files::format_bytes(*bytes)),
        };
        line(&of, &at)
    };
    sizes.iter().filter_map(of_size).collect()
}

fn line(rows: &[&CompareRow], at: &str) -> Option<String> {
    if rows.len() < 2 {
        return None;
    }
    let best = fastest(rows, |_| true)?;
    let software = fastest(rows, |row| !row.is_in_network);
    let in_network = fastest(rows, |row| row.is_in_network);
    let mut text = format!("{}{at}: {} cycles", names(rows, best), grouped(best.cycles));
    if let Some(other) = software.filter(|_| best.is_in_network) {
        let (ratio, name) = (over(other, best), noccl::algorithm(other));
        let cycles = grouped(other.cycles);
        text += &format!(", {ratio} times the fastest software ({name}, {cycles})");
    }
    text += &format!(", {:.2} times the bound", best.cycles_over_lower_bound);
    if let Some(other) =
        in_network.filter(|other| !best.is_in_network && best.cycles < other.cycles)
    {
        let (ratio, name) = (over(other, best), noccl::algorithm(other));
        text += &format!("; the fastest in the network ({name}) takes {ratio} times as long");
    }
    Some(text)
}

/// The first of the rows that are as fast as none of these is faster.
fn fastest<'r>(
    rows: &[&'r CompareRow],
    is_of: impl Fn(&CompareRow) -> bool,
) -> Option<&'r CompareRow> {
    let of = rows.iter().filter(|row| is_of(row)).copied();
    of.min_by_key(|row| row.cycles)
}

/// Speed of one over another: "2.17".
fn over(slow: &CompareRow, fast: &CompareRow) -> String {
    format!("{:.2}", slow.cycles as f64 / fast.cycles.max(1) as f64)
}

/// Who is as fast as the best, and what that is known from.
fn names(rows: &[&CompareRow], best: &CompareRow) -> String {
    let equal = rows.iter().filter(|row| row.cycles == best.cycles);
    let names: Vec<String> = equal.map(|row| noccl::algorithm(row)).collect();
    let verb = match (best.backend, names.len()) {
        (Backend::Sim, 1) => "is fastest",
        (Backend::Sim, _) => "are fastest",
        (Backend::Model, 1) => "is expected to be fastest",
        (Backend::Model, _) => "are expected to be fastest",
    };
    format!("{} {verb}", names.join(" and "))
}
