// SPDX-License-Identifier: Apache-2.0
//! Schedules written by hand, run in both modes.

use super::{cluster, image};
use noccl_net::{Network, TileRef};
use noccl_run::{MemoryImage, Mode, RunConfig, RunError, RunResult};
use noccl_testkit::actions::copy;
pub use noccl_testkit::schedules::{schedule, schedule_of};
use noccl_workload::{ActionKind, Destination, Place, Schedule};

/// Runs in both modes, which must agree in everything but bytes; the outcome of value mode.
pub fn run(
    net: &Network,
    schedule: &Schedule,
    inputs: &[MemoryImage],
    outputs: &[(Place, u64)],
) -> Result<RunResult, RunError> {
    let run = |mode| {
        let config = RunConfig::new(mode);
        noccl_sim::run_schedule(net, schedule, inputs, outputs, &config, &mut |_| true)
    };
    let (timing, value) = (run(Mode::Timing), run(Mode::Value));
    if let (Ok(t), Ok(v)) = (&timing, &value) {
        assert_eq!(t.actions, v.actions, "value and timing mode differ");
        assert_eq!(t.counters, v.counters);
    }
    value
}

/// The cycles in which the actions of a schedule end, in both modes.
pub fn finish_cycles(net: &Network, schedule: &Schedule) -> Vec<u64> {
    let result = run(net, schedule, &[], &[]).unwrap_or_else(|error| panic!("{error}"));
    result.actions.iter().map(|a| a.finish_cycle).collect()
}

/// Bytes that repeat late and differ by seed.
pub fn bytes(count: usize, seed: u8) -> Vec<u8> {
    (0..count)
        .map(|i| (i as u8).wrapping_mul(37).wrapping_add(seed))
        .collect()
}

pub fn place(tile: TileRef, offset: u64) -> Place {
    Place { tile, offset }
}

/// What a cluster writes or multicasts from the beginning of its memory.
pub fn transfer(from: TileRef, destination: Destination, bytes: u64) -> ActionKind {
    copy(from, place(from, 0), destination, bytes)
}

/// Bytes at the beginning of each of 4×4 memories, which differ from tile to tile.
pub fn images(bytes: u64) -> Vec<MemoryImage> {
    let tiles = (0..4).flat_map(|x| (0..4).map(move |y| (x, y)));
    let byte = |i: u64, (x, y): (u16, u16)| (i * 31 + i / 251) as u8 ^ (x * 4 + y) as u8;
    let bytes = |at| (0..bytes).map(|i| byte(i, at)).collect();
    let image = |at: (u16, u16)| image(cluster(at.0, at.1), 0, bytes(at));
    tiles.map(image).collect()
}
