// SPDX-License-Identifier: Apache-2.0
//! Where contributions of a wide reduction meet on networks with bypass if they are one beat: in pairs at distances 1, 2, 4, ...
//!
//! An addition takes longer than a path of several links. Along a line of n routers contributions that meet at every router are
//! added one after the other, n - 1 times; in pairs they form a binomial tree, and at most ⌈log2 n⌉ additions follow each other. With d
//! the distance to the root along a row, and then along the root's column, the sum of a router goes to the one at the distance that is d without its
//! lowest set bit. That one lies on the path to the root, so flits keep the route of every other flit. Longer payloads meet at every
//! router: there a link carries each beat once. Source: S1 §3.1.4 (routers that add), S2 §3 (paths);
//! `docs/design/0012-bypass.md`.

use crate::tree::{Cube, contributor, join_set};
use crate::{Coord, MultiAddress, Network, Port};
use serde::{Deserialize, Serialize};

/// Where contributions of a wide reduction meet, and so in which order they are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum FoldOrder {
    /// At every router on the path that has several inputs: in port order, from the left.
    #[default]
    ByRouter,
    /// At distances 1, 2, 4, ... from the root, see the module.
    InPairs,
}

impl Network {
    /// Where contributions of a reduction meet: `beats` beats of `group` (cluster coordinates) into `root` (mesh). In pairs: one beat of a rectangle around its root,
    /// where flits pass routers in flight. All routers derive it from what the flit's header says.
    #[must_use]
    pub fn fold_order(&self, group: MultiAddress, root: Coord, beats: u64) -> FoldOrder {
        let has_gaps = |mask: u16| mask & mask.wrapping_add(1) != 0;
        let is_around =
            !has_gaps(group.mask.x) && !has_gaps(group.mask.y) && self.cube(group).contains(root);
        if beats == 1 && is_around && self.path_links() > 1 {
            FoldOrder::InPairs
        } else {
            FoldOrder::ByRouter
        }
    }
}

/// The router at which the sum of router `at` meets others; `None` at the root.
#[must_use]
pub const fn meets_at(at: Coord, root: Coord) -> Option<Coord> {
    if at.x != root.x {
        Some(Coord::new(nearer(at.x, root.x), at.y))
    } else if at.y != root.y {
        Some(Coord::new(at.x, nearer(at.y, root.y)))
    } else {
        None
    }
}

/// The distance loses its lowest set bit.
const fn nearer(at: u16, root: u16) -> u16 {
    let distance = at.abs_diff(root);
    let rest = distance & (distance - 1);
    if at > root { root + rest } else { root - rest }
}

/// Who sends the operands that meet at the member `here` of a rectangle around its root, in fold order: the member itself, those of its row
/// by distance, those of the root's column by distance; at one distance East before West and North before South. At most 63.
pub fn operands(here: Coord, group: Cube, root: Coord) -> impl Iterator<Item = Coord> {
    let (min, max) = group.bounds();
    let row = along(here.x, root.x, (min.x, max.x)).map(move |x| Coord::new(x, here.y));
    let is_column = here.x == root.x;
    let column = along(here.y, root.y, (min.y, max.y))
        .filter(move |_| is_column)
        .map(move |y| Coord::new(here.x, y));
    std::iter::once(here).chain(row).chain(column)
}

/// The same along one dimension.
fn along(here: u16, root: u16, (min, max): (u16, u16)) -> impl Iterator<Item = u16> {
    let distance = here.abs_diff(root);
    // At the root all powers of two, elsewhere those below the lowest set bit.
    let powers = if distance == 0 {
        u16::BITS
    } else {
        distance.trailing_zeros()
    };
    let has_behind = [here >= root, here <= root];
    (0..powers).flat_map(move |power| {
        let beyond = here.checked_add(1 << power).filter(|at| *at <= max);
        let before = here.checked_sub(1 << power).filter(|at| *at >= min);
        let [is_beyond, is_before] = has_behind;
        let both = [beyond.filter(|_| is_beyond), before.filter(|_| is_before)];
        both.into_iter().flatten()
    })
}

/// Who sends the operands that meet at `here`, in fold order; a member's own stands as `here`.
#[must_use]
pub fn senders(here: Coord, group: Cube, root: Coord, fold_order: FoldOrder) -> Vec<Coord> {
    match fold_order {
        FoldOrder::InPairs => operands(here, group, root).collect(),
        FoldOrder::ByRouter => {
            let inputs = join_set(here, group, root);
            let inputs = Port::ALL.into_iter().filter(|p| inputs & p.bit() != 0);
            inputs.map(|p| contributor(here, p, group, root)).collect()
        }
    }
}

/// Does what comes from `sender` meet others at `here`? A member's own contribution does at its router if there are others.
#[must_use]
pub fn meets_here(sender: Coord, here: Coord, group: Cube, root: Coord) -> bool {
    if sender == here {
        operands(here, group, root).nth(1).is_some()
    } else {
        meets_at(sender, root) == Some(here)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every rectangle of a 16 by 4 mesh and every root in it.
    fn cases() -> impl Iterator<Item = (Cube, Coord)> {
        let lengths = |side: u16| (0..5).map(|e| 1_u16 << e).filter(move |l| *l <= side);
        let sizes = lengths(16).flat_map(move |w| lengths(4).map(move |h| (w, h)));
        let cubes = sizes.flat_map(|(w, h)| {
            (0..16)
                .step_by(w.into())
                .flat_map(move |x| (0..4).step_by(h.into()).map(move |y| (x, y, w, h)))
        });
        cubes.flat_map(|(x, y, w, h)| {
            let cube = Cube {
                origin: Coord::new(3, 2),
                set: MultiAddress {
                    base: Coord::new(x, y),
                    mask: Coord::new(w - 1, h - 1),
                },
            };
            cube.members().map(move |root| (cube, root))
        })
    }

    #[test]
    fn every_member_is_an_operand_at_the_router_that_it_sends_to_and_at_no_other() {
        for (cube, root) in cases() {
            let mut senders = Vec::new();
            for here in cube.members() {
                let list: Vec<Coord> = operands(here, cube, root).collect();
                assert_eq!(list[0], here);
                for from in &list[1..] {
                    assert_eq!(meets_at(*from, root), Some(here), "{from} to {root}");
                    assert!(meets_here(*from, here, cube, root));
                }
                assert_eq!(meets_here(here, here, cube, root), list.len() > 1);
                senders.extend_from_slice(&list[1..]);
            }
            senders.sort_unstable();
            let mut expected: Vec<Coord> = cube.members().filter(|m| *m != root).collect();
            expected.sort_unstable();
            assert_eq!(senders, expected, "each sum is sent once");
        }
    }

    #[test]
    fn meeting_points_lie_on_the_path_to_the_root() {
        for (cube, root) in cases() {
            for at in cube.members().filter(|m| *m != root) {
                let next = meets_at(at, root).expect("not the root");
                assert_eq!(at.hops_to(next) + next.hops_to(root), at.hops_to(root));
                assert!(next.x == at.x || next.y == at.y, "on one line");
                assert!(
                    next.y == at.y || at.x == root.x,
                    "rows come before the column"
                );
            }
        }
    }
}
