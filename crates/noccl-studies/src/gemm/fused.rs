// SPDX-License-Identifier: Apache-2.0
//! FusedConcatLinear: one product per cluster, then one reduction over the mesh.

use super::shapes::{Reduction, reductions};
use super::{Backend, Collectives, GemmKernel, GemmRequest, GemmRow, fastest, row, values};
use crate::measure::line_events::{ClusterStep, workloads};
use crate::measure::runner::Runner;
use crate::runs::Session;
use crate::{Error, Verified};
use noccl_coll::gemm::{
    FusedConcatLinear, FusedPlan, Spread, SubmatrixShape, SummaPlan, Sync, fused_concat_linear,
};
use noccl_model::{Calibration, predict};
use noccl_net::{AxiNetwork, Network, TileRef};
use noccl_run::{Counters, MemoryImage, Mode, RunConfig, RunResult, Tally};
use noccl_workload::number::random_elements;
use noccl_workload::{ActionId, Place, Schedule};
use std::cell::RefCell;

/// Largest mesh on which the loads of B are run too. They lie before the clock starts; their number of
/// flit-hops grows with the third power of a side.
const MAX_LOADED_CLUSTERS: usize = 1024;

/// The fastest reduction that a word stands for.
pub(super) fn best_row(case: &GemmCase<'_>) -> Result<GemmRow, Error> {
    let shape = case.request.shape();
    let compute_cycles = shape.compute_cycles(case.network, case.request.utilisation())?;
    match case.backend {
        Backend::Published | Backend::PublishedWithDistance => {
            let mut row = row::fused_row(case, shape, compute_cycles)?;
            row.conclude_sum();
            return Ok(row);
        }
        Backend::Sim | Backend::Model => {}
    }
    let rows = reductions(&case.network, case.collectives, case.request.root)
        .into_iter()
        .map(|reduction| row(case, &reduction, compute_cycles));
    fastest(rows, case.collectives)
}

fn row(case: &GemmCase<'_>, reduction: &Reduction, compute_cycles: u64) -> Result<GemmRow, Error> {
    let network = case.network;
    let clusters = network.clusters().count();
    let shape = case.request.shape();
    let fused = FusedConcatLinear {
        shape,
        compute_cycles,
        reduce: reduction.choice,
        root: reduction.root,
        has_loads: clusters <= MAX_LOADED_CLUSTERS,
    };
    let plan = fused_concat_linear(network, &fused)?;
    let images = if case.has_values() {
        images(&network, &plan, &fused, case.request.seed)
    } else {
        Vec::new()
    };
    let outputs: Vec<(Place, u64)> = case
        .has_values()
        .then_some((plan.result, plan.result_bytes))
        .into_iter()
        .collect();
    let timed = case.time(&plan.schedule, &images, &outputs)?;
    let mut row = GemmRow::of(case, shape, compute_cycles);
    row.spread = format!("{} into {}", reduction.choice, reduction.root);
    measure(&plan, &timed, &mut row);
    row.add_run(network, &timed, 1);
    row.conclude_sum();
    if case.has_values() {
        let is_right = interpreted(&network, &plan, &images)? == timed.memory;
        row.verified = Verified::compared(is_right);
    }
    Ok(row)
}

/// The clock runs from the first kernel's start to the end of the reduction.
fn measure(plan: &FusedPlan, timed: &Timed, row: &mut GemmRow) {
    row.iterations = 1;
    row.iteration_cycles = timed.end() - timed.start(plan.kernel);
    row.communication_cycles = timed.end() - timed.finish(plan.kernel);
}

/// Random A in every L1, and B in the memory tiles or in L1 too.
fn images(
    network: &Network,
    plan: &FusedPlan,
    fused: &FusedConcatLinear,
    seed: u64,
) -> Vec<MemoryImage> {
    let shape: SubmatrixShape = fused.shape;
    let mut images = Vec::new();
    for (idx, at) in values::clusters(network).enumerate() {
        let own = |offset| Place {
            tile: TileRef::Cluster(at),
            offset,
        };
        let b = if fused.has_loads {
            plan.b_sources[idx].1
        } else {
            own(plan.b_offset)
        };
        let parts = [(own(plan.a_offset), shape.a_bytes()), (b, shape.b_bytes())];
        for (part, (place, bytes)) in parts.into_iter().enumerate() {
            let stream = seed.wrapping_mul(1 << 32) + 2 * idx as u64 + part as u64;
            images.push(MemoryImage {
                tile: place.tile,
                offset: place.offset,
                bytes: random_elements(stream, bytes as usize, shape.element),
            });
        }
    }
    images
}

/// What the reference interpreter leaves at the root.
fn interpreted(
    network: &Network,
    plan: &FusedPlan,
    images: &[MemoryImage],
) -> Result<Vec<MemoryImage>, Error> {
    let inputs: Vec<(Place, &[u8])> = images
        .iter()
        .map(|i| {
            let place = Place {
                tile: i.tile,
                offset: i.offset,
            };
            (place, i.bytes.as_slice())
        })
        .collect();
    let memories = noccl_workload::interpret(network, &plan.schedule, &inputs)?;
    let bytes = memories.read(plan.result, plan.result_bytes);
    Ok(bytes
        .map(|bytes| MemoryImage {
            tile: plan.result.tile,
            offset: plan.result.offset,
            bytes,
        })
        .into_iter()
        .collect())
}

