// SPDX-License-Identifier: Apache-2.0
//! Packets, the trees they run on and the reductions they contribute to.

use super::numbers::{MULTICAST, Numbers, REDUCTION, UNICAST};
use noccl_net::TreeTable;
use noccl_workload::number::fold_into;
use noccl_workload::{ElementType, Operator};

/// How a packet finds its outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PacketKind {
    /// To one tile.
    Unicast,
    /// Over a tree from its source.
    Tree,
    /// To the corner where its tree begins, and over that.
    ToCorner,
    /// A contribution to a reduction, to its root.
    Contribution,
}

impl PacketKind {
    /// Message class: queue at an NI, and class of the first virtual channel.
    pub(super) const fn class(self) -> usize {
        match self {
            Self::Unicast => UNICAST,
            Self::Contribution => REDUCTION,
            Self::Tree | Self::ToCorner => MULTICAST,
        }
    }
}

/// A packet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packet {
    pub kind: PacketKind,
    pub flits: u16,
    pub source: u32,
    /// Destination, corner or root.
    pub target: u32,
    /// Tree of a multicast, reduction of a contribution.
    pub of: u32,
    /// Contributions that are combined in it.
    pub leaves: u32,
    /// Virtual channels, queues and deliveries that hold it.
    pub holders: u32,
    /// What the driver knows it by.
    pub tag: u64,
}

/// No tree.
pub(super) const NO_TREE: u32 = u32::MAX;

/// A tree of a multicast.
#[derive(Debug, Clone)]
pub(super) struct SmartTreePorts {
    /// Outputs by tile.
    pub ports: Vec<u8>,
    /// Where it begins, and how packets get there.
    pub root: u32,
    pub kind: PacketKind,
    /// Does it leave its corner along a row? Then columns come second.
    pub is_row_first: bool,
    /// The shared tree that a source may take in its place.
    pub shared: u32,
    pub users: u32,
}

impl Default for SmartTreePorts {
    fn default() -> Self {
        Self {
            ports: Vec::new(),
            root: 0,
            kind: PacketKind::Tree,
            is_row_first: false,
            shared: NO_TREE,
            users: 0,
        }
    }
}

/// What combines contributions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Combining {
    /// Their number is all that matters.
    Count,
    /// Operands.
    Values(Operator, ElementType),
}

impl Combining {
    /// Most hops in a cycle of a contribution that is combined in flight.
    pub(super) const fn hpc_max(self, n: &Numbers) -> u32 {
        match self {
            Self::Count => n.hpc_max,
            Self::Values(operator, _) if operator.is_bitwise() => n.bitwise_hpc_max,
            Self::Values(..) => n.arithmetic_hpc_max,
        }
    }

    /// `into` becomes what both are together.
    pub(super) fn combine(self, into: &mut [u8], operand: &[u8]) {
        match self {
            Self::Count => {}
            Self::Values(operator, element) => fold_into(into, operand, operator, element),
        }
    }
}

/// A reduction in flight.
#[derive(Debug, Clone)]
pub(super) struct Reduction {
    /// Contributions that come to each tile, those of its neighbours combined.
    pub inputs: Vec<u8>,
    /// By tile: its own contribution, while that waits in the interface for a channel. Empty where interfaces do not combine.
    pub waiting: Vec<u32>,
    pub root: u32,
    /// Index into the reduction tables; none: contributions go one by one.
    pub id: Option<u32>,
    pub combining: Combining,
    /// Most hops of a contribution in a cycle.
    pub hpc_max: u32,
    /// Contributions that the root waits for.
    pub missing: u32,
    /// Messages that the root has got, and what is combined of them.
    pub messages: u32,
    pub value: Vec<u8>,
    pub tag: u64,
    pub is_open: bool,
}

impl Reduction {
    /// The root gets so many contributions. True if these are the last ones.
    pub(super) fn take(&mut self, leaves: u32) -> bool {
        assert!(
            self.is_open && self.missing >= leaves,
            "a root gets more contributions than its reduction has members"
        );
        self.missing -= leaves;
        self.messages += 1;
        self.missing == 0
    }

    /// The operand of a message is combined with those before.
    pub(super) fn collect(&mut self, operand: &[u8]) {
        if self.messages == 1 {
            self.value.clear();
            self.value.extend_from_slice(operand);
        } else {
            self.combining.combine(&mut self.value, operand);
        }
    }
}

/// Ports by tile.
pub(super) fn ports_of(table: &TreeTable, tiles: usize, into: &mut Vec<u8>) {
    into.clear();
    into.extend((0..tiles).map(|tile| table.ports(noccl_net::TileId(tile as u32))));
}
