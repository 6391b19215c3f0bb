// SPDX-License-Identifier: Apache-2.0
//! Traces of transactions at AXI ports.

use noccl_workload::{PortKind, PortTransaction, Trace};

/// A transaction that each participant starts in a cycle of its own; `None`: never.
#[must_use]
pub const fn entry(start_cycles: Vec<Option<u64>>, kind: PortKind) -> PortTransaction {
    PortTransaction { start_cycles, kind }
}

/// A transaction that all participants start in cycle 0.
#[must_use]
pub fn together(kind: PortKind, participants: usize) -> PortTransaction {
    entry(vec![Some(0); participants], kind)
}

/// A trace without faults.
#[must_use]
pub fn trace(transactions: Vec<PortTransaction>) -> Trace {
    Trace {
        transactions,
        ..Trace::default()
    }
}
