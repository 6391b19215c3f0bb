// SPDX-License-Identifier: Apache-2.0
//! Local allocation beside the paths of its cycle: with two cycles of setup it does not see what they take.

use super::{network, plane};
use noccl_net::{Coord, TileId};

/// Cycle in which a copy for the own tile is delivered that stands beside a flit of the same input: that one is chosen first, and its
/// output's last channel is taken by a path of the same cycle.
fn delivered_behind_a_dropped_grant(is_chosen_before_paths: bool) -> u64 {
    let overrides = [("setup_cycles", "2"), ("vcs", "1"), ("is_pruned", "true")];
    let overrides = overrides.map(|(field, value)| (field, value.to_owned()));
    let network = network("smart_4x1", &overrides);
    let mut plane = plane(&network, 0);
    assert!(plane.n.is_chosen_before_paths);
    plane.n.is_chosen_before_paths = is_chosen_before_paths;
    let [west, here, east] = [0, 1, 2].map(TileId);
    let (trees, place) = (network.multicast_trees().unwrap(), Coord::new(1, 0));
    let own = plane.add_multicast(&network, trees, place, &[place]);
    plane.send_multicast(here, own, 1, 7);
    plane.send_unicast(west, east, 1, 8);
    for cycle in 0..20 {
        if cycle == 1 {
            plane.send_unicast(here, east, 1, 9);
        }
        // The copy has to wait for the cycle in which both flits ask.
        plane.step(|_| cycle > 1, |_| true);
        let copy = plane.deliveries.iter().find(|d| d.tag == 7);
        if copy.is_some() {
            return cycle;
        }
        plane.settle();
    }
    unreachable!("the copy is never delivered")
}

#[test]
fn a_grant_is_dropped_whose_channel_a_path_of_the_cycle_takes() {
    assert_eq!(delivered_behind_a_dropped_grant(false), 5);
    assert_eq!(delivered_behind_a_dropped_grant(true), 6);
}
