// SPDX-License-Identifier: Apache-2.0
//! Multicasts in slots: when a lone broadcast reaches each tile, to the cycle, and how many of them the interfaces take.

use super::super::plane::SmartPlane;
use super::{network, plane, run};
use noccl_net::{Coord, Network, TileId};
use proptest::prelude::*;

#[derive(Debug, Clone)]
struct Case {
    width: u16,
    height: u16,
    corner: Coord,
    hpc_max: u64,
    setup: u64,
    interval: u64,
    is_on_demand: bool,
    /// Cycle in which the packet is in its interface's queue.
    start: u64,
}

fn case() -> impl Strategy<Value = Case> {
    let corner = (any::<bool>(), any::<bool>());
    let numbers = (1..=9u64, 1..=2u64, 0..6u64, any::<bool>(), 0..40u64);
    (2..=9u16, 2..=9u16, corner, numbers).prop_map(|(width, height, (east, north), numbers)| {
        let (hpc_max, setup, more, is_on_demand, start) = numbers;
        let corner = Coord::new(
            u16::from(east) * (width - 1),
            u16::from(north) * (height - 1),
        );
        let line = |side: u16| u64::from(side - 1).div_ceil(hpc_max);
        let interval = (line(width) + line(height) + 1 + more).max(3);
        Case {
            width,
            height,
            corner,
            hpc_max,
            setup,
            interval,
            is_on_demand,
            start,
        }
    })
}

impl Case {
    fn network(&self) -> Network {
        network(
            &format!("smart_{}x{}_private", self.width, self.height),
            &[
                ("multicast", "\"complete\"".to_owned()),
                ("hpc_max", self.hpc_max.to_string()),
                ("setup_cycles", self.setup.to_string()),
                ("broadcast_interval_cycles", self.interval.to_string()),
                ("has_slots_on_demand", self.is_on_demand.to_string()),
            ],
        )
    }

    /// Hops along the first dimension of a corner's tree and the second, and the lengths of both.
    fn hops(&self, network: &Network, corner: Coord, to: Coord) -> [u64; 4] {
        let (x, y) = (corner.x.abs_diff(to.x), corner.y.abs_diff(to.y));
        let (row, column) = (self.width - 1, self.height - 1);
        let ordered = if network.leaves_along_row(corner) {
            [x, y, row, column]
        } else {
            [y, x, column, row]
        };
        ordered.map(u64::from)
    }

    /// Phase in which a router sends across what it has got.
    fn across(&self, hops: u64, line: u64) -> u64 {
        (1 + hops / self.hpc_max).min(line.div_ceil(self.hpc_max))
    }

    /// Is a tile at a path of some tree that is driven in a phase?
    fn takes_part(&self, network: &Network, at: Coord, phase: u64) -> bool {
        let (east, north) = (self.width - 1, self.height - 1);
        let is_on = |hops: u64, line: u64, begin: u64| {
            let end = (begin + self.hpc_max).min(line);
            begin < line && (begin..=end).contains(&hops)
        };
        [(0, 0), (east, 0), (east, north), (0, north)]
            .into_iter()
            .any(|(x, y)| {
                let [first, second, line, across] = self.hops(network, Coord::new(x, y), at);
                let edge = second == 0 && is_on(first, line, phase * self.hpc_max);
                let since = phase.checked_sub(self.across(first, line));
                edge || since.is_some_and(|since| is_on(second, across, since * self.hpc_max))
            })
    }

    /// Cycle in which a tile's copy asks for its interface.
    fn latched(&self, network: &Network, to: Coord, ready: u64, slot: u64) -> u64 {
        let [first, second, line, _] = self.hops(network, self.corner, to);
        match (first, second) {
            (0, 0) => ready,
            (_, 0) => slot + first.div_ceil(self.hpc_max),
            _ => slot + self.across(first, line) + second.div_ceil(self.hpc_max),
        }
    }

