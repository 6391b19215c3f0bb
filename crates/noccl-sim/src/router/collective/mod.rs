// SPDX-License-Identifier: Apache-2.0
//! The collective router: FIFOs at inputs and outputs, forks of multicasts, merge points and wide reductions.
//!
//! A [`plane::PlaneState`] holds the routers of one plane. Control is kept in blocks of 64 routers ([`control`]), which
//! [`phases`] move through a cycle in partitions that threads share; [`fifo`] holds what is stored; [`fork`] routes, [`merge`]
//! brings heads together at merge points, [`reduction`] combines their payload. [`bypass`] lets flits pass routers in flight.

pub(crate) mod blocked;
pub(crate) mod bypass;
pub(crate) mod context;
pub(crate) mod control;
pub(crate) mod fifo;
pub(crate) mod fork;
pub(crate) mod merge;
pub(crate) mod phases;
pub(crate) mod plane;
pub(crate) mod reduction;
mod saved;

use crate::router::behaviour::Behaviour;
use noccl_net::capabilities::RouterCapabilities;

/// The default flow: nothing blocks, and no wormhole packets are needed.
pub(crate) const fn behaviour(can: &RouterCapabilities) -> Behaviour {
    Behaviour {
        is_wormhole: can.address_flits > 0,
        has_own_copies: !can.returns_own_copy,
        has_write_channels: true,
        has_source_queues: true,
        limits_wide_reads: true,
        has_registered_limits: true,
        orders_narrow_data: true,
        has_credits: true,
        names_barriers: true,
        compares_contributions: true,
        direct: None,
    }
}
