// SPDX-License-Identifier: Apache-2.0
//! Closed forms of a network in which nothing else is in flight, exact to the cycle.

mod allocation;
mod by_load;
mod contention;
mod counted;
mod losses;
mod order_classes;
mod prop_overlap;
mod prop_slots;
mod stays;
mod wires;

use super::packet::Combining;
use super::plane::SmartPlane;
use noccl_net::{Coord, Network, TileId};
use noccl_testkit::networks::smart as network;
use noccl_workload::{ElementType, Operator};
use proptest::prelude::*;

fn plane(network: &Network, value_bytes: usize) -> SmartPlane {
    let smart = network.spec().axi().unwrap().router.smart.as_ref().unwrap();
    SmartPlane::new(network, smart, value_bytes)
}

/// Cycle, tile and tag of every delivery that completes something, until nothing is in flight.
fn run(plane: &mut SmartPlane) -> Vec<(u64, TileId, u64)> {
    let mut done = Vec::new();
    for cycle in 0.. {
        assert!(cycle < 100_000, "it does not end");
        plane.step(|_| true, |_| true);
        for delivery in &plane.deliveries {
            if delivery.completes {
                done.push((cycle, delivery.tile, delivery.tag));
            }
        }
        plane.settle();
        if plane.is_idle() {
            return done;
        }
    }
    done
}

fn paths(hops: u16, hpc_max: u32) -> u64 {
    u64::from(u32::from(hops).div_ceil(hpc_max))
}

#[derive(Debug, Clone)]
struct Case {
    width: u16,
    height: u16,
    hpc_max: u32,
    setup: u64,
    from: Coord,
    to: Coord,
    flits: u16,
    is_pruned: bool,
    priority: &'static str,
}

impl Case {
    fn network(&self, suffix: &str) -> Network {
        let preset = format!("smart_{}x{}{suffix}", self.width, self.height);
        network(
            &preset,
            &[
                ("hpc_max", self.hpc_max.to_string()),
                ("arithmetic_hpc_max", self.hpc_max.to_string()),
                ("bitwise_hpc_max", self.hpc_max.to_string()),
                ("setup_cycles", self.setup.to_string()),
                ("is_pruned", self.is_pruned.to_string()),
                ("priority", self.priority.to_owned()),
            ],
        )
    }

    fn smart_hops(&self, dx: u16, dy: u16) -> u64 {
        paths(dx, self.hpc_max) + paths(dy, self.hpc_max)
    }

    /// From an NI into the network, over paths, and into an NI.
    fn end_to_end(&self, dx: u16, dy: u16) -> u64 {
        1 + (1 + self.setup) * (self.smart_hops(dx, dy) + 1)
    }
}

fn case(most: u16) -> impl Strategy<Value = Case> {
    (1..=most, 1..=most).prop_flat_map(|(width, height)| {
        let at = move || (0..width, 0..height).prop_map(|(x, y)| Coord::new(x, y));
        let priority = prop::sample::select(vec!["\"local\"", "\"bypass\""]);
        let switches = (any::<bool>(), priority);
        (at(), at(), 1..=10u32, 1..=2u64, 1..=5u16, switches).prop_map(
            move |(from, to, hpc_max, setup, flits, (is_pruned, priority))| Case {
                width,
                height,
                hpc_max,
                setup,
                from,
                to,
                flits,
                is_pruned,
                priority,
            },
        )
    })
}

