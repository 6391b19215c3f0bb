// SPDX-License-Identifier: Apache-2.0
//! One tree of a network as plain data, for `noccl elaborate --tree`: ports and their number per tile.

use crate::Error;
use crate::network::{group_name, members, parse_tile, root_name};
use noccl_net::counts::max_or_zero;
use noccl_net::{Coord, NetError, Network, Port, TileId, TileSet, TreeTable};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What runs over a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TreeKind {
    /// From a source to members; ports are outputs.
    Multicast,
    /// From members to a root; ports are inputs.
    Reduction,
}

/// A tree that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeRequest {
    /// What runs over it.
    pub kind: TreeKind,
    /// Source of a multicast, root of a reduction.
    pub root: TileId,
}

/// A tile of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TreeTile {
    /// As users name it: `0,0` (cluster) or `mem:0`.
    pub name: String,
    /// Mesh coordinate: x (east), y (north).
    pub mesh: [u16; 2],
    /// Outputs of a multicast, inputs of a reduction, in the order in which contributions are combined.
    pub ports: Vec<Port>,
    /// How many these are: copies that the router makes, or contributions that it waits for.
    pub num_ports: u32,
}

/// A tree of a network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TreeDescription {
    /// Name of the network.
    pub network: String,
    /// What runs over it.
    pub kind: TreeKind,
    /// Source of a multicast, root of a reduction.
    pub root: String,
    /// Destinations or contributors.
    pub group: String,
    /// How many these are.
    pub num_members: u32,
    /// Where the tree begins or ends: the root, or the corner to which a multicast goes first.
    pub tree_root: String,
    /// Links of the tree.
    pub num_links: u32,
    /// Most ports of a tile.
    pub max_ports: u32,
    /// Tiles of the tree, x outer, y inner.
    pub tiles: Vec<TreeTile>,
}

/// Reads `multicast:X,Y` or `reduction:X,Y`, with `mem:N` in place of a cluster.
///
/// # Errors
/// [`Error::Argument`] if the form is unknown or there is no such tile.
pub fn parse_tree(network: &Network, text: &str) -> Result<TreeRequest, Error> {
    let (kind, root) = match text.split_once(':') {
        Some(("multicast", root)) => (TreeKind::Multicast, root),
        Some(("reduction", root)) => (TreeKind::Reduction, root),
        Some(_) | None => {
            let accepted = "accepted: multicast:X,Y or reduction:X,Y (a cluster, or mem:N)";
            return Err(Error::argument("--tree", text, accepted));
        }
    };
    let tile = parse_tile(network, "--tree", root)?;
    let root = network.find(tile);
    let root = root.ok_or_else(|| Error::argument("--tree", text, "there is no such tile"))?;
    Ok(TreeRequest { kind, root })
}

/// Ports of every tile of a tree: the union of the paths between its root and the members of a group.
///
/// # Errors
/// [`Error::Net`] if the group is empty or reaches outside, or routers of this network have no such trees.
///
/// ```
/// let network = noccl::network::load("smart_8x8", &[])?.network;
/// let request = noccl::network::parse_tree(&network, "reduction:3,4")?;
/// let tree = noccl::network::tree(&network, request, &noccl::network::parse_group(&network, "all")?)?;
/// assert_eq!((tree.num_links, tree.max_ports), (63, 5));
/// # Ok::<(), noccl::Error>(())
/// ```
pub fn tree(
    network: &Network,
    request: TreeRequest,
    group: &TileSet,
) -> Result<TreeDescription, Error> {
    let members = members(network, group)?;
    let places: Vec<Coord> = members.iter().map(|at| network.mesh_coord(*at)).collect();
    let table = table(network, request, &places)?;
    let name = |tile: TileId| root_name(network.tile_ref(tile));
    let tiles: Vec<TreeTile> = table
        .tiles()
        .map(|(tile, ports)| {
            let at = network.coord(tile);
            let listed = Port::ALL.into_iter().filter(|p| ports & p.bit() != 0);
            TreeTile {
                name: name(tile),
                mesh: [at.x, at.y],
                ports: listed.collect(),
                num_ports: ports.count_ones(),
            }
        })
        .collect();
    let links = tiles.iter().flat_map(|tile| &tile.ports);
    Ok(TreeDescription {
        network: network.spec().label(),
        kind: request.kind,
        root: name(request.root),
        group: group_name(network, group),
        num_members: members.len() as u32,
        tree_root: name(table.root()),
        num_links: links.filter(|port| **port != Port::Local).count() as u32,
        max_ports: max_or_zero(tiles.iter().map(|tile| tile.num_ports)),
        tiles,
    })
}

fn table(network: &Network, request: TreeRequest, places: &[Coord]) -> Result<TreeTable, NetError> {
    let root = network.coord(request.root);
    match request.kind {
        TreeKind::Multicast => network.multicast_tree(root, places),
        TreeKind::Reduction => network.reduction_tree(root, places),
    }
}
