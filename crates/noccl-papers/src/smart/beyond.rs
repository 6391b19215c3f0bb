// SPDX-License-Identifier: Apache-2.0
//! What is built beyond S2's text, beside what it has: trees by load, pruned trees, slots on demand.

use super::curve::{Effort, LIMIT_CYCLES, Sample};
use super::designs::{
    BY_LOAD, Design, PRIVATE, PRIVATE_PRUNED, SHARED, SHARED_PRUNED, SLOTS_ON_DEMAND, Setting, VCS,
    in_slots,
};
use crate::table::Table;
use noccl_studies::Error;
use noccl_workload::Pattern;
use rayon::prelude::*;
use std::fmt::Write as _;

/// Loads of the whole mesh, up to what the wider of two trees accepts.
const BROADCASTS: [f64; 10] = [0.05, 0.1, 0.2, 0.4, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93];
const SETS: [f64; 10] = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0, 1.1, 1.2];

/// Latencies of trees by load beside those of the trees between which they choose.
pub(super) fn trees_by_load(effort: Effort<'_>) -> Result<Table, Error> {
    trees_of(|pattern, loads, vcs| {
        let setting = Setting::with_vcs(vcs);
        let of = |design: &Design| {
            let network = design.network(setting)?;
            let samples = loads
                .par_iter()
                .map(|load| effort.sample(&network, pattern, *load));
            samples.collect::<Result<Vec<Sample>, Error>>()
        };
        let (shared, private, by_load) = (of(&SHARED)?, of(&PRIVATE)?, of(&BY_LOAD)?);
        let samples = shared.iter().zip(&private).zip(&by_load);
        let latencies: Vec<[f64; 3]> = samples
            .map(|((shared, private), by_load)| {
                [shared, private, by_load].map(|sample| sample.latency_within_limit())
            })
            .collect();
        let most = most_beyond(&latencies);
        Ok((latencies, most))
    })
}

/// Latencies by load over shared trees, private ones and by load, infinite where saturated, and the most by which the last are beyond the
/// better of the others.
type ByLoad = (Vec<[f64; 3]>, f64);

fn trees_of(row: impl Fn(Pattern, &[f64], u32) -> Result<ByLoad, Error>) -> Result<Table, Error> {
    let mut markdown = format!(
        "Mean latency in cycles by load, packets per cycle of the mesh: shared trees / private trees / by load. Those beyond {LIMIT_CYCLES} cycles are saturated (`sat`).\n"
    );
    let patterns = [
        (Pattern::Broadcast, BROADCASTS),
        (Pattern::RandomMulticast, SETS),
    ];
    for (pattern, loads) in patterns {
        let names: Vec<String> = loads.iter().map(|load| format!("{load}")).collect();
        let lines = "---|".repeat(loads.len());
        let _ = write!(
            markdown,
            "\n| `{pattern}`, `vcs` | {} | beyond the better one |\n|---|{lines}---|\n",
            names.join(" | ")
        );
        for vcs in VCS {
            let (latencies, most) = row(pattern, &loads, vcs)?;
            let cells = latencies.iter().map(|of| of.map(cell).join(" / "));
            let cells: Vec<String> = cells.collect();
            let excess = excess(most);
            let _ = writeln!(markdown, "| {vcs} | {} | {excess} |", cells.join(" | "));
        }
    }
    Ok(Table {
        name: "trees by load",
        markdown,
    })
}

fn most_beyond(latencies: &[[f64; 3]]) -> f64 {
    let beyond = latencies.iter().map(|[shared, private, by_load]| {
        let better = shared.min(*private);
        if better.is_finite() {
            beyond(*by_load, better)
        } else {
            0.0
        }
    });
    beyond.fold(0.0, f64::max)
}

fn cell(latency: f64) -> String {
    if latency.is_finite() {
        format!("{latency:.1}")
    } else {
        "sat".to_owned()
    }
}

/// By which share a latency is beyond another one; what is within a cycle is not.
fn beyond(latency: f64, better: f64) -> f64 {
    if latency - better <= 1.0 {
        0.0
    } else {
        latency / better - 1.0
    }
}

fn excess(share: f64) -> String {
    if share == 0.0 {
        "within a cycle".to_owned()
    } else if share.is_finite() {
        format!("{:.0} %", 100.0 * share)
    } else {
        "saturates earlier".to_owned()
    }
}

/// Accepted load, and latency at low load, of two designs beside each other.
pub(super) fn others(effort: Effort<'_>) -> Result<Table, Error> {
    others_of(|pattern, [published, ours], vcs| {
        let setting = Setting::with_vcs(vcs);
        let ends = |design: Design| {
            let full = effort.full(design, setting, pattern)?.accepted.mean;
            Ok::<_, Error>((full, effort.low(design, setting, pattern)?.latency.mean))
        };
        let (before, after) = rayon::join(|| ends(published), || ends(ours));
        let (before, after) = (before?, after?);
        Ok(([before, after], after.0 / before.0))
    })
}

