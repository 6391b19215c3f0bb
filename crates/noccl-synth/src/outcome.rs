// SPDX-License-Identifier: Apache-2.0
//! What a search is told and what it leaves: settings, ratings, candidates.

use crate::encoding::Encoding;
use noccl_workload::Schedule;

/// What is made small.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Objective {
    /// Cycles, then energy.
    #[default]
    Cycles,
    /// Energy, then cycles.
    Energy,
}

/// What an evaluator says of a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rating {
    /// From the first start to the last end.
    pub cycles: u64,
    /// Energy of the counted events, in femtojoules.
    pub energy_fj: u64,
    /// When each action starts; empty if the evaluator does not know.
    pub starts: Vec<u64>,
}

impl Rating {
    pub(crate) const fn key(&self, objective: Objective) -> (u64, u64) {
        match objective {
            Objective::Cycles => (self.cycles, self.energy_fj),
            Objective::Energy => (self.energy_fj, self.cycles),
        }
    }
}

/// Who says how good a schedule is: a model or a simulator.
pub trait Evaluator {
    /// Ratings in the order of the schedules; `None` for one that cannot run.
    fn rate(&mut self, schedules: &[Schedule]) -> Vec<Option<Rating>>;
    /// Is the time over, or does somebody want an end?
    fn is_over(&self) -> bool;
}

/// How to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Of all random choices.
    pub seed: u64,
    /// Most schedules that are rated; `None`: as many as the evaluator has time for.
    pub tries: Option<u64>,
    /// Without multicasts, reductions and barriers of the network?
    pub is_software: bool,
    /// What is made small.
    pub objective: Objective,
}

/// A schedule with its rating.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Algorithm and parameters.
    pub name: String,
    /// The schedule.
    pub schedule: Schedule,
    /// What the evaluator says.
    pub rating: Rating,
    /// Is it one of the library's?
    pub is_library: bool,
    pub(crate) encoding: Encoding,
}

/// What a search leaves.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// The best ones, the best first.
    pub best: Vec<Candidate>,
    /// The library's best.
    pub library: Option<Candidate>,
    /// Schedules rated.
    pub num_tried: u64,
    /// The library's schedules that there was no time for.
    pub num_untried: u64,
}
