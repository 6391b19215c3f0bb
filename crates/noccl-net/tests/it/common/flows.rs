// SPDX-License-Identifier: Apache-2.0
//! Flows on the 4x4 system, for the tests of the deadlock check.

use super::network;
use noccl_net::deadlock::{self, Cycle, Flow, IssueOrder, Proof};
use noccl_net::{Coord, MultiAddress, Network, TileId, TileRef};
use noccl_testkit::cube;
pub use noccl_testkit::cube as set;

/// The check of flows that every tile issues as listed.
pub fn check(n: &Network, flows: &[Flow]) -> Result<Proof, Cycle> {
    deadlock::check(n.as_axi().unwrap(), flows)
}

/// The check with an order of issue per tile.
pub fn check_in_order(n: &Network, flows: &[Flow], order: &IssueOrder) -> Result<Proof, Cycle> {
    deadlock::check_in_order(n.as_axi().unwrap(), flows, order)
}

/// The published router.
pub fn published() -> Network {
    network("collective_noc_4x4_published")
}

/// Tile of cluster (x, y).
pub fn cluster(n: &Network, x: u16, y: u16) -> TileId {
    n.find(TileRef::Cluster(Coord::new(x, y))).unwrap()
}

/// The southern row.
pub const ROW: MultiAddress = cube(0, 0, 3, 0);
/// All clusters.
pub const ALL: MultiAddress = cube(0, 0, 3, 3);

/// Multicast from cluster (x, y).
pub fn multicast(n: &Network, x: u16, y: u16, set: MultiAddress) -> Flow {
    Flow::Multicast {
        from: cluster(n, x, y),
        set,
    }
}

/// Reduction of one burst into cluster (x, y).
pub fn reduction(n: &Network, group: MultiAddress, x: u16, y: u16) -> Flow {
    Flow::Reduction {
        group,
        root: cluster(n, x, y),
        beats: 64,
    }
}

/// A named cycle holds together: each waits for what the next one holds, and different flows do.
pub fn assert_closed(cycle: &Cycle) {
    let next = cycle.waits.iter().cycle().skip(1);
    for (wait, next) in cycle.waits.iter().zip(next) {
        assert_eq!(wait.waits_for, next.holds, "{cycle}");
        assert_ne!(wait.flow, next.flow, "{cycle}");
    }
    assert!(cycle.waits.len() >= 2, "{cycle}");
}

/// The cycle for which the flows are rejected.
pub fn rejected(n: &Network, flows: &[Flow]) -> Cycle {
    let cycle = check(n, flows).unwrap_err();
    assert_closed(&cycle);
    cycle
}
