// SPDX-License-Identifier: Apache-2.0
//! Routers that a flit passes without being latched, up to `hpc_max` of them in a cycle (S2; `docs/design/0010-smart.md`).
//!
//! An engine of its own. [`plane`] holds the network and the order of a cycle; [`channels`] what the virtual channels hold, as
//! arrays; [`allocate`] who gets an output, [`contend`] who wins its links with priority `bypass`, [`traverse`] how far it goes on that, [`latch`] what happens where it ends, [`slots`] and [`drive`]
//! the cycles that are kept for broadcasts;
//! [`table`] counts contributions to reductions.

mod allocate;
mod channels;
mod contend;
mod diagnose;
mod drive;
mod inject;
mod latch;
mod message_network;
mod messages;
mod multicasts;
mod numbers;
mod packet;
mod plane;
mod recorder;
mod run;
mod slots;
mod stays;
mod table;
mod task;
#[cfg(test)]
mod tests;
mod traffic;
mod traverse;

pub use message_network::MessageNetwork;
use multicasts::Multicast;
use noccl_net::{Coord, Network, TileId};
use noccl_run::RunError;
use noccl_spec::SmartRouter;
use packet::Combining;
use plane::SmartPlane;
pub(crate) use run::{open_run, recorded_run, schedule_run};

pub(crate) use traffic::traffic_run;

/// What these routers do not do.
pub(crate) fn refused(what: &str) -> RunError {
    refused_action(
        what,
        "routers of flow smart carry messages and no AXI transactions",
    )
}

fn refused_action(what: &str, reason: &str) -> RunError {
    RunError::Refused {
        backend: "sim",
        what: what.to_owned(),
        reason: format!(
            "{reason}; accepted with router.flow = \"smart\": open-loop traffic, and schedules, from their first cycle to their last, of \
             transfers, deliveries, reductions in the network (sums of integers), barriers in the network, arrivals and computation"
        ),
    }
}

/// A network of such routers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SmartNetwork<'n> {
    network: &'n Network,
    smart: &'n SmartRouter,
}

impl<'n> SmartNetwork<'n> {
    /// # Errors
    /// [`RunError::Refused`] for routers of other kinds.
    fn new(network: &'n Network) -> Result<Self, RunError> {
        let smart = network
            .spec()
            .axi()
            .and_then(|axi| axi.router.smart.as_ref());
        let smart = smart.ok_or_else(|| refused("the network"))?;
        Ok(Self { network, smart })
    }

    /// Queues one packet to all of some tiles: a unicast, a multicast, or unicasts in its place.
    fn send(self, plane: &mut SmartPlane, from: TileId, to: &[TileId], flits: u16, tag: u64) {
        let multicast = self.multicast(plane, from, to);
        plane.send_to_all(from, &multicast, flits, tag);
    }

    /// How packets get to some tiles: to one as a unicast.
    fn multicast(self, plane: &mut SmartPlane, from: TileId, to: &[TileId]) -> Multicast {
        let trees = self.network.multicast_trees().filter(|_| to.len() > 1);
        plane.multicast(
            self.network,
            trees,
            self.network.coord(from),
            &self.places(to),
        )
    }

    fn places(self, tiles: &[TileId]) -> Vec<Coord> {
        tiles.iter().map(|tile| self.network.coord(*tile)).collect()
    }

    /// Opens a reduction.
    fn reduction(
        self,
        plane: &mut SmartPlane,
        root: TileId,
        members: &[TileId],
        combining: Combining,
        tag: u64,
    ) -> u32 {
        let root = self.network.coord(root);
        let table = self.network.shared_reduction(root, &self.places(members));
        plane.add_reduction(&table, members.len() as u32, combining, tag)
    }
}
