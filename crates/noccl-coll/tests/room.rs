// SPDX-License-Identifier: Apache-2.0
//! Pieces of a group that the routers' stores cannot hold together are reduced in turns.

mod common;

use common::{collective, network, rectangle};
use noccl_coll::{Algorithm, Choice, schedule};
use noccl_net::{Coord, TileRef};
use noccl_workload::{ActionKind, CollectiveKind, check};

#[test]
fn pieces_that_crowd_a_store_follow_each_other() {
    let net = network("collective_noc_16x16");
    // Fifteen columns are four pieces, whose operands meet north of the root's row.
    let root = TileRef::Cluster(Coord::new(4, 10));
    for (bytes, has_turns) in [(1024, false), (16_384, true)] {
        let task = collective(CollectiveKind::Reduce, rectangle(0, 8, 15, 4), root, bytes);
        let schedule = schedule(&net, &task, Choice::new(Algorithm::InNetwork, 1)).unwrap();
        check(&net, &schedule).unwrap();
        let is_reduction = |kind: &ActionKind| matches!(kind, ActionKind::InNetworkReduction(_));
        let reductions = schedule.actions.iter().filter(|a| is_reduction(&a.kind));
        assert_eq!(reductions.clone().count(), 4);
        let waits = reductions.filter(|a| !a.after.is_empty()).count();
        assert_eq!(waits > 0, has_turns, "{bytes} bytes");
    }
}
