// SPDX-License-Identifier: Apache-2.0
//! Where submatrices lie: in the memory tiles, who fetches them, and in every cluster's L1.
//!
//! With memory tiles west or east of the clusters, A's row i lies in the memory tile of that row, and the cluster next to it starts
//! the multicast. B's columns are distributed over all memory tiles, and the cluster of the column that stands in the memory
//! tile's row starts the multicast: so every row of links carries one A and (columns ÷ rows) B streams.
//! The farther a column is from the memory tiles, the nearer to the middle is its row, because a
//! column's latency is that of the path to it plus that of the path along it. With memory tiles south or north
//! B's columns lie next to them, and A's rows are distributed.

use super::SubmatrixShape;
use crate::CollError;
use noccl_net::counts::max_or_zero;
use noccl_net::{AxiNetwork, Coord, Network, TileRef};
use noccl_workload::Place;

/// One of the two inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Matrix {
    /// Left factor; a submatrix goes to one row of clusters.
    A,
    /// Right factor; a submatrix goes to one column of clusters.
    B,
}

impl Matrix {
    /// Both.
    pub const BOTH: [Matrix; 2] = [Matrix::A, Matrix::B];

    const fn other(self) -> Self {
        match self {
            Matrix::A => Matrix::B,
            Matrix::B => Matrix::A,
        }
    }
}

/// Places of all submatrices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GemmLayout {
    shape: SubmatrixShape,
    width: u16,
    height: u16,
    slots: u32,
    /// Memory tiles: one matrix lies there line by line, the other one is distributed over them.
    memories: EdgeMemories,
    /// Line next to whose memory tile a line of the distributed matrix lies, by line.
    distributed_to: Vec<u16>,
    /// Submatrices per line that lie in the memory tiles at a time.
    stored: u32,
    /// Lines of the distributed matrix that lie before this one in the same memory tile.
    distributed_ranks: Vec<u32>,
    c_bytes: u64,
    burst_boundary_bytes: u64,
    beat_bytes: u64,
}

impl GemmLayout {
    /// Places for `iterations` submatrices per row and column, of which a cluster holds `slots` at a time.
    ///
    /// # Errors
    /// [`CollError`] if the network has no memory tiles or something does not fit.
    pub fn new(
        network: AxiNetwork<'_>,
        shape: SubmatrixShape,
        slots: u32,
        iterations: u32,
    ) -> Result<Self, CollError> {
        let (width, height) = (network.cluster_width(), network.cluster_height());
        let memories = EdgeMemories::new(&network)?;
        let (lines, distributed) = match memories.matrix {
            Matrix::A => (height, width),
            Matrix::B => (width, height),
        };
        let middle_first = from_the_middle(lines);
        let mut distributed_to = vec![0; usize::from(distributed)];
        let mut distributed_ranks = vec![0; usize::from(distributed)];
        for (order, line) in memories.farthest_first(distributed).into_iter().enumerate() {
            distributed_to[usize::from(line)] = middle_first[order % usize::from(lines)];
            distributed_ranks[usize::from(line)] = (order / usize::from(lines)) as u32;
        }
        let layout = Self {
            shape,
            width,
            height,
            slots,
            memories,
            distributed_to,
            stored: iterations,
            distributed_ranks,
            c_bytes: shape.c_bytes()?,
            burst_boundary_bytes: network.axi().ni.burst_boundary_bytes.into(),
            beat_bytes: network.axi().ni.wide_beat(),
        };
        layout.check(&network)?;
        Ok(layout)
    }

    fn check(&self, network: &Network) -> Result<(), CollError> {
        let distributed = self.memories.matrix.other();
        let ends = (0..self.lines(distributed)).map(|line| {
            self.source(distributed, line, self.stored - 1).offset + self.stride(distributed)
        });
        let clusters = network.clusters().next();
        let needs = [
            (network.memories().next(), max_or_zero(ends)),
            (clusters, self.c_offset() + self.c_bytes),
        ];
        for (tile, needed_bytes) in needs {
            let Some(tile) = tile else { continue };
            let available_bytes = network.memory_bytes(tile);
            if needed_bytes > available_bytes {
                return Err(CollError::DoesNotFit {
                    algorithm: format!("gemm with --prefetch {} (fewer need less)", self.slots),
                    tile: network.tile_ref(tile).to_string(),
                    needed_bytes,
                    available_bytes,
                    limit: network.memory_field(tile),
                });
            }
        }
        Ok(())
    }

    /// Bytes of a submatrix.
    #[must_use]
    pub const fn bytes(&self, matrix: Matrix) -> u64 {
        match matrix {
            Matrix::A => self.shape.a_bytes(),
            Matrix::B => self.shape.b_bytes(),
        }
    }

    /// Bytes between submatrices, so that as few bursts as possible carry one: short ones do not cross the
    /// boundary of bursts. Every burst of a multicast has a response of its own to merge.
    const fn stride(&self, matrix: Matrix) -> u64 {
        let bytes = self.bytes(matrix);
        if bytes <= self.burst_boundary_bytes {
            bytes.next_power_of_two()
        } else {
            bytes.next_multiple_of(self.burst_boundary_bytes)
        }
    }

    /// Rows of clusters for A, columns for B: one stream of submatrices each.
    #[must_use]
    pub const fn lines(&self, matrix: Matrix) -> u16 {
        match matrix {
            Matrix::A => self.height,
            Matrix::B => self.width,
        }
    }

