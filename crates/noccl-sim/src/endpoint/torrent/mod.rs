// SPDX-License-Identifier: Apache-2.0
//! Torrent endpoints (S3): chains of stores and forwards without anything in the network.
//!
//! From the bottom: [`pattern`] (addresses and banks), [`cfg`] (configurations as bits), [`narrow`] and [`lane`] (the
//! two ports), [`endpoint`] with [`head`] and [`follower`] (the state machines), [`port`] (what joins them to the NIs),
//! [`direct`] (endpoints without a network).
//! Why mode `safe` is free of deadlock: `docs/design/0005-torrent.md`.

mod bench;
mod blame;
mod cfg;
mod direct;
mod endpoint;
mod follower;
mod head;
mod lane;
mod lean;
mod memory;
mod narrow;
mod pattern;
mod port;
mod response;
mod task;
#[cfg(test)]
mod tests;
mod unit;

pub use bench::{PortChain, PortPattern, PortScenario, record_ports};
pub(crate) use blame::{Cause, Hindrance};
pub use direct::DirectChain;
pub(crate) use port::{Place, Torrents, Window};

use endpoint::Settings;
use lane::Lane;
use noccl_spec::TorrentMode;

/// May a beat of a task enter the lane now? Opens its burst if it is the first of one.
fn admit(
    lane: &mut Lane,
    now: u64,
    settings: &Settings,
    to: u32,
    (beat, beats): (u64, u64),
    initiator: u32,
) -> bool {
    let latency_cycles = settings.lane_cycles();
    if !lane.has_room(latency_cycles) {
        return false;
    }
    if settings.mode == TorrentMode::Safe && settings.begins_burst(beat) {
        if lane.outstanding(to) >= settings.buffer_bursts {
            return false;
        }
        let burst = settings.burst_of(beat, beats);
        lane.open(now, latency_cycles, to, burst, initiator);
    }
    true
}

/// Mode `published`: the grant opens all bursts, before there is data. A burst of one beat never leaves, as there.
fn open_all(lane: &mut Lane, now: u64, settings: &Settings, to: u32, beats: u64, initiator: u32) {
    let mut beat = 0;
    while beats > 1 && beat < beats {
        let burst = settings.burst_of(beat, beats);
        lane.open(now, settings.lane_cycles(), to, burst, initiator);
        beat += u64::from(burst);
    }
}
