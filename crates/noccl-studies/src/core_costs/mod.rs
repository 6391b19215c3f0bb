// SPDX-License-Identifier: Apache-2.0
//! Costs of modelled cores from runs of the message library on executed ones (`noccl calibrate` on core tiles).
//!
//! The library's collectives are measured on cores that execute them; the same collectives on modelled cores, with constants for a message,
//! a unit and a word, should take as long. Constants are fitted to some of the runs; how well they do is said of all others
//! apart.

use crate::compare::{collective_of, runtime_cycles};
use crate::{CompareRequest, Error, parse_group};
use noccl_coll::Choice;
use noccl_net::{Network, elaborate};
use noccl_run::{Mode, RunConfig, Tally, Watch};
use noccl_sim::run_schedule;
use noccl_spec::{Core, Spec};
use noccl_workload::{CollectiveKind, Schedule};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A collective on both kinds of cores.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CoreCostRow {
    /// Columns and rows of the mesh.
    pub mesh: String,
    /// The library's function.
    pub function: String,
    /// The algorithm of modelled cores.
    pub algorithm: String,
    /// Payload or block.
    pub bytes: u64,
    /// Cycles on executed cores.
    pub executed_cycles: u64,
    /// Cycles on modelled ones, with the constants.
    pub modelled_cycles: u64,
    /// `modelled / executed − 1`.
    pub deviation: f64,
    /// Were the constants fitted to it?
    pub is_fitted: bool,
}

/// How far both kinds of cores are apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CoreCostSpread {
    /// Runs.
    pub runs: u64,
    /// Median of the deviations' sizes.
    pub median: f64,
    /// The largest one.
    pub max: f64,
}

/// Constants of modelled cores and what they were fitted to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CoreCosts {
    /// Name of the network.
    pub network: String,
    /// Table of instruction costs of the executed cores.
    pub instruction_costs: String,
    /// Fields of `[core]`.
    pub constants: BTreeMap<String, u32>,
    /// Of the runs that the constants were fitted to.
    pub fitted: CoreCostSpread,
    /// Of the others; none if there are no others.
    pub held_out: Option<CoreCostSpread>,
    /// Every run.
    pub rows: Vec<CoreCostRow>,
}

/// Fits the constants of a network's cores to runs of the library, and returns the network with them.
///
/// Executed runs are of rectangles of any size, which the network's own routers and cores fill.
///
/// # Errors
/// [`Error::Argument`] for a network without core tiles, those of the simulator.
pub fn calibrate_cores(
    spec: &Spec,
    instruction_costs: &str,
    executed: &[ExecutedCase],
    watch: Watch<'_>,
) -> Result<(Spec, CoreCosts), Error> {
    let Some(core) = spec.cores().map(|tiles| tiles.core.clone()) else {
        let accepted = "its tiles have no ports of words; accepted: a network of core tiles";
        return Err(Error::argument("--spec", &spec.name, accepted));
    };
    let tally = Tally::new(watch, 0);
    let all: Vec<Modelled> = executed
        .iter()
        .map(|case| Modelled::new(spec, case))
        .collect::<Result<_, _>>()?;
    let seen: Vec<&Modelled> = all.iter().filter(|case| case.executed.is_fitted).collect();
    let best = fit(&core, &seen, &tally)?;
    let constants = FIELDS.iter().map(|field| {
        let value = (field.get)(&best);
        (field.name.to_owned(), value)
    });
    let constants = constants.collect();
    let rows: Vec<CoreCostRow> = all
        .iter()
        .map(|case| case.row(&best, &tally))
        .collect::<Result<_, _>>()?;
    let deviations = |is_fitted: bool| {
        let of = rows.iter().filter(|row| row.is_fitted == is_fitted);
        of.map(|row| row.deviation.abs()).collect::<Vec<f64>>()
    };
    let fitted = spread(deviations(true)).ok_or_else(|| {
        let accepted = "runs that the constants are fitted to; accepted: at least one";
        Error::argument("runs", 0, accepted)
    })?;
    let held_out = spread(deviations(false));
    let mut calibrated = spec.clone();
    if let Some(tiles) = calibrated.cores_mut() {
        tiles.core = best;
    }
    elaborate(&calibrated)?;
    let costs = CoreCosts {
        network: spec.label(),
        instruction_costs: instruction_costs.to_owned(),
        constants,
        fitted,
        held_out,
        rows,
    };
    Ok((calibrated, costs))
}

/// `None` without runs: a deviation of 0 would say that both kinds of cores take the same time.
fn spread(mut deviations: Vec<f64>) -> Option<CoreCostSpread> {
    deviations.sort_by(f64::total_cmp);
    Some(CoreCostSpread {
        runs: deviations.len() as u64,
        median: *deviations.get(deviations.len() / 2)?,
        max: *deviations.last()?,
    })
}

