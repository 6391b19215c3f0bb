// SPDX-License-Identifier: Apache-2.0
//! Faults in DMA engines do not survive the comparison, transfer by transfer (`tests/libraries/mutants.rs`).

use crate::common::engines::{Engines, copy, place, push, sum, together};
use crate::common::{cluster, set};
use noccl_net::TileRef;
use noccl_testkit::assert_says;
use noccl_testkit::schedules::at_once;
use noccl_workload::{ActionKind, Destination, Schedule};

/// Where the first difference to engines with a fault is; engines without one have none.
fn found(fault: &str, on: &Schedule) -> String {
    let mesh = |library| Engines {
        library,
        preset: "collective_noc_2x2",
    };
    mesh("2x2-engines-tiles").agree(on);
    let library = format!("2x2-engines-tiles-{fault}");
    mesh(library.leak()).found(on, |_| ())
}

#[test]
fn bursts_of_a_contribution_with_one_name_are_noticed() {
    let all = set((0, 0), (1, 1));
    let long = sum(all, place(cluster(0, 0), 0x8000), 9024);
    let long = at_once([ActionKind::InNetworkReduction(long)]);
    let difference = found("name", &long);
    assert!(difference.contains("Local input"), "{difference}");
    // The second one, which would have to wait for the end of the first.
    assert!(difference.contains("recorded: REDUCE"), "{difference}");
    assert_says(&difference, &["tag 0x1 ", "hardware: nothing"]);
}

#[test]
fn a_transfer_that_loses_its_place_is_noticed() {
    let both = together(vec![
        push(cluster(0, 0), cluster(1, 1), (0, 0x8000), 9000),
        push(cluster(0, 0), cluster(0, 1), (0, 0x8000), 9000),
    ]);
    let difference = found("place", &both);
    assert!(difference.contains("Local input"), "{difference}");
    // The other one's burst, of a channel before it, goes first.
    assert!(
        difference.contains("recorded: WRITE dst (2, 1)"),
        "{difference}"
    );
    assert_says(&difference, &["hardware: WRITE dst (1, 1)"]);
}

#[test]
fn read_data_that_pass_a_cycle_early_are_noticed() {
    let to = Destination::One(place(cluster(1, 1), 0x8000));
    let through = copy(cluster(0, 0), place(TileRef::Memory(1), 0), to, 1000);
    let difference = found("settled", &together(vec![through]));
    assert!(difference.contains("Local input"), "{difference}");
    assert_says(&difference, &["recorded: nothing", "hardware: WRITE"]);
}
