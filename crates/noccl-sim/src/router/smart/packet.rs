// SPDX-License-Identifier: Apache-2.0
//! Packets, the trees they run on and the reductions they contribute to.

use super::channels::NOBODY;
use super::numbers::{MULTICAST, Numbers, REDUCTION, UNICAST};
use super::plane::SmartPlane;
use noccl_net::{TileId, TreeTable};
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

// Reductions as drivers see them: opened, contributed to, read at the root, closed.

impl SmartPlane {
    /// Is there an id for another reduction, or, where routers do not count, space for it?
    pub(crate) fn has_free_id(&self) -> bool {
        if self.n.is_complete {
            !self.unused_ids.is_empty()
        } else {
            self.reductions.len() - self.unused_reductions.len() < self.n.table_entries
        }
    }

    /// Opens a reduction of `members` contributions over a tree of inputs. The delivery at its root that completes it has its tag.
    pub(crate) fn add_reduction(
        &mut self,
        table: &TreeTable,
        members: u32,
        combining: Combining,
        tag: u64,
    ) -> u32 {
        let id = if self.n.is_complete {
            self.unused_ids.pop()
        } else {
            None
        };
        let at = self
            .unused_reductions
            .pop()
            .unwrap_or(self.reductions.len() as u32);
        let (mut inputs, mut waiting) = (Vec::new(), Vec::new());
        if (at as usize) < self.reductions.len() {
            let old = &mut self.reductions[at as usize];
            inputs = std::mem::take(&mut old.inputs);
            waiting = std::mem::take(&mut old.waiting);
        }
        if self.n.merges_in_interface {
            waiting.resize(self.n.tiles, NOBODY);
        }
        ports_of(table, self.n.tiles, &mut inputs);
        self.record_reduction(at, &inputs);
        for ports in &mut inputs {
            *ports = (ports.count_ones() as u8).min(self.n.max_count);
        }
        let reduction = Reduction {
            inputs,
            waiting,
            root: table.root().0,
            id,
            combining,
            hpc_max: combining.hpc_max(&self.n),
            missing: members,
            messages: 0,
            value: Vec::new(),
            tag,
            is_open: true,
        };
        if (at as usize) < self.reductions.len() {
            self.reductions[at as usize] = reduction;
        } else {
            self.reductions.push(reduction);
        }
        at
    }

    /// Entries of the routers' tables that are in use.
    pub(crate) fn open_entries(&self) -> usize {
        if self.n.is_complete {
            self.n.table_entries - self.unused_ids.len()
        } else {
            0
        }
    }

    /// Queues a contribution at its source.
    pub(crate) fn send_contribution(&mut self, from: TileId, reduction: u32, operand: &[u8]) {
        let r = &self.reductions[reduction as usize];
        let (root, tag) = (TileId(r.root), r.tag);
        let packet = self.send(PacketKind::Contribution, from, root, reduction, 1, tag);
        if self.n.merges_in_interface {
            self.reductions[reduction as usize].waiting[from.0 as usize] = packet;
        }
        self.table.set_operand(packet, operand);
        self.record_contribution(packet, operand);
    }

    /// Contributions, combined ones counted once, that have come to the root of a reduction, and what they are together.
    pub(crate) fn result(&self, reduction: u32) -> (u32, &[u8]) {
        let reduction = &self.reductions[reduction as usize];
        (reduction.messages, &reduction.value)
    }

    /// Has a reduction an entry in the routers' tables?
    pub(crate) fn is_counting(&self, reduction: u32) -> bool {
        self.reductions[reduction as usize].id.is_some()
    }

    /// A complete reduction is forgotten, and its id used again.
    pub(crate) fn close(&mut self, at: u32) {
        let reduction = &mut self.reductions[at as usize];
        assert!(
            reduction.is_open && reduction.missing == 0,
            "a reduction is closed before it is complete"
        );
        reduction.is_open = false;
        if let Some(id) = reduction.id.take() {
            debug_assert!(
                self.table.is_free(id),
                "an id is free and a router still counts"
            );
            self.unused_ids.push(id);
        }
        self.unused_reductions.push(at);
    }
}
