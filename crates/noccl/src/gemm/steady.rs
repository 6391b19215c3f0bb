// SPDX-License-Identifier: Apache-2.0
//! Which iterations of a run are its steady state, and what they took.
//!
//! Before the window the slots fill; after it no further loads compete with the last kernels. Both
//! are as long as there are slots. With a barrier per several iterations the window holds whole groups.

use super::{GemmRequest, GemmRow};
use noccl_coll::gemm::{Spread, SummaPlan, Sync};
use noccl_run::RunResult;
use noccl_workload::ActionId;

/// The timed iterations of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    /// Iterations per group.
    group: u32,
    /// First iteration that is over when the clock starts.
    first: u32,
    /// Timed iterations.
    length: u32,
}

impl Window {
    pub(super) fn new(request: &GemmRequest, spread: Spread) -> Self {
        let group = match request.sync_with(spread) {
            Sync::Barriers => (request.prefetch / 2).max(1),
            Sync::Flags => 1,
        };
        Self {
            group,
            first: request.prefetch.next_multiple_of(group),
            length: request.iterations.max(1).next_multiple_of(group),
        }
    }

    /// Iterations of the whole run.
    pub(super) const fn iterations(self) -> u32 {
        2 * self.first + self.length
    }

    /// Fills in the measured means.
    pub(super) fn measure(self, plan: &SummaPlan, result: &RunResult, row: &mut GemmRow) {
        let finish = |id: &ActionId| result.actions[id.0 as usize].finish_cycle;
        let start = |id: &ActionId| result.actions[id.0 as usize].start_cycle;
        let kernel = |t: u32| plan.kernels.get(t as usize).map_or(0, &finish);
        let latest = |ids: &[ActionId]| ids.iter().map(finish).max().unwrap_or(0);
        // A group's last kernel ends a period.
        let from = self.first + self.group - 1;
        let cycles = kernel(from + self.length) - kernel(from);
        let groups = (self.first / self.group + 1)..=((self.first + self.length) / self.group);
        let (mut communication, mut sync) = (0, 0);
        for g in groups {
            let (first, last) = &plan.loads[g as usize];
            let begin = first.iter().map(start).min().unwrap_or(0);
            communication += latest(last) - begin;
            if let Some(barrier) = plan.barriers.get(g as usize) {
                let read = (g * self.group).checked_sub(1 + plan.spare_iterations);
                let ready = latest(last).max(read.map_or(0, kernel));
                sync += finish(barrier) - ready;
            }
        }
        let length = f64::from(self.length);
        row.iterations = self.length;
        row.iteration_cycles = cycles as f64 / length;
        row.communication_cycles = communication as f64 / length;
        row.sync_cycles = sync as f64 / length;
    }
}
