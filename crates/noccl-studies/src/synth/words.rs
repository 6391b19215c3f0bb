// SPDX-License-Identifier: Apache-2.0
//! Words of searches.

use crate::Error;
use noccl_net::TileRef;
use noccl_synth::Objective;
use std::time::Duration;

/// Reads a link by its ends, e.g. `1,1-2,1` or `mem:0-0,0`.
///
/// # Errors
/// [`Error::Argument`] with the accepted form.
pub fn parse_faulty_link(text: &str) -> Result<(TileRef, TileRef), Error> {
    let ends = text.split_once('-').and_then(|(a, b)| {
        let read = |end: &str| end.parse::<TileRef>().ok();
        Some((read(a)?, read(b)?))
    });
    ends.ok_or_else(|| {
        let accepted = "accepted: two neighbouring tiles, X,Y-X,Y or mem:N-X,Y, e.g. 1,1-2,1";
        Error::argument("--faulty-link", text, accepted)
    })
}

/// Reads `cycles` or `energy`.
///
/// # Errors
/// [`Error::Argument`] with the accepted words.
pub fn parse_objective(text: &str) -> Result<Objective, Error> {
    match text {
        "cycles" => Ok(Objective::Cycles),
        "energy" => Ok(Objective::Energy),
        _ => {
            let accepted = "accepted: cycles, energy";
            Err(Error::argument("--objective", text, accepted))
        }
    }
}

pub(super) const fn objective_name(objective: Objective) -> &'static str {
    match objective {
        Objective::Cycles => "cycles",
        Objective::Energy => "energy",
    }
}

/// Reads a time above 0 in seconds, or with a unit: `1s`, `500ms`, `2min`.
///
/// # Errors
/// [`Error::Argument`] with the accepted forms.
pub fn parse_time_limit(text: &str) -> Result<Duration, Error> {
    let (number, unit) = [("ms", 0.001), ("min", 60.0), ("s", 1.0)]
        .into_iter()
        .find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, seconds)))
        .unwrap_or((text, 1.0));
    let seconds = number.trim().parse::<f64>().ok().map(|n| n * unit);
    let limit = seconds.and_then(|s| Duration::try_from_secs_f64(s).ok());
    let possible = limit.filter(|l| !l.is_zero() && *l <= MAX_TIME_LIMIT);
    possible.ok_or_else(|| {
        let accepted = "accepted: a time above 0 and up to a day, e.g. 1s, 500ms or 2min";
        Error::argument("--time-limit", text, accepted)
    })
}

/// A day.
const MAX_TIME_LIMIT: Duration = Duration::from_secs(86_400);
