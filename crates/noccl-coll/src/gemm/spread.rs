// SPDX-License-Identifier: Apache-2.0
//! How the submatrices of one iteration reach the clusters of their rows and columns.

use super::layout::{GemmLayout, Matrix};
use super::{GemmProgram, Mesh};
use crate::plan::mesh_order::{chain_stages, from_position, tree_order, tree_stages};
use crate::steps::{at, transfer};
use noccl_net::counts::max_or_zero;
use noccl_net::{Coord, TileRef};
use noccl_workload::{ActionId, ActionKind, Destination, Place, Transfer};
use std::collections::{BTreeMap, HashMap};
use std::fmt;

/// How a submatrix reaches all clusters of its row or column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Spread {
    /// The network's multicast.
    InNetwork,
    /// A binary tree of DMA writes with a barrier between its levels (S1 eq. (3)).
    Tree,
    /// From neighbour to neighbour in `chunks` chunks, a barrier after every step (S1 eq. (1), (2)).
    Chain {
        /// Chunks of a submatrix, at least 1.
        chunks: u32,
    },
    /// A binary tree of deliveries in `chunks` chunks, each passed on when it has come: no barrier within an iteration.
    Deliveries {
        /// Chunks of a submatrix, at least 1.
        chunks: u32,
    },
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Spread::InNetwork => f.write_str("in_network"),
            Spread::Tree => f.write_str("tree"),
            Spread::Chain { chunks } => write!(f, "chain:{chunks}"),
            Spread::Deliveries { chunks } => write!(f, "deliveries:{chunks}"),
        }
    }
}

/// One hand-over: from a place to a cluster, by a cluster's DMA engine.
#[derive(Debug, Clone, Copy)]
struct SpreadHop {
    initiator: Coord,
    pub(super) from: Place,
    pub(super) to: Coord,
}

/// What spreading needs to know.
#[derive(Debug, Clone, Copy)]
pub(super) struct SpreadTask<'a> {
    pub(super) layout: &'a GemmLayout,
    pub(super) mesh: Mesh,
    pub(super) spread: Spread,
}

