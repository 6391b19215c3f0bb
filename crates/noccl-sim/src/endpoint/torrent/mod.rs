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

pub use direct::DirectChain;
pub(crate) use port::{TorrentOutput, TorrentSlot, Torrents};
pub(crate) use wait_cause::{Cause, Hindrance};
pub(crate) use window::Window;
