// SPDX-License-Identifier: Apache-2.0
//! Unicasts, multicasts and reductions that overlap: all of them complete, every destination gets every flit once and in
//! order, every sum is right, and in the end nothing is held.

use super::super::diagnose::diagnose;
use super::super::packet::Combining;
use super::super::plane::SmartPlane;
use super::{network, plane};
use crate::kernel::random::Stream;
use noccl_net::{Coord, Network, TileId};
use noccl_spec::SmartRouter;
use noccl_workload::{ElementType, Operator};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Cycles after which nothing that can end is still in flight.
const LIMIT: u64 = 200_000;

#[derive(Debug, Clone)]
struct Case {
    preset: String,
    /// Virtual channels by message class.
    vcs: [u32; 3],
    setup: u32,
    hpc_max: Option<u32>,
    entries: u32,
    messages: u32,
    is_pruned: bool,
    merge_scope: &'static str,
    has_bypass_first: bool,
    is_greedy: bool,
    /// Trees by load in place of shared ones?
    is_by_load: bool,
    /// Cycles between slots beyond the least, and whether they are on demand: private trees in slots.
    slots: Option<(u32, bool)>,
    stalls_per_256: u64,
    seed: u64,
}

fn case() -> impl Strategy<Value = Case> {
    let sizes = (2..=7u16, 2..=7u16);
    let suffix = prop::sample::select(vec![
        "",
        "_baseline",
        "_collective",
        "_unicast",
        "_private",
        "_connected",
    ]);
    let vcs = prop::array::uniform3(1..=4u32);
    let numbers = (vcs, 1..=2u32, 1..=8u32, 1..=8u32, 1..=120u32);
    let slots = prop::option::of((0..8u32, any::<bool>()));
    let orders = (any::<bool>(), any::<bool>(), any::<bool>());
    let scopes = prop::sample::select(vec!["input_port", "router", "interface"]);
    let merges = (any::<bool>(), scopes);
    let switches = (merges, orders, 0..200u64, any::<u64>(), slots);
    (sizes, suffix, numbers, switches).prop_map(
        |((width, height), suffix, (vcs, setup, hpc_max, entries, messages), switches)| {
            let (merges, orders, stalls_per_256, seed, slots) = switches;
            let (is_pruned, merge_scope) = merges;
            let (has_bypass_first, is_greedy, is_by_load) = orders;
            let is_mesh = matches!(suffix, "_baseline" | "_collective");
            Case {
                preset: format!("smart_{width}x{height}{suffix}"),
                vcs,
                setup,
                hpc_max: (!is_mesh).then_some(hpc_max),
                entries,
                messages,
                is_pruned,
                merge_scope,
                has_bypass_first,
                is_greedy,
                is_by_load: is_by_load && suffix.is_empty(),
                slots: slots.filter(|_| suffix == "_private"),
                stalls_per_256,
                seed,
            }
        },
    )
}

impl Case {
    fn network(&self) -> Network {
        let [unicasts, reductions, multicasts] = self.vcs;
        let mut overrides = vec![
            ("vcs", unicasts.to_string()),
            ("reduction_vcs", reductions.to_string()),
            ("multicast_vcs", multicasts.to_string()),
            ("setup_cycles", self.setup.to_string()),
            ("is_pruned", self.is_pruned.to_string()),
            ("merge_scope", format!("\"{}\"", self.merge_scope)),
            ("reduction_table_entries", self.entries.to_string()),
        ];
        if self.has_bypass_first {
            overrides.push(("priority", "\"bypass\"".to_owned()));
        }
        if self.is_greedy && !self.preset.ends_with("_connected") {
            overrides.push(("reduction", "\"greedy\"".to_owned()));
        }
        if self.is_by_load {
            overrides.push(("tree", "\"by_load\"".to_owned()));
        }
        if let Some(hpc_max) = self.hpc_max {
            overrides.push(("hpc_max", hpc_max.to_string()));
        }
        if let Some((more, is_on_demand)) = self.slots {
            // Enough for the longest slot: 7×7 tiles, a hop per cycle.
            let interval = (13 + more).to_string();
            overrides.push(("multicast", "\"complete\"".to_owned()));
            overrides.push(("broadcast_interval_cycles", interval));
            overrides.push(("has_slots_on_demand", is_on_demand.to_string()));
        }
        network(&self.preset, &overrides)
    }
}

/// What a run has to bring about.
struct Traffic<'n> {
    network: &'n Network,
    smart: &'n SmartRouter,
    draws: Stream,
    /// Flits that each tile still has to get, by tag: next flit and flits in all.
    expected: BTreeMap<(u64, TileId), (u16, u16)>,
    /// Sums of reductions, and how many messages the root gets at most.
    sums: BTreeMap<u32, ([u64; 2], u32)>,
}