proptest! {
    #[test]
    fn copy_on_a_private_tree_goes_to_the_corner_first(case in case(12), draw: prop::sample::Index) {
        prop_assume!(case.width > 1 && case.height > 1);
        let network = case.network("_private");
        let mut plane = plane(&network, 0);
        let all: Vec<Coord> = (0..network.num_tiles()).map(|t| network.coord(TileId(t as u32))).collect();
        let members = [case.to, *draw.get(&all)];
        let members = if members[0] == members[1] { &members[..1] } else { &members[..] };
        let trees = network.multicast_trees().unwrap();
        let tree = plane.add_multicast(&network, trees, case.from, members);
        plane.send_multicast(network.tile_at(case.from), tree, 1, 1);
        let found = run(&mut plane);
        prop_assert_eq!(found.len(), members.len());
        for (cycle, tile, _) in found {
            let cycles = network.idle_copy_cycles(case.from, network.coord(tile));
            prop_assert_eq!(cycle, u64::from(cycles));
        }
    }

    #[test]
    fn unicast_takes_a_path_for_every_hpc_max_hops_of_each_dimension(case in case(24)) {
        let network = case.network("");
        let mut plane = plane(&network, 0);
        let (from, to) = (network.tile_at(case.from), network.tile_at(case.to));
        plane.send_unicast(from, to, case.flits, 7);
        let found = run(&mut plane);
        let (dx, dy) = (case.from.x.abs_diff(case.to.x), case.from.y.abs_diff(case.to.y));
        let cycles = case.end_to_end(dx, dy) + u64::from(case.flits) - 1;
        let idle = network.idle_cycles(case.from, case.to);
        prop_assert_eq!(cycles, u64::from(idle + u32::from(case.flits) - 1));
        prop_assert_eq!(found, vec![(cycles, to, 7)]);
        prop_assert_eq!(plane.flit_hops(), u64::from(dx + dy) * u64::from(case.flits));
    }

    #[test]
    fn last_copy_of_a_multicast_comes_as_a_unicast_to_the_farthest_member(
        case in case(12), seed: u64,
    ) {
        let network = case.network("");
        let mut plane = plane(&network, 0);
        let at = |i: u64| {
            let draw = crate::kernel::random::mix(seed ^ i) as usize % network.num_tiles();
            network.coord(TileId(draw as u32))
        };
        let mut members: Vec<Coord> = (0..1 + seed % 40).map(at).collect();
        members.sort_unstable();
        members.dedup();
        let trees = network.multicast_trees().unwrap();
        let tree = plane.add_multicast(&network, trees, case.from, &members);
        plane.send_multicast(network.tile_at(case.from), tree, 1, 1);
        let found = run(&mut plane);
        let mut reached: Vec<Coord> = found.iter().map(|f| network.coord(f.1)).collect();
        reached.sort_unstable();
        prop_assert_eq!(&reached, &members);
        for (cycle, tile, _) in found {
            let to = network.coord(tile);
            let (dx, dy) = (case.from.x.abs_diff(to.x), case.from.y.abs_diff(to.y));
            prop_assert_eq!(cycle, case.end_to_end(dx, dy), "{}", to);
        }
    }

    #[test]
    fn complete_reduction_over_a_rectangle_takes_what_its_farthest_member_takes(
        case in case(12), width in 1..=12u16, height in 1..=12u16, operator in 0..3_usize,
    ) {
        let network = case.network("");
        let (x, y) = (case.from.x, case.from.y);
        let width = width.min(case.width - x);
        let height = height.min(case.height - y);
        let members: Vec<Coord> = (x..x + width)
            .flat_map(|x| (y..y + height).map(move |y| Coord::new(x, y)))
            .collect();
        let combining = [
            Combining::Count,
            Combining::Values(Operator::Or, ElementType::Int64),
            Combining::Values(Operator::Sum, ElementType::Int64),
        ][operator];
        let mut plane = plane(&network, 16);
        let table = network.shared_reduction(case.to, &members);
        let reduction = plane.add_reduction(&table, members.len() as u32, combining, 5);
        let mut sums = [0u64; 2];
        for member in &members {
            let value = [u64::from(member.x) << 40 | 1, u64::from(member.y)];
            sums = [sums[0] + value[0], sums[1] + value[1]];
            let bytes: Vec<u8> = value.iter().flat_map(|v| v.to_le_bytes()).collect();
            plane.send_contribution(network.tile_at(*member), reduction, &bytes);
        }
        let found = run(&mut plane);
        let far = |distance: fn(Coord, Coord) -> u16| {
            members.iter().map(|m| distance(*m, case.to)).max().unwrap()
        };
        let (dx, dy) = (far(|a, b| a.x.abs_diff(b.x)), far(|a, b| a.y.abs_diff(b.y)));
        prop_assert_eq!(found, vec![(case.end_to_end(dx, dy), network.tile_at(case.to), 5)]);
        let (messages, value) = plane.result(reduction);
        prop_assert_eq!(messages, 1);
        if operator == 2 {
            let expected: Vec<u8> = sums.iter().flat_map(|v| v.to_le_bytes()).collect();
            prop_assert_eq!(value, &expected[..]);
        }
        plane.close(reduction);
    }
}
