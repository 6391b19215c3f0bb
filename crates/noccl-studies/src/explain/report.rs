// SPDX-License-Identifier: Apache-2.0
//! An explanation as its users get it: names instead of ids.

use super::ExplainCase;
use super::relaxed::RelaxedRow;
use crate::runs::link_flits;
use crate::{Error, group_name, root_name};
use noccl_net::{Network, TileId};
use noccl_run::{Breakdown, Cause, LinkLoad, Part, Resource, ResourceUse, RunResult, time_ns};
use noccl_workload::CollectiveKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How a run was explained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExplainMethod {
    /// Every cycle of the critical path was looked at.
    EveryCycle,
    /// Actions of the critical path were run alone: what they take longer in the run is waiting.
    ByAction,
}

/// Where the cycles of a run go.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Explanation {
    /// Name of the network.
    pub network: String,
    /// The collective; absent of a schedule that claims none.
    pub collective: Option<CollectiveKind>,
    /// Its payload, and its group as on the command line.
    pub bytes: Option<u64>,
    /// Participants.
    pub group: Option<String>,
    /// The algorithm with its parameters, as `--algorithm` takes it, or the schedule's name of it.
    pub algorithm: String,
    /// Parameters of the algorithm.
    pub parameters: BTreeMap<String, String>,
    /// Cycles, as `noccl compare` counts them; the parts sum to them.
    pub cycles: u64,
    /// Clock of the network.
    pub clock_ghz: f64,
    /// `cycles` at this clock.
    pub time_ns: f64,
    /// How the run was explained.
    pub method: ExplainMethod,
    /// Parts with at least one cycle.
    pub parts: Vec<PartRow>,
    /// The critical path, first step first.
    pub path: Vec<PathRow>,
    /// The three busiest resources; empty where the simulator does not count them.
    pub busiest: Vec<ResourceRow>,
    /// Runs with more of what this one waits for, fastest first; empty unless asked for.
    pub relaxed: Vec<RelaxedRow>,
}

/// A part of the cycles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartRow {
    /// Which.
    pub part: Part,
    /// As tables name it.
    pub name: String,
    /// Cycles.
    pub cycles: u64,
    /// Of all cycles.
    pub fraction: f64,
    /// What it is made of, longest first.
    pub causes: Vec<CauseRow>,
}

/// A cause within a part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CauseRow {
    /// Which.
    pub cause: Cause,
    /// As tables name it.
    pub name: String,
    /// Cycles.
    pub cycles: u64,
    /// The resource that has most of them, and how many.
    pub most_at: Option<String>,
    /// Cycles at that resource.
    pub most_cycles: Option<u64>,
}

/// A step of the critical path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PathRow {
    /// Index of the action in its schedule.
    pub action: u32,
    /// What the action does, as schedules name it.
    pub kind: String,
    /// Tile whose part of the action it is.
    pub tile: String,
    /// First cycle, from the start of the run.
    pub start_cycle: u64,
    /// The cycle behind the last one.
    pub end_cycle: u64,
}

/// A resource over the whole run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResourceRow {
    /// `link wide 0,0->1,0`, `memory port 0,0`, `reduction unit 0,0`, `DMA engine 0,0`.
    pub resource: String,
    /// Cycles in which it works: a flit, a beat, an addition.
    pub busy_cycles: u64,
    /// Of the cycles of the run.
    pub busy_fraction: f64,
    /// Cycles in which something waits there, by cause.
    pub blocked: Vec<BlockedRow>,
}

/// Cycles in which something waits at a resource.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockedRow {
    /// Why.
    pub cause: Cause,
    /// Cycles.
    pub cycles: u64,
}

