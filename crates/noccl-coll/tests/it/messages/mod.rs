// SPDX-License-Identifier: Apache-2.0
//! Schedules of messages between cores: claims of rounds, postconditions by proof and by value, orders of reductions, refusals.

mod claims;
mod postconditions;
mod reduce;
mod refusals;

use crate::common::network;
use noccl_coll::{Algorithm, Choice, RoundForm, schedule};
use noccl_net::{Network, TileRef, TileSet};
use noccl_testkit::{cluster, schedules};
use noccl_workload::{Collective, CollectiveKind, ElementType, Schedule};

/// Core tiles.
fn cores(columns: u16, rows: u16) -> Network {
    network(&format!("tilepro64_{columns}x{rows}"))
}

/// A collective over a rectangle of cores; the output stands behind the input.
fn task(
    kind: CollectiveKind,
    group: TileSet,
    num_ranks: u64,
    root: TileRef,
    bytes: u64,
) -> Collective {
    let mut collective = Collective {
        element: ElementType::Int64,
        ..schedules::collective(kind, group, root, bytes)
    };
    collective.output_offset = collective
        .input_bytes(num_ranks)
        .max(bytes)
        .next_multiple_of(8);
    collective
}

/// An exchange of everybody on the mesh by rounds of this form.
fn exchange(network: &Network, form: RoundForm, bytes: u64) -> Schedule {
    let (width, height) = (network.cluster_width(), network.cluster_height());
    let group = crate::common::rectangle(0, 0, width, height);
    let ranks = u64::from(width) * u64::from(height);
    let root = cluster(0, 0);
    let of = task(CollectiveKind::AllToAll, group, ranks, root, bytes);
    let choice = Choice::new(Algorithm::Rounds, 1).with_rounds(form);
    schedule(network, &of, choice).unwrap()
}
