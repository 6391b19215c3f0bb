// SPDX-License-Identifier: Apache-2.0
//! Multicasts from the corner of a Torrent mesh to destinations that are neighbour after neighbour, as S3 has them.

use noccl_coll::Choice;
use noccl_coll::chain::order::{ChainOrder, chain_order};
use noccl_net::{Coord, Network, TileId, TileSet};
use noccl_studies::Error;
use noccl_studies::parts::network;
use noccl_workload::{Collective, CollectiveKind, ElementType, Operator, Schedule};

/// A mesh, its corner and the path through all other clusters.
pub(super) struct Snake {
    pub(super) network: Network,
    pub(super) source: TileId,
    destinations: Vec<TileId>,
}

impl Snake {
    /// A chain along the snake.
    pub(super) const CHAIN: Choice = Choice::chainwrite(ChainOrder::Nearest);

    pub(super) fn new(preset: &str, overrides: &[(&str, &str)]) -> Result<Self, Error> {
        let network = network(preset, overrides)?;
        let source = network.tile_at(Coord::new(0, 0));
        let others: Vec<TileId> = network.clusters().filter(|t| *t != source).collect();
        let destinations = chain_order(&network, source, &others, ChainOrder::Nearest)?;
        Ok(Self {
            network,
            source,
            destinations,
        })
    }

    /// The first destinations, all if there are fewer.
    pub(super) fn destinations(&self, num: u32) -> &[TileId] {
        &self.destinations[..self.destinations.len().min(num as usize)]
    }

    /// A multicast from the corner to the first destinations.
    pub(super) fn multicast(
        &self,
        num: u32,
        bytes: u64,
        choice: Choice,
    ) -> Result<Schedule, Error> {
        self.multicast_to(self.destinations(num), bytes, choice)
    }

    /// A multicast from the corner to these.
    pub(super) fn multicast_to(
        &self,
        destinations: &[TileId],
        bytes: u64,
        choice: Choice,
    ) -> Result<Schedule, Error> {
        let tiles = destinations.iter().chain([&self.source]);
        let at = |tile: &TileId| self.network.cluster_coord(self.network.coord(*tile));
        let collective = Collective {
            kind: CollectiveKind::Multicast,
            group: TileSet::Arbitrary(tiles.filter_map(at).collect()),
            root: self.network.tile_ref(self.source),
            bytes,
            input_offset: 0,
            output_offset: 0,
            operator: Operator::Sum,
            element: ElementType::Int8,
            lengths: None,
            definition: None,
        };
        Ok(noccl_coll::schedule(&self.network, &collective, choice)?)
    }
}
