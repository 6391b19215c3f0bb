// SPDX-License-Identifier: Apache-2.0
//! The proof of a schedule.

use crate::Error;
use noccl_net::Network;
use noccl_workload::{CheckReport, Schedule};

/// Proves a schedule right without running it: form, wait cycles, races, postcondition.
///
/// # Errors
/// [`Error::Check`], the first thing that is wrong.
pub fn check(network: &Network, schedule: &Schedule) -> Result<CheckReport, Error> {
    Ok(noccl_workload::check(network, schedule)?)
}
