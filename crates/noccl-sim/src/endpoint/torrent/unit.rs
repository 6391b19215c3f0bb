// SPDX-License-Identifier: Apache-2.0
//! An endpoint of either timing (`endpoint_cycles`), as the simulator sees it.

use crate::endpoint::torrent::cfg::Key;
use crate::endpoint::torrent::contract::{Arrived, Bytes, Effects, Settings};
use crate::endpoint::torrent::lane::Lane;
use crate::endpoint::torrent::lean::Lean;
use crate::endpoint::torrent::narrow::NarrowMessage;
use crate::endpoint::torrent::published::endpoint::Endpoint;
use crate::endpoint::torrent::published::head::ChainTask;
use crate::endpoint::torrent::wait_cause::Cause;
use noccl_spec::EndpointCycles;
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
