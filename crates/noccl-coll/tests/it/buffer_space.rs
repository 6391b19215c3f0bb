// SPDX-License-Identifier: Apache-2.0
//! Pieces of a group that the routers' stores cannot hold together are reduced in steps.

use crate::common::{collective, network_with, rectangle};
use noccl_coll::{Algorithm, Choice, schedule};
use noccl_testkit::cluster;
use noccl_workload::{ActionKind, CollectiveKind, check};

#[test]
fn pieces_that_crowd_a_store_follow_each_other() {
    // Fifteen columns are four pieces, whose operands meet north of the root's row.
    let root = cluster(4, 10);
    for (store_beats, has_steps) in [(640, false), (160, true)] {
        let small = [("router.wide_reduction.store_beats", store_beats)];
        let net = network_with("collective_noc_16x16", &small);
        let task = collective(CollectiveKind::Reduce, rectangle(0, 8, 15, 4), root, 1024);
        let schedule = schedule(&net, &task, Choice::new(Algorithm::InNetwork, 1)).unwrap();
        check(&net, &schedule).unwrap();
        let is_reduction = |kind: &ActionKind| matches!(kind, ActionKind::InNetworkReduction(_));
        let reductions = schedule.actions.iter().filter(|a| is_reduction(&a.kind));
        assert_eq!(reductions.clone().count(), 4);
        let waits = reductions.filter(|a| !a.after.is_empty()).count();
        assert_eq!(waits > 0, has_steps, "{store_beats} beats");
    }
}
