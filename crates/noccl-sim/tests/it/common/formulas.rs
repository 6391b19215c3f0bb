// SPDX-License-Identifier: Apache-2.0
//! Closed forms of `docs/timing.md` on the 4×4 mesh, for networks whose hops and beats take other cycles than the preset's.

use super::{cluster, cube, runtime};
use noccl_net::Network;
use noccl_testkit::traces::{barrier, wide_multicast, wide_reduction, wide_write};

/// Writes and multicasts: cycles of a hop there and back, and those of so many beats behind the first.
pub fn check_writes(net: &Network, hop: u64, serial: impl Fn(u32) -> u64, what: &str) {
    for (x, y, beats) in [(0, 0, 5), (3, 0, 64), (3, 3, 65), (2, 1, 130), (2, 1, 512)] {
        let kind = wide_write(cluster(0, 0), cluster(x, y), beats);
        let expected = 5 + hop * u64::from(x + y) + serial(beats);
        assert_eq!(runtime(net, 1, kind), expected, "{what}, {beats} beats");
    }
    for (to, hops) in [(cube(0, 0, 3, 0), 3), (cube(0, 0, 3, 3), 6)] {
        for beats in [1, 64, 100, 200] {
            let multicast = wide_multicast(cluster(0, 0), to, beats);
            let expected = 5 + hop * hops + serial(beats);
            assert_eq!(
                runtime(net, 1, multicast),
                expected,
                "{what}, {beats} beats"
            );
        }
    }
}

/// Reductions into the end of a row (5 cycles at each of three routers), and into a corner of the mesh (three operands at three
/// of six).
pub fn check_reductions(net: &Network, hop: u64, serial: impl Fn(u32) -> u64, what: &str) {
    for (group, root, unloaded) in [
        (cube(0, 0, 3, 0), cluster(3, 0), 5 + hop * 3 + 5 * 3),
        (cube(0, 0, 3, 3), cluster(0, 0), 5 + hop * 6 + 5 * 3 + 8 * 3),
    ] {
        for beats in [1, 64, 130, 200] {
            let kind = wide_reduction(group, root, beats);
            let cycles = runtime(net, group.len() as usize, kind);
            assert_eq!(cycles, unloaded + serial(beats), "{what}, {beats} beats");
        }
    }
}

/// Barriers over a row and over the mesh.
pub fn check_barriers(net: &Network, hop: u64, what: &str) {
    for (group, root, hops) in [
        (cube(0, 0, 3, 0), cluster(0, 0), 3),
        (cube(0, 0, 3, 3), cluster(0, 0), 6),
        (cube(0, 0, 3, 3), cluster(1, 1), 4),
    ] {
        let cycles = runtime(net, group.len() as usize, barrier(group, root));
        assert_eq!(cycles, 5 + hop * hops, "{what}");
    }
}
