// SPDX-License-Identifier: Apache-2.0
//! The class of kernels; what they compute is in [`crate::kernel`].

use super::class::{Agent, Completion, Effect, Kind, Waits, of_set};
use crate::check::{At, group_error};
use crate::{CheckError, Extent, Kernel};
use noccl_net::deadlock::Work;
use noccl_net::{Network, TileId};

impl<'a> Kind<'a> for &'a Kernel {
    fn name(&self) -> &'static str {
        "kernel"
    }

    fn words(&self) -> &'static str {
        "kernel"
    }

    fn participants(&self, network: &Network) -> Vec<TileId> {
        of_set(network, &self.group)
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

    fn effect(&self) -> Effect<'a> {
        Effect::Kernel(self)
    }

    fn sent_bytes(&self, _: &Network) -> u64 {
        0
    }

    fn work(&self, _: &Network) -> Option<Work> {
        None
    }

    fn check(&self, at: &At<'_>) -> Result<(), CheckError> {
        let members = at
            .network
            .members(&self.group)
            .map_err(|e| group_error(at.field("group"), &e))?;
        at.computes("operation", self.operation.name())?;
        at.cycles("cycles", self.cycles)?;
        let name = |part: &str| format!("operation.{}.{part}", self.operation.name());
        if let Some((part, found, accepted)) = self.operation.problem() {
            return at.fail(&name(part), found, accepted);
        }
        // All clusters have equal memories.
        let Some(first) = members.first() else {
            return Ok(());
        };
        let tile = at.network.tile_at(at.network.mesh_coord(*first));
        let end = |e: &Extent| u128::from(e.offset) + u128::from(e.bytes);
        let reads = self.operation.reads();
        for extent in reads.iter().chain([&self.operation.write()]) {
            at.fits("operation", tile, end(extent))?;
        }
        Ok(())
    }
}
