// SPDX-License-Identifier: Apache-2.0
//! Barriers of several structures: how many clusters meet at once, where, and by which mechanism.
//!
//! One meeting of everybody is cheapest in the network, where contributions merge on their paths, and dearest with a
//! counter, which serves one after the other. Splitting it into meetings of a row and then a column, or of four or two
//! at a time, trades a long queue for several short round trips. Invariant: behind the last level everybody has met everybody,
//! directly or through those it met before; the checker proves it.

pub(crate) mod sync;

use crate::entry::{Entry, OnClusters, Parameters};
use crate::steps::{Builder, tile_set};
use crate::task::Task;
use crate::{CollError, schedule_of};
use noccl_net::{Coord, MultiAddress, Network, TileRef, TileSet};
use noccl_workload::{
    Action, ActionKind, Barrier, BarrierMechanism, Collective, CollectiveKind, ElementType,
    Operator, Schedule, as_multi_address,
};
use std::collections::BTreeMap;
use sync::SyncPlan;

pub(crate) const COUNTER: Entry = Entry {
    parameters: Parameters {
        has_shape: true,
        ..Parameters::NONE
    },
    on_clusters: Some(
        OnClusters::new(
            |kind| kind == CollectiveKind::Barrier,
            |task| at_once(task, BarrierMechanism::Software),
        )
        .cut(|offer| offer.shapes()),
    ),
    ..Entry::named("counter")
};

/// A barrier by itself, in another shape than the paper's.
pub(crate) fn shaped(task: &Task<'_>, shape: BarrierShape) -> Result<Vec<Action>, CollError> {
    let plan = BarrierAlgorithm {
        structure: shape.structure,
        place: shape.place,
        mechanism: if task.choice.algorithm.is_in_network() {
            BarrierMechanism::InNetwork
        } else {
            BarrierMechanism::Software
        },
    };
    actions(task.group.members.clone(), plan)
}

/// A barrier by ittask.
pub(crate) fn at_once(
    task: &Task<'_>,
    mechanism: BarrierMechanism,
) -> Result<Vec<Action>, CollError> {
    let TileRef::Cluster(counter) = task.collective.root else {
        return Err(CollError::Unsupported {
            algorithm: task.choice.algorithm.to_string(),
            collective: "barrier".to_owned(),
            reason: format!(
                "the counter lies in a cluster's memory, not in {}; accepted: a cluster as root",
                task.collective.root
            ),
        });
    };
    let (members, cover) = (&task.group.members, &task.group.cover);
    let plan = SyncPlan::new(members, cover, task.mechanism(mechanism), counter);
    if mechanism == BarrierMechanism::InNetwork && plan.is_counter() {
        return Err(CollError::Unsupported {
            algorithm: task.choice.algorithm.to_string(),
            collective: "barrier".to_owned(),
            reason:
                "the network has no barrier for it: no two members make a multi-address, or the routers \
                     are published ones and it takes several; accepted: counter, or a group that is one \
                     multi-address"
                    .to_owned(),
        });
    }
    let mut builder = Builder::default();
    plan.emit(&mut builder);
    Ok(builder.finish())
}

/// Who meets whom, level by level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BarrierStructure {
    /// Everybody at once.
    Flat,
    /// Every row by itself, then every column.
    RowColumn,
    /// In level i, four whose coordinates differ in bit i of x and of y.
    Quads,
    /// In each level, two that differ in one bit of a coordinate: a butterfly.
    Pairwise,
}

/// Where the counters stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CounterPlace {
    /// At the lowest member of each meeting, as S1 has it.
    Corner,
    /// At the member whose farthest other member is nearest.
    Centre,
}

/// Structure and place of a barrier where they are not the paper's, which is everybody at once at the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BarrierShape {
    /// Who meets whom.
    pub structure: BarrierStructure,
    /// Where they meet.
    pub place: CounterPlace,
}

impl BarrierShape {
    /// All that are worth comparing: two or four have no centre.
    pub const ALL: [BarrierShape; 5] = {
        use BarrierStructure::{Flat, Pairwise, Quads, RowColumn};
        use CounterPlace::{Centre, Corner};
        [
            Self::new(Flat, Centre),
            Self::new(RowColumn, Corner),
            Self::new(RowColumn, Centre),
            Self::new(Quads, Corner),
            Self::new(Pairwise, Corner),
        ]
    };

    const fn new(structure: BarrierStructure, place: CounterPlace) -> Self {
        Self { structure, place }
    }

    /// The shape with one more word of its name; none if it is no such word.
    pub(crate) fn with(shape: Option<Self>, word: &str) -> Option<Self> {
        let before = shape.unwrap_or(Self::new(BarrierStructure::Flat, CounterPlace::Corner));
        if word == "centre" {
            return Some(Self::new(before.structure, CounterPlace::Centre));
        }
        let structures = [
            BarrierStructure::RowColumn,
            BarrierStructure::Quads,
            BarrierStructure::Pairwise,
        ];
        let named = structures.into_iter().find(|s| s.name() == Some(word));
        named.map(|structure| Self::new(structure, before.place))
    }

