// SPDX-License-Identifier: Apache-2.0
//! All endpoints of a network: what arrives at them, when each is due, and what it gives to its interface.
//!
//! An endpoint is looked at in the cycles in which something may change for it, once each, after all deliveries
//! of the cycle; it sleeps otherwise. Interfaces call the functions of [`Torrents`]; what endpoints give to them comes out as
//! [`TorrentOutput`]s.

use crate::endpoint::torrent::cfg::{Cfg, DESTINATION_BITS, FRAME_BYTES, Key, Pointers};
use crate::endpoint::torrent::lane::Opening;
use crate::endpoint::torrent::memory::Memory;
use crate::endpoint::torrent::narrow::{NarrowMessage, Response};
use crate::endpoint::torrent::unit::{Arrived, Effects, FORWARD, OWN, Settings, TorrentUnit, task};
use crate::machine::Clock;
use crate::machine::event::Event;
use noccl_net::{AxiNetwork, Network, TileId};
use noccl_spec::TorrentMode;
use noccl_workload::Chain;
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

/// What an endpoint gives to its interface.
#[derive(Debug, Clone)]
pub(crate) enum TorrentOutput {
    Message {
        to: u32,
        message: NarrowMessage,
    },
    /// A burst of a lane; its beats follow as the lane has them.
    Burst {
        lane: u8,
        opening: Opening,
    },
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
    pub(crate) fn new(network: AxiNetwork<'_>) -> Option<Box<Self>> {
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

    /// The core gives its endpoint a chain: cycle 0 of the endpoint's counter.
    pub(crate) fn commit(&mut self, network: &Network, tile: u32, instance: u32, chain: &Chain) {
        let task = task(network, &self.settings, (tile, instance), chain);
        self.places[tile as usize].unit.commit(task);
        self.mark(tile);
    }

    /// An endpoint is due in this cycle.
    pub(crate) fn wake(&mut self, tile: u32) {
        self.places[tile as usize].wake_cycle = u64::MAX;
        self.mark(tile);
    }

    /// An endpoint is due in that cycle too.
    fn wake_at(&mut self, tile: u32, cycle: u64, clock: &mut Clock) {
        let wake_cycle = &mut self.places[tile as usize].wake_cycle;
        if cycle < *wake_cycle {
            *wake_cycle = cycle;
            clock.schedule(cycle, Event::Torrent { tile });
        }
    }

    /// Endpoints that are due in this cycle, in ascending order; the list goes back by [`Torrents::end_tick`].
    pub(crate) fn begin_tick(&mut self) -> Vec<u32> {
        let mut due = std::mem::take(&mut self.due);
        due.sort_unstable();
        due
    }

    pub(crate) fn end_tick(&mut self, mut due: Vec<u32>) {
        due.clear();
        self.due = due;
    }

    /// A cycle of an endpoint. `outputs` get what it gives to its interface.
    pub(crate) fn tick(
        &mut self,
        tile: u32,
        is_wormhole: bool,
        memory: &mut Memory<'_>,
        clock: &mut Clock,
        outputs: &mut Vec<TorrentOutput>,
    ) {
        let (now, settings) = (clock.now(), self.settings);
        let place = &mut self.places[tile as usize];
        let Effects {
            leaving,
            consumed,
            done,
            has_moved,
        } = place.unit.tick(now, &settings, memory);
        if let Some(leaving) = leaving {
            // Of a packet the AW goes ahead; the last beat is at the NI after the path.
            let flits = leaving.message.beats() - u64::from(!is_wormhole);
            let cycle = leaving.cycle + settings.path_cycles - flits;
            place
                .departing
                .push_back((cycle, leaving.to, leaving.message));
        }
        if let Some(txn) = consumed {
            let due_cycle = now + settings.path_cycles.max(1);
            clock.schedule(due_cycle, Event::Respond { tile, txn });
        }
        if let Some(instance) = done {
            clock.schedule(now + 1, Event::ChainDone { instance });
        }
        place.give(now, outputs);
        let departs = place.departing.front().map(|d| d.0);
        let next = place.unit.next_cycle(now);
        let soon = has_moved.then_some(now + 1);
        if let Some(cycle) = [departs, next, soon].into_iter().flatten().min() {
            self.wake_at(tile, cycle, clock);
        }
    }

    /// May the NI send a beat of this lane?
    pub(crate) fn has_beat(&self, tile: usize, lane: u8, now: u64) -> bool {
        self.places[tile].unit.lanes()[lane as usize].has_beat(now)
    }

    /// The NI takes a beat of a lane, if there is one.
    pub(crate) fn take_beat(&mut self, tile: usize, lane: u8, clock: &mut Clock) -> Option<u32> {
        let payload = self.places[tile].unit.lanes_mut()[lane as usize].take();
        self.wake_at(tile as u32, clock.now() + 1, clock);
        payload
    }

    pub(crate) fn takes_beat(&self, tile: usize) -> bool {
        self.places[tile].unit.takes_beat(&self.settings)
    }

    /// A message has arrived.
    pub(crate) fn receive(&mut self, tile: usize, now: u64, message: NarrowMessage) {
        self.places[tile].unit.receive(now, message);
        self.mark(tile as u32);
    }

    /// A beat of a chain has arrived.
    pub(crate) fn arrive(&mut self, tile: usize, beat: Arrived) {
        self.places[tile].unit.arrive(beat);
        self.mark(tile as u32);
    }

    /// A burst has its response: its buffer at the next destination is free.
    pub(crate) fn responded(&mut self, tile: usize, lane: u8, from: u32) {
        self.places[tile].unit.responded(lane as usize, from);
        self.mark(tile as u32);
    }
}

impl TorrentSlot {
    /// Gives messages and bursts whose cycle has come to the interface.
    fn give(&mut self, now: u64, outputs: &mut Vec<TorrentOutput>) {
        while let Some((_, to, message)) = self.departing.front().filter(|d| d.0 <= now).copied() {
            self.departing.pop_front();
            outputs.push(TorrentOutput::Message { to, message });
        }
        for lane in [OWN, FORWARD] {
            while let Some(opening) = self.unit.lanes_mut()[lane].take_opening(now) {
                let lane = lane as u8;
                outputs.push(TorrentOutput::Burst { lane, opening });
            }
        }
    }
}

/// Frame and window of a message from one tile to another.
pub(crate) fn frame_of(
    message: NarrowMessage,
    to: u32,
    network: &Network,
) -> ([u8; FRAME_BYTES], Window) {
    let frame = match message {
        NarrowMessage::Cfg(cfg) => cfg.frame(to, network),
        NarrowMessage::Grant(key) | NarrowMessage::Finish(key) | NarrowMessage::Release(key) => {
            beat_of(key, 0, network)
        }
        NarrowMessage::Response(response) => beat_of(response.key, response.destination, network),
    };
    let window = match message {
        NarrowMessage::Cfg(_) => Window::Cfg,
        NarrowMessage::Grant(_) => Window::Grant,
        NarrowMessage::Finish(_) => Window::Finish,
        NarrowMessage::Response(response) if response.is_free => Window::Free,
        NarrowMessage::Response(_) => Window::Busy,
        NarrowMessage::Release(_) => Window::Release,
    };
    (frame, window)
}

/// The message in a frame that was written to a window; none if the frame is of no endpoint of the network.
pub(crate) fn message_in(
    window: Window,
    frame: &[u8; FRAME_BYTES],
    network: &Network,
) -> Option<NarrowMessage> {
    let one = || key_of(frame, network);
    let response = |is_free| {
        one().map(|(key, destination)| {
            NarrowMessage::Response(Response {
                key,
                destination,
                is_free,
            })
        })
    };
    match window {
        Window::Cfg => Cfg::from_frame(frame, network).map(NarrowMessage::Cfg),
        Window::Grant => one().map(|(key, _)| NarrowMessage::Grant(key)),
        Window::Finish => one().map(|(key, _)| NarrowMessage::Finish(key)),
        Window::Release => one().map(|(key, _)| NarrowMessage::Release(key)),
        Window::Free => response(true),
        Window::Busy => response(false),
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

// Windows of a cluster's addresses that take messages of Torrent endpoints, and messages of one beat as bits.

/// The windows at the top of a cluster's addresses, by which a narrow write says what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Window {
    Cfg,
    Grant,
    Finish,
    /// Words of the grant window: a destination's own response, and the initiator's release.
    Free,
    Busy,
    Release,
}

/// A message of one beat: the task, its initiator and, in a response, the destination's place.
pub fn beat_of(key: Key, destination: u16, map: &impl Pointers) -> [u8; FRAME_BYTES] {
    let mut beat = [0; FRAME_BYTES];
    let task = map.address(key.initiator, 0) << 4 | u64::from(key.task);
    let word = u64::from(destination) << DESTINATION_SHIFT | task;
    beat[..8].copy_from_slice(&word.to_le_bytes());
    beat
}

/// The task and the place that such a message names; none if it names no cluster.
pub(crate) fn key_of(beat: &[u8; FRAME_BYTES], map: &impl Pointers) -> Option<(Key, u16)> {
    let word = u64::from_le_bytes(beat[..8].try_into().ok()?);
    let (initiator, _) = map.place((word % (1 << DESTINATION_SHIFT)) >> 4)?;
    let task = (word & 15) as u8;
    Some((Key { initiator, task }, (word >> DESTINATION_SHIFT) as u16))
}

/// Bit of a message of one beat at which the destination's place begins: behind an address and a task.
const DESTINATION_SHIFT: u32 = u64::BITS - DESTINATION_BITS;

// What a chain that has not been granted waits for, told to the diagnosis of a stall.

impl Torrents {
    /// Instance of the schedule whose chain the endpoint of a tile leads.
    pub(crate) fn led_by(&self, tile: u32) -> Option<u32> {
        let task = self.places.get(tile as usize)?.unit.task()?;
        Some(task.instance)
    }

    /// Initiator of the chain that the endpoint of a tile serves.
    pub(crate) fn served_at(&self, tile: u32) -> Option<u32> {
        let serving = self.places[tile as usize].unit.serving()?;
        Some(serving.initiator)
    }

    /// A burst of one beat, which the published endpoint never sends.
    pub(crate) fn never_leaves(&self, tile: u32) -> bool {
        let task = self.places[tile as usize].unit.task();
        let is_single = task.is_some_and(|t| t.beats == 1 && !t.cfgs.is_empty());
        is_single && self.settings.mode == TorrentMode::Published
    }

    /// What holds up the grant of the chain that the endpoint of a tile leads.
    pub(crate) fn hindrance(&self, tile: u32) -> Option<Hindrance> {
        let task = self.places.get(tile as usize)?.unit.task()?;
        let mut destinations = task.cfgs.iter().rev();
        destinations.find_map(|(destination, cfg)| {
            let (cause, since_cycle) = self.places[*destination as usize].unit.holds_up(cfg.key)?;
            Some(Hindrance {
                destination: *destination,
                cause,
                since_cycle,
            })
        })
    }
}

// What a chain that has not been granted waits for.

/// Why a destination does not pass a chain's grant on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    /// It serves the chain of this initiator.
    Serves(u32),
    /// It is busy with the chain that it has begun itself.
    Reads,
    /// The grant of this initiator's chain came before.
    GrantBefore(u32),
}

/// The first destination, seen from where grants start, that holds a chain up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hindrance {
    pub destination: u32,
    pub cause: Cause,
    pub since_cycle: u64,
}
