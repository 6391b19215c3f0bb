// SPDX-License-Identifier: Apache-2.0
//! Packets of a schedule on the dynamic network: messages, requests and responses.

use super::shares::{ShareId, Shares};
use crate::{Schedule, WORD_BYTES};
use noccl_net::{Coord, Network, Port, TileId};
use noccl_spec::{CoreTiles, FlowControl, UNIT_HEAD_WORDS};
use std::collections::BTreeMap;

/// Words of an acknowledgement, a request or a reply.
const CONTROL_WORDS: u64 = UNIT_HEAD_WORDS as u64 + 1;
/// Links of a tile: the outputs of its router, and that from the core to its router.
const LINKS_OF_TILE: usize = 6;
const FROM_CORE: usize = 5;

/// What a packet carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Carried {
    /// The words of the message.
    Data,
    /// The receiver's word that it has it.
    Acknowledgement,
    /// The word that interrupts the receiver, ahead of the message.
    Request,
    /// The receiver's response to it.
    Reply,
}

/// All units of a message in one direction.
#[derive(Debug, Clone)]
pub(super) struct Packet {
    pub carried: Carried,
    /// Its message: the send with which it may begin, and the receive.
    pub send: ShareId,
    pub receive: ShareId,
    /// The share with whose end it has been read for certain; none where nobody need read it.
    pub end: Option<ShareId>,
    pub from: TileId,
    pub to: TileId,
    words: u64,
    /// Links in the order in which it takes them, the last one into the receiver's store.
    pub links: Vec<usize>,
    /// May the store be full when its words come?
    pub may_find_no_space: bool,
}

/// All packets, and which may be in the network together.
pub(super) struct Packets {
    pub all: Vec<Packet>,
    /// By action: its packets.
    pub of_action: Vec<Vec<usize>>,
    /// By tile: packets to its store, and packets that its core writes as an response.
    pub to: Vec<Vec<usize>>,
    pub responses_of: Vec<Vec<usize>>,
}

impl Packets {
    pub(super) fn new(
        network: &Network,
        tiles: &CoreTiles,
        schedule: &Schedule,
        shares: &Shares,
    ) -> Self {
        let mut packets = Self {
            all: Vec::new(),
            of_action: vec![Vec::new(); schedule.actions.len()],
            to: vec![Vec::new(); network.num_tiles()],
            responses_of: vec![Vec::new(); network.num_tiles()],
        };
        let next = next_of_pair(shares);
        for (action, message) in shares.messages.iter().enumerate() {
            let (Some((send, receive)), Some(kind)) =
                (*message, schedule.actions[action].kind.message())
            else {
                continue;
            };
            let words = tiles.core.message_words(kind.stream().words() * WORD_BYTES);
            let ends = (shares.all[send].tile, shares.all[receive].tile);
            let mut push = |carried, (from, to), words, end| {
                packets.push(
                    action,
                    Packet {
                        carried,
                        send,
                        receive,
                        end,
                        from,
                        to,
                        words,
                        links: links(network, from, to),
                        may_find_no_space: false,
                    },
                );
            };
            push(Carried::Data, ends, words, Some(receive));
            let back = (ends.1, ends.0);
            if tiles.core.interrupt_cycles > 0 {
                push(Carried::Request, ends, CONTROL_WORDS, Some(receive));
                push(Carried::Reply, back, CONTROL_WORDS, Some(receive));
            } else if tiles.core.flow_control == FlowControl::ReadyAck {
                // Read before the next message of this pair is sent.
                let end = next.get(&send).copied();
                push(Carried::Acknowledgement, back, CONTROL_WORDS, end);
            }
        }
        packets.find_space(shares, tiles.core.receive_store_words.into());
        packets
    }

    fn push(&mut self, action: usize, packet: Packet) {
        let number = self.all.len();
        self.of_action[action].push(number);
        self.to[packet.to.idx()].push(number);
        if matches!(packet.carried, Carried::Acknowledgement | Carried::Reply) {
            self.responses_of[packet.from.idx()].push(number);
        }
        self.all.push(packet);
    }

    /// Which packets may find the store full: those that, with all that may be there together with them, do not fit.
    fn find_space(&mut self, shares: &Shares, capacity: u64) {
        for packet in 0..self.all.len() {
            let others = self.to[self.all[packet].to.idx()].iter();
            let beside = others.filter(|other| self.may_meet(shares, packet, **other));
            let words: u64 = beside.map(|other| self.all[*other].words).sum();
            self.all[packet].may_find_no_space = words > capacity;
        }
    }

    /// May two packets be in the network or in a store at the same time? A packet meets itself.
    pub(super) fn may_meet(&self, shares: &Shares, one: usize, other: usize) -> bool {
        let (one, other) = (&self.all[one], &self.all[other]);
        let is_over = |first: &Packet, second: &Packet| {
            first
                .end
                .is_some_and(|end| shares.is_before(end, second.send))
        };
        !is_over(one, other) && !is_over(other, one)
    }
}

/// By send: the next message of the same pair of tiles.
fn next_of_pair(shares: &Shares) -> BTreeMap<ShareId, ShareId> {
    let mut last = BTreeMap::new();
    let mut next = BTreeMap::new();
    for (send, receive) in shares.messages.iter().flatten() {
        let pair = (shares.all[*send].tile, shares.all[*receive].tile);
        if let Some(before) = last.insert(pair, *send) {
            next.insert(before, *send);
        }
    }
    next
}

fn links(network: &Network, from: TileId, to: TileId) -> Vec<usize> {
    let path = network.path(network.coord(from), network.coord(to));
    let outputs = path.map(|(at, port)| network.tile_at(at).idx() * LINKS_OF_TILE + port.idx());
    let mut links = vec![from.idx() * LINKS_OF_TILE + FROM_CORE];
    links.extend(outputs);
    links
}

/// A link in words.
pub(super) fn link_text(network: &Network, link: usize) -> String {
    let at: Coord = network.coord(TileId((link / LINKS_OF_TILE) as u32));
    match Port::ALL.get(link % LINKS_OF_TILE) {
        None => format!("the port of core {at}"),
        Some(Port::Local) => format!("the receive store of core {at}"),
        Some(port) => format!("the link {} of {at}", format!("{port:?}").to_lowercase()),
    }
}
