// SPDX-License-Identifier: Apache-2.0
//! A kernel on 64 cores with private caches: references per CPU-second, all checks of loads and stores among them.

use super::BenchRow;
use super::measure::Clock;
use super::measure::row;
use crate::Error;
use noccl_coherence::machine::run_ht;
use noccl_coherence::{Kernel, Size};
use noccl_net::Network;
use noccl_run::{Tally, Watch};

const THREADS: usize = 64;

/// Time covers the run, not the recording.
pub(super) fn run(network: &Network, watch: Watch<'_>) -> Result<BenchRow, Error> {
    let log = Kernel::Lu.record(THREADS, Size::Standard)?;
    let tally = Tally::new(watch, 1);
    let clock = Clock::start();
    let counts = run_ht(network, &log, &mut |cycle| tally.follow(cycle))?;
    let elapsed = clock.elapsed();
    let seconds = elapsed.cpu_seconds;
    let row = row(0.0, counts.flit_hops, counts.cycles, seconds, elapsed);
    Ok(BenchRow {
        references_per_s: Some(counts.references as f64 / seconds),
        ..row
    })
}
