// SPDX-License-Identifier: Apache-2.0
//! Elaboration: a spec becomes an immutable network.
//!
//! The only crate that computes a route. Fork sets of multicasts and join sets of reductions are
//! derived from [`Network::next_hop`]; the mask comparators that hardware uses stand beside them in
//! [`tree`] and are tested equal. A [`Network`] exists only if it was elaborated: total, immutable.
//! Source: S1 §2.3 (multi-address), §3.1 (routers), §3.2.2 (address map).

mod address;
mod coord;
mod elaborate;
mod error;
mod network;
mod route;
mod tile_set;
pub mod tree;

pub use address::MultiAddress;
pub use coord::{Coord, Port, TileId};
pub use elaborate::elaborate;
pub use error::NetError;
pub use route::xy_port;
pub use network::{LinkId, Network, TileKind};
pub use tile_set::{TileRef, TileSet};