    /// Words of its name: structure and place, as far as they are not the paper's.
    pub(crate) fn words(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let place = match self.place {
            CounterPlace::Corner => None,
            CounterPlace::Centre => Some("centre"),
        };
        let structure = self.structure.name().map(|name| ("structure", name));
        structure.into_iter().chain(place.map(|p| ("counters", p)))
    }
}

impl BarrierStructure {
    const fn name(self) -> Option<&'static str> {
        match self {
            BarrierStructure::Flat => None,
            BarrierStructure::RowColumn => Some("row_column"),
            BarrierStructure::Quads => Some("quads"),
            BarrierStructure::Pairwise => Some("pairwise"),
        }
    }
}

/// A barrier algorithm with its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BarrierAlgorithm {
    /// Who meets whom.
    pub structure: BarrierStructure,
    /// Atomic counter and interrupt, or merged in the network.
    pub mechanism: BarrierMechanism,
    /// Where they meet.
    pub place: CounterPlace,
}

impl BarrierAlgorithm {
    /// All that differ, in the order of tables: two or four have no centre.
    pub const ALL: [BarrierAlgorithm; 12] = {
        use BarrierMechanism::{InNetwork, Software};
        use BarrierStructure::{Flat, Pairwise, Quads, RowColumn};
        use CounterPlace::{Centre, Corner};
        [
            Self::new(Flat, Software, Corner),
            Self::new(Flat, Software, Centre),
            Self::new(RowColumn, Software, Corner),
            Self::new(RowColumn, Software, Centre),
            Self::new(Quads, Software, Corner),
            Self::new(Pairwise, Software, Corner),
            Self::new(Flat, InNetwork, Corner),
            Self::new(Flat, InNetwork, Centre),
            Self::new(RowColumn, InNetwork, Corner),
            Self::new(RowColumn, InNetwork, Centre),
            Self::new(Quads, InNetwork, Corner),
            Self::new(Pairwise, InNetwork, Corner),
        ]
    };

    const fn new(
        structure: BarrierStructure,
        mechanism: BarrierMechanism,
        place: CounterPlace,
    ) -> Self {
        Self {
            structure,
            mechanism,
            place,
        }
    }

    /// Name in tables: mechanism, structure and place, as far as they are not the paper's.
    #[must_use]
    pub fn name(self) -> String {
        let mechanism = match self.mechanism {
            BarrierMechanism::Software => "counter",
            BarrierMechanism::InNetwork => "in_network",
        };
        let shape = BarrierShape::new(self.structure, self.place);
        let words = shape.words();
        words.fold(mechanism.to_owned(), |name, (_, word)| {
            format!("{name}:{word}")
        })
    }
}

/// The schedule of a barrier over a group.
///
/// # Errors
/// [`CollError`] if the group has not the shape that the structure needs, or (in the network) a
/// meeting is no multi-address.
pub fn barrier_schedule(
    network: &Network,
    group: &TileSet,
    plan: BarrierAlgorithm,
) -> Result<Schedule, CollError> {
    let members = network.members(group)?;
    let root = place(&members, plan.place);
    let parameters: [(&str, String); 0] = [];
    Ok(Schedule {
        collective: Some(Collective {
            kind: CollectiveKind::Barrier,
            group: group.clone(),
            root: TileRef::Cluster(root),
            bytes: 0,
            input_offset: 0,
            output_offset: 0,
            operator: Operator::Sum,
            element: ElementType::Fp64,
            lengths: None,
            definition: None,
        }),
        ..schedule_of(plan.name(), parameters, actions(members, plan)?)
    })
}

/// The meetings of a plan.
pub(crate) fn actions(
    members: Vec<Coord>,
    plan: BarrierAlgorithm,
) -> Result<Vec<Action>, CollError> {
    let levels = match plan.structure {
        BarrierStructure::Flat => vec![vec![members.clone()]],
        BarrierStructure::RowColumn => vec![lines(&members, |c| c.y), lines(&members, |c| c.x)],
        BarrierStructure::Quads => cubes(&members, true, plan)?,
        BarrierStructure::Pairwise => cubes(&members, false, plan)?,
    };
    if plan.structure == BarrierStructure::RowColumn && !is_full(&members, &levels) {
        return Err(unsupported(
            plan,
            "accepted: all of some columns × some rows",
        ));
    }
    let mut builder = Builder::default();
    for level in &levels {
        for meeting in level.iter().filter(|m| m.len() > 1) {
            builder.add(meet(meeting, plan)?, meeting);
        }
        builder.end_step();
    }
    Ok(builder.finish())
}

