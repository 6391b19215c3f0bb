// SPDX-License-Identifier: Apache-2.0
//! Multicast by a list of destinations in a packet's header (ESP, S3's second baseline).
//!
//! One action: every member asks the root, which sends one packet to all of them. The members need be no multi-address; the
//! header bounds their number.

use crate::CollError;
use crate::entry::{Entry, OnClusters};
use crate::task::Task;
use noccl_net::TileRef;
use noccl_workload::{Action, ActionKind, CollectiveKind, ListMulticast};

pub(crate) const ENTRY: Entry = Entry {
    is_in_network: true,
    on_clusters: Some(OnClusters {
        setting: Some(|task| esp_setting(task)),
        ..OnClusters::new(|kind| kind == CollectiveKind::Multicast, by_list)
    }),
    ..Entry::named("in_network_list")
};

/// How consumers start: together, or one by one by a CPU.
fn esp_setting(task: &Task<'_>) -> &'static str {
    match &task.network.axi().cluster.esp {
        Some(endpoint) if endpoint.consumer_start_cycles > 0 => "calibrated",
        Some(_) | None => "hardware_only",
    }
}

/// The multicast as one list multicast, its members started in their order.
pub(crate) fn by_list(task: &Task<'_>) -> Result<Vec<Action>, CollError> {
    let collective = task.collective;
    let Some(most) = task.network.max_listed() else {
        return Err(task.unsupported(
            "the routers multicast by no list; accepted: a spec with router.flow = \"esp\", as in the preset \
             esp_4x5",
        ));
    };
    let TileRef::Cluster(root) = collective.root else {
        return Err(task.unsupported(&format!(
            "accepted: a cluster as root, memory tiles send nothing by themselves; found {}",
            collective.root
        )));
    };
    let is_in_place = collective.input_offset == collective.output_offset;
    let members = task.group.members.iter().copied();
    let destinations: Vec<TileRef> = members
        .filter(|at| *at != root || !is_in_place)
        .map(TileRef::Cluster)
        .collect();
    let consumers = destinations
        .iter()
        .filter(|at| **at != collective.root)
        .count();
    if consumers > most as usize {
        return Err(task.unsupported(&format!(
            "accepted: at most {most} destinations, so many places fit into router.esp.header_bits; found \
             {consumers}"
        )));
    }
    if destinations.is_empty() {
        return Ok(Vec::new());
    }
    let kind = ActionKind::ListMulticast(ListMulticast {
        source: collective.root,
        source_offset: collective.input_offset,
        destinations,
        offset: collective.output_offset,
        bytes: collective.bytes,
    });
    let after = Vec::new();
    Ok(vec![Action { kind, after }])
}
