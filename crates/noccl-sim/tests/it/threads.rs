// SPDX-License-Identifier: Apache-2.0
//! A run gives the same result whatever the number of threads.
//!
//! 64×64 clusters: 65 blocks of 64 routers, so that the threads really share the work.

use crate::common::{cluster, cube, network};
use noccl_net::Network;
use noccl_run::{Mode, RunConfig, RunResult};
use noccl_testkit::cases;
use noccl_testkit::traces::{barrier, entry, trace, wide_multicast, wide_reduction, wide_write};
use noccl_workload::{Pattern, Trace, Traffic};

const THREADS: [usize; 3] = [1, 2, 5];

fn config(mode: Mode, threads: usize) -> RunConfig {
    let mut config = RunConfig::new(mode);
    config.threads = threads;
    config
}

/// Writes of every cluster, and collectives of every kind across them.
fn mixed() -> Trace {
    let at = |kind, start, members: usize| entry(vec![Some(start); members], kind);
    let mut transactions = Vec::new();
    for (x, y) in (0..64).flat_map(|x| (0..64).map(move |y| (x, y))) {
        let to = cluster((x * 7 + y * 3 + 1) % 64, (y * 5 + x + 2) % 64);
        let kind = wide_write(cluster(x, y), to, 4 + u32::from(x % 3));
        transactions.push(at(kind, u64::from(y % 8), 1));
    }
    for y in (0..64).step_by(4) {
        let row = cube(0, y, 63, 0);
        let (root, beats) = (cluster(y, y), 9);
        let from = cluster(63 - y, y);
        let to = cube(0, y & !3, 63, 3);
        transactions.push(at(wide_multicast(from, to, beats), 3, 1));
        let group = row;
        transactions.push(at(wide_reduction(group, root, beats), 5, 64));
        transactions.push(at(barrier(group, root), 7, 64));
    }
    trace(transactions)
}

fn run_mixed(network: &Network, mode: Mode, threads: usize) -> RunResult {
    noccl_sim::run_trace(network, &mixed(), &config(mode, threads), &mut |_| true)
        .expect("the trace is sound")
}

#[test]
fn a_mixed_trace_gives_the_same_result_for_any_number_of_threads() {
    for preset in ["collective_noc_64x64", "collective_noc_64x64_bypass"] {
        let net = network(preset);
        for mode in [Mode::Timing, Mode::Value] {
            let [one, two, five] = THREADS.map(|threads| run_mixed(&net, mode, threads));
            assert_eq!(one.wrong_transactions, 0);
            assert_eq!(one, two, "{mode:?}");
            assert_eq!(one, five, "{mode:?}");
        }
    }
}

#[test]
fn open_loop_traffic_gives_the_same_result_for_any_number_of_threads() {
    for preset in ["collective_noc_64x64", "collective_noc_64x64_bypass"] {
        let net = network(preset);
        for pattern in [Pattern::Uniform, Pattern::RowMulticast] {
            let traffic = Traffic {
                pattern,
                beats: 16,
                offered_beats_per_cycle: 0.01,
                warmup_cycles: cases(100, 200).into(),
                measure_cycles: cases(200, 400).into(),
                seed: 7,
            };
            let [one, two, five] = THREADS.map(|threads| {
                let config = config(Mode::Timing, threads);
                noccl_sim::run_traffic(&net, &traffic, &config, &mut |_| true)
                    .expect("traffic ends")
            });
            assert!(
                one.flit_hops > cases(50_000, 100_000).into(),
                "{} flit-hops",
                one.flit_hops
            );
            assert_eq!(one, two, "{pattern:?}");
            assert_eq!(one, five, "{pattern:?}");
        }
    }
}
