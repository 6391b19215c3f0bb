// SPDX-License-Identifier: Apache-2.0
//! One list multicast in progress.

use noccl_net::{Network, TileId};
use noccl_run::RunError;
use noccl_workload::{ActionKind, ListMulticast, participants};
use std::collections::BTreeMap;

/// One list multicast.
pub(super) struct EspTask<'s> {
    pub(super) list: &'s ListMulticast,
    pub source: TileId,
    pub(super) consumers: Vec<TileId>,
    pub start_cycle: Option<u64>,
    pub finish_cycle: u64,
    /// Participants that have not finished.
    pub open: usize,
    pub(super) is_producer_ready: bool,
    pub(super) unnoted: usize,
    /// Cycle at which the producer has noted the last request so far.
    pub(super) noted_cycle: u64,
    /// What is sent (value mode).
    pub payload: Vec<u8>,
    pub(super) worms_to_send: usize,
    /// Beats that each consumer still waits for.
    pub(super) missing: BTreeMap<TileId, u64>,
}

impl<'s> EspTask<'s> {
    pub(super) fn new(
        network: &'s Network,
        index: usize,
        kind: &'s ActionKind,
    ) -> Result<Self, RunError> {
        let what = format!("actions[{index}] ({})", kind.name());
        let Some(list) = kind.list_multicast() else {
            return Err(refused(&what, "routers of flow esp carry nothing else"));
        };
        let find = |tile| {
            let found = network.find(tile);
            found.ok_or_else(|| refused(&what, "it names a tile that is not on the mesh"))
        };
        let consumers: Result<Vec<TileId>, RunError> = list.consumers().map(find).collect();
        let consumers = consumers?;
        // 0: routers without lists have space for none.
        let most = network.max_listed().unwrap_or(0) as usize;
        if consumers.len() > most {
            let reason = format!("the header has space for {most} of its {}", consumers.len());
            return Err(refused(&what, &reason));
        }
        Ok(Self {
            list,
            source: find(list.source)?,
            start_cycle: None,
            finish_cycle: 0,
            open: participants(network, kind).len(),
            is_producer_ready: false,
            unnoted: consumers.len(),
            consumers,
            noted_cycle: 0,
            payload: Vec::new(),
            worms_to_send: 0,
            missing: BTreeMap::new(),
        })
    }
}

pub(super) fn refused(what: &str, reason: &str) -> RunError {
    RunError::Refused {
        backend: "sim",
        what: what.to_owned(),
        reason: format!(
            "{reason}; accepted: list_multicast, to as many clusters as fit into router.esp.header_bits"
        ),
    }
}
