// SPDX-License-Identifier: Apache-2.0
//! An unloaded wide reduction takes the cycles of its closed form into every root of every rectangle.
//!
//! `docs/timing.md`, *Reductions*. What the tests vary is where operands meet: how many inputs a router has, and which,
//! follows from rectangle and root alone.

use crate::common::{cluster, cube, network, runtime};
use noccl_net::tree::{Cube, contributor, join_set};
use noccl_net::{Coord, Network, Port};
use noccl_testkit::traces::wide_reduction;

/// Several windows long, so that credits that come back a cycle late show.
const BEATS: u32 = 64;

/// Aligned rectangles of up to `side` by `side` clusters: those that are one multi-address.
fn rectangles(least: u16, side: u16) -> impl Iterator<Item = (Coord, Coord)> {
    let lengths = move || {
        (0..5)
            .map(|e| 1 << e)
            .filter(move |l| (least..=side).contains(l))
    };
    let starts = move |length: u16| (0..side).step_by(length.into());
    let extents = move || lengths().flat_map(move |l| starts(l).map(move |at| (at, l)));
    extents().flat_map(move |(x, width)| {
        extents().map(move |(y, height)| (Coord::new(x, y), Coord::new(width, height)))
    })
}

/// Cycles from the first operand at a router to its sum: FP64, up to three operands in one pass, more in two.
fn fold_cycles(operands: u32) -> u64 {
    [0, 0, 5, 8, 13, 16][operands as usize]
}

/// Path of the slowest contribution to the root in an idle network, and the operands of the router that has most.
fn slowest_path(here: Coord, set: Cube, root: Coord) -> (u64, u32) {
    let inputs = join_set(here, set, root);
    let operands = inputs.count_ones();
    let from = |port: Port| {
        if port == Port::Local {
            return (0, operands);
        }
        let at = contributor(here, port, set, root);
        let (cycles, most) = slowest_path(at, set, root);
        (cycles + 2 * u64::from(here.hops_to(at)), most)
    };
    let ports = Port::ALL.into_iter().filter(|p| inputs & p.bit() != 0);
    let (cycles, most) = ports
        .map(from)
        .fold((0, operands), |(c, m), one| (c.max(one.0), m.max(one.1)));
    (cycles + fold_cycles(operands), most)
}

/// Calls `check` with the runtime, the closed form of one beat and the most operands, for every root of a rectangle.
fn for_every_root(
    net: &Network,
    (start, size): (Coord, Coord),
    beats: u32,
    check: impl Fn(u64, u64, u32, &str),
) {
    let members =
        || (0..size.x).flat_map(|x| (0..size.y).map(move |y| Coord::new(start.x + x, start.y + y)));
    let group = cube(start.x, start.y, size.x - 1, size.y - 1);
    for to in members() {
        let root = net.mesh_coord(to);
        let (ahead, most) = slowest_path(root, net.cube(group), root);
        let farthest = members().map(|m| m.hops_to(to)).max().unwrap_or(0);
        let kind = wide_reduction(group, cluster(to.x, to.y), beats);
        let cycles = runtime(net, usize::from(size.x * size.y), kind);
        let what = format!("{}x{} at {start} into {to}, {beats} beats", size.x, size.y);
        check(cycles, 5 + ahead + 2 * u64::from(farthest), most, &what);
    }
}

#[test]
fn one_beat_takes_its_closed_form_into_every_root_of_every_rectangle() {
    let net = network("collective_noc_4x4");
    for rectangle in rectangles(1, 4) {
        for_every_root(&net, rectangle, 1, |cycles, expected, _, what| {
            assert_eq!(cycles, expected, "{what}");
        });
    }
}

#[test]
fn every_root_with_up_to_three_operands_takes_a_beat_per_cycle() {
    for (preset, least, side) in [("collective_noc_4x4", 1, 4), ("collective_noc_8x8", 4, 8)] {
        let net = network(preset);
        for rectangle in rectangles(least, side) {
            for_every_root(&net, rectangle, BEATS, |cycles, one, most, what| {
                let expected = one + u64::from(BEATS) - 1;
                if most <= 3 {
                    assert_eq!(cycles, expected, "{what}");
                }
            });
        }
    }
}

/// Four and five operands take two passes; sums that go back into the store wait for operands that come in.
#[test]
fn every_root_with_more_operands_takes_two_to_two_and_a_half_cycles_per_beat() {
    let net = network("collective_noc_4x4");
    for rectangle in rectangles(2, 4) {
        for_every_root(&net, rectangle, BEATS, |cycles, one, most, what| {
            if most > 3 {
                let pace = (cycles - one) as f64 / f64::from(BEATS - 1);
                assert!((1.9..=2.5).contains(&pace), "{what}: {pace}");
            }
        });
    }
}
