// SPDX-License-Identifier: Apache-2.0
//! Algorithms that a comparison of all would look at and that do not do this size or group: who reads its speed-ups has to know of them.

use super::case::{collective_of, larger_memory};
use super::row::{CompareRequest, CompareRow};
use super::sizes;
use crate::request::format_bytes;
use crate::{Error, default_root};
use noccl_coll::{Algorithm, Choice, CollError};
use noccl_net::{Coord, Network, TileRef, TileSet};
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
        self.lacking().is_some()
    }

    /// Bytes that it needs and the field that says how many there are, if memory is what it lacks.
    const fn lacking(&self) -> Option<(u64, &'static str)> {
        if let Error::Coll(CollError::DoesNotFit {
            needed_bytes,
            limit,
            ..
        }) = &self.reason
        {
            Some((*needed_bytes, *limit))
        } else {
            None
        }
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
        if let Error::Coll(CollError::DoesNotFit {
            algorithm,
            tile,
            needed_bytes,
            available_bytes,
            limit,
        }) = &self.reason
        {
            let size = self.algorithm.split_once(" of ");
            let size = size.map_or_else(String::new, |(_, size)| format!(" of {size}"));
            return write!(
                f,
                "{algorithm}{size}: {tile} needs {needed_bytes} bytes but has {available_bytes} ({limit})"
            );
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

/// Options with which algorithms that lack memory have enough of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remedy {
    /// As the command line takes them: `-P cluster.l1_bytes=262144`.
    pub options: Vec<String>,
    /// How many algorithms they let in.
    pub num_algorithms: usize,
}

/// What lets in all that lack memory of the tiles that the first one names.
pub(super) fn remedy(network: &Network, skipped: &[Skipped]) -> Option<Remedy> {
    let lacking: Vec<(u64, &str)> = skipped.iter().filter_map(Skipped::lacking).collect();
    let (_, field) = *lacking.first()?;
    let of_field = lacking.iter().filter(|(_, of)| *of == field);
    let needed_bytes = of_field.clone().map(|(bytes, _)| *bytes).max()?;
    let tiles = [TileRef::Cluster(Coord::new(0, 0)), TileRef::Memory(0)];
    let mut tiles = tiles.into_iter().filter_map(|tile| network.find(tile));
    let tile = tiles.find(|tile| network.memory_field(*tile) == field)?;
    let options = larger_memory(network, tile, needed_bytes);
    (!options.is_empty()).then(|| Remedy {
        options,
        num_algorithms: of_field.count(),
    })
}
