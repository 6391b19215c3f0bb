// SPDX-License-Identifier: Apache-2.0
//! Timed runs of library schedules, as all measurements need them.

use crate::compare::{collective_of, runtime_cycles};
use crate::{CompareRequest, Error, load, parse_group};
use noccl_coll::{Algorithm, Choice};
use noccl_net::Network;
use noccl_run::{Mode, RunConfig, RunResult, Tally};
use noccl_sim::run_schedule;
use noccl_workload::{Collective, CollectiveKind, ElementType, Schedule};
use rayon::prelude::*;

/// Runs schedules in timing mode: same cycles as value mode, no bytes.
#[derive(Clone, Copy)]
pub struct Runner<'a> {
    /// Counts the runs, and says when they shall end.
    pub tally: &'a Tally<'a>,
}

impl Runner<'_> {
    /// Runs a schedule.
    ///
    /// # Errors
    /// Those of the run.
    pub fn run(self, network: &Network, schedule: &Schedule) -> Result<RunResult, Error> {
        let config = RunConfig::new(Mode::Timing);
        Ok(self
            .tally
            .run(|on_progress| run_schedule(network, schedule, &[], &[], &config, on_progress))?)
    }

    /// Runtime as S1 defines it.
    ///
    /// # Errors
    /// Those of the run.
    pub fn cycles(self, network: &Network, schedule: &Schedule) -> Result<u64, Error> {
        let result = self.run(network, schedule)?;
        Ok(runtime_cycles(Some(schedule), &result.actions))
    }

    /// Runtime of a collective by one choice.
    ///
    /// # Errors
    /// Those of the schedule and of its run.
    pub fn collective_cycles(
        self,
        network: &Network,
        collective: &Collective,
        choice: Choice,
    ) -> Result<u64, Error> {
        self.cycles(network, &noccl_coll::schedule(network, collective, choice)?)
    }

    /// Runtime in the network.
    ///
    /// # Errors
    /// Those of the schedule and of its run.
    pub fn in_network_cycles(
        self,
        network: &Network,
        collective: &Collective,
    ) -> Result<u64, Error> {
        self.collective_cycles(network, collective, Choice::new(Algorithm::InNetwork, 1))
    }

    /// The fastest of several choices, the first of equals.
    ///
    /// # Errors
    /// Those of the schedules and of their runs; [`Error::Argument`] if there is no choice.
    pub fn fastest(
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
///
/// # Errors
/// Those of [`load`].
pub fn network(preset: &str, overrides: &[(&str, &str)]) -> Result<Network, Error> {
    let overrides: Vec<(String, String)> = overrides
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    Ok(load(preset, &overrides)?.network)
}

/// A collective over a group with the paper's root.
///
/// # Errors
/// Those of [`parse_group`] and of the collective.
pub fn collective(
    network: &Network,
    kind: CollectiveKind,
    group: &str,
    bytes: u64,
) -> Result<Collective, Error> {
    typed(network, kind, group, bytes, ElementType::Fp64)
}

/// The same with another element type.
///
/// # Errors
/// As [`collective`].
pub fn typed(
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
