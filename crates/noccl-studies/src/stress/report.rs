// SPDX-License-Identifier: Apache-2.0
//! What many seeds came to.

use super::{MIN_STRESS_TRANSACTIONS, StressKind, StressRequest};
use crate::Error;
use noccl_net::{Network, elaborate};
use noccl_run::{Diagnosis, Rng};
use noccl_spec::{Spec, parse_spec, to_toml};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One seed that did not end well.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StressFailure {
    /// Seed.
    pub seed: u64,
    /// Command line that reproduces it alone.
    pub reproducer: String,
    /// Transactions that delivered wrong bytes; 0 if the run stalled.
    pub wrong_transactions: u64,
    /// Why it stalled.
    pub diagnosis: Option<Diagnosis>,
    /// What was wrong in a program of ranks: the first [`MAX_FAULTS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
}

/// Most faults of a failure that are told.
const MAX_FAULTS: usize = 8;

/// Runs that took at least `from_cycles` and less than twice as many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HistogramBin {
    /// Shortest runtime of the bin.
    pub from_cycles: u64,
    /// Shortest runtime of the next bin.
    pub to_cycles: u64,
    /// Completed runs.
    pub runs: u64,
}

/// Outcome of a stress run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StressReport {
    /// Name of the network.
    pub network: String,
    /// Seeds run.
    pub runs: u64,
    /// Runs in which every transaction completed.
    pub completed: u64,
    /// Runs that could not finish.
    #[serde(alias = "hung")]
    pub stalled: u64,
    /// Completed runs with a wrong byte somewhere.
    pub wrong: u64,
    /// Transactions in all runs.
    pub transactions: u64,
    /// Cycles of all completed runs together.
    pub simulated_cycles: u64,
    /// Runtimes of the completed runs.
    pub histogram: Vec<HistogramBin>,
    /// Seeds that stalled or were wrong, smallest first.
    pub failures: Vec<StressFailure>,
}

pub(super) struct StressOutcome {
    pub seed: u64,
    pub transactions: u64,
    /// What the seed's spec has in place of the request's.
    pub overrides: Overrides,
    pub outcome: Ended,
}

/// How a run ended: with so many cycles and wrong transactions, or with a diagnosis. The rest of its result is
/// dropped: many thousand outcomes are held together.
pub(super) type Ended = Result<Completed, Box<Diagnosis>>;

#[derive(Clone, Default)]
pub(super) struct Completed {
    pub cycles: u64,
    pub wrong_transactions: u64,
    /// What was wrong in a program, in words; each counts as a transaction.
    pub faults: Vec<String>,
}

pub(super) fn summarise(
    network: &Network,
    request: &StressRequest,
    outcomes: &[StressOutcome],
) -> StressReport {
    let mut report = StressReport {
        network: network.spec().label(),
        runs: outcomes.len() as u64,
        completed: 0,
        stalled: 0,
        wrong: 0,
        transactions: outcomes.iter().map(|o| o.transactions).sum(),
        simulated_cycles: 0,
        histogram: Vec::new(),
        failures: Vec::new(),
    };
    let mut cycles = Vec::new();
    for StressOutcome {
        seed,
        overrides,
        outcome,
        ..
    } in outcomes
    {
        let (wrong_transactions, diagnosis, faults) = match outcome {
            Ok(result) => {
                report.completed += 1;
                cycles.push(result.cycles);
                let wrong = result.wrong_transactions + result.faults.len() as u64;
                (wrong, None, &result.faults[..])
            }
            Err(diagnosis) => {
                report.stalled += 1;
                (0, Some((**diagnosis).clone()), &[][..])
            }
        };
        report.wrong += u64::from(wrong_transactions > 0);
        if wrong_transactions > 0 || diagnosis.is_some() {
            report.failures.push(StressFailure {
                seed: *seed,
                reproducer: reproducer(request, *seed, overrides),
                wrong_transactions,
                diagnosis,
                faults: faults.iter().take(MAX_FAULTS).cloned().collect(),
            });
        }
    }
    report.simulated_cycles = cycles.iter().sum();
    report.histogram = histogram(&cycles);
    report
}

