// SPDX-License-Identifier: Apache-2.0
//! Links and tiles that do not work, and which transfers they rule out.
//!
//! Requests and data go along X first, then along Y, responses from the other end by the same rule: on two different paths. A transfer
//! is possible where neither path meets a fault.

use crate::SynthError;
use noccl_net::{Coord, Network, TileId, TileRef};
use noccl_workload::{ActionKind, Destination, Schedule};
use std::collections::BTreeSet;

/// What does not work, in coordinates of the mesh.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Faults {
    /// Both directions of each link.
    links: BTreeSet<(Coord, Coord)>,
    /// Tiles whose router is lost too.
    tiles: BTreeSet<Coord>,
}

impl Faults {
    /// Faulty links between neighbours, and faulty tiles.
    ///
    /// # Errors
    /// [`SynthError::Field`] for a tile that there is not, or a link between tiles that are no neighbours.
    pub fn new(
        network: &Network,
        links: &[(TileRef, TileRef)],
        tiles: &[TileRef],
    ) -> Result<Self, SynthError> {
        let mut faults = Self::default();
        for tile in tiles {
            faults.tiles.insert(find(network, "faulty tile", *tile)?);
        }
        for (a, b) in links {
            let ends = (
                find(network, "faulty link", *a)?,
                find(network, "faulty link", *b)?,
            );
            if ends.0.hops_to(ends.1) != 1 {
                return Err(SynthError::field(
                    "faulty link",
                    format!("{a} to {b}, {} hops apart", ends.0.hops_to(ends.1)),
                    "a link between two neighbours, e.g. 1,1-2,1 or mem:0-0,0",
                ));
            }
            faults.links.insert(ends);
            faults.links.insert((ends.1, ends.0));
        }
        Ok(faults)
    }

    /// Does everything work?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.links.is_empty() && self.tiles.is_empty()
    }

    /// Is this tile lost?
    #[must_use]
    pub fn has_tile(&self, network: &Network, tile: TileId) -> bool {
        self.tiles.contains(&network.coord(tile))
    }

    /// Does this direction of a link work?
    #[must_use]
    pub fn has_link(&self, from: Coord, to: Coord) -> bool {
        self.links.contains(&(from, to))
    }

    /// Can two tiles exchange requests and responses?
    #[must_use]
    pub fn allows(&self, network: &Network, a: TileId, b: TileId) -> bool {
        let (a, b) = (network.coord(a), network.coord(b));
        self.is_empty() || (self.allows_path(network, a, b) && self.allows_path(network, b, a))
    }

    fn allows_path(&self, network: &Network, from: Coord, to: Coord) -> bool {
        let mut before = None;
        network.path(from, to).all(|(here, _)| {
            let is_lost = before.is_some_and(|b| self.links.contains(&(b, here)));
            before = Some(here);
            !is_lost && !self.tiles.contains(&here)
        })
    }

    /// The first action that meets a fault, or of which nobody can say along which paths it goes.
    #[must_use]
    pub fn met_by(&self, network: &Network, schedule: &Schedule) -> Option<usize> {
        if self.is_empty() {
            return None;
        }
        let find = |tile: TileRef| network.find(tile);
        let is_possible = |a: TileRef, b: TileRef| match (find(a), find(b)) {
            (Some(a), Some(b)) => self.allows(network, a, b),
            (_, _) => false,
        };
        schedule.actions.iter().position(|action| {
            if let Some(transfer) = action.kind.transfer() {
                let Destination::One(to) = transfer.destination else {
                    return true;
                };
                return !is_possible(transfer.initiator, transfer.source.tile)
                    || !is_possible(transfer.initiator, to.tile);
            }
            !matches!(
                action.kind,
                ActionKind::LocalReduce(_) | ActionKind::Compute(_)
            )
        })
    }
}

fn find(network: &Network, field: &str, tile: TileRef) -> Result<Coord, SynthError> {
    let found = network.find(tile).ok_or_else(|| {
        let accepted = format!(
            "one of {}x{} clusters, X,Y from the south-west one, or of {} memory tiles, mem:N",
            network.cluster_width(),
            network.cluster_height(),
            network.memories().count()
        );
        SynthError::field(field, tile, accepted)
    })?;
    Ok(network.coord(found))
}
