// SPDX-License-Identifier: Apache-2.0
//! Saturation: the offered load beyond which latency runs away.
//!
//! Searched from the capacity downwards, always at the same loads, so that the result does not depend on the loads of a
//! sweep; to within one per cent of itself, since capacities of large hot spots are thousandths of a beat per cycle.

use super::TrafficRequest;
use super::point::point;
use crate::Error;
use noccl_net::Network;
use noccl_run::Tally;

/// Largest accepted ratio of a load that is saturated and one that is not.
const RESOLUTION: f64 = 1.01;
/// The search gives up below this fraction of the capacity.
const LEAST_OF_CAPACITY: f64 = 1.0 / 1024.0;
/// Runs that the search takes if saturation lies in the upper half of the capacity, for progress.
pub(super) const USUAL_RUNS: u64 = 9;

/// What the search found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Saturation {
    /// Highest load that was not saturated, within one per cent of one that was; absent if there was none of either.
    pub(super) load: Option<f64>,
    /// Largest accepted load of all runs.
    pub(super) max_accepted: f64,
}

/// Halves the load from the capacity downwards until the network is not saturated, then bisects.
pub(super) fn saturation(
    network: &Network,
    request: &TrafficRequest,
    (zero_load_cycles, capacity): (f64, f64),
    tally: &Tally<'_>,
) -> Result<Saturation, Error> {
    let mut max_accepted = 0.0_f64;
    let mut is_over = |load: f64| -> Result<bool, Error> {
        let result = point(network, request, load, zero_load_cycles, tally)?.mean;
        max_accepted = max_accepted.max(result.accepted_beats_per_cycle);
        Ok(result.saturated)
    };
    let mut high = capacity.min(1.0);
    let load = if is_over(high)? {
        let mut low = high / 2.0;
        while low >= capacity * LEAST_OF_CAPACITY && is_over(low)? {
            (high, low) = (low, low / 2.0);
        }
        if low < capacity * LEAST_OF_CAPACITY {
            None
        } else {
            while high > low * RESOLUTION {
                let middle = (high * low).sqrt();
                if is_over(middle)? {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            Some(low)
        }
    } else {
        None
    };
    Ok(Saturation { load, max_accepted })
}
