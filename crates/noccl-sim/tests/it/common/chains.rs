// SPDX-License-Identifier: Apache-2.0
//! Chains of Torrent endpoints, shared by the tests about them.

use super::{hand_written, image, length_of};
use noccl_net::{Coord, Network, TileRef};
use noccl_run::{MemoryImage, Mode, RunConfig, RunResult};
use noccl_sim::ScheduleRun;
use noccl_sim::checkpoint::{Reader, Writer};
use noccl_testkit::schedules::at_once;
use noccl_testkit::{Random, actions, place};
use noccl_workload::{ActionKind, Chain, Schedule};
use std::io::Cursor;

/// Tiles in a snake: up the first column, down the second.
pub fn snake(net: &Network) -> Vec<Coord> {
    let (width, height) = (net.cluster_width(), net.cluster_height());
    let column = |x: u16| {
        let up: Vec<_> = (0..height).map(|y| Coord::new(x, y)).collect();
        let is_up = x.is_multiple_of(2);
        if is_up {
            up
        } else {
            up.into_iter().rev().collect()
        }
    };
    (0..width).flat_map(column).collect()
}

pub fn chain(from: Coord, destinations: &[Coord], bytes: u64) -> Chain {
    let tile = |at: &Coord| TileRef::Cluster(*at);
    let destinations: Vec<TileRef> = destinations.iter().map(tile).collect();
    actions::chain(tile(&from), &destinations, 0x8_0000, bytes)
}

pub fn schedule(chains: &[Chain]) -> Schedule {
    at_once(chains.iter().cloned().map(ActionKind::Chain))
}

pub fn bytes_of(seed: u64, bytes: u64) -> Vec<u8> {
    (0..bytes)
        .map(|i| (i * 31 + seed * 7 + i / 251) as u8)
        .collect()
}

/// What every chain sends.
fn inputs(chains: &[Chain]) -> Vec<MemoryImage> {
    let numbered = chains.iter().zip(0..);
    numbered
        .map(|(c, i)| image(c.initiator, c.source.offset, bytes_of(i, c.bytes)))
        .collect()
}

/// Runs in both modes, compares them, and every destination's bytes with the source's.
pub fn run(net: &Network, chains: &[Chain]) -> RunResult {
    let schedule = &schedule(chains);
    noccl_workload::check(net, schedule).expect("a right program");
    let inputs = inputs(chains);
    let mut outputs = Vec::new();
    for (i, chain) in chains.iter().enumerate() {
        for destination in &chain.destinations {
            let place = place(destination.tile, destination.pattern.offset);
            outputs.push((place, chain.bytes, i as u64));
        }
    }
    let places: Vec<_> = outputs.iter().map(|(p, b, _)| (*p, *b)).collect();
    let value = hand_written::run(net, schedule, &inputs, &places).expect("every chain ends");
    for (image, (place, bytes, seed)) in value.memory.iter().zip(&outputs) {
        assert!(
            image.bytes == bytes_of(*seed, *bytes),
            "{} has other bytes",
            place.tile
        );
    }
    value
}

/// The schedule's chain numbered `i`, whose bytes lie apart from every other's.
pub fn apart(i: u64, from: Coord, destinations: &[Coord], bytes: u64) -> Chain {
    let mut chain = chain(from, destinations, bytes);
    chain.source.offset = i * 0x4000;
    for destination in &mut chain.destinations {
        destination.pattern.offset = 0x8_0000 + i * 0x4000;
    }
    chain
}

/// Up to 12 chains of up to 19 destinations each, all at once, several per initiator.
pub fn overlapping(seed: u64, net: &Network) -> Vec<Chain> {
    let mut draw = Random(seed);
    let all = snake(net);
    let num_chains = 2 + draw.below(11);
    (0..num_chains)
        .map(|i| {
            let from = *draw.pick(&all);
            let mut rest = all.clone();
            let num_destinations = 1 + draw.below(all.len() as u64 - 1);
            let destinations: Vec<Coord> = (0..num_destinations)
                .map(|_| rest.swap_remove(draw.index(rest.len())))
                .collect();
            let beats = *draw.pick(&[1, 2, 8, 63, 64, 65, 130, 200]);
            apart(i, from, &destinations, beats * 64)
        })
        .collect()
}

