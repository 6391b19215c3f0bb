// SPDX-License-Identifier: Apache-2.0
//! Multicasts over the static network share a rectangle, or no tile.
//!
//! A router copies the words of an input as its core has set it, whatever multicast they belong to. Words of the next one that follow at
//! once are copied right if the rectangle is the same; over another one they would leave it, or stay behind
//! (`docs/design/0013-core-tiles.md`).

use crate::{CheckError, Rectangle, Schedule};
use noccl_net::{Coord, Network};
use std::collections::BTreeSet;

/// Refuses multicasts over rectangles that overlap and differ.
///
/// Cost: every tile is looked at once, and one more where it fails.
pub(super) fn check_streams(network: &Network, schedule: &Schedule) -> Result<(), CheckError> {
    let mut known = BTreeSet::new();
    let mut first: Vec<Option<usize>> = Vec::new();
    for (action, kind) in schedule.actions.iter().map(|a| &a.kind).enumerate() {
        let Some(stream) = kind.static_multicast() else {
            continue;
        };
        let set = stream.set;
        if stream.is_local() || !known.insert((set.x, set.y, set.width, set.height)) {
            continue;
        }
        first.resize(network.num_tiles(), None);
        for tile in tiles(set).map(|at| network.tile_at(network.mesh_coord(at))) {
            if let Some(other) = first[tile.idx()].replace(action) {
                return Err(refused(action, set, other));
            }
        }
    }
    Ok(())
}

fn tiles(set: Rectangle) -> impl Iterator<Item = Coord> {
    let rows = set.y..set.y + set.height;
    (set.x..set.x + set.width).flat_map(move |x| rows.clone().map(move |y| Coord::new(x, y)))
}

fn refused(action: usize, set: Rectangle, other: usize) -> CheckError {
    CheckError::Field {
        field: format!("actions[{action}].kind.static_multicast.set"),
        found: format!("{},{},{},{}", set.x, set.y, set.width, set.height),
        accepted: format!(
            "the rectangle of actions[{other}], or one that shares no tile with it: routers copy words as they are set, whichever \
             multicast they belong to"
        ),
    }
}
