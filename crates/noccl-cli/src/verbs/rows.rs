// SPDX-License-Identifier: Apache-2.0
//! Tables of compare rows.

use crate::table::{Align, grouped, table};
use noccl::collective::{CompareRow, Comparison, Skipped};

const LEGEND: &str = "\
algorithm: as --algorithms takes it, a number of chunks first; push or pull where that is not the default (S1: chains pull, trees push)
synchronisation: what a member waits for, in addition to reductions in the network
speedup: cycles of the fastest software algorithm at this size, divided by these cycles
bound: serialisation of the payload plus zero-load latency of the longest path; software: the same if the network neither forks nor adds
bit-exact: every output equals the sum in the documented order, bit by bit; error/limit: largest distance of
a floating-point sum to the exact one, as a fraction of the error bound
order proved: the checker proves that no member leaves before all have entered
not checked: rows of the model, which moves no bytes
links, core: bounds of an exchange in which each block is a message of its own; blocked: cycles in which words could not go on over a link
busiest link: tiles as --root names them, X,Y counts clusters from the south-west one, mem:N is a memory tile
";

/// One table per collective and group, with a title each.
pub fn tables(comparison: &Comparison) -> String {
    let mut out = String::new();
    for case in noccl::cases(&comparison.rows) {
        out += &format!("{}\n\n{}\n", case.title, compare_table(&case.rows));
    }
    out += LEGEND;
    for row in &comparison.rows {
        if let Some(by) = row.parameters.get("picked_by") {
            let (size, name) = (noccl::files::format_bytes(row.bytes), noccl::algorithm(row));
            out += &format!("auto, {size}: {name}, picked by {by}\n");
        }
    }
    for reason in &comparison.skipped {
        out += &format!("not compared: {reason}\n");
    }
    if comparison.skipped.iter().any(Skipped::lacks_memory) {
        out += "speedups are against the fastest software that fits into the memories; what is left out may be faster\n";
    }
    out
}

/// Did no row give wrong bytes?
pub fn none_wrong(rows: &[CompareRow]) -> bool {
    rows.iter().all(|r| !r.verified.is_no())
}

fn compare_table(rows: &[&CompareRow]) -> String {
    use Align::{Left, Right};
    let mut header = vec![
        ("bytes", Right),
        ("algorithm", Left),
        ("synchronisation", Left),
        ("cycles", Right),
        ("speedup", Right),
        ("bound [cycles]", Right),
        ("cycles/bound", Right),
        ("software [cycles]", Right),
        ("energy [nJ]", Right),
        ("busiest link", Left),
        ("flits", Right),
        ("verified", Left),
        ("error/limit", Right),
    ];
    let mut body: Vec<Vec<String>> = rows.iter().map(|row| cells(row)).collect();
    for (title, cell) in MORE {
        if rows.iter().any(|row| cell(row).is_some()) {
            header.push((title, Right));
            for (line, row) in body.iter_mut().zip(rows) {
                line.push(cell(row).unwrap_or_else(|| "-".to_owned()));
            }
        }
    }
    table(&header, &body)
}

type Cell = fn(&CompareRow) -> Option<String>;

/// Columns that stand only where a row has something there.
const MORE: [(&str, Cell); 5] = [
    ("links [cycles]", |row| row.link_bound_cycles.map(grouped)),
    ("core [cycles]", |row| row.core_bound_cycles.map(grouped)),
    ("blocked [cycles]", |row| {
        row.blocked_link_cycles.map(grouped)
    }),
    ("noisy mean", |row| {
        row.noise.map(|noise| format!("{:.0}", noise.mean_cycles))
    }),
    ("variance [us^2]", |row| {
        row.noise.map(|noise| format!("{:.3}", noise.variance_us2))
    }),
];

/// In nJ; nothing where the spec has no costs.
fn energy(pj: Option<f64>) -> String {
    match pj.filter(|pj| *pj > 0.0) {
        Some(pj) => format!("{:.1}", pj / 1e3),
        None => "-".to_owned(),
    }
}

fn cells(row: &CompareRow) -> Vec<String> {
    let dash = || "-".to_owned();
    vec![
        noccl::files::format_bytes(row.bytes),
        noccl::algorithm(row),
        row.synchronisation
            .map_or_else(dash, |s| s.words().to_owned()),
        grouped(row.cycles),
        row.speedup_over_best_software
            .map_or_else(dash, |s| format!("{s:.2}")),
        grouped(row.lower_bound_cycles),
        format!("{:.2}", row.cycles_over_lower_bound),
        row.software_bound_cycles.map_or_else(dash, grouped),
        energy(row.energy_pj),
        row.busiest_link.as_ref().map_or_else(dash, |l| l.name()),
        row.busiest_link
            .as_ref()
            .map_or_else(dash, |l| grouped(l.flits)),
        noccl::verification(row).to_owned(),
        row.sum_error
            .map_or_else(dash, |e| format!("{:.2}", e.largest_of_bound)),
    ]
}
