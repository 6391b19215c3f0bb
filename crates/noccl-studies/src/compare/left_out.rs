// SPDX-License-Identifier: Apache-2.0
//! Algorithms that a comparison of all would look at and that do not do this size or group: who reads its speed-ups has to know of them.

use super::case::collective_of;
use super::row::{CompareRequest, CompareRow};
use super::sizes;
use crate::request::format_bytes;
use crate::{Error, default_root};
use noccl_coll::{Algorithm, Choice, CollError};
use noccl_net::{Network, TileSet};
use noccl_workload::Collective;
use std::fmt;

/// An algorithm without a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Skipped {
    /// Name.
    pub algorithm: String,
    /// Why: a refusal, or how it deadlocks on published routers.
    pub reason: Error,
}

impl Skipped {
    /// Would a larger memory let it in?
    #[must_use]
    pub const fn lacks_memory(&self) -> bool {
        matches!(&self.reason, Error::Coll(CollError::DoesNotFit { .. }))
    }
}

impl fmt::Display for Skipped {
    /// In one line: of a stall the summary alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = if let Error::Coll(CollError::Unsupported { reason, .. }) = &self.reason {
            // The message begins with the algorithm.
            reason.clone()
        } else {
            self.reason.to_string()
        };
        let first = reason.lines().next().unwrap_or(&reason);
        if self.lacks_memory() && !self.algorithm.contains(' ') {
            // It names the algorithm with its parameters.
            return write!(f, "{first}");
        }
        write!(f, "{}: {first}", self.algorithm)
    }
}

/// Those without a row, size by size, with what would let each in. What the network does for no group, as multicasts by lists elsewhere
/// than on ESP's routers, is not among them.
pub(super) fn left_out(
    network: &Network,
    request: &CompareRequest,
    rows: &[CompareRow],
) -> Result<Vec<Skipped>, Error> {
    let mut out = Vec::new();
    for bytes in sizes(request)? {
        let collective = collective_of(network, request, bytes)?;
        let offered = noccl_coll::offered(network, &collective);
        let has_row = |algorithm: Algorithm| {
            let name = algorithm.name();
            rows.iter()
                .any(|row| row.bytes == collective.bytes && row.algorithm == name)
        };
        for algorithm in Algorithm::ALL {
            let choices: Vec<Choice> = offered
                .iter()
                .copied()
                .filter(|c| c.algorithm == algorithm)
                .collect();
            if choices.is_empty() || has_row(algorithm) {
                continue;
            }
            if let Some(reason) = reason(network, &collective, &choices) {
                let size = if request.bytes.len() > 1 {
                    format!(" of {}", format_bytes(bytes))
                } else {
                    String::new()
                };
                out.push(Skipped {
                    algorithm: format!("{algorithm}{size}"),
                    reason: Error::Coll(reason),
                });
            }
        }
    }
    Ok(out)
}

/// Why none of an algorithm's choices has a schedule: the one that comes nearest to a memory that is too small, else the first.
fn reason(network: &Network, collective: &Collective, choices: &[Choice]) -> Option<CollError> {
    let made = choices
        .iter()
        .map(|choice| noccl_coll::schedule(network, collective, *choice));
    let errors: Option<Vec<CollError>> = made.map(Result::err).collect();
    let errors = errors?;
    let needed = |error: &CollError| match error {
        CollError::DoesNotFit { needed_bytes, .. } => Some(*needed_bytes),
        CollError::Unsupported { .. }
        | CollError::Impossible(_)
        | CollError::Group(_)
        | CollError::UnknownName { .. } => None,
    };
    let short = errors
        .iter()
        .filter(|e| needed(e).is_some())
        .min_by_key(|e| needed(e));
    if let Some(short) = short {
        return Some(short.clone());
    }
    let first = errors.into_iter().next()?;
    choices
        .iter()
        .any(|choice| does_some_group(network, collective, *choice))
        .then_some(first)
}

/// Does a choice do the same collective for a square of four clusters?
fn does_some_group(network: &Network, collective: &Collective, choice: Choice) -> bool {
    let group = TileSet::Rectangle {
        x: 0,
        y: 0,
        width: 2,
        height: 2,
    };
    let Ok(root) = default_root(network, collective.kind, &group) else {
        return false;
    };
    let small = Collective {
        group,
        root,
        lengths: None,
        ..collective.clone()
    };
    noccl_coll::schedule(network, &small, choice).is_ok()
}
