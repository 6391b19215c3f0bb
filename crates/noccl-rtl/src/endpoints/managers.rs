// SPDX-License-Identifier: Apache-2.0
//! Managers of a tile: what offers recorded commands at the ports of its network interface.
//!
//! Wide bursts go out in the order of their commands, each by the lowest write channel that is free and has a free id; of a
//! channel and of every other port the lowest free id is taken. An id is free again in the cycle after its answer. W of a burst
//! waits until the bursts before it of the same transfer have given theirs: its AW keeps its place among the others.

use super::axi::{self, Aw, Bit, Busy, CHANNELS, Opcode, Shown};
use super::map::AddressMap;
use super::opened::Opened;
use crate::lockstep::{element_number, operator_number};
use noccl_net::Coord;
use noccl_run::{AxiPort, Command, CommandKind};
use std::collections::VecDeque;

const WRITE_IDS: usize = 8;
const READ_IDS: usize = 32;
const NARROW_IDS: usize = 8;

/// A command at a port.
#[derive(Debug, Clone)]
struct Offer {
    command: Command,
    id: u8,
    /// Wide bursts that have been offered before; 0 for everything else.
    number: u64,
    has_aw: bool,
    next_beat: u16,
}

impl Offer {
    /// The beat that it gives.
    fn beat(&self) -> (&[u8; 64], u64, bool) {
        let data = self.command.data.get(usize::from(self.next_beat));
        let is_last = self.next_beat + 1 == self.command.beats;
        let strobe = strobe(&self.command, self.next_beat);
        (data.unwrap_or(&[0; 64]), strobe, is_last)
    }
}

/// A port that takes one command at a time: who has gone, by id, and what is offered.
#[derive(Debug, Clone)]
struct Port<const IDS: usize> {
    waiting: VecDeque<Command>,
    offer: Option<Offer>,
    open: [Option<u32>; IDS],
}

impl<const IDS: usize> Default for Port<IDS> {
    fn default() -> Self {
        Self {
            waiting: VecDeque::new(),
            offer: None,
            open: [None; IDS],
        }
    }
}

impl<const IDS: usize> Port<IDS> {
    fn free_id(&self) -> Option<usize> {
        self.open.iter().position(Option::is_none)
    }

    /// Offers a command under a free id. Returns the id.
    fn offer(&mut self, command: Command, number: u64) -> Option<u32> {
        let id = self.free_id()?;
        self.open[id] = Some(command.tag);
        self.offer = Some(Offer {
            command,
            id: id as u8,
            number,
            has_aw: true,
            next_beat: 0,
        });
        Some(id as u32)
    }

    fn close(&mut self, id: u8) -> Option<u32> {
        self.open.get_mut(usize::from(id))?.take()
    }
}

/// The name of a transaction in flits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Name {
    pub recorded: u32,
    pub hardware: u32,
}

/// An answer at a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Answer {
    /// Recorded name; `None`: nothing is open under this id.
    pub tag: Option<u32>,
    pub resp: u8,
    pub port: &'static str,
}

/// The managers of a tile.
#[derive(Debug, Clone, Default)]
pub(crate) struct Managers {
    writes: VecDeque<Command>,
    /// Wide bursts that have been offered.
    num_bursts: u64,
    channels: [Port<WRITE_IDS>; CHANNELS],
    reads: Port<READ_IDS>,
    narrow: Port<NARROW_IDS>,
    /// Ids of the narrow port under which an atomic is open.
    atomics: [bool; NARROW_IDS],
    narrow_reads: Port<NARROW_IDS>,
    /// Instead of the wide port's managers: a DMA engine.
    engine: Option<Opened>,
    /// First tag of narrow writes: those of wide ones do not have this bit.
    narrow_tags: u32,
}

impl Managers {
    pub(crate) fn new(tag_bits: u32) -> Self {
        Self {
            narrow_tags: 1 << (tag_bits - 1),
            ..Self::default()
        }
    }

    /// Does a burst wait for a write channel?
    pub(crate) fn has_waiting(&self, tag: u32) -> bool {
        self.writes.iter().any(|command| command.tag == tag)
    }

    /// Has a burst of the transfer that came earlier still beats to give?
    fn comes_later(&self, offer: &Offer) -> bool {
        let others = self.channels.iter().filter_map(|port| port.offer.as_ref());
        let mut same = others.filter(|o| o.command.transfer == offer.command.transfer);
        same.any(|o| o.number < offer.number)
    }

    /// From now on a DMA engine drives the wide port.
    pub(crate) fn leave_wide_port(&mut self, id_bits: u32) {
        self.engine = Some(Opened::new(id_bits));
    }

    /// The engine at the wide port.
    pub(crate) const fn engine(&mut self) -> Option<&mut Opened> {
        self.engine.as_mut()
    }

    pub(crate) fn take(&mut self, command: Command) {
        match command.kind {
            CommandKind::WideWrite | CommandKind::Reduction => self.writes.push_back(command),
            CommandKind::WideRead => self.reads.waiting.push_back(command),
            CommandKind::NarrowWrite | CommandKind::Atomic | CommandKind::Barrier => {
                self.narrow.waiting.push_back(command);
            }
            CommandKind::NarrowRead => self.narrow_reads.waiting.push_back(command),
        }
    }

