// SPDX-License-Identifier: Apache-2.0
//! Which algorithms a word of the command line stands for.

use super::Collectives;
use noccl_coll::gemm::Spread;
use noccl_net::Network;

/// Longest side of a mesh on which chains are tried: a chain takes a barrier per neighbour, a tree one per
/// doubling, and from 16 on the tree has been faster wherever both were run (`docs/gemm.md`).
const MAX_CHAIN_SIDE: u16 = 8;

/// Ways to spread submatrices, of which the fastest is taken.
pub(super) fn candidates(network: &Network, collectives: Collectives) -> Vec<Spread> {
    match collectives {
        Collectives::InNetwork => vec![Spread::InNetwork],
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
