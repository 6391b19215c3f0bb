// SPDX-License-Identifier: Apache-2.0
//! What sits behind the network interfaces.

pub(crate) mod core;
pub(crate) mod dma;
pub(crate) mod executed_core;
pub(crate) mod memory;
pub(crate) mod message_core;
#[allow(missing_docs)] // public for the tests of noccl-cosim alone, as `torrent::lean_endpoint`
pub(crate) mod torrent;
