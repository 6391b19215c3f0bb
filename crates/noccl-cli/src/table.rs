// SPDX-License-Identifier: Apache-2.0
//! Aligned text tables: words to the left, numbers to the right.

/// One column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// Lays out rows under a header; two spaces between columns, no trailing spaces.
///
/// A cell takes one line: line ends in it are shown, as all control characters are.
pub fn table(header: &[(&str, Align)], rows: &[Vec<String>]) -> String {
    let shown = |row: &Vec<String>| {
        let cells = row
            .iter()
            .map(|cell| noccl::files::visible_line(cell).into_owned());
        cells.collect::<Vec<String>>()
    };
    let rows: Vec<Vec<String>> = rows.iter().map(shown).collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        let all = cells.chain([header[column].0.chars().count()]);
        all.fold(0, usize::max)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let line = |cells: &[String]| {
        let padded: Vec<String> = cells
            .iter()
            .zip(header)
            .zip(&widths)
            .map(|((cell, (_, align)), width)| match align {
                Align::Left => format!("{cell:<width$}"),
                Align::Right => format!("{cell:>width$}"),
            })
            .collect();
        padded.join("  ").trim_end().to_owned()
    };
    let names: Vec<String> = header.iter().map(|(name, _)| (*name).to_owned()).collect();
    let rule: Vec<String> = widths.iter().map(|w| "-".repeat(*w)).collect();
    let mut out = vec![line(&names), line(&rule)];
    out.extend(rows.iter().map(|row| line(row)));
    out.join("\n") + "\n"
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
