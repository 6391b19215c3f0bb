// SPDX-License-Identifier: Apache-2.0
//! Endpoints at their NIs: messages as narrow writes, bursts as wide ones, and who is woken when.
//!
//! An endpoint is looked at in the cycles in which something may change for it, once each, after all deliveries
//! of the cycle; it sleeps otherwise.

use crate::endpoint::torrent::cfg::{Cfg, FRAME_BYTES, Pointers};
use crate::endpoint::torrent::contract::{Arrived, Effects, FORWARD, OWN, Settings};
use crate::endpoint::torrent::lane::Opening;
use crate::endpoint::torrent::memory::Memory;
use crate::endpoint::torrent::narrow::{NarrowMessage, Response};
use crate::endpoint::torrent::task::task;
use crate::endpoint::torrent::unit::TorrentUnit;
use crate::endpoint::torrent::window::{Window, beat_of, key_of};
use crate::machine::Machine;
use crate::machine::event::{Done, Event};
use crate::ni::axi::state::{BurstStream, Source};
use crate::transport::flit::{Flit, FlitKind, LAST, pack};
use crate::transport::transaction::{Owner, Tree, Txn, TxnKind};
use noccl_net::{Network, TileId};
use noccl_spec::Plane;
use noccl_workload::{CHAIN_BEAT_BYTES, Chain};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// One endpoint and its message to the NI.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct TorrentSlot {
    pub(super) unit: TorrentUnit,
    /// First flit's cycle at the NI, destination, message.
    departing: VecDeque<(u64, u32, NarrowMessage)>,
    /// Earliest cycle for which the endpoint is in the wheel.
    wake_cycle: u64,
}

/// All endpoints of a network.
#[derive(Debug)]
pub(crate) struct Torrents {
    pub(super) settings: Settings,
    pub places: Vec<TorrentSlot>,
    /// Tiles to look at in this cycle.
    due: Vec<u32>,
}

impl Torrents {
    /// The endpoints of a network whose clusters have one.
    pub(crate) fn new(network: &Network) -> Option<Box<Self>> {
        let axi = network.axi();
        let endpoint = axi.cluster.torrent.as_ref()?;
        let beats = axi.ni.burst_boundary_bytes / axi.ni.wide_beat_bytes;
        let settings = Settings {
            mode: endpoint.mode,
            cycles: endpoint.endpoint_cycles,
            dispatch: endpoint.dispatch,
            acknowledgement: endpoint.acknowledgement,
            open_tasks: endpoint.open_tasks,
            path_cycles: u64::from(endpoint.endpoint_path_cycles),
            burst_beats: axi.ni.max_burst_beats.min(beats).min(64),
            buffer_bursts: endpoint.buffer_bursts,
            fifo_words: endpoint.channel_fifo_words,
            num_banks: endpoint.memory_banks,
        };
        let place = |tile| TorrentSlot {
            unit: TorrentUnit::new(tile, endpoint.endpoint_cycles),
            departing: VecDeque::new(),
            wake_cycle: u64::MAX,
        };
        Some(Box::new(Self {
            settings,
            places: (0..network.num_tiles() as u32).map(place).collect(),
            due: Vec::new(),
        }))
    }

    fn mark(&mut self, tile: u32) {
        if !self.due.contains(&tile) {
            self.due.push(tile);
        }
    }

    /// May the NI send a beat of this lane?
    pub(crate) fn has_beat(&self, tile: usize, lane: u8, now: u64) -> bool {
        self.places[tile].unit.lanes()[lane as usize].has_beat(now)
    }

    pub(crate) fn takes_beat(&self, tile: usize) -> bool {
        self.places[tile].unit.takes_beat(&self.settings)
    }
}

impl Pointers for Network {
    fn address(&self, tile: u32, offset: u64) -> u64 {
        Network::address(self, TileId(tile), offset)
    }

    fn place(&self, address: u64) -> Option<(u32, u64)> {
        self.decode(address).map(|(tile, offset)| (tile.0, offset))
    }
}