    /// Cycle of the delivery at a tile.
    fn expected(&self, network: &Network, to: Coord) -> u64 {
        let ready = self.start + 1;
        let slot = if self.is_on_demand {
            ready + self.setup
        } else {
            ready.next_multiple_of(self.interval)
        };
        let latched = self.latched(network, to, ready, slot);
        let is_kept = |crossed: u64| {
            let phase = if self.is_on_demand {
                crossed.checked_sub(slot)
            } else {
                Some(crossed % self.interval)
            };
            phase.is_some_and(|phase| self.takes_part(network, to, phase))
        };
        let granted = (latched..).find(|cycle| !is_kept(cycle + self.setup));
        granted.unwrap() + self.setup + 1
    }
}

fn broadcast(network: &Network, plane: &mut SmartPlane, corner: Coord) {
    let all: Vec<Coord> = (0..network.num_tiles())
        .map(|tile| network.coord(TileId(tile as u32)))
        .collect();
    let trees = network.multicast_trees().unwrap();
    let tree = plane.add_multicast(network, trees, corner, &all);
    plane.send_multicast(network.tile_at(corner), tree, 1, 0);
}

proptest! {
    #[test]
    fn lone_broadcast_reaches_every_tile_in_the_cycles_of_its_slot(case in case()) {
        let network = case.network();
        let mut plane = plane(&network, 0);
        plane.skip_to(case.start);
        broadcast(&network, &mut plane, case.corner);
        let found = run(&mut plane);
        prop_assert_eq!(found.len(), network.num_tiles());
        for (cycle, tile, _) in found {
            let to = network.coord(tile);
            prop_assert_eq!(case.start + cycle, case.expected(&network, to), "{}", to);
            // At best, as traffic's latency of an empty network has it.
            let slot = 1 + u64::from(case.is_on_demand) * case.setup;
            let best = case.latched(&network, to, 1, slot) + 1 + case.setup;
            prop_assert_eq!(u64::from(network.idle_copy_cycles(case.corner, to)), best);
        }
    }
}

/// Broadcasts that a corner of 8×8 tiles sends per cycle while all four have one.
fn rate(interval: u64, is_on_demand: bool) -> f64 {
    let overrides = [
        ("multicast", "\"complete\"".to_owned()),
        ("broadcast_interval_cycles", interval.to_string()),
        ("has_slots_on_demand", is_on_demand.to_string()),
    ];
    let network = network("smart_8x8_private", &overrides);
    let mut plane = plane(&network, 0);
    let (warmup, measured) = (600, 2400);
    for (x, y) in [(0, 0), (7, 0), (7, 7), (0, 7)] {
        for _ in 0..(warmup + measured) / 4 {
            broadcast(&network, &mut plane, Coord::new(x, y));
        }
    }
    let mut delivered = 0;
    for cycle in 0..warmup + measured {
        plane.step(|_| true, |_| true);
        delivered += if cycle < warmup {
            0
        } else {
            plane.deliveries.len()
        };
        plane.settle();
    }
    delivered as f64 / 64.0 / 4.0 / f64::from(measured)
}

/// A corner sends in every slot, if the interfaces have taken the four copies of the slot before in the cycles between.
#[test]
fn corners_send_what_slots_and_interfaces_let_through() {
    for interval in [3_u32, 4, 6, 8, 10] {
        let i = f64::from(interval);
        let expected = (1.0 / i).min((i - 2.0) / (4.0 * i));
        let found = rate(interval.into(), false);
        assert!(
            (found / expected - 1.0).abs() < 0.03,
            "{interval}: {found}, {expected}"
        );
    }
    let on_demand = rate(6, true);
    assert!((on_demand * 6.0 - 1.0).abs() < 0.03, "{on_demand}");
}

/// Slots on demand cost a lone broadcast at most a cycle over greedy ones.
#[test]
fn lone_broadcast_on_demand_is_as_fast_as_a_greedy_one() {
    for setup in [1, 2] {
        let last = |multicast: &str| {
            let overrides = [
                ("multicast", format!("\"{multicast}\"")),
                ("has_slots_on_demand", "true".to_owned()),
                ("setup_cycles", setup.to_string()),
            ];
            let network = network("smart_8x8_private", &overrides);
            let mut plane = plane(&network, 0);
            broadcast(&network, &mut plane, Coord::new(0, 0));
            run(&mut plane)
                .into_iter()
                .map(|found| found.0)
                .max()
                .unwrap()
        };
        assert!(last("complete") <= last("greedy") + 1);
    }
}