    /// Offers what can be offered. Returns the names that transactions get by it.
    pub(crate) fn offer(&mut self) -> Vec<Name> {
        let mut names = Vec::new();
        for channel in 0..CHANNELS {
            let port = &mut self.channels[channel];
            if port.offer.is_none()
                && port.free_id().is_some()
                && let Some(command) = self.writes.pop_front()
            {
                let (recorded, is_join) = (command.tag, command.kind == CommandKind::Reduction);
                let id = port.offer(command, self.num_bursts).unwrap_or(0);
                self.num_bursts += 1;
                let own_name = (channel * WRITE_IDS) as u32 + id;
                let hardware = if is_join { recorded } else { own_name };
                names.push(Name { recorded, hardware });
            }
        }
        names.extend(offer_next(&mut self.reads, 0));
        let narrow = offer_next(&mut self.narrow, self.narrow_tags);
        if let (Some(_), Some(offer)) = (narrow, &self.narrow.offer) {
            self.atomics[usize::from(offer.id)] = offer.command.kind == CommandKind::Atomic;
        }
        names.extend(narrow);
        names.extend(offer_next(&mut self.narrow_reads, 0));
        names
    }

    /// Shows the offers to the hardware.
    pub(crate) fn drive(&self, words: &mut [u32], map: &AddressMap) {
        words.fill(0);
        for (c, offer) in self.channels.iter().enumerate() {
            if let Some(offer) = &offer.offer {
                let beat = (!self.comes_later(offer)).then(|| offer.beat());
                axi::offer_write(words, c, (aw(offer, map), offer.has_aw), beat);
            }
        }
        if let Some(offer) = &self.reads.offer {
            let Aw { address, len, .. } = aw(offer, map);
            axi::offer_read(words, offer.id, address, len);
        }
        if let Some(offer) = &self.narrow.offer {
            axi::offer_narrow_write(words, aw(offer, map), offer.has_aw);
        }
        if let Some(offer) = &self.narrow_reads.offer {
            axi::offer_narrow_read(words, offer.id, aw(offer, map).address);
        }
    }

    /// Takes note of the handshakes of this cycle. Returns the answers.
    pub(crate) fn follow(&mut self, shown: Shown<'_>, busy: Busy) -> Vec<Answer> {
        let has_engine = self.engine.is_some();
        let mut answers = match &mut self.engine {
            Some(engine) => engine.follow(shown),
            None => Vec::new(),
        };
        for (c, port) in self.channels.iter_mut().enumerate() {
            if let Some(offer) = &mut port.offer {
                offer.has_aw &= !shown.takes_aw(c);
                offer.next_beat += u16::from(shown.takes_w(c));
                if offer.next_beat == offer.command.beats {
                    port.offer = None;
                }
            }
            if let Some((id, resp)) = shown.b(c).filter(|_| !has_engine) {
                let tag = port.close(id);
                let port = "wide port, B";
                answers.push(Answer { tag, resp, port });
            }
        }
        if shown.has(Bit::Ar) {
            self.reads.offer = None;
        }
        let takes_r = !busy[AxiPort::WideData as usize];
        if shown.has(Bit::R) && takes_r && shown.has(Bit::RLast) {
            let (id, resp) = shown.r();
            let tag = match &mut self.engine {
                Some(engine) => engine.close_read(id),
                None => self.reads.close(id),
            };
            let port = "wide port, R";
            answers.push(Answer { tag, resp, port });
        }
        if let Some(offer) = &mut self.narrow.offer {
            offer.has_aw &= !shown.has(Bit::NarrowAw);
            if shown.has(Bit::NarrowW) {
                self.narrow.offer = None;
            }
        }
        if shown.has(Bit::NarrowAr) {
            self.narrow_reads.offer = None;
        }
        let mut has_atomic = false;
        if shown.has(Bit::NarrowB) {
            let (id, resp) = shown.narrow_b();
            has_atomic = self.atomics[usize::from(id)];
            let (tag, port) = (self.narrow.close(id), "narrow port, B");
            answers.push(Answer { tag, resp, port });
        }
        // An atomic's R comes with its B; that of a read may come beside another's.
        if shown.has(Bit::NarrowR) && !has_atomic {
            let (id, resp) = shown.narrow_r();
            let (tag, port) = (self.narrow_reads.close(id), "narrow port, R");
            answers.push(Answer { tag, resp, port });
        }
        answers
    }
}

/// Offers the next command of a port; its name is its id above a first one, or the tag that members of a join have in common.
fn offer_next<const IDS: usize>(port: &mut Port<IDS>, first: u32) -> Option<Name> {
    if port.offer.is_some() || port.free_id().is_none() {
        return None;
    }
    let command = port.waiting.pop_front()?;
    let (recorded, is_join) = (command.tag, command.kind == CommandKind::Barrier);
    let id = port.offer(command, 0)?;
    let hardware = if is_join { recorded } else { first + id };
    Some(Name { recorded, hardware })
}

fn aw(offer: &Offer, map: &AddressMap) -> Aw {
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
            command.tag
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

/// Enabled bytes of a beat.
fn strobe(command: &Command, beat: u16) -> u64 {
    let line = (command.address / 64 + u64::from(beat)) * 64;
    let first = command.address.max(line) - line;
    let end = (command.address + u64::from(command.bytes)).min(line + 64) - line;
    if end <= first {
        return 0;
    }
    (u64::MAX >> (64 - (end - first))) << first
}
