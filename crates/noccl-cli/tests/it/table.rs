// SPDX-License-Identifier: Apache-2.0
//! Text tables; here, since the whole command would be compiled a second time for tests of its own.

#[path = "../../src/table.rs"]
mod source;
#[path = "../../src/width.rs"]
mod width;

use source::{Align, csv, grouped, markdown, table, table_dropping, whole};
use width::{prose, wrapped};

const TWO: [(&str, Align); 2] = [("algorithm", Align::Left), ("cycles", Align::Right)];

fn row(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}

#[test]
fn numbers_end_and_words_start_in_one_column() {
    let rows = vec![
        vec!["chain".to_owned(), grouped(1_234_567)],
        vec!["in_network".to_owned(), grouped(7)],
    ];
    assert_eq!(
        whole(&TWO, &rows),
        "algorithm      cycles\n----------  ---------\nchain       1 234 567\nin_network          7\n"
    );
}

#[test]
fn a_cell_takes_one_line_and_shows_what_a_terminal_would_obey() {
    let rows = vec![row(&["a\u{1b}[31m\nb", "1"]), row(&["c", "2"])];
    let text = whole(&[("name", Align::Left), ("n", Align::Right)], &rows);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[2], "a\\u{1b}[31m\\u{a}b  1");
    assert_eq!(lines[3], "c                  2");
}

#[test]
fn columns_that_do_not_fit_are_left_out_from_the_right_and_named() {
    // Without a terminal there are 120 columns.
    let wide = "x".repeat(50);
    let header = [
        ("a", Align::Left),
        ("b", Align::Right),
        ("c", Align::Right),
        ("verified", Align::Left),
    ];
    let text = table(&header, &[row(&[&wide, &wide, &wide, "yes"])]);
    let rule = "-".repeat(50);
    let expected = format!(
        "{:<50}  {:>50}  verified\n{rule}  {rule}  --------\n{wide}  {wide}  yes\n\
         not shown in 120 columns: c (COLUMNS=164 shows all)\n",
        "a", "b"
    );
    assert_eq!(text, expected);
}

#[test]
fn columns_that_matter_least_are_left_out_first_with_what_shows_them() {
    let wide = "x".repeat(50);
    let header = [("a", Align::Left), ("b", Align::Left), ("c", Align::Left)];
    let rows = [row(&[&wide, &wide, &wide])];
    let text = table_dropping(&header, &rows, &["b"], Some("--wide"));
    let remark = "not shown in 120 columns: b (--wide)\n";
    assert!(
        text.ends_with(&format!("{wide}  {wide}\n{remark}")),
        "{text}"
    );
}

#[test]
fn long_words_of_the_last_column_are_wrapped() {
    let words = "one two three ".repeat(20);
    let header = [("name", Align::Left), ("detail", Align::Left)];
    let text = table(&header, &[row(&["a", words.trim()]), row(&["b", "short"])]);
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines.iter().all(|line| line.chars().count() <= 120),
        "{text}"
    );
    assert!(lines[3].starts_with("      "), "{text}");
    assert_eq!(text.matches("three").count(), 20);
    assert_eq!(lines.last(), Some(&"b     short"));
}

#[test]
fn text_is_wrapped_at_spaces() {
    assert_eq!(wrapped("aa bb cc", 5, "  "), "aa bb\n  cc");
    assert_eq!(wrapped("aaaaaaa bb", 5, ""), "aaaaaaa\nbb");
    assert_eq!(wrapped("", 5, ""), "");
    let long = format!("{} end", "x".repeat(118));
    assert_eq!(
        prose(&format!("a  b\n\n{long}")),
        format!("a  b\n\n{}\n  end\n", "x".repeat(118))
    );
}

#[test]
fn markdown_and_csv_escape_what_ends_a_cell() {
    let rows = [row(&["a|b", "1"])];
    assert_eq!(
        markdown(&TWO, &rows),
        "| algorithm | cycles |\n| --- | ---: |\n| a\\|b | 1 |\n"
    );
    let rows = [row(&["wide 0,0->1,0", "say \"1\""])];
    assert_eq!(
        csv(&["link", "n"], &rows),
        "link,n\n\"wide 0,0->1,0\",\"say \"\"1\"\"\"\n"
    );
}