/// Accepted load and latency of two designs, and the ratio of what they accept.
type Pair = ([(f64, f64); 2], f64);

fn others_of(
    row: impl Fn(Pattern, [Design; 2], u32) -> Result<Pair, Error>,
) -> Result<Table, Error> {
    let mut markdown = "Accepted at full offer, packets per cycle of the mesh; latency at low load in cycles.\n\n| pattern | `vcs` | published | accepted | cycles | beyond | accepted | cycles | ratio of accepted |\n|---|---|---|---|---|---|---|---|---|\n".to_owned();
    let pairs = [
        (Pattern::RandomMulticast, SHARED, SHARED_PRUNED),
        (Pattern::RandomMulticast, PRIVATE, PRIVATE_PRUNED),
        (Pattern::CornerBroadcast, in_slots(6), SLOTS_ON_DEMAND),
        (Pattern::Broadcast, in_slots(6), SLOTS_ON_DEMAND),
        (Pattern::CornerBroadcast, PRIVATE, SLOTS_ON_DEMAND),
    ];
    for (pattern, published, ours) in pairs {
        for vcs in VCS {
            let ([before, after], ratio) = row(pattern, [published, ours], vcs)?;
            let _ = writeln!(
                markdown,
                "| `{pattern}` | {vcs} | {} | {:.2} | {:.1} | {} | {:.2} | {:.1} | {ratio:.2} |",
                published.name, before.0, before.1, ours.name, after.0, after.1,
            );
        }
    }
    Ok(Table {
        name: "beyond S2",
        markdown,
    })
}

/// Numbers are measured by `make claims`; these are about whose they are, and whether they agree.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::Paper;
    use crate::fresh::committed;
    use crate::table::insert_table;

    /// The cells of the row below a header that begins so.
    fn row_of(page: &str, header: &str, row: &str) -> Vec<String> {
        let (_, below) = page.split_once(header).unwrap();
        let line = below.lines().find_map(|line| line.strip_prefix(row));
        let cells = line.unwrap().trim_end_matches(" |").split(" | ");
        cells.map(str::to_owned).collect()
    }

    fn number(text: &str) -> f64 {
        if text == "sat" {
            return f64::INFINITY;
        }
        text.parse().unwrap()
    }

    fn is_fresh(page: &str, table: &Table) {
        let today = insert_table(Paper::Smart, "S2.md", page, table).unwrap();
        assert!(today == page, "docs/papers/S2.md is stale: run make claims");
    }

    #[test]
    fn rows_of_trees_by_load_are_those_that_are_measured_and_follow_from_their_numbers() {
        let page = committed(Paper::Smart);
        let table = trees_of(|pattern, loads, vcs| {
            let header = format!("| `{pattern}`, `vcs` | ");
            let cells = row_of(&page, &header, &format!("| {vcs} | "));
            let (most, cells) = cells.split_last().unwrap();
            assert_eq!(cells.len(), loads.len());
            let three = |cell: &String| -> [f64; 3] {
                let numbers: Vec<f64> = cell.split(" / ").map(number).collect();
                numbers.try_into().unwrap()
            };
            let latencies: Vec<[f64; 3]> = cells.iter().map(three).collect();
            let most = match most.as_str() {
                "within a cycle" => 0.0,
                "saturates earlier" => f64::INFINITY,
                percent => number(percent.trim_end_matches(" %")) / 100.0,
            };
            // Latencies are rounded to a tenth of a cycle, which can lie on either side of a whole one.
            let again = most_beyond(&latencies);
            let is_near = most == again || (most - again).abs() < 0.02;
            let is_at_a_cycle = most == 0.0 && again < 0.25;
            assert!(is_near || is_at_a_cycle, "{pattern} {vcs}: {most} {again}");
            Ok((latencies, most))
        });
        is_fresh(&page, &table.unwrap());
    }

    #[test]
    fn rows_beyond_the_paper_are_those_that_are_measured_and_follow_from_their_numbers() {
        let page = committed(Paper::Smart);
        let table = others_of(|pattern, [published, ours], vcs| {
            let row = format!("| `{pattern}` | {vcs} | {} | ", published.name);
            let lines = page.lines().filter_map(|line| line.strip_prefix(&row));
            let name = format!(" | {} | ", ours.name);
            let (before, after) = lines
                .filter_map(|line| line.split_once(&name))
                .next()
                .unwrap();
            let numbers = |text: &str| -> Vec<f64> {
                text.trim_end_matches(" |")
                    .split(" | ")
                    .map(number)
                    .collect()
            };
            let (before, after) = (numbers(before), numbers(after));
            let ratio = after[2];
            let again = after[0] / before[0];
            assert!(
                (ratio - again).abs() < 0.02,
                "{pattern} {vcs}: {ratio} {again}"
            );
            Ok(([(before[0], before[1]), (after[0], after[1])], ratio))
        });
        is_fresh(&page, &table.unwrap());
    }
}
