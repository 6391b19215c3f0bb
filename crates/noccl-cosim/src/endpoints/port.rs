// SPDX-License-Identifier: Apache-2.0
//! A port of a tile's managers: what waits, what is offered, and who has gone, by id.

use super::axi::{Aw, Opcode};
use super::memory::line::{LINE_BYTES, Line, beat_bytes, lane_of, line_with, whole};
use super::memory::map::AddressMap;
use crate::lockstep::{element_number, operator_number};
use noccl_net::Coord;
use noccl_run::{Command, CommandKind};
use std::collections::VecDeque;

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
