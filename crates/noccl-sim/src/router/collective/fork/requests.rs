// SPDX-License-Identifier: Apache-2.0
//! What a flit that enters an input asks for: one output, those of its fork, or the other contributions.

use crate::router::collective::control::block::{JOIN, LANES, PORTS, Wants};
use crate::router::collective::fifo::store::{FlitEntry, RoutedBy};
use crate::router::collective::fork::route::xy_port;
use crate::transport::flit::unpack;
use crate::transport::transaction::Trees;
use noccl_net::Port;
use noccl_net::tree::fork_set;

/// Outputs that multicasts ask for, one byte per lane.
pub(crate) struct Forks {
    sets: [u8; LANES],
    pub any: bool,
}

impl Forks {
    pub(crate) const NONE: Self = Self {
        sets: [0; LANES],
        any: false,
    };

    /// Adds the sets to `wants`: eight lanes at a time, as a multiplication gathers one bit of each byte.
    pub(crate) fn add_to(&self, wants: &mut Wants) {
        const BIT_OF_EACH: u64 = 0x0101_0101_0101_0101;
        const GATHER: u64 = 0x0102_0408_1020_4080;
        for (i, eight) in self.sets.as_chunks::<8>().0.iter().enumerate() {
            let sets = u64::from_le_bytes(*eight);
            if sets != 0 {
                for (out, want) in wants[..PORTS].iter_mut().enumerate() {
                    let bits = (sets >> out & BIT_OF_EACH).wrapping_mul(GATHER) >> 56;
                    *want |= bits << (8 * i);
                }
            }
        }
    }
}

/// A flit that enters an input asks for its output, for those of its fork, or for the other contributions.
#[inline]
pub(crate) fn route(
    wants: &mut Wants,
    forks: &mut Forks,
    lane: usize,
    port: usize,
    here: u32,
    flit: FlitEntry,
    trees: &Trees,
) {
    match flit.routed_by() {
        RoutedBy::Destination => wants[xy_port(here, flit.destination())] |= 1 << lane,
        RoutedBy::Set => {
            forks.any = true;
            forks.sets[lane] = fork_ports(port, here, flit.txn(), trees);
        }
        RoutedBy::Contributions => wants[JOIN] |= 1 << lane,
    }
}

/// Outputs that a multicast asks for at a router.
#[inline]
pub(crate) fn fork_ports(port: usize, here: u32, txn: u32, trees: &Trees) -> u8 {
    fork_set(unpack(here), Port::ALL[port], trees.set(txn))
}

/// What one flit asks for.
pub(crate) fn route_one(
    lane: usize,
    port: usize,
    here: u32,
    flit: FlitEntry,
    trees: &Trees,
) -> Wants {
    let set = match flit.routed_by() {
        RoutedBy::Destination => 1 << xy_port(here, flit.destination()),
        RoutedBy::Set => fork_ports(port, here, flit.txn(), trees),
        RoutedBy::Contributions => 1 << JOIN,
    };
    std::array::from_fn(|i| u64::from(set >> i & 1) << lane)
}
