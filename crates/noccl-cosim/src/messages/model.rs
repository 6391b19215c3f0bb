// SPDX-License-Identifier: Apache-2.0
//! Verilated routers with bypass behind their C functions (`rtl/cosim/noccl_smart_cosim.cpp`).
#![allow(unsafe_code)]

use super::layout::Packet;
use crate::lockstep::LockstepError;
use crate::verilated::{Handle, Opening, Verilated};
use noccl_net::Network;
use noccl_run::QueuedPacket;
use std::collections::VecDeque;
use std::ffi::c_int;
use std::path::Path;

/// Message classes, and mesh outputs.
pub(super) const CLASSES: usize = 3;
pub(super) const LINKS: usize = 4;

/// Where a flit of whole words stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub tile: usize,
    pub words: usize,
}

/// A mesh.
pub(super) struct MessageModel {
    in_valid: [*mut u64; CLASSES],
    in_ready: [*mut u64; CLASSES],
    out_ready: *mut u64,
    out_valid: *mut u64,
    crossing: [*mut u64; LINKS],
    in_flits: [*mut u32; CLASSES],
    out_flits: *mut u32,
    crossing_flits: [*mut u32; LINKS],
    pub(super) hardware: Verilated,
}

impl MessageModel {
    /// Opens a library and resets its mesh.
    pub(super) fn open(path: &Path) -> Result<Self, LockstepError> {
        let opening = Opening::new(path)?;
        // SAFETY: the types are those of the functions in noccl_smart_cosim.cpp.
        let (tiles, flits) = unsafe {
            let tiles: unsafe extern "C" fn(Handle, c_int) -> *mut u64 =
                opening.function(c"noccl_smart_tiles")?;
            let flits: unsafe extern "C" fn(Handle, c_int) -> *mut u32 =
                opening.function(c"noccl_smart_flits")?;
            (tiles, flits)
        };
        let hardware = opening.begin()?;
        let handle = hardware.handle();
        // SAFETY: the handle is live hardware, the signals are numbered as the functions' comments say.
        let (tiles, flits) = unsafe {
            (
                |signal| tiles(handle, signal),
                |signal| flits(handle, signal),
            )
        };
        let mut model = Self {
            in_valid: [0, 1, 2].map(tiles),
            in_ready: [3, 4, 5].map(tiles),
            out_ready: tiles(6),
            out_valid: tiles(7),
            crossing: [8, 9, 10, 11].map(tiles),
            in_flits: [0, 1, 2].map(flits),
            out_flits: flits(3),
            crossing_flits: [4, 5, 6, 7].map(flits),
            hardware,
        };
        model.drive([0; CLASSES], 0);
        model.hardware.reset();
        Ok(model)
    }

    /// Which queues offer a flit in this cycle, and which interfaces are granted one.
    pub(super) fn drive(&mut self, in_valid: [u64; CLASSES], out_ready: u64) {
        // SAFETY: the signals live as long as the model.
        unsafe {
            for (signal, tiles) in self.in_valid.into_iter().zip(in_valid) {
                *signal = tiles;
            }
            *self.out_ready = out_ready;
        }
    }

    /// Queues whose flit is taken.
    pub(super) fn in_ready(&self, class: usize) -> u64 {
        // SAFETY: as in `drive`.
        unsafe { *self.in_ready[class] }
    }

    /// Interfaces that get a flit.
    pub(super) fn out_valid(&self) -> u64 {
        // SAFETY: as in `drive`.
        unsafe { *self.out_valid }
    }

    /// Tiles with a flit on the link behind an output.
    pub(super) fn crossing(&self, port: usize) -> u64 {
        // SAFETY: as in `drive`.
        unsafe { *self.crossing[port] }
    }

    /// Packet and index of the flit on a link.
    pub(super) fn crossing_flit(&self, port: usize, tile: usize) -> (u32, u16) {
        // SAFETY: a word per tile, in the model.
        let word = unsafe { *self.crossing_flits[port].add(tile) };
        (word & 0xffff, (word >> 16 & 0xff) as u16)
    }

    /// Words of the flit that a queue offers.
    pub(super) fn input(&mut self, class: usize, Place { tile, words }: Place) -> &mut [u32] {
        // SAFETY: an array of `words` words per tile, in the model.
        unsafe { std::slice::from_raw_parts_mut(self.in_flits[class].add(tile * words), words) }
    }

    /// Words of the flit that an interface gets.
    pub(super) fn output(&self, Place { tile, words }: Place) -> &[u32] {
        // SAFETY: an array of `words` words per tile, in the model.
        unsafe { std::slice::from_raw_parts(self.out_flits.add(tile * words), words) }
    }
}

// Packets of a recorded run: the queues of interfaces, and what is in flight.

/// Names that a packet may bear in the hardware.
const MAX_PACKETS: u32 = 1 << 16;

/// All packets, by name, and the queues by class and tile.
pub(super) struct Queues {
    packets: Vec<Option<Packet>>,
    waiting: Vec<VecDeque<u32>>,
    /// By class and tile: the next flit of the first packet.
    next_flit: Vec<u16>,
    tiles: usize,
}

impl Queues {
    pub(super) fn new(tiles: usize) -> Self {
        Self {
            packets: Vec::new(),
            waiting: vec![VecDeque::new(); CLASSES * tiles],
            next_flit: vec![0; CLASSES * tiles],
            tiles,
        }
    }

    /// A packet is queued. True if it is the first one of its queue.
    ///
    /// # Errors
    /// [`LockstepError::Unsupported`] if no header says it.
    pub(super) fn push(
        &mut self,
        network: &Network,
        queued: &QueuedPacket,
        cycle: u64,
    ) -> Result<bool, LockstepError> {
        let unsupported = |what| LockstepError::Unsupported { cycle, what };
        if queued.packet >= MAX_PACKETS {
            return Err(unsupported("the 65537th packet at a time"));
        }
        let packet = Packet::new(network, queued.clone());
        let packet = packet.ok_or(unsupported("a set of tiles that is no multi-address"))?;
        let name = queued.packet as usize;
        if self.packets.len() <= name {
            self.packets.resize(name + 1, None);
        }
        self.packets[name] = Some(packet);
        let queue = &mut self.waiting[queued.class as usize * self.tiles + queued.source.idx()];
        queue.push_back(queued.packet);
        Ok(queue.len() == 1)
    }

    /// The flit that a queue offers.
    pub(super) fn head(&self, class: usize, tile: usize) -> Option<(&Packet, u16)> {
        let at = class * self.tiles + tile;
        let name = *self.waiting[at].front()?;
        Some((self.packet(name)?, self.next_flit[at]))
    }

    /// A queue's flit has been taken.
    pub(super) fn advance(&mut self, class: usize, tile: usize) {
        let flits = self
            .head(class, tile)
            .map(|(packet, _)| packet.queued.flits);
        let at = class * self.tiles + tile;
        self.next_flit[at] += 1;
        if Some(self.next_flit[at]) == flits {
            self.next_flit[at] = 0;
            self.waiting[at].pop_front();
        }
    }

    /// A packet that has been queued.
    pub(super) fn packet(&self, name: u32) -> Option<&Packet> {
        self.packets.get(name as usize)?.as_ref()
    }

    /// Tiles with something in the queue of a class.
    pub(super) fn filled(&self, class: usize) -> u64 {
        let queues = &self.waiting[class * self.tiles..][..self.tiles];
        let filled = (0..).zip(queues).filter(|(_, queue)| !queue.is_empty());
        filled.fold(0, |tiles, (tile, _)| tiles | 1_u64 << tile)
    }
}
