// SPDX-License-Identifier: Apache-2.0
//! Why nothing moves: cores that wait for ports, packets or each other, and packets that wait for links or cores.

use crate::endpoint::message_core::{CoreWait, Cores, For, Planes};
use crate::kernel::circle::circle;
use crate::router::wormhole::{Awaited, PacketId, Plane, Rule};
use noccl_net::{Network, Port, TileId};
use noccl_run::{Diagnosis, WaitEdge};

/// Waits that are named where there is no circle.
const MAX_NAMED: usize = 16;

/// Who waits, and who is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum UdnNode {
    Core(TileId),
    /// A packet of the dynamic network, and one of the static network.
    Packet(u32),
    StaticPacket(u32),
}

struct Edge {
    from: UdnNode,
    to: UdnNode,
    place: String,
    since_cycle: u64,
}

/// The circle of waits, or the first waits if there is none.
pub(super) fn diagnose(
    network: &Network,
    planes: &Planes,
    cores: &Cores<'_>,
    cycle: u64,
    last_progress_cycle: u64,
) -> Diagnosis {
    let found = Found {
        network,
        planes,
        cores,
        since_cycle: last_progress_cycle,
    };
    let edges = found.edges();
    let waits: Vec<(UdnNode, UdnNode)> = edges.iter().map(|edge| (edge.from, edge.to)).collect();
    let circle = circle(&waits);
    let summary = match (&circle, edges.is_empty()) {
        (Some(_), _) => "deadlock: cores and messages wait for each other in a circle",
        (None, true) => "no core waits: a participant has not begun or not ended",
        (None, false) => "cores wait for messages that have not come",
    };
    let named = circle.unwrap_or_else(|| (0..edges.len().min(MAX_NAMED)).collect());
    Diagnosis {
        cycle,
        last_progress_cycle,
        summary: summary.to_owned(),
        waits: named
            .into_iter()
            .map(|edge| found.named(&edges[edge]))
            .collect(),
    }
}

struct Found<'a> {
    network: &'a Network,
    planes: &'a Planes,
    cores: &'a Cores<'a>,
    since_cycle: u64,
}

impl Found<'_> {
    fn edges(&self) -> Vec<Edge> {
        let mut edges = self.core_edges();
        self.packet_edges(&self.planes.udn, "UDN", UdnNode::Packet, &mut edges);
        self.packet_edges(
            &self.planes.fixed,
            "static network",
            UdnNode::StaticPacket,
            &mut edges,
        );
        edges
    }

    /// A core at a full port waits for the packet at the head of it.
    fn core_edges(&self) -> Vec<Edge> {
        let port = |tile| {
            let waits = self.planes.udn.waits().into_iter();
            let mut front = waits.filter(|w| w.tile == tile && w.input == Port::Local);
            front.next().map(|wait| UdnNode::Packet(wait.packet.0))
        };
        let static_port = |tile| {
            let waits = self.planes.fixed.waits().into_iter();
            let mut front = waits.filter(|w| w.tile == tile && w.input == Port::Local);
            front
                .next()
                .map(|wait| UdnNode::StaticPacket(wait.packet.0))
        };
        let edge = |wait: CoreWait| {
            let (to, place) = match wait.awaited {
                For::Port => (port(wait.tile)?, "its port into the UDN"),
                For::StaticPort => (static_port(wait.tile)?, "its port into the static network"),
                For::Core(tile) => (UdnNode::Core(tile), "its queues"),
            };
            Some(Edge {
                from: UdnNode::Core(wait.tile),
                to,
                place: format!("{place}: it {}", wait.doing),
                since_cycle: wait.since_cycle,
            })
        };
        self.cores.waits().into_iter().filter_map(edge).collect()
    }

    fn packet_edges<R: Rule>(
        &self,
        plane: &Plane<R>,
        name: &str,
        node: fn(u32) -> UdnNode,
        edges: &mut Vec<Edge>,
    ) {
        for wait in plane.waits() {
            let at = self.network.coord(wait.tile);
            let (to, place) = match wait.awaited {
                Awaited::Packet(packet) if packet == wait.packet => continue,
                Awaited::Packet(packet) => {
                    let output = wait.output;
                    (
                        node(packet.0),
                        format!("{name}, router {at}, output {output:?}"),
                    )
                }
                Awaited::Tile => {
                    let (words, capacity) = self.cores.stored_words(wait.tile.idx());
                    let place = format!("{name}, queues of core {at}: {words} of {capacity} words");
                    (UdnNode::Core(wait.tile), place)
                }
            };
            edges.push(Edge {
                from: node(wait.packet.0),
                to,
                place,
                since_cycle: self.since_cycle,
            });
        }
    }

    fn named(&self, edge: &Edge) -> WaitEdge {
        WaitEdge {
            waiter: self.name(edge.from),
            awaited: self.name(edge.to),
            place: edge.place.clone(),
            since_cycle: edge.since_cycle,
        }
    }

    fn name(&self, node: UdnNode) -> String {
        match node {
            UdnNode::Core(tile) => format!("core {}", self.network.coord(tile)),
            UdnNode::Packet(packet) => {
                let packet = PacketId(packet);
                self.cores.unit_text(self.planes.udn.packet(packet).tag)
            }
            UdnNode::StaticPacket(packet) => {
                let packet = PacketId(packet);
                format!(
                    "the words of actions[{}]",
                    self.planes.fixed.packet(packet).tag
                )
            }
        }
    }
}
