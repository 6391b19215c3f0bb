// SPDX-License-Identifier: Apache-2.0
//! List multicasts on ESP's routers, shared by the tests about them.

use super::chains::bytes_of;
use super::hand_written::place;
use super::image;
use noccl_net::{Coord, Network, TileRef};
use noccl_run::{MemoryImage, RunConfig, RunError, RunResult};
use noccl_testkit::actions::list_multicast;
use noccl_testkit::schedules::at_once;
use noccl_workload::{ActionKind, ListMulticast, Place, Schedule};

/// Where every copy is written.
pub const OUTPUT: u64 = 0x8_0000;

pub fn list(from: Coord, to: &[Coord], bytes: u64) -> ListMulticast {
    let to = to.iter().copied().map(TileRef::Cluster).collect();
    list_multicast(TileRef::Cluster(from), to, OUTPUT, bytes)
}

pub fn schedule(lists: &[ListMulticast]) -> Schedule {
    at_once(lists.iter().cloned().map(ActionKind::ListMulticast))
}

/// Runs lists of disjoint participants; true if every destination holds its source's bytes.
pub fn run(
    net: &Network,
    lists: &[ListMulticast],
    config: &RunConfig,
) -> Result<(RunResult, bool), RunError> {
    let inputs: Vec<MemoryImage> = lists
        .iter()
        .enumerate()
        .map(|(i, list)| {
            image(
                list.source,
                list.source_offset,
                bytes_of(i as u64, list.bytes),
            )
        })
        .collect();
    let copies = |l: &ListMulticast| -> Vec<(Place, u64)> {
        let to = l.destinations.iter();
        to.map(|t| (place(*t, l.offset), l.bytes)).collect()
    };
    let outputs: Vec<(Place, u64)> = lists.iter().flat_map(copies).collect();
    let schedule = schedule(lists);
    let result = noccl_sim::run_schedule(net, &schedule, &inputs, &outputs, config, &mut |_| true)?;
    let expected = lists.iter().enumerate().flat_map(|(i, l)| {
        l.destinations
            .iter()
            .map(move |_| bytes_of(i as u64, l.bytes))
    });
    let is_right = result.memory.iter().map(|m| m.bytes.clone()).eq(expected);
    Ok((result, is_right))
}
