// SPDX-License-Identifier: Apache-2.0
//! Timed runs of library schedules, as all measurements need them.

use crate::compare::{collective_of, runtime_cycles};
use crate::{CompareRequest, Error, load, parse_group};
use noccl_coll::{Algorithm, Choice};
use noccl_net::{Network, TileRef};
use noccl_run::{Mode, RunConfig, RunResult, Tally};
use noccl_sim::run_schedule;
use noccl_workload::{
    Action, ActionId, ActionKind, Barrier, BarrierMechanism, Collective, CollectiveKind, Compute,
    ElementType, SCHEDULE_FORMAT, Schedule,
};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Runs schedules in timing mode: same cycles as value mode, no bytes.
#[derive(Clone, Copy)]
pub(crate) struct Runner<'a> {
    pub(crate) tally: &'a Tally<'a>,
}

impl Runner<'_> {
    pub(crate) fn run(self, network: &Network, schedule: &Schedule) -> Result<RunResult, Error> {
        let config = RunConfig::new(Mode::Timing);
        Ok(self
            .tally
            .run(|on_progress| run_schedule(network, schedule, &[], &[], &config, on_progress))?)
    }

    /// Runtime as S1 defines it.
    pub(crate) fn cycles(self, network: &Network, schedule: &Schedule) -> Result<u64, Error> {
        let result = self.run(network, schedule)?;
        Ok(runtime_cycles(Some(schedule), &result.actions))
    }

    /// Runtime of a collective by one choice.
    pub(crate) fn collective_cycles(
        self,
        network: &Network,
        collective: &Collective,
        choice: Choice,
    ) -> Result<u64, Error> {
        self.cycles(network, &noccl_coll::schedule(network, collective, choice)?)
    }

    /// Runtime in the network.
    pub(crate) fn in_network_cycles(
        self,
        network: &Network,
        collective: &Collective,
    ) -> Result<u64, Error> {
        self.collective_cycles(network, collective, Choice::new(Algorithm::InNetwork, 1))
    }

    /// The fastest of several choices, the first of equals.
    pub(crate) fn fastest(
        self,
        network: &Network,
        collective: &Collective,
        choices: &[Choice],
    ) -> Result<(u64, Choice), Error> {
        let timed: Vec<Result<(u64, Choice), Error>> = choices
            .par_iter()
            .map(|choice| {
                Ok((
                    self.collective_cycles(network, collective, *choice)?,
                    *choice,
                ))
            })
            .collect();
        let mut best: Option<(u64, Choice)> = None;
        for outcome in timed {
            let one = outcome?;
            if best.is_none_or(|b| one.0 < b.0) {
                best = Some(one);
            }
        }
        best.ok_or_else(|| Error::argument("choices", "", "accepted: at least one"))
    }
}

/// A network by name with overrides `(path, value)`.
pub(crate) fn network(preset: &str, overrides: &[(&str, &str)]) -> Result<Network, Error> {
    let overrides: Vec<(String, String)> = overrides
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    Ok(load(preset, &overrides)?.network)
}

/// A collective over a group with the paper's root.
pub(crate) fn collective(
    network: &Network,
    kind: CollectiveKind,
    group: &str,
    bytes: u64,
) -> Result<Collective, Error> {
    typed(network, kind, group, bytes, ElementType::Fp64)
}

/// The same with another element type.
pub(crate) fn typed(
    network: &Network,
    kind: CollectiveKind,
    group: &str,
    bytes: u64,
    element: ElementType,
) -> Result<Collective, Error> {
    let mut request = CompareRequest::new(kind, parse_group(network, group)?, vec![bytes]);
    request.element = element;
    collective_of(network, &request, bytes)
}

/// A schedule of a chain of actions, each after the one before.
pub(crate) fn in_sequence(kinds: Vec<ActionKind>) -> Schedule {
    let actions = kinds.into_iter().enumerate().map(|(index, kind)| Action {
        kind,
        after: index
            .checked_sub(1)
            .map(|i| ActionId(i as u32))
            .into_iter()
            .collect(),
    });
    program(actions.collect())
}

/// A schedule of these actions, which is no collective.
pub(crate) fn program(actions: Vec<Action>) -> Schedule {
    Schedule {
        format: SCHEDULE_FORMAT,
        first: None,
        claims_rounds: false,
        algorithm: "sequence".to_owned(),
        parameters: BTreeMap::new(),
        collective: None,
        actions,
    }
}

/// A barrier of a collective's group at its root.
pub(crate) fn barrier(of: &Collective, mechanism: BarrierMechanism) -> ActionKind {
    ActionKind::Barrier(Barrier {
        group: of.group.clone(),
        counter: of.root,
        mechanism,
    })
}

/// Adds an action of no cycles whose start is when the tile has left the action `after`.
pub(crate) fn mark(schedule: &mut Schedule, tile: TileRef, after: u32) -> usize {
    schedule.actions.push(Action {
        kind: ActionKind::Compute(Compute { tile, cycles: 0 }),
        after: vec![ActionId(after)],
    });
    schedule.actions.len() - 1
}