/// The network as an override for each field, so that whoever looks for the cause can leave some out.
fn reproducer(request: &StressRequest, seed: u64, overrides: &Overrides) -> String {
    let names: Vec<&str> = request.kinds.iter().map(|kind| kind.name()).collect();
    let kinds = if request.kinds == StressKind::ALL {
        String::new()
    } else {
        format!(" --only {}", names.join(","))
    };
    let transactions = if request.transactions == MIN_STRESS_TRANSACTIONS {
        String::new()
    } else {
        format!(" --transactions {}", request.transactions)
    };
    let fields: String = { overrides.iter() }
        .map(|(field, value)| format!(" -P '{field}={value}'"))
        .collect();
    format!(
        "noccl stress --spec {}{fields}{kinds}{transactions} --first-seed {seed} --seeds 1",
        request.spec_arguments
    )
}

/// Bins that double: 64, 128, 256, …
fn histogram(cycles: &[u64]) -> Vec<HistogramBin> {
    let bin = |c: u64| c.max(1).ilog2();
    let Some((low, high)) = cycles
        .iter()
        .map(|c| bin(*c))
        .min()
        .zip(cycles.iter().map(|c| bin(*c)).max())
    else {
        return Vec::new();
    };
    (low..=high)
        .map(|b| HistogramBin {
            from_cycles: 1 << b,
            to_cycles: 1 << (b + 1),
            runs: cycles.iter().filter(|c| bin(**c) == b).count() as u64,
        })
        .collect()
}

// A network of each seed: a mesh no larger than the request's, and any variant of its routers.

/// Draws after which a seed keeps the network of its request: values that exclude each other are drawn again.
const MAX_DRAWS: u32 = 1000;

/// Fields with their values, as overrides of a spec.
pub(super) type Overrides = Vec<(String, String)>;

/// Have these routers variants?
pub(super) fn refuse(network: &Network) -> Result<(), Error> {
    if !network.spec().variants().is_empty() {
        return Ok(());
    }
    let found = format!("router.flow = \"{}\"", network.spec().flow_name());
    let accepted = "accepted: routers that have variants, as in the preset smart_8x8";
    Err(Error::argument("--variants", found, accepted))
}

/// The network of a seed, and what its spec has in place of the request's, but for the fields that are kept.
pub(super) fn draw(network: &Network, seed: u64, kept: &[&str]) -> (Network, Overrides) {
    let spec = network.spec();
    let text = to_toml(spec);
    let mut rng = Rng::new(seed, "stress variant");
    for _ in 0..MAX_DRAWS {
        let mut overrides = fields(spec, &mut rng);
        overrides.retain(|(field, _)| !kept.contains(&field.as_str()));
        let drawn = parse_spec(&spec.name, &text, &overrides);
        if let Some(drawn) = drawn.ok().and_then(|spec| elaborate(&spec).ok())
            && drawn.num_tiles() > 1
        {
            return (drawn, overrides);
        }
    }
    (network.clone(), Overrides::new())
}

fn fields(spec: &Spec, rng: &mut Rng) -> Overrides {
    let mut overrides = sides(spec, rng);
    for (field, values) in spec.variants() {
        overrides.push(((*field).to_owned(), (*rng.pick(values)).to_owned()));
    }
    overrides
}

/// Sides of a mesh of one region, or of none: of cores.
fn sides(spec: &Spec, rng: &mut Rng) -> Overrides {
    let mut sides = Overrides::new();
    if spec.mesh.regions.len() <= 1 {
        let tables: &[&str] = match spec.mesh.regions.first() {
            Some(_) => &["mesh", "mesh.regions.0"],
            None => &["mesh"],
        };
        for (name, most) in [("width", spec.mesh.width), ("height", spec.mesh.height)] {
            let side = 1 + rng.below(u64::from(most));
            for table in tables {
                sides.push((format!("{table}.{name}"), side.to_string()));
            }
        }
    }
    sides
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load;
    use std::collections::BTreeSet;

    #[test]
    fn every_value_occurs_on_meshes_of_every_side_and_overrides_make_the_network_again() {
        let network = load("smart_8x8", &[]).unwrap().network;
        let mut seen = BTreeSet::new();
        for seed in 0..200 {
            let (drawn, overrides) = draw(&network, seed, &[]);
            let made = load("smart_8x8", &overrides).unwrap().network;
            assert_eq!(to_toml(drawn.spec()), to_toml(made.spec()));
            seen.extend(overrides);
        }
        let values = network.spec().variants().iter();
        for (field, values) in values {
            for value in *values {
                assert!(
                    seen.contains(&((*field).to_owned(), (*value).to_owned())),
                    "{field} = {value}"
                );
            }
        }
        for side in 1..=8 {
            assert!(
                seen.contains(&("mesh.width".to_owned(), side.to_string())),
                "{side}"
            );
        }
    }
}
