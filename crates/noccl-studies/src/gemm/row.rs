// SPDX-License-Identifier: Apache-2.0
//! What is reported for one mesh and one kind of communication.

use super::fused::{GemmCase, Timed};
use super::shapes::{Cut, PAPER_SHAPE};
use super::{Backend, Collectives, GemmKernel};
use crate::analytic::fitted_reduce_constants;
use crate::{Error, Verified};
use noccl_coll::gemm::{Spread, SubmatrixShape, Summa};
use noccl_model::published::{Extent, MulticastConstants, ReduceConstants};
use noccl_model::{best_chunks, even_chunks};
use noccl_net::AxiNetwork;
use noccl_run::{Counters, energy_pj};
use noccl_workload::ElementType;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Share of an iteration that its kernel must take for the iteration to be bound by computation.
pub const COMPUTATION_SHARE: f64 = 0.9;

/// What makes an iteration of a matrix product as long as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GemmBound {
    /// The kernel: it takes at least nine tenths of the iteration. Of a fused product: it takes no less than the
    /// reduction.
    Computation,
    /// The barrier: the transfers are hidden (an iteration takes no longer than its kernel and the barrier behind
    /// it, which S1 eq. (7) calls bound by computation), but the kernel takes less than nine tenths of it.
    Synchronisation,
    /// The transfers: an iteration takes longer than its kernel and the barrier behind it. Of a fused product: the
    /// reduction takes longer than the kernel.
    Communication,
}

impl GemmBound {
    /// Name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            GemmBound::Computation => "computation",
            GemmBound::Synchronisation => "synchronisation",
            GemmBound::Communication => "communication",
        }
    }

    /// Are the transfers hidden behind kernel and barrier? This is what S1 asks for (eq. (7)).
    #[must_use]
    pub const fn hides_transfers(self) -> bool {
        match self {
            GemmBound::Computation | GemmBound::Synchronisation => true,
            GemmBound::Communication => false,
        }
    }
}

/// What bounds an iteration of these cycles with a kernel and, behind it, a barrier.
fn bound(iteration_cycles: f64, compute_cycles: f64, sync_cycles: f64) -> GemmBound {
    // Half a cycle: all measures are means over iterations.
    if iteration_cycles > compute_cycles + sync_cycles + 0.5 {
        GemmBound::Communication
    } else if compute_cycles >= COMPUTATION_SHARE * iteration_cycles {
        GemmBound::Computation
    } else {
        GemmBound::Synchronisation
    }
}

/// One matrix product, measured in its steady state. Cycles are per iteration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GemmRow {
    /// How the product is distributed.
    pub kernel: GemmKernel,
    /// The network, with what was set beside its preset.
    pub network: String,
    /// Clusters, `WxH`.
    pub mesh: String,
    /// What yields the cycles.
    pub backend: Backend,
    /// Name of the problem, or of S1's submatrices.
    pub shape: String,
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
    /// From the end of one iteration's kernels to the end of the next one's; of a fused product from the start
    /// of the kernels to the end of the reduction.
    pub iteration_cycles: f64,
    /// One kernel.
    pub compute_cycles: u64,
    /// From the start of the first transfer of an iteration to the end of its last one; of a fused product
    /// from the end of the kernels on.
    pub communication_cycles: f64,
    /// Barrier after the last of transfers and kernels; 0 with flags.
    pub sync_cycles: f64,
    /// Compute cycles ÷ iteration cycles.
    pub compute_share: f64,
    /// Share of the FPUs' peak: the kernel's utilisation × compute share.
    pub utilisation: f64,
    /// What makes an iteration as long as it is.
    pub bound_by: GemmBound,
    /// Iteration cycles of software on the same mesh ÷ those of this row, if both were asked for.
    pub speedup: Option<f64>,
    /// Iteration cycles ÷ those that the simulator takes for the same mesh and kind of communication − 1, if both
    /// were asked for.
    pub sim_error: Option<f64>,
    /// Cycles of the whole problem at this rate: passes × iterations × iteration cycles.
    pub problem_cycles: Option<f64>,
    /// Cycles of the whole run; 0 for the published equations.
    pub run_cycles: u64,
    /// Iterations of the whole run, with those before and after the timed ones.
    pub run_iterations: u32,
    /// Events of the whole run.
    pub counters: Counters,
    /// Energy of these events.
    pub energy_pj: f64,
    /// Energy of one iteration: that of the run over its iterations.
    pub iteration_energy_pj: f64,
    /// Energy of one iteration by S1's method: events of one line of clusters in its counting, times the lines.
    pub line_energy_pj: Option<f64>,
    /// Value mode: is every element of C, bit by bit, what the kernels yield in their order?
    pub verified: Verified,
}

