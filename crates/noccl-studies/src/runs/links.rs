// SPDX-License-Identifier: Apache-2.0
//! Link loads as results carry them.

use crate::root_name;
use noccl_net::Network;
use noccl_run::LinkLoad;
use noccl_spec::PlaneName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Flits over one directed router-to-router link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkFlits {
    /// Plane of the link.
    pub plane: PlaneName,
    /// Mesh coordinate of the router that drives it: x, y.
    pub from: [u16; 2],
    /// Mesh coordinate of the router at its other end: x, y.
    pub to: [u16; 2],
    /// Tile of the router that drives it: `X,Y` of a cluster, or `mem:N`; empty in files of older versions.
    #[serde(default)]
    pub from_tile: String,
    /// Tile of the router at its other end, likewise.
    #[serde(default)]
    pub to_tile: String,
    /// Flits in the whole run.
    pub flits: u64,
}

impl LinkFlits {
    /// As users read it, by tiles as `--root` names them: `wide mem:0->0,0`. A link of an older file, which does not
    /// name its tiles, says that its coordinates are the mesh's.
    #[must_use]
    pub fn name(&self) -> String {
        let plane = self.plane.name();
        let ([x0, y0], [x1, y1]) = (self.from, self.to);
        if self.from_tile.is_empty() || self.to_tile.is_empty() {
            return format!("{plane} mesh ({x0},{y0})->({x1},{y1})");
        }
        format!("{plane} {}->{}", self.from_tile, self.to_tile)
    }
}

/// Loads with coordinates and names of tiles instead of ids, in the order of the run's result.
#[must_use]
pub fn link_flits(network: &Network, loads: &[LinkLoad]) -> Vec<LinkFlits> {
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
#[must_use]
pub fn busiest(network: &Network, loads: &[LinkLoad]) -> Option<LinkFlits> {
    let most = loads.iter().map(|l| l.flits).max()?;
    let link = loads
        .iter()
        .filter(|l| l.flits == most)
        .min_by_key(|l| l.link)?;
    link_flits(network, std::slice::from_ref(link)).pop()
}
