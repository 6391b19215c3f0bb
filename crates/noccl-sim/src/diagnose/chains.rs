// SPDX-License-Identifier: Apache-2.0
//! Waits of chains: for destinations that serve another chain, and for their own bursts.

use crate::diagnose::graph::Wait;
use crate::diagnose::network::wait;
use crate::diagnose::node::Node;
use crate::diagnose::view::View;
use crate::endpoint::torrent::{Cause, Hindrance};
use crate::ni::axi::state::{BurstStream, Source};
use crate::transport::flit::Flit;
use crate::transport::transaction::Owner;

impl View<'_, '_> {
    /// The chain that the endpoint of a tile leads, in words.
    pub(crate) fn chain_name(&self, tile: u32) -> String {
        let torrents = self.machine.torrents.as_ref();
        let instance = torrents.and_then(|t| t.led_by(tile));
        let action = instance.and_then(|i| self.action_of(i));
        let single = torrents.is_some_and(|t| t.never_leaves(tile));
        let remark = if single {
            " (a burst of one beat, which the published endpoint never sends)"
        } else {
            ""
        };
        let at = self.tile(tile as usize);
        match action {
            Some(action) => format!("the chain of action #{action} from {at}{remark}"),
            None => format!("the chain from {at}{remark}"),
        }
    }

    /// The chain at its initiator, if it is in progress there; else that which is.
    pub(crate) fn waits_of_chain_share(&self, tile: u32) -> Vec<Wait> {
        let place = format!("the endpoint of {}", self.tile(tile as usize));
        vec![wait(
            Node::Chain { tile },
            &place,
            self.machine.clock.last_progress(),
        )]
    }

    pub(crate) fn waits_of_chain(&self, tile: u32) -> Vec<Wait> {
        let Some(torrents) = &self.machine.torrents else {
            return Vec::new();
        };
        if let Some(Hindrance {
            destination,
            cause,
            since_cycle,
        }) = torrents.hindrance(tile)
        {
            let at = self.tile(destination as usize);
            let (to, why) = match cause {
                Cause::Serves(initiator) => (initiator, "which serves that one"),
                Cause::Reads => (destination, "whose reader is busy with its own"),
                Cause::GrantBefore(initiator) => (initiator, "where that one's grant is first"),
            };
            let place = format!("the endpoint of {at}, {why}");
            return vec![wait(Node::Chain { tile: to }, &place, since_cycle)];
        }
        let place = format!("the endpoint of {}", self.tile(tile as usize));
        let since = self.machine.clock.last_progress();
        let bursts = self.bursts_of(tile, |_, _| true);
        bursts
            .map(|id| wait(Node::Transaction(id), &place, since))
            .collect()
    }

    /// Bursts in flight of a chain, by home and target.
    fn bursts_of(
        &self,
        of: u32,
        is_wanted: impl Fn(u32, u32) -> bool,
    ) -> impl Iterator<Item = u32> {
        let live = self.machine.interfaces.txns.iter_live();
        live.filter(move |(_, t)| {
            let is_own = matches!(t.owner, Owner::Chain { initiator, .. } if initiator == of);
            is_own && is_wanted(t.home, t.target)
        })
        .map(|(id, _)| id)
    }

    /// An open burst without a beat waits for the burst that brings it.
    pub(crate) fn waits_of_switched(&self, tile: u32, stream: &BurstStream) -> Option<Vec<Wait>> {
        let (Source::Switch(lane), machine) = (stream.source, self.machine) else {
            return None;
        };
        let torrents = machine.torrents.as_ref()?;
        if stream.head_pending || torrents.has_beat(tile as usize, lane, machine.clock.now()) {
            return None;
        }
        let Owner::Chain { initiator, .. } = machine.interfaces.txns.get(stream.txn).owner else {
            return None;
        };
        let place = format!("the endpoint of {}", self.tile(tile as usize));
        let before = self.bursts_of(initiator, |_, target| target == tile);
        let since = machine.clock.last_progress();
        let waits = before.map(|id| wait(Node::Transaction(id), &place, since));
        Some(waits.collect())
    }

    /// The endpoint of a tile does not take a beat: it serves another chain, or cannot pass the beat on.
    pub(crate) fn waits_for_switch(&self, r: usize, flit: Flit, since: u64) -> Option<Vec<Wait>> {
        let Owner::Chain { initiator, .. } = self.machine.interfaces.txns.get(flit.txn).owner
        else {
            return None;
        };
        let torrents = self.machine.torrents.as_ref()?;
        let place = format!("the endpoint of {}", self.tile(r));
        Some(match torrents.served_at(r as u32) {
            Some(serves) if serves != initiator => {
                vec![wait(Node::Chain { tile: serves }, &place, since)]
            }
            Some(_) | None => {
                let next = self.bursts_of(initiator, |home, _| home as usize == r);
                next.map(|id| wait(Node::Transaction(id), &place, since))
                    .collect()
            }
        })
    }
}
