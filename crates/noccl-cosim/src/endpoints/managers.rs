// SPDX-License-Identifier: Apache-2.0
//! Managers of a tile: what offers recorded commands at the ports of its network interface.
//!
//! Transfers take write channels in their order, each the lowest one without a transfer and with a free id ([`Channels`]); of a
//! channel and of every other port the lowest free id is taken. An id is free again in the cycle after its response.

use super::axi::{self, Aw, Bit, Busy, Shown};
use super::channels::Channels;
use super::engine::path::ReadPath;
use super::memory::Memory;
use super::memory::line::{beat_bytes, lane_of};
use super::memory::map::AddressMap;
use super::opened::Opened;
use super::port::{Name, Port, Response, aw, offer_next};
use noccl_net::Coord;
use noccl_run::{AxiPort, Command, CommandKind, TransferStart};

/// Reads, and transactions at either half of the narrow port, that may be open.
pub(super) const READ_IDS: usize = 32;
pub(super) const NARROW_IDS: usize = 8;

/// Data of a wide read that are to come: of which bytes.
#[derive(Debug, Clone, Copy, Default)]
struct Incoming {
    address: u64,
    bytes: u32,
    next_beat: u16,
}

/// The managers of a tile.
#[derive(Debug, Clone)]
pub(crate) struct Managers {
    channels: Channels,
    reads: Port,
    /// By id of a read.
    incoming: [Incoming; READ_IDS],
    path: ReadPath,
    narrow: Port,
    /// Ids of the narrow port under which an atomic is open.
    atomics: [bool; NARROW_IDS],
    narrow_reads: Port,
    /// Instead of the wide port's managers: a DMA engine.
    engine: Option<Opened>,
    /// First tag of narrow writes: those of wide ones do not have this bit.
    narrow_tags: u32,
}

impl Managers {
    pub(crate) fn new(tag_bits: u32, channels: Channels, path: ReadPath) -> Self {
        Self {
            channels,
            reads: Port::new(READ_IDS),
            incoming: [Incoming::default(); READ_IDS],
            path,
            narrow: Port::new(NARROW_IDS),
            atomics: [false; NARROW_IDS],
            narrow_reads: Port::new(NARROW_IDS),
            engine: None,
            narrow_tags: 1 << (tag_bits - 1),
        }
    }

    /// Does a burst wait for a write channel?
    pub(crate) fn has_waiting(&self, tag: u32) -> bool {
        self.channels.has_waiting(tag)
    }

    /// Begins a transfer of a DMA engine that is no hardware.
    pub(crate) fn begin(&mut self, start: &TransferStart, home: Coord) {
        self.path.begin(start, home);
    }

    /// Read data reach the engine's buffer or the own L1.
    pub(crate) fn arrive(&mut self, cycle: u64, memory: &mut Memory) {
        self.path.arrive(cycle, memory);
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
            CommandKind::WideWrite | CommandKind::Reduction => self.channels.take(command),
            CommandKind::WideRead => self.reads.waiting.push_back(command),
            CommandKind::NarrowWrite | CommandKind::Atomic | CommandKind::Barrier => {
                self.narrow.waiting.push_back(command);
            }
            CommandKind::NarrowRead => self.narrow_reads.waiting.push_back(command),
        }
    }

    /// Offers what can be offered. Returns the names that transactions get by it.
    pub(crate) fn offer(&mut self) -> Vec<Name> {
        let mut names = self.channels.offer();
        let read = offer_next(&mut self.reads, 0);
        if let (Some(name), Some(offer)) = (read, &self.reads.offer) {
            self.incoming[name.hardware as usize] = Incoming {
                address: offer.command.address,
                bytes: offer.command.bytes,
                next_beat: 0,
            };
        }
        names.extend(read);
        let narrow = offer_next(&mut self.narrow, self.narrow_tags);
        if let (Some(_), Some(offer)) = (narrow, &self.narrow.offer) {
            self.atomics[usize::from(offer.id)] = offer.command.kind == CommandKind::Atomic;
        }
        names.extend(narrow);
        names.extend(offer_next(&mut self.narrow_reads, 0));
        names
    }

    /// Shows the offers to the hardware.
    pub(crate) fn drive(&self, words: &mut [u32], map: &AddressMap, memory: &Memory) {
        words.fill(0);
        self.channels.drive(words, map, (memory, &self.path));
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

    /// Takes note of the handshakes of this cycle. Returns the responses.
    pub(crate) fn follow(&mut self, shown: Shown<'_>, (busy, cycle): (Busy, u64)) -> Vec<Response> {
        let mut responses = match &mut self.engine {
            Some(engine) => engine.follow(shown),
            None => self.channels.follow(shown, &mut self.path),
        };
        if shown.has(Bit::Ar) {
            self.reads.offer = None;
        }
        let takes_r = !busy[AxiPort::WideData as usize];
        if shown.has(Bit::R) && takes_r {
            let (id, resp) = shown.r();
            if self.engine.is_none() {
                let bytes = self.read_bytes(id, shown);
                self.path.take(cycle, bytes);
            }
            if shown.has(Bit::RLast) {
                let tag = match &mut self.engine {
                    Some(engine) => engine.close_read(id),
                    None => self.reads.close(id),
                };
                let port = "wide port, R";
                responses.push(Response { tag, resp, port });
            }
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
            responses.push(Response { tag, resp, port });
        }
        // An atomic's R comes with its B.
        if shown.has(Bit::NarrowR) && !has_atomic {
            let (id, resp) = shown.narrow_r();
            let (tag, port) = (self.narrow_reads.close(id), "narrow port, R");
            responses.push(Response { tag, resp, port });
        }
        responses
    }

    /// Bytes of the beat at R that belong to its read.
    fn read_bytes(&mut self, id: u8, shown: Shown<'_>) -> Vec<u8> {
        let Some(read) = self.incoming.get_mut(usize::from(id)) else {
            return Vec::new();
        };
        let (from, len) = beat_bytes(read.address, read.bytes, read.next_beat);
        read.next_beat += 1;
        let start = lane_of(read.address + u64::from(from));
        shown.r_data()[start..start + len as usize].to_vec()
    }
}
