// SPDX-License-Identifier: Apache-2.0
//! Torrent endpoints (S3): chains of stores and forwards without anything in the network.
//!
//! From the bottom: [`pattern`] (addresses and banks), [`cfg`] (configurations as bits), [`narrow`] and [`lane`] (the
//! two ports), [`published`] and [`lean`] (the endpoint in either timing, over one [`contract`]), [`port`] (what joins them to the NIs),
//! [`direct`] (endpoints without a network).
//! Why mode `safe` is free of deadlock: `docs/design/0005-torrent.md`.

pub(crate) mod cfg;
pub(crate) mod contract;
pub(crate) mod diagnosis;
pub(crate) mod direct;
pub(crate) mod lane;
pub(crate) mod lean;
pub(crate) mod memory;
pub(crate) mod narrow;
pub(crate) mod pattern;
pub(crate) mod port;
pub(crate) mod published;
pub(crate) mod task;
#[cfg(test)]
mod tests;
pub(crate) mod unit;
pub(crate) mod wait_cause;
pub(crate) mod window;

/// The endpoint with the cycles of our hardware, and what its ports carry: the tests of `noccl-cosim` join endpoints by a crossbar and compare
/// them with the hardware.
pub mod lean_endpoint {
    pub use super::cfg::{Cfg, FRAME_BYTES, Key, Pointers};
    pub use super::contract::{Arrived, Bytes, Effects, Settings};
    pub use super::lean::{BeatOffer, Lean, LeanOutcome, Taken, WordOffer};
    pub use super::narrow::{Leaving, NarrowMessage, Response};
    pub use super::pattern::{Addresses, Banks, CHANNELS};
    pub use super::published::head::ChainTask;
    pub use super::window::beat_of;
}

pub use direct::DirectChain;
pub(crate) use port::{TorrentOutput, TorrentSlot, Torrents};
pub(crate) use wait_cause::{Cause, Hindrance};
pub(crate) use window::Window;
