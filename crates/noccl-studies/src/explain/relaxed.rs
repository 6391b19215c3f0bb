// SPDX-License-Identifier: Apache-2.0
//! What would move the cycles: the same run on networks with more of what it waits for.
//!
//! Which fields are tried follows from the parts that have cycles. Each row is a run; a field that changes nothing is listed too, since
//! that says something too.

use super::ExplainCase;
use crate::Error;
use crate::compare::runtime_cycles;
use noccl_net::{Network, elaborate};
use noccl_run::{Breakdown, Part, Tally};
use noccl_sim::run_schedule;
use noccl_spec::{AxiTiles, Spec, Tiles, WideReductionKind, parse_spec, to_toml};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Overrides as `-P` takes them.
type Changes = Vec<(String, String)>;

/// A run with more of something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RelaxedRow {
    /// The part that has fewer cycles if this is what it waits for.
    pub part: Part,
    /// Options that make the run: `-P router.input_fifo_flits=4 -P router.output_fifo_flits=4`.
    pub options: String,
    /// Cycles of the run.
    pub cycles: u64,
}

/// The runs, fastest first.
pub(super) fn runs(
    network: &Network,
    case: &ExplainCase,
    breakdown: &Breakdown,
    tally: &Tally<'_>,
) -> Result<Vec<RelaxedRow>, Error> {
    let spec = network.spec();
    let tried = Part::ALL.into_iter().filter(|part| breakdown.of(*part) > 0);
    let mut tried: Vec<(Part, Changes)> = tried
        .flat_map(|part| changes(spec, part).into_iter().map(move |c| (part, c)))
        .collect();
    // What could shorten two parts is tried once.
    let mut known: Vec<Changes> = Vec::new();
    tried.retain(|(_, changes)| {
        let is_new = !known.contains(changes);
        known.push(changes.clone());
        is_new
    });
    let rows: Vec<Result<Option<RelaxedRow>, Error>> = tried
        .par_iter()
        .map(|(part, changes)| {
            let cycles = cycles_with(spec, case, changes, tally)?;
            let options = changes
                .iter()
                .map(|(key, value)| format!("-P {key}={value}"));
            let options = options.collect::<Vec<_>>().join(" ");
            Ok(cycles.map(|cycles| RelaxedRow {
                part: *part,
                options,
                cycles,
            }))
        })
        .collect();
    let rows: Result<Vec<_>, Error> = rows.into_iter().collect();
    let mut rows: Vec<RelaxedRow> = rows?.into_iter().flatten().collect();
    rows.sort_by(|a, b| (a.cycles, &a.options).cmp(&(b.cycles, &b.options)));
    Ok(rows)
}

/// Cycles with these changes; `None` if there is no such network, or it cannot run this.
fn cycles_with(
    spec: &Spec,
    case: &ExplainCase,
    changes: &Changes,
    tally: &Tally<'_>,
) -> Result<Option<u64>, Error> {
    let changed = parse_spec(&spec.name, &to_toml(spec), changes);
    let Some(network) = changed.ok().and_then(|spec| elaborate(&spec).ok()) else {
        return Ok(None);
    };
    let made = match &case.made {
        None => Ok(case.schedule.clone()),
        Some((collective, choice)) => noccl_coll::schedule(&network, collective, *choice),
    };
    let Some(schedule) = made
        .ok()
        .filter(|s| noccl_workload::check(&network, s).is_ok())
    else {
        return Ok(None);
    };
    let result = tally.run(|on_progress| {
        run_schedule(&network, &schedule, &[], &[], &case.config, on_progress)
    })?;
    Ok(Some(runtime_cycles(Some(&schedule), &result.actions)))
}

fn set<V: ToString>(fields: &[(&str, V)]) -> Changes {
    let fields = fields.iter();
    fields
        .map(|(key, value)| ((*key).to_owned(), value.to_string()))
        .collect()
}

