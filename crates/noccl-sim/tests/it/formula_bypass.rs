// SPDX-License-Identifier: Apache-2.0
//! Closed forms of routers that flits pass in flight: a path of up to `hpc_max` links in a line takes 1 + `setup_cycles` cycles.
//!
//! Over S = ⌈dx / H⌉ + ⌈dy / H⌉ paths a write takes 5 + 2 (1 + s) S + (n - 1) cycles, and so do reads and multicasts; a
//! barrier 5 + 2 (1 + s) S.

use crate::common::{cluster, cube, network_with, runtime};
use noccl_net::pairs::operands;
use noccl_net::tree::Cube;
use noccl_net::{Coord, MultiAddress, Network, TileRef};
use noccl_spec::RouterBypass;
use noccl_testkit::traces::{
    barrier as port_barrier, narrow_read, narrow_write, wide_multicast, wide_read, wide_reduction,
    wide_write,
};
use proptest::prelude::*;

fn network(width: u16, height: u16, hpc_max: u32, setup_cycles: u32) -> Network {
    let links = u32::from(width.max(height - 1));
    let set = [
        ("router.bypass.hpc_max", hpc_max.min(links)),
        ("router.bypass.setup_cycles", setup_cycles),
    ];
    network_with(&format!("collective_noc_{width}x{height}_bypass"), &set)
}

fn bypass_of(net: &Network) -> RouterBypass {
    let axi = net.spec().axi().unwrap();
    axi.router.bypass.expect("these networks have it")
}

/// The closed form of a round trip over so many columns and rows.
fn round_trip(net: &Network, (dx, dy): (u16, u16), beats: u32) -> u64 {
    let bypass = bypass_of(net);
    let along = |hops: u16| u64::from(u32::from(hops).div_ceil(bypass.hpc_max));
    5 + 2 * (1 + u64::from(bypass.setup_cycles)) * (along(dx) + along(dy)) + u64::from(beats) - 1
}

fn at(tile: TileRef) -> (u16, u16) {
    match tile {
        // Memory tiles stand west of the clusters.
        TileRef::Memory(row) => (0, row as u16),
        TileRef::Cluster(at) => (at.x + 1, at.y),
    }
}

fn apart(from: TileRef, to: TileRef) -> (u16, u16) {
    let ((ax, ay), (bx, by)) = (at(from), at(to));
    (ax.abs_diff(bx), ay.abs_diff(by))
}

/// The farthest member of a set in each direction.
fn farthest(from: TileRef, set: MultiAddress) -> (u16, u16) {
    set.members().fold((0, 0), |(dx, dy), member| {
        let (x, y) = apart(from, TileRef::Cluster(member));
        (dx.max(x), dy.max(y))
    })
}

/// Members of a whole aligned rectangle of a mesh, of at least two.
fn rectangle(width: u16, height: u16) -> impl Strategy<Value = MultiAddress> {
    let (columns, rows) = (width.ilog2(), height.ilog2());
    (0..=columns, 0..=rows)
        .prop_filter("at least two members", |(x, y)| x + y > 0)
        .prop_flat_map(move |(x, y)| {
            let (w, h) = (1 << x, 1 << y);
            (0..width / w, 0..height / h).prop_map(move |(i, j)| cube(i * w, j * h, w - 1, h - 1))
        })
}

/// Sides of meshes, also those that are no powers of two, in clusters.
fn sides() -> impl Strategy<Value = (u16, u16)> {
    prop::sample::select(vec![
        (4, 4),
        (8, 8),
        (16, 2),
        (2, 16),
        (5, 9),
        (11, 3),
        (1, 8),
        (16, 16),
    ])
}

fn tile(width: u16, height: u16) -> impl Strategy<Value = TileRef> {
    (0..width, 0..height).prop_map(|(x, y)| cluster(x, y))
}

/// Widths and heights, `hpc_max`, `setup_cycles`, a rectangle, an initiator, a target.
fn cases() -> impl Strategy<Value = (Network, MultiAddress, TileRef, TileRef)> {
    (sides(), 1..=8_u32, 1..=2_u32).prop_flat_map(|((w, h), hpc_max, setup)| {
        (rectangle(w, h), tile(w, h), tile(w, h))
            .prop_map(move |(set, from, to)| (network(w, h, hpc_max, setup), set, from, to))
    })
}

