// SPDX-License-Identifier: Apache-2.0
//! Saturation twice, by number of virtual channels: at full offer, and at a limit of latency.

use super::curve::{Effort, LIMIT_CYCLES};
use super::designs::{
    BASELINE, BASELINE_ROUTER, COMPLETE, Design, GREEDY_BYPASS, GREEDY_BYPASS_ROUTER, PRIVATE,
    SHARED, SHARED_BYPASS, Setting, VCS, in_slots,
};
use crate::table::Table;
use noccl_studies::Error;
use noccl_workload::Pattern;
use rayon::prelude::*;

/// The page's table.
pub(super) fn table(effort: Effort<'_>) -> Result<Table, Error> {
    table_of(|pattern, design, vcs| {
        let setting = Setting::with_vcs(vcs);
        let full = effort.full(design, setting, pattern)?.accepted.mean;
        let limit = effort.at_limit(design, setting, pattern)?;
        Ok(format!("{full:.2}, {limit:.2}"))
    })
}

/// The table of such cells.
fn table_of(
    cell: impl Fn(Pattern, Design, u32) -> Result<String, Error> + Sync,
) -> Result<Table, Error> {
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
    let row = |(pattern, design): &(Pattern, Design)| {
        let cells = vcs.iter().map(|vcs| cell(*pattern, *design, *vcs));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::Paper;
    use crate::fresh::committed;
    use crate::table::insert_table;

    /// Numbers are measured by `make claims`; this is about whose they are.
    #[test]
    fn rows_and_columns_of_the_page_are_those_that_are_measured() {
        let page = committed(Paper::Smart);
        let cell = |pattern: Pattern, design: Design, vcs: u32| {
            let row = format!("| `{pattern}` | {} | ", design.name);
            let row = page.lines().find_map(|line| line.strip_prefix(&row));
            let cells: Vec<&str> = row.unwrap().trim_end_matches(" |").split(" | ").collect();
            let column = [1, 2, 3, 4, 8].iter().position(|n| *n == vcs).unwrap();
            Ok(cells[column].to_owned())
        };
        let table = table_of(cell).unwrap();
        let today = insert_table(Paper::Smart, "S2.md", &page, &table).unwrap();
        assert!(today == page, "docs/papers/S2.md is stale: run make claims");
    }
}
