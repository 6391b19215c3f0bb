// SPDX-License-Identifier: Apache-2.0
//! Who may wait for whom: shares of cores, packets at each of their links, and packets in front of a full store.
//!
//! A wait is one that some timing allows, so no circle among them means that no timing has one.
//!
//! | who | waits for |
//! |---|---|
//! | a share | what its core does before it, and `after` |
//! | a send | the words of its message on their path; with acknowledgements that of the message before, with interrupts request and reply |
//! | a receive | its send and the words on their path; that its core is free; with acknowledgements the words of its own |
//! | a packet at a link | packets that hold the link, at their next one; then its own next link |
//! | a packet at a store that may be full | that the core reads: it is free, and if it reads nothing that may not be received, all that may stand before the packet may be received |
//! | a stream | that all its members have come to it |
//!
//! A core is not free while it sends, streams or responses. Routes turn from rows into columns only, so packets at links alone wait in no
//! circle: every circle goes through a store.

use super::packets::{Carried, Packets};
use super::shares::{Part, ShareId, Shares};
use noccl_net::Network;
use noccl_spec::{CoreTiles, DrainRule};

/// Most waits that are looked at.
pub(super) const MAX_WAITS: usize = 1 << 23;

/// Who may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Node {
    /// The end of a share.
    Share(ShareId),
    /// A packet at the link of this place on its path.
    At(usize, usize),
    /// A packet whose words find the store full.
    Store(usize),
    /// A stream, by its action.
    Stream(usize),
}

/// All waits, by the number of the node that waits.
pub(super) struct WordWaits {
    pub nodes: Vec<Node>,
    pub waits: Vec<Vec<u32>>,
    pub count: usize,
    first_of_packet: Vec<usize>,
    first_store: usize,
    first_stream: usize,
}

/// What the waits are made of.
#[derive(Clone, Copy)]
pub(super) struct Of<'s> {
    pub network: &'s Network,
    pub tiles: &'s CoreTiles,
    pub shares: &'s Shares,
    pub packets: &'s Packets,
}

impl WordWaits {
    /// `None` if there are more than [`MAX_WAITS`].
    pub(super) fn new(of: Of<'_>) -> Option<Self> {
        let mut waits = Self::nodes(of);
        for share in 0..of.shares.all.len() {
            waits.of_share(of, share);
        }
        for (action, members) in of.shares.streams.iter().enumerate() {
            let stream = Node::Stream(action);
            for member in members {
                for before in &of.shares.all[*member].after {
                    waits.add(stream, Node::Share(*before));
                }
            }
        }
        waits.of_links(of)?;
        for packet in 0..of.packets.all.len() {
            let own = &of.packets.all[packet];
            for place in 1..own.links.len() {
                waits.add(Node::At(packet, place - 1), Node::At(packet, place));
            }
            if own.may_find_no_space {
                waits.add(Node::At(packet, own.links.len() - 1), Node::Store(packet));
                waits.of_store(of, packet);
            }
        }
        (waits.count <= MAX_WAITS).then_some(waits)
    }

    fn nodes(of: Of<'_>) -> Self {
        let (shares, packets) = (of.shares.all.len(), &of.packets.all);
        let mut nodes: Vec<Node> = (0..shares).map(Node::Share).collect();
        let mut first_of_packet = Vec::new();
        for (number, packet) in packets.iter().enumerate() {
            first_of_packet.push(nodes.len());
            nodes.extend((0..packet.links.len()).map(|place| Node::At(number, place)));
        }
        let first_store = nodes.len();
        nodes.extend((0..packets.len()).map(Node::Store));
        let first_stream = nodes.len();
        nodes.extend((0..of.shares.streams.len()).map(Node::Stream));
        Self {
            waits: vec![Vec::new(); nodes.len()],
            nodes,
            count: 0,
            first_of_packet,
            first_store,
            first_stream,
        }
    }

    fn number(&self, node: Node) -> usize {
        match node {
            Node::Share(share) => share,
            Node::At(packet, place) => self.first_of_packet[packet] + place,
            Node::Store(packet) => self.first_store + packet,
            Node::Stream(action) => self.first_stream + action,
        }
    }

    fn add(&mut self, who: Node, whom: Node) {
        let (who, whom) = (self.number(who), self.number(whom));
        self.waits[who].push(whom as u32);
        self.count += 1;
    }

    fn of_share(&mut self, of: Of<'_>, share: ShareId) {
        let own = &of.shares.all[share];
        let node = Node::Share(share);
        for before in &own.after {
            self.add(node, Node::Share(*before));
        }
        let packets = &of.packets.of_action[own.action];
        match own.part {
            Part::Local => {}
            Part::Stream => self.add(node, Node::Stream(own.action)),
            Part::Send => {
                for packet in packets {
                    match of.packets.all[*packet].carried {
                        Carried::Data | Carried::Request | Carried::Reply => {
                            self.add(node, Node::At(*packet, 0));
                        }
                        // It waits for that of the message before.
                        Carried::Acknowledgement => {}
                    }
                    if of.packets.all[*packet].carried == Carried::Request {
                        self.of_busy_core(of, node, *packet);
                    }
                }
                self.of_acknowledgement(of, share);
            }
            Part::Receive => {
                for packet in packets {
                    self.add(node, Node::At(*packet, 0));
                    if of.packets.all[*packet].carried == Carried::Data {
                        self.add(node, Node::Share(of.packets.all[*packet].send));
                        self.of_busy_core(of, node, *packet);
                        self.of_reading(of, node, *packet);
                    }
                }
            }
        }
    }