impl GemmRow {
    pub(super) fn new(case: &GemmCase<'_>, problem: &Summa) -> Self {
        Self {
            spread: problem.spread.to_string(),
            sync: problem.sync.name().to_owned(),
            prefetch: problem.prefetch,
            ..Self::of(case, problem.shape, problem.compute_cycles)
        }
    }

    /// A row without cycles.
    pub(super) fn of(case: &GemmCase<'_>, shape: SubmatrixShape, compute_cycles: u64) -> Self {
        let GemmCase {
            network, request, ..
        } = *case;
        Self {
            kernel: request.kernel,
            backend: case.backend,
            shape: request.problem.map_or(PAPER_SHAPE, |p| p.name).to_owned(),
            network: network.spec().label(),
            mesh: format!("{}x{}", network.cluster_width(), network.cluster_height()),
            submatrix: format!("{}x{}x{}", shape.rows, shape.columns, shape.inner),
            element: shape.element,
            collectives: case.collectives,
            spread: String::new(),
            sync: String::new(),
            prefetch: 1,
            iterations: 0,
            iteration_cycles: 0.0,
            compute_cycles,
            communication_cycles: 0.0,
            sync_cycles: 0.0,
            compute_share: 0.0,
            utilisation: request.utilisation(),
            bound_by: GemmBound::Communication,
            speedup: None,
            sim_error: None,
            problem_cycles: None,
            run_cycles: 0,
            run_iterations: 0,
            counters: Counters::default(),
            energy_pj: 0.0,
            iteration_energy_pj: 0.0,
            line_energy_pj: None,
            verified: Verified::NotChecked,
        }
    }

    /// The run as a whole.
    pub(super) fn add_run(&mut self, network: AxiNetwork<'_>, timed: &Timed, iterations: u32) {
        self.run_cycles = timed.cycles;
        self.run_iterations = iterations;
        self.counters = timed.counters;
        self.energy_pj = energy_pj(&timed.counters, &network.axi().energy);
        self.iteration_energy_pj = self.energy_pj / f64::from(iterations.max(1));
    }

    /// What follows from the cycles of an iteration.
    pub(super) fn conclude(&mut self, cut: Option<Cut>) {
        let compute = self.compute_cycles as f64;
        self.compute_share = compute / self.iteration_cycles;
        self.utilisation *= self.compute_share;
        self.bound_by = bound(self.iteration_cycles, compute, self.sync_cycles);
        self.problem_cycles = cut.map(|c| (c.passes * c.iterations) as f64 * self.iteration_cycles);
    }

    /// As [`GemmRow::conclude`] for phases that follow each other.
    pub(super) fn conclude_sum(&mut self) {
        self.conclude(None);
        self.bound_by = if self.communication_cycles <= self.compute_cycles as f64 {
            GemmBound::Computation
        } else {
            GemmBound::Communication
        };
    }
}

/// Speedups over the fastest row of software, among rows of one mesh.
pub(super) fn add_speedups(rows: &mut [GemmRow]) {
    let software = rows
        .iter()
        .filter(|r| r.collectives != Collectives::InNetwork);
    let cycles = software.map(|r| r.iteration_cycles);
    let Some(base) = cycles.min_by(f64::total_cmp) else {
        return;
    };
    if rows.len() > 1 {
        for row in rows {
            row.speedup = Some(base / row.iteration_cycles);
        }
    }
}

/// Distances from the simulator, among rows of one mesh.
pub(super) fn add_errors(rows: &mut [GemmRow]) {
    let is_sim = |row: &&GemmRow| row.backend == Backend::Sim;
    let simulated: Vec<(Collectives, f64)> = rows
        .iter()
        .filter(is_sim)
        .map(|row| (row.collectives, row.iteration_cycles))
        .collect();
    for row in rows.iter_mut().filter(|row| row.backend != Backend::Sim) {
        let same = simulated.iter().find(|(who, _)| *who == row.collectives);
        row.sim_error = same.map(|(_, cycles)| row.iteration_cycles / cycles - 1.0);
    }
}

