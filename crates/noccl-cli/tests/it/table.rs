// SPDX-License-Identifier: Apache-2.0
//! Text tables; here, since the whole command would be compiled a second time for tests of its own.

#[path = "../../src/table.rs"]
mod source;

use source::{Align, grouped, table};

#[test]
fn numbers_end_and_words_start_in_one_column() {
    let rows = vec![
        vec!["chain".to_owned(), grouped(1_234_567)],
        vec!["in_network".to_owned(), grouped(7)],
    ];
    let text = table(
        &[("algorithm", Align::Left), ("cycles", Align::Right)],
        &rows,
    );
    assert_eq!(
        text,
        "algorithm      cycles\n----------  ---------\nchain       1 234 567\nin_network          7\n"
    );
}

#[test]
fn a_cell_takes_one_line_and_shows_what_a_terminal_would_obey() {
    let rows = vec![
        vec!["a\u{1b}[31m\nb".to_owned(), "1".to_owned()],
        vec!["c".to_owned(), "2".to_owned()],
    ];
    let text = table(&[("name", Align::Left), ("n", Align::Right)], &rows);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[2], "a\\u{1b}[31m\\u{a}b  1");
    assert_eq!(lines[3], "c                  2");
}
