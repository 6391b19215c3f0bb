// SPDX-License-Identifier: Apache-2.0
//! What merge points are configured with, and what they tell the machine around them: results, timeouts, credits, and
//! who waits, for a diagnosis.

use crate::transport::flit::{Flit, FlitKind, LAST};
use noccl_net::deadlock::Windows;
use noccl_workload::ElementType;
use serde::{Deserialize, Serialize};

/// Sizes and latencies of the units, from the spec.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct JoinConfig {
    pub merge_entries: usize,
    /// See [`noccl_net::deadlock::merge_timeout_cycles`].
    pub merge_timeout_cycles: u64,
    /// Contributions have their grant in one cycle, are decided in the next and ask for their output in the third.
    pub merge_has_registers: bool,
    /// Reductions that a router works on together.
    pub slots: u32,
    pub windows: Windows,
    pub cut_cycles: u64,
    /// Beats that the rows of the arithmetic hold until they are blocked; without a third operand there is one row.
    pub first_row: usize,
    pub second_row: usize,
    /// Additions of a beat in a pass through the arithmetic: 1 (two operands) or 2 (three operands).
    pub adds_per_pass: u8,
    /// Cycles in which the cluster's FPUs work off one addition of a beat: one if there is a core for each 8 bytes.
    pub cycles_per_add: u64,
    /// Bytes of a beat.
    pub beat_bytes: u32,
}

impl JoinConfig {
    /// Elements of a beat, as a power of two.
    pub(crate) const fn elements_log2(&self, element: ElementType) -> u8 {
        (self.beat_bytes.ilog2() - element.bytes().ilog2()) as u8
    }

    /// Cycles from a beat's entry into the arithmetic to its end in the first row. Two of the cut registers' cycles are
    /// those in which its operands are chosen and read; more of them delay the sum, fewer hasten it.
    pub(crate) const fn with_cuts(&self, add_cycles: u64) -> u64 {
        let cycles = (add_cycles + self.cut_cycles).saturating_sub(CUTS_OF_THE_STORE);
        if cycles == 0 { 1 } else { cycles }
    }
}

/// Cycles in which a beat is chosen and its operands are read.
const CUTS_OF_THE_STORE: u64 = 2;

/// What the unit offers to the output arbiters.
pub(crate) struct Offer {
    pub result: Option<Flit>,
    /// Must the router be visited next cycle?
    pub is_busy: bool,
}

/// An entry of a merge table that may time out.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Timeout {
    pub router: u32,
    pub txn: u32,
    pub since: u64,
}

/// A contribution that waits in a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Waiting {
    pub router: usize,
    pub txn: u32,
    /// Beat of a wide reduction; `None` for responses and barriers.
    pub beat: Option<u16>,
    /// Wide reductions: inputs whose operand has come.
    pub have: u8,
    pub since: u64,
}

/// Credits that a router has to return to the senders of a transaction's operands.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct PendingCredits {
    pub router: u32,
    pub txn: u32,
    /// The inputs through which their operands come, as a bit set.
    pub inputs: u8,
}

/// Credits returned to a sender.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Credit {
    pub txn: u32,
    /// Packed coordinate of the sender.
    pub to: u32,
    pub beats: u32,
}

impl Credit {
    /// The flit that brings it.
    pub(crate) const fn flit(self) -> Flit {
        Flit {
            txn: self.txn,
            dst: self.to,
            payload: self.beats,
            beat: 0,
            kind: FlitKind::Credit,
            flags: LAST,
        }
    }
}
