// SPDX-License-Identifier: Apache-2.0
//! Traces of transactions at AXI ports.

use noccl_net::{MultiAddress, TileRef};
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

/// A write of wide beats.
#[must_use]
pub const fn wide_write(from: TileRef, to: TileRef, beats: u32) -> PortKind {
    PortKind::WideWrite { from, to, beats }
}

/// A write of wide beats to a set.
#[must_use]
pub const fn wide_multicast(from: TileRef, to: MultiAddress, beats: u32) -> PortKind {
    PortKind::WideMulticast { from, to, beats }
}

/// A read of wide beats.
#[must_use]
pub const fn wide_read(from: TileRef, source: TileRef, beats: u32) -> PortKind {
    PortKind::WideRead {
        from,
        source,
        beats,
    }
}

/// A reduction of wide beats into a root.
#[must_use]
pub const fn wide_reduction(group: MultiAddress, root: TileRef, beats: u32) -> PortKind {
    PortKind::WideReduction { group, root, beats }
}

/// A write of a word.
#[must_use]
pub const fn narrow_write(from: TileRef, to: TileRef) -> PortKind {
    PortKind::NarrowWrite { from, to }
}

/// A write of a word to a set.
#[must_use]
pub const fn narrow_multicast(from: TileRef, to: MultiAddress) -> PortKind {
    PortKind::NarrowMulticast { from, to }
}

/// A read of a word.
#[must_use]
pub const fn narrow_read(from: TileRef, source: TileRef) -> PortKind {
    PortKind::NarrowRead { from, source }
}

/// An atomic addition.
#[must_use]
pub const fn atomic(from: TileRef, to: TileRef) -> PortKind {
    PortKind::Atomic { from, to }
}

/// A barrier, counted at its root.
#[must_use]
pub const fn barrier(group: MultiAddress, root: TileRef) -> PortKind {
    PortKind::Barrier { group, root }
}