// Which iterations of a run are its steady state, and what they took.
//
// Before the window the slots fill; after it no further loads compete with the last kernels. Both
// are as long as there are slots. With a barrier per several iterations the window holds whole groups.

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

// Energy of an iteration by S1's method, beside that of the events that a run counts.

/// Fills in the rows of one mesh.
///
/// # Errors
/// [`Error::Argument`] where S1's method says nothing: meshes that are no squares, submatrices of several sizes.
pub(super) fn add_line_energy(
    network: AxiNetwork<'_>,
    request: &GemmRequest,
    tally: &Tally<'_>,
    rows: &mut [GemmRow],
) -> Result<(), Error> {
    let (width, height) = (network.cluster_width(), network.cluster_height());
    let shape = request.shape();
    let bytes = shape.a_bytes();
    let is_even = shape.b_bytes() == bytes && shape.c_bytes()? == bytes;
    if width != height || !is_even || request.problem.is_some() {
        return Err(Error::argument(
            "--line-energy",
            format!("{width}x{height}"),
            "accepted: square meshes, submatrices of A, B and C of equal bytes, no --shape of a model",
        ));
    }
    let step = ClusterStep {
        bytes,
        multiplications: shape.multiply_adds(),
    };
    let of = workloads(Runner { tally }, width.into(), step)?;
    for row in rows {
        let counts = match (row.kernel, row.collectives) {
            (GemmKernel::Summa, Collectives::Software) => of.summa_software,
            (GemmKernel::Summa, Collectives::InNetwork) => of.summa_in_network,
            (GemmKernel::FusedConcatLinear, Collectives::Software) => of.fcl_software,
            (GemmKernel::FusedConcatLinear, Collectives::InNetwork) => of.fcl_in_network,
            // S1 prices no deliveries.
            (GemmKernel::Summa | GemmKernel::FusedConcatLinear, Collectives::Deliveries) => {
                continue;
            }
        };
        row.line_energy_pj = Some(counts.energy_pj(&network.axi().energy));
    }
    Ok(())
}

// One mesh, one kind of communication, one backend; and when the actions of a schedule happen there.

/// What a row is about.
#[derive(Clone, Copy)]
pub(super) struct GemmCase<'a> {
    pub(super) network: AxiNetwork<'a>,
    pub(super) request: &'a GemmRequest,
    pub(super) backend: Backend,
    pub(super) collectives: Collectives,
    pub(super) session: &'a RefCell<Session<RunResult>>,
    pub(super) tally: &'a Tally<'a>,
}

/// When each action started and ended, and what happened in all.
pub(super) struct Timed {
    actions: Vec<(f64, f64)>,
    pub(super) cycles: u64,
    pub(super) counters: Counters,
    /// What the simulator leaves in the places that were asked for.
    pub(super) memory: Vec<MemoryImage>,
}

impl Timed {
    pub(super) fn start(&self, action: ActionId) -> f64 {
        self.actions[action.0 as usize].0
    }

    pub(super) fn finish(&self, action: ActionId) -> f64 {
        self.actions[action.0 as usize].1
    }

    /// End of the last action.
    pub(super) fn end(&self) -> f64 {
        self.actions.iter().map(|a| a.1).fold(0.0, f64::max)
    }
}

impl GemmCase<'_> {
    /// Do bytes move?
    pub(super) fn has_values(&self) -> bool {
        match self.backend {
            Backend::Sim => self.request.mode == Mode::Value,
            Backend::Model | Backend::Published | Backend::PublishedWithDistance => false,
        }
    }

    /// Does the backend know this kind of communication? S1 has no equations of deliveries, and what waits for nothing but them is the simulator's.
    pub(super) fn is_known(&self) -> bool {
        self.collectives != Collectives::Deliveries || self.backend == Backend::Sim
    }

    /// Runs a schedule, or predicts it if that is what the case is about.
    pub(super) fn time(
        &self,
        schedule: &Schedule,
        images: &[MemoryImage],
        outputs: &[(Place, u64)],
    ) -> Result<Timed, Error> {
        match self.backend {
            Backend::Sim => self.simulated(schedule, images, outputs),
            Backend::Model | Backend::Published | Backend::PublishedWithDistance => {
                self.predicted(schedule)
            }
        }
    }

    /// Nothing runs that the checker has not proved.
    fn simulated(
        &self,
        schedule: &Schedule,
        images: &[MemoryImage],
        outputs: &[(Place, u64)],
    ) -> Result<Timed, Error> {
        noccl_workload::check(&self.network, schedule)?;
        let config = RunConfig {
            threads: self.request.threads,
            ..RunConfig::new(self.request.mode)
        };
        let result = self.tally.run(|on_progress| {
            self.session.borrow_mut().simulate(
                &self.network,
                schedule,
                images,
                outputs,
                &config,
                on_progress,
            )
        })?;
        let actions = result.actions.iter();
        Ok(Timed {
            actions: actions
                .map(|a| (a.start_cycle as f64, a.finish_cycle as f64))
                .collect(),
            cycles: result.cycles,
            counters: result.counters,
            memory: result.memory,
        })
    }

    fn predicted(&self, schedule: &Schedule) -> Result<Timed, Error> {
        let prediction = match &self.request.calibration {
            Some(calibration) => predict(&self.network, schedule, calibration)?,
            None => predict(&self.network, schedule, &Calibration::shipped()?)?,
        };
        Ok(Timed {
            cycles: prediction.cycles.round() as u64,
            counters: prediction.counters,
            actions: prediction.actions,
            memory: Vec::new(),
        })
    }
}
