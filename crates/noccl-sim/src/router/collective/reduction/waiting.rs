// SPDX-License-Identifier: Apache-2.0
//! What lies in the units of a plane, for diagnosis.

use super::flow::Flow;
use super::meeting::Meeting;
use super::unit::Unit;
use super::{BLOCK, Reductions};
use crate::router::collective::merge::types::Waiting;
use crate::transport::flit::Flit;
use crate::transport::transaction::Trees;
use noccl_net::Coord;
use noccl_net::pairs::operands;

impl Reductions {
    /// Senders of the operands in pairs that a router lacks of a transaction, for diagnosis.
    pub(crate) fn missing_senders(
        &self,
        r: usize,
        here: Coord,
        txn: u32,
        trees: &Trees,
    ) -> Vec<Coord> {
        let meeting = self.get(r).and_then(|unit| unit.meeting(txn));
        let tree = trees.tree(txn);
        let missing = meeting.into_iter().flat_map(Meeting::missing);
        let sender = |at| operands(here, tree.set, tree.root).nth(at);
        missing.filter_map(sender).collect()
    }

    /// Operands that lie at a router, for diagnosis.
    pub(crate) fn waiting_at(&self, r: usize) -> impl Iterator<Item = Waiting> + '_ {
        let flows = self.get(r).into_iter().flat_map(|unit| unit.flows.iter());
        let in_pairs = move |flow: &Flow| Waiting {
            router: r,
            txn: flow.txn,
            beat: Some(0),
            have: 0,
            since: u64::from(flow.since),
        };
        let meetings = self.get(r).into_iter().flat_map(|unit| unit.flows.iter());
        let meetings = meetings.filter(|flow| flow.is_in_pairs()).map(in_pairs);
        let by_router = flows.flat_map(move |flow| {
            let entry = move |(beat, have)| Waiting {
                router: r,
                txn: flow.txn,
                beat: Some(beat),
                have,
                since: u64::from(flow.since),
            };
            flow.stored().map(entry)
        });
        by_router.chain(meetings)
    }

    /// Routers in whose stores operands lie, and does the oldest beat lack contributions?
    pub(crate) fn stored(&self) -> impl Iterator<Item = (usize, bool)> + '_ {
        let blocks = self.blocks.iter().enumerate();
        let blocks = blocks.filter_map(|(block, units)| Some((block, units.as_deref()?)));
        blocks.flat_map(|(block, units)| {
            let units = (block * BLOCK..).zip(units);
            units.filter_map(|(r, unit)| Some((r, lacks_contributions(unit)?)))
        })
    }

    /// The result that a router's arithmetic offers and the cycle since which it could have, for diagnosis.
    pub(crate) fn oldest_result(&self, r: usize, here: u32) -> Option<(u64, Flit)> {
        self.get(r)?.oldest_result(here)
    }
}

/// Does the oldest beat in a store lack contributions? `None` if the store is empty.
fn lacks_contributions(unit: &Unit) -> Option<bool> {
    unit.flows.iter().find_map(|flow| {
        if flow.is_in_pairs() {
            let meeting = unit.meeting(flow.txn)?;
            return Some(meeting.missing().next().is_some());
        }
        flow.oldest_lacks()
    })
}
