// SPDX-License-Identifier: Apache-2.0
//! Contributions that wait in the crossbar for the others of their transaction.
//!
//! Responses to a multicast and arrivals at a barrier are counted. Operands of a reduction are kept until those of all members
//! have come, and then added up at once in the order that defines the result, that of the tree
//! ([`noccl_net::tree::join_set`]): so sums of floats equal those of every other network, to the bit.

use crate::router::collective::context::Context;
use crate::router::collective::merge::table::sum;
use crate::transport::axi_response::SLVERR;
use crate::transport::flit::{
    Flit, LAST, OWN_COPY, RESP_SHIFT, RESPONSE, VARIANT, VARIANT_SHIFT, pack,
};
use crate::transport::payload::PayloadPool;
use crate::transport::transaction::{Tree, Trees};
use noccl_net::tree::join_set;
use noccl_net::{Coord, Port, coord_behind};
use noccl_workload::{ElementType, Operator};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Operands of one beat.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Operands {
    /// As bits of a flit's flags: what the first one says, worst responses, SLVERR once they did not agree.
    marks: u8,
    /// By packed coordinate of the sender: payload slot in value mode, else contributions counted.
    payloads: BTreeMap<u32, u32>,
}

/// What waits.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Gathered {
    /// Leaves that have come, by transaction.
    counted: BTreeMap<u32, Flit>,
    /// By transaction and beat.
    operands: BTreeMap<(u32, u16), Operands>,
    /// Element operations so far.
    pub(super) added_elements: u64,
}

impl Gathered {
    /// A response or an arrival has come. Returns one for all if it is the last.
    pub(super) fn count(&mut self, flit: Flit, trees: &Trees) -> Option<Flit> {
        let members = trees.set(flit.txn).set.len();
        // The initiator's own response never leaves its interface.
        let leaves = members - u32::from(flit.flags & OWN_COPY != 0);
        let known = self.counted.remove(&flit.txn);
        let all = known.map_or(flit, |known| sum(known, flit));
        if all.payload == leaves {
            return Some(all);
        }
        self.counted.insert(flit.txn, all);
        None
    }

    /// An operand has come. Returns the sum and the cycles of the addition if it is the last of its beat.
    pub(super) fn fold(&mut self, flit: Flit, context: &mut Context<'_>) -> Option<(Flit, u8)> {
        let (trees, key) = (context.trees, (flit.txn, flit.beat));
        let tree = trees.tree(flit.txn);
        let members = tree.set.set.len();
        if members == 1 {
            let dst = pack(tree.root);
            return Some((Flit { dst, ..flit }, 0));
        }
        let operands = self.operands.entry(key).or_default();
        operands.take(flit, trees, context.pool);
        if operands.payloads.len() < members as usize {
            return None;
        }
        let operands = self.operands.remove(&key)?;
        let variant = trees.variant(flit.txn, operands.variant());
        let add_cycles = variant.map_or(tree.add_cycles, |v| v.add_cycles);
        let arithmetic = trees.arithmetic(flit.txn, operands.variant());
        let elements = context.pool.beat().bytes() as u64 / arithmetic.1.bytes();
        self.added_elements += u64::from(members - 1) * elements;
        let is_last = flit.beat + 1 == tree.beats;
        let sum = Flit {
            dst: pack(tree.root),
            payload: operands.payload(tree, arithmetic, context),
            flags: (u8::from(is_last) * LAST) | operands.marks,
            ..flit
        };
        Some((sum, add_cycles))
    }
}

impl Operands {
    fn take(&mut self, flit: Flit, trees: &Trees, pool: &PayloadPool) {
        if self.payloads.is_empty() {
            self.marks = flit.flags & VARIANT;
        }
        self.marks |= flit.flags & RESPONSE;
        let variant = trees.variant(flit.txn, flit.variant());
        // Sums are whole lines.
        let is_partial =
            variant.is_some_and(|v| usize::from(v.enabled_bytes) != pool.beat().bytes());
        if is_partial || (self.marks ^ flit.flags) & VARIANT != 0 {
            self.marks |= SLVERR << RESP_SHIFT;
        }
        self.payloads.insert(flit.dst, flit.payload);
    }

    /// Number of what the first operand says.
    const fn variant(&self) -> u8 {
        self.marks >> VARIANT_SHIFT
    }

    /// Payload slot of the sum; in timing mode contributions counted.
    fn payload(
        &self,
        tree: &Tree,
        arithmetic: (Operator, ElementType),
        context: &mut Context<'_>,
    ) -> u32 {
        if !context.is_value {
            return self.payloads.values().sum();
        }
        let sum = self.fold_at(tree.root, tree, arithmetic, context.pool);
        sum.unwrap_or_else(|| context.pool.zeros())
    }

    /// The slot with the sum of what would come through the router at `here`: operands in the order of the ports, from the
    /// left. Each of them is taken once, since each has one path to the root.
    fn fold_at(
        &self,
        here: Coord,
        tree: &Tree,
        arithmetic: (Operator, ElementType),
        pool: &mut PayloadPool,
    ) -> Option<u32> {
        let inputs = join_set(here, tree.set, tree.root);
        let mut sum = None;
        for port in Port::ALL.into_iter().filter(|p| inputs & p.bit() != 0) {
            let operand = match coord_behind(here, port) {
                Some(before) => self.fold_at(before, tree, arithmetic, pool)?,
                None => self.payloads[&pack(here)],
            };
            match sum {
                None => sum = Some(pool.own(operand)),
                Some(sum) => pool.fold(sum, operand, arithmetic),
            }
        }
        sum
    }
}
