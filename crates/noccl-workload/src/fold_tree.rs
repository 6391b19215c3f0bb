// SPDX-License-Identifier: Apache-2.0
//! The documented fold order of an in-network reduction.
//!
//! Floating-point addition is not associative, so the result of a reduction is defined only together
//! with its order. The order follows from geometry and length alone, never from arrival: at every router the
//! operands in port order North, East, South, West, Local, reduced from the left; contributions travel
//! along X into the root's column, then along Y to the root. On networks with bypass a single beat meets in pairs
//! ([`noccl_net::pairs`]).

use crate::InNetworkReduction;
use noccl_net::pairs::{FoldOrder, operands};
use noccl_net::tree::{Cube, join_set};
use noccl_net::{Coord, Network, Port, TileRef};
use std::fmt;

/// An expression over the contributions: what is combined with what, in which order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoldTree {
    /// Contribution of a member, by cluster coordinate.
    Member(Coord),
    /// Operands reduced from the left, at least one.
    Fold(Vec<FoldTree>),
}

impl InNetworkReduction {
    /// Where its contributions meet.
    #[must_use]
    pub fn fold_order(&self, network: &Network) -> FoldOrder {
        let TileRef::Cluster(root) = self.root.tile else {
            return FoldOrder::ByRouter;
        };
        let ni = &network.axi().ni;
        let beats = ni.beats((self.root.offset % ni.wide_beat()).saturating_add(self.bytes));
        network.fold_order(self.group, network.mesh_coord(root), beats)
    }
}

/// Fold order of a reduction, whose group and root are present; `None` if its root is no cluster.
#[must_use]
pub fn fold_tree(network: &Network, reduction: &InNetworkReduction) -> Option<FoldTree> {
    let TileRef::Cluster(root) = reduction.root.tile else {
        return None;
    };
    let (group, root) = (network.cube(reduction.group), network.mesh_coord(root));
    Some(match reduction.fold_order(network) {
        FoldOrder::ByRouter => fold_at(network, group, root, root),
        FoldOrder::InPairs => pairs_at(network, group, root, root),
    })
}

/// What leaves the router of a member.
fn pairs_at(network: &Network, group: Cube, root: Coord, here: Coord) -> FoldTree {
    let operand = |from: Coord| {
        if from == here {
            network.cluster_coord(here).map(FoldTree::Member)
        } else {
            Some(pairs_at(network, group, root, from))
        }
    };
    combined(operands(here, group, root).filter_map(operand).collect())
}

fn fold_at(network: &Network, group: Cube, root: Coord, here: Coord) -> FoldTree {
    let ports = join_set(here, group, root);
    let inputs = Port::ALL.into_iter().filter(|port| ports & port.bit() != 0);
    let operand = |port: Port| match port {
        Port::Local => network.cluster_coord(here).map(FoldTree::Member),
        Port::North | Port::East | Port::South | Port::West => network
            .neighbour(here, port)
            .map(|next| fold_at(network, group, root, next)),
    };
    combined(inputs.filter_map(operand).collect())
}

fn combined(mut operands: Vec<FoldTree>) -> FoldTree {
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
