// SPDX-License-Identifier: Apache-2.0
//! Inputs that are blocked in a cycle, read off the registers between arbitration and commit.

use crate::router::collective::control::block::{LANES, LOCAL, PORTS, RESULT};
use crate::router::collective::plane::PlaneState;
use crate::transport::transaction::Trees;

/// Routers of a block whose input keeps its first flit in this cycle, by cause; each router is in one set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockedHeads {
    /// An output has no space.
    pub no_space: u64,
    /// The interface behind the Local output takes something else, or nothing.
    pub no_delivery: u64,
    /// Another packet has an output to another router.
    pub lost: u64,
    /// A contribution stays at its merge point.
    pub joining: u64,
}

impl PlaneState {
    /// Blocks that hold flits, ascending.
    pub(crate) fn active_blocks(&self) -> impl Iterator<Item = usize> + '_ {
        let mut next = 0;
        std::iter::from_fn(move || {
            let found = self.active.next_member(next)?;
            next = found + 1;
            Some(found)
        })
    }

    /// Routers of a block whose input `port` is blocked; `None` if none is. A request that stands after the arbitration has lost it if
    /// the output was granted or is held; else the output had no space.
    #[inline]
    pub(crate) fn blocked_heads(&self, w: usize, port: usize) -> Option<BlockedHeads> {
        let block = &self.blocks[w];
        let stays = block.in_any[port] & !block.popped[port];
        if stays == 0 {
            return None;
        }
        let (mut lost, mut no_space, mut no_delivery) = (0, 0, 0);
        for out in 0..PORTS {
            let asked = block.requests[out][port] & stays;
            let mut held = block.switched[out];
            if let Some(published) = &self.published {
                let others = (0..=RESULT).filter(|input| *input != port);
                let holds = &published.holds[w][out];
                held |= others.fold(published.taken[w][out], |all, input| all | holds[input]);
            }
            if out == LOCAL {
                no_delivery |= asked;
            } else {
                lost |= asked & held;
                no_space |= asked & !held;
            }
        }
        let joining = block.join_heads[port] & stays;
        let others = no_space | no_delivery;
        Some(BlockedHeads {
            no_space,
            no_delivery: no_delivery & !no_space,
            lost: lost & !others,
            joining: joining & !others & !lost,
        })
    }

    /// Of these routers of a block, published ones, those whose contribution at an input waits for other ones.
    pub(crate) fn lanes_missing_contributions(
        &self,
        (w, port): (usize, usize),
        lanes: u64,
        trees: &Trees,
    ) -> u64 {
        let is_missing =
            |lane: &usize| self.missing_contributions(w * LANES + lane, port, trees) != 0;
        let joining = (0..LANES).filter(|lane| lanes >> lane & 1 != 0);
        joining
            .filter(is_missing)
            .fold(0, |set, lane| set | 1 << lane)
    }
}
