// SPDX-License-Identifier: Apache-2.0
//! Random overlapping transactions of all kinds all complete with the right bytes; the published
//! router does not survive overlapping multicasts.

use crate::common::stress_request;
use noccl_coll::schedule;
use noccl_net::{Coord, Network, TileRef};
use noccl_run::{Mode, RunConfig, Watch};
use noccl_sim::run_trace;
use noccl_studies::stress::{Recipe, generate};
use noccl_studies::{
    StressKind, StressReport, StressRequest, load, parse_group, program_choice, stress,
};
use noccl_testkit::cases;
use noccl_testkit::schedules::collective;
use noccl_workload::{CollectiveKind, may_overlap_others};

fn run(preset: &str, kinds: &[StressKind], seeds: u64) -> StressReport {
    let network = load(preset, &[]).unwrap().network;
    stress(&network, &request(preset, kinds, seeds), Watch::quiet()).unwrap()
}

fn request(preset: &str, kinds: &[StressKind], seeds: u64) -> StressRequest {
    stress_request(preset.to_owned(), kinds, seeds)
}

fn all_complete(report: &StressReport) {
    let first = report.failures.first();
    assert!(
        report.failures.is_empty(),
        "{} of {} failed; reproduce with: {}\n{}",
        report.failures.len(),
        report.runs,
        first.map_or("", |f| f.reproducer.as_str()),
        first
            .and_then(|f| f.diagnosis.as_ref())
            .map_or_else(String::new, ToString::to_string)
    );
    assert_eq!(report.completed, report.runs);
}

#[test]
fn overlapping_transactions_of_all_kinds_complete_with_the_right_bytes() {
    let report = run("collective_noc_4x4", &StressKind::ALL, 60);
    all_complete(&report);
    assert_eq!(report.transactions, 60 * 64);
    assert_eq!(report.histogram.iter().map(|b| b.runs).sum::<u64>(), 60);
}

/// Short runs tell no progress: their cycles are counted when they end.
#[test]
fn an_interruption_says_how_many_seeds_are_finished_and_the_cycles_of_them() {
    let preset = "collective_noc_4x4";
    let network = load(preset, &[]).unwrap().network;
    let request = request(preset, &[StressKind::Write], 1000);
    let error = stress(&network, &request, Watch::new(&|step| step.done < 3)).unwrap_err();
    assert_eq!(error.class(), noccl_studies::ErrorClass::Interrupted);
    let text = error.to_string();
    let words: Vec<&str> = text.split(' ').collect();
    let [
        "interrupted",
        "after",
        done,
        "of",
        "1000",
        "seeds",
        "and",
        cycles,
        ..,
    ] = words[..]
    else {
        panic!("{text}")
    };
    let [done, cycles] = [done, cycles].map(|number| number.parse::<u64>().unwrap());
    assert!((3..1000).contains(&done), "{text}");
    assert!(
        cycles >= 100 * done,
        "a seed takes some hundred cycles: {text}"
    );
}

#[test]
fn meshes_of_other_shapes_complete_too() {
    for preset in [
        "collective_noc_2x8",
        "collective_noc_8x1",
        "collective_noc_8x8",
    ] {
        all_complete(&run(preset, &StressKind::ALL, 12));
    }
}

#[test]
fn overlapping_chains_of_torrent_endpoints_all_end_with_the_right_bytes() {
    for (preset, seeds) in [
        ("torrent_4x5", 120),
        ("torrent_3x3", 60),
        ("torrent_1x2", 20),
        ("torrent_8x8", 20),
    ] {
        let seeds = u64::from(cases(seeds / 4, seeds));
        all_complete(&run(preset, &[StressKind::Chain], seeds));
    }
}

const SMART: [&str; 5] = [
    "smart_8x8",
    "smart_4x4_baseline",
    "smart_5x3_collective",
    "smart_6x7_unicast",
    "smart_4x4_private",
];

