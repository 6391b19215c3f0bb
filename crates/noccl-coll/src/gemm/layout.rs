// SPDX-License-Identifier: Apache-2.0
//! Where submatrices lie: in the memory tiles, who fetches them, and in every cluster's L1.
//!
//! A's row i lies in the memory tile of mesh row i, and the cluster beside it starts the multicast. B's
//! columns are dealt over all memory tiles, and the cluster of the column that stands in the memory
//! tile's row starts the multicast: so every row of links carries one A and (columns ÷ rows) B streams.
//! The farther a column is from the memory tiles, the nearer to the middle is its row, because a
//! column's latency is the path to it plus the path along it.

use super::SubmatrixShape;
use crate::CollError;
use noccl_net::{Coord, Network, TileId, TileRef};
use noccl_workload::Place;

/// One of the two inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matrix {
    /// Left factor; a submatrix goes to one row of clusters.
    A,
    /// Right factor; a submatrix goes to one column of clusters.
    B,
}

impl Matrix {
    /// Both.
    pub const BOTH: [Matrix; 2] = [Matrix::A, Matrix::B];
}

/// Places of all submatrices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    shape: SubmatrixShape,
    width: u16,
    height: u16,
    slots: u32,
    /// Row of clusters whose memory tile holds a column of B, by column.
    b_rows: Vec<u16>,
    /// Submatrices per line that lie in the memory tiles at a time.
    stored: u32,
    /// Columns of B that lie before this one in the same memory tile.
    b_ranks: Vec<u32>,
    c_bytes: u64,
    burst_boundary_bytes: u64,
}

impl Layout {
    /// Places for `iterations` submatrices per row and column, of which a cluster holds `slots` at a time.
    ///
    /// # Errors
    /// [`CollError`] if the network has no column of memory tiles or something does not fit.
    pub fn new(
        network: &Network,
        shape: SubmatrixShape,
        slots: u32,
        iterations: u32,
    ) -> Result<Self, CollError> {
        let (width, height) = (network.cluster_width(), network.cluster_height());
        let row_of = |at: TileId| network.coord(at).y;
        let rows = (0..height).map(|y| network.mesh_coord(Coord::new(0, y)).y);
        let memories = network.memories().map(row_of).take(height.into());
        if !memories.eq(rows) {
            return Err(CollError::Impossible(format!(
                "memory tiles elsewhere than in the {height} rows of clusters; accepted: mem:N in row N"
            )));
        }
        let middle_first = rows_from_the_middle(height);
        let mut b_rows = vec![0; usize::from(width)];
        let mut b_ranks = vec![0; usize::from(width)];
        for (order, column) in (0..usize::from(width)).rev().enumerate() {
            b_rows[column] = middle_first[order % usize::from(height)];
            b_ranks[column] = (order / usize::from(height)) as u32;
        }
        let layout = Self {
            shape,
            width,
            height,
            slots,
            b_rows,
            stored: iterations,
            b_ranks,
            c_bytes: shape.c_bytes()?,
            burst_boundary_bytes: network.spec().ni.burst_boundary_bytes.into(),
        };
        layout.check(network)?;
        Ok(layout)
    }

    fn check(&self, network: &Network) -> Result<(), CollError> {
        let last = self.lines(Matrix::B) - 1;
        let ends = (0..=last).map(|column| {
            self.source(Matrix::B, column, self.stored - 1).offset + self.stride(Matrix::B)
        });
        let clusters = network.clusters().next();
        let needs = [
            (network.memories().next(), ends.max().unwrap_or(0)),
            (clusters, self.c_offset() + self.c_bytes),
        ];
        for (tile, needed_bytes) in needs {
            let Some(tile) = tile else { continue };
            let available_bytes = network.memory_bytes(tile);
            if needed_bytes > available_bytes {
                return Err(CollError::DoesNotFit {
                    algorithm: format!("gemm with {} slots", self.slots),
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
        match matrix {
            Matrix::A => Coord::new(0, line),
            Matrix::B => Coord::new(line, self.b_rows[usize::from(line)]),
        }
    }

    /// Where a submatrix lies before the run, in a memory tile.
    #[must_use]
    pub fn source(&self, matrix: Matrix, line: u16, iteration: u32) -> Place {
        let stream = u64::from(iteration % self.stored) * self.stride(matrix);
        let iterations = u64::from(self.stored);
        match matrix {
            Matrix::A => Place {
                tile: TileRef::Memory(line.into()),
                offset: stream,
            },
            Matrix::B => {
                let rank = u64::from(self.b_ranks[usize::from(line)]);
                let a_end = iterations * self.stride(Matrix::A);
                let start = a_end.next_multiple_of(self.stride(Matrix::B));
                Place {
                    tile: TileRef::Memory(self.b_rows[usize::from(line)].into()),
                    offset: start + iterations * rank * self.stride(Matrix::B) + stream,
                }
            }
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
        end.next_multiple_of(64)
    }

    /// Offset in L1 of the first slot of B.
    const fn b_start(&self) -> u64 {
        let end = self.slots as u64 * self.stride(Matrix::A);
        end.next_multiple_of(self.stride(Matrix::B))
    }

    /// Bytes of a cluster's submatrix of C.
    #[must_use]
    pub const fn c_bytes(&self) -> u64 {
        self.c_bytes
    }
}

/// All rows, those in the middle first.
fn rows_from_the_middle(height: u16) -> Vec<u16> {
    let mut rows: Vec<u16> = (0..height).collect();
    rows.sort_by_key(|row| (*row).max(height - 1 - row));
    rows
}
