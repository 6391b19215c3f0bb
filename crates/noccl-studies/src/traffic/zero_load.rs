// SPDX-License-Identifier: Apache-2.0
//! Latency of a pattern's packets in an otherwise empty network.

use noccl_net::counts::max_or_zero;
use noccl_net::{Coord, Network};
use noccl_workload::{MAX_RANDOM_MEMBERS, Pattern};

/// Mean latency of a packet in an otherwise empty network, over all packets of a pattern.
///
/// One packet over h hops takes 2h + 2 cycles to its first beat's handshake at the target (two cycles
/// per hop, and the two stages of the first router, as for every router on the path) and one more per
/// further beat; links and FIFOs of other sizes change what a hop and a beat take, and routers without links have one stage and no
/// hops, and routers with bypass pass several hops in a cycle. Words between cores are written and read without cycles of software. Every target of a row's multicast counts, of other multicasts and of reductions the last one.
/// Copies of unicasts in place of a multicast follow each other without a gap, contributions that nobody combines do not wait for each
/// other: there it is a lower bound. The published router sends an AW flit first.
#[must_use]
pub fn zero_load_latency_cycles(network: &Network, pattern: Pattern, beats: u32) -> f64 {
    let (width, height) = (network.cluster_width(), network.cluster_height());
    let address_flits = network.routers().address_flits;
    let serial = network.flit_cycles() * (address_flits + beats - 1);
    let all = || (0..width).flat_map(move |x| (0..height).map(move |y| Coord::new(x, y)));
    let (mut sum, mut count) = (0.0, 0.0);
    let mut add = |cycles: f64| {
        sum += cycles + f64::from(serial);
        count += 1.0;
    };
    let mesh = |at: Coord| network.mesh_coord(at);
    let alone = |from: Coord, to: Coord| network.idle_cycles(mesh(from), mesh(to));
    for from in all() {
        match pattern {
            Pattern::Uniform => all()
                .filter(|to| *to != from)
                .for_each(|to| add(f64::from(alone(from, to)))),
            Pattern::Transpose
            | Pattern::BitComplement
            | Pattern::Neighbour
            | Pattern::Tornado
            | Pattern::Hotspot => {
                if let Some(to) = pattern.destination(from, width, height) {
                    add(f64::from(alone(from, to)));
                }
            }
            Pattern::Broadcast | Pattern::CornerBroadcast => {
                if pattern.sends(from, width, height) {
                    let cycles = copies(network, mesh(from));
                    add(f64::from(max_or_zero(cycles)));
                }
            }
            Pattern::RandomMulticast => {
                let cycles = copies(network, mesh(from));
                add(mean_of_last(&cycles));
            }
            Pattern::ManyToOne => {
                let others = all().filter(|other| *other != from);
                let last = max_or_zero(others.map(|other| alone(other, from)));
                add(f64::from(last));
            }
            Pattern::RowMulticast => (0..width).for_each(|x| {
                let to = mesh(Coord::new(x, from.y));
                add(f64::from(network.idle_copy_cycles(mesh(from), to)));
            }),
        }
    }
    if count == 0.0 { 0.0 } else { sum / count }
}

/// Cycles to the copies of a broadcast, ascending. The source's own copy is never the last one.
fn copies(network: &Network, from: Coord) -> Vec<u32> {
    let others = network.clusters().map(|tile| network.coord(tile));
    let others = others.filter(|to| *to != from);
    let gap = u32::from(network.copies_are_unicasts());
    let cycles = (0..).zip(others);
    let cycles = cycles.map(|(before, to)| gap * before + network.idle_copy_cycles(from, to));
    let mut cycles: Vec<u32> = cycles.collect();
    cycles.sort_unstable();
    cycles
}

/// Expected latency of the last copy to a random set: each number of members is equally likely, and so is each set of them.
fn mean_of_last(cycles: &[u32]) -> f64 {
    let most = cycles.len().min(MAX_RANDOM_MEMBERS as usize);
    let mut sum = 0.0;
    for members in 2..=most {
        // How probable it is that all members are among the first ones.
        let mut within = 1.0;
        for last in (members - 1..cycles.len()).rev() {
            let fewer = within * (last + 1 - members) as f64 / (last + 1) as f64;
            sum += (within - fewer) * f64::from(cycles[last]);
            within = fewer;
        }
    }
    sum / (most - 1).max(1) as f64
}
