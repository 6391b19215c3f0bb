// SPDX-License-Identifier: Apache-2.0
//! Link loads as results carry them.

use crate::compare::LinkFlits;
use crate::root_name;
use noccl_net::Network;
use noccl_run::LinkLoad;

/// Loads with coordinates and names of tiles instead of ids, in the order of the run's result.
pub(crate) fn link_flits(network: &Network, loads: &[LinkLoad]) -> Vec<LinkFlits> {
    loads
        .iter()
        .filter_map(|load| {
            let from = network.coord(load.link.tile);
            let to = network.neighbour(from, load.link.port)?;
            Some(LinkFlits {
                plane: load.link.plane,
                from: [from.x, from.y],
                to: [to.x, to.y],
                from_tile: root_name(network.tile_ref(load.link.tile)),
                to_tile: root_name(network.tile_ref(network.tile_at(to))),
                flits: load.flits,
            })
        })
        .collect()
}

/// The link with most flits; the first of them in id order if several have as many.
pub(crate) fn busiest(network: &Network, loads: &[LinkLoad]) -> Option<LinkFlits> {
    let most = loads.iter().map(|l| l.flits).max()?;
    let link = loads
        .iter()
        .filter(|l| l.flits == most)
        .min_by_key(|l| l.link)?;
    link_flits(network, std::slice::from_ref(link)).pop()
}
