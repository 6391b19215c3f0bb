// SPDX-License-Identifier: Apache-2.0
//! Who takes part in an action, and which tiles a set names.
//!
//! Only a participant can wait for an action. A transfer is its initiator's alone: source and
//! destination tiles do not notice it. The root of a reduction and the counter of a barrier are
//! participants only if they are members of the group.

use crate::{ActionKind, Schedule, TileSetError};
use noccl_net::{Coord, MultiAddress, Network, TileId, TileSet};

/// Members of a set in rank order (x outer, y inner, ascending), duplicates removed.
///
/// # Errors
/// [`TileSetError`] if the set is empty or reaches outside the clusters.
pub fn set_members(network: &Network, set: &TileSet) -> Result<Vec<Coord>, TileSetError> {
    let (width, height) = (network.cluster_width(), network.cluster_height());
    let mut members = match set {
        TileSet::Tile(at) => vec![*at],
        TileSet::Row(y) => rectangle(0, *y, width, 1),
        TileSet::Column(x) => rectangle(*x, 0, 1, height),
        TileSet::Rectangle {
            x,
            y,
            width: columns,
            height: rows,
        } => {
            // Bounds before members: a rectangle in a file may be huge.
            let east = u32::from(*x) + u32::from(*columns);
            let north = u32::from(*y) + u32::from(*rows);
            if east > u32::from(width) || north > u32::from(height) {
                return Err(outside(network, format!("{columns}x{rows} at ({x},{y})")));
            }
            rectangle(*x, *y, *columns, *rows)
        }
        TileSet::Cube(cube) => {
            check_multi_address(network, *cube)?;
            cube.members().collect()
        }
        TileSet::Arbitrary(list) => list.clone(),
    };
    members.sort_unstable();
    members.dedup();
    if members.is_empty() {
        return Err(TileSetError {
            found: "an empty set".to_owned(),
            accepted: "at least one cluster".to_owned(),
        });
    }
    match members.iter().find(|c| c.x >= width || c.y >= height) {
        Some(absent) => Err(outside(network, absent.to_string())),
        None => Ok(members),
    }
}

/// Can the network address the set in one transaction here: every member mapped, no fixed bit under the mask?
///
/// # Errors
/// [`TileSetError`] saying what would be accepted.
pub fn check_multi_address(network: &Network, set: MultiAddress) -> Result<(), TileSetError> {
    if set != MultiAddress::new(set.base, set.mask) {
        let base = MultiAddress::new(set.base, set.mask).base;
        return Err(TileSetError {
            found: format!("base {} with mask {}", set.base, set.mask),
            accepted: format!("a base that is 0 where the mask is 1, here {base}"),
        });
    }
    // The largest member exists exactly if all do.
    let max = set.max();
    if max.x >= network.cluster_width() || max.y >= network.cluster_height() {
        return Err(outside(network, format!("a set that reaches {max}")));
    }
    Ok(())
}

/// The multi-address with exactly these members (sorted, without duplicates), if there is one.
#[must_use]
pub fn as_multi_address(members: &[Coord]) -> Option<MultiAddress> {
    let first = *members.first()?;
    let mask = members.iter().fold(Coord::new(0, 0), |mask, c| {
        Coord::new(mask.x | (c.x ^ first.x), mask.y | (c.y ^ first.y))
    });
    let set = MultiAddress::new(first, mask);
    let free_bits = mask.x.count_ones() + mask.y.count_ones();
    (1u64.checked_shl(free_bits) == Some(members.len() as u64)).then_some(set)
}

/// Participants of an action, ascending by tile. Absent tiles, which the checker reports, are left out.
#[must_use]
pub fn participants(network: &Network, kind: &ActionKind) -> Vec<TileId> {
    let mut tiles: Vec<TileId> = match kind {
        ActionKind::Transfer(t) => network.find(t.initiator).into_iter().collect(),
        ActionKind::LocalReduce(r) => network.find(r.tile).into_iter().collect(),
        ActionKind::Compute(c) => network.find(c.tile).into_iter().collect(),
        ActionKind::InNetworkReduction(r) => match check_multi_address(network, r.group) {
            Ok(()) => tiles_of(network, r.group.members()),
            Err(_) => Vec::new(),
        },
        ActionKind::Barrier(b) => match set_members(network, &b.group) {
            Ok(members) => tiles_of(network, members.into_iter()),
            Err(_) => Vec::new(),
        },
    };
    tiles.sort_unstable();
    tiles
}

impl Schedule {
    /// How messages name an action: its place in the file and its kind.
    pub(crate) fn action_name(&self, action: usize) -> String {
        let kind = self.actions.get(action).map_or("absent", |a| a.kind.name());
        format!("actions[{action}] ({kind})")
    }
}

impl ActionKind {
    /// Name in files.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            ActionKind::Transfer(_) => "transfer",
            ActionKind::InNetworkReduction(_) => "in_network_reduction",
            ActionKind::LocalReduce(_) => "local_reduce",
            ActionKind::Compute(_) => "compute",
            ActionKind::Barrier(_) => "barrier",
        }
    }
}

fn tiles_of(network: &Network, members: impl Iterator<Item = Coord>) -> Vec<TileId> {
    members
        .map(|c| network.tile_at(network.mesh_coord(c)))
        .collect()
}

fn rectangle(x: u16, y: u16, width: u16, height: u16) -> Vec<Coord> {
    (x..x + width)
        .flat_map(|x| (y..y + height).map(move |y| Coord::new(x, y)))
        .collect()
}

fn outside(network: &Network, found: String) -> TileSetError {
    TileSetError {
        found,
        accepted: format!(
            "members inside the {}x{} clusters, counted from (0,0)",
            network.cluster_width(),
            network.cluster_height()
        ),
    }
}