impl SpreadTask<'_> {
    /// The network's multicast of one line.
    pub(super) fn multicast(&self, matrix: Matrix, line: u16, iteration: u32) -> Transfer {
        let set = match matrix {
            Matrix::A => self.mesh.row(line),
            Matrix::B => self.mesh.column(line),
        };
        transfer(
            self.layout.initiator(matrix, line),
            self.layout.source(matrix, line, iteration),
            Destination::Multicast {
                set,
                offset: self.layout.slot(matrix, iteration),
            },
            self.layout.bytes(matrix),
        )
    }

    /// Transfers of these iterations, with the barriers that software needs between its steps. Returns the
    /// transfers that no barrier follows yet. All come after `start`, if there is one.
    pub(super) fn emit(
        &self,
        iterations: std::ops::Range<u32>,
        start: Option<ActionId>,
        program: &mut GemmProgram,
    ) -> Spreading {
        match self.spread {
            Spread::InNetwork => self.by_network(iterations, start, program),
            Spread::Tree => self.in_steps(iterations, start, 1, program),
            Spread::Chain { chunks } => self.in_steps(iterations, start, chunks, program),
            Spread::Deliveries { chunks } => self.by_deliveries(iterations, start, chunks, program),
        }
    }

    fn by_network(
        &self,
        iterations: std::ops::Range<u32>,
        start: Option<ActionId>,
        program: &mut GemmProgram,
    ) -> Spreading {
        let mut all = Vec::new();
        for iteration in iterations {
            for matrix in Matrix::BOTH {
                for line in 0..self.layout.lines(matrix) {
                    let kind = ActionKind::Transfer(self.multicast(matrix, line, iteration));
                    all.push(program.add(kind, start.into_iter().collect()));
                }
            }
        }
        Spreading {
            first: all.clone(),
            last: all,
        }
    }

    /// As many chunks as the longer submatrix has beats, at most.
    fn useful_chunks(&self, chunks: u32) -> u32 {
        let beat = self.layout.beat_bytes();
        let beats = Matrix::BOTH.map(|matrix| self.layout.bytes(matrix).div_ceil(beat));
        u64::from(chunks).min(beats[0].max(beats[1])) as u32
    }

    /// Chunk c passes stage s in step c + s.
    fn in_steps(
        &self,
        iterations: std::ops::Range<u32>,
        start: Option<ActionId>,
        chunks: u32,
        program: &mut GemmProgram,
    ) -> Spreading {
        let stages = Matrix::BOTH.map(|matrix| self.stages(matrix));
        let chunks = self.useful_chunks(chunks);
        let num_stages = max_or_zero(stages.iter().map(Vec::len));
        let mut last: Vec<ActionId> = Vec::new();
        let mut first = Vec::new();
        let mut barrier = start;
        // A cluster's own transfers of the steps since the last barrier.
        let mut started: BTreeMap<Coord, Vec<ActionId>> = BTreeMap::new();
        for step in 0..num_stages + chunks as usize - 1 {
            if step > 0 && self.needs_barrier(step) {
                let mut after = std::mem::take(&mut last);
                // A step may be empty: short submatrices have fewer chunks.
                after.extend(barrier);
                barrier = Some(program.add(self.mesh.barrier(), after));
                started.clear();
            }
            let mut now: BTreeMap<Coord, Vec<ActionId>> = BTreeMap::new();
            for one in self.in_step(&stages, step, chunks, &iterations) {
                let before = started.get(&one.hop.initiator).into_iter().flatten();
                let after = barrier.iter().chain(before).copied().collect();
                let id = program.add(one.kind, after);
                now.entry(one.hop.initiator).or_default().push(id);
                last.push(id);
            }
            if step == 0 {
                first.clone_from(&last);
            }
            now.into_iter()
                .for_each(|(at, ids)| started.entry(at).or_default().extend(ids));
        }
        if last.is_empty() {
            last.extend(barrier);
        }
        Spreading { first, last }
    }

    /// Transfers of a step of the pipeline, in which chunk c passes stage s in step c + s.
    fn in_step(
        &self,
        stages: &[SpreadStages; 2],
        step: usize,
        chunks: u32,
        iterations: &std::ops::Range<u32>,
    ) -> Vec<ChunkTransfer> {
        let mut found = Vec::new();
        for (matrix, stages) in Matrix::BOTH.into_iter().zip(stages) {
            for chunk in 0..chunks {
                let stage = step.checked_sub(chunk as usize).and_then(|s| stages.get(s));
                for (line, hop) in stage.into_iter().flatten() {
                    found.extend(iterations.clone().filter_map(|iteration| {
                        let of_all = (chunk, chunks);
                        Some(ChunkTransfer {
                            kind: self.chunk_transfer(matrix, *line, iteration, *hop, of_all)?,
                            matrix,
                            iteration,
                            chunk,
                            hop: *hop,
                        })
                    }));
                }
            }
        }
        found
    }

    /// A tree's first level is started by the cluster that has read the submatrix itself.
    const fn needs_barrier(&self, step: usize) -> bool {
        match self.spread {
            Spread::Tree => step > 1,
            Spread::InNetwork | Spread::Chain { .. } | Spread::Deliveries { .. } => true,
        }
    }

    /// Hand-overs by stage: the initiator reads from the memory tile, then along the line.
    fn stages(&self, matrix: Matrix) -> SpreadStages {
        let mut stages: SpreadStages = vec![Vec::new()];
        for line in 0..self.layout.lines(matrix) {
            let entry = self.layout.initiator(matrix, line);
            let from = self.layout.source(matrix, line, 0);
            stages[0].push((
                line,
                SpreadHop {
                    initiator: entry,
                    from,
                    to: entry,
                },
            ));
            for (s, edges) in self.edges(matrix, entry).into_iter().enumerate() {
                if stages.len() == s + 1 {
                    stages.push(Vec::new());
                }
                let hops = edges.into_iter().map(|(from, to)| {
                    let initiator = match self.spread {
                        Spread::Tree | Spread::Deliveries { .. } => from,
                        Spread::InNetwork | Spread::Chain { .. } => to,
                    };
                    let from = at(from, 0);
                    (
                        line,
                        SpreadHop {
                            initiator,
                            from,
                            to,
                        },
                    )
                });
                stages[s + 1].extend(hops);
            }
        }
        stages
    }

    fn edges(&self, matrix: Matrix, entry: Coord) -> Vec<Vec<(Coord, Coord)>> {
        let (length, start) = match matrix {
            Matrix::A => (self.mesh.width, entry.x),
            Matrix::B => (self.mesh.height, entry.y),
        };
        let line: Vec<u16> = (0..length).collect();
        let stages = match self.spread {
            Spread::Tree | Spread::Deliveries { .. } => tree_stages(&tree_order(line, &start)),
            Spread::Chain { .. } => chain_stages(&from_position(line, usize::from(start))),
            Spread::InNetwork => Vec::new(),
        };
        let cluster = |at: u16| match matrix {
            Matrix::A => Coord::new(at, entry.y),
            Matrix::B => Coord::new(entry.x, at),
        };
        let edge = |(a, b): (u16, u16)| (cluster(a), cluster(b));
        stages
            .into_iter()
            .map(|stage| stage.into_iter().map(edge).collect())
            .collect()
    }

    /// One chunk of one submatrix; none if the submatrix has fewer beats than chunks.
    fn chunk_transfer(
        &self,
        matrix: Matrix,
        line: u16,
        iteration: u32,
        hop: SpreadHop,
        (chunk, chunks): (u32, u32),
    ) -> Option<ActionKind> {
        let bytes = self.layout.bytes(matrix);
        let beat = self.layout.beat_bytes();
        let chunk_bytes = bytes.div_ceil(beat).div_ceil(u64::from(chunks)) * beat;
        let start = u64::from(chunk) * chunk_bytes;
        let length = bytes
            .checked_sub(start)
            .filter(|rest| *rest > 0)?
            .min(chunk_bytes);
        let slot = self.layout.slot(matrix, iteration) + start;
        let from = match hop.from.tile {
            TileRef::Memory(_) => {
                let source = self.layout.source(matrix, line, iteration);
                Place {
                    offset: source.offset + start,
                    ..source
                }
            }
            TileRef::Cluster(_) => Place {
                offset: slot,
                ..hop.from
            },
        };
        let to = Place {
            tile: TileRef::Cluster(hop.to),
            offset: slot,
        };
        let kind = transfer(hop.initiator, from, Destination::One(to), length);
        Some(ActionKind::Transfer(kind))
    }
}

