// SPDX-License-Identifier: Apache-2.0
//! Matrix products on the mesh: schedules that compute while they communicate.
//!
//! C = A·B is cut into submatrices, one of C per cluster. [`summa`] streams A along rows and B along
//! columns, iteration by iteration (S1 §4.3.1); [`fused_concat_linear`] spreads the inner dimension and reduces
//! once (S1 §4.3.2); [`flat_attention`] is an attention layer made of both; `docs/gemm.md` says who starts which transfer. What a
//! plan yields is checked like any schedule: buffers are not reused before everybody has read them.

mod attention;
mod fused;
mod layout;
mod spread;
mod summa;

use crate::CollError;
use noccl_net::{AxiNetwork, Coord, MultiAddress, Network, TileRef, TileSet};
use noccl_workload::{
    Action, ActionId, ActionKind, Barrier, BarrierMechanism, ElementType, sum_element,
};

pub use attention::{Attention, AttentionPlan, flat_attention};
pub use fused::{FusedConcatLinear, FusedPlan, fused_concat_linear};
pub use layout::{GemmLayout, Matrix};
pub use spread::Spread;
pub use summa::{Summa, SummaPlan, Sync, summa};

// Actions under construction, with ids.

/// A growing list of actions.
#[derive(Debug, Default)]
pub(super) struct GemmProgram {
    actions: Vec<Action>,
}

impl GemmProgram {
    pub(super) fn add(&mut self, kind: ActionKind, after: Vec<ActionId>) -> ActionId {
        self.actions.push(Action { kind, after });
        ActionId(self.actions.len() as u32 - 1)
    }

    pub(super) fn len(&self) -> u32 {
        self.actions.len() as u32
    }

    pub(super) fn finish(self) -> Vec<Action> {
        self.actions
    }
}

/// All clusters of a mesh whose sides are powers of two.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mesh {
    pub(super) width: u16,
    pub(super) height: u16,
}

impl Mesh {
    /// # Errors
    /// [`CollError::Impossible`] if a side is no power of two.
    pub(super) fn new(network: &Network) -> Result<Self, CollError> {
        let (width, height) = (network.cluster_width(), network.cluster_height());
        if width.is_power_of_two() && height.is_power_of_two() {
            return Ok(Self { width, height });
        }
        Err(CollError::Impossible(format!(
            "--mesh '{width}x{height}': accepted: sides that are powers of two, so that a row is one multi-address"
        )))
    }

    pub(super) fn all(self) -> MultiAddress {
        MultiAddress::new(
            Coord::new(0, 0),
            Coord::new(self.width - 1, self.height - 1),
        )
    }

    pub(super) fn row(self, y: u16) -> MultiAddress {
        MultiAddress::new(Coord::new(0, y), Coord::new(self.width - 1, 0))
    }

    pub(super) fn column(self, x: u16) -> MultiAddress {
        MultiAddress::new(Coord::new(x, 0), Coord::new(0, self.height - 1))
    }

    /// A barrier over all clusters, counted in the middle.
    pub(super) fn barrier(self) -> ActionKind {
        ActionKind::Barrier(Barrier {
            group: TileSet::Cube(self.all()),
            counter: TileRef::Cluster(Coord::new(self.width / 2, self.height / 2)),
            mechanism: BarrierMechanism::InNetwork,
        })
    }
}

// What one cluster multiplies per iteration, and how long that takes.

/// Share of the FPUs' peak that a cluster's inner kernel reaches: the median that S1 (§4.3.1, its note 7)
/// takes from cycle-accurate RTL runs of the cluster.
pub const DEFAULT_UTILISATION: f64 = 0.981;

/// Most cycles of one kernel, so that sums over iterations, heads and clusters stay in their types.
pub const MAX_KERNEL_CYCLES: u64 = 1 << 40;

/// Submatrix sizes of one cluster and iteration: C (rows × columns) += A (rows × inner) · B (inner × columns).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubmatrixShape {
    /// Rows of A and C (M_t).
    pub rows: u32,
    /// Columns of B and C (N_t).
    pub columns: u32,
    /// Columns of A and rows of B (K_t).
    pub inner: u32,
    /// Element of A and B.
    pub element: ElementType,
}

impl SubmatrixShape {
    /// Bytes of a submatrix of A.
    #[must_use]
    pub const fn a_bytes(self) -> u64 {
        self.rows as u64 * self.inner as u64 * self.element.bytes()
    }

    /// Bytes of a submatrix of B.
    #[must_use]
    pub const fn b_bytes(self) -> u64 {
        self.inner as u64 * self.columns as u64 * self.element.bytes()
    }

    /// Bytes of a submatrix of C, in the element in which sums are kept.
    ///
    /// # Errors
    /// [`CollError::Impossible`] for integers.
    pub fn c_bytes(self) -> Result<u64, CollError> {
        let sum = sum_element(self.element).ok_or_else(|| {
            CollError::Impossible(format!(
                "a product of {}; accepted: a floating-point type",
                self.element
            ))
        })?;
        Ok(u64::from(self.rows) * u64::from(self.columns) * sum.bytes())
    }

    /// Multiply-adds per iteration.
    #[must_use]
    pub const fn multiply_adds(self) -> u64 {
        self.rows as u64 * self.columns as u64 * self.inner as u64
    }

    /// Cycles of one iteration's kernel, S1 eq. (8): operations ÷ (utilisation × peak). An FPU of 64 bits
    /// does 64 / bits multiply-adds per cycle, and each core has one.
    ///
    /// # Errors
    /// [`CollError::Impossible`] for an empty submatrix or a utilisation outside (0, 1].
    pub fn compute_cycles(
        self,
        network: AxiNetwork<'_>,
        utilisation: f64,
    ) -> Result<u64, CollError> {
        if self.multiply_adds() == 0 {
            return Err(CollError::Impossible(format!(
                "a submatrix of {}x{}x{}; accepted: every side at least 1",
                self.rows, self.columns, self.inner
            )));
        }
        // Not a number fails too.
        if !(utilisation > 0.0 && utilisation <= 1.0) {
            return Err(CollError::Impossible(format!(
                "a utilisation of {utilisation}; accepted: above 0, at most 1"
            )));
        }
        let lanes = u64::from(network.axi().cluster.num_cores) * (8 / self.element.bytes());
        let cycles = self.multiply_adds() as f64 / (utilisation * lanes as f64);
        if cycles > MAX_KERNEL_CYCLES as f64 {
            return Err(CollError::Impossible(format!(
                "a kernel of {cycles} cycles (utilisation {utilisation}); accepted: at most {MAX_KERNEL_CYCLES}"
            )));
        }
        Ok((cycles.round() as u64).max(1))
    }
}
