// SPDX-License-Identifier: Apache-2.0
//! Transactions in flight: what every flit of a transaction has in common.
//!
//! Split in two: [`Trees`] is what routers read (set, root, arithmetic), [`Txn`] what endpoints read.
//! Ids are dense and reused, so that memory follows the number of transactions in flight.

use crate::endpoint::torrent::Window;
use noccl_net::pairs::FoldOrder;
use noccl_net::tree::Cube;
use noccl_net::{Coord, MultiAddress};
use noccl_workload::{ElementType, Operator};
use serde::{Deserialize, Serialize};

/// Routing facts of one transaction.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Tree {
    /// Destinations of a multicast, contributors of a reduction.
    pub set: Cube,
    /// Where responses or contributions go: initiator of a multicast, root of a reduction.
    pub root: Coord,
    pub operator: Operator,
    pub element: ElementType,
    /// Cycles of one addition.
    pub add_cycles: u8,
    /// Beats of the burst.
    pub beats: u16,
    /// A reduction whose result the root multicasts to the group.
    pub is_shared: bool,
    /// Where contributions of a reduction meet.
    pub fold_order: FoldOrder,
}

/// What a contribution to a reduction says, where that is not what the transaction says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Variant {
    pub operator: Operator,
    pub element: ElementType,
    /// Cycles of one addition.
    pub add_cycles: u8,
    /// Enabled bytes of every beat, from the first on.
    pub enabled_bytes: u16,
}

/// Variants of a transaction that a flit has numbers for.
pub(crate) const MAX_VARIANTS: usize = 3;

/// Routing facts by transaction id.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Trees {
    trees: Vec<Tree>,
    /// By transaction, numbered from 1 on; most runs have none.
    variants: Vec<(u32, Vec<Variant>)>,
    /// Barriers that bear the name of another one, or whose name another one bears.
    names: Vec<Named>,
}

/// A barrier that does not have a name of its own.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Named {
    txn: u32,
    /// All with the same name have the same number here.
    kin: u32,
    name: u32,
}

impl Trees {
    #[inline]
    pub(crate) fn set(&self, txn: u32) -> Cube {
        self.trees[txn as usize].set
    }

    #[inline]
    pub(crate) fn tree(&self, txn: u32) -> &Tree {
        &self.trees[txn as usize]
    }

    /// What a contribution with this number says, if that is not what its transaction says.
    #[inline]
    pub(crate) fn variant(&self, txn: u32, number: u8) -> Option<Variant> {
        if number == 0 {
            return None;
        }
        let (_, known) = self.variants.iter().find(|(t, _)| *t == txn)?;
        known.get(usize::from(number) - 1).copied()
    }

    /// A barrier opens that bears the same name as all others of its kin: the number of the first of them.
    pub(crate) fn give_name(&mut self, txn: u32, kin: u32) {
        let known = self.names.iter().find(|n| n.kin == kin);
        let name = known.map_or(txn, |n| n.name);
        self.names.push(Named { txn, kin, name });
    }

    /// Name of a transaction: its number, unless it bears another one's.
    #[inline]
    pub(crate) fn name_of(&self, txn: u32) -> u32 {
        let mut named = self.names.iter();
        named.find(|n| n.txn == txn).map_or(txn, |n| n.name)
    }

    /// Do some barriers bear other ones' names?
    #[inline]
    pub(crate) const fn has_shared_names(&self) -> bool {
        !self.names.is_empty()
    }

    /// The number of a variant of the transaction.
    pub(crate) fn number_of(&mut self, txn: u32, variant: Variant) -> u8 {
        let at = self.variants.iter().position(|(t, _)| *t == txn);
        let at = at.unwrap_or_else(|| {
            self.variants.push((txn, Vec::new()));
            self.variants.len() - 1
        });
        let known = &mut self.variants[at].1;
        let number = known.iter().position(|v| *v == variant);
        let number = number.unwrap_or_else(|| {
            known.push(variant);
            known.len() - 1
        });
        number as u8 + 1
    }

    /// Arithmetic of a contribution or sum.
    #[inline]
    pub(crate) fn arithmetic(&self, txn: u32, number: u8) -> (Operator, ElementType) {
        let tree = self.tree(txn);
        let variant = self.variant(txn, number);
        variant.map_or((tree.operator, tree.element), |v| (v.operator, v.element))
    }
}

/// What kind of transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum TxnKind {
    WideWrite,
    WideRead,
    WideReduction,
    NarrowWrite,
    NarrowRead,
    Barrier,
    Atomic,
}

