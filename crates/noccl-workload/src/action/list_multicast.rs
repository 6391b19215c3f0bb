// SPDX-License-Identifier: Apache-2.0
//! A multicast by a list of destinations in the header (ESP): one packet to any set of clusters.
//!
//! Unlike a multicast to a multi-address it takes any set, up to what a header can hold; unlike any write, the
//! destinations take part: each asks for the data, and the source waits until all have asked.

use super::class::{Agent, Completion, Effect, Kind, Lines, Need, Targets, Waits};
use crate::check::At;
use crate::{CheckError, Place};
use noccl_net::deadlock::Work;
use noccl_net::{Network, TileId, TileRef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Consumers ask a producer, which sends one packet to all of them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListMulticast {
    /// Cluster whose memory is read.
    pub source: TileRef,
    /// First byte that is read.
    pub source_offset: u64,
    /// Clusters in the order in which they are started, each once. The source among them keeps a copy.
    pub destinations: Vec<TileRef>,
    /// First byte that is written, in every destination.
    pub offset: u64,
    /// Bytes; zero is a no-op.
    pub bytes: u64,
}

impl ListMulticast {
    /// The destinations that the network has to reach.
    pub fn consumers(&self) -> impl Iterator<Item = TileRef> + '_ {
        self.destinations
            .iter()
            .copied()
            .filter(|tile| *tile != self.source)
    }
}

impl<'a> Kind<'a> for &'a ListMulticast {
    fn name(&self) -> &'static str {
        "list_multicast"
    }

    fn words(&self) -> &'static str {
        "list multicast"
    }

    fn participants(&self, network: &Network) -> Vec<TileId> {
        let tiles = self.consumers().chain([self.source]);
        tiles.filter_map(|tile| network.find(tile)).collect()
    }

    fn agent(&self) -> Agent {
        Agent::Control
    }

    fn completion(&self) -> Completion {
        Completion::AtOnce
    }

    /// The source waits for every request, a destination then for its copy.
    fn waits(&self) -> Waits {
        match self.bytes {
            0 => Waits::Nobody,
            _ => Waits::AllThenOwn,
        }
    }

    fn needs(&self) -> Need {
        Need::ListMulticast
    }

    fn effect(&self) -> Effect<'a> {
        Effect::Lines(Lines {
            reader: self.source,
            source: Place {
                tile: self.source,
                offset: self.source_offset,
            },
            targets: Targets::List(&self.destinations),
            offset: self.offset,
            bytes: self.bytes,
            rows: 1,
            source_stride: 0,
            destination_stride: 0,
            is_asked_for: true,
        })
    }

    fn sent_bytes(&self, network: &Network) -> u64 {
        self.bytes * self.consumers().filter_map(|t| network.find(t)).count() as u64
    }

    fn work(&self, network: &Network) -> Option<Work> {
        if self.bytes == 0 {
            return None;
        }
        Some(Work::ListMulticast {
            source: network.find(self.source)?,
            destinations: self.consumers().filter_map(|t| network.find(t)).collect(),
        })
    }

    fn check(&self, at: &At<'_>) -> Result<(), CheckError> {
        let Some(most) = at.network.max_listed() else {
            return at.fail(
                "destinations",
                format!("{} clusters", self.destinations.len()),
                "routers that multicast by a self: router.flow = \"esp\", as in the preset esp_4x5; elsewhere a \
                 transfer to a multi-address",
            );
        };
        let source = at.cluster("source", self.source)?;
        let end = |offset: u64| u128::from(offset) + u128::from(self.bytes);
        at.fits("source_offset", source, end(self.source_offset))?;
        let consumers = self.consumers().count();
        if self.destinations.is_empty() || consumers > most as usize {
            let accepted = format!(
                "1 to {most} beside the source: so many places fit into router.esp.header_bits"
            );
            return at.fail("destinations", format!("{consumers} clusters"), &accepted);
        }
        for (i, tile) in self.destinations.iter().enumerate() {
            let name = format!("destinations[{i}]");
            let cluster = at.cluster(&name, *tile)?;
            if self.destinations[..i].contains(tile) {
                return at.fail(&name, tile, "each cluster once");
            }
            at.fits("offset", cluster, end(self.offset))?;
            let distance = self.offset.abs_diff(self.source_offset);
            if cluster == source && distance != 0 && distance < self.bytes {
                let accepted = "a range that does not overlap the source, or the source itself";
                return at.fail("offset", self.offset, accepted);
            }
        }
        Ok(())
    }

    fn list_multicast(&self) -> Option<&'a ListMulticast> {
        Some(self)
    }
}
