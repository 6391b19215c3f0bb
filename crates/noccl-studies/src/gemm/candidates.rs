// SPDX-License-Identifier: Apache-2.0
//! Which algorithms a word of the command line stands for.

use super::{Collectives, FusedRoot};
use noccl_coll::gemm::Spread;
use noccl_coll::{Algorithm, Choice, Inner, LineForm, PointForm};
use noccl_net::{Coord, Network};

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
            let forms = DELIVERED_SUMS.map(|(form, pieces)| Choice::point_to_point(form, pieces));
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
