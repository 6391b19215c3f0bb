// SPDX-License-Identifier: Apache-2.0
//! Text tables; here, since the whole command would be compiled a second time for tests of its own.

#[path = "../src/table.rs"]
mod table;

use table::{Align, grouped, table};

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
