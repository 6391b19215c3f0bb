// SPDX-License-Identifier: Apache-2.0
//! Which algorithm carries out a collective that the ranks of a program call.

use super::search::best_of;
use crate::{AlgorithmRequest, Error, Watch};
use noccl_coll::{Algorithm, Choice, runs_by};
use noccl_net::Network;
use noccl_run::Tally;
use noccl_workload::Collective;

/// The choice for a collective of a program: by `algorithm` where that can do it, else by `auto`.
///
/// # Errors
/// [`Error`] if the library has no algorithm for it on this network.
pub fn program_choice(
    network: &Network,
    collective: &Collective,
    algorithm: Option<Algorithm>,
) -> Result<Choice, Error> {
    let tally = Tally::new(Watch::new(&|_| true), 1);
    let named = algorithm.filter(|a| runs_by(network, collective, *a));
    let request = named.map_or(AlgorithmRequest::Auto, AlgorithmRequest::Search);
    Ok(best_of(network, collective, request, &tally)?.0)
}
