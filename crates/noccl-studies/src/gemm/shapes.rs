// SPDX-License-Identifier: Apache-2.0
//! Products of real models, and how they are cut for a mesh.
//!
//! Sizes are those of the models' public `config.json`: Llama 3.1 8B (hidden 4096, 32 heads and 8 KV heads of
//! 128, feed-forward 14336) and DeepSeek-V3 (hidden 7168, 128 heads, query rank 1536, key-value rank 512,
//! head 128 + 64 rotary, value head 128, dense feed-forward 18432, expert 2048). BF16, 4096 tokens
//! (prefill); attention products are those of one head over these tokens.

use super::{Collectives, FusedRoot};
use crate::Error;
use noccl_coll::gemm::{Spread, SubmatrixShape};
use noccl_coll::{Algorithm, Choice, Inner, LineForm, PointForm};
use noccl_net::{AxiNetwork, Coord, Network};
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
    pub(super) fn cut(&self, network: AxiNetwork<'_>, slots: u32) -> Result<Cut, Error> {
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

// Which algorithms a word of the command line stands for.

/// Longest side of a mesh on which chains are tried: a chain takes a barrier per neighbour, a tree one per
/// doubling, and from 16 on the tree has been faster wherever both were run (`docs/gemm.md`).
const MAX_CHAIN_SIDE: u16 = 8;

/// Longest side on which a tree's payload is also tried in two chunks: each takes a barrier over the mesh
/// more per level.
const MAX_CHUNKED_SIDE: u16 = 16;

/// Reductions without barriers that are tried: those that are fastest for short, middle and long sums on 8x8.
const DELIVERED_SUMS: [(PointForm, u32); 3] = [
    (PointForm::Radix(4), 2),
    (PointForm::Lines(LineForm::Halving, LineForm::Halving), 1),
    (PointForm::Lines(LineForm::Halving, LineForm::Halving), 2),
];

/// Algorithms that spread submatrices, of which the fastest is taken.
pub(super) fn candidates(network: &Network, collectives: Collectives) -> Vec<Spread> {
    match collectives {
        Collectives::InNetwork => vec![Spread::InNetwork],
        Collectives::Deliveries => [1, 2, 4]
            .map(|chunks| Spread::Deliveries { chunks })
            .to_vec(),
        Collectives::Software => {
            let side = network.cluster_width().max(network.cluster_height());
            let mut all = vec![Spread::Tree];
            if side <= MAX_CHAIN_SIDE {
                all.extend([1, 2, 4].map(|chunks| Spread::Chain { chunks }));
            }
            all
        }
    }
}

/// An algorithm that reduces over the mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reduction {
    pub(super) choice: Choice,
    pub(super) root: Coord,
}

/// Algorithms that reduce, of which the fastest is taken. In the network the root in the middle has the shorter path
/// and the root in the corner fewer operands per router; software trees take the same steps to both.
pub(super) fn reductions(
    network: &Network,
    collectives: Collectives,
    root: FusedRoot,
) -> Vec<Reduction> {
    let (width, height) = (network.cluster_width(), network.cluster_height());
    let corner = Coord::new(0, 0);
    let at = |root: Coord| move |choice: Choice| Reduction { choice, root };
    match collectives {
        Collectives::InNetwork => {
            let roots = match root {
                FusedRoot::Best => vec![corner, Coord::new(width / 2, height / 2)],
                FusedRoot::Corner => vec![corner],
            };
            let choice = Choice::new(Algorithm::InNetwork, 1);
            roots.into_iter().map(|root| at(root)(choice)).collect()
        }
        Collectives::Deliveries => {
            let forms = DELIVERED_SUMS.map(|(form, chunks)| Choice::point_to_point(form, chunks));
            forms.map(at(corner)).to_vec()
        }
        Collectives::Software => {
            let side = width.max(height);
            let mut all = vec![
                Choice::new(Algorithm::Tree, 1),
                Choice::row_column(Inner::Tree, 1),
            ];
            if side <= MAX_CHUNKED_SIDE {
                all.push(Choice::new(Algorithm::Tree, 2));
                all.push(Choice::row_column(Inner::Tree, 2));
            }
            if side <= MAX_CHAIN_SIDE {
                all.extend([1, 2, 4].map(|chunks| Choice::row_column(Inner::Chain, chunks)));
            }
            all.into_iter().map(at(corner)).collect()
        }
    }
}
