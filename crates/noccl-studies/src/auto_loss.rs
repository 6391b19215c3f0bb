// SPDX-License-Identifier: Apache-2.0
//! How far `auto` is behind the best choice of the library, and the model behind the simulator, case by case.
//!
//! A rule that picks one of many has to be held against all of them: every choice of every case is simulated, and predicted where the model knows the network.

use crate::compare::{Estimator, auto_choice_of, collective_of, is_refusal, runtime_cycles};
use crate::{CompareRequest, Error, group_name, parse_group};
use noccl_coll::{Choice, choices};
use noccl_model::{Calibration, predict};
use noccl_net::Network;
use noccl_run::{Mode, RunConfig, Tally, Watch};
use noccl_sim::run_schedule;
use noccl_workload::{Collective, CollectiveKind, ElementType, Schedule, check};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Cases: every collective at every size.
#[derive(Debug, Clone, PartialEq)]
pub struct AutoRequest {
    /// Collectives; a barrier is one case, as it has no payload.
    pub collectives: Vec<CollectiveKind>,
    /// Payloads per participant (blocks where there are blocks).
    pub bytes: Vec<u64>,
    /// Group, as [`parse_group`] reads it.
    pub group: String,
}

impl AutoRequest {
    /// The collectives of core tiles over all of them, 8 B to 16 KiB.
    #[must_use]
    pub fn new() -> Self {
        Self {
            collectives: vec![
                CollectiveKind::AllToAll,
                CollectiveKind::Multicast,
                CollectiveKind::Reduce,
                CollectiveKind::AllReduce,
                CollectiveKind::Barrier,
            ],
            bytes: vec![8, 128, 1 << 10, 16 << 10],
            group: "all".to_owned(),
        }
    }
}

impl Default for AutoRequest {
    fn default() -> Self {
        Self::new()
    }
}

/// A choice that was simulated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AutoChoice {
    /// Algorithm with its parameters.
    pub choice: String,
    /// Cycles of its run.
    pub cycles: u64,
    /// Cycles that the model expects; absent where it does not know the network.
    pub model_cycles: Option<u64>,
}

const fn words() -> ElementType {
    ElementType::Int32
}

/// One case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AutoRow {
    /// Name of the network.
    pub network: String,
    /// Fields that were set beside the spec's file, by their dotted paths; `network` names them too.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub overrides: BTreeMap<String, String>,
    /// Which collective.
    pub collective: CollectiveKind,
    /// Payload per participant; of an all-to-all one block.
    pub bytes: u64,
    /// Group, as tables show it.
    #[serde(default)]
    pub group: String,
    /// Element type; rows of older files have words.
    #[serde(default = "words")]
    pub element: ElementType,
    /// Number of participants.
    pub num_participants: u32,
    /// What `auto` takes.
    pub auto: String,
    /// How it was found: by the model, by runs, by a rule; absent where `auto` compares estimates alone.
    pub picked_by: Option<String>,
    /// Cycles of that choice.
    pub cycles: u64,
    /// The fastest choice of the library.
    pub best: String,
    /// Its cycles.
    pub best_cycles: u64,
    /// `cycles / best_cycles − 1`.
    pub loss: f64,
    /// Every choice.
    pub choices: Vec<AutoChoice>,
}

/// Rows of one network; all elements are 32-bit integers, which are words.
///
/// # Errors
/// As [`crate::compare()`].
///
/// ```
/// use noccl_studies::{AutoRequest, Watch};
/// use noccl_workload::CollectiveKind;
/// let network = noccl_studies::load("tilepro64_2x2", &[])?.network;
/// let request = AutoRequest {
///     collectives: vec![CollectiveKind::Barrier],
///     ..AutoRequest::new()
/// };
/// let rows = noccl_studies::auto_losses(&network, &request, Watch::quiet())?;
/// assert!(rows[0].loss <= 0.03);
/// # Ok::<(), noccl_studies::Error>(())
/// ```
pub fn auto_losses(
    network: &Network,
    request: &AutoRequest,
    watch: Watch<'_>,
) -> Result<Vec<AutoRow>, Error> {
    let group = parse_group(network, &request.group)?;
    let cases: Vec<(CollectiveKind, u64)> = request
        .collectives
        .iter()
        .flat_map(|kind| {
            let num = if *kind == CollectiveKind::Barrier {
                1
            } else {
                request.bytes.len()
            };
            request.bytes[..num.min(request.bytes.len())]
                .iter()
                .map(|bytes| (*kind, *bytes))
        })
        .collect();
    let tally = Tally::new(watch, cases.len() as u64);
    let mut rows = Vec::new();
    for (kind, bytes) in cases {
        let mut one = CompareRequest::new(kind, group.clone(), vec![bytes]);
        one.element = ElementType::Int32;
        rows.extend(auto_row(network, &one, bytes, &tally)?);
        tally.finish_unit()?;
    }
    Ok(rows)
}

