// SPDX-License-Identifier: Apache-2.0
//! Packets of the dynamic network: when heads pass the outputs of their path, and how long each is held.
//!
//! A packet holds the outputs from its head to its tail. Its words stand one behind the other in the FIFOs, F in each, so a word does not
//! move on before the head has come far enough. With a(j) the cycle in which the head leaves FIFO j, the last of L words leaves FIFO i
//! not before a(j) + L − 1 − (F − 1)(j − i) for all j ≥ i (a slot is seen free a cycle after it is), nor before the core has written it and it has come
//! there. Left out: words one by one, round robin among inputs (who comes first goes first), and words of the packet before that are still in a FIFO.

use noccl_net::counts::max_or_zero;
use noccl_net::{LinkId, Network, Port, TileId};
use noccl_spec::{CoreTiles, PlaneName};
use std::collections::VecDeque;

const PORTS: usize = Port::ALL.len();

/// A FIFO of the path, and the output behind it, by tile and port.
#[derive(Debug, Clone, Copy)]
struct Place {
    fifo: usize,
    output: usize,
    /// Does the path change its dimension here?
    is_corner: bool,
}

/// A packet on its path or in a store.
#[derive(Debug, Clone)]
pub(super) struct Packet {
    pub(super) message: u32,
    pub(super) words: u64,
    pub(super) source: TileId,
    path: Vec<Place>,
    /// Cycles in which its head has left the FIFOs of its path so far.
    taken: Vec<u64>,
    /// When its head comes to the FIFO that it stands in.
    arrival: u64,
    /// FIFOs that its tail has left, or of which the cycle is known.
    num_left: usize,
    /// The cycle in which its last word is written, once that is known.
    written: Option<u64>,
    /// The cycle in which its last word can be read, once that is known.
    pub(super) last_word: Option<u64>,
}

/// What happens to packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PacketEvent {
    /// The head stands in front of its FIFO and wants the output.
    Head(u32),
    /// The tail has left this FIFO of the path: it and the output are free.
    Left(u32, u32),
    /// A core reads so many words of a tile's queues.
    Space(u32, u64),
}

/// What cores hear of packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heard {
    /// The head has left another FIFO: there is space behind it in this cycle.
    Progress(u32, u64),
    /// The first word can be read from this cycle on, at this tile.
    Comes(u32, TileId, u64),
    /// It is known when the last word can be read.
    Ends(u32, TileId),
}

/// FIFOs and outputs of all routers.
pub(super) struct Packets<'n> {
    network: &'n Network,
    fifo_words: u64,
    hop_cycles: u64,
    corner_cycles: u64,
    all: Vec<Packet>,
    unused: Vec<u32>,
    /// By tile and input: packets whose head has come and whose tail has not left.
    fifos: Vec<VecDeque<u32>>,
    /// By tile and output: who holds it, and who waits.
    holders: Vec<Option<u32>>,
    waiting: Vec<VecDeque<u32>>,
    /// By tile: words that its queues may still take, and the packet that waits for space, with the words that had some when it came.
    space_words: Vec<u64>,
    at_door: Vec<Option<(u32, u64)>>,
    flits: Vec<u64>,
    pub(super) events: Vec<(u64, PacketEvent)>,
    pub(super) heard: Vec<Heard>,
}

impl<'n> Packets<'n> {
    pub(super) fn new(network: &'n Network, tiles: &CoreTiles) -> Self {
        let (num, udn) = (network.num_tiles(), &tiles.router.udn);
        Self {
            network,
            fifo_words: udn.input_fifo_flits.into(),
            hop_cycles: udn.hop_cycles.into(),
            corner_cycles: udn.turn_cycles.into(),
            all: Vec::new(),
            unused: Vec::new(),
            fifos: vec![VecDeque::new(); num * PORTS],
            holders: vec![None; num * PORTS],
            waiting: vec![VecDeque::new(); num * PORTS],
            space_words: vec![tiles.core.receive_store_words.into(); num],
            at_door: vec![None; num],
            flits: vec![0; num * PORTS],
            events: Vec::new(),
            heard: Vec::new(),
        }
    }

    pub(super) fn packet(&self, packet: u32) -> &Packet {
        &self.all[packet as usize]
    }

