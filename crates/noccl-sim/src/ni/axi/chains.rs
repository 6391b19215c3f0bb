// SPDX-License-Identifier: Apache-2.0
//! Torrent endpoints at their interfaces: messages as narrow writes, bursts of chains as wide ones.

use crate::endpoint::torrent::cfg::FRAME_BYTES;
use crate::endpoint::torrent::lane::Opening;
use crate::endpoint::torrent::memory::Memory;
use crate::endpoint::torrent::narrow::NarrowMessage;
use crate::endpoint::torrent::port::{frame_of, message_in};
use crate::endpoint::torrent::unit::Arrived;
use crate::endpoint::torrent::{TorrentOutput, Window};
use crate::machine::Machine;
use crate::machine::event::Event;
use crate::ni::axi::state::{BurstStream, Source};
use crate::transport::flit::{Flit, FlitKind, LAST, pack};
use crate::transport::transaction::{Owner, Tree, Txn, TxnKind};
use noccl_spec::Plane;
use noccl_workload::{CHAIN_BEAT_BYTES, Chain};

impl Machine<'_> {
    /// The core gives its endpoint a chain.
    pub(crate) fn commit_chain(&mut self, tile: u32, instance: u32, chain: &Chain) {
        if let Some(torrents) = &mut self.torrents {
            torrents.commit(&self.network, tile, instance, chain);
        }
    }

    /// Every endpoint that is due, once.
    pub(crate) fn tick_torrents(&mut self) {
        let Some(torrents) = &mut self.torrents else {
            return;
        };
        let (due, mut outputs) = (torrents.begin_tick(), Vec::new());
        for tile in &due {
            self.tick_torrent(*tile, &mut outputs);
            for output in outputs.drain(..) {
                match output {
                    TorrentOutput::Message { to, message } => self.send_message(*tile, to, message),
                    TorrentOutput::Burst { lane, opening } => {
                        self.issue_burst(*tile, lane, opening);
                    }
                }
            }
            self.refresh_plane(Plane::Wide, *tile as usize);
        }
        if let Some(torrents) = &mut self.torrents {
            torrents.end_tick(due);
        }
    }

    fn tick_torrent(&mut self, tile: u32, outputs: &mut Vec<TorrentOutput>) {
        let is_value = self.is_value();
        let Some(torrents) = &mut self.torrents else {
            return;
        };
        let mut memory = Memory {
            tile,
            is_value,
            memories: &mut self.memory.memories,
            pool: &mut self.memory.pool,
            counters: &mut self.checks.counters,
            checksum: &mut self.checks.checksum,
        };
        let is_wormhole = self.behaviour.is_wormhole;
        torrents.tick(tile, is_wormhole, &mut memory, &mut self.clock, outputs);
    }

    fn send_message(&mut self, tile: u32, to: u32, message: NarrowMessage) {
        let (frame, window) = frame_of(message, to, &self.network);
        let payload = self.memory.pool.put(&frame);
        let (from_at, to_at) = (self.coord(tile), self.coord(to));
        let txn = Txn {
            target: to,
            is_wide: false,
            ..Txn::new(TxnKind::NarrowWrite, Owner::Message { window }, tile)
        };
        let id = self
            .interfaces
            .txns
            .open(txn, Tree::unicast(to_at, from_at));
        self.record_command(tile, id, None);
        let flit = |kind, beat, payload, flags| Flit {
            txn: id,
            dst: pack(to_at),
            payload,
            beat,
            kind,
            flags,
        };
        if self.behaviour.is_wormhole {
            self.interfaces
                .send(tile, Plane::Req, flit(FlitKind::WriteHead, 0, 0, 0));
        }
        let last = message.beats() as u16 - 1;
        for beat in 0..=last {
            let (payload, flags) = if beat == last {
                (payload, LAST)
            } else {
                (0, 0)
            };
            let w = flit(FlitKind::NarrowWrite, beat, payload, flags);
            self.interfaces.send(tile, Plane::Req, w);
        }
    }

    /// A burst of a lane joins the NI's write queue; its beats follow as the lane has them.
    fn issue_burst(&mut self, tile: u32, lane: u8, opening: Opening) {
        let Opening {
            to,
            beats,
            initiator,
            ..
        } = opening;
        let owner = Owner::Chain { initiator, lane };
        let txn = Txn {
            target: to,
            bytes: u32::from(beats) * CHAIN_BEAT_BYTES as u32,
            beats,
            ..Txn::new(TxnKind::WideWrite, owner, tile)
        };
        let tree = Tree::unicast(self.coord(to), self.coord(tile));
        let id = self.interfaces.txns.open(txn, tree);
        let source = Source::Switch(lane);
        self.record_command(tile, id, Some(source));
        let stream = BurstStream::plain(id, beats, self.behaviour.is_wormhole, source);
        self.interfaces.nis[tile as usize].queue(stream, owner.channel());
    }

    /// The NI takes a beat of a lane.
    pub(crate) fn take_switched(&mut self, tile: usize, lane: u8) -> u32 {
        self.checks.counters.dma_store_bytes += CHAIN_BEAT_BYTES;
        let torrents = self.torrents.as_mut();
        let payload = torrents.and_then(|t| t.take_beat(tile, lane, &mut self.clock));
        payload.expect("the NI has asked for the beat")
    }

    /// The last beat of a message has arrived.
    pub(crate) fn take_message(&mut self, tile: usize, flit: Flit, window: Window) {
        let mut frame = [0; FRAME_BYTES];
        frame.copy_from_slice(self.memory.pool.bytes(flit.payload));
        self.memory.pool.release(flit.payload);
        let (now, message) = (self.clock.now(), message_in(window, &frame, &self.network));
        if let (Some(torrents), Some(message)) = (&mut self.torrents, message) {
            torrents.receive(tile, now, message);
        }
        let tile = tile as u32;
        let due_cycle = now + self.memory_latency(tile);
        let txn = flit.txn;
        self.clock.schedule(due_cycle, Event::Respond { tile, txn });
    }

    /// A beat of a chain has arrived.
    pub(crate) fn take_chain_beat(&mut self, tile: usize, flit: Flit) {
        if flit.is_last() {
            self.note_delivered(tile as u32, flit.txn);
        }
        if let Some(torrents) = &mut self.torrents {
            let closes = flit.is_last().then_some(flit.txn);
            let payload = flit.payload;
            torrents.arrive(tile, Arrived { payload, closes });
        }
    }
}
