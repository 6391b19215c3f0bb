// SPDX-License-Identifier: Apache-2.0
//! Schedules of one to three actions.

use super::CalibrationRun;
use crate::ModelError;
use crate::constants::{Constant, Law};
use crate::polling::{response_cycles, seen_full};
use noccl_net::counts::max_or_zero;
use noccl_net::{AxiNetwork, Coord, MultiAddress, Network, TileRef, TileSet, cover};
use noccl_spec::{Cluster, Plane};
use noccl_workload::{
    Action, ActionId, ActionKind, Barrier, BarrierMechanism, Destination, ElementType, LocalReduce,
    Operator, Place, SCHEDULE_FORMAT, Schedule, Transfer,
};
use std::collections::BTreeMap;

/// Cluster that acts.
pub(super) const ORIGIN: Coord = Coord::new(0, 0);
/// Results are written here, behind the inputs.
pub(super) const OUTPUT: u64 = 0x8000;

pub(super) fn run(
    name: String,
    law: Law,
    kinds: Vec<ActionKind>,
    terms: Vec<(Constant, f64)>,
) -> CalibrationRun {
    let action = |(index, kind): (usize, ActionKind)| Action {
        kind,
        after: index
            .checked_sub(1)
            .map(|before| ActionId(before as u32))
            .into_iter()
            .collect(),
    };
    CalibrationRun {
        name,
        law,
        schedule: Schedule {
            format: SCHEDULE_FORMAT,
            first: None,
            claims_rounds: false,
            algorithm: "calibration".to_owned(),
            parameters: BTreeMap::new(),
            collective: None,
            actions: kinds.into_iter().enumerate().map(action).collect(),
        },
        terms,
    }
}

/// The south-west cluster's DMA moves lines of whole beats.
pub(super) fn transfer(
    network: AxiNetwork<'_>,
    source: Place,
    destination: Destination,
    beats: u64,
    lines: u32,
) -> ActionKind {
    ActionKind::Transfer(line(network, source, destination, beats, lines))
}

pub(super) fn line(
    network: AxiNetwork<'_>,
    source: Place,
    destination: Destination,
    beats: u64,
    lines: u32,
) -> Transfer {
    let bytes = beats * network.axi().ni.wide_beat();
    let stride = if lines > 1 { bytes } else { 0 };
    Transfer {
        initiator: TileRef::Cluster(ORIGIN),
        source,
        destination,
        bytes,
        rows: lines,
        source_stride: stride,
        destination_stride: stride,
    }
}

pub(super) fn additions(at: Coord, beats: u64) -> ActionKind {
    ActionKind::LocalReduce(LocalReduce {
        tile: TileRef::Cluster(at),
        inputs: vec![0, OUTPUT / 2],
        output: OUTPUT,
        bytes: beats * Cluster::COMPUTE_BEAT_BYTES,
        operator: Operator::Sum,
        element: ElementType::Fp64,
    })
}

pub(super) fn barrier(group: TileSet, mechanism: BarrierMechanism) -> ActionKind {
    ActionKind::Barrier(Barrier {
        group,
        counter: TileRef::Cluster(ORIGIN),
        mechanism,
    })
}

pub(super) fn place(at: Coord, offset: u64) -> Place {
    Place {
        tile: TileRef::Cluster(at),
        offset,
    }
}

pub(super) fn one(at: Coord) -> Destination {
    Destination::One(place(at, OUTPUT))
}

pub(super) fn row_of(columns: u16) -> MultiAddress {
    block(columns, 1)
}

/// Columns and rows are powers of two.
pub(super) fn block(columns: u16, rows: u16) -> MultiAddress {
    MultiAddress::new(ORIGIN, Coord::new(columns - 1, rows - 1))
}

// Barriers, by the network and by a counter.
//
// The counter takes one member after the other. Where links are short, members come faster than it takes them, so every member of
// the group counts. Over long links it waits for those that come from afar: then only the members behind them count, and the path of
// the first of these. Which of the two it is follows from the spec: from what a hop and an atomic take; so does what the counter's
// cluster polls until it sees it full.

