// SPDX-License-Identifier: Apache-2.0
//! Complete reductions beside the messages of a coherence protocol: what comes in an order that S2 leaves open, ids and counts at their limits.

use super::super::diagnose::diagnose;
use super::super::packet::Combining;
use super::super::plane::SmartPlane;
use super::{network, plane, run};
use noccl_net::{Coord, Network, TileId};
use noccl_run::Diagnosis;

/// What a diagnosis is made after.
const CYCLES: u64 = 1000;
/// A line of memory: a head and four flits of data.
const DATA_FLITS: u16 = 5;

const REDUCTION: u64 = 1;
const MULTICAST: u64 = 2;
const DATA: u64 = 3;

fn all(network: &Network) -> Vec<Coord> {
    (0..network.num_tiles() as u32)
        .map(|tile| network.coord(TileId(tile)))
        .collect()
}

fn all_but(network: &Network, root: Coord) -> Vec<Coord> {
    let mut members = all(network);
    members.retain(|at| *at != root);
    members
}

fn open(
    network: &Network,
    plane: &mut SmartPlane,
    root: Coord,
    members: &[Coord],
    tag: u64,
) -> u32 {
    let table = network.shared_reduction(root, members);
    plane.add_reduction(&table, members.len() as u32, Combining::Count, tag)
}

fn contribute(network: &Network, plane: &mut SmartPlane, id: u32, members: &[Coord]) {
    for member in members {
        plane.send_contribution(network.tile_at(*member), id, &[]);
    }
}

fn broadcast(network: &Network, plane: &mut SmartPlane, root: Coord) {
    let trees = network.multicast_trees().unwrap();
    let tree = plane.add_multicast(network, trees, root, &all_but(network, root));
    plane.send_multicast(network.tile_at(root), tree, 1, MULTICAST);
}

/// Does no router count any contribution?
fn are_tables_free(plane: &SmartPlane) -> bool {
    plane.table.waiting().next().is_none()
}

/// Tags of what completes, and why nothing moves in the end.
fn run_and_diagnose(network: &Network, plane: &mut SmartPlane) -> (Vec<u64>, Diagnosis) {
    let (mut complete, mut last) = (Vec::new(), 0);
    for cycle in 0..CYCLES {
        if plane.step(|_| true, |_| true) {
            last = cycle;
        }
        let done = plane.deliveries.iter().filter(|done| done.completes);
        complete.extend(done.map(|done| done.tag));
        plane.settle();
    }
    let found = diagnose(plane, network, CYCLES, last, Vec::new());
    complete.sort_unstable();
    (complete, found)
}

/// S2's responder that has the line sends it. If it sends no acknowledgement beside it, routers wait for one for ever.
#[test]
fn data_in_place_of_an_acknowledgement_leaves_the_reduction_open_and_beside_it_does_not() {
    let network = noccl_testkit::network("smart_8x8");
    let root = Coord::new(3, 3);
    let responders = all_but(&network, root);
    for owner in [
        Coord::new(0, 0),
        Coord::new(2, 3),
        Coord::new(3, 7),
        Coord::new(7, 5),
    ] {
        for acknowledges in [true, false] {
            let mut plane = plane(&network, 0);
            let id = open(&network, &mut plane, root, &responders, REDUCTION);
            let mut acknowledging = responders.clone();
            acknowledging.retain(|at| *at != owner || acknowledges);
            contribute(&network, &mut plane, id, &acknowledging);
            let (from, to) = (network.tile_at(owner), network.tile_at(root));
            plane.send_unicast(from, to, DATA_FLITS, DATA);

            let (complete, found) = run_and_diagnose(&network, &mut plane);
            if acknowledges {
                assert_eq!(complete, [REDUCTION, DATA], "{owner}: {found}");
                assert_eq!(plane.result(id).0, 1);
                assert!(are_tables_free(&plane) && found.waits.is_empty(), "{found}");
            } else {
                assert_eq!(complete, [DATA], "{owner}");
                assert!(found.summary.contains("contributions"), "{found}");
                let entry = format!("reduction {}", plane.reductions[id as usize].id.unwrap());
                let path: Vec<Coord> = network.path(owner, root).map(|(at, _)| at).collect();
                let waits = found.waits.iter().filter(|wait| wait.waiter == entry);
                let places: Vec<&str> = waits.map(|wait| wait.place.as_str()).collect();
                assert!(!places.is_empty(), "{found}");
                for place in places {
                    let is_there = |at: &Coord| place.ends_with(&format!("router {at}"));
                    assert!(path.iter().any(is_there), "{place}");
                }
            }
        }
    }
}

