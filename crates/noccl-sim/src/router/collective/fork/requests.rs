// SPDX-License-Identifier: Apache-2.0
//! What a flit that enters an input asks for: one output, those of its fork, or the other contributions.

use crate::router::collective::control::block::{JOIN, LANES, LOCAL, PORTS, Wants};
use crate::router::collective::fork::route::xy_port;
use crate::transport::flit::{Flit, OWN_COPY, Packed, unpack};
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
    flit: Packed,
    trees: &Trees,
) {
    if Flit::is_plain(flit) {
        wants[xy_port(here, flit[0] as u32)] |= 1 << lane;
    } else if Flit::forks(flit) {
        forks.any = true;
        forks.sets[lane] = fork_ports(port, here, Flit::from_packed(flit), trees);
    } else {
        wants[JOIN] |= 1 << lane;
    }
}

/// Outputs that a multicast asks for at a router.
#[inline]
pub(crate) fn fork_ports(port: usize, here: u32, flit: Flit, trees: &Trees) -> u8 {
    let set = fork_set(unpack(here), Port::ALL[port], trees.set(flit.txn));
    let is_own = port == LOCAL && flit.flags & OWN_COPY != 0;
    set & !(u8::from(is_own) << LOCAL)
}

/// What one flit asks for.
pub(crate) fn route_one(lane: usize, port: usize, here: u32, flit: Packed, trees: &Trees) -> Wants {
    let set = if Flit::is_plain(flit) {
        1 << xy_port(here, flit[0] as u32)
    } else if Flit::forks(flit) {
        fork_ports(port, here, Flit::from_packed(flit), trees)
    } else {
        1 << JOIN
    };
    std::array::from_fn(|i| u64::from(set >> i & 1) << lane)
}
