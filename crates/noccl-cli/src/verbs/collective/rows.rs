// SPDX-License-Identifier: Apache-2.0
//! Tables of compare rows.

use crate::table::{Align, grouped, table};
use noccl::{CompareRow, Comparison};

const LEGEND: &str = "\
algorithm: as --algorithms takes it, a number of chunks first; push or pull where that is not the default (S1: chains pull, trees push)
speedup: cycles of the fastest software algorithm at this size, divided by these cycles
bound: serialisation of the payload plus zero-load latency of the longest path
bit-exact: every output equals the sum in the documented order, bit by bit; error/limit: largest distance of
a floating-point sum to the exact one, as a fraction of the error bound
order proved: the checker shows that nobody leaves before all have entered
not checked: rows of the model, which moves no bytes
busiest link: tiles as --root names them, X,Y counts clusters from the south-west one, mem:N is a memory tile
";

/// One table per collective and group, with a title each.
pub fn tables(comparison: &Comparison) -> String {
    let mut out = String::new();
    for case in noccl::cases(&comparison.rows) {
        out += &format!("{}\n\n{}\n", case.title, compare_table(&case.rows));
    }
    out += LEGEND;
    for reason in &comparison.skipped {
        out += &format!("not compared: {reason}\n");
    }
    out
}

/// Did no row give wrong bytes?
pub fn none_wrong(rows: &[CompareRow]) -> bool {
    rows.iter().all(|r| !r.verified.is_no())
}

fn compare_table(rows: &[&CompareRow]) -> String {
    use Align::{Left, Right};
    let header = [
        ("bytes", Right),
        ("algorithm", Left),
        ("cycles", Right),
        ("speedup", Right),
        ("bound [cycles]", Right),
        ("cycles/bound", Right),
        ("energy [nJ]", Right),
        ("busiest link", Left),
        ("flits", Right),
        ("verified", Left),
        ("error/limit", Right),
    ];
    let body: Vec<Vec<String>> = rows.iter().map(|row| cells(row)).collect();
    table(&header, &body)
}

fn cells(row: &CompareRow) -> Vec<String> {
    let dash = || "-".to_owned();
    vec![
        noccl::format_bytes(row.bytes),
        noccl::algorithm(row),
        grouped(row.cycles),
        row.speedup_over_best_software
            .map_or_else(dash, |s| format!("{s:.2}")),
        grouped(row.lower_bound_cycles),
        format!("{:.2}", row.cycles_over_lower_bound),
        format!("{:.1}", row.energy_pj / 1e3),
        row.busiest_link.as_ref().map_or_else(dash, |l| l.name()),
        row.busiest_link
            .as_ref()
            .map_or_else(dash, |l| grouped(l.flits)),
        noccl::verification(row).to_owned(),
        row.sum_error
            .map_or_else(dash, |e| format!("{:.2}", e.largest_of_bound)),
    ]
}
