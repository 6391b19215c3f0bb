// SPDX-License-Identifier: Apache-2.0
//! What endpoints of both timings have in common: settings, what comes and what a cycle leaves for others, and the
//! memory as they use it.

use crate::endpoint::torrent::narrow::Leaving;
use noccl_spec::{EndpointCycles, TorrentAcknowledgement, TorrentDispatch, TorrentMode};
use serde::{Deserialize, Serialize};

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
