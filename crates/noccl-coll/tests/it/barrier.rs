// SPDX-License-Identifier: Apache-2.0
//! Every barrier plan is a barrier, by the checker's proof; without its last level none is.

use noccl_coll::{BarrierAlgorithm, BarrierStructure, barrier_schedule};
use noccl_net::{Network, TileSet};
use noccl_testkit::network;
use noccl_workload::{BarrierMechanism, CheckError, check};

fn all(net: &Network) -> TileSet {
    net.parse_tile_set("all").unwrap()
}

#[test]
fn every_plan_lets_nobody_leave_before_all_have_entered() {
    for preset in [
        "collective_noc_4x4",
        "collective_noc_8x2",
        "collective_noc_2x1",
    ] {
        let net = network(preset);
        for plan in BarrierAlgorithm::ALL {
            let schedule = barrier_schedule(&net, &all(&net), plan).unwrap();
            let checked = check(&net, &schedule);
            assert!(checked.is_ok(), "{preset} {}: {checked:?}", plan.name());
        }
    }
}

#[test]
fn a_plan_without_its_last_level_leaks() {
    let net = network("collective_noc_4x4");
    for plan in BarrierAlgorithm::ALL {
        let mut schedule = barrier_schedule(&net, &all(&net), plan).unwrap();
        let last = schedule
            .actions
            .iter()
            .map(|a| a.after.len())
            .max()
            .unwrap();
        if last == 0 {
            continue;
        }
        // Actions of the last level are those nobody comes after.
        let waited: Vec<u32> = schedule
            .actions
            .iter()
            .flat_map(|a| a.after.iter().map(|id| id.0))
            .collect();
        let is_last = |index: usize| !waited.contains(&(index as u32));
        let first = (0..schedule.actions.len()).find(|i| is_last(*i)).unwrap();
        schedule.actions.truncate(first);
        let refused = check(&net, &schedule);
        assert!(
            matches!(refused, Err(CheckError::BarrierLeak { .. })),
            "{}: {refused:?}",
            plan.name()
        );
    }
}

#[test]
fn groups_without_the_shape_of_a_plan_are_refused() {
    let net = network("collective_noc_4x4");
    let three = net.parse_tile_set("0,0,3,1").unwrap();
    for plan in BarrierAlgorithm::ALL {
        let schedule = barrier_schedule(&net, &three, plan);
        let needs_cube = plan.mechanism == BarrierMechanism::InNetwork
            || !matches!(
                plan.structure,
                BarrierStructure::Flat | BarrierStructure::RowColumn
            );
        assert_eq!(
            schedule.is_err(),
            needs_cube,
            "{}: {schedule:?}",
            plan.name()
        );
    }
}
