// SPDX-License-Identifier: Apache-2.0
//! Fork sets of multicast trees and join sets of reduction trees.
//!
//! Two forms of the same fact. The *derived* form walks [`Network::next_hop`] over all members and is
//! the definition. The *masked* form is what a router computes from (dst, mask) and its own position
//! (S1 §3.1.2–3.1.3); the engine uses it, and `tests/it/prop_tree.rs` ties the two together.
//! Coordinates here are mesh coordinates; a [`Cube`] is a multi-address moved to mesh coordinates.

use crate::{Coord, MultiAddress, Network, Port, coord_behind};
use serde::{Deserialize, Serialize};

/// A multi-address placed on the mesh: members are `origin + m` for m in the set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Cube {
    /// Mesh coordinate of the region's south-west tile.
    pub origin: Coord,
    /// Set in region coordinates.
    pub set: MultiAddress,
}

impl Cube {
    /// A single mesh coordinate.
    #[must_use]
    pub const fn single(at: Coord) -> Self {
        Self {
            origin: Coord::new(0, 0),
            set: MultiAddress::single(at),
        }
    }

    /// Smallest and largest mesh coordinate.
    #[must_use]
    pub const fn bounds(self) -> (Coord, Coord) {
        let max = self.set.max();
        (
            Coord::new(
                self.origin.x + self.set.base.x,
                self.origin.y + self.set.base.y,
            ),
            Coord::new(self.origin.x + max.x, self.origin.y + max.y),
        )
    }

    /// Does some member stand in this column?
    #[must_use]
    pub const fn has_x(self, x: u16) -> bool {
        x >= self.origin.x && ((x - self.origin.x) & !self.set.mask.x) == self.set.base.x
    }

    /// Does some member stand in this row?
    #[must_use]
    pub const fn has_y(self, y: u16) -> bool {
        y >= self.origin.y && ((y - self.origin.y) & !self.set.mask.y) == self.set.base.y
    }

    /// Is the mesh coordinate a member?
    #[must_use]
    pub const fn contains(self, at: Coord) -> bool {
        self.has_x(at.x) && self.has_y(at.y)
    }

    /// Members in mesh coordinates.
    pub fn members(self) -> impl Iterator<Item = Coord> {
        self.set
            .members()
            .map(move |c| Coord::new(c.x + self.origin.x, c.y + self.origin.y))
    }
}

impl Network {
    /// The multi-address over the cluster region, on the mesh.
    #[must_use]
    pub const fn cube(&self, set: MultiAddress) -> Cube {
        Cube {
            origin: self.cluster_origin,
            set,
        }
    }
}

/// Output ports (bit set) at `here` for a multicast that arrived through `from`: masked form.
///
/// X first: in the source row the packet runs in both directions as far as members reach and turns into every
/// column that has members.
#[must_use]
#[inline]
pub const fn fork_set(here: Coord, from: Port, set: Cube) -> u8 {
    // Ports that a packet from each port may leave by: it never turns back, nor from Y to X.
    const FROM: [u8; 5] = [
        Port::South.bit() | Port::Local.bit(),
        Port::North.bit() | Port::South.bit() | Port::West.bit() | Port::Local.bit(),
        Port::North.bit() | Port::Local.bit(),
        Port::North.bit() | Port::East.bit() | Port::South.bit() | Port::Local.bit(),
        0x1f,
    ];
    let (min, max) = set.bounds();
    // Without branches: this runs once per flit and hop of a multicast.
    let east = (max.x > here.x) as u8 * Port::East.bit();
    let west = (min.x < here.x) as u8 * Port::West.bit();
    let north = (max.y > here.y) as u8 * Port::North.bit();
    let south = (min.y < here.y) as u8 * Port::South.bit();
    let local = set.has_y(here.y) as u8 * Port::Local.bit();
    let turns = set.has_x(here.x) as u8 * (north | south | local);
    (east | west | turns) & FROM[from as usize]
}

