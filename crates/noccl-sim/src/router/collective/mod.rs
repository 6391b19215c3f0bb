// SPDX-License-Identifier: Apache-2.0
//! The collective router: FIFOs at inputs and outputs, forks of multicasts, merge points and wide reductions.
//!
//! A [`plane::PlaneState`] holds the routers of one plane. Control is kept in [`control_block`]s of 64 routers, which
//! [`cycle_phases`] moves through a cycle in [`partition`]s that threads share; [`fork`] routes, [`contributions`] brings heads to
//! their [`merge_point`].

pub(crate) mod context;
pub(crate) mod contributions;
pub(crate) mod control_block;
pub(crate) mod cycle_phases;
pub(crate) mod depths;
pub(crate) mod fifo_tails;
pub(crate) mod fork;
pub(crate) mod head_age;
pub(crate) mod link_stages;
pub(crate) mod merge_point;
pub(crate) mod merge_table;
pub(crate) mod merge_types;
pub(crate) mod partition;
pub(crate) mod plane;
pub(crate) mod reduction;
pub(crate) mod route;
pub(crate) mod sizes;
pub(crate) mod switch;
#[cfg(test)]
mod tests;

use crate::router::behaviour::Behaviour;
use noccl_net::capabilities::RouterCapabilities;

/// The default flow: nothing blocks, nothing needs worms.
pub(crate) const fn behaviour(can: &RouterCapabilities) -> Behaviour {
    Behaviour {
        has_worms: can.address_flits > 0,
        has_own_copies: !can.returns_own_copy,
        has_write_channels: true,
        has_source_queues: true,
        limits_wide_reads: true,
        has_registered_limits: true,
        orders_narrow_data: true,
        has_credits: true,
        names_barriers: true,
        compares_contributions: true,
    }
}
