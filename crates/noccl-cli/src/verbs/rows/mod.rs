// SPDX-License-Identifier: Apache-2.0
//! Tables of compare rows.

mod columns;
mod winner;

pub use columns::Shown;

use crate::table::{csv, markdown, table_without, whole};
use crate::width::{columns as width, wrapped};
use columns::RowColumn;
use noccl::collective::{CompareRow, Comparison, Skipped};

/// A form of rows for readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextForm {
    /// Aligned text.
    Table,
    /// Markdown.
    Markdown,
}

/// One table per collective and group, with a title each; below them the fastest, a legend of what is shown, and what is left out.
pub fn tables(comparison: &Comparison, shown: &Shown, form: TextForm) -> String {
    let mut out = String::new();
    let mut all: Vec<&'static RowColumn> = Vec::new();
    for case in noccl::cases(&comparison.rows) {
        let columns = shown.of(&case.rows);
        out += &format!("{}\n\n", title(&case.title, &case.rows, &columns));
        out += &one_table(&case.rows, &columns, shown, form);
        out += "\n";
        let winners = winner::lines(&case.rows);
        out += &paragraphs(&winners);
        all.extend(columns);
    }
    let rows: Vec<&CompareRow> = comparison.rows.iter().collect();
    out += &paragraphs(&[columns::legend(&all, &rows)]);
    out += &paragraphs(&picked(&comparison.rows));
    out + &paragraphs(&left_out(comparison))
}

/// Rows as comma-separated values: all columns, or those that are asked for.
pub fn rows_csv(rows: &[CompareRow], shown: &Shown) -> String {
    let rows: Vec<&CompareRow> = rows.iter().collect();
    let columns = shown.of(&rows);
    let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
    let cells = |row: &&CompareRow| columns.iter().map(|c| (c.raw)(row)).collect();
    csv(&names, &rows.iter().map(cells).collect::<Vec<_>>())
}

/// Did no row give wrong bytes?
pub fn none_wrong(rows: &[CompareRow]) -> bool {
    rows.iter().all(|r| !r.verified.is_no())
}

/// What could not be compared and why, and what would let it in.
pub fn left_out(comparison: &Comparison) -> Vec<String> {
    let skipped = comparison.skipped.iter();
    let mut lines: Vec<String> = skipped
        .map(|reason| format!("not compared: {reason}"))
        .collect();
    if let Some(remedy) = &comparison.remedy {
        let (options, num) = (remedy.options.join(" "), remedy.num_algorithms);
        lines.push(format!("`{options}` lets {num} more run"));
    }
    if comparison.skipped.iter().any(Skipped::lacks_memory) {
        lines.push("speedups are against the fastest software that fits into the memories; what is left out may be faster".to_owned());
    }
    lines
}

/// The title with what is the same in all rows and has no column.
fn title(title: &str, rows: &[&CompareRow], columns: &[&'static RowColumn]) -> String {
    let has_sizes = columns.iter().any(|column| column.name == "bytes");
    match (rows.first(), title.split_once(' ')) {
        (Some(row), Some((collective, rest))) if !has_sizes && row.bytes > 0 => {
            let size = noccl::files::format_bytes(row.bytes);
            format!("{collective} of {size} {rest}")
        }
        _ => title.to_owned(),
    }
}

fn one_table(
    rows: &[&CompareRow],
    columns: &[&'static RowColumn],
    shown: &Shown,
    form: TextForm,
) -> String {
    let header: Vec<_> = columns.iter().map(|c| (c.title, c.align)).collect();
    let shown_or_dash = |cell: String| match cell.is_empty() {
        true => "-".to_owned(),
        false => cell,
    };
    let cells = |row: &&CompareRow| {
        let cells = columns.iter().map(|c| shown_or_dash((c.cell)(row)));
        cells.collect()
    };
    let body: Vec<Vec<String>> = rows.iter().map(cells).collect();
    match (form, shown) {
        (TextForm::Markdown, _) => markdown(&header, &body),
        (TextForm::Table, Shown::Usual) => {
            let order = columns::dropped_first(columns);
            table_without(&header, &body, &order, "--wide, --columns")
        }
        (TextForm::Table, Shown::Wide | Shown::Named(_)) => whole(&header, &body),
    }
}

/// Choices of `auto` and how they were found.
fn picked(rows: &[CompareRow]) -> Vec<String> {
    let found = rows.iter().filter_map(|row| {
        let by = row.parameters.get("picked_by")?;
        let (size, name) = (noccl::files::format_bytes(row.bytes), noccl::algorithm(row));
        Some(format!("auto, {size}: {name}, picked by {by}"))
    });
    found.collect()
}

fn paragraphs(lines: &[String]) -> String {
    let lines = lines.iter().filter(|line| !line.is_empty());
    lines
        .map(|line| wrapped(line, width(), "  ") + "\n")
        .collect()
}