pub(super) fn barriers(network: AxiNetwork<'_>) -> Result<Vec<CalibrationRun>, ModelError> {
    use Constant::{BarrierAlpha, Hop};
    let sets: [MultiAddress; 3] = [row_of(2), row_of(4), block(4, 2)];
    let mut out = Vec::new();
    let mut waits_for_paths = false;
    for set in sets {
        let members: Vec<Coord> = set.members().collect();
        let group = TileSet::Cube(set);
        out.push(run(
            format!("barrier over {group}"),
            Law::Barrier,
            vec![barrier(group.clone(), BarrierMechanism::InNetwork)],
            vec![
                (BarrierAlpha, 1.0),
                (Hop, f64::from(farthest(&network, &members))),
            ],
        ));
        waits_for_paths |= decisive_hops(network, &members) > 0;
        out.push(counted(network, group, &members)?);
    }
    if waits_for_paths {
        // The last ones of the groups above come alone: two that come together tell the cost of a member.
        let members = [(0, 0), (1, 0), (0, 1)].map(|(x, y)| Coord::new(x, y));
        let group = TileSet::Arbitrary(members.to_vec());
        out.push(counted(network, group, &members)?);
    }
    Ok(out)
}

/// A software barrier, all members entering together, counted in the south-west corner.
fn counted(
    network: AxiNetwork<'_>,
    group: TileSet,
    members: &[Coord],
) -> Result<CalibrationRun, ModelError> {
    use Constant::{CounterAlpha, CounterMember, Hop, Poll};
    let axi = network.axi();
    let hops = decisive_hops(network, members);
    let full = f64::from(full_cycle(network, members, hops));
    let round = f64::from(axi.cluster.instructions.poll);
    let own = f64::from(axi.cluster.atomic_cycles);
    let unseen = seen_full(own, full, response_cycles(axi), round) - full;
    // Interrupts leave one after the other; the last one goes as far as any.
    let interrupts = cover(&network, &group)?.len() as f64;
    let to_the_counter_and_back = f64::from(hops + farthest(&network, members)) / 2.0;
    Ok(run(
        format!("software barrier over {group}"),
        Law::Counter,
        vec![barrier(group, BarrierMechanism::Software)],
        vec![
            (CounterAlpha, 1.0),
            (CounterMember, f64::from(behind(&network, members, hops))),
            (Hop, to_the_counter_and_back),
            (Poll, (unseen + interrupts - 1.0) / round),
        ],
    ))
}

/// Distance from which on members keep the counter busy until it is full; 0: all do.
fn decisive_hops(network: AxiNetwork<'_>, members: &[Coord]) -> u32 {
    // Of distances that take as long, the nearest.
    (0..=farthest(&network, members))
        .rev()
        .max_by_key(|hops| full_cycle(network, members, *hops))
        // 0: from this distance on all members count; the first value of the range.
        .unwrap_or(0)
}

/// When the counter has taken the members that are at least that far away, none of which waits for a nearer one.
fn full_cycle(network: AxiNetwork<'_>, members: &[Coord], hops: u32) -> u32 {
    let hop_cycles = network.plane(Plane::Req).hop_cycles;
    hops * hop_cycles + behind(&network, members, hops) * network.axi().cluster.atomic_cycles
}

/// Members at least that far from the counter.
fn behind(network: &Network, members: &[Coord], hops: u32) -> u32 {
    let is_behind = |at: &&Coord| distance(network, **at) >= hops;
    members.iter().filter(is_behind).count() as u32
}

fn farthest(network: &Network, members: &[Coord]) -> u32 {
    let distances = members.iter().map(|at| distance(network, *at));
    max_or_zero(distances)
}

/// Hops to the counter; with bypass, paths.
fn distance(network: &Network, at: Coord) -> u32 {
    network.paths(network.mesh_coord(at), network.mesh_coord(ORIGIN))
}
