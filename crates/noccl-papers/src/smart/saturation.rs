// SPDX-License-Identifier: Apache-2.0
//! Saturation twice, by number of virtual channels: at full offer, and at a limit of latency.

use super::curve::{Effort, LIMIT_CYCLES, LOCAL_PORT_CYCLES};
use super::designs::{
    BASELINE, BASELINE_ROUTER, COMPLETE, Design, GREEDY_BYPASS, GREEDY_BYPASS_ROUTER, PRIVATE,
    SHARED, SHARED_BYPASS, Setting, VCS, in_slots,
};
use crate::statistics::Outcomes;
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

// S2's claims 26, 30 and 31: hops of a cycle, and who goes first.

/// S2's clock and tile, and its wire: 1 GHz, 1 mm, 16 hops of bare wire.
const CYCLE_PS: f64 = 1_000.0;
const WIRE_PS: f64 = 62.5;
/// What a multiplexer and an OR of two inputs take, from S2's 11 and 9 hops.
const MULTIPLEXER_PS: f64 = 28.0;
const OR_PS: f64 = 20.0;
/// Broadcasts per cycle so few that two hardly ever meet.
const ALONE: f64 = 0.000_4;

pub(super) fn claims(effort: Effort<'_>, out: &mut Outcomes) -> Result<(), Error> {
    for (id, per_hop) in [
        ("26-wire", WIRE_PS),
        ("26-multiplexer", WIRE_PS + MULTIPLEXER_PS),
        ("26-or", WIRE_PS + MULTIPLEXER_PS + OR_PS),
    ] {
        let detail = format!("{CYCLE_PS} ps over {per_hop} ps per hop");
        out.put(id, (CYCLE_PS / per_hop).floor(), &detail);
    }
    priority(effort, out)?;
    let (four, eight) = (alone(effort, 4)?, alone(effort, 8)?);
    let setting = Setting::PUBLISHED.words();
    let detail = format!(
        "{four:.2} cycles with HPCmax 4, {eight:.2} with 8, over two dimensions; {setting}"
    );
    // Two cycles for each of the paths of two dimensions.
    out.put("31-hops", four / 2.0 / 2.0, &detail);
    Ok(())
}

/// From the first request to the last router, of broadcasts from corners that are alone.
fn alone(effort: Effort<'_>, hpc_max: u32) -> Result<f64, Error> {
    let setting = Setting {
        hpc_max,
        ..Setting::PUBLISHED
    };
    let longer = Effort {
        measure_cycles: 200_000,
        ..effort
    };
    let network = SHARED.network(setting)?;
    let sample = longer.sample(&network, Pattern::CornerBroadcast, ALONE)?;
    Ok(sample.latency.mean - LOCAL_PORT_CYCLES)
}

/// Claim 30.
fn priority(effort: Effort<'_>, out: &mut Outcomes) -> Result<(), Error> {
    for (id, pattern) in [
        ("30-uniform", Pattern::Uniform),
        ("30-broadcast", Pattern::Broadcast),
    ] {
        let accepted = |design: Design| effort.full(design, Setting::PUBLISHED, pattern);
        let (local, bypass) = (accepted(SHARED)?, accepted(SHARED_BYPASS)?);
        let detail = format!(
            "local {}, bypass {}",
            local.accepted_text(),
            bypass.accepted_text()
        );
        let detail = format!("{detail}; {}", Setting::PUBLISHED.words());
        out.put_estimate(id, local.accepted.over(bypass.accepted), &detail);
    }
    Ok(())
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
