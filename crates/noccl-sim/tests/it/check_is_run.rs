// SPDX-License-Identifier: Apache-2.0
//! What the checker proves right, the simulator runs, with the bytes of the interpreter: random actions of every kind on networks of
//! every kind.

use crate::common::hand_written::schedule_of;
use crate::common::interpreted::{expected, found};
use crate::common::network_with;
use crate::common::random_schedule::{all_outputs, random_actions, random_inputs};
use noccl_net::{Coord, MultiAddress, Network, TileRef};
use noccl_run::{Mode, RunConfig};
use noccl_testkit::actions::{copy, to_set};
use noccl_testkit::{assert_says, place};
use noccl_workload::{Action, Schedule, check};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Preset and fields that differ.
type Case = (&'static str, &'static [(&'static str, &'static str)]);

/// Networks that differ in what they carry, and by which rules.
const NETWORKS: [Case; 16] = [
    ("collective_noc_4x4", &[]),
    ("collective_noc_3x2", &[("ni.wide_beat_bytes", "32")]),
    ("collective_noc_4x4_published", &[]),
    ("collective_noc_4x4_bypass", &[]),
    ("torrent_2x2", &[]),
    ("torrent_2x3_published", &[]),
    ("torrent_2x2_parallel", &[]),
    ("esp_2x2", &[]),
    ("ideal_4x4", &[]),
    ("smart_4x4", &[]),
    ("smart_4x4", &[("router.smart.vc_flits", "1")]),
    ("smart_3x2_collective", &[]),
    ("smart_4x4_private", &[]),
    ("smart_2x2_connected", &[]),
    ("tilepro64_3x2", &[]),
    ("tilepro64_2x2_interrupt", &[]),
];

/// Runs what the checker takes; true if it has taken it.
fn agrees(network: &Network, schedule: &Schedule) -> Result<bool, TestCaseError> {
    if check(network, schedule).is_err() {
        return Ok(false);
    }
    let (inputs, outputs) = (random_inputs(network, 1), all_outputs(network));
    let config = RunConfig::new(Mode::Value);
    let result =
        noccl_sim::run_schedule(network, schedule, &inputs, &outputs, &config, &mut |_| true);
    let result = result.map_err(|error| {
        let kinds: Vec<&str> = schedule.actions.iter().map(|a| a.kind.name()).collect();
        TestCaseError::fail(format!("the checker takes {kinds:?}, the run: {error}"))
    })?;
    let bytes = expected(network, schedule, &inputs, &outputs);
    prop_assert!(bytes.as_ref() == Some(&found(&result)), "other bytes");
    Ok(true)
}

proptest! {
    #![proptest_config(noccl_testkit::config(64, 32_768))]

    #[test]
    fn what_is_right_runs_with_the_right_bytes(
        case in prop::sample::select(NETWORKS.to_vec()),
        seed in any::<u64>(),
        count in 1_u32..12,
    ) {
        let network = network_with(case.0, case.1);
        agrees(&network, &random_actions(&network, seed, count))?;
    }
}

/// The property says something on every network: single actions of several kinds pass the checker there.
#[test]
fn several_kinds_of_actions_are_right_on_every_network() {
    for (name, fields) in NETWORKS {
        let least = match name {
            "esp_2x2" => 1,
            "smart_4x4" if !fields.is_empty() => 0,
            _ => 4,
        };
        let network = network_with(name, fields);
        let alone = (0..400).map(|seed| random_actions(&network, seed, 1));
        let right = alone.filter(|schedule| check(&network, schedule).is_ok());
        let kinds: BTreeSet<_> = right.map(|s| s.actions[0].kind.name()).collect();
        assert!(kinds.len() >= least, "{name}: {kinds:?}");
    }
}

/// An engine that multicasts data of another tile to its own tile too. The seed is one that this file has found.
#[test]
fn a_copy_for_oneself_may_not_wait_for_read_data_behind_it() {
    let network = network_with::<u32>("torrent_2x2", &[]);
    let cluster = |x, y| TileRef::Cluster(Coord::new(x, y));
    let all = MultiAddress::new(Coord::new(0, 0), Coord::new(1, 1));
    let relay = |from: u64, to: u64| {
        let source = place(cluster(0, 0), from);
        let kind = copy(cluster(1, 1), source, to_set(all, to), 8192);
        let after = Vec::new();
        schedule_of(vec![Action { kind, after }])
    };
    // Bursts of reads and of writes have the same ends, or a write has data of two reads.
    assert!(agrees(&network, &relay(64, 16_448)).unwrap());
    assert_says(
        check(&network, &relay(64, 16_384)).unwrap_err(),
        &[
            "wide link cluster (1,1) -> Local",
            "beats wait for the same link",
        ],
    );
    let found = random_actions(&network, 4_881_159_515_065_064_424, 2);
    assert!(!agrees(&network, &found).unwrap());
}