#[test]
fn messages_that_overlap_all_end_with_the_right_bytes() {
    for preset in SMART {
        let report = run(preset, &StressKind::ALL, 4);
        all_complete(&report);
        assert_eq!(report.transactions, 4 * 64);
    }
    for kind in [StressKind::Multicast, StressKind::Reduction] {
        all_complete(&run("smart_3x4", &[kind], 4));
    }
}

fn variants(seeds: u64) -> StressReport {
    let network = load("smart_8x8", &[]).unwrap().network;
    let request = StressRequest {
        has_variants: true,
        ..request("smart_8x8", &StressKind::ALL, seeds)
    };
    stress(&network, &request, Watch::quiet()).unwrap()
}

#[test]
fn variants_of_routers_with_bypass_all_end_with_the_right_bytes() {
    let report = variants(48);
    all_complete(&report);
    // Not 48 times the same mesh.
    assert!(report.histogram.len() > 2, "{:?}", report.histogram);
}

#[test]
fn what_a_network_has_not_is_refused() {
    let refusal = |preset: &str, change: fn(&mut StressRequest)| {
        let network = load(preset, &[]).unwrap().network;
        let mut request = request(preset, &StressKind::ALL, 1);
        change(&mut request);
        let error = stress(&network, &request, Watch::quiet()).unwrap_err();
        error.to_string()
    };
    let plain = refusal("collective_noc_4x4", |r| r.has_variants = true);
    assert!(plain.contains("--variants") && plain.contains("smart_8x8"));
    let atomics = refusal("smart_4x4", |r| r.kinds = vec![StressKind::Atomic; 2]);
    assert!(atomics.contains("no atomics"), "{atomics}");
}

#[test]
fn chains_are_refused_beside_other_kinds_and_without_endpoints() {
    let refusal = |preset: &str, kinds: &[StressKind]| {
        let network = load(preset, &[]).unwrap().network;
        let request = request(preset, kinds, 1);
        stress(&network, &request, Watch::quiet())
            .unwrap_err()
            .to_string()
    };
    let plain = refusal("collective_noc_4x4", &[StressKind::Chain]);
    assert!(plain.contains("[cluster.torrent]"), "{plain}");
    let mixed = refusal("torrent_4x5", &[StressKind::Write, StressKind::Chain]);
    assert!(mixed.contains("chain alone"), "{mixed}");
}

#[test]
fn each_collective_kind_alone_completes() {
    for kind in [
        StressKind::Multicast,
        StressKind::Reduction,
        StressKind::Barrier,
    ] {
        all_complete(&run("collective_noc_4x4", &[kind], 20));
    }
}

#[test]
fn overlapping_multicasts_deadlock_the_published_router_in_most_runs_with_a_diagnosis() {
    let report = run("collective_noc_4x4_published", &[StressKind::Multicast], 20);
    assert!(
        2 * report.stalled > report.runs,
        "{} of {} stalled",
        report.stalled,
        report.runs
    );
    for failure in &report.failures {
        let diagnosis = failure.diagnosis.as_ref().expect("a stall is explained");
        assert!(!diagnosis.waits.is_empty(), "{diagnosis}");
        assert!(
            failure
                .reproducer
                .contains(&format!("--first-seed {}", failure.seed))
        );
    }
}

#[test]
fn eight_transactions_or_more_are_outstanding_at_once() {
    let network: Network = load("collective_noc_4x4", &[]).unwrap().network;
    let recipe = Recipe::new(network.as_axi().unwrap(), &StressKind::ALL, 64);
    for seed in 0..10 {
        let trace = generate(network.as_axi().unwrap(), &recipe, seed);
        let config = RunConfig::new(Mode::Timing);
        let result = run_trace(&network, &trace, &config, &mut |_| true).unwrap();
        let open = |cycle: u64| {
            let times = result.actions.iter();
            times
                .filter(|a| a.start_cycle <= cycle && cycle < a.finish_cycle)
                .count()
        };
        let most = (0..result.cycles).map(open).max();
        assert!(most >= Some(8), "seed {seed}: {most:?}");
    }
}

