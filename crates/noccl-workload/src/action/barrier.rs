// SPDX-License-Identifier: Apache-2.0
//! Participants wait for each other.

use super::class::{Agent, Completion, Effect, Kind, Waits, of_set};
use crate::check::{At, group_error};
use crate::{CheckError, as_multi_address};
use noccl_net::deadlock::{Flow, Work};
use noccl_net::{MultiAddress, Network, TileId, TileRef, TileSet, cover};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a barrier is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BarrierMechanism {
    /// Atomic adds on a counter, then one multicast interrupt (S1 §4.2.1).
    Software,
    /// An `LsbAnd` reduction on the counter (S1 §4.2.1).
    InNetwork,
}

/// A barrier over a group.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Barrier {
    /// Participants. For `in_network` it must be one multi-address.
    pub group: TileSet,
    /// Cluster that holds the counter.
    pub counter: TileRef,
    /// Software or hardware.
    pub mechanism: BarrierMechanism,
}

impl<'a> Kind<'a> for &'a Barrier {
    fn name(&self) -> &'static str {
        "barrier"
    }

    fn words(&self) -> &'static str {
        "barrier"
    }

    fn participants(&self, network: &Network) -> Vec<TileId> {
        of_set(network, &self.group)
    }

    fn agent(&self) -> Agent {
        Agent::Control
    }

    fn completion(&self) -> Completion {
        Completion::AtOnce
    }

    fn waits(&self) -> Waits {
        Waits::All
    }

    fn effect(&self) -> Effect<'a> {
        Effect::Nothing
    }

    fn sent_bytes(&self, _: &Network) -> u64 {
        0
    }

    fn work(&self, network: &Network) -> Option<Work> {
        let counter = network.find(self.counter)?;
        match self.mechanism {
            BarrierMechanism::InNetwork => {
                let group = as_multi_address(&network.members(&self.group).ok()?)?;
                let root = counter;
                Some(Work::Flow(Flow::Barrier { group, root }))
            }
            BarrierMechanism::Software => {
                let mut members = self.participants(network);
                members.sort_unstable();
                members.dedup();
                let sets: Vec<MultiAddress> = cover(network, &self.group).ok()?;
                let tellers = if members.contains(&counter) {
                    vec![counter]
                } else {
                    members.clone()
                };
                Some(Work::Rendezvous {
                    members,
                    counter,
                    tellers,
                    sets,
                })
            }
        }
    }

    fn check(&self, at: &At<'_>) -> Result<(), CheckError> {
        let members = at
            .network
            .members(&self.group)
            .map_err(|e| group_error(at.field("group"), &e))?;
        at.cluster("counter", self.counter)?;
        match self.mechanism {
            BarrierMechanism::Software if at.network.routers().carries_transactions() => Ok(()),
            BarrierMechanism::Software => {
                let accepted = format!(
                    "\"in_network\" with router.flow = \"{}\", which carries no atomics",
                    at.flow()
                );
                at.fail("mechanism", "software", &accepted)
            }
            BarrierMechanism::InNetwork if as_multi_address(&members).is_some() => Ok(()),
            BarrierMechanism::InNetwork => at.fail(
                "group",
                format!("{} clusters that are no multi-address", members.len()),
                "for `in_network` a set that one (dst, mask) pair names: aligned power-of-two blocks",
            ),
        }
    }

    fn barrier(&self) -> Option<&'a Barrier> {
        Some(self)
    }
}
