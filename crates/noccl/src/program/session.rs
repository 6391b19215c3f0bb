// SPDX-License-Identifier: Apache-2.0
//! Programs of ranks: a session in which ranks state one call after the other.

use crate::collective::Algorithm;
use crate::network::Network;
use crate::{Error, Mode, RunConfig};
use noccl_program::Options;
use noccl_program::{ProgramError, Session};
use noccl_studies::program_choice;

/// How a program runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProgramRequest {
    /// Number of ranks.
    pub ranks: u32,
    /// Algorithm of collectives, where it can do them; else, and for `None`, the one that `auto` picks.
    pub collectives: Option<Algorithm>,
    /// Give up after this many cycles; `None` for the usual limit.
    pub max_cycles: Option<u64>,
    /// Seed of the noise that a spec of core tiles describes; `None` for cores that nobody interrupts.
    pub noise_seed: Option<u64>,
}

/// `auto`, or the name of an algorithm.
///
/// # Errors
/// [`Error::Argument`] for other names.
pub fn parse_program_algorithm(text: &str) -> Result<Option<Algorithm>, Error> {
    if text == "auto" {
        return Ok(None);
    }
    let found = Algorithm::ALL.into_iter().find(|a| a.name() == text);
    found.map(Some).ok_or_else(|| {
        let names: Vec<&str> = Algorithm::ALL.into_iter().map(Algorithm::name).collect();
        Error::argument("collectives", text, format!("auto, {}", names.join(", ")))
    })
}

/// A program on a network that has called nothing yet.
///
/// # Errors
/// [`ProgramError::Ranks`]; [`ProgramError::Run`] on networks that run whole schedules only.
pub fn session<'n>(
    network: &'n Network,
    request: &ProgramRequest,
) -> Result<Session<'n>, ProgramError> {
    let mut config = RunConfig::new(Mode::Value);
    config.max_cycles = request.max_cycles.unwrap_or(config.max_cycles);
    config.noise_seed = request.noise_seed;
    let algorithm = request.collectives;
    let options = Options {
        config,
        choose: Box::new(move |network, collective| {
            program_choice(network, collective, algorithm).map_err(|error| error.to_string())
        }),
    };
    let mut session = Session::new(network, request.ranks, options)?;
    session.name_algorithm(algorithm);
    Ok(session)
}
