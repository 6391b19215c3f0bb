// SPDX-License-Identifier: Apache-2.0
//! Why a run takes as long as it does: the parts of its cycles, the busiest resources, and what more of something would change.
//!
//! The simulator of AXI clusters says for each cycle of the critical path what it is for. Networks that are simulated without AXI
//! interfaces are explained action by action ([`by_action`]). What would change is found by runs, never by a formula ([`relaxed`]).

mod by_action;
mod relaxed;
mod report;

pub use relaxed::RelaxedRow;
pub use report::{BlockedRow, CauseRow, ExplainMethod, Explanation, PartRow, PathRow, ResourceRow};

use crate::Error;
use crate::compare::{AlgorithmRequest, CompareRequest};
use crate::compare::{best_of, collective_of, runtime_cycles};
use noccl_coll::Choice;
use noccl_net::Network;
use noccl_net::counts::max_or_zero;
use noccl_run::{Breakdown, Mode, RunConfig, RunResult, Tally, Watch};
use noccl_sim::{explain_schedule, explains_every_cycle};
use noccl_workload::{Collective, Schedule};

/// What is explained.
#[derive(Debug, Clone, PartialEq)]
pub enum ExplainSubject {
    /// A collective at the request's first size by one algorithm, of which the fastest parameters are searched.
    Collective(Box<CompareRequest>, AlgorithmRequest),
    /// A schedule.
    Schedule(Box<Schedule>),
}

/// What to explain, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainRequest {
    /// What.
    pub subject: ExplainSubject,
    /// Run it again with more of what it waits for?
    pub has_relaxed: bool,
    /// Core tiles: no message of a round begins before all earlier rounds have come.
    pub is_lock_step: bool,
}

/// A subject on one network.
struct ExplainCase {
    schedule: Schedule,
    made: Option<(Collective, Choice)>,
    config: RunConfig,
}

/// Explains the cycles of a run.
///
/// # Errors
/// [`Error`] for impossible sizes, groups or algorithms, for a schedule that the checker refuses, for a run that stalls.
pub fn explain(
    network: &Network,
    request: &ExplainRequest,
    watch: Watch<'_>,
) -> Result<Explanation, Error> {
    let tally = Tally::new(watch, 1);
    let case = ExplainCase::new(network, request, &tally)?;
    let (result, breakdown, method) = case.explained(network, &tally)?;
    tally.finish_unit()?;
    let mut report = report::of(network, &case, &result, &breakdown, method)?;
    if request.has_relaxed {
        report.relaxed = relaxed::runs(network, &case, &breakdown, &tally)?;
    }
    Ok(report)
}

impl ExplainCase {
    fn new(network: &Network, request: &ExplainRequest, tally: &Tally<'_>) -> Result<Self, Error> {
        let config = RunConfig {
            is_lock_step: request.is_lock_step,
            ..RunConfig::new(Mode::Timing)
        };
        let (schedule, made) = match &request.subject {
            ExplainSubject::Schedule(schedule) => ((**schedule).clone(), None),
            ExplainSubject::Collective(request, algorithm) => {
                // 0: a barrier has no size.
                let bytes = request.bytes.first().copied().unwrap_or(0);
                let collective = collective_of(network, request, bytes)?;
                let (choice, schedule) = best_of(network, &collective, *algorithm, tally)?;
                (schedule, Some((collective, choice)))
            }
        };
        noccl_workload::check(network, &schedule)?;
        Ok(Self {
            schedule,
            made,
            config,
        })
    }

    fn explained(
        &self,
        network: &Network,
        tally: &Tally<'_>,
    ) -> Result<(RunResult, Breakdown, ExplainMethod), Error> {
        let schedule = &self.schedule;
        if !explains_every_cycle(network) {
            let (result, breakdown) = by_action::explain(network, schedule, &self.config, tally)?;
            return Ok((result, breakdown, ExplainMethod::ByAction));
        }
        let from = |result: &RunResult| first_cycle(schedule, result);
        let (result, breakdown) = tally.run(|on_progress| {
            explain_schedule(network, schedule, &self.config, from, on_progress)
        })?;
        Ok((result, breakdown, ExplainMethod::EveryCycle))
    }
}

/// The cycle from which a run is timed.
fn first_cycle(schedule: &Schedule, result: &RunResult) -> u64 {
    let last = max_or_zero(result.actions.iter().map(|action| action.finish_cycle));
    last - runtime_cycles(Some(schedule), &result.actions)
}
