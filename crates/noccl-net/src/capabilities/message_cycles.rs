// SPDX-License-Identifier: Apache-2.0
//! What messages between interfaces take when nothing else is in flight.

use super::Bypass;
use crate::{Coord, Network};

/// Cycles of messages that are alone. A flit takes `interface_cycles` into the network and out of it and `path_cycles` for each
/// path, of which each goes along one dimension, and those behind it follow at one per cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageCycles {
    /// Does an interface send and take a flit per cycle at most?
    pub is_serial: bool,
    /// From an interface into its router and out of the last router into the other interface.
    pub interface_cycles: u32,
    /// Of a path of at most `hpc_max` hops.
    pub path_cycles: u32,
    /// The least of a path of a multicast, which may go in cycles that are kept free for it.
    pub multicast_path_cycles: u32,
    /// Hops of a path along one dimension.
    pub hpc_max: u32,
    /// The same of contributions to a reduction bit by bit, which routers may combine as they pass.
    pub bitwise_hpc_max: u32,
    /// The same to one of sums, least or greatest values.
    pub arithmetic_hpc_max: u32,
}

impl MessageCycles {
    /// Paths of at most `hpc_max` hops from tile to tile, one dimension after the other.
    #[must_use]
    pub const fn paths(from: Coord, to: Coord, hpc_max: u32) -> u32 {
        let (x, y) = (from.x.abs_diff(to.x) as u32, from.y.abs_diff(to.y) as u32);
        x.div_ceil(hpc_max) + y.div_ceil(hpc_max)
    }

    /// Over a wire of one cycle between any two interfaces, which send over all at once.
    pub(super) const fn of_wires() -> Self {
        Self {
            is_serial: false,
            interface_cycles: 1,
            path_cycles: 0,
            multicast_path_cycles: 0,
            hpc_max: 1,
            bitwise_hpc_max: 1,
            arithmetic_hpc_max: 1,
        }
    }
}

impl Network {
    /// What messages take, where routers carry these.
    #[must_use]
    pub fn message_cycles(&self) -> Option<MessageCycles> {
        self.bypass().map(Bypass::message_cycles)
    }
}
