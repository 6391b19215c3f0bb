// SPDX-License-Identifier: Apache-2.0
//! An endpoint of either timing (`endpoint_cycles`), as the simulator sees it.

use crate::endpoint::torrent::cfg::{Cfg, Key};
use crate::endpoint::torrent::lane::Lane;
use crate::endpoint::torrent::lean::Lean;
use crate::endpoint::torrent::narrow::{Leaving, NarrowMessage};
use crate::endpoint::torrent::pattern::Addresses;
use crate::endpoint::torrent::port::Cause;
use crate::endpoint::torrent::published::endpoint::Endpoint;
use crate::endpoint::torrent::published::head::ChainTask;
use noccl_net::{Network, TileId};
use noccl_spec::{EndpointCycles, TorrentAcknowledgement, TorrentDispatch, TorrentMode};
use noccl_workload::{AccessPattern, Chain};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum TorrentUnit {
    /// With the stages of the published hardware.
    Published(Box<Endpoint>),
    /// As our hardware, with the registers of the path behind its wide ports.
    Lean(Box<Lean>, [Lane; 2]),
}

impl TorrentUnit {
    pub(crate) fn new(tile: u32, cycles: EndpointCycles) -> Self {
        match cycles {
            EndpointCycles::Published => Self::Published(Box::new(Endpoint::new(tile))),
            EndpointCycles::Lean => Self::Lean(Box::new(Lean::new(tile)), Default::default()),
        }
    }

    pub(crate) fn commit(&mut self, task: ChainTask) {
        match self {
            Self::Published(endpoint) => endpoint.commit(task),
            Self::Lean(lean, _) => lean.commit(task),
        }
    }

    pub(crate) fn receive(&mut self, now: u64, message: NarrowMessage) {
        match self {
            Self::Published(endpoint) => endpoint.receive(now, message),
            Self::Lean(lean, _) => lean.note_message(message),
        }
    }

    pub(crate) fn arrive(&mut self, beat: Arrived) {
        match self {
            Self::Published(endpoint) => endpoint.arrived.push_back(beat),
            Self::Lean(lean, _) => lean.note_beat(beat),
        }
    }

    /// The destination that a burst went to has taken it.
    pub(crate) fn responded(&mut self, lane: usize, from: u32) {
        match self {
            Self::Published(endpoint) => endpoint.lanes[lane].credit(from),
            Self::Lean(lean, _) => lean.note_response(lane),
        }
    }

    pub(crate) fn takes_beat(&self, settings: &Settings) -> bool {
        match self {
            Self::Published(endpoint) => endpoint.takes_beat(settings),
            // Space for whole bursts has been promised.
            Self::Lean(..) => true,
        }
    }

    pub(crate) fn lanes(&self) -> &[Lane; 2] {
        match self {
            Self::Published(endpoint) => &endpoint.lanes,
            Self::Lean(_, lanes) => lanes,
        }
    }

    pub(crate) fn lanes_mut(&mut self) -> &mut [Lane; 2] {
        match self {
            Self::Published(endpoint) => &mut endpoint.lanes,
            Self::Lean(_, lanes) => lanes,
        }
    }

    pub(crate) fn tick(
        &mut self,
        now: u64,
        settings: &Settings,
        bytes: &mut impl Bytes,
    ) -> Effects {
        match self {
            Self::Published(endpoint) => endpoint.tick(now, settings, bytes),
            Self::Lean(lean, lanes) => lean.tick(now, settings, lanes, bytes),
        }
    }

    /// Next cycle after this one in which something is due, whatever comes from outside.
    pub(crate) fn next_cycle(&self, now: u64) -> Option<u64> {
        match self {
            Self::Published(endpoint) => endpoint.next_cycle(now),
            Self::Lean(_, lanes) => lanes.iter().filter_map(|l| l.next_cycle(now)).min(),
        }
    }

    /// The chain that is led: of several the first that has not been granted, if there is one.
    pub(crate) fn task(&self) -> Option<&ChainTask> {
        match self {
            Self::Published(endpoint) => endpoint.leading().map(|h| &h.task),
            Self::Lean(lean, _) => lean.lead().map(|l| &l.task),
        }
    }

    /// The chain that is served.
    pub(crate) fn serving(&self) -> Option<Key> {
        match self {
            Self::Published(endpoint) => endpoint.serving,
            Self::Lean(lean, _) => lean.served().map(|s| s.cfg.key),
        }
    }

    /// What holds up a chain here, and since when; none if its grant has gone on or has not come.
    pub(crate) fn holds_up(&self, key: Key) -> Option<(Cause, u64)> {
        match self {
            Self::Published(endpoint) => endpoint.holds_up(key),
            Self::Lean(lean, _) => {
                let slot = lean.slot(key.initiator).filter(|s| s.cfg.key == key)?;
                let serving = self.serving().filter(|served| *served != key)?;
                Some((Cause::Serves(serving.initiator), slot.since_cycle))
            }
        }
    }
}

// What endpoints of both timings have in common: settings, what comes and what a cycle leaves for others, and the
// memory as they use it.

/// Cycles from the switch to the endpoint's port: address, burst, AW FIFO, W FIFO, data path.
const SWITCH_CYCLES: u64 = 5;
/// Cycles from a grant to the port's arbitration.
pub(crate) const GRANT_CYCLES: u64 = 2;
/// Cycles from a finish to the port's arbitration.
pub(crate) const FINISH_CYCLES: u64 = 3;
/// Cycles from the last beat of a configuration to the arbitration of the next.
pub(crate) const CFG_CYCLES: u64 = 2;

