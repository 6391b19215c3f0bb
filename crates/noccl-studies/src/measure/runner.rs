// SPDX-License-Identifier: Apache-2.0
//! Timed runs of library schedules, as all measurements need them.

use crate::compare::{collective_of, runtime_cycles};
use crate::{CompareRequest, Error, load, parse_group};
use noccl_coll::{Algorithm, Choice, Inner};
use noccl_net::Network;
use noccl_run::{Mode, RunConfig, RunResult, Tally};
use noccl_sim::run_schedule;
use noccl_workload::{Collective, CollectiveKind, ElementType, Schedule};
use rayon::prelude::*;

/// Runs schedules in timing mode: same cycles as value mode, no bytes.
#[derive(Clone, Copy)]
pub struct Runner<'a> {
    /// Counts the runs, and says when they shall end.
    pub tally: &'a Tally<'a>,
}

impl Runner<'_> {
    /// Runs a schedule.
    ///
    /// # Errors
    /// Those of the run.
    pub fn run(self, network: &Network, schedule: &Schedule) -> Result<RunResult, Error> {
        let config = RunConfig::new(Mode::Timing);
        Ok(self
            .tally
            .run(|on_progress| run_schedule(network, schedule, &[], &[], &config, on_progress))?)
    }

    /// Runtime as S1 defines it.
    ///
    /// # Errors
    /// Those of the run.
    pub fn cycles(self, network: &Network, schedule: &Schedule) -> Result<u64, Error> {
        let result = self.run(network, schedule)?;
        Ok(runtime_cycles(Some(schedule), &result.actions))
    }

    /// Runtime of a collective by one choice.
    ///
    /// # Errors
    /// Those of the schedule and of its run.
    pub fn collective_cycles(
        self,
        network: &Network,
        collective: &Collective,
        choice: Choice,
    ) -> Result<u64, Error> {
        self.cycles(network, &noccl_coll::schedule(network, collective, choice)?)
    }

    /// Runtime in the network.
    ///
    /// # Errors
    /// Those of the schedule and of its run.
    pub fn in_network_cycles(
        self,
        network: &Network,
        collective: &Collective,
    ) -> Result<u64, Error> {
        self.collective_cycles(network, collective, Choice::new(Algorithm::InNetwork, 1))
    }

    /// The fastest of several choices, the first of equals.
    ///
    /// # Errors
    /// Those of the schedules and of their runs; [`Error::Argument`] if there is no choice.
    pub fn fastest(
        self,
        network: &Network,
        collective: &Collective,
        choices: &[Choice],
    ) -> Result<(u64, Choice), Error> {
        let timed: Vec<Result<(u64, Choice), Error>> = choices
            .par_iter()
            .map(|choice| {
                Ok((
                    self.collective_cycles(network, collective, *choice)?,
                    *choice,
                ))
            })
            .collect();
        let mut best: Option<(u64, Choice)> = None;
        for outcome in timed {
            let one = outcome?;
            if best.is_none_or(|b| one.0 < b.0) {
                best = Some(one);
            }
        }
        best.ok_or_else(|| Error::argument("choices", "", "accepted: at least one"))
    }
}

/// A network by name with overrides `(path, value)`.
///
/// # Errors
/// Those of [`load`].
pub fn network(preset: &str, overrides: &[(&str, &str)]) -> Result<Network, Error> {
    let overrides: Vec<(String, String)> = overrides
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    Ok(load(preset, &overrides)?.network)
}

/// A collective over a group with the paper's root.
///
/// # Errors
/// Those of [`parse_group`] and of the collective.
pub fn collective(
    network: &Network,
    kind: CollectiveKind,
    group: &str,
    bytes: u64,
) -> Result<Collective, Error> {
    typed(network, kind, group, bytes, ElementType::Fp64)
}

/// The same with another element type.
///
/// # Errors
/// As [`collective`].
pub fn typed(
    network: &Network,
    kind: CollectiveKind,
    group: &str,
    bytes: u64,
    element: ElementType,
) -> Result<Collective, Error> {
    let mut request = CompareRequest::new(kind, parse_group(network, group)?, vec![bytes]);
    request.element = element;
    collective_of(network, &request, bytes)
}

