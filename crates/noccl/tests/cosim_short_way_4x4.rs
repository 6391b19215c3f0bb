// SPDX-License-Identifier: Apache-2.0
//! The mesh of 4×4 clusters with registers in its merge tables (`router.merge_cycles` = 3) is the simulator's, handshake by
//! handshake.
#![allow(clippy::unwrap_used)]

mod cosim;

use cosim::{agree_with, cluster, library, network, set, short_way_network};
use noccl_rtl::lockstep::Lockstep;
use noccl_workload::{PortKind, PortTransaction};

const NAME: &str = "4x4-short-way";
const PRESET: &str = "collective_noc_4x4";

#[test]
fn multicasts_and_barriers_take_the_same_course() {
    agree_with(NAME, &short_way_network(PRESET), &cosim::COLLECTIVE, 0..12);
}

#[test]
fn overlapping_transactions_take_the_same_course() {
    agree_with(NAME, &short_way_network(PRESET), &cosim::ALL, 0..24);
}

/// More answers under way at a time than a table has entries: newcomers pass, entries give up.
#[test]
fn multicasts_of_all_to_all_take_the_same_course() {
    let network = short_way_network(PRESET);
    let (width, height) = (network.cluster_width(), network.cluster_height());
    let all = set((0, 0), (width - 1, height - 1));
    let clusters = (0..width).flat_map(|x| (0..height).map(move |y| cluster(x, y)));
    let multicasts = clusters.map(|from| PortTransaction {
        start_cycles: vec![Some(0)],
        kind: PortKind::WideMulticast {
            from,
            to: all,
            beats: 130,
        },
    });
    let compared = cosim::agree_on(NAME, &network, multicasts.collect());
    assert!(compared > 1_000, "{compared}");
}

#[test]
fn a_network_without_these_registers_is_refused() {
    let network = network(PRESET);
    let error = Lockstep::open(&library(NAME), &network).err().unwrap();
    assert!(error.to_string().contains("MERGE_CYCLES is 3"), "{error}");
}
