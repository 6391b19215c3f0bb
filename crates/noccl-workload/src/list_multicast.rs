// SPDX-License-Identifier: Apache-2.0
//! A multicast by a list of destinations in the header (ESP): one worm to any set of clusters.
//!
//! Unlike a multicast to a multi-address it takes any set, up to what a header can hold; unlike any write, the
//! destinations take part: each asks for the data, and the source waits until all have asked.

use noccl_net::TileRef;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Consumers ask a producer, which sends one worm to all of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
