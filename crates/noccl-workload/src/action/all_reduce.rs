// SPDX-License-Identifier: Apache-2.0
//! A fold in the network whose result every member gets.

use super::InNetworkReduction;
use super::class::{Agent, Completion, Effect, Kind, Need, NetworkFold, Waits};
use crate::CheckError;
use crate::check::At;
use noccl_net::deadlock::Work;
use noccl_net::{Network, TileId, TileRef};

/// A reduction whose root passes the result on.
pub(super) struct Shared<'a>(pub(super) &'a InNetworkReduction);

impl<'a> Kind<'a> for Shared<'a> {
    fn name(&self) -> &'static str {
        "in_network_all_reduce"
    }

    fn words(&self) -> &'static str {
        "in-network all-reduce"
    }

    fn participants(&self, network: &Network) -> Vec<TileId> {
        self.0.participants(network)
    }

    fn agent(&self) -> Agent {
        self.0.agent()
    }

    fn completion(&self) -> Completion {
        self.0.completion()
    }

    fn waits(&self) -> Waits {
        match self.0.bytes {
            0 => Waits::Nobody,
            _ => Waits::AllThenOwn,
        }
    }

    fn needs(&self) -> Need {
        Need::SharedResults
    }

    fn effect(&self) -> Effect<'a> {
        Effect::NetworkFold(NetworkFold {
            reduction: self.0,
            is_shared: true,
        })
    }

    fn sent_bytes(&self, network: &Network) -> u64 {
        2 * self.0.sent_bytes(network)
    }

    /// The multicast of the result is not among it: routers that pass results on are free of deadlock by mechanism.
    fn work(&self, network: &Network) -> Option<Work> {
        self.0.work(network)
    }

    fn check(&self, at: &At<'_>) -> Result<(), CheckError> {
        let r = self.0;
        at.multi_address("group", r.group)?;
        let is_member = matches!(r.root.tile, TileRef::Cluster(c) if r.group.contains(c));
        if !is_member || r.group.len() < 2 {
            return at.fail(
                "root.tile",
                r.root.tile,
                "a member of a group of at least two: it reduces and multicasts",
            );
        }
        if at.network.routers().shares_results {
            return r.check(at);
        }
        let accepted = format!(
            "a reduction and a multicast with router.flow = \"{}\": its interfaces do not pass results on",
            at.flow()
        );
        at.fail("group", r.group, &accepted)
    }
}
