// SPDX-License-Identifier: Apache-2.0
//! Since when flits stand at the heads of FIFOs, for the diagnosis of a stall.
//!
//! Published routers note it from the start. The default flow starts one when a stated limit makes
//! a flit wait that could otherwise always go on (a full store, all barrier counters in use): before
//! that nothing in it can wait forever, and the hot loop has one test per plane and cycle.

use crate::router::collective::control::block::PORTS;
use crate::transport::flit::{Flit, FlitKind};
use serde::{Deserialize, Serialize};

/// One FIFO: its head, since when it stands there, since when the FIFO is full.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Seen {
    head: Option<(u32, u16, FlitKind)>,
    head_since: u64,
    full_since: Option<u64>,
}

/// All FIFOs of a plane, per router five inputs and five outputs.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct HeadAges {
    seen: Vec<[Seen; 2 * PORTS]>,
}

impl HeadAges {
    pub(crate) fn new(tiles: usize) -> Self {
        let nothing = Seen {
            head: None,
            head_since: 0,
            full_since: None,
        };
        Self {
            seen: vec![[nothing; 2 * PORTS]; tiles],
        }
    }

    /// Looks at the FIFOs of one router: `fifo(is_input, port)` are the flits of one, head first, and whether it is full.
    pub(crate) fn observe<F: Iterator<Item = Flit>>(
        &mut self,
        r: usize,
        cycle: u64,
        fifo: impl Fn(bool, usize) -> (F, bool),
    ) {
        for (at, seen) in self.seen[r].iter_mut().enumerate() {
            let (is_input, port) = (at < PORTS, at % PORTS);
            let (mut fifo, is_full) = fifo(is_input, port);
            let head = fifo.next().map(|f: Flit| (f.txn, f.beat, f.kind));
            if head != seen.head {
                seen.head = head;
                seen.head_since = cycle;
            }
            seen.full_since = is_full.then(|| seen.full_since.unwrap_or(cycle));
        }
    }

    /// Cycle in which the head of a FIFO became its head.
    pub(crate) fn head_since(&self, r: usize, is_input: bool, port: usize) -> u64 {
        self.seen[r][place(is_input, port)].head_since
    }

    /// Cycle since which a FIFO is full.
    pub(crate) fn full_since(&self, r: usize, is_input: bool, port: usize) -> Option<u64> {
        self.seen[r][place(is_input, port)].full_since
    }
}

const fn place(is_input: bool, port: usize) -> usize {
    if is_input { port } else { PORTS + port }
}
