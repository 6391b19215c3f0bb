// SPDX-License-Identifier: Apache-2.0
//! Networks and small schedules that the tests of the checker and of the interpreter share.

use noccl_net::{Network, TileSet};
pub use noccl_testkit::actions::copy;
pub use noccl_testkit::networks::small_store;
pub use noccl_testkit::schedules::{Build, at_once, collective};
pub use noccl_testkit::{at, cluster, cube as set, network, network_with};
use noccl_workload::{ActionKind, CheckError, CollectiveKind, Schedule, check};

/// A schedule of one action.
pub fn one(kind: ActionKind) -> Schedule {
    at_once([kind])
}

pub fn mesh4x4() -> Network {
    network("collective_noc_4x4")
}

pub fn rejection(schedule: &Schedule) -> CheckError {
    check(&mesh4x4(), schedule).expect_err("the schedule is wrong")
}

/// Asserts that the message begins with the field and names what would be accepted.
pub fn assert_names(schedule: &Schedule, field: &str, accepted: &str) {
    let message = rejection(schedule).to_string();
    assert!(message.starts_with(field), "{message}");
    assert!(message.contains(accepted), "{message}");
}

/// The south row of the 4×4 mesh.
pub fn row() -> TileSet {
    TileSet::Row(0)
}

/// Multicast along a row by pulls from the left neighbour, one chunk behind the other, a barrier after every step.
pub fn chain_multicast(width: u16, bytes: u64, chunks: u64) -> Schedule {
    let mut c = collective(CollectiveKind::Multicast, row(), cluster(0, 0), bytes);
    c.output_offset = 0;
    let mut s = Build::new(Some(c));
    let chunk = bytes / chunks;
    let mut gate: Vec<u32> = Vec::new();
    for step in 0..chunks + u64::from(width) - 2 {
        let mut started = Vec::new();
        for x in 1..width {
            let Some(i) = step.checked_sub(u64::from(x) - 1).filter(|i| *i < chunks) else {
                continue;
            };
            let end = if i == chunks - 1 {
                bytes
            } else {
                (i + 1) * chunk
            };
            let from = i * chunk;
            let (source, here) = (at(x - 1, 0, from), at(x, 0, from));
            started.push(s.copy(cluster(x, 0), source, here, end - from, &gate));
        }
        started.extend(&gate);
        gate = vec![s.barrier(row(), &started)];
    }
    s.0
}

/// Reduction of a row into its west end: the east neighbour pushes its partial sum, the cores add.
pub fn chain_reduce(width: u16, bytes: u64) -> Schedule {
    let c = collective(CollectiveKind::Reduce, row(), cluster(0, 0), bytes);
    let mut s = Build::new(Some(c));
    let mut ready: Vec<u32> = Vec::new();
    for x in (1..width).rev() {
        // The east end pushes its input, the others their partial sum.
        let from = if x == width - 1 { 0 } else { 0x8000 };
        let push = s.push(at(x, 0, from), at(x - 1, 0, 0x4000), bytes, &ready);
        let gate = s.barrier(row(), &[&ready[..], &[push]].concat());
        let sum = s.local(cluster(x - 1, 0), &[0x4000, 0], 0x8000, bytes, &[gate]);
        ready = vec![gate, sum];
    }
    s.0
}
