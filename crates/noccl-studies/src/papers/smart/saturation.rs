// SPDX-License-Identifier: Apache-2.0
//! Saturation twice, by number of virtual channels: at full offer, and at a limit of latency.

use super::curve::{Effort, LIMIT_CYCLES};
use super::designs::{
    BASELINE, BASELINE_ROUTER, COMPLETE, Design, GREEDY_BYPASS, GREEDY_BYPASS_ROUTER, PRIVATE,
    SHARED, SHARED_BYPASS, Setting, VCS, in_slots,
};
use crate::Error;
use crate::papers::table::Table;
use noccl_workload::Pattern;
use rayon::prelude::*;

/// The page's table.
pub(super) fn table(effort: Effort<'_>) -> Result<Table, Error> {
    let rows = [
        (Pattern::CornerBroadcast, BASELINE),
        (Pattern::CornerBroadcast, SHARED),
        (Pattern::CornerBroadcast, PRIVATE),
        (Pattern::CornerBroadcast, in_slots(6)),
        (Pattern::Broadcast, BASELINE),
        (Pattern::Broadcast, SHARED),
        (Pattern::Broadcast, SHARED_BYPASS),
        (Pattern::Broadcast, PRIVATE),
        (Pattern::Broadcast, in_slots(6)),
        (Pattern::RandomMulticast, BASELINE),
        (Pattern::RandomMulticast, SHARED),
        (Pattern::RandomMulticast, PRIVATE),
        (Pattern::RandomMulticast, in_slots(4)),
        (Pattern::ManyToOne, BASELINE),
        (Pattern::ManyToOne, BASELINE_ROUTER),
        (Pattern::ManyToOne, GREEDY_BYPASS),
        (Pattern::ManyToOne, GREEDY_BYPASS_ROUTER),
        (Pattern::ManyToOne, COMPLETE),
    ];
    let mut vcs = vec![1];
    vcs.extend(VCS);
    let cell = |(pattern, design): (Pattern, Design), vcs: u32| {
        let setting = Setting::with_vcs(vcs);
        let full = effort.full(design, setting, pattern)?.accepted;
        let limit = effort.at_limit(design, setting, pattern)?;
        Ok(format!("{full:.2}, {limit:.2}"))
    };
    let row = |(pattern, design): &(Pattern, Design)| {
        let cells = vcs.iter().map(|vcs| cell((*pattern, *design), *vcs));
        let cells: Vec<String> = cells.collect::<Result<_, Error>>()?;
        Ok(format!(
            "| `{pattern}` | {} | {} |\n",
            design.name,
            cells.join(" | ")
        ))
    };
    let rows: Vec<String> = rows.par_iter().map(row).collect::<Result<_, Error>>()?;
    let names: Vec<String> = vcs.iter().map(|vcs| format!("`vcs` {vcs}")).collect();
    let head = format!(
        "Accepted at full offer, load at a mean latency of {LIMIT_CYCLES} cycles; per cycle of the mesh.\n\n| pattern | design | {} |\n|---|---|{}\n",
        names.join(" | "),
        "---|".repeat(vcs.len())
    );
    Ok(Table {
        name: "saturation",
        markdown: head + &rows.concat(),
    })
}
