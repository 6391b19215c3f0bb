// SPDX-License-Identifier: Apache-2.0
//! Stated limits that make somebody wait: the field of the spec, its value, and who has how much of it.

use crate::diagnose::graph::Wait;
use crate::diagnose::limit::Limit;
use crate::diagnose::network::{entry, wait};
use crate::diagnose::node::Node;
use crate::diagnose::view::{MAX_NAMED, View};
use crate::endpoint::core::Agents;
use crate::ni::axi::state::{BurstStream, Source};
use crate::transport::flit::pack;
use crate::transport::transaction::{Owner, TxnKind};
use noccl_net::TileId;
use noccl_spec::Plane;
use std::collections::BTreeMap;

impl View<'_, '_> {
    pub(crate) fn limit_value(&self, limit: Limit) -> u32 {
        let axi = self.machine.network.axi();
        match limit {
            Limit::WideOutstanding => axi.ni.max_wide_outstanding,
            Limit::NarrowOutstanding => axi.ni.max_narrow_outstanding,
            Limit::OpenReductions => axi.ni.max_open_reductions,
            Limit::Transfers => axi.cluster.dma.max_transfers,
            Limit::MemoryOutstanding => axi.memory.max_outstanding,
            Limit::Store => axi.router.wide_reduction.store_beats,
            Limit::Window => axi.router.wide_reduction.window_beats,
            Limit::Buffer => axi.cluster.dma.buffer_beats,
        }
    }

    /// The limit at a tile, with those who have all of it.
    pub(crate) fn limit_text(&self, limit: Limit, r: usize, holders: &[Node]) -> String {
        let (field, value, what) = (limit.field(), self.limit_value(limit), limit.what());
        let mut text = format!("{field} = {value} {what} at {}", self.tile(r));
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        if limit != Limit::Window {
            for holder in holders {
                *counts.entry(self.whole(*holder)).or_default() += 1;
            }
        }
        let num_others = counts.len().saturating_sub(MAX_NAMED);
        let named = counts.into_iter().take(MAX_NAMED);
        let mut named: Vec<String> = named
            .map(|(name, count)| format!("{name} has {count}"))
            .collect();
        if num_others > 0 {
            named.push(format!("{num_others} others have the rest"));
        }
        if !named.is_empty() {
            text = format!("{text} ({})", named.join(", "));
        }
        text
    }

    /// Waits for those who have all that a limit allows; if nobody can be told apart, for the limit.
    pub(crate) fn limited(
        &self,
        limit: Limit,
        r: usize,
        mut holders: Vec<Node>,
        since: u64,
    ) -> Vec<Wait> {
        let text = self.limit_text(limit, r, &holders);
        let place = match limit {
            Limit::Store => format!("the store of {}", self.tile(r)),
            Limit::WideOutstanding
            | Limit::NarrowOutstanding
            | Limit::OpenReductions
            | Limit::Transfers
            | Limit::MemoryOutstanding
            | Limit::Window
            | Limit::Buffer => format!("the NI of {}, {text}", self.tile(r)),
        };
        if holders.is_empty() {
            let tile = r as u32;
            holders.push(Node::Limit { limit, tile });
        }
        let at_limit = |to| Wait {
            to,
            place: place.clone(),
            since,
            limit: Some(text.clone()),
        };
        holders.into_iter().map(at_limit).collect()
    }

    /// The next requests of an interface, which one of its limits holds back.
    pub(crate) fn waits_of_requests(&self, tile: u32) -> Vec<Wait> {
        let machine = self.machine;
        let (ni, limits) = (
            &machine.interfaces.nis[tile as usize],
            &machine.network.axi().ni,
        );
        let fronts = || (0..3).filter_map(|source| ni.req.front(source));
        let since = machine.clock.last_progress();
        let mut waits = Vec::new();
        if ni.narrow_outstanding >= limits.max_narrow_outstanding
            && fronts().any(|f| machine.interfaces.opens_narrow(*f))
        {
            let open = self.open_requests(tile, false);
            waits.extend(self.limited(Limit::NarrowOutstanding, tile as usize, open, since));
        }
        if machine.behaviour.limits_wide_reads
            && ni.reads_outstanding >= limits.max_wide_outstanding
            && fronts().any(|f| machine.interfaces.opens_wide_read(*f))
        {
            let open = self.open_requests(tile, true);
            waits.extend(self.limited(Limit::WideOutstanding, tile as usize, open, since));
        }
        waits
    }

