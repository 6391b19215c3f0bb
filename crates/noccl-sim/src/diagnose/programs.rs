// SPDX-License-Identifier: Apache-2.0
//! Waits of whoever issues transactions: members that have not contributed, actions in program order.

use crate::diagnose::graph::Wait;
use crate::diagnose::graph::{Node, tile_name};
use crate::diagnose::names::port_kind_name;
use crate::diagnose::network::wait;
use crate::diagnose::view::{Driver, View};
use crate::endpoint::core::Agents;
use crate::transport::transaction::{Owner, TxnKind};
use noccl_net::TileId;
use noccl_workload::PortKind;

impl View<'_, '_> {
    /// The driver's unfinished items that are no transactions (yet).
    pub(crate) fn open_items(&self) -> Vec<Node> {
        match &self.driver {
            Driver::Trace(trace) => {
                let open = trace.open_entries().filter(|e| !trace.has_started(*e));
                open.map(|e| Node::Entrant(e as u32)).collect()
            }
            Driver::Agents(agents) => {
                let all = agents.instances.all.iter();
                all.filter(|(_, i)| !i.is_over)
                    .map(|(id, _)| Node::Share(id))
                    .collect()
            }
            Driver::Traffic => Vec::new(),
        }
    }

    /// Key that puts transactions into the order of the trace or schedule.
    pub(crate) fn order_of(&self, txn: u32) -> (u64, u32) {
        let number = match self.machine.interfaces.txns.get(txn).owner {
            Owner::Trace { entry, burst } => u64::from(entry) << 32 | u64::from(burst),
            Owner::DmaWrite { instance } => u64::from(instance),
            Owner::Reduction { action } | Owner::Barrier { action } => u64::from(action),
            Owner::Traffic { created, .. } => created,
            Owner::DmaRead | Owner::Chain { .. } | Owner::Message { .. } => 0,
        };
        (number, txn)
    }

    /// Has a member's contribution to a reduction or barrier been issued?
    pub(crate) fn has_contributed(&self, txn: u32, tile: u32) -> bool {
        let kind = self.machine.interfaces.txns.get(txn).kind;
        if !matches!(kind, TxnKind::WideReduction | TxnKind::Barrier) {
            return true;
        }
        match (&self.driver, self.machine.interfaces.txns.get(txn).owner) {
            (Driver::Trace(trace), Owner::Trace { entry, .. }) => {
                trace.has_contributed(entry as usize, tile)
            }
            (Driver::Agents(agents), Owner::Reduction { action } | Owner::Barrier { action }) => {
                let instance = agents.instances.at(action, TileId(tile));
                instance.is_some_and(|id| !agents.is_queued(id))
            }
            (Driver::Trace(_) | Driver::Agents(_) | Driver::Traffic, _) => true,
        }
    }

    /// The member as somebody to wait for: its program, if it has one.
    pub(crate) fn member(&self, txn: u32, tile: u32) -> Node {
        if let Driver::Agents(agents) = &self.driver
            && let Owner::Reduction { action } | Owner::Barrier { action } =
                self.machine.interfaces.txns.get(txn).owner
            && let Some(instance) = agents.instances.at(action, TileId(tile))
        {
            return Node::Share(instance);
        }
        Node::Member { txn, tile }
    }

    /// A collective of which nothing is in progress waits for the members that have not contributed.
    pub(crate) fn waits_for_members(&self, txn: u32) -> Vec<Wait> {
        let facts = self.machine.interfaces.txns.get(txn);
        match facts.kind {
            TxnKind::WideReduction | TxnKind::Barrier => {}
            TxnKind::WideWrite
            | TxnKind::WideRead
            | TxnKind::NarrowWrite
            | TxnKind::NarrowRead
            | TxnKind::Atomic => return Vec::new(),
        }
        let place = tile_name(&self.machine.network, facts.home);
        let since = self.start_of(txn);
        let members = self.machine.interfaces.txns.trees.set(txn).members();
        members
            .map(|at| self.machine.network.tile_at(at).0)
            .filter(|tile| !self.has_contributed(txn, *tile))
            .map(|tile| wait(self.member(txn, tile), &place, since))
            .collect()
    }

    /// Cycle of the first contribution.
    fn start_of(&self, txn: u32) -> u64 {
        match (&self.driver, self.machine.interfaces.txns.get(txn).owner) {
            (Driver::Trace(trace), Owner::Trace { entry, .. }) => trace.start_of(entry as usize),
            (Driver::Agents(agents), Owner::Reduction { action } | Owner::Barrier { action }) => {
                let ids = agents.instances.of(action);
                let started = ids.filter(|id| !agents.is_queued(*id));
                let starts = started.map(|id| agents.instances.all[id].data.start_cycle);
                // 0: nobody has contributed yet.
                starts.min().unwrap_or(0)
            }
            (Driver::Trace(_) | Driver::Agents(_) | Driver::Traffic, _) => 0,
        }
    }