/// Acknowledgements of a broadcast that has not left yet: the first one reserves an entry, and copies that come later reserve none.
#[test]
fn contributions_before_their_multicast_are_counted_and_late_copies_reserve_nothing() {
    for preset in ["smart_5x4", "smart_5x4_private"] {
        let network = noccl_testkit::network(preset);
        for (root, held) in [
            (Coord::new(0, 0), 3),
            (Coord::new(2, 1), 5),
            (Coord::new(4, 3), 8),
        ] {
            // The multicast overtakes none, some or all of the contributions.
            let responders = all_but(&network, root);
            let mut plane = plane(&network, 0);
            let id = open(&network, &mut plane, root, &responders, REDUCTION);
            contribute(&network, &mut plane, id, &responders[held..]);
            for _ in 0..4 {
                plane.step(|_| true, |_| true);
                plane.settle();
            }
            broadcast(&network, &mut plane, root);
            contribute(&network, &mut plane, id, &responders[..held]);
            let found = run(&mut plane);
            let of = |tag: u64| found.iter().filter(move |done| done.2 == tag).count();
            assert_eq!((of(REDUCTION), of(MULTICAST)), (1, responders.len()));
            assert_eq!(plane.result(id).0, 1);
            plane.close(id);

            // All of it is over, and the copies come now.
            broadcast(&network, &mut plane, root);
            run(&mut plane);
            assert!(are_tables_free(&plane), "a copy reserves an entry again");
            let next = open(&network, &mut plane, root, &responders, REDUCTION);
            contribute(&network, &mut plane, next, &responders);
            assert_eq!(run(&mut plane).len(), 1);
        }
    }
}

/// Five inputs where the root contributes itself; 63 others without it are four.
#[test]
fn routers_count_five_inputs_where_the_root_contributes() {
    let network = noccl_testkit::network("smart_8x8");
    let root = Coord::new(3, 3);
    for (members, inputs) in [(all(&network), 5), (all_but(&network, root), 4)] {
        for (most, is_whole) in [(inputs, true), (inputs - 1, false)] {
            let mut plane = plane(&network, 0);
            plane.n.max_count = most;
            let id = open(&network, &mut plane, root, &members, REDUCTION);
            let largest = plane.reductions[id as usize].inputs.iter().max();
            assert_eq!(largest, Some(&most));
            contribute(&network, &mut plane, id, &members);
            let (complete, found) = run_and_diagnose(&network, &mut plane);
            assert_eq!(complete.len() == 1, is_whole, "{found}");
            assert_eq!(found.waits.is_empty(), is_whole, "{found}");
        }
    }
}

/// An id belongs to its reduction until the root has the result, however long that stands before the root's interface.
#[test]
fn id_is_used_again_when_the_root_has_the_result_and_not_before() {
    let network = network("smart_4x4", &[("reduction_table_entries", "1".to_owned())]);
    let (root, others) = (Coord::new(1, 2), all_but(&network, Coord::new(1, 2)));
    let mut plane = plane(&network, 0);
    let first = open(&network, &mut plane, root, &others, REDUCTION);
    contribute(&network, &mut plane, first, &others);
    let home = network.tile_at(root);
    for _ in 0..100 {
        plane.step(|tile| tile != home, |_| true);
        assert!(plane.deliveries.is_empty());
    }
    // Every router has freed its entry, and the last contribution waits.
    assert!(are_tables_free(&plane) && !plane.has_free_id());
    let second = open(&network, &mut plane, root, &others, MULTICAST);
    assert!(plane.is_counting(first) && !plane.is_counting(second));
    contribute(&network, &mut plane, second, &others);
    let tags: Vec<u64> = run(&mut plane).iter().map(|done| done.2).collect();
    assert_eq!(tags, [REDUCTION, MULTICAST]);
    let messages = |id: u32| plane.result(id).0;
    assert_eq!((messages(first), messages(second)), (1, 15));
    plane.close(first);
    plane.close(second);
    let third = open(&network, &mut plane, root, &others, REDUCTION);
    assert!(plane.is_counting(third));
}

/// More reductions than entries: those that have none go one by one, beside the others.
#[test]
fn reductions_beyond_a_full_table_come_one_by_one() {
    for entries in [1, 3, 8] {
        let network = network(
            "smart_4x4",
            &[("reduction_table_entries", entries.to_string())],
        );
        let mut plane = plane(&network, 0);
        let roots = [(0, 0), (3, 1), (1, 2), (2, 3), (3, 3)].map(|(x, y)| Coord::new(x, y));
        let mut opened = Vec::new();
        for root in roots {
            let others = all_but(&network, root);
            let id = open(&network, &mut plane, root, &others, REDUCTION);
            contribute(&network, &mut plane, id, &others);
            opened.push(id);
        }
        assert_eq!(run(&mut plane).len(), roots.len());
        for (index, id) in opened.into_iter().enumerate() {
            let is_counted = index < entries;
            assert_eq!(plane.is_counting(id), is_counted);
            assert_eq!(plane.result(id).0, if is_counted { 1 } else { 15 });
        }
    }
}