    /// Narrow transactions, or wide reads, of a tile that have left its queue and have no response.
    fn open_requests(&self, tile: u32, is_wide: bool) -> Vec<Node> {
        let machine = self.machine;
        let at = machine.coord(tile);
        let is_own = |id: u32, kind: TxnKind, home: u32| match kind {
            TxnKind::WideRead => is_wide && home == tile,
            TxnKind::NarrowWrite | TxnKind::NarrowRead | TxnKind::Atomic => {
                !is_wide && home == tile
            }
            TxnKind::Barrier => {
                let is_member = machine.interfaces.txns.trees.set(id).contains(at);
                !is_wide && is_member && self.has_contributed(id, tile)
            }
            TxnKind::WideWrite | TxnKind::WideReduction => false,
        };
        let queue = &machine.interfaces.nis[tile as usize].req;
        let live = machine.interfaces.txns.iter_live();
        live.filter(|(id, t)| is_own(*id, t.kind, t.home))
            .filter(|(id, _)| queue.iter().all(|f| f.txn != *id))
            .map(|(id, _)| Node::Transaction(id))
            .collect()
    }

    /// A transfer's stream lacks bytes: reads are to bring them, or the buffer has no space for the next one.
    pub(crate) fn waits_for_buffer(&self, tile: u32, txn: u32) -> Vec<Wait> {
        let machine = self.machine;
        let since = machine.clock.last_progress();
        let place = format!("the DMA buffer of {}", self.tile(tile as usize));
        let reads = machine.interfaces.txns.iter_live();
        let reads = reads.filter(|(_, t)| t.owner == Owner::DmaRead && t.home == tile);
        let waits: Vec<Wait> = reads
            .map(|(id, _)| wait(Node::Transaction(id), &place, since))
            .collect();
        if !waits.is_empty() {
            return waits;
        }
        let ni = &machine.interfaces.nis[tile as usize];
        let is_before = |s: &&BurstStream| s.txn != txn && s.source == Source::Buffer;
        let before = ni
            .writes
            .iter()
            .take_while(|s| s.txn != txn)
            .find(is_before);
        let to = before.map(|s| Node::Stream { tile, txn: s.txn });
        self.limited(
            Limit::Buffer,
            tile as usize,
            to.into_iter().collect(),
            since,
        )
    }

    /// Does a stream lack bytes that the DMA buffer has to bring?
    pub(crate) fn lacks_bytes(&self, tile: u32, stream: &BurstStream) -> bool {
        let txn = self.machine.interfaces.txns.get(stream.txn);
        let needed = self
            .machine
            .beat
            .part(txn.address, txn.bytes, stream.next_beat)
            .1;
        stream.source == Source::Buffer
            && needed > self.machine.interfaces.nis[tile as usize].buffer_bytes
    }

    /// What the engine of a share's tile does before it takes the share: transfers, reductions.
    pub(crate) fn waits_for_engine(&self, agents: &Agents<'_>, instance: u32) -> Vec<Wait> {
        let share = &agents.instances.all[instance];
        let (tile, since) = (share.tile, share.data.start_cycle);
        let (limit, is_reduction) = if agents.waits_for_transfers(instance) {
            (Limit::Transfers, false)
        } else if agents.waits_for_reductions(instance) {
            (Limit::OpenReductions, true)
        } else {
            return Vec::new();
        };
        let is_kind = |id: u32| {
            let kind = agents.kind(id);
            if is_reduction {
                kind.network_fold().is_some()
            } else {
                kind.transfer().is_some()
            }
        };
        let in_work = agents.instances.all.iter().filter(|(id, i)| {
            let is_held = agents.waits_for_transfers(*id) || agents.waits_for_reductions(*id);
            i.tile == tile && !i.is_over && is_kind(*id) && !agents.is_queued(*id) && !is_held
        });
        let holders = in_work.map(|(id, _)| Node::Share(id)).collect();
        self.limited(limit, tile.idx(), holders, since)
    }

