// SPDX-License-Identifier: Apache-2.0
//! Faults in the hardware do not survive the comparison (`tests/libraries/mutants.rs`).

use crate::common::is_noticed;

#[test]
fn a_grant_that_is_not_passed_on_is_noticed() {
    is_noticed("2x2-arbiter", &crate::common::UNICAST);
}

#[test]
fn a_multicast_that_misses_a_column_is_noticed() {
    is_noticed("2x2-route", &crate::common::COLLECTIVE);
}

#[test]
fn a_merge_unit_that_serves_the_same_input_again_is_noticed() {
    is_noticed("2x2-merge", &crate::common::COLLECTIVE);
}
