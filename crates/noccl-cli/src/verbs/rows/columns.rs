// SPDX-License-Identifier: Apache-2.0
//! Columns of compare tables: names for `--columns`, titles, cells.

use crate::forms::{RowColumn, RowTable, Value};
use noccl::collective::{CompareRow, word};

/// A column of a comparison.
type Column = RowColumn<CompareRow>;

/// All columns, in the order of a wide table.
pub static TABLE: RowTable<CompareRow> = RowTable {
    columns: &[
        Column::words("network", "network", |row| Value::words(&row.network)).in_files(),
        Column::words("collective", "collective", |row| {
            Value::words(word(&row.collective))
        })
        .in_files(),
        Column::words("group", "group", |row| Value::words(&row.group)).in_files(),
        Column::words("root", "root", |row| Value::words(&row.root)).in_files(),
        Column::number("bytes", "bytes", |row| Value::bytes(row.bytes)),
        Column::words("algorithm", "algorithm", |row| {
            Value::words(noccl::algorithm(row))
        }),
        Column::words("synchronisation", "synchronisation", |row| {
            Value::of(row.synchronisation, |s| Value::words(s.words()))
        })
        .wide()
        .with_legend("synchronisation: what a member waits for"),
        Column::number("cycles", "cycles", |row| Value::count(row.cycles)),
        // To the nanosecond: a cycle of the fastest clocks is a fraction of one.
        Column::number("time_us", "time [us]", |row| {
            Value::fixed(row.time_ns / 1e3, 3)
        }),
        Column::number("gb_per_s", "GB/s", |row| {
            Value::of(row.payload_gb_per_s, |rate| Value::fixed(rate, 2))
        }),
        Column::number("speedup", "speedup", |row| {
            Value::of(row.speedup_over_best_software, |s| Value::fixed(s, 2))
        })
        .with_legend("speedup: over the fastest software"),
        Column::number("cycles_over_bound", "cycles/bound", |row| {
            Value::fixed(row.cycles_over_lower_bound, 2)
        })
        .with_legend("bound: no algorithm is faster"),
        Column::number("bound", "bound [cycles]", |row| {
            Value::count(row.lower_bound_cycles)
        })
        .wide(),
        Column::number("software_bound", "software [cycles]", |row| {
            Value::of(row.software_bound_cycles, Value::count)
        })
        .wide()
        .with_legend("software: no algorithm without help of the network is faster"),
        // Nothing where the spec has no costs.
        Column::number("energy_nj", "energy [nJ]", |row| {
            let pj = row.energy_pj.filter(|pj| *pj > 0.0);
            Value::of(pj, |pj| Value::fixed(pj / 1e3, 1))
        })
        .wide(),
        Column::words("busiest_link", "busiest link", |row| {
            Value::of(row.busiest_link.as_ref(), |link| Value::words(link.name()))
        })
        .wide(),
        Column::number("busiest_link_flits", "flits", |row| {
            Value::of(row.busiest_link.as_ref(), |link| Value::count(link.flits))
        })
        .wide()
        .with_legend("flits: over the busiest link, whose ends are tiles as --root names them"),
        Column::words("verified", "verified", |row| {
            Value::words(noccl::verification(row))
        }),
        Column::number("error_over_limit", "error/limit", |row| {
            Value::of(row.sum_error, |e| Value::fixed(e.largest_of_bound, 2))
        })
        .wide()
        .with_legend("error/limit: of a floating-point sum"),
        Column::number("link_bound", "links [cycles]", |row| {
            Value::of(row.link_bound_cycles, Value::count)
        })
        .wide()
        .with_legend("links, core: bounds with a message per block"),
        Column::number("core_bound", "core [cycles]", |row| {
            Value::of(row.core_bound_cycles, Value::count)
        })
        .wide(),
        Column::number("blocked_cycles", "blocked [cycles]", |row| {
            Value::of(row.blocked_link_cycles, Value::count)
        })
        .wide()
        .with_legend("blocked: cycles in which words waited for a link"),
        Column::number("noisy_mean", "noisy mean", |row| {
            Value::of(row.noise, |noise| Value::fixed(noise.mean_cycles, 0))
        }),
        Column::number("noisy_variance_us2", "variance [us^2]", |row| {
            Value::of(row.noise, |noise| Value::fixed(noise.variance_us2, 3))
        }),
    ],
    dropped_first: &["time_us", "gb_per_s", "cycles_over_bound", "speedup"],
};

/// One line on what is shown.
pub fn legend(columns: &[&'static RowColumn<CompareRow>], rows: &[&CompareRow]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut add = |part: String| {
        if !part.is_empty() && !parts.contains(&part) {
            parts.push(part);
        }
    };
    let is_shown = |names: &[&str]| columns.iter().any(|column| names.contains(&column.name));
    let what = match (is_shown(&["time_us"]), is_shown(&["gb_per_s"])) {
        (true, true) => "time and GB/s",
        (true, false) => "time",
        (false, true) => "GB/s",
        (false, false) => "",
    };
    if !what.is_empty() {
        clocks(what, rows).into_iter().for_each(&mut add);
    }
    for column in columns {
        add(column.legend.to_owned());
    }
    if is_shown(&["verified"]) {
        VERIFIED
            .iter()
            .filter(|(word, _)| rows.iter().any(|row| noccl::verification(row) == *word))
            .for_each(|(_, part)| add((*part).to_owned()));
    }
    parts.join("; ")
}

/// What the words of the column `verified` mean.
const VERIFIED: [(&str, &str); 4] = [
    ("bit-exact", "bit-exact: every byte compared"),
    (
        "order proved",
        "order proved: no member leaves before all have entered",
    ),
    (
        "estimated",
        "estimated: within 20 %, too slow to be the fastest (--all simulates it)",
    ),
    ("not checked", "not checked: the model moves no bytes"),
];

/// The clocks of the rows, and where a clock comes from that no spec names.
fn clocks(what: &str, rows: &[&CompareRow]) -> Vec<String> {
    let text = |row: &&CompareRow| match row.clock_ghz == 1.0 {
        true => format!("{what} at 1 GHz (S1's clock, the default)"),
        false => format!("{what} at {} GHz", row.clock_ghz),
    };
    rows.iter().map(text).collect()
}
