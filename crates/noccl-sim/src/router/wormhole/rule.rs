// SPDX-License-Identifier: Apache-2.0
//! What differs between networks of wormhole routers.

use super::PORTS;

/// Which outputs a packet wants, and who is granted. A type per network: the loop over routers is compiled for each.
pub(crate) trait Rule {
    /// Where a packet goes.
    type Route;

    /// Outputs that stay with an input until they are configured anew, whatever packet passes.
    const IS_CONFIGURED: bool = false;

    /// Outputs that a packet wants at a tile, as a mask of ports.
    fn outputs(&self, route: &Self::Route, tile: usize) -> u8;

    /// Which of `heads` (a mask of inputs) get all outputs that they want, of those that are `free`; no output twice.
    /// `wanted` has the outputs of heads by input.
    fn grant(&mut self, tile: usize, heads: u8, wanted: &[u8; PORTS], free: u8) -> u8;
}