    /// The transaction or action that a node belongs to, as summaries name it.
    pub(crate) fn subject(&self, node: Node) -> String {
        let txn = match node {
            Node::Input {
                plane,
                router,
                port,
            } => self.input_head(plane, router, port).map(|f| f.txn),
            Node::Output {
                plane,
                router,
                port,
            } => self.output_head(plane, router, port).map(|f| f.txn),
            Node::Result { plane, router } => {
                let result = self.plane(plane).oldest_result(router as usize);
                result.map(|(_, f)| f.txn)
            }
            Node::Source { plane, tile } => self.next_of_source(plane, tile),
            Node::Entry { txn, .. }
            | Node::Stream { txn, .. }
            | Node::Member { txn, .. }
            | Node::Transaction(txn) => Some(txn),
            Node::Entrant(_) | Node::Share(_) | Node::Chain { .. } | Node::Limit { .. } => None,
        };
        txn.map_or_else(|| self.name(node), |txn| self.txn_name(txn))
    }

    pub(crate) fn entry_name(&self, entry: u32) -> String {
        let Driver::Trace(trace) = &self.driver else {
            return format!("entry #{entry}");
        };
        let kind = trace.kind(entry as usize);
        let name = port_kind_name(kind);
        match kind {
            PortKind::WideReduction { root, .. } => format!("{name} #{entry} to {root}"),
            PortKind::Barrier { root, .. } => format!("{name} #{entry} at {root}"),
            PortKind::WideWrite { from, .. }
            | PortKind::WideMulticast { from, .. }
            | PortKind::WideRead { from, .. }
            | PortKind::NarrowWrite { from, .. }
            | PortKind::NarrowMulticast { from, .. }
            | PortKind::NarrowRead { from, .. }
            | PortKind::Atomic { from, .. } => format!("{name} #{entry} from {from}"),
        }
    }

    pub(crate) fn action_of(&self, instance: u32) -> Option<u32> {
        match &self.driver {
            Driver::Agents(agents) => Some(agents.instances.all[instance].action),
            Driver::Trace(_) | Driver::Traffic => None,
        }
    }

    pub(crate) fn share_name(&self, instance: u32) -> String {
        let Driver::Agents(agents) = &self.driver else {
            return String::new();
        };
        let share = &agents.instances.all[instance];
        let kind = agents.kind(instance).words();
        let tile = tile_name(&self.machine.network, share.tile.0);
        format!("action #{} ({kind}) at {tile}", share.action)
    }

    pub(crate) fn waits_of_share(&self, instance: u32) -> Vec<Wait> {
        let Driver::Agents(agents) = &self.driver else {
            return Vec::new();
        };
        if agents.instances.all[instance].is_over {
            return Vec::new();
        }
        if let Some(initiator) = agents.delivered_by(instance) {
            let tile = agents.instances.all[instance].tile.0;
            let place = self.tile(tile as usize);
            return vec![wait(Node::Share(initiator), &place, 0)];
        }
        match agents.stands_behind(instance) {
            Some(before) if before != instance => {
                let tile = agents.instances.all[instance].tile.0;
                let place = format!("the program of {}", self.tile(tile as usize));
                vec![wait(
                    Node::Share(before),
                    &place,
                    agents.ready_since(instance),
                )]
            }
            Some(_) => self.waits_for_dependencies(agents, instance),
            None => self.waits_of_running(agents, instance),
        }
    }

    /// First in its agent's queue: earlier actions of the same tile are not over.
    fn waits_for_dependencies(&self, agents: &Agents<'_>, instance: u32) -> Vec<Wait> {
        let tile = agents.instances.all[instance].tile;
        let place = format!("the dependencies of {}", self.share_name(instance));
        let instances = &agents.instances;
        let precedes = |id: u32| instances.waits_for(instance, id);
        let all = instances.all.iter();
        all.filter(|(id, i)| i.tile == tile && !i.is_over && precedes(*id))
            .map(|(id, _)| wait(Node::Share(id), &place, agents.ready_since(instance)))
            .collect()
    }

    /// In progress: its transactions; a software barrier also waits for members that are not there.
    fn waits_of_running(&self, agents: &Agents<'_>, instance: u32) -> Vec<Wait> {
        let share = &agents.instances.all[instance];
        let (action, tile, since) = (share.action, share.tile.0, share.data.start_cycle);
        if agents.kind(instance).chain().is_some() {
            return self.waits_of_chain_share(tile);
        }
        let is_barrier = agents.kind(instance).barrier().is_some();
        let is_own = |owner: Owner, home: u32| match owner {
            Owner::DmaWrite { instance: of } => of == instance,
            Owner::DmaRead => home == tile && agents.kind(instance).transfer().is_some(),
            Owner::Reduction { action: of } | Owner::Barrier { action: of } => of == action,
            Owner::Trace { .. }
            | Owner::Traffic { .. }
            | Owner::Chain { .. }
            | Owner::Message { .. } => false,
        };
        let live = self.machine.interfaces.txns.iter_live();
        let own = live.filter(|(_, t)| is_own(t.owner, t.home));
        let place = self.tile(tile as usize);
        let mut waits: Vec<Wait> = own
            .map(|(id, _)| wait(Node::Transaction(id), &place, since))
            .collect();
        if is_barrier && waits.is_empty() {
            let absent = agents.instances.of(action);
            let absent = absent.filter(|id| agents.is_queued(*id));
            waits.extend(absent.map(|id| wait(Node::Share(id), &place, since)));
        }
        if waits.is_empty() {
            return self.waits_for_engine(agents, instance);
        }
        waits
    }
}
