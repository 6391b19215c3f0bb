// SPDX-License-Identifier: Apache-2.0
//! Matrix products on the mesh: schedules that compute while they communicate.
//!
//! C = A·B is cut into submatrices, one of C per cluster. [`summa`] streams A along rows and B along
//! columns, iteration by iteration (S1 §4.3.1); [`fused_concat_linear`] spreads the inner dimension and reduces
//! once (S1 §4.3.2); [`flat_attention`] is an attention layer made of both; `docs/gemm.md` says who starts which transfer. What a
//! plan yields is checked like any schedule: buffers are not reused before everybody has read them.

mod attention;
mod beside;
mod cores;
mod deliveries;
mod fused;
mod layout;
mod program;
mod shape;
mod slices;
mod spread;
mod summa;

pub use attention::{Attention, AttentionPlan, flat_attention};
pub use fused::{FusedConcatLinear, FusedPlan, fused_concat_linear};
pub use layout::{GemmLayout, Matrix};
pub use shape::{DEFAULT_UTILISATION, SubmatrixShape};
pub use spread::Spread;
pub use summa::{Summa, SummaPlan, Sync, summa};
