// SPDX-License-Identifier: Apache-2.0
//! Random traces on the simulator, in lock-step with Verilated network interfaces and mesh, at the AXI ports.

use super::{
    HARD, enough, first, library, network_of, record_with, some, stalled, stalls,
    without_reductions,
};
use noccl_cosim::endpoints::Endpoints;
use noccl_cosim::lockstep::{Follow, LockstepError};
use noccl_net::Network;
use noccl_run::{CycleRecord, RunConfig};
use noccl_studies::StressKind;
use noccl_studies::stress::{Recipe, generate};
use noccl_testkit::random::{random_narrow_trace, random_trace};
use noccl_testkit::traces::trace;
use noccl_workload::{PortKind, PortTransaction, Trace, check_trace_limits};
use std::ops::Range;

/// A library.
#[derive(Debug, Clone, Copy)]
pub struct Hardware {
    pub library: &'static str,
}

/// How far the hardware has followed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Comparison {
    pub handshakes: u64,
    pub cycles: u64,
    /// The record went on beyond what four write channels can do.
    pub is_cut: bool,
}

/// Stalls between network interfaces and routers, by seed.
pub fn held(seed: u64) -> RunConfig {
    stalled(stalls(seed), seed)
}

/// AXI ports behind the network interfaces that are not ready in a quarter or in half of the cycles.
pub fn busy(seed: u64) -> RunConfig {
    RunConfig {
        port_stall_per_256: [64, 128][(seed % 2) as usize],
        ..stalled(None, seed)
    }
}

/// Records of a random trace.
pub fn records(
    network: &Network,
    (kinds, transactions): (&[StressKind], u32),
    (seed, config): (u64, RunConfig),
) -> (Vec<CycleRecord>, RunConfig) {
    let axi = network.as_axi().unwrap();
    let mut trace = generate(axi, &Recipe::new(axi, kinds, transactions), seed);
    // Some clusters write to themselves: own copies of multicasts wait for that.
    for transaction in trace.transactions.iter_mut().step_by(3) {
        match &mut transaction.kind {
            PortKind::WideWrite { from, to, .. } | PortKind::NarrowWrite { from, to } => {
                *to = *from
            }
            PortKind::WideMulticast { .. }
            | PortKind::WideRead { .. }
            | PortKind::WideReduction { .. }
            | PortKind::NarrowMulticast { .. }
            | PortKind::NarrowRead { .. }
            | PortKind::Atomic { .. }
            | PortKind::Barrier { .. } => {}
        }
    }
    (record_with(network, &trace, &config), config)
}

impl Hardware {
    /// Runs along records.
    pub fn follow(
        self,
        network: &Network,
        (records, config): &(Vec<CycleRecord>, RunConfig),
    ) -> Result<Comparison, LockstepError> {
        let mut hardware = Endpoints::open(&library(self.library), network, config)?;
        let mut comparison = Ok(());
        for record in records {
            comparison = hardware.follow(record);
            if comparison.is_err() {
                break;
            }
        }
        let is_cut = match comparison {
            Err(LockstepError::Unsupported { what, .. }) if what.contains("passes those") => true,
            comparison => {
                comparison?;
                hardware.drain()?;
                false
            }
        };
        Ok(Comparison {
            handshakes: hardware.num_compared(),
            cycles: hardware.cycle(),
            is_cut,
        })
    }

    /// Random traces of these kinds match the simulator, seed by seed.
    pub fn agree(self, kinds: &[StressKind], seeds: Range<u64>) {
        self.agree_under(held, kinds, seeds);
    }

    /// More narrow transactions at a time than interfaces may have open and than merge tables have entries.
    pub fn congested_narrow_traces(self, seeds: impl Iterator<Item = u64>) {
        let network = network_of(self.library);
        for seed in seeds {
            let (count, window_cycles) = (10 + seed as usize % 60, 1 + seed % 57);
            let trace = random_narrow_trace(&network, seed, count, window_cycles);
            self.follows_accepted(&network, &trace, seed);
        }
    }

    /// The same with wide transactions. Reductions apart: the record gives a number anew in the cycle of the last response, an
    /// interface takes it in the next one.
    pub fn congested_traces(self, seeds: Range<u64>) {
        let network = network_of(self.library);
        for seed in seeds {
            let (count, window_cycles) = (10 + seed as usize * 7 % 60, 1 + seed * 13 % 120);
            let trace = random_trace(&network, seed, count, window_cycles);
            let trace = without_reductions(trace);
            self.follows_accepted(&network, &trace, seed);
        }
    }

    fn follows_accepted(self, network: &Network, trace: &Trace, seed: u64) {
        if check_trace_limits(network, trace).is_ok() {
            let responses = self.follows(trace);
            responses.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        }
    }

    /// The same under other stalls.
    pub fn agree_under(
        self,
        stalls: fn(u64) -> RunConfig,
        kinds: &[StressKind],
        seeds: Range<u64>,
    ) {
        let network = network_of(self.library);
        let (mut handshakes, mut runs, mut cut) = (0, 0, 0);
        for seed in first(seeds) {
            // The shortest trace that differs says most.
            for transactions in some([1, 2, 4, 8, 16, 64].into_iter()) {
                let run = records(&network, (kinds, transactions), (seed, stalls(seed)));
                match self.follow(&network, &run) {
                    Ok(comparison) => {
                        handshakes += comparison.handshakes;
                        cut += u64::from(comparison.is_cut);
                        runs += 1;
                    }
                    Err(error) => panic!("seed {seed}, {transactions} transactions: {error}"),
                }
            }
        }
        assert!(
            handshakes > enough(5_000),
            "{handshakes} handshakes are too few"
        );
        assert!(cut * 4 <= runs, "{cut} of {runs} runs end early");
    }

    /// Transactions match the simulator, without and with back-pressure.
    pub fn agree_on(self, transactions: Vec<PortTransaction>) {
        let network = network_of(self.library);
        let trace = trace(transactions);
        for stalls in [None, Some(HARD)] {
            let config = stalled(stalls, 1);
            let run = (record_with(&network, &trace, &config), config);
            match self.follow(&network, &run) {
                Ok(comparison) => assert!(!comparison.is_cut),
                Err(error) => panic!("{:?}: {error}", trace.transactions),
            }
        }
    }

    /// The first difference between the hardware and records of everything at once; `None` if there is none in six seeds.
    pub fn first_difference(self, kinds: &[StressKind]) -> Option<LockstepError> {
        let network = network_of(self.library);
        (0..6).find_map(|seed| {
            let run = records(&network, (kinds, 64), (seed, held(seed)));
            self.follow(&network, &run).err()
        })
    }
}