impl Machine<'_> {
    /// The core hands its endpoint a chain: cycle 0 of the endpoint's counter.
    pub(crate) fn commit_chain(&mut self, tile: u32, instance: u32, chain: &Chain) {
        let network = self.network;
        let Some(torrents) = &mut self.torrents else {
            return;
        };
        let task = task(network, &torrents.settings, (tile, instance), chain);
        torrents.places[tile as usize].unit.commit(task);
        torrents.mark(tile);
    }

    /// An endpoint is due in this cycle.
    pub(crate) fn wake_torrent(&mut self, tile: u32) {
        if let Some(torrents) = &mut self.torrents {
            torrents.places[tile as usize].wake_cycle = u64::MAX;
            torrents.mark(tile);
        }
    }

    fn wake_torrent_at(&mut self, tile: u32, cycle: u64) {
        let Some(torrents) = &mut self.torrents else {
            return;
        };
        let wake_cycle = &mut torrents.places[tile as usize].wake_cycle;
        if cycle < *wake_cycle {
            *wake_cycle = cycle;
            self.clock.schedule(cycle, Event::Torrent { tile });
        }
    }

    /// Every endpoint that is due, once.
    pub(crate) fn tick_torrents(&mut self) {
        let Some(torrents) = &mut self.torrents else {
            return;
        };
        let mut due = std::mem::take(&mut torrents.due);
        due.sort_unstable();
        for tile in due.drain(..) {
            self.tick_torrent(tile);
        }
        if let Some(torrents) = &mut self.torrents {
            torrents.due = due;
        }
    }

    fn tick_torrent(&mut self, tile: u32) {
        let (now, is_value) = (self.clock.now(), self.is_value());
        let has_worms = self.behaviour.has_worms;
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
        let settings = torrents.settings;
        let place = &mut torrents.places[tile as usize];
        let Effects {
            leaving,
            consumed,
            done,
            has_moved,
        } = place.unit.tick(now, &settings, &mut memory);
        if let Some(leaving) = leaving {
            // Of a worm the AW goes ahead; the last beat is at the NI after the path.
            let flits = leaving.message.beats() - u64::from(!has_worms);
            let cycle = leaving.cycle + settings.path_cycles - flits;
            place
                .departing
                .push_back((cycle, leaving.to, leaving.message));
        }
        if let Some(txn) = consumed {
            let due_cycle = now + settings.path_cycles.max(1);
            self.clock.schedule(due_cycle, Event::Respond { tile, txn });
        }
        if let Some(instance) = done {
            self.clock.schedule(now + 1, Event::ChainDone { instance });
        }
        self.hand_to_ni(tile);
        self.plan_wake(tile, has_moved);
    }

    /// Messages, bursts and beats whose cycle has come.
    fn hand_to_ni(&mut self, tile: u32) {
        let now = self.clock.now();
        while let Some(torrents) = &mut self.torrents {
            let departing = &mut torrents.places[tile as usize].departing;
            let Some((_, to, message)) = departing.front().filter(|d| d.0 <= now).copied() else {
                break;
            };
            departing.pop_front();
            self.send_message(tile, to, message);
        }
        for lane in [OWN, FORWARD] {
            while let Some(torrents) = &mut self.torrents {
                let unit = &mut torrents.places[tile as usize].unit;
                let Some(opening) = unit.lanes_mut()[lane].take_opening(now) else {
                    break;
                };
                self.issue_burst(tile, lane as u8, opening);
            }
        }
        self.refresh_plane(Plane::Wide, tile as usize);
    }

    fn plan_wake(&mut self, tile: u32, has_moved: bool) {
        let now = self.clock.now();
        let Some(torrents) = &self.torrents else {
            return;
        };
        let place = &torrents.places[tile as usize];
        let departs = place.departing.front().map(|d| d.0);
        let next = place.unit.next_cycle(now);
        let soon = has_moved.then_some(now + 1);
        if let Some(cycle) = [departs, next, soon].into_iter().flatten().min() {
            self.wake_torrent_at(tile, cycle);
        }
    }

    fn send_message(&mut self, tile: u32, to: u32, message: NarrowMessage) {
        let frame = match message {
            NarrowMessage::Cfg(cfg) => cfg.frame(to, self.network),
            NarrowMessage::Grant(key)
            | NarrowMessage::Finish(key)
            | NarrowMessage::Release(key) => beat_of(key, 0, self.network),
            NarrowMessage::Response(response) => {
                beat_of(response.key, response.destination, self.network)
            }
        };
        let payload = self.memory.pool.put(&frame);
        let (from_at, to_at) = (self.coord(tile), self.coord(to));
        let window = match message {
            NarrowMessage::Cfg(_) => Window::Cfg,
            NarrowMessage::Grant(_) => Window::Grant,
            NarrowMessage::Finish(_) => Window::Finish,
            NarrowMessage::Response(response) if response.is_free => Window::Free,
            NarrowMessage::Response(_) => Window::Busy,
            NarrowMessage::Release(_) => Window::Release,
        };
        let txn = Txn {
            target: to,
            is_wide: false,
            ..Txn::new(TxnKind::NarrowWrite, Owner::Message { window }, tile)
        };
        let id = self.txns.open(txn, Tree::unicast(to_at, from_at));
        self.record_command(tile, id, None);
        let flit = |kind, beat, payload, flags| Flit {
            txn: id,
            dst: pack(to_at),
            payload,
            beat,
            kind,
            flags,
        };
        if self.behaviour.has_worms {
            self.send(tile, Plane::Req, flit(FlitKind::WriteHead, 0, 0, 0));
        }
        let last = message.beats() as u16 - 1;
        for beat in 0..=last {
            let (payload, flags) = if beat == last {
                (payload, LAST)
            } else {
                (0, 0)
            };
            let w = flit(FlitKind::NarrowWrite, beat, payload, flags);
            self.send(tile, Plane::Req, w);
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
        let id = self.txns.open(txn, tree);
        let source = Source::Switch(lane);
        self.record_command(tile, id, Some(source));
        let stream = BurstStream::plain(id, beats, self.behaviour.has_worms, source);
        self.interfaces.nis[tile as usize].queue(stream, owner.channel());
    }

    /// A Torrent endpoint may be full.
    pub(crate) fn takes_write(&self, tile: usize, flit: Flit) -> bool {
        let Some(torrents) = &self.torrents else {
            return true;
        };
        let is_chain = matches!(self.txns.get(flit.txn).owner, Owner::Chain { .. });
        !is_chain || torrents.takes_beat(tile)
    }

    /// The NI takes a beat of a lane.
    pub(crate) fn take_switched(&mut self, tile: usize, lane: u8) -> u32 {
        self.checks.counters.dma_store_bytes += CHAIN_BEAT_BYTES;
        let torrents = self.torrents.as_mut();
        let payload = torrents.and_then(|t| t.places[tile].unit.lanes_mut()[lane as usize].take());
        self.wake_torrent_at(tile as u32, self.clock.now() + 1);
        payload.expect("the NI has asked for the beat")
    }

    /// The last beat of a message has come.
    pub(crate) fn take_message(&mut self, tile: usize, flit: Flit, window: Window) {
        let mut frame = [0; FRAME_BYTES];
        frame.copy_from_slice(self.memory.pool.bytes(flit.payload));
        self.memory.pool.release(flit.payload);
        let one = || key_of(&frame, self.network);
        let response = |is_free| {
            one().map(|(key, destination)| {
                NarrowMessage::Response(Response {
                    key,
                    destination,
                    is_free,
                })
            })
        };
        let message = match window {
            Window::Cfg => Cfg::from_frame(&frame, self.network).map(NarrowMessage::Cfg),
            Window::Grant => one().map(|(key, _)| NarrowMessage::Grant(key)),
            Window::Finish => one().map(|(key, _)| NarrowMessage::Finish(key)),
            Window::Release => one().map(|(key, _)| NarrowMessage::Release(key)),
            Window::Free => response(true),
            Window::Busy => response(false),
        };
        let now = self.clock.now();
        if let (Some(torrents), Some(message)) = (&mut self.torrents, message) {
            torrents.places[tile].unit.receive(now, message);
            torrents.mark(tile as u32);
        }
        let tile = tile as u32;
        let due_cycle = now + self.memory_latency(tile);
        let txn = flit.txn;
        self.clock.schedule(due_cycle, Event::Respond { tile, txn });
    }

    /// A beat of a chain has come.
    pub(crate) fn take_chain_beat(&mut self, tile: usize, flit: Flit) {
        if let Some(torrents) = &mut self.torrents {
            let closes = flit.is_last().then_some(flit.txn);
            let payload = flit.payload;
            let unit = &mut torrents.places[tile].unit;
            unit.arrive(Arrived { payload, closes });
            torrents.mark(tile as u32);
        }
    }

    /// A burst has its response: its buffer at the next destination is free.
    pub(crate) fn take_credit_of_chain(&mut self, tile: usize, lane: u8, from: u32) {
        if let Some(torrents) = &mut self.torrents {
            torrents.places[tile].unit.responded(lane as usize, from);
            torrents.mark(tile as u32);
        }
    }

    /// The driver is told that a chain is over.
    pub(crate) fn chain_done(&mut self, instance: u32) {
        self.done.push(Done::Chain { instance });
    }
}
