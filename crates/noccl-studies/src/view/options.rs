// SPDX-License-Identifier: Apache-2.0
//! What can be chosen on a network.

use super::{ViewRequest, compared, network_of};
use crate::compare::collective_of;
use crate::{Error, preset_names, word};
use noccl_coll::{Algorithm, offered, runs_by};
use noccl_workload::CollectiveKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// On larger meshes no schedule is made to find out whether an algorithm runs.
const MAX_TRIED_TILES: usize = 100;

/// What a page offers, given what has been chosen so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ViewOptions {
    /// Presets.
    pub presets: Vec<String>,
    /// Collectives.
    pub collectives: Vec<String>,
    /// Algorithms that do the chosen collective on the chosen network. On meshes of more than 100 tiles, where to make all schedules
    /// takes longer than to run one, they include algorithms that refuse the group or the size.
    pub algorithms: Vec<String>,
    /// Columns and rows of the mesh, memory tiles included.
    pub mesh: [u16; 2],
}

/// What can be chosen.
///
/// # Errors
/// [`Error`] naming the field that is wrong and what would be accepted.
pub fn view_options(request: &ViewRequest) -> Result<ViewOptions, Error> {
    let network = network_of(request)?;
    let (compared, bytes, _) = compared(&network, request)?;
    let collective = collective_of(&network, &compared, bytes)?;
    let known = offered(&network, &collective);
    let does = |algorithm: &Algorithm| {
        let is_known = known.iter().any(|choice| choice.algorithm == *algorithm);
        is_known
            && (network.num_tiles() > MAX_TRIED_TILES || runs_by(&network, &collective, *algorithm))
    };
    let algorithms = Algorithm::ALL.into_iter().filter(does);
    Ok(ViewOptions {
        presets: preset_names()
            .iter()
            .map(|name| (*name).to_owned())
            .collect(),
        collectives: CollectiveKind::ALL.iter().map(word).collect(),
        algorithms: std::iter::once("auto".to_owned())
            .chain(algorithms.map(|a| a.to_string()))
            .collect(),
        mesh: [network.width(), network.height()],
    })
}
