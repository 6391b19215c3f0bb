// SPDX-License-Identifier: Apache-2.0
//! Submatrices along trees of deliveries: whoever has a piece passes it on, without barriers within an iteration.

use super::layout::Matrix;
use super::program::GemmProgram;
use super::spread::{SpreadTask, Spreading};
use noccl_net::counts::max_or_zero;
use noccl_net::{Coord, TileRef};
use noccl_workload::{ActionId, ActionKind};
use std::collections::HashMap;

/// A piece of a submatrix at a cluster: matrix, iteration, chunk.
type GemmChunk = (Matrix, u32, u32, Coord);

impl SpreadTask<'_> {
    /// The transfers stand in the order of a pipeline: chunk c passes stage s in step c + s.
    pub(super) fn by_deliveries(
        &self,
        iterations: std::ops::Range<u32>,
        start: Option<ActionId>,
        chunks: u32,
        program: &mut GemmProgram,
    ) -> Spreading {
        let stages = Matrix::BOTH.map(|matrix| self.stages(matrix));
        let chunks = self.useful_chunks(chunks);
        let num_stages = max_or_zero(stages.iter().map(Vec::len));
        let (mut first, mut last) = (Vec::new(), Vec::new());
        let mut brought: HashMap<GemmChunk, ActionId> = HashMap::new();
        for step in 0..num_stages + chunks as usize - 1 {
            for (matrix, stages) in Matrix::BOTH.into_iter().zip(&stages) {
                for chunk in 0..chunks {
                    let stage = step.checked_sub(chunk as usize).and_then(|s| stages.get(s));
                    for (line, hop) in stage.into_iter().flatten() {
                        for iteration in iterations.clone() {
                            let Some(kind) =
                                self.hand_over(matrix, *line, iteration, *hop, (chunk, chunks))
                            else {
                                continue;
                            };
                            let piece = |at: Coord| (matrix, iteration, chunk, at);
                            let (kind, before) = match hop.from.tile {
                                TileRef::Cluster(from) => {
                                    (delivery(kind), brought.get(&piece(from)).copied())
                                }
                                TileRef::Memory(_) => (kind, None),
                            };
                            let after = start.into_iter().chain(before).collect();
                            let id = program.add(kind, after);
                            if before.is_none() {
                                first.push(id);
                            }
                            brought.insert(piece(hop.to), id);
                            last.push(id);
                        }
                    }
                }
            }
        }
        last.extend(start.filter(|_| last.is_empty()));
        Spreading { first, last }
    }
}

/// The same movement, which wakes its destination.
fn delivery(kind: ActionKind) -> ActionKind {
    match kind.transfer() {
        Some(transfer) => ActionKind::Delivery(transfer.clone()),
        None => kind,
    }
}
