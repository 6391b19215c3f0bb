// SPDX-License-Identifier: Apache-2.0
//! Who uses which link of the wide plane until when.

use noccl_net::tree::{Cube, fork_set};
use noccl_net::{LinkId, Network, Port, TileId};
use noccl_spec::Plane;

/// Slots per tile: its router's output ports, and the way from its NI into the router.
const SLOTS: usize = 6;
const FROM_NI: usize = 5;

/// Links that one stream of beats passes, each with the cycles from the transfer's start until its first
/// beat stands there.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Route {
    pub(crate) slots: Vec<(u32, f64)>,
}

/// All links of the wide plane.
#[derive(Debug)]
pub(crate) struct Links {
    free_at: Vec<f64>,
    beats: Vec<u64>,
    /// One hop, one way.
    way_cycles: f64,
}

impl Links {
    pub(crate) fn new(network: &Network, way_cycles: f64) -> Self {
        let len = network.num_tiles() * SLOTS;
        Self {
            free_at: vec![0.0; len],
            beats: vec![0; len],
            way_cycles,
        }
    }

    /// The tree from a tile to all of a set, its first beat leaving the source's NI at `offset`.
    pub(crate) fn route(&self, network: &Network, from: TileId, to: Cube, offset: f64) -> Route {
        let mut slots = vec![(slot(from, FROM_NI), offset)];
        let mut open = vec![(network.coord(from), Port::Local, offset)];
        while let Some((here, entered, at)) = open.pop() {
            let ports = fork_set(here, entered, to);
            for port in Port::ALL.into_iter().filter(|p| ports & p.bit() != 0) {
                slots.push((slot(network.tile_at(here), port as usize), at));
                if let Some(next) = network.neighbour(here, port) {
                    open.push((next, port.opposite(), at + self.way_cycles));
                }
            }
        }
        Route { slots }
    }

    /// Takes all links of the routes for `serial` cycles each from the earliest time at which none is in
    /// use; returns the cycles that this is later than `start`.
    pub(crate) fn take(&mut self, routes: &[Route], start: f64, serial: f64, beats: u64) -> f64 {
        let slots = || routes.iter().flat_map(|r| &r.slots);
        let late = slots().map(|(slot, at)| self.free_at[*slot as usize] - start - at);
        let delay = late.fold(0.0, f64::max);
        for (slot, at) in slots() {
            self.free_at[*slot as usize] = start + delay + at + serial;
            self.beats[*slot as usize] += beats;
        }
        delay
    }

    /// Beats over router-to-router links.
    pub(crate) fn flit_hops(&self) -> u64 {
        self.between_routers().map(|(_, _, beats)| beats).sum()
    }

    /// Router-to-router links with their beats, ascending by tile and port.
    pub(crate) fn loads(&self, network: &Network) -> Vec<(LinkId, u64)> {
        let used = self.between_routers().filter(|(_, _, beats)| *beats > 0);
        used.filter(|(tile, port, _)| network.neighbour(network.coord(*tile), *port).is_some())
            .map(|(tile, port, beats)| {
                let link = LinkId {
                    plane: Plane::Wide,
                    tile,
                    port,
                };
                (link, beats)
            })
            .collect()
    }

    fn between_routers(&self) -> impl Iterator<Item = (TileId, Port, u64)> {
        self.beats
            .chunks(SLOTS)
            .enumerate()
            .flat_map(|(tile, ports)| {
                let outputs = Port::ALL.into_iter().filter(|p| *p != Port::Local);
                outputs.map(move |port| (TileId(tile as u32), port, ports[port as usize]))
            })
    }
}

/// Index of an output port or of the NI's way in.
pub(crate) const fn slot(tile: TileId, port: usize) -> u32 {
    tile.0 * SLOTS as u32 + port as u32
}

/// Index of the way from a tile's NI into its router.
pub(crate) const fn from_ni(tile: TileId) -> u32 {
    slot(tile, FROM_NI)
}
