// SPDX-License-Identifier: Apache-2.0
//! Packets of published routers: which input holds which output, and what joins take.

use crate::router::collective::control::block::{LANES, PORTS, RESULT};
use crate::transport::flit::Flit;
use serde::{Deserialize, Serialize};

/// Extra registers of published routers, as bit planes per block.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PublishedPackets {
    /// Per output and input: the input's packet holds the output.
    pub holds: Vec<[[u64; RESULT + 1]; PORTS]>,
    /// Outputs that a merged flit takes in this cycle.
    pub taken: Vec<[u64; PORTS]>,
    /// Merged flits of this cycle: router, output, flit.
    pub(super) joined: Vec<(u32, u8, Flit)>,
    /// Per router and output: the holding packet's transaction, and since when it holds the output.
    held: Vec<[(u32, u64); PORTS]>,
    /// The cycle being evaluated.
    pub cycle: u64,
}

impl PublishedPackets {
    pub(crate) fn new(tiles: usize) -> Self {
        let blocks = tiles.div_ceil(LANES);
        Self {
            holds: vec![[[0; RESULT + 1]; PORTS]; blocks],
            taken: vec![[0; PORTS]; blocks],
            joined: Vec::new(),
            held: vec![[(0, 0); PORTS]; tiles],
            cycle: 0,
        }
    }

    /// Input whose packet holds an output.
    pub(crate) fn holder(&self, r: usize, out: usize) -> Option<usize> {
        let holds = &self.holds[r / LANES][out];
        (0..=RESULT).find(|i| holds[*i] >> (r % LANES) & 1 != 0)
    }

    /// Transaction of the packet that holds an output, and since when, for diagnosis.
    pub(crate) fn held(&self, r: usize, out: usize) -> (u32, u64) {
        self.held[r][out]
    }

    /// A flit has passed from `input` to `out`: hold or release the output.
    pub(crate) fn passed(&mut self, w: usize, lane: usize, input: usize, out: usize, flit: Flit) {
        let holds = &mut self.holds[w][out];
        if holds.iter().all(|h| h >> lane & 1 == 0) {
            self.held[w * LANES + lane][out] = (flit.txn, self.cycle);
        }
        holds.iter_mut().for_each(|h| *h &= !(1 << lane));
        holds[input] |= u64::from(!flit.is_last()) << lane;
    }
}
