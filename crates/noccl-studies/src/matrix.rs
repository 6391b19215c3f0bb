// SPDX-License-Identifier: Apache-2.0
//! Every collective by every algorithm at several sizes on one network: cycles over lower bound.

use crate::compare::{collective_of, compare, is_refusal};
use crate::{AlgorithmRequest, CompareRequest, CompareRow, Error, Step, Verified, parse_group};
use noccl_coll::{Algorithm, choices};
use noccl_net::Network;
use noccl_run::Watch;
use noccl_workload::CollectiveKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// More members than these make a chain too long to be worth its simulation.
const MAX_CHAIN_MEMBERS: usize = 64;

/// What a matrix is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixRequest {
    /// Collectives, in the order of the rows.
    pub collectives: Vec<CollectiveKind>,
    /// Payloads per participant (blocks where there are blocks); what does not fit is left out.
    pub bytes: Vec<u64>,
    /// Algorithms; empty for all that can do a collective, but no chain over more than 64 members, and no unicasts.
    pub algorithms: Vec<AlgorithmRequest>,
    /// Group, as [`parse_group`] reads it.
    pub group: String,
}

impl MatrixRequest {
    /// All collectives but the barrier over all clusters, 64 B to 128 KiB.
    #[must_use]
    pub fn new() -> Self {
        Self {
            collectives: vec![
                CollectiveKind::Multicast,
                CollectiveKind::Reduce,
                CollectiveKind::AllReduce,
                CollectiveKind::AllGather,
                CollectiveKind::ReduceScatter,
                CollectiveKind::AllToAll,
            ],
            bytes: vec![64, 1 << 10, 4 << 10, 32 << 10, 128 << 10],
            algorithms: Vec::new(),
            group: "all".to_owned(),
        }
    }
}

impl Default for MatrixRequest {
    fn default() -> Self {
        Self::new()
    }
}

/// One cell: one algorithm for one collective at one size on one network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MatrixRow {
    /// Name of the network.
    pub network: String,
    /// Fields that were set beside the spec's file, by their dotted paths; `network` names them too.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub overrides: BTreeMap<String, String>,
    /// Which collective.
    pub collective: CollectiveKind,
    /// Payload per participant; of collectives of blocks one block.
    pub bytes: u64,
    /// Number of participants.
    pub num_participants: u32,
    /// Name of the algorithm.
    pub algorithm: String,
    /// Its parameters.
    pub parameters: BTreeMap<String, String>,
    /// Runtime, timed as in a comparison.
    pub cycles: u64,
    /// No algorithm can be faster on this network.
    pub lower_bound_cycles: u64,
    /// No algorithm can be faster in which the network neither forks nor adds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub software_bound_cycles: Option<u64>,
    /// `cycles / lower_bound_cycles`.
    pub cycles_over_lower_bound: f64,
    /// Is no algorithm of the matrix faster here?
    pub is_best: bool,
    /// Is every output bit-exact to the fold in the schedule's order and to what the collective means?
    pub verified: Verified,
}

/// Compares every collective at every size that fits into the memories; every row is verified.
///
/// # Errors
/// As [`compare()`], but for sizes that do not fit, and for what nothing on the network can do if something else is possible.
///
/// ```
/// use noccl_studies::{MatrixRequest, Watch};
/// use noccl_workload::CollectiveKind;
/// let network = noccl_studies::load("collective_noc_4x4", &[])?.network;
/// let request = MatrixRequest {
///     collectives: vec![CollectiveKind::AllGather],
///     bytes: vec![64],
///     ..MatrixRequest::new()
/// };
/// let rows = noccl_studies::matrix(&network, &request, Watch::quiet())?;
/// assert!(rows.iter().all(|row| row.verified.is_yes() && row.cycles_over_lower_bound >= 1.0));
/// # Ok::<(), noccl_studies::Error>(())
/// ```
pub fn matrix(
    network: &Network,
    request: &MatrixRequest,
    watch: Watch<'_>,
) -> Result<Vec<MatrixRow>, Error> {
    let group = parse_group(network, &request.group)?;
    let num_members = network.members(&group)?.len();
    let num_parts = (request.collectives.len() * request.bytes.len()) as u64;
    let mut out = Vec::new();
    // What nothing on this network can do is left out, unless there is nothing else.
    let mut refused = None;
    let mut part = 0;
    for kind in &request.collectives {
        for bytes in &request.bytes {
            let one = CompareRequest::new(*kind, group.clone(), vec![*bytes]);
            let of_all = |step: Step| {
                watch.report(Step {
                    done: part,
                    total: num_parts,
                    ..step
                })
            };
            let compared =
                algorithms(network, request, &one, *bytes, num_members).and_then(|algorithms| {
                    let one = CompareRequest { algorithms, ..one };
                    compare(network, &one, Watch::new(&of_all))
                });
            match compared {
                Ok(comparison) => out.extend(cells(&comparison.rows)),
                Err(Error::DoesNotFit { .. }) => {}
                Err(error) if is_refusal(network, &error) || matches!(error, Error::Coll(_)) => {
                    refused = Some(error);
                }
                Err(error) => return Err(error),
            }
            part += 1;
        }
    }
    match refused {
        Some(error) if out.is_empty() => Err(error),
        Some(_) | None => Ok(out),
    }
}

/// The algorithms of one case, among those asked for; an empty list lets the library choose all.
fn algorithms(
    network: &Network,
    request: &MatrixRequest,
    one: &CompareRequest,
    bytes: u64,
    num_members: usize,
) -> Result<Vec<AlgorithmRequest>, Error> {
    let has_chains = Algorithm::Chain.does(one.collective) && num_members > MAX_CHAIN_MEMBERS;
    if !request.algorithms.is_empty() || !has_chains {
        return Ok(request.algorithms.clone());
    }
    let known = choices(network, &collective_of(network, one, bytes)?);
    let is_tried = |a: &Algorithm| {
        !matches!(a, Algorithm::Chain | Algorithm::Unicast)
            && known.iter().any(|choice| choice.algorithm == *a)
    };
    let tried = Algorithm::ALL.into_iter().filter(is_tried);
    Ok(tried.map(AlgorithmRequest::Search).collect())
}

fn cells(rows: &[CompareRow]) -> Vec<MatrixRow> {
    let best = rows.iter().map(|r| r.cycles).min();
    rows.iter()
        .map(|row| MatrixRow {
            network: row.network.clone(),
            overrides: row.overrides.clone(),
            collective: row.collective,
            bytes: row.bytes,
            num_participants: row.num_participants,
            algorithm: row.algorithm.clone(),
            parameters: row.parameters.clone(),
            cycles: row.cycles,
            lower_bound_cycles: row.lower_bound_cycles,
            software_bound_cycles: row.software_bound_cycles,
            cycles_over_lower_bound: row.cycles_over_lower_bound,
            is_best: Some(row.cycles) == best,
            verified: row.verified,
        })
        .collect()
}
