// SPDX-License-Identifier: Apache-2.0
//! Write channels of a tile's wide port: a transfer has one until its last beat is given, and its bursts follow each other there.

use super::axi;
use super::axi::{Aw, Opcode, Shown};
use super::engine::path::ReadPath;
use super::memory::Memory;
use super::memory::line::{LINE_BYTES, Line, beat_bytes, lane_of, line_with, whole};
use super::memory::map::AddressMap;
use crate::lockstep::{element_number, operator_number};
use noccl_net::Coord;
use noccl_run::{BeatSource, Command, CommandKind};
use std::collections::VecDeque;

/// Bursts of one transfer that have not been offered.
#[derive(Debug, Clone)]
struct Transfer {
    id: u64,
    bursts: VecDeque<Command>,
}

/// A channel, and whose it is.
#[derive(Debug, Clone)]
struct Channel {
    port: Port,
    transfer: Option<Transfer>,
    /// Transfers that have begun before.
    number: u64,
    continues: bool,
}

/// The channels of a tile.
#[derive(Debug, Clone)]
pub(crate) struct Channels {
    channels: Vec<Channel>,
    id_bits: u32,
    /// Transfers without a channel.
    waiting: VecDeque<Transfer>,
    num_begun: u64,
}

impl Channels {
    pub(crate) fn new(channels: usize, id_bits: u32) -> Self {
        let channel = Channel {
            port: Port::new(1 << id_bits),
            transfer: None,
            number: 0,
            continues: false,
        };
        Self {
            channels: vec![channel; channels],
            id_bits,
            waiting: VecDeque::new(),
            num_begun: 0,
        }
    }

    /// Does a burst wait for a channel?
    pub(crate) fn has_waiting(&self, tag: u32) -> bool {
        let mut waiting = self.waiting.iter().flat_map(|t| &t.bursts);
        waiting.any(|command| command.tag == tag)
    }

    /// A burst, later than all before.
    pub(crate) fn take(&mut self, command: Command) {
        let mut begun = self.channels.iter_mut().flat_map(|c| &mut c.transfer);
        if let Some(transfer) = begun.find(|t| t.id == command.transfer) {
            transfer.bursts.push_back(command);
            return;
        }
        match self.waiting.back_mut() {
            Some(last) if last.id == command.transfer => last.bursts.push_back(command),
            _ => self.waiting.push_back(Transfer {
                id: command.transfer,
                bursts: VecDeque::from([command]),
            }),
        }
    }

    /// Offers what can be offered. Returns the names that transactions get by it.
    pub(crate) fn offer(&mut self) -> Vec<Name> {
        let mut names = Vec::new();
        for (c, channel) in self.channels.iter_mut().enumerate() {
            if channel.port.offer.is_some() || channel.port.free_id().is_none() {
                continue;
            }
            let begins = channel.transfer.is_none();
            if begins {
                channel.transfer = self.waiting.pop_front();
                channel.number = self.num_begun;
                self.num_begun += u64::from(channel.transfer.is_some());
            }
            let next = channel.transfer.as_mut().and_then(|t| t.bursts.pop_front());
            let Some(command) = next else { continue };
            channel.continues = !begins;
            let (recorded, is_join) = (command.tag, command.kind == CommandKind::Reduction);
            let Some(id) = channel.port.offer(command) else {
                continue;
            };
            let own_name = (c as u32) << self.id_bits | id;
            let hardware = if is_join { recorded } else { own_name };
            names.push(Name { recorded, hardware });
        }
        names
    }

    /// Shows the offers to the hardware.
    pub(crate) fn drive(
        &self,
        words: &mut [u32],
        map: &AddressMap,
        (memory, path): (&Memory, &ReadPath),
    ) {
        let from_engine = self.first_from_engine();
        for (c, channel) in self.channels.iter().enumerate() {
            let Some(offer) = &channel.port.offer else {
                continue;
            };
            let data = match offer.command.source {
                BeatSource::Command | BeatSource::Other => Some(offer.given()),
                BeatSource::Memory(offset) => Some(
                    offer.placed(|from, len| memory.bytes(offset + u64::from(from), len as usize)),
                ),
                // Read data leave in the order in which they came, whichever transfer they are of.
                BeatSource::Engine if from_engine == Some(channel.number) => {
                    let has_come = path.available() >= offer.beat_bytes().1 as usize;
                    has_come.then(|| offer.placed(|_, len| path.first(len as usize)))
                }
                BeatSource::Engine => None,
            };
            let beat = data
                .as_ref()
                .map(|data| (data, offer.strobe(), offer.is_last()));
            let aw = (aw(offer, map), offer.has_aw, channel.continues);
            axi::offer_write(words, c, aw, beat);
        }
    }

    /// Number of the oldest transfer here whose beats come from the engine's buffer.
    fn first_from_engine(&self) -> Option<u64> {
        let is_engine = |o: &Offer| o.command.source == BeatSource::Engine;
        let offers = self.channels.iter();
        let engine = offers.filter(|c| c.port.offer.as_ref().is_some_and(is_engine));
        engine.map(|c| c.number).min()
    }

