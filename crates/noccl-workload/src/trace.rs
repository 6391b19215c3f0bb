// SPDX-License-Identifier: Apache-2.0
//! A list of AXI transactions at the NI ports: what formula tests and the stress test replay.

use crate::{ElementType, Operator};
use noccl_net::{Coord, MultiAddress, TileRef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most beats of a wide transaction of a trace: 2^20 bytes, its part of every memory.
pub const MAX_TRANSACTION_BEATS: u32 = 1 << 14;

/// Version of the trace format this library reads and writes.
pub const TRACE_FORMAT: u32 = 1;

/// Transactions at AXI ports, without cores or DMA engines.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// Transactions. A tile issues its own in the order of their start cycles, then of this list.
    pub transactions: Vec<PortTransaction>,
    /// What goes wrong on purpose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
}

/// Something that goes wrong on purpose; the response to it is defined in `docs/errors.md`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Fault {
    /// A range of a memory responds with SLVERR. Wide data of transaction i stands from offset i × 2^20 on;
    /// narrow transactions, atomics and barriers use offset 0.
    Memory {
        /// Tile whose memory it is.
        tile: TileRef,
        /// First byte.
        offset: u64,
        /// Bytes.
        bytes: u64,
    },
    /// The address of a transaction decodes to nothing.
    Unmapped {
        /// Index of the transaction.
        transaction: u32,
    },
    /// The user signal of a read or atomic, which has one destination, carries a mask.
    Mask {
        /// Index of the transaction.
        transaction: u32,
        /// Don't-care bits of x and y.
        mask: Coord,
    },
    /// A member's contribution to a wide reduction differs from the transaction in what is given here.
    Disagree {
        /// Index of the transaction.
        transaction: u32,
        /// Which member, in member order.
        member: u32,
        /// How it differs.
        difference: Difference,
    },
    /// A barrier bears the name of another one of the same root: whichever of both begins at a merge point or at the root while
    /// the other one is open there has taken a name in use.
    Name {
        /// Index of the barrier.
        transaction: u32,
        /// Index of the barrier whose name it bears, of another group.
        of: u32,
    },
}

/// How a contribution differs from the others of its transaction.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Difference {
    /// Fewer beats, at least one.
    Beats(u32),
    /// Another operator.
    Operator(Operator),
    /// Another element type.
    Element(ElementType),
    /// Another number of enabled bytes per beat (WSTRB), less than a wide beat has.
    EnabledBytes(u32),
}

/// One transaction: its participants assert valid at their start cycle or later.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PortTransaction {
    /// Start cycle per participant: one entry for a single initiator, one per member (member order) for
    /// reductions and barriers. At most 2^48; an absent entry means that the member never contributes.
    pub start_cycles: Vec<Option<u64>>,
    /// What it is.
    pub kind: PortKind,
}

/// Kind of an AXI transaction at a port. Beats are wide (`ni.wide_beat_bytes`) or narrow (8 bytes) ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PortKind {
    /// Wide write.
    WideWrite {
        /// Initiator.
        from: TileRef,
        /// Target.
        to: TileRef,
        /// Beats, 1 to 16384, cut into bursts by the burst rules.
        beats: u32,
    },
    /// Wide multicast write.
    WideMulticast {
        /// Initiator.
        from: TileRef,
        /// Targets.
        to: MultiAddress,
        /// Beats, 1 to 16384.
        beats: u32,
    },
    /// Wide read.
    WideRead {
        /// Initiator.
        from: TileRef,
        /// Where the data is.
        source: TileRef,
        /// Beats, 1 to 16384.
        beats: u32,
    },
    /// Wide reduction by integer 64-bit sum.
    WideReduction {
        /// Contributors.
        group: MultiAddress,
        /// Target.
        root: TileRef,
        /// Beats, 1 to 16384.
        beats: u32,
    },
    /// Narrow write of one beat.
    NarrowWrite {
        /// Initiator.
        from: TileRef,
        /// Target.
        to: TileRef,
    },
    /// Narrow multicast write of one beat (interrupts).
    NarrowMulticast {
        /// Initiator.
        from: TileRef,
        /// Targets.
        to: MultiAddress,
    },
    /// Narrow read of one beat.
    NarrowRead {
        /// Initiator.
        from: TileRef,
        /// Where the data is.
        source: TileRef,
    },
    /// Atomic add (AXI5 ATOP), old value returned.
    Atomic {
        /// Initiator.
        from: TileRef,
        /// Target.
        to: TileRef,
    },
    /// `LsbAnd` reduction of one narrow beat.
    Barrier {
        /// Participants.
        group: MultiAddress,
        /// Tile of the counter.
        root: TileRef,
    },
}

impl PortKind {
    /// Name in files.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            PortKind::WideWrite { .. } => "wide_write",
            PortKind::WideMulticast { .. } => "wide_multicast",
            PortKind::WideRead { .. } => "wide_read",
            PortKind::WideReduction { .. } => "wide_reduction",
            PortKind::NarrowWrite { .. } => "narrow_write",
            PortKind::NarrowMulticast { .. } => "narrow_multicast",
            PortKind::NarrowRead { .. } => "narrow_read",
            PortKind::Atomic { .. } => "atomic",
            PortKind::Barrier { .. } => "barrier",
        }
    }

    /// The tile that issues it; `None` where every member of its group does.
    #[must_use]
    pub const fn initiator(&self) -> Option<TileRef> {
        match *self {
            PortKind::WideWrite { from, .. }
            | PortKind::WideMulticast { from, .. }
            | PortKind::WideRead { from, .. }
            | PortKind::NarrowWrite { from, .. }
            | PortKind::NarrowMulticast { from, .. }
            | PortKind::NarrowRead { from, .. }
            | PortKind::Atomic { from, .. } => Some(from),
            PortKind::WideReduction { .. } | PortKind::Barrier { .. } => None,
        }
    }

    /// Where the result of a reduction or barrier is made.
    #[must_use]
    pub const fn root(&self) -> Option<TileRef> {
        match *self {
            PortKind::WideReduction { root, .. } | PortKind::Barrier { root, .. } => Some(root),
            PortKind::WideWrite { .. }
            | PortKind::WideMulticast { .. }
            | PortKind::WideRead { .. }
            | PortKind::NarrowWrite { .. }
            | PortKind::NarrowMulticast { .. }
            | PortKind::NarrowRead { .. }
            | PortKind::Atomic { .. } => None,
        }
    }

    /// Targets of a multicast or members of a reduction or barrier, with the name of the field.
    #[must_use]
    pub const fn group(&self) -> Option<(&'static str, MultiAddress)> {
        match *self {
            PortKind::WideMulticast { to, .. } | PortKind::NarrowMulticast { to, .. } => {
                Some(("to", to))
            }
            PortKind::WideReduction { group, .. } | PortKind::Barrier { group, .. } => {
                Some(("group", group))
            }
            PortKind::WideWrite { .. }
            | PortKind::WideRead { .. }
            | PortKind::NarrowWrite { .. }
            | PortKind::NarrowRead { .. }
            | PortKind::Atomic { .. } => None,
        }
    }
}