// S1's grid of chunk counts, over which its software collectives are searched for the fastest.

const BEAT_BYTES: u64 = 64;

/// The paper's grid of chunk counts: powers of two, at least 9 beats per chunk and at most `most`.
fn chunk_counts(bytes: u64, most_beats: u64) -> Vec<u32> {
    let beats = bytes / BEAT_BYTES;
    (0..11)
        .map(|e| 1u32 << e)
        .filter(|count| (9..=most_beats).contains(&(beats / u64::from(*count))))
        .collect()
}

/// `seq` and `tree` of the paper on a row or on several.
#[must_use]
pub fn software(kind: CollectiveKind, bytes: u64, has_rows: bool) -> (Vec<Choice>, Vec<Choice>) {
    let chain = |count: &u32| match has_rows {
        true => Choice::row_column(Inner::Chain, *count),
        false => Choice::new(Algorithm::Chain, *count),
    };
    let tree = |count: &u32| match has_rows {
        true => Choice::row_column(Inner::Tree, *count),
        false => Choice::new(Algorithm::Tree, *count),
    };
    if kind == CollectiveKind::Multicast {
        let counts = chunk_counts(bytes, 1023);
        return (counts.iter().map(chain).collect(), vec![tree(&1)]);
    }
    let counts = chunk_counts(bytes, 255);
    (
        counts.iter().map(chain).collect(),
        counts.iter().map(tree).collect(),
    )
}

// Means, their intervals, and lines through points.

/// Mean of one value or more.
#[must_use]
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Half-width of the 95 % interval of the mean (Student's t); none of a single value.
#[must_use]
pub fn interval_95(values: &[f64]) -> Option<f64> {
    /// 97.5 % quantiles by degrees of freedom, from 1 on.
    const QUANTILES: [f64; 30] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
        2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
        2.052, 2.048, 2.045, 2.042,
    ];
    if values.len() < 2 {
        return None;
    }
    let count = values.len() as f64;
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let freedom = count - 1.0;
    // Beyond the table: Cornish and Fisher's first two terms.
    let normal = 1.959_964_f64;
    let first = (normal.powi(3) + normal) / (4.0 * freedom);
    let second = 5.0 * normal.powi(5) + 16.0 * normal.powi(3) + 3.0 * normal;
    let beyond = normal + first + second / (96.0 * freedom * freedom);
    let quantile = QUANTILES.get(values.len() - 2).copied().unwrap_or(beyond);
    Some(quantile * (squares / freedom / count).sqrt())
}

/// Slope of the least-squares line through points.
#[must_use]
pub fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let both: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    let squares: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
    both / squares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_of_chunk_counts_is_the_papers() {
        assert_eq!(chunk_counts(1 << 10, 1023), [1]);
        assert_eq!(chunk_counts(32 << 10, 1023), [1, 2, 4, 8, 16, 32]);
        assert_eq!(chunk_counts(16 << 10, 255), [2, 4, 8, 16]);
    }

    #[test]
    fn the_slope_of_points_on_a_line_is_the_lines() {
        let points = [2.0, 4.0, 8.0, 16.0].map(|x| (x, 3.0 * x + 7.0));
        assert!((slope(&points) - 3.0).abs() < 1e-12);
    }

    #[test]
    fn an_interval_of_four_values_is_that_of_the_textbook_and_one_value_has_none() {
        let found = interval_95(&[1.0, 2.0, 3.0, 4.0]).unwrap();
        assert!((found - 3.182 * (5.0_f64 / 3.0 / 4.0).sqrt()).abs() < 1e-9);
        assert_eq!(interval_95(&[1.0]), None);
        let many: Vec<f64> = (0..32).map(f64::from).collect();
        let deviation = (32.0 * 33.0 / 12.0_f64).sqrt();
        let found = interval_95(&many).unwrap();
        assert!((found / (deviation / 32.0_f64.sqrt()) - 2.0395).abs() < 0.002);
    }
}
