// SPDX-License-Identifier: Apache-2.0
//! Products of real models, and how they are cut for a mesh.
//!
//! Sizes are those of the models' public `config.json`: Llama 3.1 8B (hidden 4096, 32 heads and 8 KV heads of
//! 128, feed-forward 14336) and DeepSeek-V3 (hidden 7168, 128 heads, query rank 1536, key-value rank 512,
//! head 128 + 64 rotary, value head 128, dense feed-forward 18432, expert 2048). BF16, 4096 tokens
//! (prefill); attention products are those of one head over these tokens.

use crate::Error;
use noccl_coll::gemm::SubmatrixShape;
use noccl_net::Network;
use noccl_workload::{ElementType, sum_element};

/// A product: C (rows × columns) = A (rows × inner) · B (inner × columns).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Problem {
    /// Name on the command line.
    pub name: &'static str,
    /// Rows of A and C.
    pub rows: u32,
    /// Columns of B and C.
    pub columns: u32,
    /// Columns of A and rows of B.
    pub inner: u32,
    /// Element of A and B.
    pub element: ElementType,
}

/// Name of S1's submatrices.
pub const PAPER_SHAPE: &str = "collective_noc";

const TOKENS: u32 = 4096;

const fn of(name: &'static str, columns: u32, inner: u32) -> Problem {
    Problem {
        name,
        rows: TOKENS,
        columns,
        inner,
        element: ElementType::Bf16,
    }
}

/// Projections and attention products of two open-weight language models.
pub const PROBLEMS: [Problem; 19] = [
    of("llama_3_1_8b.q", 4096, 4096),
    of("llama_3_1_8b.k", 1024, 4096),
    of("llama_3_1_8b.v", 1024, 4096),
    of("llama_3_1_8b.o", 4096, 4096),
    of("llama_3_1_8b.gate", 14336, 4096),
    of("llama_3_1_8b.up", 14336, 4096),
    of("llama_3_1_8b.down", 4096, 14336),
    of("llama_3_1_8b.scores", TOKENS, 128),
    of("llama_3_1_8b.values", 128, TOKENS),
    of("deepseek_v3.q_a", 1536, 7168),
    of("deepseek_v3.q_b", 24576, 1536),
    of("deepseek_v3.kv_a", 576, 7168),
    of("deepseek_v3.kv_b", 32768, 512),
    of("deepseek_v3.o", 7168, 16384),
    of("deepseek_v3.gate", 18432, 7168),
    of("deepseek_v3.expert_gate", 2048, 7168),
    of("deepseek_v3.expert_down", 7168, 2048),
    of("deepseek_v3.scores", TOKENS, 192),
    of("deepseek_v3.values", 128, TOKENS),
];

/// Finds a problem by name; `None` for S1's submatrices.
///
/// # Errors
/// [`Error::Argument`] with the names that exist.
pub fn parse_problem(name: &str) -> Result<Option<Problem>, Error> {
    if name == PAPER_SHAPE {
        return Ok(None);
    }
    let found = PROBLEMS.into_iter().find(|p| p.name == name);
    found.map(Some).ok_or_else(|| {
        let names: Vec<&str> = PROBLEMS.iter().map(|p| p.name).collect();
        let accepted = format!("accepted: {PAPER_SHAPE}, {}", names.join(", "));
        Error::argument("--shape", name, accepted)
    })
}

/// How a problem is cut for a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) submatrix: SubmatrixShape,
    /// Times that every cluster computes a submatrix of C.
    pub(super) passes: u64,
    /// Submatrices of A and of B per pass.
    pub(super) iterations: u64,
}

impl Problem {
    /// The submatrices that need least communication per multiply-add: sides are powers of two up to what the
    /// mesh leaves of the problem, and `slots` of each input fit into half of L1 beside C.
    pub(super) fn cut(&self, network: &Network, slots: u32) -> Result<Cut, Error> {
        let share = |whole: u32, parts: u16| whole.div_ceil(parts.into());
        let rows = share(self.rows, network.cluster_height());
        let columns = share(self.columns, network.cluster_width());
        let l1_bytes = network.axi().cluster.l1_bytes;
        let fits = |shape: &SubmatrixShape| {
            let sums = sum_element(shape.element).map_or(8, ElementType::bytes);
            let c = u64::from(shape.rows) * u64::from(shape.columns) * sums;
            c + u64::from(slots) * (shape.a_bytes() + shape.b_bytes()) <= l1_bytes
        };
        let shape = |rows, columns, inner| SubmatrixShape {
            rows,
            columns,
            inner,
            element: self.element,
        };
        let best = sides(rows)
            .flat_map(|r| sides(columns).map(move |c| (r, c)))
            .flat_map(|(r, c)| sides(self.inner).map(move |i| shape(r, c, i)))
            .filter(fits)
            .max_by_key(|s| {
                let reuse = u64::from(s.rows) * u64::from(s.columns) * 1000;
                (reuse / u64::from(s.rows + s.columns), s.inner, s.rows)
            });
        let submatrix = best.ok_or_else(|| {
            Error::argument(
                "--prefetch",
                slots,
                "so many slots leave no bytes for a submatrix; accepted: fewer",
            )
        })?;
        let passes = rows.div_ceil(submatrix.rows) * columns.div_ceil(submatrix.columns);
        Ok(Cut {
            submatrix,
            passes: passes.into(),
            iterations: self.inner.div_ceil(submatrix.inner).into(),
        })
    }
}

/// Powers of two up to the next one from `most` on, at most 128.
fn sides(most: u32) -> impl Iterator<Item = u32> {
    let most = most.next_power_of_two().min(128);
    (0..8).map(|bit| 1 << bit).filter(move |side| *side <= most)
}
