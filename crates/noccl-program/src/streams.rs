// SPDX-License-Identifier: Apache-2.0
//! Rectangles over which collectives of a program stream words over the static network of core tiles.
//!
//! A router copies words as it was set last, whatever multicast they belong to. Two communicators whose rectangles overlap and differ would
//! lose words: those of the second come to a member that has still its route of the first, and are not passed on. So the first that streams
//! keeps its rectangle to the end of the program (`docs/design/0013-core-tiles.md`).

use noccl_workload::{Action, Rectangle};

/// Rectangles that streams of a program have: equal ones count once, and no two share a tile.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    taken: Vec<Rectangle>,
}

impl Streams {
    /// Takes the rectangles of a collective's streams; false if one shares tiles with another one that is taken, and then none is.
    pub(crate) fn take(&mut self, actions: &[Action]) -> bool {
        let streams = actions.iter().filter_map(|a| a.kind.static_multicast());
        let carried = streams.filter(|stream| !stream.is_local());
        let mut sets: Vec<Rectangle> = carried.map(|stream| stream.set).collect();
        sets.retain(|set| !self.taken.contains(set));
        sets.dedup();
        let meets = |set: &Rectangle| self.taken.iter().any(|taken| taken.overlaps(*set));
        if sets.iter().any(meets) {
            return false;
        }
        self.taken.extend(sets);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noccl_net::{Coord, TileRef};
    use noccl_workload::{ActionKind, Place, StaticMulticast};

    fn stream((x, width): (u16, u16), bytes: u64) -> [Action; 1] {
        let set = Rectangle {
            x,
            y: 0,
            width,
            height: 2,
        };
        let tile = TileRef::Cluster(Coord::new(x, 0));
        let kind = ActionKind::StaticMulticast(StaticMulticast {
            source: Place { tile, offset: 0 },
            set,
            offset: 64,
            bytes,
        });
        let after = Vec::new();
        [Action { kind, after }]
    }

    #[test]
    fn a_rectangle_is_kept_from_others_that_share_a_tile_with_it() {
        let mut streams = Streams::default();
        assert!(streams.take(&stream((0, 4), 0)), "no word travels");
        assert!(streams.take(&stream((1, 2), 8)));
        assert!(streams.take(&stream((1, 2), 16)), "the same one");
        assert!(!streams.take(&stream((0, 4), 8)));
        assert!(!streams.take(&stream((2, 1), 8)));
        assert!(streams.take(&stream((3, 1), 8)), "no tile in common");
        assert!(!streams.take(&stream((3, 2), 8)));
    }
}
