// SPDX-License-Identifier: Apache-2.0
//! Members tell a root that they have come this far.

use super::class::{Agent, Completion, Effect, Kind, Waits, of_multi_address};
#[cfg(doc)]
use crate::ActionKind;
use crate::CheckError;
use crate::check::At;
use noccl_net::deadlock::{Flow, Work};
use noccl_net::{MultiAddress, Network, TileId, TileRef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One half of a barrier: members go on at once, the root waits until all of them have come this far.
///
/// In-network: one `LsbAnd` reduction to the root. The other half is a [`ActionKind::Delivery`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arrival {
    /// Members, cluster coordinates.
    pub group: MultiAddress,
    /// Who waits; a member.
    pub root: TileRef,
}

impl<'a> Kind<'a> for &'a Arrival {
    fn name(&self) -> &'static str {
        "arrival"
    }

    fn words(&self) -> &'static str {
        "arrival"
    }

    fn participants(&self, network: &Network) -> Vec<TileId> {
        of_multi_address(network, self.group)
    }

    fn agent(&self) -> Agent {
        Agent::Control
    }

    fn completion(&self) -> Completion {
        Completion::Flag
    }

    fn waits(&self) -> Waits {
        Waits::One(self.root)
    }

    fn effect(&self) -> Effect<'a> {
        Effect::Nothing
    }

    fn sent_bytes(&self, _: &Network) -> u64 {
        0
    }

    fn work(&self, network: &Network) -> Option<Work> {
        Some(Work::Flow(Flow::Barrier {
            group: self.group,
            root: network.find(self.root)?,
        }))
    }

    fn check(&self, at: &At<'_>) -> Result<(), CheckError> {
        at.multi_address("group", self.group)?;
        at.cluster("root", self.root)?;
        match self.root {
            TileRef::Cluster(root) if self.group.contains(root) => Ok(()),
            TileRef::Cluster(_) | TileRef::Memory(_) => {
                at.fail("root", self.root, "a member of the group")
            }
        }
    }

    fn arrival(&self) -> Option<&'a Arrival> {
        Some(self)
    }
}
