// SPDX-License-Identifier: Apache-2.0
//! Torrent endpoints.

use super::Checked;
use crate::error::OutOfRange;
use crate::{
    EndpointCycles, TorrentAcknowledgement, TorrentDispatch, TorrentEndpoint, TorrentMode,
};

pub(super) fn check(endpoint: &TorrentEndpoint) -> Checked {
    as_published(endpoint)?;
    as_hardware(endpoint)
}

/// The published endpoint dispatches and responds in one manner only.
fn as_published(endpoint: &TorrentEndpoint) -> Checked {
    if endpoint.mode == TorrentMode::Safe {
        return Ok(());
    }
    let refuse = |field: &str, found: &str, accepted: &str| {
        Err(OutOfRange {
            field: format!("cluster.torrent.{field}"),
            found: found.to_owned(),
            accepted: format!(
                "must be {accepted} with cluster.torrent.mode = \"published\"; the other needs \"safe\""
            ),
        })
    };
    if endpoint.dispatch != TorrentDispatch::ChainOrder {
        return refuse("dispatch", "\"tail_first\"", "\"chain_order\"");
    }
    if endpoint.acknowledgement != TorrentAcknowledgement::Chained {
        return refuse("acknowledgement", "\"parallel\"", "\"chained\"");
    }
    Ok(())
}

/// Our hardware has mode `safe` with the published control.
fn as_hardware(endpoint: &TorrentEndpoint) -> Checked {
    let control = (
        endpoint.dispatch,
        endpoint.acknowledgement,
        endpoint.open_tasks,
    );
    let is_built = endpoint.mode == TorrentMode::Safe
        && control
            == (
                TorrentDispatch::ChainOrder,
                TorrentAcknowledgement::Chained,
                1,
            );
    if endpoint.endpoint_cycles == EndpointCycles::Published || is_built {
        return Ok(());
    }
    Err(OutOfRange {
        field: "cluster.torrent.endpoint_cycles".to_owned(),
        found: "\"lean\"".to_owned(),
        accepted: "must be \"published\"; \"lean\" needs mode \"safe\", dispatch \"chain_order\", \
                   acknowledgement \"chained\" and open_tasks 1"
            .to_owned(),
    })
}