    /// Cluster that starts the transfers of a line: A's of row `line`, B's of column `line`.
    #[must_use]
    pub fn initiator(&self, matrix: Matrix, line: u16) -> Coord {
        let position = if matrix == self.memories.matrix {
            self.memories.edge
        } else {
            self.distributed_to[usize::from(line)]
        };
        match matrix {
            Matrix::A => Coord::new(position, line),
            Matrix::B => Coord::new(line, position),
        }
    }

    /// Where a submatrix lies before the run, in a memory tile.
    #[must_use]
    pub fn source(&self, matrix: Matrix, line: u16, iteration: u32) -> Place {
        let stream = u64::from(iteration % self.stored) * self.stride(matrix);
        let iterations = u64::from(self.stored);
        let along_lines = self.memories.matrix;
        if matrix == along_lines {
            return Place {
                tile: self.memories.tiles[usize::from(line)],
                offset: stream,
            };
        }
        let rank = u64::from(self.distributed_ranks[usize::from(line)]);
        let end = iterations * self.stride(along_lines);
        let start = end.next_multiple_of(self.stride(matrix));
        Place {
            tile: self.memories.tiles[usize::from(self.distributed_to[usize::from(line)])],
            offset: start + iterations * rank * self.stride(matrix) + stream,
        }
    }

    /// Offset in L1 of the slot of an iteration's submatrix.
    #[must_use]
    pub const fn slot(&self, matrix: Matrix, iteration: u32) -> u64 {
        let slot = (iteration % self.slots) as u64;
        match matrix {
            Matrix::A => slot * self.stride(Matrix::A),
            Matrix::B => self.b_start() + slot * self.stride(Matrix::B),
        }
    }

    /// Offset in L1 of the cluster's submatrix of C.
    #[must_use]
    pub const fn c_offset(&self) -> u64 {
        let end = self.b_start() + self.slots as u64 * self.stride(Matrix::B);
        end.next_multiple_of(self.beat_bytes)
    }

    /// Offset in L1 of the first slot of B.
    const fn b_start(&self) -> u64 {
        let end = self.slots as u64 * self.stride(Matrix::A);
        end.next_multiple_of(self.stride(Matrix::B))
    }

    /// Bytes of a beat, with which buffers begin.
    pub(super) const fn beat_bytes(&self) -> u64 {
        self.beat_bytes
    }

    /// Bytes of a cluster's submatrix of C.
    #[must_use]
    pub const fn c_bytes(&self) -> u64 {
        self.c_bytes
    }
}

/// All lines, those in the middle first.
fn from_the_middle(count: u16) -> Vec<u16> {
    let mut lines: Vec<u16> = (0..count).collect();
    lines.sort_by_key(|line| (*line).max(count - 1 - line));
    lines
}

// The memory tiles next to the clusters, on whichever side they stand: one per row of clusters (west or east of it) or one per
// column (south or north of it).
//
// Where they stand on several sides, those of the first one in this order are taken: west, east, south, north. What lies between a
// cluster and the edge of the mesh is memory, so every line of clusters has one, the nearest.

/// Memory tiles, one per line of clusters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EdgeMemories {
    /// Matrix of which each submatrix goes along one of these lines: A along rows, B along columns.
    pub(super) matrix: Matrix,
    /// Do they stand behind the last cluster of a line (east, north)?
    is_behind_last: bool,
    /// Coordinate along the line of the cluster next to them.
    pub(super) edge: u16,
    /// The tiles, by line.
    pub(super) tiles: Vec<TileRef>,
}

impl EdgeMemories {
    /// Those of a network.
    ///
    /// # Errors
    /// [`CollError::Impossible`] if there is no memory tile.
    pub(super) fn new(network: &Network) -> Result<Self, CollError> {
        let (width, height) = (network.cluster_width(), network.cluster_height());
        let origin = network.cluster_origin();
        let (east, north) = (origin.x + width, origin.y + height);
        let along_row = |x: u16| (0..height).map(|y| Coord::new(x, origin.y + y)).collect();
        let along_column = |y: u16| (0..width).map(|x| Coord::new(origin.x + x, y)).collect();
        let (matrix, is_behind_last, at): (_, _, Vec<Coord>) = if let Some(x) =
            origin.x.checked_sub(1)
        {
            (Matrix::A, false, along_row(x))
        } else if east < network.width() {
            (Matrix::A, true, along_row(east))
        } else if let Some(y) = origin.y.checked_sub(1) {
            (Matrix::B, false, along_column(y))
        } else if north < network.height() {
            (Matrix::B, true, along_column(north))
        } else {
            return Err(CollError::Impossible(
                "no memory tile holds the matrices; accepted: a network with memory tiles west, east, south or north \
                 of its clusters"
                    .to_owned(),
            ));
        };
        let length = match matrix {
            Matrix::A => width,
            Matrix::B => height,
        };
        let tile = |at| network.tile_ref(network.tile_at(at));
        Ok(Self {
            matrix,
            is_behind_last,
            edge: if is_behind_last { length - 1 } else { 0 },
            tiles: at.into_iter().map(tile).collect(),
        })
    }

    /// The positions along a line of `length` clusters, the farthest from the memory tile first.
    fn farthest_first(&self, length: u16) -> Vec<u16> {
        let positions = 0..length;
        if self.is_behind_last {
            positions.collect()
        } else {
            positions.rev().collect()
        }
    }

    /// The memory tile of a cluster's line, and the cluster's position along it.
    pub(super) fn of(&self, at: Coord) -> (TileRef, u16) {
        let (line, position) = match self.matrix {
            Matrix::A => (at.y, at.x),
            Matrix::B => (at.x, at.y),
        };
        (self.tiles[usize::from(line)], position)
    }
}
