// SPDX-License-Identifier: Apache-2.0
//! Who can wait or be waited for, and what a person calls them.
//!
//! Tiles are named by kind: `cluster (x,y)` counts from the south-west cluster, `mem:N` is a memory tile.
//! A router has the name of its tile, a link that of the router that drives it.

use crate::diagnose::limit::Limit;
use noccl_net::{Network, Port, TileId, TileKind, TileRef};
use noccl_spec::Plane;

/// A participant of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// Head of an input FIFO.
    Input { plane: Plane, router: u32, port: u8 },
    /// Head of an output FIFO.
    Output { plane: Plane, router: u32, port: u8 },
    /// Contributions that wait in a router's table for the others.
    Entry {
        plane: Plane,
        router: u32,
        txn: u32,
        beat: Option<u16>,
    },
    /// Oldest result of a router's reduction unit.
    Result { plane: Plane, router: u32 },
    /// What a NI would send next into a plane.
    Source { plane: Plane, tile: u32 },
    /// A write or reduction burst in the queue of a NI.
    Stream { tile: u32, txn: u32 },
    /// A transaction as a whole.
    Transaction(u32),
    /// A member that has not contributed to a transaction.
    Member { txn: u32, tile: u32 },
    /// An entry of a trace that no participant has started.
    Entrant(u32),
    /// One participant's share of an action.
    Share(u32),
    /// The chain that the endpoint of a tile leads.
    Chain { tile: u32 },
    /// A limit of a tile, if nobody can be named who has all of it.
    Limit { limit: Limit, tile: u32 },
}

/// The tile as a person names it.
pub(crate) fn tile_name(network: &Network, tile: u32) -> String {
    let id = TileId(tile);
    let reference = match network.kind(id) {
        TileKind::Cluster => network
            .cluster_coord(network.coord(id))
            .map(TileRef::Cluster),
        TileKind::Memory => network
            .memories()
            .position(|m| m == id)
            .map(|n| TileRef::Memory(n as u32)),
    };
    reference.map_or_else(|| format!("tile {}", network.coord(id)), |r| r.to_string())
}

/// An output of a router: a link, or the port of the tile.
pub(crate) fn output_name(network: &Network, plane: Plane, router: u32, port: usize) -> String {
    let (plane, tile) = (plane.name(), tile_name(network, router));
    if port == Port::Local.idx() {
        return format!("the {plane} port of {tile}");
    }
    format!("link {plane} {tile}->{:?}", Port::ALL[port])
}

/// An input of a router: the link that ends there, or the port of the tile.
pub(crate) fn input_name(network: &Network, plane: Plane, router: u32, port: usize) -> String {
    let (plane, tile) = (plane.name(), tile_name(network, router));
    if port == Port::Local.idx() {
        return format!("the {plane} injection port of {tile}");
    }
    format!(
        "input {:?} of the {plane} router of {tile}",
        Port::ALL[port]
    )
}
