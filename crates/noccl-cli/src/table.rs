// SPDX-License-Identifier: Apache-2.0
//! Aligned text tables: words to the left, numbers to the right. A table is not wider than the output if it need not be: long words
//! of its last column are wrapped, and whole columns are left out, with a line that names them. Numbers are never cut.

use super::width::{columns, wrapped};

/// One column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// Title and kind of each column.
pub type Header<'h> = [(&'h str, Align)];

/// Space between columns.
const GAP: usize = 2;
/// A last column of words is wrapped if it is wider than this, to no less than that.
const LONG_WORDS: usize = 40;
const LEAST_WORDS: usize = 30;
/// Stand as long as anything does: a table without them says less than its rows.
const LAST_DROPPED: [&str; 4] = ["algorithm", "cycles", "speedup", "verified"];

/// Lays out rows under a header in the width of the output; columns are left out from the right.
pub fn table(header: &Header<'_>, rows: &[Vec<String>]) -> String {
    table_dropping(header, rows, &[], None)
}

/// The same; columns with these titles are left out first, in this order. The first column and those without a title always stand.
/// `what_shows` the others, if not a wider output.
pub fn table_dropping(
    header: &Header<'_>,
    rows: &[Vec<String>],
    first: &[&str],
    what_shows: Option<&str>,
) -> String {
    let rows = visible(rows);
    let (all, limit) = (widths(header, &rows), columns());
    let mut order: Vec<usize> = (1..header.len()).rev().collect();
    order.retain(|column| !header[*column].0.is_empty());
    order.sort_by_key(|column| {
        let title = header[*column].0;
        let index = first.iter().position(|name| *name == title);
        (LAST_DROPPED.contains(&title), index.unwrap_or(first.len()))
    });
    let kept = fitting(&all, limit, &order, is_wrapped(header, &all));
    let wider = format!("COLUMNS={} shows all", total(&all));
    laid_out(header, &rows, &kept, limit)
        + &remark(header, &kept, limit, what_shows.unwrap_or(&wider))
}

/// Lays out rows under a header, however wide.
pub fn whole(header: &Header<'_>, rows: &[Vec<String>]) -> String {
    let all: Vec<usize> = (0..header.len()).collect();
    laid_out(header, &visible(rows), &all, usize::MAX)
}

/// A cell takes one line: line ends in it are shown, as all control characters are.
fn visible(rows: &[Vec<String>]) -> Vec<Vec<String>> {
    let shown = |row: &Vec<String>| {
        let cells = row
            .iter()
            .map(|cell| noccl::files::visible_line(cell).into_owned());
        cells.collect()
    };
    rows.iter().map(shown).collect()
}

fn widths(header: &Header<'_>, rows: &[Vec<String>]) -> Vec<usize> {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        let all = cells.chain([header[column].0.chars().count()]);
        all.fold(0, usize::max)
    };
    (0..header.len()).map(width).collect()
}

fn total(widths: &[usize]) -> usize {
    widths.iter().map(|width| width + GAP).sum::<usize>() - GAP.min(widths.len())
}

/// Is the last column one of long words?
fn is_wrapped(header: &Header<'_>, widths: &[usize]) -> bool {
    let last = header.last().map(|(_, align)| *align);
    last == Some(Align::Left) && widths.last().is_some_and(|width| *width > LONG_WORDS)
}

/// Columns that stand in a width, leaving out others in this order.
fn fitting(widths: &[usize], limit: usize, order: &[usize], is_wrapped: bool) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..widths.len()).collect();
    let last = widths.len().saturating_sub(1);
    let needed = |kept: &[usize]| {
        let wraps = is_wrapped && kept.contains(&last);
        let widths = kept.iter().map(|column| match *column == last && wraps {
            true => LEAST_WORDS,
            false => widths[*column],
        });
        total(&widths.collect::<Vec<usize>>())
    };
    for dropped in order {
        if needed(&kept) <= limit {
            break;
        }
        kept.retain(|column| column != dropped);
    }
    kept
}