impl Traffic<'_> {
    fn tile(&mut self) -> TileId {
        TileId(self.draws.below(self.network.num_tiles() as u64) as u32)
    }

    fn members(&mut self) -> Vec<Coord> {
        let mut members: Vec<Coord> = (0..1 + self.draws.below(12))
            .map(|_| {
                let tile = self.tile();
                self.network.coord(tile)
            })
            .collect();
        members.sort_unstable();
        members.dedup();
        members
    }

    fn begin(&mut self, plane: &mut SmartPlane, tag: u64) {
        let from = self.tile();
        let flits = 1 + self.draws.below(u64::from(self.smart.vc_flits)) as u16;
        match self.draws.below(3) {
            0 => {
                let to = self.tile();
                plane.send_unicast(from, to, flits, tag);
                self.expected.insert((tag, to), (0, flits));
            }
            1 => self.multicast(plane, from, flits, tag),
            _ => self.reduction(plane, tag),
        }
    }

    fn multicast(&mut self, plane: &mut SmartPlane, from: TileId, flits: u16, tag: u64) {
        let members = self.members();
        let trees = self.network.multicast_trees();
        for member in &members {
            let to = self.network.tile_at(*member);
            self.expected.insert((tag, to), (0, flits));
            if trees.is_none() {
                plane.send_unicast(from, to, flits, tag);
            }
        }
        if let Some(trees) = trees {
            let at = self.network.coord(from);
            let tree = plane.add_multicast(self.network, trees, at, &members);
            plane.send_multicast(from, tree, flits, tag);
        }
    }

    fn reduction(&mut self, plane: &mut SmartPlane, tag: u64) {
        let members = self.members();
        let root = self.tile();
        let table = self
            .network
            .shared_reduction(self.network.coord(root), &members);
        let combining = Combining::Values(Operator::Sum, ElementType::Int64);
        let id = plane.add_reduction(&table, members.len() as u32, combining, tag);
        let mut sums = [0_u64; 2];
        for member in &members {
            let value = [self.draws.next(), 1];
            sums = [sums[0].wrapping_add(value[0]), sums[1] + 1];
            let bytes: Vec<u8> = value.iter().flat_map(|v| v.to_le_bytes()).collect();
            plane.send_contribution(self.network.tile_at(*member), id, &bytes);
        }
        let most = if plane.is_counting(id) {
            1
        } else {
            members.len() as u32
        };
        assert!(self.sums.insert(id, (sums, most)).is_none());
    }

    fn read(&mut self, plane: &mut SmartPlane) {
        for delivery in plane.deliveries.clone() {
            if let Some(id) = delivery.reduction {
                if delivery.completes {
                    let (sums, most) = self.sums.remove(&id).unwrap();
                    let (messages, value) = plane.result(id);
                    let expected: Vec<u8> = sums.iter().flat_map(|v| v.to_le_bytes()).collect();
                    assert_eq!(value, &expected[..]);
                    assert!(messages <= most, "{messages} of {most}");
                    plane.close(id);
                }
                continue;
            }
            let key = (delivery.tag, delivery.tile);
            let (next, flits) = self.expected[&key];
            assert_eq!(delivery.flit, next, "flits come once and in order");
            if next + 1 == flits {
                assert!(delivery.completes);
                self.expected.remove(&key);
            } else {
                self.expected.insert(key, (next + 1, flits));
            }
        }
        plane.settle();
    }
}

/// Runs all messages of a case; the plane after the last one, or where it gives up.
fn run(case: &Case, network: &Network, mut plane: SmartPlane) -> (SmartPlane, bool) {
    let mut traffic = Traffic {
        network,
        smart: network.spec().axi().unwrap().router.smart.as_ref().unwrap(),
        draws: Stream::new(case.seed),
        expected: BTreeMap::new(),
        sums: BTreeMap::new(),
    };
    let mut begun = 0;
    for cycle in 0..LIMIT {
        while begun < case.messages && traffic.draws.below(3) > 0 {
            traffic.begin(&mut plane, u64::from(begun));
            begun += 1;
        }
        let stalls = |tile: TileId, salt: u64| {
            let key = (cycle << 20 | u64::from(tile.0) << 1 | salt) ^ case.seed;
            crate::kernel::random::mix(key) % 256 < case.stalls_per_256
        };
        plane.step(|tile| !stalls(tile, 0), |tile| !stalls(tile, 1));
        traffic.read(&mut plane);
        if begun == case.messages && traffic.expected.is_empty() && traffic.sums.is_empty() {
            // Branches without destinations end later than the others.
            for _ in 0..2000 {
                plane.step(|_| true, |_| true);
                plane.settle();
            }
            return (plane, true);
        }
    }
    (plane, false)
}

proptest! {
    #![proptest_config(noccl_testkit::config(75, 300))]
    #[test]
    fn what_overlaps_completes_with_every_flit_once_and_every_sum_right(case in case()) {
        let network = case.network();
        let (plane, is_over) = run(&case, &network, plane(&network, 16));
        let found = diagnose(&plane, &network, LIMIT, LIMIT, Vec::new());
        prop_assert!(is_over, "{}", found);
        prop_assert!(plane.is_idle(), "something is held at the end");
        let loads: u64 = plane.link_loads().iter().map(|load| load.2).sum();
        prop_assert_eq!(loads, plane.flit_hops());
    }
}

/// Four inputs need three bits: a count of two bits waits for contributions that never come.
#[test]
fn counts_of_two_bits_never_end() {
    let network = noccl_testkit::network("smart_8x8");
    let all: Vec<Coord> = (0..64).map(|t| network.coord(TileId(t))).collect();
    let root = Coord::new(3, 3);
    let members: Vec<Coord> = all.into_iter().filter(|at| *at != root).collect();
    let table = network.shared_reduction(root, &members);
    for (most, is_whole) in [(0b111, true), (0b11, false)] {
        let mut plane = plane(&network, 0);
        plane.n.max_count = most;
        let id = plane.add_reduction(&table, 63, Combining::Count, 0);
        for member in &members {
            plane.send_contribution(network.tile_at(*member), id, &[]);
        }
        let mut is_complete = false;
        for _ in 0..1000 {
            plane.step(|_| true, |_| true);
            is_complete |= plane.deliveries.iter().any(|delivery| delivery.completes);
            plane.settle();
        }
        assert_eq!(is_complete, is_whole);
        let found = diagnose(&plane, &network, 1000, 20, Vec::new());
        assert_eq!(found.waits.is_empty(), is_whole, "{found}");
        assert_eq!(found.summary.contains("contributions"), !is_whole);
    }
}
