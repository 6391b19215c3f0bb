// SPDX-License-Identifier: Apache-2.0
//! SUMMA: every iteration, each row of clusters gets a submatrix of A and each column one of B (S1 §4.3.1).
//!
//! A cluster holds `prefetch` submatrices of each. Two methods keep a slot from being overwritten too early
//! and from being read too soon:
//!
//! *Barriers*, as S1 draws them. With prefetch 2 (double buffering) iteration t + 1 is loaded while t is
//! computed, and a barrier over the mesh separates iterations: max(compute, communication) + barrier. An
//! odd prefetch lets one more kernel run during the barrier; from 4 on a barrier stands after every
//! prefetch / 2 iterations only.
//!
//! *Flags*. A submatrix is a delivery: clusters see that it is written and start. Members post their arrival when
//! they have read it; the initiator fills the slot again when all have. Nobody stands still for a round
//! trip; with enough slots the kernels run back to back.

use super::layout::{GemmLayout, Matrix};
use super::spread::{Spread, SpreadTask, Spreading};
use super::{GemmProgram, Mesh, SubmatrixShape};
use crate::{CollError, schedule_of};
use noccl_net::{AxiNetwork, TileRef, TileSet};
use noccl_workload::{ActionId, ActionKind, Arrival, Kernel, Multiply, Operation, Schedule};

/// What orders the use of buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sync {
    /// Barriers over all clusters.
    Barriers,
    /// Flags from initiator to cluster and back; with the network's multicast only.
    Flags,
}

impl Sync {
    /// Name in tables and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Sync::Barriers => "barriers",
            Sync::Flags => "flags",
        }
    }
}

/// A SUMMA product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summa {
    /// Submatrices of a cluster.
    pub shape: SubmatrixShape,
    /// Submatrices of A and of B that a cluster multiplies.
    pub iterations: u32,
    /// Slots for submatrices of A and of B in a cluster; 2 is double buffering.
    pub prefetch: u32,
    /// How submatrices reach the clusters.
    pub spread: Spread,
    /// What orders the use of buffers.
    pub sync: Sync,
    /// Cycles of one kernel.
    pub compute_cycles: u64,
}

/// A schedule and what is what in it.
#[derive(Debug, Clone, PartialEq)]
pub struct SummaPlan {
    /// The schedule.
    pub schedule: Schedule,
    /// Where submatrices lie.
    pub layout: GemmLayout,
    /// Kernel of each iteration.
    pub kernels: Vec<ActionId>,
    /// Transfers by group of iterations: those of the first step and those of the last.
    pub loads: Vec<(Vec<ActionId>, Vec<ActionId>)>,
    /// Barrier before each group's kernels; empty with flags.
    pub barriers: Vec<ActionId>,
    /// Iterations per group.
    pub group_iterations: u32,
    /// Kernels before a group that may still run when its barrier is entered.
    pub spare_iterations: u32,
}

/// The schedule of a SUMMA product on all clusters of a network.
///
/// # Errors
/// [`CollError`] if sides of the mesh are no powers of two, buffers do not fit, or options exclude each other.
pub fn summa(network: AxiNetwork<'_>, summa: &Summa) -> Result<SummaPlan, CollError> {
    let mesh = Mesh::new(&network)?;
    let impossible = |text: String| Err(CollError::Impossible(text));
    let least = match summa.sync {
        Sync::Barriers => 2,
        Sync::Flags => 1,
    };
    if summa.prefetch < least || summa.iterations == 0 {
        return impossible(format!(
            "prefetch {} and {} iterations; accepted: at least {least} and 1",
            summa.prefetch, summa.iterations
        ));
    }
    if let Spread::Chain { chunks: 0 } | Spread::Deliveries { chunks: 0 } = summa.spread {
        return impossible(format!("{}: 0 chunks; accepted: 1 or more", summa.spread));
    }
    if summa.sync == Sync::Flags && summa.spread != Spread::InNetwork {
        return impossible(format!(
            "flags with {}; accepted: in_network, or barriers",
            summa.spread
        ));
    }
    let layout = GemmLayout::new(network, summa.shape, summa.prefetch, summa.iterations)?;
    let writer = Writer {
        summa,
        layout: &layout,
        mesh,
        program: GemmProgram::default(),
        kernels: Vec::new(),
        loads: Vec::new(),
        barriers: Vec::new(),
    };
    Ok(match summa.sync {
        Sync::Barriers => writer.with_barriers(),
        Sync::Flags => writer.with_flags(),
    })
}

struct Writer<'a> {
    summa: &'a Summa,
    layout: &'a GemmLayout,
    mesh: Mesh,
    program: GemmProgram,
    kernels: Vec<ActionId>,
    loads: Vec<(Vec<ActionId>, Vec<ActionId>)>,
    barriers: Vec<ActionId>,
}

