// SPDX-License-Identifier: Apache-2.0
//! The endpoint's narrow port: configurations, grants and finishes leave one at a time.
//!
//! Arbitration, descriptor, AW FIFO and start of the data path take four cycles less the first beat; a message
//! holds the port until its last beat has gone. Configurations go before grants, grants before finishes.

use crate::endpoint::torrent::cfg::{Cfg, FRAME_BEATS, Key};
use serde::{Deserialize, Serialize};

/// Cycles from the start of a message at the port to its first beat.
const PORT_CYCLES: u64 = 3;

/// What endpoints tell each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NarrowMessage {
    Cfg(Cfg),
    Grant(Key),
    Finish(Key),
    /// A destination's own response to its configuration: it serves the task now, or is busy.
    Response(Response),
    /// Let go of the task until its grant comes.
    Release(Key),
}

/// What a destination says to the initiator when it has its configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Response {
    pub key: Key,
    /// Its place in the chain.
    pub destination: u16,
    pub is_free: bool,
}

impl NarrowMessage {
    pub(crate) const fn beats(&self) -> u64 {
        match self {
            NarrowMessage::Cfg(_) => FRAME_BEATS,
            NarrowMessage::Grant(_)
            | NarrowMessage::Finish(_)
            | NarrowMessage::Response(_)
            | NarrowMessage::Release(_) => 1,
        }
    }

    /// Smaller goes first.
    const fn rank(&self) -> u8 {
        match self {
            NarrowMessage::Cfg(_) => 0,
            NarrowMessage::Grant(_) | NarrowMessage::Response(_) | NarrowMessage::Release(_) => 1,
            NarrowMessage::Finish(_) => 2,
        }
    }
}

/// A message that leaves the endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leaving {
    /// Cycle in which its last beat leaves the endpoint.
    pub cycle: u64,
    pub to: u32,
    pub message: NarrowMessage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct WaitingResponse {
    ready_cycle: u64,
    to: u32,
    message: NarrowMessage,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NarrowPort {
    free_cycle: u64,
    waiting: Vec<WaitingResponse>,
}

impl NarrowPort {
    /// The message asks for the port from that cycle on.
    pub(crate) fn ask(&mut self, ready_cycle: u64, to: u32, message: NarrowMessage) {
        self.waiting.push(WaitingResponse {
            ready_cycle,
            to,
            message,
        });
    }

    /// Starts the message that goes first in this cycle, if there is one.
    pub(crate) fn start(&mut self, now: u64) -> Option<Leaving> {
        if now < self.free_cycle {
            return None;
        }
        let ready = self.waiting.iter().enumerate();
        let ready = ready.filter(|(_, w)| w.ready_cycle <= now);
        let (at, _) = ready.min_by_key(|(at, w)| (w.message.rank(), *at))?;
        let WaitingResponse { to, message, .. } = self.waiting.remove(at);
        let cycle = now + PORT_CYCLES + message.beats();
        self.free_cycle = cycle;
        Some(Leaving { cycle, to, message })
    }

    /// Next cycle in which a message can start.
    pub(crate) fn next_cycle(&self) -> Option<u64> {
        let first = self.waiting.iter().map(|w| w.ready_cycle).min()?;
        Some(first.max(self.free_cycle))
    }

    #[cfg(test)]
    pub(crate) fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }
}
