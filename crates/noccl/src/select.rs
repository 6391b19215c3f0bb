// SPDX-License-Identifier: Apache-2.0
//! Groups and roots as users write them.

use crate::Error;
use noccl_net::{Coord, MultiAddress, Network, TileRef, TileSet};
use noccl_workload::CollectiveKind;

const GROUP_FORMS: &str = "accepted: all, row (the southernmost row), row:Y, column:X, X,Y,W,H \
                           (south-west corner and size in clusters)";
const ROOT_FORMS: &str = "accepted: X,Y (a cluster, counted from the south-west one) or mem:N";

/// Reads a group: `all`, `row`, `row:Y`, `column:X` or `X,Y,W,H`.
///
/// # Errors
/// [`Error::Argument`] if the form is unknown or the group reaches outside the mesh.
pub fn parse_group(network: &Network, text: &str) -> Result<TileSet, Error> {
    let (width, height) = (network.cluster_width(), network.cluster_height());
    let form = || Error::argument("--group", text, GROUP_FORMS);
    let set = match text {
        "all" => TileSet::Rectangle {
            x: 0,
            y: 0,
            width,
            height,
        },
        "row" => TileSet::Row(0),
        _ => match text.split_once(':') {
            Some(("row", y)) => TileSet::Row(y.parse().map_err(|_| form())?),
            Some(("column", x)) => TileSet::Column(x.parse().map_err(|_| form())?),
            Some(_) => return Err(form()),
            None => match numbers(text).ok_or_else(form)?.as_slice() {
                [x, y, width, height] => TileSet::Rectangle {
                    x: *x,
                    y: *y,
                    width: *width,
                    height: *height,
                },
                _ => return Err(form()),
            },
        },
    };
    if is_on_mesh(&set, width, height) {
        Ok(set)
    } else {
        Err(Error::argument(
            "--group",
            text,
            format!("not on this mesh, which has {width}x{height} clusters; {GROUP_FORMS}"),
        ))
    }
}

/// Reads a root: `X,Y` or `mem:N`.
///
/// # Errors
/// [`Error::Argument`] if the form is unknown or there is no such tile.
pub fn parse_root(network: &Network, text: &str) -> Result<TileRef, Error> {
    let form = || Error::argument("--root", text, ROOT_FORMS);
    let tile = match text.strip_prefix("mem:") {
        Some(n) => TileRef::Memory(n.parse().map_err(|_| form())?),
        None => match numbers(text).ok_or_else(form)?.as_slice() {
            [x, y] => TileRef::Cluster(Coord::new(*x, *y)),
            _ => return Err(form()),
        },
    };
    network.find(tile).map(|_| tile).ok_or_else(|| {
        Error::argument(
            "--root",
            text,
            format!(
                "no such tile; this network has {}x{} clusters and {} memory tiles",
                network.cluster_width(),
                network.cluster_height(),
                network.memories().count()
            ),
        )
    })
}

/// The paper's choice: a multicast comes from memory tile 0, everything else ends at the group's south-west cluster.
#[must_use]
pub fn default_root(network: &Network, kind: CollectiveKind, group: &TileSet) -> TileRef {
    let corner = members(network, group)
        .into_iter()
        .min()
        .unwrap_or(Coord::new(0, 0));
    match kind {
        CollectiveKind::Multicast if network.memories().next().is_some() => TileRef::Memory(0),
        CollectiveKind::Multicast
        | CollectiveKind::Reduce
        | CollectiveKind::AllReduce
        | CollectiveKind::Barrier => TileRef::Cluster(corner),
    }
}

/// Members of a group in cluster coordinates, x outer, y inner, ascending.
#[must_use]
pub fn members(network: &Network, set: &TileSet) -> Vec<Coord> {
    let (width, height) = (network.cluster_width(), network.cluster_height());
    let rectangle = |x: u16, y: u16, width: u16, height: u16| {
        (x..x + width)
            .flat_map(|x| (y..y + height).map(move |y| Coord::new(x, y)))
            .collect()
    };
    match set {
        TileSet::Tile(at) => vec![*at],
        TileSet::Row(y) => rectangle(0, *y, width, 1),
        TileSet::Column(x) => rectangle(*x, 0, 1, height),
        TileSet::Rectangle {
            x,
            y,
            width,
            height,
        } => rectangle(*x, *y, *width, *height),
        TileSet::Cube(set) => set.members().collect(),
        TileSet::Arbitrary(list) => {
            let mut list = list.clone();
            list.sort_unstable();
            list.dedup();
            list
        }
    }
}

fn is_on_mesh(set: &TileSet, width: u16, height: u16) -> bool {
    match set {
        TileSet::Tile(at) => at.x < width && at.y < height,
        TileSet::Row(y) => *y < height,
        TileSet::Column(x) => *x < width,
        TileSet::Rectangle {
            x,
            y,
            width: columns,
            height: rows,
        } => {
            let fits = |from: u16, count: u16, limit: u16| {
                count >= 1 && u32::from(from) + u32::from(count) <= u32::from(limit)
            };
            fits(*x, *columns, width) && fits(*y, *rows, height)
        }
        TileSet::Cube(set) => {
            let max = MultiAddress::max(*set);
            max.x < width && max.y < height
        }
        TileSet::Arbitrary(list) => list.iter().all(|at| at.x < width && at.y < height),
    }
}

fn numbers(text: &str) -> Option<Vec<u16>> {
    text.split(',').map(|n| n.trim().parse().ok()).collect()
}

/// A group as tables show it.
#[must_use]
pub fn group_name(network: &Network, set: &TileSet) -> String {
    let (all_width, all_height) = (network.cluster_width(), network.cluster_height());
    match set {
        TileSet::Tile(at) => format!("{},{},1,1", at.x, at.y),
        TileSet::Row(y) => format!("row:{y}"),
        TileSet::Column(x) => format!("column:{x}"),
        TileSet::Rectangle {
            x: 0,
            y: 0,
            width,
            height,
        } if *width == all_width && *height == all_height => "all".to_owned(),
        TileSet::Rectangle {
            x,
            y,
            width,
            height,
        } => format!("{x},{y},{width},{height}"),
        TileSet::Cube(set) => format!("base {} mask {}", set.base, set.mask),
        TileSet::Arbitrary(list) => format!("{} clusters", list.len()),
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