/// What could shorten a part.
fn changes(spec: &Spec, part: Part) -> Vec<Changes> {
    match &spec.tiles {
        Tiles::Axi(axi) if axi.router.smart.is_some() => of_smart(axi, part),
        Tiles::Axi(axi) => of_clusters(axi, part),
        Tiles::Cores(tiles) => {
            let (core, udn) = (&tiles.core, &tiles.router.udn);
            match part {
                Part::Links => vec![
                    set(&[("router.udn.input_fifo_flits", udn.input_fifo_flits * 2)]),
                    set(&[("core.receive_store_words", core.receive_store_words * 2)]),
                ],
                Part::Software => vec![set(&[
                    ("core.send_cycles", core.send_cycles / 2),
                    ("core.receive_cycles", core.receive_cycles / 2),
                ])],
                Part::Serialisation
                | Part::Hops
                | Part::Interface
                | Part::Members
                | Part::ReductionUnit
                | Part::Memory
                | Part::Dependencies => Vec::new(),
            }
        }
    }
}

fn of_smart(axi: &AxiTiles, part: Part) -> Vec<Changes> {
    let Some(smart) = &axi.router.smart else {
        return Vec::new();
    };
    match part {
        Part::Hops => vec![set(&[("router.smart.hpc_max", smart.hpc_max * 2)])],
        Part::Links => vec![set(&[("router.smart.vcs", smart.vcs * 2)])],
        Part::Serialisation => vec![set(&[("router.smart.flit_bits", smart.flit_bits * 2)])],
        Part::Software
        | Part::Interface
        | Part::Members
        | Part::ReductionUnit
        | Part::Memory
        | Part::Dependencies => Vec::new(),
    }
}

fn of_clusters(axi: &AxiTiles, part: Part) -> Vec<Changes> {
    let (ni, router, cluster) = (&axi.ni, &axi.router, &axi.cluster);
    let wide = &router.wide_reduction;
    match part {
        Part::Software => vec![set(&[
            ("cluster.dma.start_cycles", cluster.dma.start_cycles / 2),
            (
                "cluster.instructions.dma_start",
                cluster.instructions.dma_start / 2,
            ),
            (
                "cluster.instructions.dma_wait",
                cluster.instructions.dma_wait / 2,
            ),
        ])],
        Part::Serialisation => {
            let beat = ni.wide_beat_bytes * 2;
            // Additions of a beat take one cycle if there is a core for each 8 bytes.
            let cores = cluster.num_cores.max(beat / 8);
            vec![set(&[
                ("ni.wide_beat_bytes", beat),
                ("cluster.num_cores", cores),
            ])]
        }
        Part::Hops => {
            let bypass = router.bypass.iter();
            let farther = bypass.map(|b| set(&[("router.bypass.hpc_max", b.hpc_max * 2)]));
            let long = Some(&router.link_cycles).filter(|links| !links.is_default());
            let short = long.map(|_| {
                set(&[
                    ("router.link_cycles.req", 1),
                    ("router.link_cycles.rsp", 1),
                    ("router.link_cycles.wide", 1),
                ])
            });
            let latency = axi.memory.latency_cycles / 2;
            let memory = set(&[("memory.latency_cycles", latency)]);
            farther.chain(short).chain([memory]).collect()
        }
        Part::Links => vec![
            set(&[
                ("router.input_fifo_flits", router.input_fifo_flits * 2),
                ("router.output_fifo_flits", router.output_fifo_flits * 2),
            ]),
            set(&[("router.merge_table_entries", router.merge_table_entries * 2)]),
        ],
        Part::Interface => vec![
            set(&[("ni.max_wide_outstanding", ni.max_wide_outstanding * 2)]),
            set(&[("cluster.dma.max_transfers", cluster.dma.max_transfers * 2)]),
            set(&[("cluster.dma.buffer_beats", cluster.dma.buffer_beats * 2)]),
        ],
        Part::Members => vec![
            set(&[
                ("router.wide_reduction.window_beats", wide.window_beats * 2),
                ("router.wide_reduction.store_beats", wide.store_beats * 2),
            ]),
            set(&[("ni.max_open_reductions", ni.max_open_reductions * 2)]),
        ],
        Part::ReductionUnit if wide.kind == WideReductionKind::TwoOperand => {
            vec![set(&[("router.wide_reduction.kind", "\"three_operand\"")])]
        }
        Part::ReductionUnit => vec![set(&[
            ("router.wide_reduction.window_beats", wide.window_beats * 2),
            ("router.wide_reduction.store_beats", wide.store_beats * 2),
        ])],
        Part::Memory => vec![
            set(&[("cluster.atomic_cycles", 1)]),
            set(&[("memory.max_outstanding", axi.memory.max_outstanding * 2)]),
        ],
        Part::Dependencies => Vec::new(),
    }
}
