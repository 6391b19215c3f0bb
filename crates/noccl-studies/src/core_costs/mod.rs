// SPDX-License-Identifier: Apache-2.0
//! Costs of modelled cores from runs of the message library on executed ones (`noccl calibrate` on core tiles).
//!
//! The library's collectives are measured on cores that execute them; the same collectives on modelled cores, with constants for a message,
//! a unit and a word, should take as long. Constants are fitted to some of the runs; how well they do is said of all others
//! apart.

mod cases;
mod constants;

pub use cases::ExecutedCase;

use crate::Error;
use cases::Modelled;
use constants::{FIELDS, fit};
use noccl_net::elaborate;
use noccl_run::{Tally, Watch};
use noccl_spec::Spec;
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
