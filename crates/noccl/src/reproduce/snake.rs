// SPDX-License-Identifier: Apache-2.0
//! Schedules from the corner of a Torrent mesh to destinations that are neighbour after neighbour, as S3 has them.

use super::runner::network;
use crate::Error;
use noccl_coll::stops::{StopOrder, stop_order};
use noccl_net::{Coord, Network, TileId};
use noccl_workload::{AccessPattern, Action, ActionKind, Chain, SCHEDULE_FORMAT, Schedule, Stop};
use std::collections::BTreeMap;

/// A mesh, its corner and the way through all other clusters.
pub(super) struct Snake {
    pub(super) network: Network,
    pub(super) source: TileId,
    stops: Vec<TileId>,
}

impl Snake {
    pub(super) fn new(preset: &str, overrides: &[(&str, &str)]) -> Result<Self, Error> {
        let network = network(preset, overrides)?;
        let source = network.tile_at(Coord::new(0, 0));
        let others: Vec<TileId> = network.clusters().filter(|t| *t != source).collect();
        let stops = stop_order(&network, source, &others, StopOrder::Nearest)?;
        Ok(Self {
            network,
            source,
            stops,
        })
    }

    /// The first destinations, all if there are fewer.
    pub(super) fn stops(&self, num: u32) -> &[TileId] {
        &self.stops[..self.stops.len().min(num as usize)]
    }

    /// One chain of consecutive bytes.
    pub(super) fn chain(&self, num: u32, bytes: u64) -> Schedule {
        let pattern = AccessPattern::linear(0, bytes);
        let stop = |tile: &TileId| Stop {
            tile: self.network.tile_ref(*tile),
            pattern: pattern.clone(),
        };
        at_once(vec![ActionKind::Chain(Chain {
            initiator: self.network.tile_ref(self.source),
            source: pattern.clone(),
            stops: self.stops(num).iter().map(stop).collect(),
            bytes,
        })])
    }
}

/// A schedule of actions none of which waits for another.
pub(super) fn at_once(kinds: Vec<ActionKind>) -> Schedule {
    let action = |kind| Action {
        kind,
        after: Vec::new(),
    };
    Schedule {
        format: SCHEDULE_FORMAT,
        algorithm: "at_once".to_owned(),
        parameters: BTreeMap::new(),
        collective: None,
        actions: kinds.into_iter().map(action).collect(),
    }
}