    /// A send waits for the acknowledgement of the message before, of the same pair of tiles.
    fn of_acknowledgement(&mut self, of: Of<'_>, send: ShareId) {
        let responses = &of.packets.to[of.shares.all[send].tile.idx()];
        for packet in responses {
            let own = &of.packets.all[*packet];
            if own.carried == Carried::Acknowledgement && own.end == Some(send) {
                self.add(Node::Share(send), Node::Share(own.receive));
                self.add(Node::Share(send), Node::At(*packet, 0));
            }
        }
    }

    /// What keeps the core from reading a packet: its own sends and streams, and the responses that it writes.
    fn of_busy_core(&mut self, of: Of<'_>, node: Node, packet: usize) {
        let own = &of.packets.all[packet];
        for (share, other) in of.shares.all.iter().enumerate() {
            let blocks = matches!(other.part, Part::Send | Part::Stream) && other.tile == own.to;
            let is_over = of.shares.is_before(share, own.send);
            let is_later = own.end.is_some_and(|end| of.shares.is_before(end, share));
            if blocks && !is_over && !is_later {
                self.add(node, Node::Share(share));
            }
        }
        for response in &of.packets.responses_of[own.to.idx()] {
            if of.packets.may_meet(of.shares, packet, *response) {
                self.add(node, Node::At(*response, 0));
            }
        }
    }

    /// A core that reads nothing but what it may receive stands before the first packet that it may not.
    fn of_reading(&mut self, of: Of<'_>, node: Node, packet: usize) {
        if of.tiles.core.drain != DrainRule::Never {
            return;
        }
        for other in &of.packets.to[of.packets.all[packet].to.idx()] {
            let (own, ahead) = (&of.packets.all[packet], &of.packets.all[*other]);
            // What one core sends to another comes in order.
            let is_behind = own.from == ahead.from && of.shares.is_before(own.send, ahead.send);
            let is_data = ahead.carried == Carried::Data;
            if !is_data || is_behind || !of.packets.may_meet(of.shares, packet, *other) {
                continue;
            }
            for before in &of.shares.all[ahead.receive].after {
                self.add(node, Node::Share(*before));
            }
        }
    }

    fn of_store(&mut self, of: Of<'_>, packet: usize) {
        let node = Node::Store(packet);
        self.of_busy_core(of, node, packet);
        self.of_reading(of, node, packet);
        let own = &of.packets.all[packet];
        if of.tiles.core.drain == DrainRule::Never && own.carried == Carried::Acknowledgement {
            // It stays until the next message of the pair is sent, or for good.
            match own.end {
                Some(next) => self.add(node, Node::Share(next)),
                None => self.add(node, node),
            }
        }
    }

    /// Packets that may meet at a link: whoever comes second waits for the first one to go on.
    fn of_links(&mut self, of: Of<'_>) -> Option<()> {
        let mut users: Vec<Vec<(usize, usize)>> = Vec::new();
        for (number, packet) in of.packets.all.iter().enumerate() {
            for (place, link) in packet.links.iter().enumerate() {
                if users.len() <= *link {
                    users.resize(link + 1, Vec::new());
                }
                users[*link].push((number, place));
            }
        }
        for at_link in &users {
            for (packet, place) in at_link {
                for (other, there) in at_link {
                    if packet == other || !of.packets.may_meet(of.shares, *packet, *other) {
                        continue;
                    }
                    let links = &of.packets.all[*other].links;
                    let next = if there + 1 < links.len() {
                        Node::At(*other, there + 1)
                    } else if of.packets.all[*other].may_find_no_space {
                        Node::Store(*other)
                    } else {
                        continue;
                    };
                    self.add(Node::At(*packet, *place), next);
                }
                if self.count > MAX_WAITS {
                    return None;
                }
            }
        }
        Some(())
    }

    /// Nodes that wait in a circle, each for the next one, the last for the first.
    pub(super) fn circle(&self) -> Option<Vec<Node>> {
        let mut depth = vec![UNSEEN; self.nodes.len()];
        for root in 0..self.nodes.len() {
            if depth[root] != UNSEEN {
                continue;
            }
            // Depth first without recursion: a path of (node, next wait to look at).
            let mut path = vec![(root, 0)];
            depth[root] = 0;
            while let Some((node, next)) = path.last_mut() {
                let Some(whom) = self.waits[*node].get(*next).map(|whom| *whom as usize) else {
                    depth[*node] = DONE;
                    path.pop();
                    continue;
                };
                *next += 1;
                if depth[whom] == UNSEEN {
                    depth[whom] = path.len();
                    path.push((whom, 0));
                } else if depth[whom] != DONE {
                    let circle = path[depth[whom]..]
                        .iter()
                        .map(|(node, _)| self.nodes[*node]);
                    return Some(circle.collect());
                }
            }
        }
        None
    }
}

const UNSEEN: usize = usize::MAX;
const DONE: usize = usize::MAX - 1;