    /// Takes note of the handshakes of this cycle. Returns the responses.
    pub(crate) fn follow(&mut self, shown: Shown<'_>, path: &mut ReadPath) -> Vec<Response> {
        let mut responses = Vec::new();
        for (c, channel) in self.channels.iter_mut().enumerate() {
            if let Some(offer) = &mut channel.port.offer {
                offer.has_aw &= !shown.takes_aw(c);
                if shown.takes_w(c) {
                    if offer.command.source == BeatSource::Engine {
                        path.drop_first(offer.beat_bytes().1 as usize);
                    }
                    offer.next_beat += 1;
                }
                if offer.next_beat == offer.command.beats {
                    channel.port.offer = None;
                    channel.transfer.take_if(|t| t.bursts.is_empty());
                }
            }
            if let Some((id, resp)) = shown.b(c) {
                let (tag, port) = (channel.port.close(id), "wide port, B");
                responses.push(Response { tag, resp, port });
            }
        }
        responses
    }
}

// A port of a tile's managers: what waits, what is offered, and who has gone, by id.

/// A response at a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Response {
    /// Recorded name; `None`: nothing is open under this id.
    pub tag: Option<u32>,
    pub resp: u8,
    pub port: &'static str,
}

/// The name of a transaction in flits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Name {
    pub recorded: u32,
    pub hardware: u32,
}

/// A command at a port.
#[derive(Debug, Clone)]
pub(crate) struct Offer {
    pub command: Command,
    pub id: u8,
    pub has_aw: bool,
    pub next_beat: u16,
}

impl Offer {
    /// The beat that stands in the command.
    pub(crate) fn given(&self) -> Line {
        let data = self.command.data.get(usize::from(self.next_beat));
        data.map_or([0; LINE_BYTES], |beat| whole(beat))
    }

    /// The beat with bytes of the burst from a position on, so many, in their place in the line.
    pub(crate) fn placed(&self, bytes: impl FnOnce(u32, u32) -> Vec<u8>) -> Line {
        let (from, len) = self.beat_bytes();
        line_with(self.first_lane(from), &bytes(from, len))
    }

    /// Position of the beat's first byte in the burst, and bytes.
    pub(crate) fn beat_bytes(&self) -> (u32, u32) {
        beat_bytes(self.command.address, self.command.bytes, self.next_beat)
    }

    /// Enabled bytes.
    pub(crate) fn strobe(&self) -> u64 {
        let (from, len) = self.beat_bytes();
        let all = (u64::MAX >> (LINE_BYTES as u32 - len)) << self.first_lane(from);
        all & (u64::MAX >> (LINE_BYTES - usize::from(self.command.enabled_bytes)))
    }

    /// Lane of the byte at a position of the burst.
    fn first_lane(&self, from: u32) -> usize {
        lane_of(self.command.address + u64::from(from))
    }

    pub(crate) const fn is_last(&self) -> bool {
        self.next_beat + 1 == self.command.beats
    }
}

/// A port that takes one command at a time: who has gone, by id, and what is offered.
#[derive(Debug, Clone)]
pub(crate) struct Port {
    pub waiting: VecDeque<Command>,
    pub offer: Option<Offer>,
    open: Vec<Option<u32>>,
}

impl Port {
    pub(crate) fn new(ids: usize) -> Self {
        Self {
            waiting: VecDeque::new(),
            offer: None,
            open: vec![None; ids],
        }
    }

    pub(crate) fn free_id(&self) -> Option<usize> {
        self.open.iter().position(Option::is_none)
    }

    /// Offers a command under a free id. Returns the id.
    pub(crate) fn offer(&mut self, command: Command) -> Option<u32> {
        let id = self.free_id()?;
        self.open[id] = Some(command.tag);
        self.offer = Some(Offer {
            command,
            id: id as u8,
            has_aw: true,
            next_beat: 0,
        });
        Some(id as u32)
    }

    pub(crate) fn close(&mut self, id: u8) -> Option<u32> {
        self.open.get_mut(usize::from(id))?.take()
    }
}

/// Offers the next command of a port; its name is its id above a first one, or the tag that members of a join have in common.
pub(crate) fn offer_next(port: &mut Port, first: u32) -> Option<Name> {
    if port.offer.is_some() || port.free_id().is_none() {
        return None;
    }
    let command = port.waiting.pop_front()?;
    let (recorded, is_join) = (command.name, command.kind == CommandKind::Barrier);
    let id = port.offer(command)?;
    let hardware = if is_join { recorded } else { first + id };
    Some(Name { recorded, hardware })
}

pub(crate) fn aw(offer: &Offer, map: &AddressMap) -> Aw {
    let command = &offer.command;
    let (opcode, to, mask) = match (command.kind, command.set) {
        (CommandKind::Barrier | CommandKind::Reduction, Some(set)) => {
            (Opcode::Join, command.target, set.mask)
        }
        (_, Some(set)) => (Opcode::Multicast, map.cluster(set.base), set.mask),
        (_, None) => (Opcode::Unicast, command.target, Coord::new(0, 0)),
    };
    Aw {
        id: offer.id,
        address: map.address(to, command.address),
        mask: map.mask(mask),
        opcode,
        tag: if opcode == Opcode::Join {
            command.name
        } else {
            0
        },
        arithmetic: if command.kind == CommandKind::Reduction {
            let codes = (
                operator_number(command.operator),
                element_number(command.element),
            );
            (codes.0 as u32, codes.1 as u32)
        } else {
            (0, 0)
        },
        len: (command.beats.max(1) - 1) as u8,
        is_atomic: command.kind == CommandKind::Atomic,
    }
}
