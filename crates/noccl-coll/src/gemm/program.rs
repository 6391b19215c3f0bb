// SPDX-License-Identifier: Apache-2.0
//! Actions under construction, with ids.

use crate::CollError;
use noccl_net::{Coord, MultiAddress, Network, TileRef, TileSet};
use noccl_workload::{Action, ActionId, ActionKind, Barrier, BarrierMechanism};

/// A growing list of actions.
#[derive(Debug, Default)]
pub(super) struct GemmProgram {
    actions: Vec<Action>,
}

impl GemmProgram {
    pub(super) fn add(&mut self, kind: ActionKind, after: Vec<ActionId>) -> ActionId {
        self.actions.push(Action { kind, after });
        ActionId(self.actions.len() as u32 - 1)
    }

    pub(super) fn len(&self) -> u32 {
        self.actions.len() as u32
    }

    pub(super) fn finish(self) -> Vec<Action> {
        self.actions
    }
}

/// All clusters of a mesh whose sides are powers of two.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mesh {
    pub(super) width: u16,
    pub(super) height: u16,
}

impl Mesh {
    /// # Errors
    /// [`CollError::Impossible`] if a side is no power of two.
    pub(super) fn new(network: &Network) -> Result<Self, CollError> {
        let (width, height) = (network.cluster_width(), network.cluster_height());
        if width.is_power_of_two() && height.is_power_of_two() {
            return Ok(Self { width, height });
        }
        Err(CollError::Impossible(format!(
            "a mesh of {width}x{height}; accepted: powers of two, so that a row is one multi-address"
        )))
    }

    pub(super) fn all(self) -> MultiAddress {
        MultiAddress::new(
            Coord::new(0, 0),
            Coord::new(self.width - 1, self.height - 1),
        )
    }

    pub(super) fn row(self, y: u16) -> MultiAddress {
        MultiAddress::new(Coord::new(0, y), Coord::new(self.width - 1, 0))
    }

    pub(super) fn column(self, x: u16) -> MultiAddress {
        MultiAddress::new(Coord::new(x, 0), Coord::new(0, self.height - 1))
    }

    /// A barrier over all clusters, counted in the middle.
    pub(super) fn barrier(self) -> ActionKind {
        ActionKind::Barrier(Barrier {
            group: TileSet::Cube(self.all()),
            counter: TileRef::Cluster(Coord::new(self.width / 2, self.height / 2)),
            mechanism: BarrierMechanism::InNetwork,
        })
    }
}
