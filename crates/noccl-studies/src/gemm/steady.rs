// SPDX-License-Identifier: Apache-2.0
//! Which iterations of a run are its steady state, and what they took.
//!
//! Before the window the slots fill; after it no further loads compete with the last kernels. Both
//! are as long as there are slots. With a barrier per several iterations the window holds whole groups.

use super::case::Timed;
use super::{GemmRequest, GemmRow};
use noccl_coll::gemm::{Spread, SummaPlan, Sync};
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
    pub(super) fn measure(self, plan: &SummaPlan, timed: &Timed, row: &mut GemmRow) {
        let finish = |id: &ActionId| timed.finish(*id);
        let kernel = |t: u32| finish(&plan.kernels[t as usize]);
        let latest = |ids: &[ActionId]| ids.iter().map(finish).fold(0.0, f64::max);
        // A group's last kernel ends a period.
        let from = self.first + self.group - 1;
        let cycles = kernel(from + self.length) - kernel(from);
        let groups = (self.first / self.group + 1)..=((self.first + self.length) / self.group);
        let (mut communication, mut sync) = (0.0, 0.0);
        for g in groups {
            let (first, last) = &plan.loads[g as usize];
            let begins = first.iter().map(|id| timed.start(*id));
            communication += latest(last) - begins.fold(f64::INFINITY, f64::min);
            if let Some(barrier) = plan.barriers.get(g as usize) {
                let read = (g * self.group).checked_sub(1 + plan.spare_iterations);
                // 0: the first iterations load into buffers that no kernel has read before.
                let ready = latest(last).max(read.map_or(0.0, kernel));
                sync += finish(barrier) - ready;
            }
        }
        let length = f64::from(self.length);
        row.iterations = self.length;
        row.iteration_cycles = cycles / length;
        row.communication_cycles = communication / length;
        row.sync_cycles = sync / length;
    }
}
