// SPDX-License-Identifier: Apache-2.0
//! Tables of compare rows.

mod columns;
mod winner;

pub use columns::TABLE;

use crate::forms::{FormArgs, RowColumn};
use crate::output;
use crate::width::prose;
use noccl::Error;
use noccl::collective::{CompareRow, Comparison, Skipped};

/// Prints a comparison; what is no row goes to stderr where programs read the rows.
///
/// # Errors
/// A wrong name of a column; an output that cannot be written.
pub fn print(comparison: &Comparison, form: &FormArgs) -> Result<(), Error> {
    if form.is_json() {
        output::json(&comparison.rows)?;
    } else if form.is_csv() {
        let rows: Vec<&CompareRow> = comparison.rows.iter().collect();
        let columns = form.shown(&TABLE, &rows, &[])?;
        output::data(&form.laid_out(&TABLE, &columns, &rows))?;
    } else {
        return output::result(&tables(comparison, form)?);
    }
    for line in left_out(comparison) {
        output::log(&line);
    }
    Ok(())
}

/// One table per collective and group, with a title each; below them the fastest, a legend of what is shown, and what is left out.
fn tables(comparison: &Comparison, form: &FormArgs) -> Result<String, Error> {
    let mut out = String::new();
    let mut all: Vec<&'static RowColumn<CompareRow>> = Vec::new();
    for case in noccl::cases(&comparison.rows) {
        let is_one_size = case
            .rows
            .windows(2)
            .all(|pair| pair[0].bytes == pair[1].bytes);
        let in_title: &[&str] = if is_one_size { &["bytes"] } else { &[] };
        let columns = form.shown(&TABLE, &case.rows, in_title)?;
        out += &prose(&title(&case.title, &case.rows, &columns));
        out += &format!("\n{}\n", form.laid_out(&TABLE, &columns, &case.rows));
        out += &paragraphs(&winner::lines(&case.rows));
        all.extend(columns);
    }
    let rows: Vec<&CompareRow> = comparison.rows.iter().collect();
    out += &paragraphs(&[columns::legend(&all, &rows)]);
    out += &paragraphs(&picked(&comparison.rows));
    Ok(out + &paragraphs(&left_out(comparison)))
}

/// Did no row give wrong bytes?
pub fn none_wrong(rows: &[CompareRow]) -> bool {
    rows.iter().all(|r| !r.verified.is_no())
}

/// What could not be compared and why, and what would let it in.
pub fn left_out(comparison: &Comparison) -> Vec<String> {
    let skipped = comparison.skipped.iter();
    let skipped = skipped.map(|reason| format!("not compared: {reason}"));
    let notes = comparison.notes.iter();
    let mut lines: Vec<String> = notes
        .map(|note| format!("note: {note}"))
        .chain(skipped)
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
fn title(title: &str, rows: &[&CompareRow], columns: &[&'static RowColumn<CompareRow>]) -> String {
    let has_sizes = columns.iter().any(|column| column.name == "bytes");
    match (rows.first(), title.split_once(' ')) {
        (Some(row), Some((collective, rest))) if !has_sizes && row.bytes > 0 => {
            let size = noccl::files::format_bytes(row.bytes);
            format!("{collective} of {size} {rest}")
        }
        _ => title.to_owned(),
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
    lines.map(|line| prose(line)).collect()
}
