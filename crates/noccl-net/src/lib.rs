// SPDX-License-Identifier: Apache-2.0
//! Elaboration: a spec becomes an immutable network.
//!
//! The only crate that computes a route. Fork sets of multicasts and join sets of reductions are
//! derived from [`Network::next_hop`]; the mask comparators that hardware uses stand beside them in
//! [`tree`] and are tested equal. A [`Network`] exists only if it was elaborated: total, immutable.
//! Source: S1 §2.3 (multi-address), §3.1 (routers), §3.2.2 (address map).

mod address;
mod axi;
pub mod capabilities;
mod chain_cycles;
mod coord;
mod core_cycles;
pub mod counts;
mod cover;
pub mod deadlock;
mod elaborate;
mod error;
mod list;
mod network;
pub mod pairs;
mod planes;
mod region;
mod route;
mod tile_set;
pub mod tree;
mod tree_table;
mod uniform;

pub use address::MultiAddress;
pub use axi::{AxiNetwork, TypedNetwork};
pub use chain_cycles::{ChainCycles, ChainTimes};
pub use coord::{Coord, Port, TileId};
pub use cover::{cover, interval_cubes};
pub use elaborate::{MAX_REGIONS, MAX_TILES, elaborate};
pub use error::NetError;
pub use list::max_listed_destinations;
pub use network::{LinkId, Network, TileKind};
pub use planes::{AxiChannel, NetworkPlane};
pub use region::MaskedAddress;
pub use route::{coord_behind, xy_port};
pub use tile_set::{TileRef, TileSet};
pub use tree_table::TreeTable;
pub use uniform::busiest_uniform_load;
