// SPDX-License-Identifier: Apache-2.0
//! Where transactions stand in the network, and which wait belongs to which place.

use crate::diagnose::graph::Wait;
use crate::diagnose::graph::{Node, input_name, output_name, tile_name};
use crate::diagnose::view::View;
use crate::router::collective::control::block::PORTS;
use crate::router::collective::plane::PlaneState;
use crate::transport::flit::Flit;
use noccl_net::{Coord, Port, TileId};
use noccl_spec::Plane;
use std::collections::HashMap;

impl View<'_, '_> {
    pub(crate) fn plane(&self, plane: Plane) -> &PlaneState {
        &self.machine.mesh.planes[plane.idx()]
    }

    pub(crate) fn input_head(&self, plane: Plane, router: u32, port: u8) -> Option<Flit> {
        self.plane(plane)
            .fifo(router as usize, true, port as usize)
            .next()
    }

    pub(crate) fn output_head(&self, plane: Plane, router: u32, port: u8) -> Option<Flit> {
        self.plane(plane)
            .fifo(router as usize, false, port as usize)
            .next()
    }

    /// Where parts of each transaction stand: heads of FIFOs they are in, tables, queues.
    pub(crate) fn find_places(&self) -> HashMap<u32, Vec<Node>> {
        let mut places: HashMap<u32, Vec<Node>> = HashMap::new();
        let mut note = |txn: u32, node: Node| {
            let nodes = places.entry(txn).or_default();
            if !nodes.contains(&node) {
                nodes.push(node);
            }
        };
        for plane in Plane::ALL {
            let state = self.plane(plane);
            for router in 0..state.num_routers() as u32 {
                for (port, is_input) in (0..PORTS as u8).flat_map(|p| [(p, true), (p, false)]) {
                    let node = if is_input {
                        Node::Input {
                            plane,
                            router,
                            port,
                        }
                    } else {
                        Node::Output {
                            plane,
                            router,
                            port,
                        }
                    };
                    for flit in state.fifo(router as usize, is_input, port as usize) {
                        note(flit.txn, node);
                    }
                }
                // What stands on a long link waits behind the full input at its end.
                for out in 0..PORTS - 1 {
                    let mut on_link = state.on_link(router as usize, out).peekable();
                    if on_link.peek().is_some() {
                        let (next, entry) = self.upstream_of(router as usize, out);
                        on_link.for_each(|flit| note(flit.txn, input(plane, next, entry)));
                    }
                }
                if let Some((_, flit)) = state.oldest_result(router as usize) {
                    note(flit.txn, Node::Result { plane, router });
                }
            }
            for w in state.joins.waiting() {
                let router = w.router as u32;
                let (txn, beat) = (w.txn, w.beat);
                note(
                    txn,
                    Node::Entry {
                        plane,
                        router,
                        txn,
                        beat,
                    },
                );
            }
        }
        for (tile, ni) in self.machine.interfaces.nis.iter().enumerate() {
            let tile = tile as u32;
            let source = |plane| Node::Source { plane, tile };
            ni.req.iter().for_each(|f| note(f.txn, source(Plane::Req)));
            ni.rsp.iter().for_each(|f| note(f.txn, source(Plane::Rsp)));
            ni.reads
                .iter()
                .for_each(|s| note(s.txn, source(Plane::Wide)));
            let stream = |txn| Node::Stream { tile, txn };
            ni.writes.iter().for_each(|s| note(s.txn, stream(s.txn)));
        }
        places
    }

    /// Whom a node waits for.
    pub(crate) fn waits_of(&self, node: Node) -> Vec<Wait> {
        match node {
            Node::Input {
                plane,
                router,
                port,
            } => self.waits_of_input(plane, router as usize, port as usize),
            Node::Output {
                plane,
                router,
                port,
            } => self.waits_of_output(plane, router as usize, port as usize),
            Node::Entry {
                plane,
                router,
                txn,
                beat,
            } => self.waits_of_entry(plane, router as usize, txn, beat),
            Node::Result { plane, router } => self.waits_of_result(plane, router as usize),
            Node::Source { plane, tile } => self.waits_of_source(plane, tile),
            Node::Stream { tile, txn } => self.waits_of_stream(tile, txn),
            Node::Transaction(txn) => self.waits_of_transaction(txn),
            Node::Share(instance) => self.waits_of_share(instance),
            Node::Chain { tile } => self.waits_of_chain(tile),
            Node::Member { .. } | Node::Entrant(_) | Node::Limit { .. } => Vec::new(),
        }
    }