    /// A core writes the first word of a packet.
    pub(super) fn open(
        &mut self,
        now: u64,
        ends: (TileId, TileId),
        message: u32,
        words: u64,
    ) -> u32 {
        let (from, to) = (self.network.coord(ends.0), self.network.coord(ends.1));
        let id = self.unused.pop().unwrap_or(self.all.len() as u32);
        let (mut path, mut taken) = match self.all.get_mut(id as usize) {
            Some(old) => (
                std::mem::take(&mut old.path),
                std::mem::take(&mut old.taken),
            ),
            None => (Vec::new(), Vec::new()),
        };
        path.clear();
        taken.clear();
        let mut entered = Port::Local;
        for (at, port) in self.network.path(from, to) {
            let tile = self.network.tile_at(at).idx() * PORTS;
            path.push(Place {
                fifo: tile + entered.idx(),
                output: tile + port.idx(),
                is_corner: ![entered, port].contains(&Port::Local) && port != entered.opposite(),
            });
            if port != Port::Local {
                self.flits[tile + port.idx()] += words;
            }
            entered = port.opposite();
        }
        let packet = Packet {
            message,
            words,
            source: ends.0,
            path,
            taken,
            arrival: now + self.hop_cycles,
            num_left: 0,
            written: None,
            last_word: None,
        };
        match self.all.get_mut(id as usize) {
            Some(old) => *old = packet,
            None => self.all.push(packet),
        }
        self.enter(id, now);
        id
    }

    /// Its number is free.
    pub(super) fn close(&mut self, packet: u32) {
        self.unused.push(packet);
    }

    /// Words that its core can write before it stands still: all, if its head is through.
    pub(super) fn writable_words(&self, id: u32) -> u64 {
        let packet = &self.all[id as usize];
        let first = self.fifos[packet.path[0].fifo].front().copied();
        let is_behind =
            first.is_some_and(|first| first != id && self.all[first as usize].num_left == 0);
        if packet.taken.len() == packet.path.len() {
            return packet.words;
        }
        if is_behind {
            return 0;
        }
        packet
            .words
            .min(self.fifo_words * (packet.taken.len() as u64 + 1))
    }

    /// The first cycle in which its word of this number can be written, as far as the path is known.
    pub(super) fn space_at(&self, id: u32, word: u64) -> u64 {
        let packet = &self.all[id as usize];
        let taken = packet.taken.iter().zip(1_u64..);
        let bounds = taken.filter_map(|(at, fifos)| {
            let before = word.checked_sub(self.fifo_words * fifos)?;
            Some(at + self.serial(before) + fifos)
        });
        max_or_zero(bounds)
    }

    /// Its last word is written in this cycle.
    pub(super) fn end(&mut self, id: u32, cycle: u64) {
        self.all[id as usize].written = Some(cycle);
        self.let_go(id);
    }

    /// Cycles from a word to the one so many behind it on a link.
    fn serial(&self, words: u64) -> u64 {
        self.network.link_words_cycles(words).unwrap_or(words)
    }

    pub(super) fn happen(&mut self, now: u64, event: PacketEvent) {
        match event {
            PacketEvent::Head(id) => {
                let packet = &self.all[id as usize];
                let output = packet.path[packet.taken.len()].output;
                if self.holders[output].is_some() {
                    self.waiting[output].push_back(id);
                } else {
                    self.take(id, now);
                }
            }
            PacketEvent::Left(id, place) => self.leave(id, place as usize, now),
            PacketEvent::Space(tile, words) => {
                self.space_words[tile as usize] += words;
                self.admit(tile as usize, now);
            }
        }
    }

    /// The head gets its output.
    fn take(&mut self, id: u32, now: u64) {
        let packet = &mut self.all[id as usize];
        let place = packet.path[packet.taken.len()];
        self.holders[place.output] = Some(id);
        if place.output % PORTS == Port::Local.idx() {
            let tile = place.output / PORTS;
            self.at_door[tile] = Some((id, self.space_words[tile].min(packet.words)));
            self.admit(tile, now);
            return;
        }
        packet.taken.push(now);
        packet.arrival = now + self.hop_cycles;
        self.enter(id, now);
        self.has_come_on(id, now);
    }

