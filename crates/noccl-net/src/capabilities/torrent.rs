// SPDX-License-Identifier: Apache-2.0
//! Torrent endpoints (S3).

use super::ChainCapabilities;
use noccl_spec::{TorrentEndpoint, TorrentMode};

pub(super) const fn capabilities(endpoint: &TorrentEndpoint) -> ChainCapabilities {
    let (is_deadlock_free, min_beats) = match endpoint.mode {
        TorrentMode::Safe => (true, 1),
        // It never sends a burst of one beat.
        TorrentMode::Published => (false, 2),
    };
    ChainCapabilities {
        max_followers: endpoint.max_destinations,
        open_tasks: endpoint.open_tasks,
        min_beats,
        is_deadlock_free,
    }
}
