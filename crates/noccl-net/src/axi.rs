// SPDX-License-Identifier: Apache-2.0
//! A network as one of its two types: clusters and memories behind AXI interfaces, or cores that pass words.
//!
//! [`Network`] has what both have. A function that needs interfaces, clusters or memories takes an [`AxiNetwork`], so that the entry of a
//! verb or run decides once, with [`Network::by_tiles`] or [`Network::as_axi`], and refuses the other type in its own words.

use crate::planes::NetworkPlane;
use crate::{Network, planes};
use noccl_spec::{AxiTiles, CoreTiles, Plane, Tiles};
use std::ops::Deref;

/// A network whose tiles speak AXI, with their tables.
#[derive(Debug, Clone, Copy)]
pub struct AxiNetwork<'a> {
    network: &'a Network,
    axi: &'a AxiTiles,
}

/// A network by the kind of its tiles.
#[derive(Debug, Clone, Copy)]
pub enum TypedNetwork<'a> {
    /// Clusters and memories behind interfaces.
    Axi(AxiNetwork<'a>),
    /// Cores and the routers between them.
    Cores(&'a CoreTiles),
}

impl Network {
    /// The network as the type that its tiles make it.
    #[must_use]
    pub const fn by_tiles(&self) -> TypedNetwork<'_> {
        match &self.spec.tiles {
            Tiles::Axi(axi) => TypedNetwork::Axi(AxiNetwork { network: self, axi }),
            Tiles::Cores(cores) => TypedNetwork::Cores(cores),
        }
    }

    /// The network with its interfaces, clusters and memories; `None` between cores.
    #[must_use]
    pub const fn as_axi(&self) -> Option<AxiNetwork<'_>> {
        match self.by_tiles() {
            TypedNetwork::Axi(axi) => Some(axi),
            TypedNetwork::Cores(_) => None,
        }
    }

    /// The network, if its routers merge contributions from several inputs: then there are stores and counters, whose limits a workload
    /// must keep.
    #[must_use]
    pub fn as_joining(&self) -> Option<AxiNetwork<'_>> {
        self.as_axi()
            .filter(|network| network.routers().joins_several)
    }
}

impl<'a> AxiNetwork<'a> {
    /// Tables of interfaces, clusters, memories and routers.
    #[must_use]
    #[inline]
    pub const fn axi(self) -> &'a AxiTiles {
        self.axi
    }

    /// The network for as long as it lives.
    #[must_use]
    pub const fn network(self) -> &'a Network {
        self.network
    }

    /// One of its planes.
    #[must_use]
    pub fn plane(self, plane: Plane) -> &'a NetworkPlane {
        &self.network.planes[plane.idx()]
    }

    /// Cycles in one router with the first cycle of the link behind it.
    #[must_use]
    pub const fn router_cycles(self) -> u32 {
        planes::router_cycles(self.axi)
    }
}

impl Deref for AxiNetwork<'_> {
    type Target = Network;

    #[inline]
    fn deref(&self) -> &Network {
        self.network
    }
}