/// Cycles from the commit of the task until it is done.
pub fn cycles(net: &Network, destinations: &[Coord], bytes: u64) -> u64 {
    let chain = chain(snake(net)[0], destinations, bytes);
    length_of(&run(net, &[chain]), 0)
}

/// The same for 64 KiB to one to eight destinations along the snake, and their mean.
pub fn cycles_of_one_to_eight(net: &Network) -> (Vec<f64>, f64) {
    let snake = snake(net);
    let of = |n: usize| cycles(net, &snake[1..=n], 64 << 10) as f64;
    let found: Vec<f64> = (1..=8).map(of).collect();
    let mean = found.iter().sum::<f64>() / 8.0;
    (found, mean)
}

/// Random sets of overlapping chains, as many as are asked for, all end with the right bytes.
pub fn check_overlapping(net: &Network, default: u32, long: u32) {
    for seed in 0..noccl_testkit::cases(default, long).into() {
        run(net, &overlapping(seed, net));
    }
}

/// Links between two clusters.
pub fn hops(from: Coord, to: Coord) -> u64 {
    u64::from(from.x.abs_diff(to.x) + from.y.abs_diff(to.y))
}

/// docs/timing.md: the endpoint's own cycles per destination and once, two narrow trips and a wide one per segment, the tail's
/// configuration, beats and AWs.
pub fn formula(
    (per_destination, once): (u64, u64),
    path_cycles: u64,
    from: Coord,
    destinations: &[Coord],
    beats: u64,
) -> u64 {
    let one_path = |a: Coord, b: Coord| path_cycles + 2 * (hops(a, b) + 1);
    let segments: Vec<_> = std::iter::once(from)
        .chain(destinations.iter().copied())
        .collect();
    let trips: u64 = segments
        .windows(2)
        .map(|segment| 3 * one_path(segment[0], segment[1]))
        .sum();
    let tail = *destinations.last().unwrap();
    let data = beats + beats.div_ceil(64) - 1;
    per_destination * destinations.len() as u64 + trips + one_path(from, tail) + data + once
}

/// Interrupted in every phase of overlapping chains, saved, loaded and gone on with.
pub fn check_checkpoints(net: &Network) {
    let chains = overlapping(3, net);
    let schedule = schedule(&chains);
    let config = RunConfig::new(Mode::Value);
    let inputs = inputs(&chains);
    let last = &chains[0].destinations[0];
    let outputs = [(place(last.tile, last.pattern.offset), chains[0].bytes)];
    let mut whole = ScheduleRun::new(net, &schedule, &inputs, &config).unwrap();
    whole.advance(&mut |_| true).unwrap();
    let whole = whole.result(&outputs);
    let mut run = ScheduleRun::new(net, &schedule, &inputs, &config).unwrap();
    while !run.is_over() {
        for _ in 0..37 {
            if !run.is_over() {
                run.step().unwrap();
            }
        }
        let mut writer = Writer::new(Vec::new()).unwrap();
        run.save(&mut writer).unwrap();
        let mut reader = Reader::open(Cursor::new(writer.finish().unwrap())).unwrap();
        run = ScheduleRun::load(net, &schedule, &config, &mut reader).unwrap();
        reader.finish().unwrap();
    }
    assert_eq!(run.result(&outputs), whole);
}

/// Two chains over the same destinations in opposite orders, and two in which their initiators follow each other.
pub fn in_opposite_orders(beats: u64) -> [Chain; 4] {
    let at = Coord::new;
    let destinations = [at(1, 1), at(2, 2), at(3, 1)];
    let mut back = destinations;
    back.reverse();
    [
        apart(0, at(0, 0), &destinations, beats * 64),
        apart(1, at(4, 3), &back, beats * 64),
        apart(2, at(0, 0), &[at(4, 3), at(1, 1)], beats * 64),
        apart(3, at(4, 3), &[at(0, 0), at(2, 2)], beats * 64),
    ]
}
