// SPDX-License-Identifier: Apache-2.0
//! Comparisons: verified for every element type and operator, the same for any number of threads,
//! stopped when asked.

use noccl_net::Network;
use noccl_run::{Mode, RunConfig, Step, Watch};
use noccl_studies::{
    CompareRequest, CompareRow, Error, ErrorClass, compare, load, parse_algorithms, parse_group,
};
use noccl_testkit::cluster;
use noccl_testkit::says::assert_says;
use noccl_testkit::schedules::collective;
use noccl_workload::{CollectiveKind, ElementType, Operator};

const TIMING: RunConfig = RunConfig::new(Mode::Timing);

fn network() -> Network {
    noccl_testkit::network("collective_noc_4x4")
}

fn request(collective: CollectiveKind, group: &str, bytes: &[u64]) -> CompareRequest {
    let group = parse_group(&network(), group).unwrap();
    CompareRequest::new(collective, group, bytes.to_vec())
}

fn rows(request: &CompareRequest) -> Vec<CompareRow> {
    compare(&network(), request, Watch::quiet()).unwrap().rows
}

#[test]
fn every_element_type_and_operator_is_reduced_right_by_every_algorithm() {
    use ElementType::{Bf16, Fp8E4m3, Fp8E5m2, Fp16, Fp32, Fp64, Int8, Int16, Int32, Int64};
    let floats = [Fp64, Fp32, Fp16, Bf16, Fp8E4m3, Fp8E5m2];
    let cases = [Operator::Sum, Operator::Min, Operator::Max]
        .into_iter()
        .flat_map(|o| floats.map(|e| (o, e)))
        .chain(
            [Operator::Sum, Operator::And, Operator::Or]
                .into_iter()
                .flat_map(|o| [Int8, Int16, Int32, Int64].map(|e| (o, e))),
        );
    for (operator, element) in cases {
        let mut request = request(CollectiveKind::Reduce, "0,0,2,2", &[136]);
        (request.operator, request.element) = (operator, element);
        for row in rows(&request) {
            assert!(row.verified.is_yes(), "{operator:?} {element:?}: {row:?}");
            let is_float_sum = operator == Operator::Sum && floats.contains(&element);
            assert_eq!(row.sum_error.is_some(), is_float_sum);
        }
    }
}

/// Of algorithms that miss the scratchpad, or do not do this group, each is named with what would let it in; what the network does for
/// no group is not.
#[test]
fn algorithms_without_a_row_are_named_with_the_reason() {
    let skipped = |preset: &str, bytes: &[u64]| {
        let network = noccl_testkit::network(preset);
        let group = parse_group(&network, "all").unwrap();
        let request = CompareRequest::new(CollectiveKind::AllReduce, group, bytes.to_vec());
        compare(&network, &request, Watch::quiet()).unwrap().skipped
    };
    let large = skipped("collective_noc_4x4", &[64 << 10]);
    let names: Vec<&str> = large.iter().map(|s| s.algorithm.as_str()).collect();
    assert_eq!(
        names,
        ["chain", "tree", "row_column", "double_tree", "ring"]
    );
    assert!(large.iter().all(noccl_studies::Skipped::lacks_memory));
    for one in &large {
        assert_says(
            one,
            &["cluster (0,0) needs", "but has 131072", "cluster.l1_bytes"],
        );
    }
    assert!(skipped("collective_noc_4x4", &[1024]).is_empty());
    let group = skipped("collective_noc_3x2", &[64, 1024]);
    let said: Vec<String> = group.iter().map(ToString::to_string).collect();
    let once = "in_network_once of 64 B: the group is no multi-address; accepted: an aligned power-of-two block";
    assert!(said[0].starts_with(once) && said.len() == 2, "{said:?}");
}

#[test]
fn rows_do_not_depend_on_the_number_of_threads() {
    let request = request(CollectiveKind::AllReduce, "row", &[512, 4096]);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| rows(&request))
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn the_best_software_has_a_speedup_of_one_and_only_faster_rows_more() {
    let rows = rows(&request(CollectiveKind::Reduce, "all", &[2048]));
    let software = rows.iter().filter(|r| !r.is_in_network);
    let best = software.map(|r| r.cycles).min().unwrap();
    for row in &rows {
        let speedup = row.speedup_over_best_software.unwrap();
        assert!((speedup * row.cycles as f64 - best as f64).abs() < 1e-6);
    }
}

