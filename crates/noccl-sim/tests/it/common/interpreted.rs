// SPDX-License-Identifier: Apache-2.0
//! What the reference interpreter leaves, to compare with what a run leaves.

use super::cluster;
use super::hand_written::place;
use super::image;
use noccl_net::Network;
use noccl_run::{MemoryImage, RunResult};
use noccl_testkit::Random;
use noccl_workload::{Place, Schedule, interpret};

/// Bytes of each output; none where the checker refuses the schedule.
pub fn expected(
    net: &Network,
    schedule: &Schedule,
    inputs: &[MemoryImage],
    outputs: &[(Place, u64)],
) -> Option<Vec<Vec<u8>>> {
    let written = inputs
        .iter()
        .map(|image| (place(image.tile, image.offset), image.bytes.as_slice()));
    let memories = interpret(net, schedule, &written.collect::<Vec<_>>()).ok()?;
    let read = |(at, bytes): &(Place, u64)| memories.read(*at, *bytes).expect("inside");
    Some(outputs.iter().map(read).collect())
}

/// Bytes that a run leaves at its outputs.
pub fn found(result: &RunResult) -> Vec<Vec<u8>> {
    result.memory.iter().map(|m| m.bytes.clone()).collect()
}

/// Random bytes at the beginning of the memory of every cluster.
pub fn random_images(net: &Network, bytes: u64) -> Vec<MemoryImage> {
    let mut random = Random(1);
    let (width, height) = (net.cluster_width(), net.cluster_height());
    let all = (0..width).flat_map(|x| (0..height).map(move |y| cluster(x, y)));
    all.map(|tile| {
        image(
            tile,
            0,
            (0..bytes).map(|_| random.below(256) as u8).collect(),
        )
    })
    .collect()
}

/// The first bytes of each memory that has inputs.
pub fn beginnings(inputs: &[MemoryImage], bytes: u64) -> Vec<(Place, u64)> {
    let of = |image: &MemoryImage| (place(image.tile, 0), bytes);
    inputs.iter().map(of).collect()
}