    /// Bursts of reductions that have slots at a router, beside that of a transaction.
    pub(crate) fn slots_taken(&self, plane: Plane, r: usize, txn: u32) -> Vec<Node> {
        let mut slots: Vec<Node> = Vec::new();
        let waiting = self.plane(plane).joins.waiting_at(r);
        for w in waiting.filter(|w| w.beat.is_some() && w.txn != txn) {
            let is_it = |n: &Node| matches!(n, Node::Entry { txn, .. } if *txn == w.txn);
            if !slots.iter().any(is_it) {
                slots.push(entry(plane, r, w.txn, w.beat));
            }
        }
        slots
    }

    /// A beat has no place at the next merge point although nothing waits there: credits are in flight, or are kept.
    pub(crate) fn waits_for_window(&self, router: u32, txn: u32) -> Vec<Wait> {
        let at = router as usize;
        let (plane, since) = (Plane::Wide, self.machine.clock.last_progress());
        let joins = &self.plane(plane).joins;
        let here = self.machine.network.coord(TileId(router));
        let is_pending = joins
            .pending_credit(at, here, &self.machine.interfaces.txns.trees)
            .is_some();
        let result = joins.oldest_result(at, pack(here));
        let is_result = result.is_some_and(|(_, flit)| flit.txn == txn);
        let holders = if is_pending {
            let plane = Plane::Rsp;
            vec![Node::Source {
                plane,
                tile: router,
            }]
        } else if is_result {
            vec![Node::Result { plane, router }]
        } else {
            Vec::new()
        };
        let waits = self.limited(Limit::Window, at, holders, since);
        let place = format!("the window to the merge point of {}", self.tile(at));
        let at_window = |of_limit| Wait {
            place: place.clone(),
            ..of_limit
        };
        waits.into_iter().map(at_window).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::{Driver, diagnose};
    use crate::machine::Machine;
    use crate::ni::axi::issue::Target;
    use noccl_net::Network;
    use noccl_run::{Mode, RunConfig};

    fn preset() -> Network {
        noccl_testkit::mesh(4, 4)
    }

    #[test]
    fn a_limit_that_nobody_can_be_named_for_is_named_itself() {
        let net = preset();
        let machine = Machine::of(&net, &RunConfig::new(Mode::Timing), "a diagnosis").unwrap();
        let view = View::new(&machine, Driver::Traffic);
        let tile = net.find(noccl_net::TileRef::Memory(1)).unwrap();
        for (limit, name) in [
            (Limit::WideOutstanding, "ni.max_wide_outstanding = 32"),
            (Limit::NarrowOutstanding, "ni.max_narrow_outstanding = 8"),
            (Limit::OpenReductions, "ni.max_open_reductions = 8"),
            (Limit::Transfers, "cluster.dma.max_transfers = 4"),
            (Limit::MemoryOutstanding, "memory.max_outstanding = "),
            (Limit::Store, "router.wide_reduction.store_beats = 640"),
            (Limit::Window, "router.wide_reduction.window_beats = 20"),
            (Limit::Buffer, "cluster.dma.buffer_beats = 128"),
        ] {
            let waits = view.limited(limit, tile.idx(), Vec::new(), 7);
            let [wait] = waits.as_slice() else {
                panic!("{limit:?}: {waits:?}")
            };
            let text = wait.limit.clone().unwrap_or_default();
            assert!(
                text.starts_with(name) && text.ends_with("at mem:1"),
                "{text}"
            );
            assert!(view.name(wait.to).starts_with(name));
        }
    }

    /// A write waits for bytes that no read brings.
    #[test]
    fn a_transfer_without_data_names_the_buffer_and_the_burst_before_it() {
        let net = preset();
        let mut machine = Machine::of(&net, &RunConfig::new(Mode::Timing), "a diagnosis").unwrap();
        let mut write = |instance| {
            let owner = Owner::DmaWrite { instance };
            machine.issue_write(5, Target::Tile(6), 0, 64, owner, Source::Buffer);
        };
        write(0);
        let summary = |machine: &Machine<'_>| diagnose(machine, Driver::Traffic).summary;
        assert_eq!(
            summary(&machine),
            "limit reached: cluster.dma.buffer_beats = 128 beats of buffer space at cluster (0,1); write from cluster (0,1) (id 0) \
             cannot finish: it waits for cluster.dma.buffer_beats = 128 at cluster (0,1)"
        );
    }
}