/// Lane of an endpoint's own tasks, and of the data that it forwards.
pub(crate) const OWN: usize = 0;
pub(crate) const FORWARD: usize = 1;

/// What all endpoints of a network have in common.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    pub mode: TorrentMode,
    pub cycles: EndpointCycles,
    pub dispatch: TorrentDispatch,
    pub acknowledgement: TorrentAcknowledgement,
    pub open_tasks: u32,
    pub path_cycles: u64,
    pub burst_beats: u32,
    pub buffer_bursts: u32,
    pub fifo_words: u32,
    pub num_banks: u32,
}

impl Settings {
    pub(crate) const fn is_parallel(&self) -> bool {
        matches!(self.acknowledgement, TorrentAcknowledgement::Parallel)
    }

    /// Cycles from the switch to the NI.
    pub(crate) const fn lane_cycles(&self) -> u64 {
        let switch_cycles = match self.cycles {
            EndpointCycles::Published => SWITCH_CYCLES,
            EndpointCycles::Lean => 0,
        };
        switch_cycles + self.path_cycles
    }

    /// Beats of the burst in which this beat of a task is.
    pub(crate) const fn burst_of(&self, beat: u64, beats: u64) -> u16 {
        let burst = self.burst_beats as u64;
        let rest = beats - beat / burst * burst;
        if rest < burst {
            rest as u16
        } else {
            burst as u16
        }
    }

    pub(crate) const fn begins_burst(&self, beat: u64) -> bool {
        beat.is_multiple_of(self.burst_beats as u64)
    }
}

/// A beat that has come over the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrived {
    pub payload: u32,
    /// Burst whose last beat it is.
    pub closes: Option<u32>,
}

/// Memory and payloads, as the endpoint uses them.
pub trait Bytes {
    /// Reads a beat's words into a new payload.
    fn load(&mut self, words: &[u64; 8]) -> u32;
    /// Writes a beat's words from a payload.
    fn store(&mut self, words: &[u64; 8], payload: u32);
    /// A second user of a payload.
    fn share(&mut self, payload: u32);
    /// A user of a payload is done with it.
    fn release(&mut self, payload: u32);
}

/// What a cycle of an endpoint leaves for others to do.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// A message has started to leave.
    pub leaving: Option<Leaving>,
    /// The burst's buffer is free again.
    pub consumed: Option<u32>,
    /// The task of this instance is over.
    pub done: Option<u32>,
    /// Something has moved that can move on in the next cycle.
    pub has_moved: bool,
}

// From a chain of the schedule to configurations, and the order in which followers are acquired.

/// A chain as configurations.
pub(crate) fn task(
    network: &Network,
    settings: &Settings,
    (tile, instance): (u32, u32),
    chain: &Chain,
) -> ChainTask {
    let destinations: Vec<(u32, &AccessPattern)> = chain
        .followers()
        .into_iter()
        .filter_map(|s| Some((network.find(s.tile)?.0, &s.pattern)))
        .collect();
    let mut grants: Vec<u32> = destinations
        .iter()
        .map(|(destination, _)| *destination)
        .collect();
    grants.sort_unstable_by_key(|destination| std::cmp::Reverse(rank(network, *destination)));
    let granted_after = |destination: u32| {
        let at = grants.iter().position(|s| *s == destination);
        at.and_then(|at| grants.get(at + 1)).copied()
    };
    let place = |destination: &u32| destinations.iter().position(|(s, _)| s == destination);
    let order = grants.iter().filter_map(place).map(|at| at as u16);
    let order: Vec<u16> = order.collect();
    let cfgs = destinations
        .iter()
        .enumerate()
        .map(|(i, (destination, pattern))| {
            let cfg = Cfg {
                key: Key {
                    initiator: tile,
                    task: 0,
                },
                previous: i
                    .checked_sub(1)
                    .map_or(tile, |before| destinations[before].0),
                next: destinations.get(i + 1).map(|(next, _)| *next),
                grant_to: granted_after(*destination).unwrap_or(tile),
                starts_grant: settings.is_parallel() || grants.first() == Some(destination),
                destination: if settings.is_parallel() { i as u16 } else { 0 },
                beats: chain.beats() as u32,
                addresses: Addresses::of(pattern),
            };
            (*destination, cfg)
        });
    let task = 0;
    ChainTask {
        key: Key {
            initiator: tile,
            task,
        },
        instance,
        source: Addresses::of(&chain.source),
        own_copy: chain.own_copy().map(Addresses::of),
        beats: chain.beats(),
        cfgs: cfgs.collect(),
        grants: order,
    }
}

/// The order in which all chains acquire followers, highest first: columns from West to East, every other one reversed.
///
/// Any order is free of deadlock; in this one neighbours are next to each other, and a chain that snakes
/// through the mesh is granted from its tail to its head, as published.
fn rank(network: &Network, tile: u32) -> u32 {
    let (at, height) = (network.coord(TileId(tile)), u32::from(network.height()));
    let y = u32::from(at.y);
    let rank_in_column = if at.x.is_multiple_of(2) {
        y
    } else {
        height - 1 - y
    };
    u32::from(at.x) * height + rank_in_column
}
