// SPDX-License-Identifier: Apache-2.0
//! Barriers over exactly the given clusters.
//!
//! The network's barrier takes one multi-address. A group that is none is synchronised in three
//! levels: every set by itself, then a hub (a multi-address inside the group that meets every set;
//! where there is none, one member per set with an atomic counter), then every set again. Nobody
//! outside the group takes part.

use crate::steps::{Builder, tile_set};
use noccl_net::{Coord, MultiAddress, TileRef, TileSet};
use noccl_workload::{ActionKind, Barrier, BarrierMechanism};
use std::collections::BTreeSet;

/// Masks that the search for a hub looks at; beyond that a counter joins the sets.
const MAX_HUB_MASKS: usize = 4096;

/// The barrier actions that synchronise one set, level after level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SyncPlan {
    levels: Vec<Vec<Meeting>>,
}

/// One barrier action and who takes part.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Meeting {
    members: Vec<Coord>,
    group: TileSet,
    mechanism: BarrierMechanism,
    counter: Coord,
}

impl SyncPlan {
    /// A barrier over `members`, counted at `counter`.
    pub(crate) fn new(
        members: &[Coord],
        sets: &[MultiAddress],
        mechanism: BarrierMechanism,
        counter: Coord,
    ) -> Self {
        let one = |mechanism| Self {
            levels: vec![vec![meeting(members.to_vec(), mechanism, counter)]],
        };
        match mechanism {
            BarrierMechanism::Software => one(BarrierMechanism::Software),
            BarrierMechanism::InNetwork if sets.len() == 1 => one(BarrierMechanism::InNetwork),
            BarrierMechanism::InNetwork if sets.len() == members.len() => {
                one(BarrierMechanism::Software)
            }
            BarrierMechanism::InNetwork => nested(members, sets, counter),
        }
    }

    /// A barrier between `target` and at least one member of every set.
    pub(crate) fn meeting(target: Coord, allowed: &BTreeSet<Coord>, sets: &[MultiAddress]) -> Self {
        Self {
            levels: vec![vec![hub(Some(target), allowed, sets, target)]],
        }
    }

    /// Adds the barrier to a schedule, as steps of its own.
    pub(crate) fn emit(&self, builder: &mut Builder) {
        for level in &self.levels {
            for meeting in level {
                let barrier = Barrier {
                    group: meeting.group.clone(),
                    counter: TileRef::Cluster(meeting.counter),
                    mechanism: meeting.mechanism,
                };
                builder.add(ActionKind::Barrier(barrier), &meeting.members);
            }
            builder.end_step();
        }
    }

    /// Does an atomic counter do all of it?
    pub(crate) fn is_counter(&self) -> bool {
        self.levels
            .iter()
            .flatten()
            .all(|m| m.mechanism == BarrierMechanism::Software)
    }
}

fn nested(members: &[Coord], sets: &[MultiAddress], counter: Coord) -> SyncPlan {
    let allowed: BTreeSet<Coord> = members.iter().copied().collect();
    let within: Vec<Meeting> = sets
        .iter()
        .filter(|set| set.len() > 1)
        .map(|set| {
            let members: Vec<Coord> = set.members().collect();
            let at = nearest_to(&members, counter);
            meeting(members, BarrierMechanism::InNetwork, at)
        })
        .collect();
    SyncPlan {
        levels: vec![
            within.clone(),
            vec![hub(None, &allowed, sets, counter)],
            within,
        ],
    }
}

/// One barrier that meets every set (and `must`, if given) and nobody outside `allowed`.
fn hub(
    must: Option<Coord>,
    allowed: &BTreeSet<Coord>,
    sets: &[MultiAddress],
    counter: Coord,
) -> Meeting {
    if let Some(cube) = hub_cube(must, allowed, sets) {
        let members: Vec<Coord> = cube.members().collect();
        let at = nearest_to(&members, counter);
        return meeting(members, BarrierMechanism::InNetwork, at);
    }
    let mut members: Vec<Coord> = sets
        .iter()
        .filter(|set| must.is_none_or(|m| !set.contains(m)))
        .map(|set| nearest_to(&set.members().collect::<Vec<_>>(), counter))
        .chain(must)
        .collect();
    members.sort_unstable();
    members.dedup();
    let at = nearest_to(&members, counter);
    meeting(members, BarrierMechanism::Software, at)
}

/// Smallest multi-address within `allowed` that meets every set and holds `must`.
fn hub_cube(
    must: Option<Coord>,
    allowed: &BTreeSet<Coord>,
    sets: &[MultiAddress],
) -> Option<MultiAddress> {
    let smallest = sets.iter().min_by_key(|p| p.len())?;
    let bases: Vec<Coord> = match must {
        Some(m) => vec![m],
        None => smallest.members().collect(),
    };
    let seen = bases.first()?;
    let used = allowed.iter().fold(Coord::new(0, 0), |mask, c| {
        Coord::new(mask.x | (c.x ^ seen.x), mask.y | (c.y ^ seen.y))
    });
    let mut masks: Vec<Coord> = MultiAddress::new(Coord::new(0, 0), used)
        .members()
        .take(MAX_HUB_MASKS + 1)
        .collect();
    if masks.len() > MAX_HUB_MASKS {
        return None;
    }
    masks.sort_by_key(|m| (m.x.count_ones() + m.y.count_ones(), *m));
    masks
        .into_iter()
        .flat_map(|mask| bases.iter().map(move |base| MultiAddress::new(*base, mask)))
        .find(|cube| {
            cube.len() as usize <= allowed.len()
                && sets.iter().all(|set| set.overlaps(*cube))
                && cube.members().all(|c| allowed.contains(&c))
        })
}

fn meeting(members: Vec<Coord>, mechanism: BarrierMechanism, counter: Coord) -> Meeting {
    Meeting {
        group: tile_set(&members),
        members,
        mechanism,
        counter,
    }
}

fn nearest_to(members: &[Coord], to: Coord) -> Coord {
    members
        .iter()
        .copied()
        .min_by_key(|c| (c.hops_to(to), *c))
        .unwrap_or(to)
}
