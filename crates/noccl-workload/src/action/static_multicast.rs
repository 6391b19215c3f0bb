// SPDX-License-Identifier: Apache-2.0
//! A multicast over the static network (S4 §2): every member sets its route, the root writes words, everybody else reads them.
//!
//! A route is set for one relation between member and root, so the set is a rectangle: a tile in a hole would have to set its route
//! too.

use super::class::{Agent, Completion, Effect, Kind, Lines, Need, Targets, Waits};
use crate::check::At;
use crate::{CheckError, Place};
use noccl_net::deadlock::Work;
use noccl_net::{Coord, Network, TileId, TileRef, TileSet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tiles that form a rectangle; (0, 0) is south-west.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rectangle {
    /// South-west corner, column.
    pub x: u16,
    /// South-west corner, row.
    pub y: u16,
    /// Columns, at least 1.
    pub width: u16,
    /// Rows, at least 1.
    pub height: u16,
}

impl Rectangle {
    /// The rectangle with exactly these members, if there is one. In any order; duplicates count once.
    #[must_use]
    pub fn of(members: &[Coord]) -> Option<Self> {
        let mut sorted = members.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let (first, last) = (*sorted.first()?, *sorted.last()?);
        let (low, high) = sorted.iter().fold((first.y, last.y), |(low, high), c| {
            (low.min(c.y), high.max(c.y))
        });
        let found = Self {
            x: first.x,
            y: low,
            width: (last.x - first.x).checked_add(1)?,
            height: (high - low).checked_add(1)?,
        };
        (found.len() == sorted.len() as u64).then_some(found)
    }

    /// Tiles in it.
    #[must_use]
    pub const fn len(self) -> u64 {
        self.width as u64 * self.height as u64
    }

    /// Has it no tiles?
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Is the tile in it?
    #[must_use]
    pub const fn contains(self, at: Coord) -> bool {
        at.x >= self.x
            && at.y >= self.y
            && at.x - self.x < self.width
            && at.y - self.y < self.height
    }

    /// Is a tile in both?
    #[must_use]
    pub const fn overlaps(self, other: Self) -> bool {
        const fn meet((a, a_len): (u16, u16), (b, b_len): (u16, u16)) -> bool {
            (a as u32) < b as u32 + b_len as u32 && (b as u32) < a as u32 + a_len as u32
        }
        meet((self.x, self.width), (other.x, other.width))
            && meet((self.y, self.height), (other.y, other.height))
    }

    /// The same as any set.
    #[must_use]
    pub const fn tile_set(self) -> TileSet {
        TileSet::Rectangle {
            x: self.x,
            y: self.y,
            width: self.width,
            height: self.height,
        }
    }
}

/// A root's bytes reach every other tile of a rectangle over the static network.
///
/// All members act: each sets its route when it begins its share. The root's share ends when it has written the last word, another
/// member's when the bytes are in its memory. The root keeps no copy at `offset`. Zero bytes are a no-op.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StaticMulticast {
    /// First byte that is sent; its tile is the root, a member.
    pub source: Place,
    /// Members.
    pub set: Rectangle,
    /// Where every member but the root puts it.
    pub offset: u64,
    /// Bytes.
    pub bytes: u64,
}

impl StaticMulticast {
    /// Does no word travel?
    #[must_use]
    pub const fn is_local(&self) -> bool {
        self.bytes == 0 || self.set.len() < 2
    }
}

impl<'a> Kind<'a> for &'a StaticMulticast {
    fn name(&self) -> &'static str {
        "static_multicast"
    }

    fn words(&self) -> &'static str {
        "static multicast"
    }

    fn participants(&self, network: &Network) -> Vec<TileId> {
        super::class::of_set(network, &self.set.tile_set())
    }

    fn agent(&self) -> Agent {
        Agent::Control
    }

    fn completion(&self) -> Completion {
        Completion::AtOnce
    }

    /// A member waits for the root's words, and takes them itself.
    fn waits(&self) -> Waits {
        match self.bytes {
            0 => Waits::Nobody,
            _ => Waits::OwnAndOne(self.source.tile),
        }
    }

    fn needs(&self) -> Need {
        Need::Words
    }

    fn effect(&self) -> Effect<'a> {
        Effect::Lines(Lines {
            reader: self.source.tile,
            source: self.source,
            targets: Targets::Others(self.set, self.source.tile),
            offset: self.offset,
            bytes: self.bytes,
            rows: 1,
            source_stride: 0,
            destination_stride: 0,
            is_asked_for: true,
        })
    }

    fn sent_bytes(&self, _: &Network) -> u64 {
        if self.set.len() < 2 {
            return 0;
        }
        self.bytes
    }

    /// No two streams meet: a tile takes one input at a time and the others wait where they are.
    fn work(&self, _: &Network) -> Option<Work> {
        None
    }

    fn check(&self, at: &At<'_>) -> Result<(), CheckError> {
        let root = at.cluster("source.tile", self.source.tile)?;
        let members = at.network.members(&self.set.tile_set());
        let members = members.map_err(|e| crate::check::group_error(at.field("set"), &e))?;
        match self.source.tile {
            TileRef::Cluster(tile) if self.set.contains(tile) => {}
            TileRef::Cluster(_) | TileRef::Memory(_) => {
                return at.fail("source.tile", self.source.tile, "a tile of `set`");
            }
        }
        let end = |offset: u64| u128::from(offset) + u128::from(self.bytes);
        at.fits("source.offset", root, end(self.source.offset))?;
        for member in members {
            let tile = at.network.tile_at(at.network.mesh_coord(member));
            if tile != root {
                at.fits("offset", tile, end(self.offset))?;
            }
        }
        Ok(())
    }

    fn static_multicast(&self) -> Option<&'a StaticMulticast> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rectangle_is_found_exactly_where_there_is_no_hole() {
        let full: Vec<Coord> = (2..5)
            .flat_map(|x| (1..3).map(move |y| Coord::new(x, y)))
            .collect();
        let found = Rectangle::of(&full).unwrap();
        assert_eq!((found.x, found.y, found.width, found.height), (2, 1, 3, 2));
        assert!(full.iter().all(|at| found.contains(*at)));
        assert!(!found.contains(Coord::new(5, 1)) && !found.contains(Coord::new(1, 1)));
        for hole in 0..full.len() {
            let mut rest = full.clone();
            rest.remove(hole);
            assert_eq!(Rectangle::of(&rest), None, "without {}", full[hole]);
        }
        let mut twice = full.clone();
        twice.extend_from_slice(&full[..1]);
        assert_eq!(Rectangle::of(&twice), Some(found));
        assert_eq!(Rectangle::of(&[]), None);
    }

    #[test]
    fn rectangles_overlap_exactly_where_they_share_a_tile() {
        let within =
            |last: u16| (0..last).flat_map(move |at| (1..=last - at).map(move |n| (at, n)));
        let all = |last| {
            within(last).flat_map(move |(x, width)| {
                within(last).map(move |(y, height)| Rectangle {
                    x,
                    y,
                    width,
                    height,
                })
            })
        };
        let tiles =
            |last: u16| (0..last).flat_map(move |x| (0..last).map(move |y| Coord::new(x, y)));
        for one in all(3) {
            for other in all(3) {
                let shares = tiles(3).any(|at| one.contains(at) && other.contains(at));
                assert_eq!(one.overlaps(other), shares, "{one:?} {other:?}");
            }
        }
    }
}