/// Input ports (bit set) at `here` that carry contributions of `group` towards `root`: masked form.
///
/// Row phase: contributions of this row come from beyond; column phase only in the root's column.
#[must_use]
pub const fn join_set(here: Coord, group: Cube, root: Coord) -> u8 {
    let (min, max) = group.bounds();
    let mut ports = 0;
    if group.has_y(here.y) {
        if root.x >= here.x && min.x < here.x {
            ports |= Port::West.bit();
        }
        if root.x <= here.x && max.x > here.x {
            ports |= Port::East.bit();
        }
        if group.has_x(here.x) {
            ports |= Port::Local.bit();
        }
    }
    if root.x == here.x {
        if root.y >= here.y && min.y < here.y {
            ports |= Port::South.bit();
        }
        if root.y <= here.y && max.y > here.y {
            ports |= Port::North.bit();
        }
    }
    ports
}

/// Who sends the contributions that enter `here` through `port`: the nearest merge point on their paths, else
/// the member itself.
#[must_use]
#[inline]
pub fn contributor(here: Coord, port: Port, group: Cube, root: Coord) -> Coord {
    let (mut at, mut port) = (here, port);
    while let Some(before) = coord_behind(at, port) {
        at = before;
        let inputs = join_set(at, group, root);
        if inputs.count_ones() != 1 {
            break;
        }
        port = Port::ALL[inputs.trailing_zeros() as usize];
    }
    at
}

/// Contributors of `group` whose path to `root` passes through the router `here`: masked form.
#[must_use]
pub fn leaves_through(here: Coord, group: Cube, root: Coord) -> u32 {
    let (x0, y0) = (group.origin.x, group.origin.y);
    let xs = |lo: u16, hi: u16| count_in(group.set.base.x, group.set.mask.x, lo, hi, x0);
    let ys = |lo: u16, hi: u16| count_in(group.set.base.y, group.set.mask.y, lo, hi, y0);
    if here.x != root.x {
        let columns = if root.x > here.x {
            xs(0, here.x)
        } else {
            xs(here.x, u16::MAX)
        };
        return if group.has_y(here.y) { columns } else { 0 };
    }
    let rows = match here.y.cmp(&root.y) {
        std::cmp::Ordering::Less => ys(0, here.y),
        std::cmp::Ordering::Greater => ys(here.y, u16::MAX),
        std::cmp::Ordering::Equal => ys(0, u16::MAX),
    };
    rows * xs(0, u16::MAX)
}

/// How many v with `(v & !mask) == base` satisfy `lo <= v + origin <= hi`.
fn count_in(base: u16, mask: u16, lo: u16, hi: u16, origin: u16) -> u32 {
    if mask & mask.wrapping_add(1) == 0 {
        // Members without gaps, by far the most common set: overlap of two ranges.
        let first = (u32::from(base) + u32::from(origin)).max(u32::from(lo));
        let end = (u32::from(base) + u32::from(mask) + u32::from(origin)).min(u32::from(hi)) + 1;
        return end.saturating_sub(first);
    }
    let below = |limit: u32| -> u32 {
        // Members strictly below `limit` (region coordinates): walk the bits from the top.
        let mut count = 0;
        for bit in (0..17).rev() {
            let here = (limit >> bit) & 1;
            let is_free = bit < 16 && (mask >> bit) & 1 == 1;
            let fixed = if bit < 16 {
                u32::from((base >> bit) & 1)
            } else {
                0
            };
            let lower_free = (u32::from(mask) & ((1 << bit) - 1)).count_ones();
            if is_free {
                if here == 1 {
                    count += 1 << lower_free;
                }
            } else if fixed < here {
                return count + (1 << lower_free);
            } else if fixed > here {
                return count;
            }
        }
        count
    };
    let clip = |v: u16| u32::from(v.saturating_sub(origin));
    let high = if hi < origin { 0 } else { below(clip(hi) + 1) };
    high - below(clip(lo)).min(high)
}

/// Fork set by definition: union over members of the paths that pass `here` arriving through `from`.
#[must_use]
pub fn fork_set_derived(network: &Network, here: Coord, source: Coord, set: Cube) -> u8 {
    set.members()
        .filter_map(|m| network.path(source, m).find(|(at, _)| *at == here))
        .fold(0, |ports, (_, port)| ports | port.bit())
}

/// Join set by definition: input ports through which contributors' paths to `root` enter `here`.
#[must_use]
pub fn join_set_derived(network: &Network, here: Coord, group: Cube, root: Coord) -> u8 {
    let mut ports = 0;
    for member in group.members() {
        let mut entered = Port::Local;
        for (at, out) in network.path(member, root) {
            if at == here {
                ports |= entered.bit();
                break;
            }
            entered = out.opposite();
        }
    }
    ports
}