fn meet(members: &[Coord], plan: BarrierAlgorithm) -> Result<ActionKind, CollError> {
    if plan.mechanism == BarrierMechanism::InNetwork && as_multi_address(members).is_none() {
        let reason = "a meeting is no multi-address; accepted: aligned powers of two of clusters";
        return Err(unsupported(plan, reason));
    }
    Ok(ActionKind::Barrier(Barrier {
        group: tile_set(members),
        counter: TileRef::Cluster(place(members, plan.place)),
        mechanism: plan.mechanism,
    }))
}

/// Members by line, ascending.
fn lines(members: &[Coord], line: impl Fn(&Coord) -> u16) -> Vec<Vec<Coord>> {
    let mut out: BTreeMap<u16, Vec<Coord>> = BTreeMap::new();
    for member in members {
        out.entry(line(member)).or_default().push(*member);
    }
    out.into_values().collect()
}

/// Is every row of the same columns?
fn is_full(members: &[Coord], levels: &[Vec<Vec<Coord>>]) -> bool {
    levels.iter().map(Vec::len).product::<usize>() == members.len()
}

/// Cubes over one bit of x or y per level, or over one of each; near ones first.
fn cubes(
    members: &[Coord],
    has_both: bool,
    plan: BarrierAlgorithm,
) -> Result<Vec<Vec<Vec<Coord>>>, CollError> {
    let whole = as_multi_address(members)
        .ok_or_else(|| unsupported(plan, "accepted: a group that is a multi-address"))?;
    let masks = (0..16).map(|i| 1u16 << i).flat_map(|bit| {
        let (x, y) = (whole.mask.x & bit, whole.mask.y & bit);
        match has_both {
            true => vec![Coord::new(x, y)],
            false => vec![Coord::new(x, 0), Coord::new(0, y)],
        }
    });
    let level = |mask: Coord| {
        let is_base = |c: &&Coord| c.x & mask.x == 0 && c.y & mask.y == 0;
        let bases = members.iter().filter(is_base);
        bases
            .map(|base| MultiAddress::new(*base, mask).members().collect())
            .collect()
    };
    let masks = masks.filter(|mask| *mask != Coord::new(0, 0));
    Ok(masks.map(level).collect())
}

/// The member where they meet.
fn place(members: &[Coord], place: CounterPlace) -> Coord {
    let lowest = members.iter().copied().min().unwrap_or(Coord::new(0, 0));
    match place {
        CounterPlace::Corner => lowest,
        CounterPlace::Centre => centre(members),
    }
}

/// The member whose farthest other member is nearest, the lowest of equals.
#[must_use]
pub fn centre(members: &[Coord]) -> Coord {
    let farthest = farthest_hops(members);
    let nearest = members.iter().copied().min_by_key(|c| (farthest(*c), *c));
    nearest.unwrap_or(Coord::new(0, 0))
}

/// Hops from a tile to the farthest member: the distance is greatest at an end of one of the diagonals.
fn farthest_hops(members: &[Coord]) -> impl Fn(Coord) -> i32 {
    let sum = |c: &Coord| i32::from(c.x) + i32::from(c.y);
    let difference = |c: &Coord| i32::from(c.x) - i32::from(c.y);
    let ends = |of: &dyn Fn(&Coord) -> i32| {
        let values = || members.iter().map(of);
        // 0: no members, no hops; no distance is asked for.
        (values().min().unwrap_or(0), values().max().unwrap_or(0))
    };
    let (sums, differences) = (ends(&sum), ends(&difference));
    move |c| {
        let apart = |value: i32, (low, high): (i32, i32)| (value - low).max(high - value);
        apart(sum(&c), sums).max(apart(difference(&c), differences))
    }
}

fn unsupported(plan: BarrierAlgorithm, reason: &str) -> CollError {
    CollError::Unsupported {
        algorithm: plan.name(),
        collective: "barrier".to_owned(),
        reason: reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hops_to_the_farthest_member_are_those_of_the_longest_path() {
        let members: Vec<Coord> = [(0, 0), (3, 1), (2, 5), (7, 2)]
            .map(|(x, y)| Coord::new(x, y))
            .to_vec();
        let fast = farthest_hops(&members);
        for x in 0..9 {
            for y in 0..9 {
                let at = Coord::new(x, y);
                let slow = members.iter().map(|m| m.hops_to(at)).max().unwrap();
                assert_eq!(fast(at) as u32, slow, "{at}");
            }
        }
    }

    #[test]
    fn the_centre_of_an_even_square_is_half_a_side_from_its_corners() {
        let members: Vec<Coord> = (0..16)
            .flat_map(|x| (0..16).map(move |y| Coord::new(x, y)))
            .collect();
        let at = place(&members, CounterPlace::Centre);
        assert_eq!(farthest_hops(&members)(at), 16);
        assert_eq!(place(&members, CounterPlace::Corner), Coord::new(0, 0));
    }
}
