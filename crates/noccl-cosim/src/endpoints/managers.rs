// SPDX-License-Identifier: Apache-2.0
//! Managers of a tile: what offers recorded commands at the ports of its network interface.
//!
//! Transfers take write channels in their order, each the lowest one without a transfer and with a free id ([`Channels`]); of a
//! channel and of every other port the lowest free id is taken. An id is free again in the cycle after its response.

use super::axi;
use super::axi::{Aw, Bit, Busy, Shown};
use super::channels::{Channels, Name, Port, Response, aw, offer_next};
use super::engine::path::ReadPath;
use super::memory::Memory;
use super::memory::line::{beat_bytes, lane_of};
use super::memory::map::AddressMap;
use super::places::Places;
use noccl_net::Coord;
use noccl_rtl::{RtlConfig, RtlError};
use noccl_run::{AxiPort, Command, CommandKind, TransferStart};
use noccl_workload::{Difference, Fault, Schedule, Trace};
use std::collections::HashMap;

/// Reads, and transactions at either half of the narrow port, that may be open.
pub(crate) const READ_IDS: usize = 32;
pub(crate) const NARROW_IDS: usize = 8;

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

// What the model of the endpoints does not do, told before a run: the only place that says so.

fn refused(field: String, found: &str, accepted: &str) -> RtlError {
    RtlError::Refused {
        field,
        found: found.to_owned(),
        accepted: format!("accepted with network interfaces: {accepted}; else --boundary router"),
    }
}

/// Managers that have more names for transactions than the model.
///
/// # Errors
/// [`RtlError::Refused`] with the field.
pub fn refuse_network(config: &RtlConfig) -> Result<(), RtlError> {
    for (field, found, most) in [
        ("wide", config.max_wide_outstanding, READ_IDS),
        ("narrow", config.max_narrow_outstanding, NARROW_IDS),
    ] {
        if found as usize > most {
            let (field, found) = (format!("ni.max_{field}_outstanding"), found.to_string());
            return Err(refused(field, &found, &format!("at most {most}")));
        }
    }
    Ok(())
}

/// Actions of endpoints that are no managers with a DMA engine.
///
/// # Errors
/// [`RtlError::Refused`] with the first of them.
pub fn refuse_schedule(schedule: &Schedule) -> Result<(), RtlError> {
    let mut actions = schedule.actions.iter();
    let Some(index) = actions.position(|action| action.kind.chain().is_some()) else {
        return Ok(());
    };
    let accepted = "what cores and DMA engines do. A chain is the work of Torrent endpoints: they stand behind these ports, where \
                    there is no model of them (their own hardware: make cosim-torrent)";
    Err(refused(format!("actions[{index}]"), "chain", accepted))
}

/// Places of a trace's data in memories of a gibibyte.
///
/// # Errors
/// [`RtlError::Refused`] for more data, and for faults that managers or memories of the model cannot have.
pub fn places_of(trace: &Trace) -> Result<Places, RtlError> {
    for (index, fault) in trace.faults.iter().enumerate() {
        let found = match fault {
            Fault::Memory { .. } => continue,
            Fault::Unmapped { .. } => "unmapped",
            Fault::Mask { .. } => "mask",
            Fault::Disagree {
                difference: Difference::Beats(_),
                ..
            } => "disagree in beats",
            Fault::Disagree { .. } | Fault::Name { .. } => continue,
        };
        let accepted = "memory, disagree (but for beats) and name. The run has the outcome of others only, not what managers ask for";
        return Err(refused(format!("faults[{index}]"), found, accepted));
    }
    let beats = || (trace.transactions.iter()).map(|t| Places::beats(&t.kind));
    Places::of_trace(trace).ok_or_else(|| {
        let found = format!("{} wide beats", beats().map(u64::from).sum::<u64>());
        let field = "transactions".to_owned();
        refused(field, &found, "1 GiB of wide data, by whole pages")
    })
}

// What a tile's DMA engine has opened: ids are its own choice, responses must find their transactions.

/// Open transactions of a DMA engine by the names that flits of the hardware bear.
#[derive(Debug, Clone)]
pub(crate) struct Opened {
    /// Bits of an id at a write channel.
    id_bits: u32,
    /// Recorded names of writes, by channel and id.
    writes: HashMap<u32, u32>,
    /// Recorded names of reads, by id.
    reads: HashMap<u32, u32>,
    /// Recorded names of joins, by the name that all members give them.
    joins: HashMap<u32, u32>,
    /// Those names, by channel and id.
    joined: HashMap<u32, u32>,
}

impl Opened {
    pub(crate) fn new(id_bits: u32) -> Self {
        Self {
            id_bits,
            writes: HashMap::new(),
            reads: HashMap::new(),
            joins: HashMap::new(),
            joined: HashMap::new(),
        }
    }

    /// Its first flit has been seen.
    pub(crate) fn open(&mut self, name: Name, is_read: bool) {
        let opened = if is_read {
            &mut self.reads
        } else {
            &mut self.writes
        };
        opened.insert(name.hardware, name.recorded);
    }

    /// The engine will take part in a join.
    pub(crate) fn expect_join(&mut self, name: Name) {
        self.joins.insert(name.hardware, name.recorded);
    }

    /// A read is over.
    pub(crate) fn close_read(&mut self, id: u8) -> Option<u32> {
        self.reads.remove(&u32::from(id))
    }

    /// Takes note of what happens at the write channels. Returns the responses.
    pub(crate) fn follow(&mut self, shown: Shown<'_>) -> Vec<Response> {
        let mut responses = Vec::new();
        for channel in 0..shown.engine_channels() {
            let id_bits = self.id_bits;
            let name = |id: u8| (channel as u32) << id_bits | u32::from(id);
            if let Some((id, join)) = shown.engine_join(channel) {
                self.joined.insert(name(id), join);
            }
            if let Some((id, resp)) = shown.engine_b(channel) {
                let tag = match self.joined.remove(&name(id)) {
                    Some(join) => self.joins.remove(&join),
                    None => self.writes.remove(&name(id)),
                };
                let port = "wide port, B";
                responses.push(Response { tag, resp, port });
            }
        }
        responses
    }
}