    /// The head is in the next FIFO of its path.
    fn enter(&mut self, id: u32, now: u64) {
        let packet = &self.all[id as usize];
        let fifo = packet.path[packet.taken.len()].fifo;
        self.fifos[fifo].push_back(id);
        if self.fifos[fifo].len() == 1 {
            self.come_to_front(id, now);
        }
    }

    fn come_to_front(&mut self, id: u32, now: u64) {
        let packet = &self.all[id as usize];
        let is_corner = packet.path[packet.taken.len()].is_corner;
        let corner = if is_corner { self.corner_cycles } else { 0 };
        let at = now.max(packet.arrival) + corner;
        self.events.push((at, PacketEvent::Head(id)));
    }

    /// Takes the packet that waits at a tile's queues as soon as they have space for all of it.
    fn admit(&mut self, tile: usize, now: u64) {
        let Some((id, early_words)) = self.at_door[tile] else {
            return;
        };
        let words = self.all[id as usize].words;
        if self.space_words[tile] < words {
            return;
        }
        self.at_door[tile] = None;
        self.space_words[tile] -= words;
        // Words that had space came before; the others follow now.
        let early = if early_words < words { early_words } else { 0 };
        self.all[id as usize].taken.push(now.saturating_sub(early));
        self.heard
            .push(Heard::Comes(id, TileId(tile as u32), now + 1));
        self.has_come_on(id, now);
    }

    fn has_come_on(&mut self, id: u32, now: u64) {
        let fifos = self.all[id as usize].taken.len() as u64;
        self.heard.push(Heard::Progress(id, now + fifos));
        self.let_go(id);
    }

    /// Finds out when the tail leaves FIFOs: all of them if the head is through, else those behind which the whole packet has space.
    fn let_go(&mut self, id: u32) {
        let packet = &self.all[id as usize];
        let Some(written) = packet.written else {
            return;
        };
        let (first, taken) = (packet.num_left, packet.taken.len());
        let is_through = taken == packet.path.len();
        let last = if is_through {
            taken
        } else {
            let needed = packet.words.div_ceil(self.fifo_words) as usize;
            (taken + 1).saturating_sub(needed).min(taken)
        };
        for place in first..last {
            let at = self.tail(id, place, written) + 1;
            self.events.push((at, PacketEvent::Left(id, place as u32)));
        }
        if is_through && last > first {
            let end = self.tail(id, last - 1, written) + 1;
            let packet = &mut self.all[id as usize];
            packet.last_word = Some(end);
            let tile = TileId((packet.path[taken - 1].output / PORTS) as u32);
            self.heard.push(Heard::Ends(id, tile));
        }
        self.all[id as usize].num_left = last.max(first);
    }

    /// The cycle in which the last word leaves a FIFO of the path.
    fn tail(&self, id: u32, place: usize, written: u64) -> u64 {
        let packet = &self.all[id as usize];
        let serial = self.serial(packet.words - 1);
        let mut tail = written + self.hop_cycles * (place as u64 + 1);
        for (behind, at) in packet.taken[place..].iter().enumerate() {
            let space = (self.fifo_words - 1) * behind as u64;
            tail = tail.max((at + serial).saturating_sub(space));
            if space > serial {
                break;
            }
        }
        tail
    }

    /// The tail has left a FIFO: who waits for its output gets it, and the next packet in it comes to the front.
    fn leave(&mut self, id: u32, place: usize, now: u64) {
        let Place { fifo, output, .. } = self.all[id as usize].path[place];
        self.holders[output] = None;
        if let Some(next) = self.waiting[output].pop_front() {
            self.take(next, now);
        }
        self.fifos[fifo].pop_front();
        if let Some(next) = self.fifos[fifo].front().copied() {
            self.come_to_front(next, now);
            if place == 0 {
                self.heard.push(Heard::Progress(next, now));
            }
        }
    }

    /// Links between routers with their words, ascending by tile and port.
    pub(super) fn loads(&self) -> impl Iterator<Item = (LinkId, u64)> {
        let used = self
            .flits
            .iter()
            .enumerate()
            .filter(|(_, flits)| **flits > 0);
        used.map(|(at, flits)| {
            let tile = TileId((at / PORTS) as u32);
            let link = LinkId::new(PlaneName::Udn, tile, Port::ALL[at % PORTS]);
            (link, *flits)
        })
    }
}
