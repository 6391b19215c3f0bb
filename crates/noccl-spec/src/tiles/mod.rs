// SPDX-License-Identifier: Apache-2.0
//! The two kinds of tiles: clusters and memories whose network interfaces speak AXI, or cores that write words into routers.
//!
//! A file has the tables of one kind; those of the other have no meaning there and are refused. So nobody reads a latency of an interface
//! from a network that has none.

mod cores;

pub use cores::{
    Core, CoreFlow, CoreRouters, CoreTiles, DrainRule, FlowControl, StaticNetwork, UNIT_HEAD_WORDS,
    UdnRouter, WORD_BYTES,
};

use crate::{Cluster, EnergyTable, MemoryTile, NetworkInterface, Router};

/// What the tiles of a network are, and the routers between them.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "a network has one, and its fields are read everywhere"
)]
pub enum Tiles {
    /// Clusters and memories behind network interfaces.
    Axi(AxiTiles),
    /// Cores that write words into the ports of their routers and read them from there.
    Cores(CoreTiles),
}

/// Tables of a spec with clusters and memories.
#[derive(Debug, Clone, PartialEq)]
pub struct AxiTiles {
    /// Router microarchitecture, the same for all planes.
    pub router: Router,
    /// Network interface at every tile.
    pub ni: NetworkInterface,
    /// Compute cluster behind the NI of every cluster tile.
    pub cluster: Cluster,
    /// Memory behind the NI of every memory tile.
    pub memory: MemoryTile,
    /// Cost of each counted event in pJ.
    pub energy: EnergyTable,
}
