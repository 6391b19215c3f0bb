// SPDX-License-Identifier: Apache-2.0
//! Scenarios of Torrent endpoints on the simulator and on the Verilated hardware.

pub use crate::libraries::library;

use crate::bench::{PortScenario, record_ports};
use noccl_cosim::lockstep::PortsLockstep;

/// Endpoints of the library.
pub const ENDPOINTS: u32 = 9;

/// Both sides match the simulator, and every chain ends. Cycles and handshakes.
pub fn follow(hardware: &mut PortsLockstep, scenario: &PortScenario) -> (u64, u64) {
    let run = record_ports(scenario);
    assert!(
        run.over.iter().all(|(_, over)| *over != u64::MAX),
        "{scenario:?}"
    );
    let compared = hardware.follow(&run);
    let handshakes = compared.unwrap_or_else(|error| panic!("{error}\n{scenario:?}"));
    (run.cycles.len() as u64, handshakes)
}
