// SPDX-License-Identifier: Apache-2.0
//! The mesh of 2×2 clusters is the simulator's, handshake by handshake.
#![allow(clippy::unwrap_used)]

mod cosim;

use noccl::StressKind;

const UNICAST: [StressKind; 3] = [StressKind::Write, StressKind::Read, StressKind::Atomic];

#[test]
fn unicast_transactions_take_the_same_course() {
    cosim::agree("2x2", "collective_noc_2x2", &UNICAST, 0..6);
}