// The constants of a core, and the values of them with which modelled runs take as long as executed ones.

/// A constant.
struct Field {
    pub name: &'static str,
    pub get: fn(&Core) -> u32,
    set: fn(&mut Core, u32),
    /// From which the search begins, and the least and greatest value that it tries.
    start: u32,
    least: u32,
    most: u32,
}

macro_rules! field {
    ($name:ident, $start:literal, $least:literal..=$most:literal) => {
        Field {
            name: stringify!($name),
            get: |core| core.$name,
            set: |core, value| core.$name = value,
            start: $start,
            least: $least,
            most: $most,
        }
    };
}

/// What is fitted; `row_cycles`, `interrupt_cycles` and noise are none of this library.
const FIELDS: [Field; 11] = [
    field!(send_cycles, 60, 0..=1000),
    field!(receive_cycles, 60, 0..=1000),
    field!(receive_ahead_cycles, 20, 0..=1000),
    field!(unit_cycles, 20, 0..=1000),
    field!(list_cycles, 100, 0..=1000),
    field!(word_cycles, 2, 1..=20),
    field!(send_word_cycles, 4, 1..=20),
    field!(round_cycles, 50, 0..=1000),
    field!(blocked_cycles, 50, 0..=1000),
    field!(combine_cycles, 11, 0..=100),
    field!(route_cycles, 100, 0..=1000),
];

/// Steps of the search, as parts of a value: it goes on with the next when no step of this size is better.
const STEPS: [f64; 4] = [0.3, 0.15, 0.07, 0.03];

/// Weight of the largest distance beside the mean one.
const LARGEST: f64 = 0.25;

/// Cycles of a word that are tried, each with its own descent: what a word costs less, units and messages cost more, so that one descent
/// over all constants ends wherever it began.
const WORD_CYCLES: std::ops::RangeInclusive<u32> = 1..=4;