/// Who is told when the transaction is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Owner {
    /// Open-loop packet created in this cycle; tag of one that counts as late until its last copy.
    Traffic {
        created: u64,
        tag: u32,
    },
    /// Transaction of a trace: entry and burst.
    Trace {
        entry: u32,
        burst: u32,
    },
    /// Read or write side of a DMA transfer.
    DmaRead,
    DmaWrite {
        instance: u32,
    },
    /// Wide reduction of a schedule: every member's DMA is told.
    Reduction {
        action: u32,
    },
    /// Burst of a chain, from a lane of a Torrent endpoint.
    Chain {
        initiator: u32,
        lane: u8,
    },
    /// Message between Torrent endpoints.
    Message {
        window: Window,
    },
    /// A core's barrier, hardware or software.
    Barrier {
        action: u32,
    },
}

impl Owner {
    /// Write channel of the AXI port that a transfer uses: bursts of one channel stay in order.
    pub(crate) const fn channel(self) -> (u8, u32) {
        match self {
            Owner::Traffic { .. } => (0, 0),
            Owner::Trace { entry, .. } => (1, entry),
            Owner::DmaRead => (2, 0),
            Owner::DmaWrite { instance } => (3, instance),
            Owner::Reduction { action } => (4, action),
            Owner::Barrier { action } => (5, action),
            Owner::Chain { lane, .. } => (6, lane as u32),
            Owner::Message { .. } => (7, 0),
        }
    }
}

/// One transaction: a burst, a narrow request, or a collective of one burst.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Txn {
    pub kind: TxnKind,
    pub owner: Owner,
    /// Tile of the initiator; for reductions the tile of the root.
    pub home: u32,
    /// Target tile of a unicast.
    pub target: u32,
    /// Byte offset at the target memory.
    pub address: u64,
    /// Bytes of payload.
    pub bytes: u32,
    pub beats: u16,
    /// Wide port or narrow port.
    pub is_wide: bool,
    pub is_multicast: bool,
    /// Response leaves (multicast) or contributions (barrier) that have arrived at home.
    pub arrived: u32,
    /// Worst response code so far.
    pub resp: u8,
    /// Members of a reduction that still have to see the response.
    pub open_members: u32,
    pub is_live: bool,
}

/// The transaction table.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Txns {
    pub trees: Trees,
    table: Vec<Txn>,
    free: Vec<u32>,
    pub live: usize,
}

impl Txns {
    pub(crate) fn open(&mut self, txn: Txn, tree: Tree) -> u32 {
        self.live += 1;
        if let Some(id) = self.free.pop() {
            self.table[id as usize] = txn;
            self.trees.trees[id as usize] = tree;
            return id;
        }
        self.table.push(txn);
        self.trees.trees.push(tree);
        (self.table.len() - 1) as u32
    }

    pub(crate) fn close(&mut self, id: u32) {
        self.table[id as usize].is_live = false;
        self.trees.variants.retain(|(t, _)| *t != id);
        self.trees.names.retain(|n| n.txn != id);
        self.live -= 1;
        self.free.push(id);
    }

    #[inline]
    pub(crate) fn get(&self, id: u32) -> &Txn {
        &self.table[id as usize]
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: u32) -> &mut Txn {
        &mut self.table[id as usize]
    }

    /// Does the root count a barrier of the same name and another group?
    pub(crate) fn name_is_in_use(&self, txn: u32) -> bool {
        if !self.trees.has_shared_names() {
            return false;
        }
        let (home, name) = (self.get(txn).home, self.trees.name_of(txn));
        let mut live = self.iter_live();
        live.any(|(other, t)| {
            let is_counted = t.arrived > 0 && t.arrived < self.trees.set(other).set.len();
            other != txn
                && t.kind == TxnKind::Barrier
                && (t.home, self.trees.name_of(other)) == (home, name)
                && is_counted
        })
    }

    /// Live transactions with their ids, for diagnosis.
    pub(crate) fn iter_live(&self) -> impl Iterator<Item = (u32, &Txn)> {
        self.table
            .iter()
            .enumerate()
            .filter(|(_, t)| t.is_live)
            .map(|(i, t)| (i as u32, t))
    }
}

impl Tree {
    /// Tree of a unicast: a single destination, responses to `root`.
    pub(crate) const fn unicast(to: Coord, root: Coord) -> Self {
        Self {
            set: Cube {
                origin: Coord::new(0, 0),
                set: MultiAddress::single(to),
            },
            root,
            operator: Operator::Sum,
            element: ElementType::Int64,
            add_cycles: 0,
            beats: 1,
            is_shared: false,
            fold_order: FoldOrder::ByRouter,
        }
    }
}