#[test]
fn the_searched_chunk_count_is_as_fast_as_any_given_one() {
    let mut request = request(CollectiveKind::Reduce, "row", &[16_384]);
    request.algorithms = parse_algorithms("chain").unwrap();
    let searched = rows(&request);
    let best = searched.iter().map(|r| r.cycles).min();
    request.algorithms = parse_algorithms("chain:1,chain:2,chain:4,chain:8,chain:16").unwrap();
    let given = rows(&request);
    assert_eq!(best, given.iter().map(|r| r.cycles).min());
    assert_ne!(best, given.iter().map(|r| r.cycles).max());
}

#[test]
fn without_software_there_is_nothing_to_be_faster_than() {
    let mut request = request(CollectiveKind::Multicast, "row", &[1024]);
    request.algorithms = parse_algorithms("in_network").unwrap();
    let rows = rows(&request);
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].speedup_over_best_software, None);
}

#[test]
fn link_loads_are_there_when_asked_for_and_hold_the_busiest() {
    let mut request = request(CollectiveKind::Multicast, "all", &[1024]);
    request.has_links = true;
    for row in rows(&request) {
        let most = row.links.iter().map(|l| l.flits).max();
        assert_eq!(most, row.busiest_link.map(|l| l.flits));
    }
}

#[test]
fn a_watcher_ends_the_work() {
    let request = request(CollectiveKind::Reduce, "row", &[1024, 2048, 4096]);
    let end_after_first = |step: Step| step.done == 0;
    let error = compare(&network(), &request, Watch::new(&end_after_first)).unwrap_err();
    assert!(matches!(error, Error::Run(_)));
    assert_eq!(error.class(), ErrorClass::Interrupted);
}

#[test]
fn what_the_published_router_cannot_do_is_skipped_unless_it_was_asked_for() {
    let published = load("collective_noc_4x4_published", &[]).unwrap().network;
    let mut request = request(CollectiveKind::Reduce, "all", &[1024]);
    let comparison = compare(&published, &request, Watch::quiet()).unwrap();
    assert!(
        comparison
            .rows
            .iter()
            .all(|r| !r.is_in_network && r.verified.is_yes())
    );
    assert_eq!(comparison.skipped.len(), 1, "{:?}", comparison.skipped);
    request.algorithms = parse_algorithms("in_network").unwrap();
    let error = compare(&published, &request, Watch::quiet()).unwrap_err();
    assert!(error.to_string().contains("published"), "{error}");
}

/// The baselines of S3 on the mesh of its chains: nothing asked for by name, nothing deadlocks.
#[test]
fn every_multicast_runs_on_the_published_routers_under_torrent_endpoints() {
    let net = load("torrent_4x5", &[]).unwrap().network;
    let group = parse_group(&net, "all").unwrap();
    let mut request = CompareRequest::new(CollectiveKind::Multicast, group, vec![1024]);
    request.root = Some(cluster(0, 0));
    let comparison = compare(&net, &request, Watch::quiet()).unwrap();
    assert!(comparison.rows.iter().all(|r| r.verified.is_yes()));
    assert_eq!(comparison.skipped, Vec::new());
    let names: Vec<&str> = comparison
        .rows
        .iter()
        .map(|r| r.algorithm.as_str())
        .collect();
    let expected = [
        "unicast",
        "chain",
        "tree",
        "double_tree",
        "chainwrite",
        "in_network",
    ];
    for name in expected {
        assert!(names.contains(&name), "{name} of {names:?}");
    }
    // 20 clusters are no multi-address: barriers that overtake each other would wait for each other.
    let steps = comparison
        .rows
        .iter()
        .filter_map(|r| r.parameters.get("barrier"));
    assert!(steps.clone().count() > 3 && steps.clone().all(|b| b == "software"));
    // The engine's port passes every copy.
    let unicast = &comparison.rows[0];
    assert!(
        unicast.cycles > 20 * unicast.payload_bound_cycles,
        "{unicast:?}"
    );
}

#[test]
fn a_deadlock_of_published_routers_is_told_unless_the_algorithm_was_asked_for() {
    let net = load("torrent_4x5", &[]).unwrap().network;
    let group = parse_group(&net, "all").unwrap();
    let mut request = CompareRequest::new(CollectiveKind::AllGather, group, vec![256]);
    let comparison = compare(&net, &request, Watch::quiet()).unwrap();
    let told: Vec<String> = comparison.skipped.iter().map(ToString::to_string).collect();
    let is_deadlock = |t: &String| t.starts_with("in_network: ") && t.contains("deadlock");
    assert!(told.iter().any(is_deadlock), "{told:?}");
    request.algorithms = parse_algorithms("in_network").unwrap();
    let error = compare(&net, &request, Watch::quiet()).unwrap_err();
    let is_deadlock = |e: &Error| matches!(e, Error::Check(check) if matches!(**check, noccl_workload::CheckError::Deadlock(_)));
    assert!(is_deadlock(&error), "{error}");
}

