// SPDX-License-Identifier: Apache-2.0
//! Schedules of one to three actions.

use super::CalibrationRun;
use crate::constants::{Constant, Law};
use noccl_net::{Coord, MultiAddress, Network, TileRef, TileSet};
use noccl_spec::Cluster;
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
    network: &Network,
    source: Place,
    destination: Destination,
    beats: u64,
    lines: u32,
) -> ActionKind {
    ActionKind::Transfer(line(network, source, destination, beats, lines))
}

pub(super) fn line(
    network: &Network,
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