/// The line that names what is left out; none if nothing is.
fn remark(header: &Header<'_>, kept: &[usize], limit: usize, what_shows: &str) -> String {
    let dropped = (0..header.len()).filter(|column| !kept.contains(column));
    let names: Vec<&str> = dropped.map(|column| header[column].0).collect();
    if names.is_empty() {
        return String::new();
    }
    let text = format!(
        "not shown in {limit} columns: {} ({what_shows})",
        names.join(", ")
    );
    wrapped(&text, limit, "  ") + "\n"
}

/// Two spaces between columns, no trailing spaces; a last column of words takes further lines where it does not fit.
fn laid_out(header: &Header<'_>, rows: &[Vec<String>], kept: &[usize], limit: usize) -> String {
    let header: Vec<(&str, Align)> = kept.iter().map(|column| header[*column]).collect();
    let picked = |row: &Vec<String>| kept.iter().map(|column| row[*column].clone()).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(picked).collect();
    let mut widths = widths(&header, &rows);
    let (wide, last) = (total(&widths), widths.len().saturating_sub(1));
    let wraps = is_wrapped(&header, &widths) && wide > limit;
    if wraps {
        widths[last] = (limit + widths[last]).saturating_sub(wide).max(LEAST_WORDS);
    }
    let names: Vec<String> = header.iter().map(|(name, _)| (*name).to_owned()).collect();
    let rule: Vec<String> = widths.iter().map(|w| "-".repeat(*w)).collect();
    let mut out = vec![
        line(&names, &header, &widths),
        line(&rule, &header, &widths),
    ];
    for mut row in rows {
        let Some(words) = row.last_mut().filter(|_| wraps) else {
            out.push(line(&row, &header, &widths));
            continue;
        };
        let parts = wrapped(words, widths[last], "");
        for part in parts.lines() {
            row[last] = part.to_owned();
            out.push(line(&row, &header, &widths));
            row.iter_mut().for_each(String::clear);
        }
        if parts.is_empty() {
            out.push(line(&row, &header, &widths));
        }
    }
    out.join("\n") + "\n"
}

fn line(cells: &[String], header: &Header<'_>, widths: &[usize]) -> String {
    let columns = cells.iter().zip(header).zip(widths);
    let padded: Vec<String> = columns
        .map(|((cell, (_, align)), width)| match align {
            Align::Left => format!("{cell:<width$}"),
            Align::Right => format!("{cell:>width$}"),
        })
        .collect();
    padded.join("  ").trim_end().to_owned()
}

/// The same as Markdown.
pub fn markdown(header: &Header<'_>, rows: &[Vec<String>]) -> String {
    let escaped = |cell: &String| cell.replace('|', "\\|");
    let names = header.iter().map(|(name, _)| (*name).to_owned()).collect();
    let rule = header.iter().map(|(_, align)| match align {
        Align::Left => "---".to_owned(),
        Align::Right => "---:".to_owned(),
    });
    let rows = visible(rows);
    let rows = rows.iter().map(|row| row.iter().map(escaped).collect());
    let lines = [names, rule.collect::<Vec<String>>()]
        .into_iter()
        .chain(rows);
    let lines = lines.map(|cells: Vec<String>| format!("| {} |\n", cells.join(" | ")));
    lines.collect()
}

/// The same as comma-separated values (RFC 4180).
pub fn csv(names: &[&str], rows: &[Vec<String>]) -> String {
    let quoted = |cell: &str| match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    };
    let header = names.iter().map(|name| (*name).to_owned()).collect();
    let lines = [header].into_iter().chain(rows.iter().cloned());
    let lines = lines.map(|cells: Vec<String>| {
        let cells: Vec<String> = cells.iter().map(|cell| quoted(cell)).collect();
        cells.join(",") + "\n"
    });
    lines.collect()
}

/// A number with spaces between groups of three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}
