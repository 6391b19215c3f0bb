// SPDX-License-Identifier: Apache-2.0
//! Meshes of 2×2 clusters whose links take more than a cycle are the simulator's, handshake by handshake: links of other lengths on
//! each plane, and the upper end of the range.

use crate::common::cases::{Cases, matches_the_simulator};
use crate::common::{REDUCING, is_noticed_on, library, whole_or_tiles};
use noccl_cosim::lockstep::Lockstep;
use noccl_net::Network;
use noccl_testkit::network_with;

fn network(cycles: [&str; 3]) -> Network {
    let planes = ["req", "rsp", "wide"].map(|plane| format!("router.link_cycles.{plane}"));
    let set = [0, 1, 2].map(|i| (planes[i].as_str(), cycles[i]));
    network_with("collective_noc_2x2", &set)
}

const UNEQUAL: [&str; 3] = ["2", "3", "4"];

fn unequal_library() -> &'static str {
    whole_or_tiles("2x2-links-2-3-4-reducing", "2x2-links-2-3-4-reducing-tiles")
}

fn unequal() -> Cases {
    Cases::new(unequal_library(), network(UNEQUAL))
}

fn longest() -> Cases {
    let name = whole_or_tiles("2x2-links-8-8-8-reducing", "2x2-links-8-8-8-reducing-tiles");
    Cases::new(name, network(["8", "8", "8"]))
}

mod two_three_and_four_cycles {
    use super::*;

    matches_the_simulator!(
        unequal();
        unicasts(0..6),
        multicasts_and_barriers(0..6),
        reductions_between_writes(0..6),
        overlapping_transactions(0..12),
        congested_traces(0..100),
    );
}

mod eight_cycles {
    use super::*;

    matches_the_simulator!(
        longest();
        unicasts(0..6),
        multicasts_and_barriers(0..6),
        reductions_between_writes(0..6),
        overlapping_transactions(0..12),
        congested_traces(0..100),
    );
}

#[test]
fn windows_that_do_not_grow_with_links_are_noticed() {
    let name = "2x2-links-2-3-4-reducing-tiles-stages";
    is_noticed_on(&network(UNEQUAL), name, &REDUCING);
}

#[test]
fn a_link_that_is_too_short_is_noticed() {
    let name = "2x2-links-2-3-4-reducing-tiles-link";
    is_noticed_on(&network(UNEQUAL), name, &REDUCING);
}

#[test]
fn a_network_with_other_links_is_refused() {
    let error = Lockstep::open(&library(unequal_library()), &network(["2", "3", "1"]))
        .err()
        .unwrap();
    assert!(
        error.to_string().contains("WIDE_LINK_CYCLES is 4"),
        "{error}"
    );
}
