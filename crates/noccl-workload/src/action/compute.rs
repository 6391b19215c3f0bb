// SPDX-License-Identifier: Apache-2.0
//! Time in which cores compute something that no memory shows.

use super::class::{Agent, Completion, Effect, Kind, Need, Waits};
use crate::CheckError;
use crate::check::At;
use noccl_net::deadlock::Work;
use noccl_net::{Network, TileId, TileRef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Cores compute for a while, using the FPUs every cycle.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Compute {
    /// Cluster.
    pub tile: TileRef,
    /// Cycles when nobody else uses the FPUs; at most 2^48.
    pub cycles: u64,
}

impl<'a> Kind<'a> for &'a Compute {
    fn name(&self) -> &'static str {
        "compute"
    }

    fn words(&self) -> &'static str {
        "compute"
    }

    fn participants(&self, network: &Network) -> Vec<TileId> {
        network.find(self.tile).into_iter().collect()
    }

    fn agent(&self) -> Agent {
        Agent::Compute
    }

    fn completion(&self) -> Completion {
        Completion::AtOnce
    }

    fn waits(&self) -> Waits {
        Waits::Nobody
    }

    fn needs(&self) -> Need {
        Need::Core
    }

    fn effect(&self) -> Effect<'a> {
        Effect::Nothing
    }

    fn sent_bytes(&self, _: &Network) -> u64 {
        0
    }

    fn work(&self, _: &Network) -> Option<Work> {
        None
    }

    fn check(&self, at: &At<'_>) -> Result<(), CheckError> {
        at.cluster("tile", self.tile)?;
        at.cycles("cycles", self.cycles)
    }
}
