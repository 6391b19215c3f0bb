// SPDX-License-Identifier: Apache-2.0
//! Cycles that contributions stand in routers are those of a count by hand, and none where they meet nobody.

use super::super::numbers::REDUCTION;
use super::super::packet::Combining;
use super::super::plane::SmartPlane;
use super::super::traffic_run;
use super::{network, plane};
use crate::kernel::random::Stream;
use noccl_net::{Coord, Network, TileId};
use noccl_run::{Mode, Run, RunConfig};
use noccl_workload::{Pattern, Traffic};

const KINDS: [(&str, &str); 4] = [
    ("opportunistic", "local"),
    ("greedy", "bypass"),
    ("complete", "local"),
    ("complete", "bypass"),
];

fn overrides(setup: u32, (reduction, priority): (&str, &str)) -> [(&'static str, String); 3] {
    [
        ("setup_cycles", setup.to_string()),
        ("reduction", format!("\"{reduction}\"")),
        ("priority", format!("\"{priority}\"")),
    ]
}

/// Contributions that ask for an output.
fn standing(plane: &SmartPlane) -> u64 {
    let class = plane.n.class_mask(REDUCTION);
    let inputs = plane.channels.ready.iter();
    inputs
        .map(|ready| u64::from((ready & class).count_ones()))
        .sum()
}

fn open(network: &Network, plane: &mut SmartPlane, draws: &mut Stream, tag: u64) {
    let tiles = network.num_tiles() as u64;
    let mut members: Vec<Coord> = (0..2 + draws.below(tiles))
        .map(|_| network.coord(TileId(draws.below(tiles) as u32)))
        .collect();
    members.sort_unstable();
    members.dedup();
    let root = network.coord(TileId(draws.below(tiles) as u32));
    let table = network.shared_reduction(root, &members);
    let id = plane.add_reduction(&table, members.len() as u32, Combining::Count, tag);
    for member in &members {
        plane.send_contribution(network.tile_at(*member), id, &[]);
    }
}

#[test]
fn cycles_of_stays_are_those_in_which_contributions_stand_after_allocation() {
    for kind in KINDS {
        for setup in [1, 2] {
            let network = network("smart_5x4", &overrides(setup, kind));
            let (mut plane, mut draws) = (plane(&network, 0), Stream::new(3));
            let (mut cycles, mut first) = (0, plane.stays.before(0));
            for cycle in 0..3000 {
                if cycle == 500 {
                    (cycles, first) = (0, plane.stays.before(cycle));
                }
                if cycle < 2000 && draws.below(4) == 0 {
                    open(&network, &mut plane, &mut draws, cycle);
                }
                plane.step(|tile| tile.0 as u64 % 5 != cycle % 5, |_| true);
                let done = plane.deliveries.iter().filter(|done| done.completes);
                let done: Vec<u32> = done.filter_map(|done| done.reduction).collect();
                plane.settle();
                done.into_iter().for_each(|id| plane.close(id));
                cycles += standing(&plane);
            }
            let (ended, found) = plane.stays.before(3000).since(first);
            assert_eq!(found, cycles, "{kind:?} {setup}");
            assert!(ended > 1000 && cycles > 50, "{kind:?}: {ended} {cycles}");
        }
    }
}

#[test]
fn contributions_that_meet_nobody_wait_no_cycle() {
    for kind in KINDS {
        for setup in [1, 2] {
            let network = network("smart_2x1", &overrides(setup, kind));
            let traffic = |offered_beats_per_cycle: f64| Traffic {
                pattern: Pattern::ManyToOne,
                beats: 1,
                offered_beats_per_cycle,
                warmup_cycles: 100,
                measure_cycles: 10_000,
                seed: 1,
            };
            let wait = |offered: f64| {
                let (traffic, config) = (traffic(offered), RunConfig::new(Mode::Timing));
                let mut run = traffic_run(&network, &traffic, &config).unwrap();
                while !run.is_over() {
                    run.step();
                }
                run.result(&[]).contribution_wait_cycles.unwrap()
            };
            assert_eq!(wait(0.001), 0.0, "{kind:?} {setup}");
            assert!(wait(1.0) >= 0.0, "{kind:?} {setup}");
        }
    }
}