proptest! {
    #![proptest_config(noccl_testkit::config(15, 60))]

    #[test]
    fn writes_and_reads_take_their_closed_forms(
        (net, _, from, to) in cases(),
        beats in prop::sample::select(vec![1_u32, 2, 7, 64, 65]),
    ) {
        let memory = TileRef::Memory(at(to).1.into());
        let write = wide_write(from, to, beats);
        prop_assert_eq!(runtime(&net, 1, write), round_trip(&net, apart(from, to), beats));
        let read = wide_read(from, memory, beats);
        let distance = apart(from, memory);
        prop_assert_eq!(runtime(&net, 1, read), round_trip(&net, distance, beats));
        let read = narrow_read(from, memory);
        prop_assert_eq!(runtime(&net, 1, read), round_trip(&net, distance, 1));
        let write = narrow_write(from, to);
        prop_assert_eq!(runtime(&net, 1, write), round_trip(&net, apart(from, to), 1));
    }

    #[test]
    fn multicasts_take_the_round_trip_of_their_farthest_member(
        (net, set, from, _) in cases(),
        beats in prop::sample::select(vec![1_u32, 2, 7, 64, 65]),
    ) {
        let multicast = wide_multicast(from, set, beats);
        let expected = round_trip(&net, farthest(from, set), beats);
        prop_assert_eq!(runtime(&net, 1, multicast), expected);
    }

    #[test]
    fn barriers_take_the_round_trip_of_their_farthest_member((net, set, _, counter) in cases()) {
        let members = set.members().count();
        let barrier = port_barrier(set, counter);
        let expected = round_trip(&net, farthest(counter, set), 1);
        prop_assert_eq!(runtime(&net, members, barrier), expected);
    }
}

#[test]
fn a_barrier_of_256_clusters_takes_13_cycles_and_17_with_two_for_setup() {
    for (setup_cycles, expected) in [(1, 13), (2, 17)] {
        let net = network(16, 16, 8, setup_cycles);
        let barrier = port_barrier(cube(0, 0, 15, 15), cluster(8, 8));
        assert_eq!(runtime(&net, 256, barrier), expected);
    }
}

/// Cycles from the start to the sum of the router `here`: each operand follows the ones before it by an addition, once it is there.
fn sum_of(net: &Network, here: Coord, set: Cube, root: Coord) -> u64 {
    let bypass = bypass_of(net);
    let path = u64::from(bypass.setup_cycles) + 1;
    let senders = operands(here, set, root).filter(|from| *from != here);
    senders.fold(0, |sum, from| {
        let paths = from.hops_to(here).div_ceil(bypass.hpc_max);
        let arrives = sum_of(net, from, set, root) + path * u64::from(paths);
        sum.max(arrives) + ADDITION
    })
}

/// Of two 64-bit numbers, from the operands at a router to their sum.
const ADDITION: u64 = 5;

fn check_reduction(net: &Network, set: MultiAddress, to: Coord) {
    let (cube, root) = (net.cube(set), net.mesh_coord(to));
    let reduction = wide_reduction(set, TileRef::Cluster(to), 1);
    let sum = sum_of(net, root, cube, root);
    let expected = sum + round_trip(net, farthest(TileRef::Cluster(to), set), 1)
        - one_path_there(net, farthest(TileRef::Cluster(to), set));
    let cycles = runtime(net, set.members().count(), reduction);
    assert_eq!(cycles, expected, "{set} into {to}");
}

/// What a round trip has twice.
fn one_path_there(net: &Network, distance: (u16, u16)) -> u64 {
    (round_trip(net, distance, 1) - round_trip(net, (0, 0), 1)) / 2
}

#[test]
fn one_beat_meets_in_pairs_and_takes_its_closed_form_into_every_root() {
    for (hpc_max, setup_cycles) in [(8, 1), (2, 1), (3, 2)] {
        let net = network(8, 4, hpc_max, setup_cycles);
        for set in [
            cube(0, 0, 7, 3),
            cube(4, 0, 3, 1),
            cube(0, 2, 7, 0),
            cube(1, 0, 0, 3),
        ] {
            for to in set.members() {
                check_reduction(&net, set, to);
            }
        }
    }
}

/// In the corner of 8×8: three additions and three paths along the row, three of each along the column, the response's paths.
#[test]
fn a_sum_of_64_clusters_into_a_corner_takes_51_cycles() {
    let net = network(8, 8, 8, 1);
    let (set, to) = (cube(0, 0, 7, 7), Coord::new(0, 0));
    check_reduction(&net, set, to);
    let reduction = wide_reduction(set, TileRef::Cluster(to), 1);
    assert_eq!(runtime(&net, 64, reduction), 5 + 6 * (2 + ADDITION) + 4);
}