    pub(crate) fn head_since(&self, plane: Plane, r: usize, is_input: bool, port: usize) -> u64 {
        let ages = self.plane(plane).head_ages.as_ref();
        ages.map_or(self.machine.clock.last_progress(), |w| {
            w.head_since(r, is_input, port)
        })
    }

    /// Cycle since which both the waiter stands and the FIFO it needs is full.
    pub(crate) fn full_since(
        &self,
        plane: Plane,
        r: usize,
        is_input: bool,
        port: usize,
        since: u64,
    ) -> u64 {
        let ages = self.plane(plane).head_ages.as_ref();
        let full = ages.and_then(|w| w.full_since(r, is_input, port));
        full.map_or(since, |f| f.max(since))
    }

    /// Router and output that feed an input.
    pub(crate) fn upstream_of(&self, r: usize, input: usize) -> (usize, usize) {
        let network = self.machine.network;
        let here = network.coord(TileId(r as u32));
        let port = Port::ALL[input];
        let before = network
            .neighbour(here, port)
            .map_or(r, |c| network.tile_at(c).idx());
        (before, port.opposite().idx())
    }

    /// A transaction waits for its own flit at a place.
    pub(crate) fn wait_at(&self, to: Node) -> Wait {
        let network = self.machine.network;
        match to {
            Node::Input {
                plane,
                router,
                port,
            } => {
                let (r, port) = (router as usize, port as usize);
                let since = self.head_since(plane, r, true, port);
                wait(to, &input_name(&network, plane, router, port), since)
            }
            Node::Output {
                plane,
                router,
                port,
            } => {
                let (r, port) = (router as usize, port as usize);
                let since = self.head_since(plane, r, false, port);
                wait(to, &output_name(&network, plane, router, port), since)
            }
            Node::Entry {
                plane,
                router,
                txn,
                beat,
            } => {
                let mut entries = self.plane(plane).joins.waiting_at(router as usize);
                let entry = entries.find(|w| w.txn == txn && w.beat == beat);
                // 0: an entry that has left its table has waited for nothing since then.
                let since = entry.map_or(0, |w| w.since);
                let place = format!("the tables of {}", tile_name(&network, router));
                wait(to, &place, since)
            }
            Node::Result { router: tile, .. }
            | Node::Source { tile, .. }
            | Node::Stream { tile, .. }
            | Node::Limit { tile, .. }
            | Node::Member { tile, .. } => wait(
                to,
                &tile_name(&network, tile),
                self.machine.clock.last_progress(),
            ),
            Node::Transaction(_) | Node::Entrant(_) | Node::Share(_) | Node::Chain { .. } => {
                wait(to, "", self.machine.clock.last_progress())
            }
        }
    }

    pub(crate) fn coord(&self, r: usize) -> Coord {
        self.machine.network.coord(TileId(r as u32))
    }

    pub(crate) fn tile(&self, r: usize) -> String {
        tile_name(&self.machine.network, r as u32)
    }
}

pub(crate) fn wait(to: Node, place: &str, since: u64) -> Wait {
    Wait {
        to,
        place: place.to_owned(),
        since,
        limit: None,
    }
}

pub(crate) fn ports(set: u8) -> impl Iterator<Item = usize> {
    (0..PORTS).filter(move |p| set >> p & 1 != 0)
}

pub(crate) const fn input(plane: Plane, r: usize, port: usize) -> Node {
    let (router, port) = (r as u32, port as u8);
    Node::Input {
        plane,
        router,
        port,
    }
}

pub(crate) const fn output(plane: Plane, r: usize, port: usize) -> Node {
    let (router, port) = (r as u32, port as u8);
    Node::Output {
        plane,
        router,
        port,
    }
}

pub(crate) const fn entry(plane: Plane, r: usize, txn: u32, beat: Option<u16>) -> Node {
    let router = r as u32;
    Node::Entry {
        plane,
        router,
        txn,
        beat,
    }
}
