// SPDX-License-Identifier: Apache-2.0
//! The parts of an explanation sum to the cycles that everybody else reports: every preset, collective and algorithm.

use noccl_coll::Algorithm;
use noccl_net::Network;
use noccl_run::{Mode, Part, RunConfig, Watch};
use noccl_studies::{
    AlgorithmRequest, CompareRequest, Error, ExplainMethod, ExplainRequest, ExplainSubject,
    Explanation, compare, explain, parse_algorithms, parse_group, runtime_cycles, schedule,
};
use noccl_workload::CollectiveKind;
use proptest::prelude::*;

/// Networks of every simulator, none too large to be run a hundred times.
const NETWORKS: [&str; 12] = [
    "collective_noc_4x4",
    "collective_noc_8x8",
    "collective_noc_8x8_bypass",
    "collective_noc_4x4_published",
    "torrent_4x5",
    "torrent_4x5_published",
    "torrent_4x5_parallel",
    "ideal_4x4",
    "esp_4x5",
    "smart_8x8",
    "smart_8x8_collective",
    "tilepro64_4x4",
];

fn explained(
    network: &Network,
    request: &CompareRequest,
    algorithm: AlgorithmRequest,
    has_relaxed: bool,
) -> Result<Explanation, Error> {
    let request = ExplainRequest {
        subject: ExplainSubject::Collective(Box::new(request.clone()), algorithm),
        has_relaxed,
        is_lock_step: false,
    };
    explain(network, &request, Watch::quiet())
}

fn request(network: &Network, kind: CollectiveKind, group: &str, bytes: u64) -> CompareRequest {
    let group = parse_group(network, group).unwrap();
    CompareRequest::new(kind, group, vec![bytes])
}

fn sum(found: &Explanation) -> u64 {
    found.parts.iter().map(|part| part.cycles).sum()
}

fn of(found: &Explanation, part: Part) -> u64 {
    let rows = found.parts.iter().filter(|row| row.part == part);
    rows.map(|row| row.cycles).sum()
}

proptest! {
    #![proptest_config(noccl_testkit::config(24, 400))]

    #[test]
    fn parts_sum_to_the_cycles_of_the_run(
        preset in 0..NETWORKS.len(),
        kind in 0..CollectiveKind::ALL.len(),
        group in prop_oneof![Just("all"), Just("row"), Just("0,0,2,2"), Just("0,0,3,2")],
        bytes in prop_oneof![Just(64u64), Just(1000 / 8 * 8), 1u64..64],
    ) {
        let network = noccl_testkit::network(NETWORKS[preset]);
        let kind = CollectiveKind::ALL[kind];
        let bytes = if bytes < 64 { bytes * 256 } else { bytes };
        let request = request(&network, kind, group, bytes);
        for algorithm in Algorithm::ALL.map(AlgorithmRequest::Search) {
            // An algorithm that does not do this says so elsewhere.
            let Ok(found) = explained(&network, &request, algorithm, false) else {
                continue;
            };
            let context = format!("{} {kind:?} {group} {bytes} {}", NETWORKS[preset], found.algorithm);
            prop_assert_eq!(sum(&found), found.cycles, "{}", context);
            let causes = found.parts.iter().flat_map(|part| &part.causes);
            prop_assert_eq!(causes.map(|cause| cause.cycles).sum::<u64>(), found.cycles, "{}", context);
            let made = schedule(&network, &request, bytes, algorithm, Watch::quiet()).unwrap();
            let config = RunConfig::new(Mode::Timing);
            let alone = noccl_sim::run_schedule(&network, &made, &[], &[], &config, &mut |_| true).unwrap();
            prop_assert_eq!(found.cycles, runtime_cycles(Some(&made), &alone.actions), "{}", context);
            if found.method == ExplainMethod::EveryCycle {
                // Nothing is left to an action that nobody has looked at.
                prop_assert!(of(&found, Part::Dependencies) * 4 <= found.cycles, "{}: {:#?}", context, found.parts);
            }
        }
    }
}

#[test]
fn a_rerun_is_the_run_with_these_options() {
    let network = noccl_testkit::network("collective_noc_4x4");
    let request = request(&network, CollectiveKind::Reduce, "all", 8192);
    let [algorithm] = parse_algorithms("in_network").unwrap()[..] else {
        panic!("one algorithm")
    };
    let found = explained(&network, &request, algorithm, true).unwrap();
    assert!(!found.relaxed.is_empty(), "{found:#?}");
    let mut is_faster = false;
    for run in &found.relaxed {
        let options: Vec<(&str, &str)> = run
            .options
            .split("-P ")
            .filter_map(|option| option.trim().split_once('='))
            .collect();
        let changed = noccl_testkit::network_with("collective_noc_4x4", &options);
        let mut request = request.clone();
        request.algorithms = vec![algorithm];
        let rows = compare(&changed, &request, Watch::quiet()).unwrap().rows;
        assert_eq!(rows[0].cycles, run.cycles, "{}", run.options);
        is_faster |= run.cycles < found.cycles;
    }
    assert!(is_faster, "a wider beat takes fewer cycles: {found:#?}");
}