// A product by S1's equations: (7) to (9) over (2) to (4) for SUMMA, a kernel and (14) or (15) for FusedConcatLinear.

/// Cycles that a software transfer takes per hop in the authors' later model.
const CYCLES_PER_HOP: f64 = 2.0;

/// The longer of compute and communication, without barrier; communication is A's multicast and then B's.
pub(super) fn summa_row(case: &GemmCase<'_>, problem: &Summa) -> GemmRow {
    let shape = problem.shape;
    let lines = [
        (case.network.cluster_width(), shape.a_bytes()),
        (case.network.cluster_height(), shape.b_bytes()),
    ];
    let communication: f64 = lines
        .into_iter()
        .map(|(length, bytes)| {
            let beats = case.network.axi().ni.beats(bytes) as f64;
            multicast_cycles(problem.spread, length.into(), beats, has_distance(case))
        })
        .sum();
    let mut row = GemmRow::new(case, problem);
    row.communication_cycles = communication;
    row.iteration_cycles = communication.max(problem.compute_cycles as f64);
    row
}

fn has_distance(case: &GemmCase<'_>) -> bool {
    match case.backend {
        Backend::PublishedWithDistance => true,
        Backend::Sim | Backend::Model | Backend::Published => false,
    }
}

fn multicast_cycles(spread: Spread, length: u32, beats: f64, has_distance: bool) -> f64 {
    let constants = MulticastConstants::PUBLISHED;
    let line = Extent::row(length);
    match spread {
        Spread::InNetwork => constants.in_network_cycles(line, beats),
        // Deliveries have no equations of S1: `Case::is_known`.
        Spread::Tree | Spread::Deliveries { .. } => {
            constants.tree_cycles(line, beats) + tree_path(&[length], has_distance)
        }
        Spread::Chain { chunks } => constants.pipelined_cycles(line, beats, chunks.into()),
    }
}

/// Levels of a tree over a line reach length / 2, length / 4, …, 1 hops.
fn tree_path(lines: &[u32], has_distance: bool) -> f64 {
    let hops: u32 = lines.iter().map(|length| length - 1).sum();
    let per_hop = if has_distance { CYCLES_PER_HOP } else { 0.0 };
    per_hop * f64::from(hops)
}

/// A kernel and a reduction behind it. α of the additions and of the network are fitted: S1 does not state them.
///
/// # Errors
/// [`Error::Coll`] for a product of integers.
pub(super) fn fused_row(
    case: &GemmCase<'_>,
    shape: SubmatrixShape,
    compute_cycles: u64,
) -> Result<GemmRow, Error> {
    let (columns, rows) = (case.network.cluster_width(), case.network.cluster_height());
    let extent = Extent {
        columns: columns.into(),
        rows: rows.into(),
    };
    let beats = case.network.axi().ni.beats(shape.c_bytes()?);
    let constants = fitted_reduce_constants();
    let mut row = GemmRow::of(case, shape, compute_cycles);
    let (spread, cycles) = match case.collectives {
        Collectives::InNetwork => {
            let cycles = constants.in_network_cycles(extent, beats as f64);
            ("in_network, fitted".to_owned(), cycles)
        }
        Collectives::Software | Collectives::Deliveries => {
            let path = tree_path(&[extent.columns, extent.rows], has_distance(case));
            software(&constants, extent, beats as u32, path)
        }
    };
    row.spread = spread;
    row.iterations = 1;
    row.communication_cycles = cycles;
    row.iteration_cycles = compute_cycles as f64 + cycles;
    Ok(row)
}

/// The faster of tree and chain, each with its best number of chunks.
fn software(
    constants: &ReduceConstants,
    extent: Extent,
    beats: u32,
    tree_path: f64,
) -> (String, f64) {
    let n = f64::from(beats);
    let best = |cycles: &dyn Fn(f64) -> f64| {
        best_chunks(even_chunks(beats), |chunks| cycles(f64::from(chunks)))
            .unwrap_or((1, cycles(1.0)))
    };
    let tree = best(&|chunks| constants.tree_cycles(extent, n, chunks) + tree_path);
    let chain = best(&|chunks| constants.pipelined_cycles(extent, n, chunks));
    if chain.1 < tree.1 {
        (format!("chain:{}, fitted", chain.0), chain.1)
    } else {
        (format!("tree:{}, fitted", tree.0), tree.1)
    }
}