/// Transfers of a group of iterations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spreading {
    /// Those of the first step.
    pub(super) first: Vec<ActionId>,
    /// Those after the last barrier.
    pub(super) last: Vec<ActionId>,
}

/// Hand-overs by stage, with the row or column of the mesh that they serve.
type SpreadStages = Vec<Vec<(u16, SpreadHop)>>;

/// A chunk of a submatrix on its path.
struct ChunkTransfer {
    kind: ActionKind,
    matrix: Matrix,
    iteration: u32,
    chunk: u32,
    hop: SpreadHop,
}

// Submatrices along trees of deliveries: whoever has a chunk passes it on, without barriers within an iteration.

/// A chunk of a submatrix at a cluster: matrix, iteration, chunk.
type GemmChunk = (Matrix, u32, u32, Coord);

impl SpreadTask<'_> {
    /// The transfers stand in the order of a pipeline: chunk c passes stage s in step c + s.
    fn by_deliveries(
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
            for one in self.in_step(&stages, step, chunks, &iterations) {
                let key = |at: Coord| (one.matrix, one.iteration, one.chunk, at);
                let (from, to) = (one.hop.from.tile, one.hop.to);
                let (kind, before) = match from {
                    TileRef::Cluster(from) => {
                        (delivery(one.kind), brought.get(&key(from)).copied())
                    }
                    TileRef::Memory(_) => (one.kind, None),
                };
                let after = start.into_iter().chain(before).collect();
                let id = program.add(kind, after);
                if before.is_none() {
                    first.push(id);
                }
                brought.insert(key(to), id);
                last.push(id);
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
