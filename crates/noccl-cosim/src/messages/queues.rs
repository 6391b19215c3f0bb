// SPDX-License-Identifier: Apache-2.0
//! Packets of a recorded run: the queues of interfaces, and what is in flight.

use super::layout::Packet;
use super::model::CLASSES;
use crate::lockstep::LockstepError;
use noccl_net::Network;
use noccl_run::QueuedPacket;
use std::collections::VecDeque;

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
