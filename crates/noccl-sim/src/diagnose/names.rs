// SPDX-License-Identifier: Apache-2.0
//! What a person calls those who wait.

use crate::diagnose::graph::{Node, input_name, output_name, tile_name};
use crate::diagnose::view::View;
use crate::endpoint::torrent::Window;
use crate::transport::flit::{Flit, FlitKind};
use crate::transport::transaction::{Owner, Txn, TxnKind};
use noccl_workload::PortKind;

/// Which part of its transaction a flit is.
fn part_name(flit: Flit) -> String {
    match flit.kind {
        FlitKind::Write | FlitKind::ReadData | FlitKind::Reduce | FlitKind::Result => {
            format!("beat {}", flit.beat)
        }
        FlitKind::WriteHead | FlitKind::ReduceHead | FlitKind::BarrierHead => "AW".to_owned(),
        FlitKind::ReadRequest => "AR".to_owned(),
        FlitKind::Response | FlitKind::CollectB | FlitKind::ReduceResponse => "B".to_owned(),
        FlitKind::Barrier | FlitKind::Atomic | FlitKind::NarrowWrite => "W".to_owned(),
        FlitKind::Credit => "credit".to_owned(),
    }
}

impl View<'_, '_> {
    /// The name of a node; different nodes have different names.
    pub(crate) fn name(&self, node: Node) -> String {
        let network = self.machine.network;
        match node {
            Node::Input {
                plane,
                router,
                port,
            } => {
                let what = self.flit_name(self.input_head(plane, router, port));
                let place = input_name(&network, plane, router, port as usize);
                format!("{what} at {place}")
            }
            Node::Output {
                plane,
                router,
                port,
            } => {
                let what = self.flit_name(self.output_head(plane, router, port));
                let place = output_name(&network, plane, router, port as usize);
                format!("{what} on {place}")
            }
            Node::Entry {
                plane,
                router,
                txn,
                beat,
            } => {
                let beat = beat.map_or_else(String::new, |b| format!(" of beat {b}"));
                let (name, at) = (self.txn_name(txn), tile_name(&network, router));
                let plane = plane.name();
                format!("{name}, contributions{beat} set aside at the {plane} router of {at}")
            }
            Node::Result { plane, router } => {
                let result = self.plane(plane).oldest_result(router as usize);
                let what = self.flit_name(result.map(|(_, flit)| flit));
                let at = tile_name(&network, router);
                format!("{what} in the reduction unit of {at}")
            }
            Node::Source { plane, tile } => {
                let what = match self.next_of_source(plane, tile) {
                    Some(txn) => self.txn_name(txn),
                    None => "nothing".to_owned(),
                };
                let at = tile_name(&network, tile);
                format!("{what} in the {} queue of the NI of {at}", plane.name())
            }
            Node::Stream { tile, txn } => {
                let (name, at) = (self.txn_name(txn), tile_name(&network, tile));
                format!("{name} in the write queue of the NI of {at}")
            }
            Node::Transaction(txn) => self.txn_name(txn),
            Node::Member { txn, tile } => {
                let name = self.txn_name(txn);
                format!("{} to contribute to {name}", tile_name(&network, tile))
            }
            Node::Entrant(entry) => self.entry_name(entry),
            Node::Share(instance) => self.share_name(instance),
            Node::Chain { tile } => self.chain_name(tile),
            Node::Limit { limit, tile } => {
                let (field, value) = (limit.field(), self.limit_value(limit));
                format!("{field} = {value} at {}", tile_name(&network, tile))
            }
        }
    }

    fn flit_name(&self, flit: Option<Flit>) -> String {
        flit.map_or_else(
            || "nothing".to_owned(),
            |f| format!("{}, {},", self.txn_name(f.txn), part_name(f)),
        )
    }

    /// The transaction or action of a node as a whole, without its bursts.
    pub(crate) fn whole(&self, node: Node) -> String {
        let name = self.subject(node);
        let end = name.find(", burst ").or_else(|| name.find(" (id "));
        end.map_or_else(|| name.clone(), |end| name[..end].to_owned())
    }

    /// Kind, number in the trace or schedule, and initiator or root of a transaction.
    pub(crate) fn txn_name(&self, id: u32) -> String {
        let txn = self.machine.interfaces.txns.get(id);
        let home = tile_name(&self.machine.network, txn.home);
        let kind = kind_name(txn);
        let at = match txn.kind {
            TxnKind::WideReduction => "to",
            TxnKind::Barrier => "at",
            TxnKind::WideWrite
            | TxnKind::WideRead
            | TxnKind::NarrowWrite
            | TxnKind::NarrowRead
            | TxnKind::Atomic => "from",
        };
        match txn.owner {
            Owner::Trace { entry, burst: 0 } => format!("{kind} #{entry} {at} {home}"),
            Owner::Trace { entry, burst } => format!("{kind} #{entry} {at} {home}, burst {burst}"),
            Owner::DmaWrite { instance } => match self.action_of(instance) {
                Some(action) => format!("{kind} of action #{action} {at} {home} (id {id})"),
                None => format!("{kind} {at} {home} (id {id})"),
            },
            Owner::DmaRead => format!("DMA {kind} {at} {home} (id {id})"),
            Owner::Reduction { action } | Owner::Barrier { action } => {
                format!("{kind} of action #{action} {at} {home} (id {id})")
            }
            Owner::Chain { initiator, .. } => {
                let begins = tile_name(&self.machine.network, initiator);
                format!("burst of the chain of {begins} {at} {home} (id {id})")
            }
            Owner::Message { window } => {
                let what = match window {
                    Window::Cfg => "configuration",
                    Window::Grant => "grant",
                    Window::Finish => "finish",
                    Window::Free | Window::Busy => "response",
                    Window::Release => "release",
                };
                format!("{what} {at} {home} (id {id})")
            }
            Owner::Traffic { created, .. } => {
                format!("{kind} {at} {home} of cycle {created} (id {id})")
            }
        }
    }
}

fn kind_name(txn: &Txn) -> &'static str {
    match (txn.kind, txn.is_multicast) {
        (TxnKind::WideWrite, true) => "multicast",
        (TxnKind::WideWrite, false) => "write",
        (TxnKind::WideRead, _) => "read",
        (TxnKind::WideReduction, _) => "reduction",
        (TxnKind::NarrowWrite, true) => "narrow multicast",
        (TxnKind::NarrowWrite, false) => "narrow write",
        (TxnKind::NarrowRead, _) => "narrow read",
        (TxnKind::Barrier, _) => "barrier",
        (TxnKind::Atomic, _) => "atomic",
    }
}

/// Kind of a trace entry, in the words of [`kind_name`].
pub(crate) const fn port_kind_name(kind: &PortKind) -> &'static str {
    match kind {
        PortKind::WideWrite { .. } => "write",
        PortKind::WideMulticast { .. } => "multicast",
        PortKind::WideRead { .. } => "read",
        PortKind::WideReduction { .. } => "reduction",
        PortKind::NarrowWrite { .. } => "narrow write",
        PortKind::NarrowMulticast { .. } => "narrow multicast",
        PortKind::NarrowRead { .. } => "narrow read",
        PortKind::Atomic { .. } => "atomic",
        PortKind::Barrier { .. } => "barrier",
    }
}