#[test]
fn reports_do_not_depend_on_the_number_of_threads() {
    let network = load("collective_noc_4x4", &[]).unwrap().network;
    let request = request("collective_noc_4x4", &StressKind::ALL, 8);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| stress(&network, &request, Watch::quiet()).unwrap())
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn random_programs_of_ranks_end_with_the_right_bytes() {
    for (preset, seeds) in [
        ("tilepro64_4x4", 40),
        ("collective_noc_4x4", 12),
        ("collective_noc_3x5", 8),
        ("torrent_4x5", 12),
        ("smart_4x4", 20),
    ] {
        let seeds = u64::from(cases(seeds / 4, seeds));
        let report = run(preset, &[StressKind::Program], seeds);
        all_complete(&report);
        assert_eq!(report.wrong, 0, "{preset}");
        // Not the same program each time.
        assert!(
            report.histogram.len() > cases(1, 2) as usize,
            "{:?}",
            report.histogram
        );
    }
}

/// Seeds that have failed. Core tiles: communicators whose rectangles overlap and differ, whose streams over the static network lost
/// words. Bypass: collectives by algorithms with additions, of which the clusters do none.
/// Torrent: reads between writes on published routers.
#[test]
fn programs_that_have_failed_end_with_the_right_bytes() {
    for (preset, first_seed, has_variants) in [
        ("tilepro64_4x4", 3741, false),
        ("tilepro64_4x4", 426, true),
        ("smart_8x8", 5016, false),
        ("smart_8x8", 5020, false),
        ("torrent_4x5", 949, false),
    ] {
        let network = load(preset, &[]).unwrap().network;
        let request = StressRequest {
            first_seed,
            has_variants,
            ..request(preset, &[StressKind::Program], 1)
        };
        all_complete(&stress(&network, &request, Watch::quiet()).unwrap());
    }
}

/// Communicators call collectives that overlap, so that no schedule may contain transactions that can wait for those of another: on
/// published routers reads, multicasts and reductions (a program of 2,500 on `torrent_4x5` stood still for reads between writes).
#[test]
fn collectives_of_programs_overlap_others_without_a_deadlock() {
    for preset in ["torrent_4x5", "collective_noc_4x4_published"] {
        let network = load(preset, &[]).unwrap().network;
        for kind in [
            CollectiveKind::Multicast,
            CollectiveKind::Reduce,
            CollectiveKind::AllReduce,
            CollectiveKind::AllToAll,
        ] {
            for bytes in [8, 624, 4 << 10] {
                let group = parse_group(&network, "0,0,2,2").unwrap();
                let root = TileRef::Cluster(Coord::new(0, 0));
                let collective = collective(kind, group, root, bytes);
                let choice = program_choice(&network, &collective, None).unwrap();
                let schedule = schedule(&network, &collective, choice).unwrap();
                let overlaps = may_overlap_others(&network, &schedule);
                assert!(overlaps, "{preset} {kind} {bytes}: {choice}");
            }
        }
    }
}

#[test]
fn programs_are_refused_beside_other_kinds_and_where_none_run() {
    let refusal = |preset: &str, kinds: &[StressKind]| {
        let network = load(preset, &[]).unwrap().network;
        let refused = stress(&network, &request(preset, kinds, 1), Watch::quiet());
        refused.unwrap_err().to_string()
    };
    let mixed = refusal("smart_4x4", &[StressKind::Write, StressKind::Program]);
    assert!(mixed.contains("program alone"), "{mixed}");
    let lists = refusal("esp_4x4", &[StressKind::Program]);
    assert!(lists.contains("a network that runs programs"), "{lists}");
    let ports = refusal("torrent_4x5", &[StressKind::ExecutedProgram]);
    assert!(ports.contains("core tiles"), "{ports}");
}
