// SPDX-License-Identifier: Apache-2.0
//! Multicast over a chain of Torrent endpoints (S3 §III-A).
//!
//! One action: the root's endpoint tells every member who its neighbours are, and the payload passes from one to
//! the next while each keeps a copy. The members need be no multi-address, and the routers do nothing for it.

use crate::compose::Task;
use crate::stops::{StopOrder, stop_order};
use crate::{Algorithm, Choice, CollError};
use noccl_net::{Coord, TileId, TileRef};
use noccl_workload::{AccessPattern, Action, ActionKind, CHAIN_BEAT_BYTES, Chain, MAX_FIELD, Stop};

impl Choice {
    /// A multicast over a chain of Torrent endpoints in this order.
    #[must_use]
    pub const fn chainwrite(order: StopOrder) -> Self {
        let mut choice = Self::new(Algorithm::Chainwrite, 1);
        choice.order = order;
        choice
    }
}

impl Task<'_> {
    /// The multicast as one chain.
    pub(crate) fn by_endpoints(&self) -> Result<Vec<Action>, CollError> {
        let collective = self.collective;
        let unsupported = |reason: String| CollError::Unsupported {
            algorithm: self.choice.to_string(),
            collective: collective.kind.to_string(),
            reason,
        };
        let Some(endpoint) = &self.network.spec().cluster.torrent else {
            return Err(unsupported(
                "clusters have no Torrent endpoint; accepted: a spec with [cluster.torrent], as in the preset \
                 torrent_4x5"
                    .to_owned(),
            ));
        };
        let bytes = collective.bytes;
        if !bytes.is_multiple_of(CHAIN_BEAT_BYTES) || bytes / CHAIN_BEAT_BYTES > MAX_FIELD {
            return Err(unsupported(format!(
                "accepted: a multiple of {CHAIN_BEAT_BYTES} bytes, at most {MAX_FIELD} times as much; found {bytes}"
            )));
        }
        let TileRef::Cluster(root) = collective.root else {
            return Err(unsupported(format!(
                "accepted: a cluster as root, memory tiles have no endpoint; found {}",
                collective.root
            )));
        };
        let is_in_place = collective.input_offset == collective.output_offset;
        let members = self.group.members.iter();
        let followers: Vec<Coord> = members.copied().filter(|at| *at != root).collect();
        let keeps_copy = self.group.set.contains(&root) && !is_in_place;
        if followers.len() > endpoint.max_destinations as usize {
            return Err(unsupported(format!(
                "accepted: at most {} destinations, cluster.torrent.max_destinations; found {}",
                endpoint.max_destinations,
                followers.len()
            )));
        }
        let mut stops = self.in_order(root, &followers)?;
        if keeps_copy {
            stops.push(root);
        }
        if stops.is_empty() {
            return Ok(Vec::new());
        }
        let output = AccessPattern::linear(collective.output_offset, bytes);
        let stop = |at: &Coord| Stop {
            tile: TileRef::Cluster(*at),
            pattern: output.clone(),
        };
        let kind = ActionKind::Chain(Chain {
            initiator: collective.root,
            source: AccessPattern::linear(collective.input_offset, bytes),
            stops: stops.iter().map(stop).collect(),
            bytes,
        });
        let after = Vec::new();
        Ok(vec![Action { kind, after }])
    }

    /// The followers in the choice's order.
    fn in_order(&self, root: Coord, followers: &[Coord]) -> Result<Vec<Coord>, CollError> {
        let network = self.network;
        let tile = |at: &Coord| network.tile_at(network.mesh_coord(*at));
        let tiles: Vec<TileId> = followers.iter().map(tile).collect();
        let order = stop_order(network, tile(&root), &tiles, self.choice.order)?;
        let cluster = |tile: TileId| network.cluster_coord(network.coord(tile));
        Ok(order.into_iter().filter_map(cluster).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_of_a_chain_reads_back_from_its_name() {
        for order in StopOrder::ALL {
            let choice = Choice::chainwrite(order);
            assert_eq!(choice.to_string().parse::<Choice>().as_ref(), Ok(&choice));
        }
    }
}
