// SPDX-License-Identifier: Apache-2.0
//! Faults in the Torrent endpoints' hardware do not survive the comparison (`tests/libraries/mutants.rs`).

use crate::bench::{PortScenario, record_ports};
use crate::torrent_ports::{ENDPOINTS, library};
use noccl_cosim::lockstep::{LockstepError, PortsLockstep};

/// Random chains differ from the faulty endpoints, in one of the first seeds.
fn is_noticed(mutant: &str) {
    let mut hardware = PortsLockstep::open(&library(&format!("torrent-{mutant}"))).unwrap();
    let noticed = (0..20).find(|seed| {
        let run = record_ports(&PortScenario::random(ENDPOINTS, *seed));
        matches!(hardware.follow(&run), Err(LockstepError::Ports(_)))
    });
    assert!(noticed.is_some(), "{mutant} survives");
}

#[test]
fn a_grant_that_goes_on_a_cycle_later_is_noticed() {
    is_noticed("grant");
}

#[test]
fn messages_in_another_order_are_noticed() {
    is_noticed("priority");
}

#[test]
fn buffer_space_for_a_burst_less_is_noticed() {
    is_noticed("space");
}
