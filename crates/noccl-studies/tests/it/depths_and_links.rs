// SPDX-License-Identifier: Apache-2.0
//! Networks with FIFOs of other depths than two and with links of more than a cycle: bytes, lower bounds, the model's law, stress.

use crate::common::{asked, check_bytes_and_bounds, check_predicted, check_stress};
use noccl_model::Calibration;
use noccl_net::Network;
use noccl_run::Watch;
use noccl_studies::calibrate;
use noccl_testkit::{assert_says, network_with, one_in, preset};
use noccl_workload::CollectiveKind;

/// Slots of inputs and outputs, cycles of links on req, rsp and wide.
type Sizes = ((u32, u32), (u32, u32, u32));

const SIZES: [Sizes; 7] = [
    ((1, 1), (1, 1, 1)),
    ((1, 2), (8, 1, 1)),
    ((2, 1), (1, 8, 1)),
    ((2, 2), (1, 1, 8)),
    ((16, 16), (1, 1, 1)),
    ((3, 7), (5, 2, 3)),
    ((16, 1), (8, 8, 8)),
];

fn network(preset: &str, (depths, links): Sizes) -> Network {
    let set = [
        ("router.input_fifo_flits", depths.0),
        ("router.output_fifo_flits", depths.1),
        ("router.link_cycles.req", links.0),
        ("router.link_cycles.rsp", links.1),
        ("router.link_cycles.wide", links.2),
    ];
    network_with(preset, &set)
}

#[test]
fn every_algorithm_has_the_right_bytes_and_none_is_faster_than_its_lower_bound() {
    for sizes in SIZES {
        let net = network("collective_noc_4x4", sizes);
        for case in [
            (CollectiveKind::Multicast, "row", 1024),
            (CollectiveKind::Reduce, "all", 512),
            (CollectiveKind::AllReduce, "0,0,2,2", 256),
            (CollectiveKind::AllGather, "row", 128),
            (CollectiveKind::ReduceScatter, "0,0,2,2", 64),
            (CollectiveKind::AllToAll, "0,0,2,2", 64),
            (CollectiveKind::Barrier, "all", 0),
        ] {
            check_bytes_and_bounds(&net, &sizes, case);
        }
    }
}

#[test]
fn overlapping_transactions_of_all_kinds_complete_with_the_right_bytes() {
    for sizes in SIZES {
        let net = network("collective_noc_4x4", sizes);
        check_stress(&net, &sizes, 10);
    }
}

#[test]
fn the_models_constants_move_with_links_by_their_law_and_not_with_depths_from_two_on() {
    let shipped = Calibration::shipped().unwrap();
    let sizes = [
        ((2, 5), (8, 8, 8)),
        ((16, 3), (1, 1, 1)),
        ((2, 2), (4, 4, 4)),
    ];
    for sizes in sizes.into_iter().step_by(one_in(3)) {
        let net = network("collective_noc_4x4", sizes);
        let fitted = calibrate(&net, "a test", Watch::quiet()).unwrap();
        let moved = shipped.constants_for(net.spec()).unwrap();
        assert_eq!(fitted.constants, moved, "{sizes:?}");
        // And back.
        let back = fitted.constants_for(&preset("collective_noc_4x4")).unwrap();
        assert_eq!(back.hop_cycles, shipped.constants.hop_cycles, "{sizes:?}");
    }
    let net = network("collective_noc_4x4", ((1, 2), (1, 1, 1)));
    let refusal = shipped.constants_for(net.spec()).unwrap_err();
    assert_says(refusal, &["router.input_fifo_flits"]);
}

/// The counter takes a member in the cycles of an atomic. Over links of a cycle members come faster, so it is busy from the first to
/// the last one; over longer links it waits for those from afar, and its cluster sees it full a round of polling later at most. (A
/// cluster by itself interrupts nobody else: that takes two cycles more than the law.)
#[test]
fn the_software_barrier_takes_the_models_cycles_over_links_of_any_length() {
    for length in 1..=8 {
        let net = network("collective_noc_8x8", ((2, 2), (length, length, length)));
        for group in [
            "row", "column:0", "0,0,2,1", "0,0,2,2", "0,0,4,2", "0,0,3,5", "2,3,4,4", "all",
        ] {
            let request = asked(&net, CollectiveKind::Barrier, (group, &[0]), "counter");
            check_predicted(&net, &request, &format!("links of {length}"));
        }
    }
}
