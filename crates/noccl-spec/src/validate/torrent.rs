// SPDX-License-Identifier: Apache-2.0
//! Torrent endpoints.

use super::{Checked, power_of_two, within};
use crate::error::OutOfRange;
use crate::{
    EndpointCycles, TorrentAcknowledgement, TorrentDispatch, TorrentEndpoint, TorrentMode,
};

pub(super) fn check(endpoint: &TorrentEndpoint) -> Checked {
    // Task ids have four bits.
    within("cluster.torrent.open_tasks", endpoint.open_tasks, 1..=16)?;
    as_published(endpoint)?;
    as_hardware(endpoint)?;
    let path = endpoint.endpoint_path_cycles;
    within("cluster.torrent.endpoint_path_cycles", path, 0..=1000)?;
    let destinations = endpoint.max_destinations;
    within("cluster.torrent.max_destinations", destinations, 1..=4096)?;
    within(
        "cluster.torrent.memory_banks",
        endpoint.memory_banks,
        1..=64,
    )?;
    power_of_two("cluster.torrent.memory_banks", endpoint.memory_banks.into())?;
    let words = endpoint.channel_fifo_words;
    within("cluster.torrent.channel_fifo_words", words, 2..=256)?;
    let bursts = endpoint.buffer_bursts;
    match endpoint.mode {
        TorrentMode::Safe => within("cluster.torrent.buffer_bursts", bursts, 1..=64),
        TorrentMode::Published => within("cluster.torrent.buffer_bursts", bursts, 0..=64),
    }
}

/// The published endpoint has one way to dispatch and to answer.
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
    if endpoint.open_tasks != 1 {
        return refuse("open_tasks", &endpoint.open_tasks.to_string(), "1");
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
