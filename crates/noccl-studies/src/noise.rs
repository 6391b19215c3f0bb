// SPDX-License-Identifier: Apache-2.0
//! A schedule many times under seeded noise: mean and variance of its runtime, as S4 gives them.
//!
//! A run is deterministic, so without noise its variance is zero; with noise it is that of the spec's two numbers and nothing else.

use crate::Error;
use crate::compare::runtime_cycles;
use crate::measure::runner::mean;
use noccl_net::Network;
use noccl_run::{Mode, RunConfig, Tally};
use noccl_sim::run_schedule;
use noccl_workload::Schedule;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most runs of one schedule.
pub const MAX_NOISY_RUNS: u32 = 1_000_000;

/// Longest time by which a core begins later than others.
pub const MAX_START_SKEW_CYCLES: u64 = 1_000_000_000;

/// Seeds of runs under noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoiseRequest {
    /// Seed of the first run; the others have those after it.
    pub seed: u64,
    /// How many runs.
    pub runs: u32,
    /// Each core begins at a time of its own, up to so many cycles after the first one could.
    pub start_skew_cycles: u64,
}

/// Runtimes under noise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoiseStatistics {
    /// Runs.
    pub runs: u32,
    /// Mean runtime.
    pub mean_cycles: f64,
    /// Variance of the runtime, of the runs as they are (divided by their number).
    pub variance_cycles2: f64,
    /// The same at the network's clock.
    pub variance_us2: f64,
    /// Shortest runtime.
    pub least_cycles: u64,
    /// Longest runtime.
    pub most_cycles: u64,
}

/// Runs a schedule that the checker has accepted many times, in timing mode, each with a seed of its own.
///
/// # Errors
/// [`Error::Argument`] where there is no noise; those of the runs.
pub fn under_noise(
    network: &Network,
    schedule: &Schedule,
    config: &RunConfig,
    request: NoiseRequest,
    tally: &Tally<'_>,
) -> Result<NoiseStatistics, Error> {
    check(network, request)?;
    let cycles = |run: u32| -> Result<u64, Error> {
        let config = RunConfig {
            mode: Mode::Timing,
            noise_seed: Some(request.seed.wrapping_add(run.into())),
            start_skew_cycles: request.start_skew_cycles,
            ..config.clone()
        };
        let result =
            tally.run(|watch| run_schedule(network, schedule, &[], &[], &config, watch))?;
        Ok(runtime_cycles(Some(schedule), &result.actions))
    };
    let runs: Result<Vec<u64>, Error> = (0..request.runs).into_par_iter().map(cycles).collect();
    statistics(&runs?, network.spec().clock_ghz).ok_or_else(|| wrong_number(request.runs))
}

fn check(network: &Network, request: NoiseRequest) -> Result<(), Error> {
    let refused = |accepted: &str| Error::argument("--noise", request.seed, accepted);
    let Some(tiles) = network.cores() else {
        return Err(refused("accepted on core tiles only, e.g. tilepro64_8x8"));
    };
    let is_held_up = tiles.core.noise_per_billion_messages > 0 && tiles.core.noise_cycles > 0;
    if !is_held_up && request.start_skew_cycles == 0 {
        return Err(refused(
            "accepted where core.noise_per_billion_messages and core.noise_cycles are above 0, or with --start-skew",
        ));
    }
    if request.start_skew_cycles > MAX_START_SKEW_CYCLES {
        let accepted = format!("accepted: 0 to {MAX_START_SKEW_CYCLES}");
        return Err(Error::argument(
            "--start-skew",
            request.start_skew_cycles,
            accepted,
        ));
    }
    if !(1..=MAX_NOISY_RUNS).contains(&request.runs) {
        return Err(wrong_number(request.runs));
    }
    Ok(())
}

fn wrong_number(runs: u32) -> Error {
    let accepted = format!("accepted: 1 to {MAX_NOISY_RUNS}");
    Error::argument("--repeat", runs, accepted)
}

/// `None` without runs, which have neither a mean nor a shortest runtime.
fn statistics(cycles: &[u64], clock_ghz: f64) -> Option<NoiseStatistics> {
    let values: Vec<f64> = cycles.iter().map(|cycles| *cycles as f64).collect();
    let mean_cycles = mean(&values);
    let squares: Vec<f64> = values.iter().map(|c| (c - mean_cycles).powi(2)).collect();
    let variance_cycles2 = mean(&squares);
    let cycles_per_us = 1000.0 * clock_ghz;
    Some(NoiseStatistics {
        runs: cycles.len() as u32,
        mean_cycles,
        variance_cycles2,
        variance_us2: variance_cycles2 / (cycles_per_us * cycles_per_us),
        least_cycles: *cycles.iter().min()?,
        most_cycles: *cycles.iter().max()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_variance_are_those_of_the_runs() {
        let found = statistics(&[100, 100, 100, 800], 0.7).unwrap();
        assert_eq!(
            (found.runs, found.least_cycles, found.most_cycles),
            (4, 100, 800)
        );
        assert!((found.mean_cycles - 275.0).abs() < 1e-9);
        assert!((found.variance_cycles2 - 91_875.0).abs() < 1e-6);
        assert!((found.variance_us2 - 91_875.0 / 490_000.0).abs() < 1e-9);
    }

    #[test]
    fn no_runs_have_no_statistics() {
        assert_eq!(statistics(&[], 0.7), None);
    }

    #[test]
    fn noise_is_refused_where_there_is_none() {
        let of = |preset: &str| crate::load(preset, &[]).unwrap().network;
        let one = NoiseRequest {
            seed: 1,
            runs: 1,
            start_skew_cycles: 0,
        };
        let text = |preset: &str| check(&of(preset), one).unwrap_err().to_string();
        assert!(text("collective_noc_4x4").contains("core tiles"));
        assert!(text("tilepro64_2x2").contains("core.noise_cycles"));
        let late = |start_skew_cycles| NoiseRequest {
            start_skew_cycles,
            ..one
        };
        let tilepro = of("tilepro64_2x2");
        assert!(check(&tilepro, late(500)).is_ok());
        let text = check(&tilepro, late(1 << 60)).unwrap_err().to_string();
        assert!(text.contains("--start-skew"), "{text}");
    }
}
