// SPDX-License-Identifier: Apache-2.0
//! How `point_to_point` carries out each kind of collective: the only place of the library that tells all kinds apart by name.

use noccl_workload::CollectiveKind;

/// Collectives that deliveries carry out in the same form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// Flags alone.
    Flags,
    /// A block from everybody to everybody.
    Exchange,
    /// Blocks between the root and every member.
    Dealt,
    /// The sum of a rank and of all before it.
    Scan,
    /// What a definition asks for, straight from where it is.
    Defined,
    /// Parts of payloads or blocks along lines, trees and rings.
    Parts,
}

impl Family {
    pub(crate) const fn of(kind: CollectiveKind) -> Self {
        match kind {
            CollectiveKind::Barrier => Self::Flags,
            CollectiveKind::AllToAll => Self::Exchange,
            CollectiveKind::Scatter | CollectiveKind::Gather => Self::Dealt,
            CollectiveKind::Scan => Self::Scan,
            CollectiveKind::Custom => Self::Defined,
            CollectiveKind::Multicast
            | CollectiveKind::Reduce
            | CollectiveKind::AllReduce
            | CollectiveKind::AllGather
            | CollectiveKind::ReduceScatter => Self::Parts,
        }
    }

    /// Do blocks and chunks go straight, unless another form is named? Its algorithms bring to scratch first what would overwrite an input that
    /// somebody still needs.
    pub(crate) const fn is_straight(self) -> bool {
        matches!(self, Self::Dealt | Self::Defined)
    }

    /// Can a payload or block be cut? Others are sent as they are.
    pub(crate) const fn is_cut(self) -> bool {
        !self.is_straight() && !matches!(self, Self::Exchange)
    }
}
