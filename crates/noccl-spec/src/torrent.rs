// SPDX-License-Identifier: Apache-2.0
//! The Torrent endpoint of a cluster: a DMA engine that forwards what it receives (S3).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A Torrent endpoint, the same in every cluster (S3 §III).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TorrentEndpoint {
    /// What it does where chains meet.
    pub mode: TorrentMode,
    /// Whose stages it has.
    pub endpoint_cycles: EndpointCycles,
    /// In which order an initiator sends the configurations of a chain.
    pub dispatch: TorrentDispatch,
    /// How destinations respond: one after the other, or each straight to the initiator.
    pub acknowledgement: TorrentAcknowledgement,
    /// Chains that an initiator has in flight at once; the others wait in its queue.
    pub open_tasks: u32,
    /// Registers between the endpoint and its NI, in one direction: what a message takes besides routers.
    pub endpoint_path_cycles: u32,
    /// Destinations that one chain can have: the pointer registers of an initiator.
    pub max_destinations: u32,
    /// Banks of the L1, 8 bytes wide; words of one bank are served one per cycle. A power of two.
    pub memory_banks: u32,
    /// Words that each of the eight channels of a reader or writer can hold.
    pub channel_fifo_words: u32,
    /// Whole bursts that the receiving side can hold (mode `safe`).
    pub buffer_bursts: u32,
}

/// What an endpoint does where chains meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TorrentMode {
    /// As published: followers serve configurations in the order of arrival, grants run from the tail to the
    /// head, addresses leave before data. Can deadlock.
    Published,
    /// Followers are acquired in one order for all chains, a burst leaves when it is sure to be taken: free of deadlock.
    Safe,
}

/// In which order an initiator sends the configurations of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TorrentDispatch {
    /// The first destination's first, as published.
    ChainOrder,
    /// The last destination's first, so that a grant that starts at the tail overlaps the dispatch of the others.
    TailFirst,
}

/// How the destinations of a chain respond to its initiator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TorrentAcknowledgement {
    /// Grant and finish go from destination to destination, as published.
    Chained,
    /// Every destination responds to its configuration and says that it has finished straight to the initiator, which counts.
    Parallel,
}

/// Cycles that an endpoint takes itself; those of the connections come on top.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndpointCycles {
    /// Of the published hardware: 13 per configuration, 6 per grant, 5 per data hop, 7 per finish.
    Published,
    /// Of our hardware (`noccl_torrent`), mode `safe` only: 8, 3, 2 and 2.
    Lean,
}