/// The report of a breakdown, without further runs.
pub(super) fn of(
    network: &Network,
    case: &ExplainCase,
    result: &RunResult,
    breakdown: &Breakdown,
    method: ExplainMethod,
) -> Result<Explanation, Error> {
    let clock_ghz = network.spec().clock_ghz;
    let collective = case.schedule.collective.as_ref();
    let cycles = breakdown.cycles;
    let choice = case.made.as_ref().map(|(_, choice)| choice.to_string());
    let busiest = if breakdown.busiest.is_empty() {
        busiest_links(network, &result.links, cycles)
    } else {
        let rows = breakdown.busiest.iter();
        rows.map(|used| resource_row(network, used, cycles))
            .collect()
    };
    Ok(Explanation {
        network: network.spec().label(),
        collective: collective.map(|c| c.kind),
        bytes: collective.filter(|c| c.kind.has_payload()).map(|c| c.bytes),
        group: collective.map(|c| group_name(network, &c.group)),
        algorithm: choice.unwrap_or_else(|| case.schedule.algorithm.clone()),
        parameters: case.schedule.parameters.clone(),
        cycles,
        clock_ghz,
        time_ns: time_ns(cycles as f64, clock_ghz),
        method,
        parts: parts(network, breakdown),
        path: path(network, case, breakdown),
        busiest,
        relaxed: Vec::new(),
    })
}

fn parts(network: &Network, breakdown: &Breakdown) -> Vec<PartRow> {
    let row = |part: Part| {
        let causes = breakdown.causes.iter().filter(|c| c.cause.part() == part);
        let mut causes: Vec<CauseRow> = causes
            .map(|c| CauseRow {
                cause: c.cause,
                name: c.cause.words().to_owned(),
                cycles: c.cycles,
                most_at: c.most.map(|(at, _)| resource_name(network, at)),
                most_cycles: c.most.map(|(_, cycles)| cycles),
            })
            .collect();
        causes.sort_by_key(|c| (std::cmp::Reverse(c.cycles), c.cause));
        let cycles = breakdown.of(part);
        PartRow {
            part,
            name: part.words().to_owned(),
            cycles,
            fraction: cycles as f64 / breakdown.cycles.max(1) as f64,
            causes,
        }
    };
    Part::ALL
        .into_iter()
        .map(row)
        .filter(|row| row.cycles > 0)
        .collect()
}

fn path(network: &Network, case: &ExplainCase, breakdown: &Breakdown) -> Vec<PathRow> {
    let from = breakdown.start_cycle;
    let steps = breakdown.path.iter();
    steps
        .map(|step| PathRow {
            action: step.action,
            kind: case.schedule.actions[step.action as usize]
                .kind
                .name()
                .to_owned(),
            tile: tile_name(network, step.tile),
            start_cycle: step.start_cycle.saturating_sub(from),
            end_cycle: step.end_cycle.saturating_sub(from),
        })
        .collect()
}

fn resource_row(network: &Network, used: &ResourceUse, cycles: u64) -> ResourceRow {
    let blocked = used.blocked.iter();
    ResourceRow {
        resource: resource_name(network, used.resource),
        busy_cycles: used.busy_cycles,
        busy_fraction: used.busy_cycles as f64 / cycles.max(1) as f64,
        blocked: blocked
            .map(|(cause, cycles)| BlockedRow {
                cause: *cause,
                cycles: *cycles,
            })
            .collect(),
    }
}

/// The links with most flits, of engines that count nothing else.
fn busiest_links(network: &Network, links: &[LinkLoad], cycles: u64) -> Vec<ResourceRow> {
    const NUM_BUSIEST: usize = 3;
    let mut links = links.to_vec();
    links.sort_by_key(|load| (std::cmp::Reverse(load.flits), load.link));
    links.truncate(NUM_BUSIEST);
    let row = |load: &LinkLoad| {
        let used = ResourceUse {
            resource: Resource::Link(load.link),
            busy_cycles: load.flits,
            blocked: Vec::new(),
        };
        resource_row(network, &used, cycles)
    };
    links.iter().map(row).collect()
}

fn tile_name(network: &Network, tile: TileId) -> String {
    root_name(network.tile_ref(tile))
}

fn resource_name(network: &Network, resource: Resource) -> String {
    match resource {
        Resource::Link(link) => {
            let load = LinkLoad { link, flits: 0 };
            let named = link_flits(network, &[load]).pop();
            // A link at the edge leads nowhere and carries nothing.
            named.map_or_else(String::new, |link| format!("link {}", link.name()))
        }
        Resource::MemoryPort(tile) => format!("memory port {}", tile_name(network, tile)),
        Resource::MergePoint(tile) => format!("merge point {}", tile_name(network, tile)),
        Resource::ReductionUnit(tile) => format!("reduction unit {}", tile_name(network, tile)),
        Resource::DmaEngine(tile) => format!("DMA engine {}", tile_name(network, tile)),
    }
}
