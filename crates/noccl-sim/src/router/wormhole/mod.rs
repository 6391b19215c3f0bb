// SPDX-License-Identifier: Apache-2.0
//! One engine of input-queued wormhole routers (`docs/design/0013-core-tiles.md`).
//!
//! Routers of this kind have a FIFO per input and no virtual channels; a worm holds the outputs that it was granted from
//! its head to its tail, and a flit moves when all outputs that it takes can take it. What differs between networks is a
//! [`Rule`]: which outputs a worm wants at a tile, and which of the heads that stand there are granted. [`Xy`] is the
//! dynamic network of cores (S4, section 2: XY, one output, round robin), [`Configured`] the static one (outputs that
//! cores have written beforehand), and `router::esp` has its own of trees.
//!
//! Without one engine each network would count its cycles in its own words, and their comparison would measure the
//! difference of simulators. Invariants: an output has one holder at most; flits of a worm follow each other in order; a
//! flit is in one FIFO per branch. A cycle looks at the registers as they were at its beginning, and allocates nothing.

mod configured;
mod cycle;
mod fifos;
mod flit;
mod observe;
mod plane;
mod rule;
mod saved;
#[cfg(test)]
mod tests;
mod worms;
mod xy;

pub(crate) use configured::Configured;
pub(crate) use flit::{WormId, WormholeFlit};
pub(crate) use observe::Awaited;
#[cfg(test)]
use observe::Blocked;
pub(crate) use plane::Plane;
pub(crate) use rule::Rule;
pub(crate) use xy::Xy;

/// Ports of a router, in the order of [`noccl_net::Port`]: Local is the last.
pub(crate) const PORTS: usize = 5;

/// The port between router and endpoint.
pub(crate) const LOCAL: usize = 4;

/// Mask of the ports to other routers.
const LINKS: u8 = (1 << LOCAL) - 1;

/// Sizes and cycles of all routers of a plane.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Params {
    /// Flits that the FIFO of a link holds. A slot is in use from the cycle behind that in which its flit leaves the FIFO
    /// before to that in which it leaves this one, so flits follow one per cycle only if it is at least `hop_cycles + turn_cycles + 1`.
    pub input_fifo_flits: u32,
    /// Flits that the FIFO between endpoint and router holds.
    pub local_fifo_flits: u32,
    /// Cycles from the cycle in which a flit leaves a FIFO to that in which it may leave the next one; at least 1.
    pub hop_cycles: u32,
    /// Further cycles that a head stands in the FIFO from which it changes dimension.
    pub turn_cycles: u32,
    /// Cycles that a head needs for its grant: 0 moves it in the cycle in which it is granted, 1 in the next.
    pub reserve_cycles: u32,
}

impl Params {
    /// Slots of a FIFO that let flits follow one per cycle, behind a head that changes dimension too.
    #[cfg(test)]
    pub(crate) const fn full_rate_flits(&self) -> u32 {
        self.hop_cycles + self.turn_cycles + 1
    }
}

/// Members of a mask of ports, ascending.
#[inline]
fn ports(mut mask: u8) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let port = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (port < 8).then_some(port)
    })
}