/// One case: every choice simulated, and what `auto` takes; none if the network refuses them all.
pub(crate) fn auto_row(
    network: &Network,
    request: &CompareRequest,
    bytes: u64,
    tally: &Tally<'_>,
) -> Result<Option<AutoRow>, Error> {
    let collective = collective_of(network, request, bytes)?;
    let case = LossCase {
        network,
        collective: &collective,
        tally,
    };
    let all = choices(network, &collective);
    let choices: Vec<Option<AutoChoice>> = all
        .par_iter()
        .map(|choice| case.measured(*choice))
        .collect::<Result<_, Error>>()?;
    let choices: Vec<AutoChoice> = choices.into_iter().flatten().collect();
    if choices.is_empty() {
        return Ok(None);
    }
    let (auto, picked_by) = auto_choice_of(network, &collective)?;
    let auto = match choices.iter().find(|one| one.choice == auto.to_string()) {
        Some(known) => known.clone(),
        None => case.measured(auto)?.ok_or_else(|| case.refused(auto))?,
    };
    let best = choices
        .iter()
        .min_by_key(|one| one.cycles)
        .unwrap_or(&auto)
        .clone();
    Ok(Some(AutoRow {
        network: network.spec().label(),
        overrides: network.spec().overrides.iter().cloned().collect(),
        collective: collective.kind,
        bytes: collective.bytes,
        group: group_name(network, &collective.group),
        element: collective.element,
        num_participants: network.members(&collective.group)?.len() as u32,
        loss: auto.cycles as f64 / best.cycles.max(1) as f64 - 1.0,
        auto: auto.choice,
        picked_by,
        cycles: auto.cycles,
        best: best.choice,
        best_cycles: best.cycles,
        choices,
    }))
}

/// A collective whose choices are measured.
struct LossCase<'a> {
    network: &'a Network,
    collective: &'a Collective,
    tally: &'a Tally<'a>,
}

impl LossCase<'_> {
    /// Cycles of a choice; none if the network cannot do it.
    fn measured(&self, choice: Choice) -> Result<Option<AutoChoice>, Error> {
        let network = self.network;
        let schedule = noccl_coll::schedule(network, self.collective, choice)?;
        let refused = |error: Error| match is_refusal(network, &error) {
            true => Ok(None),
            false => Err(error),
        };
        if let Err(error) = check(network, &schedule) {
            return refused(error.into());
        }
        let config = RunConfig::new(Mode::Timing);
        let run = self
            .tally
            .run(|on_progress| run_schedule(network, &schedule, &[], &[], &config, on_progress));
        let result = match run {
            Ok(result) => result,
            Err(error) => return refused(error.into()),
        };
        Ok(Some(AutoChoice {
            choice: choice.to_string(),
            cycles: runtime_cycles(Some(&schedule), &result.actions),
            model_cycles: self.expected(choice, &schedule),
        }))
    }

    /// What `auto` expects of it before anything runs.
    fn expected(&self, choice: Choice, schedule: &Schedule) -> Option<u64> {
        let cycles = match self.network.as_axi() {
            None => {
                let calibration = Calibration::shipped().ok()?;
                predict(self.network, schedule, &calibration).ok()?.cycles
            }
            Some(network) => {
                let estimator = Estimator::new(network, self.collective).ok()?;
                estimator.of(choice).ok()??.cycles
            }
        };
        Some(cycles.round() as u64)
    }

    fn refused(&self, choice: Choice) -> Error {
        let accepted = format!(
            "auto took it for {}, which refuses it; accepted: what a run accepts",
            self.network.spec().label()
        );
        Error::argument("choice", choice, accepted)
    }
}
