// SPDX-License-Identifier: Apache-2.0
//! Chains of Torrent endpoints on the bench whose ports hardware is compared with, without the hardware.

use crate::bench::{PortChain, PortPattern, PortScenario, record_ports};

/// Per destination 8 for its configuration, 3 for its grant, 2 for its data, 2 for its finish; and once.
const OWN_CYCLES: (u64, u64) = (15, 5);

#[test]
fn a_chain_between_connections_that_take_no_time_takes_15_cycles_per_destination_and_one_per_beat()
{
    let row = PortPattern {
        stride: 1,
        is_turned: false,
    };
    for destinations in 1..=8 {
        for beats in [1, 2, 63, 64, 65, 129, 200] {
            let chain = PortChain {
                initiator: 0,
                cycle: 3,
                beats,
                source: row,
                own: None,
                destinations: (1..=destinations)
                    .map(|destination| (destination, row))
                    .collect(),
            };
            let run = record_ports(&PortScenario {
                endpoints: 9,
                chains: vec![chain],
                stalls: [0; 3],
                seed: 0,
            });
            let (per_destination, once) = OWN_CYCLES;
            let expected = per_destination * u64::from(destinations) + beats + once;
            assert_eq!(run.over, [(3, 3 + expected)], "{destinations}, {beats}");
            assert_eq!(
                run.written.len() as u64,
                8 * beats * u64::from(destinations)
            );
        }
    }
}

/// Every chain of random sets under back-pressure ends, and writes what its initiator held.
#[test]
fn chains_under_back_pressure_all_end() {
    for seed in 0..60 {
        let scenario = PortScenario::random(9, seed);
        let run = record_ports(&scenario);
        for (chain, (start, over)) in scenario.chains.iter().zip(&run.over) {
            assert!(over < &u64::MAX && start < over, "seed {seed}: {chain:?}");
        }
        let beats =
            |c: &PortChain| c.beats * (c.destinations.len() as u64 + u64::from(c.own.is_some()));
        let words: u64 = scenario.chains.iter().map(|c| 8 * beats(c)).sum();
        assert_eq!(run.written.len() as u64, words, "seed {seed}");
    }
}
