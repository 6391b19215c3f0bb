// SPDX-License-Identifier: Apache-2.0
//! What is reported for one mesh and one way to communicate.

use super::{Collectives, GemmKernel, GemmRequest};
use noccl_coll::gemm::Summa;
use noccl_net::Network;
use noccl_run::{Counters, RunResult, energy_pj};
use noccl_workload::ElementType;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One matrix product, measured in its steady state. Cycles are per iteration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GemmRow {
    /// How the product is distributed.
    pub kernel: GemmKernel,
    /// Clusters, `WxH`.
    pub mesh: String,
    /// Submatrices, `ROWSxCOLUMNSxINNER`.
    pub submatrix: String,
    /// Element of A and B.
    pub element: ElementType,
    /// Who communicates.
    pub collectives: Collectives,
    /// Algorithm that spreads the submatrices.
    pub spread: String,
    /// What orders the use of buffers.
    pub sync: String,
    /// Slots per input in every cluster.
    pub prefetch: u32,
    /// Steady-state iterations that were timed.
    pub iterations: u32,
    /// From the end of one iteration's kernels to the end of the next one's.
    pub iteration_cycles: f64,
    /// One kernel.
    pub compute_cycles: u64,
    /// From the start of the first transfer of an iteration to the end of its last one.
    pub communication_cycles: f64,
    /// Barrier after the last of transfers and kernels; 0 with flags.
    pub sync_cycles: f64,
    /// Compute cycles ÷ iteration cycles.
    pub compute_share: f64,
    /// Share of the FPUs' peak: the kernel's utilisation × compute share.
    pub utilisation: f64,
    /// An iteration takes no longer than its kernel and the barrier behind it (S1 eq. (7)).
    pub is_compute_bound: bool,
    /// Iteration cycles of software on the same mesh ÷ those of this row, if both were asked for.
    pub speedup: Option<f64>,
    /// Cycles of the whole run.
    pub run_cycles: u64,
    /// Events of the whole run.
    pub counters: Counters,
    /// Energy of these events.
    pub energy_pj: f64,
    /// Value mode: is every element of C, bit by bit, what the kernels yield in their order?
    pub verified: Option<bool>,
}

impl GemmRow {
    pub(super) fn new(
        network: &Network,
        request: &GemmRequest,
        collectives: Collectives,
        problem: &Summa,
    ) -> Self {
        let shape = problem.shape;
        Self {
            kernel: request.kernel,
            mesh: format!("{}x{}", network.cluster_width(), network.cluster_height()),
            submatrix: format!("{}x{}x{}", shape.rows, shape.columns, shape.inner),
            element: shape.element,
            collectives,
            spread: problem.spread.to_string(),
            sync: problem.sync.name().to_owned(),
            prefetch: problem.prefetch,
            iterations: 0,
            iteration_cycles: 0.0,
            compute_cycles: problem.compute_cycles,
            communication_cycles: 0.0,
            sync_cycles: 0.0,
            compute_share: 0.0,
            utilisation: request.utilisation,
            is_compute_bound: false,
            speedup: None,
            run_cycles: 0,
            counters: Counters::default(),
            energy_pj: 0.0,
            verified: None,
        }
    }

    /// What follows from the measured cycles and the run as a whole.
    pub(super) fn finish(&mut self, network: &Network, result: &RunResult) {
        let compute = self.compute_cycles as f64;
        self.compute_share = compute / self.iteration_cycles;
        self.utilisation *= self.compute_share;
        // Half a cycle: all measures are means over iterations.
        self.is_compute_bound = self.iteration_cycles <= compute + self.sync_cycles + 0.5;
        self.run_cycles = result.cycles;
        self.counters = result.counters;
        self.energy_pj = energy_pj(&result.counters, &network.spec().energy);
    }
}

/// Speedups over the software row, among rows of one mesh.
pub(super) fn add_speedups(rows: &mut [GemmRow]) {
    let software = rows.iter().find(|r| r.collectives == Collectives::Software);
    let Some(base) = software.map(|r| r.iteration_cycles) else {
        return;
    };
    if rows.len() > 1 {
        for row in rows {
            row.speedup = Some(base / row.iteration_cycles);
        }
    }
}
