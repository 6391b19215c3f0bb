// SPDX-License-Identifier: Apache-2.0
//! Tile sets and tiles as users type them.

use crate::{Coord, MultiAddress, NetError, Network, TileRef, TileSet};
use std::str::FromStr;

const SET_FORMS: &str = "write all, row, row:Y, column:X, X,Y,W,H (south-west corner and size), \
                         tile:X,Y, set:X,Y;X,Y;… or cube:X,Y,MASK_X,MASK_Y";
const TILE_FORMS: &str = "write X,Y (a cluster, counted from the south-west one) or mem:N";

impl FromStr for TileRef {
    type Err = NetError;

    /// Reads `X,Y` or `mem:N`; whether the tile exists is for [`Network::find`] to say.
    fn from_str(text: &str) -> Result<Self, NetError> {
        let tile = match text.trim().strip_prefix("mem:") {
            Some(n) => number(n).map(TileRef::Memory),
            None => coord(text).map(TileRef::Cluster),
        };
        tile.ok_or_else(|| NetError::Set {
            what: "tile".to_owned(),
            set: format!("'{text}'"),
            reason: TILE_FORMS.to_owned(),
        })
    }
}

impl Network {
    /// Reads a tile set and checks that all its members exist. `all` is every cluster, `row` the
    /// southernmost row; the other forms are those in which a [`TileSet`] is displayed.
    ///
    /// # Errors
    /// [`NetError::Set`] with the accepted forms, or with the size of the cluster region.
    pub fn parse_tile_set(&self, text: &str) -> Result<TileSet, NetError> {
        let set = self
            .read_tile_set(text.trim())
            .ok_or_else(|| NetError::Set {
                what: "tile set".to_owned(),
                set: format!("'{text}'"),
                reason: SET_FORMS.to_owned(),
            })?;
        self.members(&set).map(|_| set)
    }

    /// Reads a tile and checks that it exists.
    ///
    /// # Errors
    /// [`NetError::Set`] with the accepted forms, or with what exists.
    pub fn parse_tile_ref(&self, text: &str) -> Result<TileRef, NetError> {
        let tile: TileRef = text.parse()?;
        self.find(tile).map(|_| tile).ok_or_else(|| NetError::Set {
            what: "tile".to_owned(),
            set: format!("'{text}'"),
            reason: format!(
                "does not exist: there are {} x {} clusters and {} memory tiles",
                self.cluster_width(),
                self.cluster_height(),
                self.memories().count()
            ),
        })
    }

    fn read_tile_set(&self, text: &str) -> Option<TileSet> {
        let rectangle = |[x, y, width, height]: [u16; 4]| TileSet::Rectangle {
            x,
            y,
            width,
            height,
        };
        match text.split_once(':') {
            None if text == "all" => Some(rectangle([
                0,
                0,
                self.cluster_width(),
                self.cluster_height(),
            ])),
            None if text == "row" => Some(TileSet::Row(0)),
            None => numbers(text).map(rectangle),
            Some(("row", y)) => number(y).map(TileSet::Row),
            Some(("column", x)) => number(x).map(TileSet::Column),
            Some(("tile", c)) => coord(c).map(TileSet::Tile),
            Some(("cube", rest)) => numbers(rest).map(|[x, y, mask_x, mask_y]| {
                let (base, mask) = (Coord::new(x, y), Coord::new(mask_x, mask_y));
                TileSet::Cube(MultiAddress::new(base, mask))
            }),
            Some(("set", rest)) => {
                let tiles: Option<Vec<Coord>> = rest.split(';').map(coord).collect();
                tiles.map(TileSet::Arbitrary)
            }
            Some(_) => None,
        }
    }
}

fn number<T: FromStr>(text: &str) -> Option<T> {
    let digits = text.trim();
    // `parse` alone would let a sign pass.
    let is_plain = digits.bytes().all(|b| b.is_ascii_digit());
    is_plain.then(|| digits.parse().ok()).flatten()
}

fn numbers<const N: usize>(text: &str) -> Option<[u16; N]> {
    let list: Option<Vec<u16>> = text.split(',').map(number).collect();
    list?.try_into().ok()
}

fn coord(text: &str) -> Option<Coord> {
    numbers(text).map(|[x, y]| Coord::new(x, y))
}
