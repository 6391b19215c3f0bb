// SPDX-License-Identifier: Apache-2.0
//! The estimate of shared links against the simulator: how far it is off, and whether the fastest form is among its first.

use noccl_coll::{Algorithm, choices_of};
use noccl_model::estimate_cycles;
use noccl_net::{Network, TileRef};
use noccl_run::{Mode, RunConfig};
use noccl_sim::run_schedule;
use noccl_studies::{load, parse_group, runtime_cycles};
use noccl_testkit::is_long;
use noccl_testkit::schedules::collective;
use noccl_workload::{Collective, CollectiveKind};
use rayon::prelude::*;

const KINDS: [CollectiveKind; 5] = [
    CollectiveKind::AllReduce,
    CollectiveKind::Multicast,
    CollectiveKind::Reduce,
    CollectiveKind::AllGather,
    CollectiveKind::ReduceScatter,
];

fn task(network: &Network, group: &str, kind: CollectiveKind, bytes: u64) -> Collective {
    let group = parse_group(network, group).unwrap();
    let members = network.members(&group).unwrap();
    let root = TileRef::Cluster(members[0]);
    let mut task = collective(kind, group, root, bytes);
    task.output_offset = task.input_bytes(members.len() as u64);
    task
}

/// Every form of `point_to_point`: estimated and simulated cycles.
fn both(network: &Network, collective: &Collective) -> Vec<(f64, f64)> {
    let forms = choices_of(network, collective, Algorithm::PointToPoint);
    let cycles = |choice: &noccl_coll::Choice| {
        let schedule = noccl_coll::schedule(network, collective, *choice).unwrap();
        let estimate = estimate_cycles(network, &schedule).unwrap();
        let config = RunConfig::new(Mode::Timing);
        let run = run_schedule(network, &schedule, &[], &[], &config, &mut |_| true).unwrap();
        let simulated = runtime_cycles(Some(&schedule), &run.actions);
        (estimate.cycles, simulated as f64)
    };
    forms.par_iter().map(cycles).collect()
}

/// Median and largest distance from the simulator, and how many of how many cases have a form within 3 % of the best among the
/// first three.
fn measured(cases: &[(&str, &str, u64)]) -> (f64, f64, usize, usize) {
    let (mut errors, mut near, mut num) = (Vec::new(), 0, 0);
    for (network, group, bytes) in cases {
        let network = load(network, &[]).unwrap().network;
        for kind in KINDS {
            let bytes = if kind.has_blocks() {
                bytes / 16
            } else {
                *bytes
            };
            let mut all = both(&network, &task(&network, group, kind, bytes));
            errors.extend(all.iter().map(|(e, s)| (e / s - 1.0).abs()));
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            let least = |all: &[(f64, f64)]| all.iter().map(|a| a.1).fold(f64::INFINITY, f64::min);
            num += 1;
            near += usize::from(least(&all[..all.len().min(3)]) <= 1.03 * least(&all));
        }
    }
    errors.sort_by(f64::total_cmp);
    (
        errors[errors.len() / 2],
        errors[errors.len() - 1],
        near,
        num,
    )
}

#[test]
fn forms_without_barriers_are_estimated_within_3_percent_in_the_median_and_the_best_is_among_the_first()
 {
    let cases = [
        ("collective_noc_4x4", "all", 512),
        ("collective_noc_4x4", "1,0,3,4", 16 << 10),
        ("collective_noc_5x3", "all", 4 << 10),
        ("collective_noc_8x8", "all", 4 << 10),
        ("collective_noc_8x8", "all", 16 << 10),
    ];
    // The last one takes half of the time.
    let num = cases.len() - usize::from(!is_long());
    let (median, most, near, num) = measured(&cases[..num]);
    assert!(median <= 0.02, "median {median}");
    assert!(most <= 0.25, "most {most}");
    assert!(near + 1 >= num, "{near} of {num}");
}

#[test]
fn the_published_router_is_estimated_too() {
    let cases = [("collective_noc_4x4_published", "all", 4 << 10)];
    let (median, most, near, num) = measured(&cases);
    assert!(median <= 0.05, "median {median}");
    assert!(most <= 0.35, "most {most}");
    assert!(near + 1 >= num, "{near} of {num}");
}
