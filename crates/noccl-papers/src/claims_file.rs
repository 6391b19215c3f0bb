// SPDX-License-Identifier: Apache-2.0
//! All claims of a paper with their results as a CSV file; the page contains a summary and those that do not hold.

use super::ClaimRow;
use super::table::short;

/// Name in the folder of the paper's plots.
pub(crate) const NAME: &str = "claims.csv";

const COLUMNS: [&str; 13] = [
    "claim",
    "statement",
    "place",
    "paper",
    "ours",
    "low",
    "high",
    "tolerance",
    "evidence",
    "result",
    "why",
    "numbers behind ours",
    "how ours is measured",
];

/// A line per claim, in the order of the rows; empty cells for numbers that do not exist.
pub(crate) fn csv(rows: &[ClaimRow]) -> String {
    let number = |value: Option<f64>| value.map_or_else(String::new, short);
    let mut out = format!("{}\n", COLUMNS.join(","));
    for row in rows {
        let cells: [String; COLUMNS.len()] = [
            row.id.clone(),
            row.statement.clone(),
            row.place.clone(),
            number(row.paper),
            number(row.ours),
            number(row.low),
            number(row.high),
            row.tolerance.clone(),
            row.evidence.label().to_owned(),
            row.result().label().to_owned(),
            row.reason.clone(),
            row.detail.clone(),
            row.measured.clone(),
        ];
        out += &format!("{}\n", cells.map(|cell| quoted(&cell)).join(","));
    }
    out
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

/// The cells of the line of a claim; absent if the file has no such line, or one of another number of columns.
#[cfg(test)]
pub(crate) fn cells(file: &str, id: &str) -> Option<[String; COLUMNS.len()]> {
    let start = format!("{id},");
    let line = file.lines().find(|line| line.starts_with(&start))?;
    let (mut cells, mut is_quoted) = (vec![String::new()], false);
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            // Two of them within quotation marks are one of the cell.
            '"' if is_quoted && characters.next_if_eq(&'"').is_some() => {
                cells.last_mut()?.push('"')
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            _ => cells.last_mut()?.push(character),
        }
    }
    cells.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::Paper;
    use crate::row;
    use crate::statistics::Outcomes;

    #[test]
    fn cells_with_commas_and_quotation_marks_are_read_as_they_were_written() {
        let claim = &Paper::CollectiveNoc.claims().unwrap()[0];
        let mut row = row(claim, &Outcomes::default());
        row.reason = r#"a "sum", and b"#.to_owned();
        row.detail = r#"""#.to_owned();
        row.ours = Some(0.5);
        let read = cells(&csv(&[row.clone()]), &row.id).unwrap();
        assert_eq!(read[10], row.reason);
        assert_eq!(read[11], row.detail);
        assert_eq!(read[4], "0.5");
        assert_eq!(read[5], "");
        assert_eq!(cells(&csv(&[row]), "no such claim"), None);
    }
}
