// SPDX-License-Identifier: Apache-2.0
//! The memory tiles beside the clusters, on whichever side they stand: one per row of clusters (west or east of it) or one per
//! column (south or north of it).
//!
//! Where they stand on several sides, those of the first one in this order are taken: west, east, south, north. What lies between a
//! cluster and the edge of the mesh is memory, so every line of clusters has one, the nearest.

use super::Matrix;
use crate::CollError;
use noccl_net::{Coord, Network, TileRef};

/// Memory tiles, one per line of clusters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Beside {
    /// Matrix of which each submatrix goes along one of these lines: A along rows, B along columns.
    pub(super) matrix: Matrix,
    /// Do they stand behind the last cluster of a line (east, north)?
    is_behind_last: bool,
    /// Coordinate along the line of the cluster next to them.
    pub(super) edge: u16,
    /// The tiles, by line.
    pub(super) tiles: Vec<TileRef>,
}

impl Beside {
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
    pub(super) fn farthest_first(&self, length: u16) -> Vec<u16> {
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
