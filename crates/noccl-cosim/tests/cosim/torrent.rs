// SPDX-License-Identifier: Apache-2.0
//! Torrent endpoints in lock-step with the hardware: every handshake of every AXI port (`make cosim-torrent`).

use crate::bench::{PortChain, PortPattern, PortScenario, record_ports};
use crate::common::some;
use crate::torrent_ports::{ENDPOINTS, follow, library};
use noccl_cosim::lockstep::{LockstepError, PortsLockstep};
use noccl_testkit::cases;

const ROW: PortPattern = PortPattern {
    stride: 1,
    is_turned: false,
};

/// A chain of endpoint 0 through 1 to `num_destinations`.
fn chain(num_destinations: u32, beats: u64) -> PortChain {
    PortChain {
        initiator: 0,
        cycle: 0,
        beats,
        source: ROW,
        own: None,
        destinations: (1..=num_destinations)
            .map(|endpoint| (endpoint, ROW))
            .collect(),
    }
}

fn scenario(chains: Vec<PortChain>) -> PortScenario {
    PortScenario {
        endpoints: ENDPOINTS,
        chains,
        stalls: [0; 3],
        seed: 0,
    }
}

#[test]
fn chains_of_one_to_eight_destinations_match_the_simulator() {
    let mut hardware = PortsLockstep::open(&library("torrent")).unwrap();
    let lengths = [1, 2, 63, 64, 65, 129, 200];
    let runs = (1..=8).flat_map(|destinations| lengths.map(|beats| (destinations, beats)));
    for (num_destinations, beats) in some(runs) {
        let one = chain(num_destinations, beats);
        follow(&mut hardware, &scenario(vec![one]));
    }
}

/// More tasks than numbers of tasks, one behind the other.
#[test]
fn task_numbers_come_round() {
    let mut hardware = PortsLockstep::open(&library("torrent")).unwrap();
    let chains = (0..36).map(|_| chain(2, 3)).collect();
    follow(&mut hardware, &scenario(chains));
}

/// Random chains that share followers, with and without conflicts in banks, under back-pressure.
#[test]
fn random_chains_match_the_simulator() {
    let mut hardware = PortsLockstep::open(&library("torrent")).unwrap();
    let seeds = std::env::var("NOCCL_COSIM_SEEDS")
        .map_or_else(|_| u64::from(cases(8, 40)), |text| text.parse().unwrap());
    let mut sum = (0, 0);
    for seed in 0..seeds {
        let (cycles, handshakes) = follow(&mut hardware, &PortScenario::random(ENDPOINTS, seed));
        sum = (sum.0 + cycles, sum.1 + handshakes);
    }
    println!("{seeds} seeds: {} cycles, {} handshakes", sum.0, sum.1);
}

/// The comparison sees a record that is not what happened.
#[test]
fn a_changed_record_is_refused_where_it_was_changed() {
    let mut hardware = PortsLockstep::open(&library("torrent")).unwrap();
    let run = record_ports(&scenario(vec![chain(3, 70)]));
    for (cycle, at) in [(9, 3), (60, 14), (60, 19), (120, 28)] {
        let mut changed = run.clone();
        changed.cycles[cycle].seen[at] ^= 4;
        let Err(LockstepError::Ports(found)) = hardware.follow(&changed) else {
            panic!("{cycle}, {at}: not noticed");
        };
        assert_eq!(found.cycle, cycle as u64, "{found}");
    }
    let mut changed = run.clone();
    changed.written.last_mut().unwrap().value ^= 1;
    assert!(matches!(
        hardware.follow(&changed),
        Err(LockstepError::Ports(_))
    ));
    assert!(hardware.follow(&run).unwrap() > 500);
}
