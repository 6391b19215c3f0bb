// SPDX-License-Identifier: Apache-2.0
//! Network interfaces of 2×2 clusters with few open transactions are the simulator's, at the AXI ports: one narrow one and two wide
//! ones, of which a reduction leaves a place for a write; numbers that are no powers of two; eight of each, seven reductions.

use crate::common::endpoints::{Hardware, busy};
use crate::common::{ALL, REDUCING, reductions_of_2x2};
use noccl_cosim::lockstep::LockstepError;
use noccl_studies::StressKind;

fn agree(library: &'static str) {
    let mesh = Hardware { library };
    mesh.agree(&ALL, 0..6);
    mesh.agree(&REDUCING, 0..6);
    mesh.agree_under(busy, &StressKind::ALL, 0..6);
    for one in reductions_of_2x2() {
        mesh.agree_on(vec![one]);
    }
}

#[test]
fn one_narrow_and_two_wide_ones_match_the_simulator() {
    agree("2x2-open-1-2-endpoints-tiles");
}

#[test]
fn three_narrow_and_five_wide_ones_match_the_simulator() {
    agree("2x2-open-3-5-endpoints-tiles");
}

#[test]
fn eight_of_each_match_the_simulator() {
    agree("2x2-open-8-8-endpoints-tiles");
}

#[test]
fn one_more_than_the_limit_is_noticed() {
    for fault in ["open_writes", "open_reads", "open_words"] {
        let library = format!("2x2-open-3-5-endpoints-tiles-{fault}").leak();
        let found = (Hardware { library }).first_difference(&ALL);
        assert!(
            matches!(found, Some(LockstepError::Divergence(_))),
            "{fault}: {found:?}"
        );
    }
}