/// Alone and granted along the path of the data, backwards, as published endpoints do it, in any order.
#[test]
fn the_models_law_of_chains_is_the_simulators_to_the_cycle() {
    let net = load("torrent_4x5_published", &[]).unwrap().network;
    let fitted = load("collective_noc_4x4", &[]).unwrap().network;
    let shipped = noccl_model::Calibration::shipped().unwrap();
    let constants = &shipped.constants_for(fitted.spec()).unwrap();
    let mut chains = 0;
    for order in noccl_coll::chain::order::ChainOrder::ALL {
        for group in ["0,0,2,2", "1,0,3,4"] {
            let group = parse_group(&net, group).unwrap();
            let task = collective(CollectiveKind::Multicast, group, cluster(0, 0), 6400);
            let choice = noccl_coll::Choice::chainwrite(order);
            let schedule = noccl_coll::schedule(&net, &task, choice).unwrap();
            let predicted = noccl_model::predict_with(&net, &schedule, constants).unwrap();
            let ran = noccl_sim::run_schedule(&net, &schedule, &[], &[], &TIMING, &mut |_| true);
            // Path segments that share a link deadlock published endpoints.
            let Ok(ran) = ran else { continue };
            let (start, end) = predicted.actions[0];
            let time = ran.actions[0];
            assert_eq!(
                end - start,
                (time.finish_cycle - time.start_cycle) as f64,
                "{order}, {:?}",
                task.group
            );
            chains += 1;
        }
    }
    assert!(chains >= 6, "{chains}");
}

/// Parallel responses, one to eight chains of one initiator: configurations and data one after the other.
#[test]
fn the_models_law_of_several_chains_is_the_simulators() {
    let net = load("torrent_4x5_parallel", &[]).unwrap().network;
    let fitted = load("collective_noc_4x4", &[]).unwrap().network;
    let shipped = noccl_model::Calibration::shipped().unwrap();
    let constants = &shipped.constants_for(fitted.spec()).unwrap();
    for (group, bytes) in [("all", 1024), ("all", 64 << 10), ("1,0,3,4", 6400)] {
        for chains in [1, 2, 4, 8] {
            let members = parse_group(&net, group).unwrap();
            let mut task = collective(CollectiveKind::Multicast, members, cluster(0, 0), bytes);
            task.output_offset = 0;
            let order = noccl_coll::chain::order::ChainOrder::Latency;
            let choice = noccl_coll::Choice::chainwrites(order, chains);
            let schedule = noccl_coll::schedule(&net, &task, choice).unwrap();
            let predicted = noccl_model::predict_with(&net, &schedule, constants).unwrap();
            let ran = noccl_sim::run_schedule(&net, &schedule, &[], &[], &TIMING, &mut |_| true);
            let last = |ends: Vec<f64>| ends.into_iter().fold(0.0, f64::max);
            let ran = ran.unwrap().actions;
            let found = last(ran.iter().map(|a| a.finish_cycle as f64).collect());
            let law = last(predicted.actions.iter().map(|a| a.1).collect());
            let share = (law / found - 1.0).abs();
            // Links that several chains share are left out.
            assert!(
                share <= if chains == 1 { 0.0 } else { 0.08 },
                "{choice}, {group}, {bytes}: {law}, {found}"
            );
        }
    }
}

/// A comparison leaves out runs of what surely loses by estimates, so it has to know how far those are off.
#[test]
fn runs_of_software_are_within_a_fifth_of_their_estimates() {
    let request = noccl_studies::AutoRequest {
        collectives: vec![
            CollectiveKind::Multicast,
            CollectiveKind::Reduce,
            CollectiveKind::AllReduce,
            CollectiveKind::AllGather,
            CollectiveKind::ReduceScatter,
        ],
        bytes: vec![64, 4 << 10],
        group: "all".to_owned(),
    };
    let network = noccl_testkit::network("collective_noc_4x4");
    let rows = noccl_studies::auto_losses(&network, &request, Watch::quiet()).unwrap();
    let mut num = 0;
    for choice in rows.iter().flat_map(|row| &row.choices) {
        if choice.choice.starts_with("in_network") {
            continue;
        }
        let estimate = choice.model_cycles.unwrap() as f64;
        let off = (choice.cycles as f64 / estimate - 1.0).abs();
        assert!(off <= 0.2, "{choice:?}");
        num += 1;
    }
    assert!(num > 300, "{num}");
}