/// Descends one constant at a time. The runs are deterministic, and so is the result.
fn fit(core: &Core, seen: &[&Modelled<'_>], tally: &Tally<'_>) -> Result<Core, Error> {
    let mut best: Option<(Core, f64)> = None;
    for word_cycles in WORD_CYCLES {
        let mut start = core.clone();
        for field in &FIELDS {
            (field.set)(&mut start, field.start);
        }
        start.word_cycles = word_cycles;
        let found = descend(start, seen, tally)?;
        if best.as_ref().is_none_or(|(_, least)| found.1 < *least) {
            best = Some(found);
        }
    }
    Ok(best.map_or_else(|| core.clone(), |(core, _)| core))
}

/// From a start to where no step is better.
fn descend(start: Core, seen: &[&Modelled<'_>], tally: &Tally<'_>) -> Result<(Core, f64), Error> {
    let least = distance(&start, seen, tally)?;
    let mut best = (start, least);
    for step in STEPS {
        while let Some(better) = round(&best.0, best.1, step, seen, tally)? {
            best = better;
        }
    }
    Ok(best)
}

/// Tries a step of each constant, one after the other; `None` if none was better.
fn round(
    from: &Core,
    mut least: f64,
    step: f64,
    seen: &[&Modelled<'_>],
    tally: &Tally<'_>,
) -> Result<Option<(Core, f64)>, Error> {
    let mut best: Option<Core> = None;
    for field in FIELDS.iter().filter(|field| field.name != "word_cycles") {
        for factor in [1.0 + step, 1.0 - step] {
            let core = best.as_ref().unwrap_or(from);
            let Some(tried) = stepped(core, field, factor) else {
                continue;
            };
            let found = distance(&tried, seen, tally)?;
            if found < least {
                least = found;
                best = Some(tried);
                break;
            }
        }
    }
    Ok(best.map(|core| (core, least)))
}

/// One constant by one step, at least by one; `None` where its range ends.
fn stepped(core: &Core, field: &Field, factor: f64) -> Option<Core> {
    let old = (field.get)(core);
    let scaled = (f64::from(old) * factor).round() as u32;
    let value = match (scaled == old, factor > 1.0) {
        (false, _) => scaled,
        (true, true) => old + 1,
        (true, false) => old.checked_sub(1)?,
    };
    let value = value.clamp(field.least, field.most);
    let mut tried = core.clone();
    (field.set)(&mut tried, value);
    tried.receive_ahead_cycles = tried.receive_ahead_cycles.min(tried.receive_cycles);
    (tried != *core).then_some(tried)
}

/// Mean of the logarithms' sizes of modelled over executed cycles, and a part of the largest.
fn distance(core: &Core, seen: &[&Modelled<'_>], tally: &Tally<'_>) -> Result<f64, Error> {
    let apart: Vec<f64> = seen
        .par_iter()
        .map(|case| {
            let modelled = case.cycles(core, tally)?.max(1) as f64;
            Ok((modelled / case.executed.cycles.max(1) as f64).ln().abs())
        })
        .collect::<Result<_, Error>>()?;
    let largest = apart.iter().copied().fold(0.0, f64::max);
    Ok(apart.iter().sum::<f64>() / apart.len().max(1) as f64 + LARGEST * largest)
}

// Collectives of the library, and the algorithms that do the same on modelled cores.

/// A collective of the library, measured on executed cores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutedCase {
    /// Columns and rows of the rectangle of ranks.
    pub mesh: (u32, u32),
    /// Name of the function, without `nm_`.
    pub function: String,
    /// Payload or block.
    pub bytes: u64,
    /// From when all ranks begin to when the last one ends.
    pub cycles: u64,
    /// Are constants fitted to it?
    pub is_fitted: bool,
}

/// Functions of the library, with the algorithm of each: the same messages in the same order.
const SAME: [(&str, CollectiveKind, &str); 6] = [
    ("barrier", CollectiveKind::Barrier, "tree:neighbour"),
    ("broadcast", CollectiveKind::Multicast, "in_network_static"),
    ("reduce", CollectiveKind::Reduce, "row_column:1:direct"),
    (
        "all_reduce",
        CollectiveKind::AllReduce,
        "row_column:1:direct",
    ),
    ("all_to_all", CollectiveKind::AllToAll, "torus:lag=1"),
    (
        "all_to_all_rounds",
        CollectiveKind::AllToAll,
        "rounds:split",
    ),
];

/// The same on modelled cores.
struct Modelled<'e> {
    pub executed: &'e ExecutedCase,
    algorithm: &'static str,
    spec: Spec,
    schedule: Schedule,
}

impl<'e> Modelled<'e> {
    pub fn new(spec: &Spec, executed: &'e ExecutedCase) -> Result<Self, Error> {
        let found = SAME.iter().find(|(name, ..)| *name == executed.function);
        let Some((_, kind, algorithm)) = found else {
            let names: Vec<&str> = SAME.iter().map(|(name, ..)| *name).collect();
            let accepted = format!("accepted: {}", names.join(", "));
            return Err(Error::argument("function", &executed.function, accepted));
        };
        let mut spec = spec.clone();
        (spec.mesh.width, spec.mesh.height) = executed.mesh;
        let network = elaborate(&spec)?;
        let group = parse_group(&network, "all")?;
        let request = CompareRequest::new(*kind, group, vec![executed.bytes]);
        let mut collective = collective_of(&network, &request, executed.bytes)?;
        if *kind == CollectiveKind::Multicast {
            // In place, as the function: else the root copies its own part.
            collective.output_offset = collective.input_offset;
        }
        let choice: Choice = algorithm.parse()?;
        let schedule = noccl_coll::schedule(&network, &collective, choice)?;
        noccl_workload::check(&network, &schedule)?;
        Ok(Self {
            executed,
            algorithm,
            spec,
            schedule,
        })
    }

    /// Cycles with these costs.
    pub fn cycles(&self, core: &Core, tally: &Tally<'_>) -> Result<u64, Error> {
        let mut spec = self.spec.clone();
        if let Some(tiles) = spec.cores_mut() {
            tiles.core = core.clone();
        }
        let network: Network = elaborate(&spec)?;
        let config = RunConfig::new(Mode::Timing);
        let result =
            tally.run(|watch| run_schedule(&network, &self.schedule, &[], &[], &config, watch))?;
        Ok(runtime_cycles(Some(&self.schedule), &result.actions))
    }

    pub fn row(&self, core: &Core, tally: &Tally<'_>) -> Result<CoreCostRow, Error> {
        let modelled_cycles = self.cycles(core, tally)?;
        let executed_cycles = self.executed.cycles;
        Ok(CoreCostRow {
            mesh: format!("{}x{}", self.executed.mesh.0, self.executed.mesh.1),
            function: self.executed.function.clone(),
            algorithm: self.algorithm.to_owned(),
            bytes: self.executed.bytes,
            executed_cycles,
            modelled_cycles,
            deviation: modelled_cycles as f64 / executed_cycles.max(1) as f64 - 1.0,
            is_fitted: self.executed.is_fitted,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_runs_have_no_deviation() {
        assert_eq!(spread(Vec::new()), None);
        let found = spread(vec![0.03, 0.01, 0.02]).unwrap();
        assert_eq!((found.runs, found.median, found.max), (3, 0.02, 0.03));
    }
}
