// SPDX-License-Identifier: Apache-2.0
//! Groups and roots as users write them.

use crate::Error;
use noccl_net::{Coord, NetError, Network, TileRef, TileSet};
use noccl_workload::CollectiveKind;

/// Reads a group: `all`, `row`, `row:Y`, `column:X`, `X,Y,W,H`, or any other form of a tile set.
///
/// # Errors
/// [`Error::Argument`] if the form is unknown or the group reaches outside the mesh.
pub fn parse_group(network: &Network, text: &str) -> Result<TileSet, Error> {
    parse_set(network, "--group", text)
}

/// As [`parse_group`], for another argument that takes a set.
///
/// # Errors
/// As [`parse_group`].
pub fn parse_set(network: &Network, argument: &str, text: &str) -> Result<TileSet, Error> {
    let set = network.parse_tile_set(text);
    set.map_err(|e| as_argument(argument, text, e))
}

/// Reads a root: `X,Y` or `mem:N`.
///
/// # Errors
/// [`Error::Argument`] if the form is unknown or there is no such tile.
pub fn parse_root(network: &Network, text: &str) -> Result<TileRef, Error> {
    parse_tile(network, "--root", text)
}

/// As [`parse_root`], for another argument that takes a tile.
///
/// # Errors
/// As [`parse_root`].
pub fn parse_tile(network: &Network, argument: &str, text: &str) -> Result<TileRef, Error> {
    let tile = network.parse_tile_ref(text);
    tile.map_err(|e| as_argument(argument, text, e))
}

/// Members of a group in cluster coordinates, x outer, y inner, ascending.
///
/// # Errors
/// [`Error::Net`] if the set is empty or reaches outside the mesh.
pub fn members(network: &Network, set: &TileSet) -> Result<Vec<Coord>, Error> {
    Ok(network.members(set)?)
}

/// The paper's choice: a multicast comes from memory tile 0, everything else ends at the group's south-west cluster.
///
/// # Errors
/// [`Error::Net`] if the group is empty or reaches outside the mesh.
pub fn default_root(
    network: &Network,
    kind: CollectiveKind,
    group: &TileSet,
) -> Result<TileRef, Error> {
    let members = network.members(group)?;
    let corner = members.first().copied().unwrap_or(Coord::new(0, 0));
    let is_from_memory = kind == CollectiveKind::Multicast && network.memories().next().is_some();
    Ok(match is_from_memory {
        true => TileRef::Memory(0),
        false => TileRef::Cluster(corner),
    })
}

/// A group as tables show it: `all`, or the form that [`parse_group`] reads.
#[must_use]
pub fn group_name(network: &Network, set: &TileSet) -> String {
    match set {
        TileSet::Rectangle {
            x: 0,
            y: 0,
            width,
            height,
        } if *width == network.cluster_width() && *height == network.cluster_height() => {
            "all".to_owned()
        }
        TileSet::Tile(_)
        | TileSet::Row(_)
        | TileSet::Column(_)
        | TileSet::Rectangle { .. }
        | TileSet::Cube(_)
        | TileSet::Arbitrary(_) => set.to_string(),
    }
}

/// A root as users write it: `0,0` or `mem:0`.
#[must_use]
pub fn root_name(root: TileRef) -> String {
    match root {
        TileRef::Cluster(at) => format!("{},{}", at.x, at.y),
        TileRef::Memory(n) => format!("mem:{n}"),
    }
}

/// The same complaint with the name of the option that holds the text.
fn as_argument(argument: &str, text: &str, error: NetError) -> Error {
    match &error {
        NetError::Set { reason, .. } => Error::argument(argument, text, reason.as_str()),
        NetError::Field { .. } | NetError::Coverage { .. } | NetError::AddressOverlap { .. } => {
            Error::Net(error)
        }
    }
}
