// SPDX-License-Identifier: Apache-2.0
//! A schedule for one collective by one algorithm.

use super::{CompareRequest, best_of, collective_of};
use crate::{AlgorithmRequest, Error, Watch};
use noccl_net::Network;
use noccl_run::Tally;
use noccl_workload::Schedule;

/// The schedule of a collective at one size by one algorithm; without a chunk count the fastest of a
/// range is searched by simulation.
///
/// # Errors
/// [`Error`] naming what is impossible and what would be accepted.
pub fn schedule(
    network: &Network,
    request: &CompareRequest,
    bytes: u64,
    algorithm: AlgorithmRequest,
    watch: Watch<'_>,
) -> Result<Schedule, Error> {
    let collective = collective_of(network, request, bytes)?;
    let tally = Tally::new(watch, 1);
    Ok(best_of(network, &collective, algorithm, &tally)?.1)
}
