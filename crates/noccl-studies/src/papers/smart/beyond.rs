// SPDX-License-Identifier: Apache-2.0
//! What is built beyond S2's text, beside what it has: trees by load, pruned trees, slots on demand.

use super::curve::{Effort, LIMIT_CYCLES, Sample};
use super::designs::{
    BY_LOAD, Design, PRIVATE, PRIVATE_PRUNED, SHARED, SHARED_PRUNED, SLOTS_ON_DEMAND, Setting, VCS,
    in_slots,
};
use crate::Error;
use crate::papers::table::Table;
use noccl_workload::Pattern;
use rayon::prelude::*;
use std::fmt::Write as _;

/// Loads of the whole mesh, up to what the wider of two trees accepts.
const BROADCASTS: [f64; 10] = [0.05, 0.1, 0.2, 0.4, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93];
const SETS: [f64; 10] = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0, 1.1, 1.2];

/// Latencies of trees by load beside those of the trees between which they choose.
pub(super) fn trees_by_load(effort: Effort<'_>) -> Result<Table, Error> {
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
            markdown.push_str(&row(effort, pattern, &loads, vcs)?);
        }
    }
    Ok(Table {
        name: "trees by load",
        markdown,
    })
}

fn row(effort: Effort<'_>, pattern: Pattern, loads: &[f64], vcs: u32) -> Result<String, Error> {
    let setting = Setting::with_vcs(vcs);
    let of = |design: &Design| {
        let network = design.network(setting)?;
        let samples = loads
            .par_iter()
            .map(|load| effort.sample(&network, pattern, *load));
        samples.collect::<Result<Vec<Sample>, Error>>()
    };
    let (shared, private, by_load) = (of(&SHARED)?, of(&PRIVATE)?, of(&BY_LOAD)?);
    let mut cells = Vec::new();
    let mut most = 0.0_f64;
    for ((shared, private), by_load) in shared.iter().zip(&private).zip(&by_load) {
        let better = shared
            .latency_within_limit()
            .min(private.latency_within_limit());
        if better.is_finite() {
            most = most.max(beyond(by_load.latency_within_limit(), better));
        }
        let cells_of = [shared, private, by_load].map(|sample| cell(*sample));
        cells.push(cells_of.join(" / "));
    }
    Ok(format!(
        "| {vcs} | {} | {} |\n",
        cells.join(" | "),
        excess(most)
    ))
}

fn cell(sample: Sample) -> String {
    let latency = sample.latency_within_limit();
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
            let setting = Setting::with_vcs(vcs);
            let ends = |design: Design| {
                let full = effort.full(design, setting, pattern)?.accepted;
                Ok::<_, Error>((full, effort.low(design, setting, pattern)?.latency))
            };
            let (before, after) = rayon::join(|| ends(published), || ends(ours));
            let (before, after) = (before?, after?);
            let _ = writeln!(
                markdown,
                "| `{pattern}` | {vcs} | {} | {:.2} | {:.1} | {} | {:.2} | {:.1} | {:.2} |",
                published.name,
                before.0,
                before.1,
                ours.name,
                after.0,
                after.1,
                after.0 / before.0
            );
        }
    }
    Ok(Table {
        name: "beyond S2",
        markdown,
    })
}
