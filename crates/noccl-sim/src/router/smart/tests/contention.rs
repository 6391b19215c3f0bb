// SPDX-License-Identifier: Apache-2.0
//! Priority `bypass`: who wins a link, that a request whose flit does not come wins it too, and that nobody waits for ever.

use super::super::contend::LOCAL_EVERY;
use super::super::packet::Combining;
use super::super::plane::SmartPlane;
use super::{network, plane, run};
use crate::kernel::random::Stream;
use noccl_net::{Coord, Network, TileId};

pub(super) fn row(fields: &[(&str, &str)]) -> Network {
    network("smart_8x1", fields)
}

fn at(network: &Network, x: u16) -> TileId {
    network.tile_at(Coord::new(x, 0))
}

pub(super) const BYPASS: (&str, &str) = ("priority", "\"bypass\"");

/// A from 0 to 3, B from 1 to 6, C from 4 to 7: cycles in which they are delivered, counted from the one in which all are queued.
pub(super) fn three(network: &Network, plane: &mut SmartPlane, queued: u64) -> [u64; 3] {
    plane.skip_to(queued);
    for (from, to, tag) in [(0, 3, 0), (1, 6, 1), (4, 7, 2)] {
        plane.send_unicast(at(network, from), at(network, to), 1, tag);
    }
    let mut delivered = [0; 3];
    for (cycle, _, tag) in run(plane) {
        delivered[tag as usize] = cycle;
    }
    delivered
}

/// All ask in the same cycle. A wins links 0 to 2. B has lost its own first link to A, and its request still wins link 4 of C: that
/// idles. Then B goes and ends C's request again, and C goes last.
#[test]
fn request_from_farthest_away_wins_and_idles_a_link_to_which_its_flit_does_not_come() {
    for (setup, paths) in [(1, 2), (2, 3)] {
        let setup_cycles = setup.to_string();
        let network = row(&[BYPASS, ("setup_cycles", &setup_cycles)]);
        let three = |network: &Network, queued: u64| three(network, &mut plane(network, 0), queued);
        let alone = 1 + paths * 2;
        assert_eq!(three(&network, 0), [alone, alone + 1, alone + 2]);
        // If the order is that of priority local after A has gone, B and C go at once, B as far as C.
        let last = LOCAL_EVERY - 1 - setup;
        assert_eq!(three(&network, last), [alone, alone + 1 + paths, alone + 1]);
        // And if it is that at once, all of them.
        let local = row(&[("setup_cycles", &setup_cycles)]);
        let nearest_first = three(&local, 0);
        assert_eq!(nearest_first, [alone + paths, alone + paths, alone]);
        assert_eq!(three(&network, LOCAL_EVERY - setup), nearest_first);
    }
}

/// Tiles 0 and 5 send to 7 for ever, over link 5, from 5 hops away and from none: deliveries of each, and the longest gap of the nearer one.
fn two_for_ever(network: &Network, plane: &mut SmartPlane, cycles: u64) -> ([u64; 2], u64) {
    let (mut delivered, mut last, mut gap) = ([0; 2], 0, 0);
    for cycle in 0..cycles {
        for (from, tag) in [(0, 0), (5, 1)] {
            plane.send_unicast(at(network, from), at(network, 7), 1, tag);
        }
        plane.step(|_| true, |_| true);
        for delivery in &plane.deliveries {
            delivered[delivery.tag as usize] += 1;
            if delivery.tag == 1 {
                gap = gap.max(cycle - last);
                last = cycle;
            }
        }
        plane.settle();
    }
    (delivered, gap.max(cycles - last))
}

#[test]
fn nearer_tile_waits_a_bounded_time_and_without_the_bound_for_ever() {
    let network = row(&[BYPASS, ("vcs", "8")]);
    let mut bounded = plane(&network, 0);
    let (delivered, gap) = two_for_ever(&network, &mut bounded, 4_000);
    let channels = bounded.n.channels() as u64;
    assert!(gap <= LOCAL_EVERY * channels, "{delivered:?}, {gap}");
    assert!(delivered[0] > 2_500, "{delivered:?}");

    let mut unbounded = plane(&network, 0);
    unbounded.contention.as_mut().unwrap().local_every = u64::MAX;
    let (delivered, gap) = two_for_ever(&network, &mut unbounded, 4_000);
    // Its first flit goes in cycle 1, before the other tile's are there.
    assert!(delivered[0] > 3_900 && delivered[1] <= 1, "{delivered:?}");
    assert!(gap > 3_900);
}

/// Deliveries of random unicasts and reductions.
fn deliveries(network: &Network) -> Vec<(u64, TileId, u64)> {
    let mut plane = plane(network, 0);
    let mut draws = Stream::new(7);
    let tiles = network.num_tiles() as u64;
    let all: Vec<Coord> = (0..tiles as u32)
        .map(|tile| network.coord(TileId(tile)))
        .collect();
    for tag in 0..300 {
        let mut tile = || TileId(draws.below(tiles) as u32);
        let (from, to) = (tile(), tile());
        if tag % 10 == 0 {
            let table = network.shared_reduction(network.coord(to), &all);
            let id = plane.add_reduction(&table, tiles as u32, Combining::Count, tag);
            for member in &all {
                plane.send_contribution(network.tile_at(*member), id, &[]);
            }
        } else {
            plane.send_unicast(from, to, 1 + (tag % 5) as u16, tag);
        }
    }
    let found = run(&mut plane);
    assert_eq!(found.len(), 300);
    found
}

#[test]
fn priorities_are_one_where_no_router_is_passed() {
    for (preset, hpc_max, are_equal) in [
        ("smart_5x4_collective", "1", true),
        ("smart_5x4", "8", false),
    ] {
        let with = |priority: &str| {
            network(
                preset,
                &[
                    ("hpc_max", hpc_max.to_owned()),
                    ("priority", priority.to_owned()),
                ],
            )
        };
        let (local, bypass) = (with("\"local\""), with("\"bypass\""));
        assert_eq!(deliveries(&local) == deliveries(&bypass), are_equal);
    }
}

#[test]
fn greedy_reductions_are_opportunistic_ones_with_priority_local() {
    for scope in ["\"router\"", "\"input_port\"", "\"interface\""] {
        let with = |reduction: &str, priority: &str| {
            let fields = [
                ("merge_scope", scope),
                ("reduction", reduction),
                ("priority", priority),
            ];
            let fields = fields.map(|(field, value)| (field, value.to_owned()));
            deliveries(&network("smart_5x4", &fields))
        };
        let opportunistic = with("\"opportunistic\"", "\"local\"");
        assert_eq!(with("\"greedy\"", "\"local\""), opportunistic);
        let greedy = with("\"greedy\"", "\"bypass\"");
        assert_ne!(greedy, with("\"opportunistic\"", "\"bypass\""));
        assert_ne!(greedy, opportunistic);
    }
}
