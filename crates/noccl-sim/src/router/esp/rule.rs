// SPDX-License-Identifier: Apache-2.0
//! Trees, reserved whole (ESP's `lookahead_router_multicast`).
//!
//! A head reserves all its outputs in one cycle, or none. Those that want one output go first, by a matrix arbiter per
//! output; those that want several go through one per router.

use super::arbiter::{Matrix, PORTS};
use crate::router::wormhole::Rule;
use std::sync::Arc;

/// The rule of ESP's routers.
#[derive(Debug)]
pub(super) struct EspTrees {
    routers: Vec<Arbiters>,
}

#[derive(Debug, Default, Clone)]
struct Arbiters {
    single: [Matrix; PORTS],
    several: Matrix,
}

impl EspTrees {
    pub(super) fn new(num_tiles: usize) -> Self {
        Self {
            routers: vec![Arbiters::default(); num_tiles],
        }
    }
}

impl Rule for EspTrees {
    /// Output ports per tile, as a mask; worms of one transfer share them.
    type Route = Arc<[u8]>;

    #[inline]
    fn outputs(&self, route: &Self::Route, tile: usize) -> u8 {
        route[tile]
    }

    fn grant(&mut self, tile: usize, heads: u8, wanted: &[u8; PORTS], mut free: u8) -> u8 {
        let router = &mut self.routers[tile];
        let (mut granted, mut several) = (0, heads);
        for (out, arbiter) in router.single.iter_mut().enumerate() {
            let requests = heads & ports_where(|input| wanted[input] == 1 << out);
            several &= !requests;
            if free >> out & 1 != 0
                && let Some(input) = arbiter.first(requests)
            {
                free &= !(1 << out);
                granted |= 1 << input;
                arbiter.served(input);
            }
        }
        loop {
            let able = several & ports_where(|input| wanted[input] & !free == 0);
            let Some(input) = router.several.first(able) else {
                break;
            };
            several &= !(1 << input);
            free &= !wanted[input];
            granted |= 1 << input;
            router.several.served(input);
        }
        granted
    }
}

fn ports_where(is_member: impl Fn(usize) -> bool) -> u8 {
    (0..PORTS).fold(0, |mask, port| mask | u8::from(is_member(port)) << port)
}