impl<'a> Writer<'a> {
    fn task(&self) -> SpreadTask<'a> {
        SpreadTask {
            layout: self.layout,
            mesh: self.mesh,
            spread: self.summa.spread,
        }
    }

    /// Barrier g lies after the loads of group g and before its kernels; the loads of group g + 1 follow
    /// it. They overwrite what kernels before group g read, so the barrier is after those: after all of
    /// them if there are two groups of slots, after all but the last if there is a slot more.
    fn with_barriers(mut self) -> SummaPlan {
        let group = self.group_iterations();
        let num_groups = self.summa.iterations.div_ceil(group);
        let spare = self.spare_iterations();
        self.load(0, None);
        for g in 0..num_groups {
            let (_, last) = &self.loads[g as usize];
            let mut after = last.clone();
            let read = (g * group).checked_sub(1 + spare);
            after.extend(read.and_then(|t| self.kernels.get(t as usize)));
            let barrier = self.program.add(self.mesh.barrier(), after);
            self.barriers.push(barrier);
            for iteration in g * group..((g + 1) * group).min(self.summa.iterations) {
                self.kernel(iteration, vec![barrier]);
            }
            if g + 1 < num_groups {
                self.load(g + 1, Some(barrier));
            }
        }
        self.finish(group)
    }

    /// Iterations between two barriers.
    const fn group_iterations(&self) -> u32 {
        match self.summa.sync {
            Sync::Barriers => self.summa.prefetch / 2,
            Sync::Flags => 1,
        }
    }

    const fn spare_iterations(&self) -> u32 {
        match self.summa.sync {
            Sync::Barriers => self.summa.prefetch - 2 * self.group_iterations(),
            Sync::Flags => 0,
        }
    }

    fn load(&mut self, group: u32, start: Option<ActionId>) {
        let length = self.group_iterations();
        let end = ((group + 1) * length).min(self.summa.iterations);
        let task = self.task();
        let Spreading { first, last } = task.emit(group * length..end, start, &mut self.program);
        self.loads.push((first, last));
    }

    fn with_flags(mut self) -> SummaPlan {
        let (iterations, prefetch) = (self.summa.iterations, self.summa.prefetch);
        for iteration in 0..prefetch.min(iterations) {
            self.deliver(iteration, &[]);
        }
        for iteration in 0..iterations {
            let loads = self.loads[iteration as usize].0.clone();
            self.kernel(iteration, loads);
            let next = iteration + prefetch;
            if next < iterations {
                let arrivals = self.arrive(iteration);
                self.deliver(next, &arrivals);
            }
        }
        self.finish(1)
    }

    /// All lines of an iteration, each after the arrival at its initiator.
    fn deliver(&mut self, iteration: u32, arrivals: &[ActionId]) {
        let mut loads = Vec::new();
        for matrix in Matrix::BOTH {
            for line in 0..self.layout.lines(matrix) {
                let kind = ActionKind::Delivery(self.task().multicast(matrix, line, iteration));
                let arrival = arrivals.get(loads.len());
                loads.push(
                    self.program
                        .add(kind, arrival.into_iter().copied().collect()),
                );
            }
        }
        self.loads.push((loads.clone(), loads));
    }

    /// Every line's initiator is told that the iteration's slot is free.
    fn arrive(&mut self, iteration: u32) -> Vec<ActionId> {
        let mut arrivals = Vec::new();
        for matrix in Matrix::BOTH {
            for line in 0..self.layout.lines(matrix) {
                let group = match matrix {
                    Matrix::A => self.mesh.row(line),
                    Matrix::B => self.mesh.column(line),
                };
                let root = TileRef::Cluster(self.layout.initiator(matrix, line));
                let kind = ActionKind::Arrival(Arrival { group, root });
                let after = vec![self.kernels[iteration as usize]];
                arrivals.push(self.program.add(kind, after));
            }
        }
        arrivals
    }

    /// The kernel of an iteration; the first one overwrites C.
    fn kernel(&mut self, iteration: u32, mut after: Vec<ActionId>) {
        let shape = self.summa.shape;
        let operation = Operation::Multiply(Multiply {
            a_offset: self.layout.slot(Matrix::A, iteration),
            b_offset: self.layout.slot(Matrix::B, iteration),
            c_offset: self.layout.c_offset(),
            rows: shape.rows,
            columns: shape.columns,
            inner: shape.inner,
            element: shape.element,
            accumulate: iteration > 0,
            b_transposed: false,
        });
        after.extend(self.kernels.last());
        let kind = ActionKind::Kernel(Kernel {
            group: TileSet::Cube(self.mesh.all()),
            cycles: self.summa.compute_cycles,
            operation,
        });
        self.kernels.push(self.program.add(kind, after));
    }

    fn finish(self, group_iterations: u32) -> SummaPlan {
        let shape = self.summa.shape;
        let spare_iterations = self.spare_iterations();
        let submatrix = format!("{}x{}x{}", shape.rows, shape.columns, shape.inner);
        let parameters = [
            ("spread", self.summa.spread.to_string()),
            ("sync", self.summa.sync.name().to_owned()),
            ("prefetch", self.summa.prefetch.to_string()),
            ("submatrix", submatrix),
        ];
        SummaPlan {
            schedule: schedule_of("summa", parameters, self.program.finish()),
            layout: self.layout.clone(),
            kernels: self.kernels,
            loads: self.loads,
            barriers: self.barriers,
            group_iterations,
            spare_iterations,
        }
    }
}
