// SPDX-License-Identifier: Apache-2.0
//! How the network interfaces beside routers of a kind behave.
//!
//! What routers of a kind can do at all is stated by `noccl_net::capabilities`; this is what follows from it in the
//! simulator, and what interfaces do beside it. Each kind states its [`Behaviour`] once, in its own folder; everything
//! outside asks a question of it and never which kind it is. What only the routers themselves do differently is a state of
//! their planes instead (`PlaneState::published`).

use super::Direct;
use noccl_net::Network;

/// What is asked about one kind.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Behaviour {
    /// A write or contribution is a packet: an AW flit goes ahead of its W flits and opens it, and a target takes the W
    /// flits that follow for that AW's.
    pub is_wormhole: bool,
    /// A NI hands the initiator's own copy of a multicast, and its own response, over without the router.
    pub has_own_copies: bool,
    /// Every transfer is a write channel of its own at its NI; otherwise one queue keeps all bursts in order.
    pub has_write_channels: bool,
    /// A NI's requests, and its responses, are queues by source that are served round robin; otherwise one queue each.
    pub has_source_queues: bool,
    /// A NI limits its open wide reads as it does its wide writes.
    pub limits_wide_reads: bool,
    /// The NI's limits are counted in registers: what becomes free at a limit is free from the next cycle on.
    pub has_registered_limits: bool,
    /// Narrow data leave a memory in the order of their requests.
    pub orders_narrow_data: bool,
    /// Contributions need credits of the next merge point.
    pub has_credits: bool,
    /// Barriers are told apart by a name.
    pub names_barriers: bool,
    /// Merge points compare length, operator and element type of contributions, and respond to those that differ with an
    /// error.
    pub compares_contributions: bool,
    /// Makes a plane of a network that has no routers and links.
    pub direct: Option<fn(&Network) -> Direct>,
}
