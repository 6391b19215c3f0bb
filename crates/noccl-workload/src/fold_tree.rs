// SPDX-License-Identifier: Apache-2.0
//! The documented fold order of an in-network reduction.
//!
//! Floating-point addition is not associative, so the result of a reduction is defined only together
//! with its order. The order follows from geometry alone, never from arrival: at every router the
//! operands in port order North, East, South, West, Local, reduced from the left; contributions travel
//! along X into the root's column, then along Y to the root.

use noccl_net::tree::{Cube, join_set};
use noccl_net::{Coord, MultiAddress, Network, Port};
use std::fmt;

/// An expression over the contributions: what is combined with what, in which order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoldTree {
    /// Contribution of a member, by cluster coordinate.
    Member(Coord),
    /// Operands reduced from the left, at least one.
    Fold(Vec<FoldTree>),
}

/// Fold order of the reduction of `group` towards the cluster `root` (cluster coordinates, all present).
#[must_use]
pub fn fold_order(network: &Network, group: MultiAddress, root: Coord) -> FoldTree {
    let root = network.mesh_coord(root);
    fold_at(network, network.cube(group), root, root)
}

fn fold_at(network: &Network, group: Cube, root: Coord, here: Coord) -> FoldTree {
    let ports = join_set(here, group, root);
    let mut operands: Vec<FoldTree> = Port::ALL
        .into_iter()
        .filter(|port| ports & port.bit() != 0)
        .filter_map(|port| match port {
            Port::Local => network.cluster_coord(here).map(FoldTree::Member),
            Port::North | Port::East | Port::South | Port::West => network
                .neighbour(here, port)
                .map(|next| fold_at(network, group, root, next)),
        })
        .collect();
    if operands.len() == 1 {
        operands.swap_remove(0)
    } else {
        FoldTree::Fold(operands)
    }
}

impl fmt::Display for FoldTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FoldTree::Member(at) => write!(f, "{at}"),
            FoldTree::Fold(operands) => {
                f.write_str("[")?;
                for (i, operand) in operands.iter().enumerate() {
                    let comma = if i == 0 { "" } else { ", " };
                    write!(f, "{comma}{operand}")?;
                }
                f.write_str("]")
            }
        }
    }
}
