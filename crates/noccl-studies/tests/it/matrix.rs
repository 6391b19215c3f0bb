// SPDX-License-Identifier: Apache-2.0
//! The matrix of all collectives, and `auto` against the best of the library.

use noccl_net::Network;
use noccl_run::Watch;
use noccl_studies::{AlgorithmRequest, Error, MatrixRequest, MatrixRow, matrix, parse_algorithms};
use noccl_testkit::network;
use noccl_testkit::one_in;
use noccl_workload::CollectiveKind;

fn rows(
    net: &Network,
    collectives: &[CollectiveKind],
    bytes: &[u64],
    algorithms: &str,
) -> Vec<MatrixRow> {
    let request = MatrixRequest {
        collectives: collectives.to_vec(),
        bytes: bytes.to_vec(),
        algorithms: parse_algorithms(algorithms).unwrap(),
        ..MatrixRequest::new()
    };
    matrix(net, &request, Watch::quiet()).unwrap()
}

fn best(rows: &[MatrixRow]) -> Option<&MatrixRow> {
    rows.iter().min_by_key(|r| r.cycles)
}

#[test]
fn auto_is_at_most_3_percent_slower_than_the_best() {
    let net = network("collective_noc_4x4");
    for kind in MatrixRequest::new().collectives {
        let sizes = [64, 4 << 10, 512, 8 << 10];
        for bytes in sizes.into_iter().step_by(one_in(2)) {
            let all = rows(&net, &[kind], &[bytes], "all");
            let chosen = rows(&net, &[kind], &[bytes], "auto");
            assert_eq!(all.is_empty(), chosen.is_empty(), "{kind} {bytes}");
            let (Some(best), Some(auto)) = (best(&all), chosen.first()) else {
                continue;
            };
            let ratio = auto.cycles as f64 / best.cycles as f64;
            assert!(
                ratio <= 1.03,
                "{kind} {bytes}: {} instead of {}",
                auto.cycles,
                best.cycles
            );
            assert!(auto.parameters.contains_key("picked_by"), "{auto:?}");
        }
    }
}

#[test]
fn auto_takes_software_where_a_group_is_many_multi_addresses() {
    let net = network("collective_noc_4x4");
    let of = |algorithms: &str| {
        let request = MatrixRequest {
            collectives: vec![CollectiveKind::AllGather],
            bytes: vec![1000],
            algorithms: parse_algorithms(algorithms).unwrap(),
            group: "1,0,3,3".to_owned(),
        };
        matrix(&net, &request, Watch::quiet()).unwrap()
    };
    let (all, auto) = (of("all"), of("auto"));
    let least = best(&all).unwrap().cycles as f64;
    assert!(auto[0].cycles as f64 <= 1.03 * least, "{auto:?}");
    assert!(auto[0].algorithm.starts_with("point_to_point"), "{auto:?}");
}

/// Whole payloads and their scratch are 143,344 of 131,072 bytes.
#[test]
fn auto_takes_a_form_that_fits_in_chunks_only() {
    let net = network("collective_noc_6x5");
    let row = &rows(&net, &[CollectiveKind::ReduceScatter], &[2160], "auto")[0];
    assert!(row.algorithm.starts_with("point_to_point"), "{row:?}");
}

#[test]
fn auto_on_the_published_router_takes_nothing_that_it_cannot_do() {
    let net = network("collective_noc_4x4_published");
    for kind in MatrixRequest::new().collectives {
        for row in rows(&net, &[kind], &[1024], "auto") {
            assert!(row.verified.is_yes(), "{row:?}");
            let is_lines = row.algorithm.starts_with("in_network");
            assert!(!is_lines || kind == CollectiveKind::Multicast, "{row:?}");
        }
    }
}

#[test]
fn every_row_is_verified_and_not_below_its_bound_and_each_case_has_a_best_one() {
    let net = network("collective_noc_4x4");
    let kinds = [
        CollectiveKind::AllGather,
        CollectiveKind::ReduceScatter,
        CollectiveKind::AllToAll,
    ];
    let rows = rows(&net, &kinds, &[64, 1000], "all");
    for row in &rows {
        assert!(
            row.verified.is_yes() && row.cycles >= row.lower_bound_cycles,
            "{row:?}"
        );
    }
    for kind in kinds {
        for bytes in [64, 1000] {
            let case = rows
                .iter()
                .filter(|r| (r.collective, r.bytes) == (kind, bytes));
            assert_eq!(case.filter(|r| r.is_best).count(), 1, "{kind} {bytes}");
        }
    }
}

#[test]
fn sizes_that_do_not_fit_are_left_out_and_other_mistakes_are_not() {
    let net = network("collective_noc_4x4");
    // 16 blocks of 8 KiB twice are more than 128 KiB.
    let left = rows(
        &net,
        &[CollectiveKind::AllToAll],
        &[64, 8 << 10],
        "pairwise",
    );
    assert_eq!(left.iter().map(|r| r.bytes).collect::<Vec<_>>(), [64]);
    let wrong = MatrixRequest {
        collectives: vec![CollectiveKind::AllToAll],
        bytes: vec![64],
        algorithms: parse_algorithms("in_network").unwrap(),
        ..MatrixRequest::new()
    };
    let error = matrix(&net, &wrong, Watch::quiet()).unwrap_err();
    assert!(matches!(error, Error::Coll(_)), "{error}");
    assert_eq!(parse_algorithms("auto"), Ok(vec![AlgorithmRequest::Auto]));
}

#[test]
fn planned_sends_come_near_the_middle_of_the_mesh() {
    // 4 KiB per pair over 8x8: direct sends without a plan take twice the bound.
    let net = network("collective_noc_8x8_large");
    let rows = rows(&net, &[CollectiveKind::AllToAll], &[4 << 10], "slotted");
    assert!(
        rows[0].verified.is_yes() && rows[0].cycles_over_lower_bound < 1.3,
        "{rows:?}"
    );
}

#[test]
fn more_members_than_a_chain_is_tried_over_have_rows_of_all_other_algorithms_of_the_network() {
    let found = rows(
        &network("collective_noc_16x8"),
        &[CollectiveKind::Multicast],
        &[64],
        "all",
    );
    let name = |r: &MatrixRow| r.algorithm.split(':').next().unwrap().to_owned();
    let names: Vec<String> = found.iter().map(name).collect();
    let all = [
        "tree",
        "row_column",
        "double_tree",
        "point_to_point",
        "in_network",
    ];
    assert_eq!(names, all);
}

#[test]
fn what_nothing_on_the_network_can_do_ends_nothing_else() {
    let kinds = [CollectiveKind::AllReduce, CollectiveKind::Multicast];
    let found = rows(&network("esp_4x5"), &kinds, &[1 << 10], "all");
    let is_multicast = |row: &MatrixRow| row.collective == CollectiveKind::Multicast;
    assert!(
        !found.is_empty() && found.iter().all(is_multicast),
        "{found:?}"
    );
}
