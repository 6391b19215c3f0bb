// SPDX-License-Identifier: Apache-2.0
//! A transfer whose end the clusters it writes to notice too.

use super::Transfer;
use super::class::{Agent, Completion, Effect, Kind, Targets, Waits, of_multi_address};
use crate::CheckError;
use crate::check::At;
use noccl_net::deadlock::Work;
use noccl_net::{Network, TileId, TileRef};

/// A transfer as a delivery.
pub(super) struct Delivered<'a>(pub(super) &'a Transfer);

impl<'a> Kind<'a> for Delivered<'a> {
    fn name(&self) -> &'static str {
        "delivery"
    }

    fn words(&self) -> &'static str {
        "delivery"
    }

    fn participants(&self, network: &Network) -> Vec<TileId> {
        let mut tiles = match self.0.destination.targets() {
            Targets::Set(set) => of_multi_address(network, set),
            Targets::One(tile @ TileRef::Cluster(_)) => network.find(tile).into_iter().collect(),
            Targets::One(TileRef::Memory(_)) | Targets::List(_) | Targets::Others(..) => Vec::new(),
        };
        tiles.extend(network.find(self.0.initiator));
        tiles
    }

    fn agent(&self) -> Agent {
        self.0.agent()
    }

    fn only_actor(&self) -> Option<TileRef> {
        Some(self.0.initiator)
    }

    fn completion(&self) -> Completion {
        Completion::Flag
    }

    /// An initiator with a copy of its own goes on when it has that; another one waits for all.
    fn waits(&self) -> Waits {
        let initiator = self.0.initiator;
        let has_own_copy = match (self.0.destination.targets(), initiator) {
            (Targets::Set(set), TileRef::Cluster(at)) => set.contains(at),
            (Targets::One(tile), _) => tile == initiator,
            (Targets::Set(_) | Targets::List(_) | Targets::Others(..), _) => false,
        };
        if has_own_copy {
            Waits::ForOne(initiator)
        } else {
            Waits::ForOneAndItForAll(initiator)
        }
    }

    fn effect(&self) -> Effect<'a> {
        self.0.effect()
    }

    fn sent_bytes(&self, network: &Network) -> u64 {
        self.0.sent_bytes(network)
    }

    fn work(&self, network: &Network) -> Option<Work> {
        self.0.work(network)
    }

    /// Nobody would notice the end of a delivery of nothing.
    fn check(&self, at: &At<'_>) -> Result<(), CheckError> {
        self.0.check(at)?;
        match self.0.bytes {
            0 => at.fail("bytes", 0, "at least 1"),
            _ => Ok(()),
        }
    }

    fn transfer(&self) -> Option<&'a Transfer> {
        Some(self.0)
    }
}
