// SPDX-License-Identifier: Apache-2.0
//! The one type for destination sets and groups.

use crate::{Coord, MultiAddress, NetError, Network, TileId, TileKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A set of cluster tiles, in cluster coordinates ((0, 0) = south-west cluster).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum TileSet {
    /// One cluster.
    Tile(Coord),
    /// All clusters with this y.
    Row(u16),
    /// All clusters with this x.
    Column(u16),
    /// An axis-aligned rectangle.
    Rectangle {
        /// South-west corner, column.
        x: u16,
        /// South-west corner, row.
        y: u16,
        /// Columns, at least 1.
        width: u16,
        /// Rows, at least 1.
        height: u16,
    },
    /// A (dst, mask) pair.
    Cube(MultiAddress),
    /// Any set; order and duplicates do not matter.
    Arbitrary(Vec<Coord>),
}

/// One tile as users write it: a cluster by its coordinate from the south-west cluster, or `mem:N`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum TileRef {
    /// Cluster coordinate.
    Cluster(Coord),
    /// N-th memory tile in index order.
    Memory(u32),
}

impl fmt::Display for TileRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TileRef::Cluster(c) => write!(f, "cluster {c}"),
            TileRef::Memory(n) => write!(f, "mem:{n}"),
        }
    }
}

/// The form that [`Network::parse_tile_set`] reads.
impl fmt::Display for TileSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TileSet::Tile(c) => write!(f, "tile:{},{}", c.x, c.y),
            TileSet::Row(y) => write!(f, "row:{y}"),
            TileSet::Column(x) => write!(f, "column:{x}"),
            TileSet::Rectangle {
                x,
                y,
                width,
                height,
            } => write!(f, "{x},{y},{width},{height}"),
            TileSet::Cube(set) => write!(f, "{set}"),
            TileSet::Arbitrary(tiles) => {
                write!(f, "set:")?;
                for (idx, c) in tiles.iter().enumerate() {
                    let separator = if idx == 0 { "" } else { ";" };
                    write!(f, "{separator}{},{}", c.x, c.y)?;
                }
                Ok(())
            }
        }
    }
}

impl Network {
    /// Tile named by a reference, if it exists.
    #[must_use]
    pub fn find(&self, tile: TileRef) -> Option<TileId> {
        match tile {
            TileRef::Cluster(c) => self
                .has_cluster(c)
                .then(|| self.tile_at(self.mesh_coord(c))),
            TileRef::Memory(n) => self.memories.get(n as usize).copied(),
        }
    }

    /// How users name a tile.
    ///
    /// # Panics
    /// Never for a tile of this network: a tile is a cluster or a memory.
    #[must_use]
    pub fn tile_ref(&self, tile: TileId) -> TileRef {
        match self.kind(tile) {
            TileKind::Cluster => TileRef::Cluster(
                self.cluster_coord(self.coord(tile))
                    .expect("cluster tiles lie in the cluster region"),
            ),
            TileKind::Memory => TileRef::Memory(
                self.memories
                    .binary_search(&tile)
                    .expect("memory tiles are listed in index order") as u32,
            ),
        }
    }

    /// Is there a cluster at this cluster coordinate?
    #[must_use]
    pub const fn has_cluster(&self, c: Coord) -> bool {
        c.x < self.cluster_width() && c.y < self.cluster_height()
    }

    /// Members of a set in cluster coordinates: ascending by x, then y, each once.
    ///
    /// # Errors
    /// [`NetError::Set`] if the set is empty or names a cluster that does not exist.
    pub fn members(&self, set: &TileSet) -> Result<Vec<Coord>, NetError> {
        let (columns, rows) = (self.cluster_width(), self.cluster_height());
        let fail = |reason: String| NetError::Set {
            what: "tile set".to_owned(),
            set: set.to_string(),
            reason,
        };
        let clusters = || format!("there are {columns} x {rows} clusters, (0,0) is south-west");
        let area = |x: u16, y: u16, width: u16, height: u16| {
            if width == 0 || height == 0 {
                return Err(fail("width and height must be at least 1".to_owned()));
            }
            let end = |start: u16, length: u16| u32::from(start) + u32::from(length);
            if end(x, width) > columns.into() || end(y, height) > rows.into() {
                return Err(fail(format!("reaches outside: {}", clusters())));
            }
            Ok((x..x + width)
                .flat_map(|x| (y..y + height).map(move |y| Coord::new(x, y)))
                .collect())
        };
        let all_exist = |tiles: Vec<Coord>| match tiles.iter().find(|c| !self.has_cluster(**c)) {
            Some(absent) => Err(fail(format!("no cluster at {absent}: {}", clusters()))),
            None => Ok(tiles),
        };
        match set {
            TileSet::Tile(c) => all_exist(vec![*c]),
            TileSet::Row(y) => area(0, *y, columns, 1),
            TileSet::Column(x) => area(*x, 0, 1, rows),
            TileSet::Rectangle {
                x,
                y,
                width,
                height,
            } => area(*x, *y, *width, *height),
            TileSet::Cube(cube) => {
                // Normalised, because a file may hold masked bits in the base.
                let cube = MultiAddress::new(cube.base, cube.mask);
                all_exist(vec![cube.max()])?;
                Ok(cube.members().collect())
            }
            TileSet::Arbitrary(tiles) if tiles.is_empty() => {
                Err(fail("is empty: name at least one cluster".to_owned()))
            }
            TileSet::Arbitrary(tiles) => {
                let mut tiles = all_exist(tiles.clone())?;
                tiles.sort_unstable();
                tiles.dedup();
                Ok(tiles)
            }
        }
    }
}

// Tile sets and tiles as users type them.

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
