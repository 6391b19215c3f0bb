// SPDX-License-Identifier: Apache-2.0
//! S4's claims 17, 18, 26 and 27: the tree of the barrier, partners without tables, rectangles, and where the root stands.

use super::collectives::{BARRIER, CASES};
use super::machine::{LARGEST, Layer, PACKET, observe, schedule, schedule_at};
use crate::statistics::Outcomes;
use noccl_net::{Coord, Network, TileRef};
use noccl_run::Tally;
use noccl_studies::Error;
use noccl_studies::parts::Runner;
use noccl_workload::{CollectiveKind, Message, Schedule, check};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Squares of which the structure is computed.
const SQUARES: std::ops::RangeInclusive<u16> = 2..=8;

/// Claims 17 and 18.
pub(super) fn computed(out: &mut Outcomes) -> Result<(), Error> {
    let (mut minimal, mut heights, mut most) = (0_usize, Vec::new(), 0);
    for side in SQUARES {
        let network = Layer::Polling.square(side)?;
        let barrier = schedule(&network, BARRIER.kind, 0, "tree:neighbour")?;
        let (height, eccentricity) = height(&barrier);
        minimal += usize::from(height == eccentricity);
        heights.push(format!("{height} on {side}×{side}"));
        let rounds = schedule(&network, CollectiveKind::AllToAll, PACKET, "rounds")?;
        most = most.max(displacements(&rounds));
    }
    let detail = format!("height: {}", heights.join(", "));
    out.put("17-height", minimal as f64, &detail);
    let detail = "displacements of a round, those of the two directions counted as one; rounds of 2×2 to 8×8";
    out.put("18-tables", most as f64, detail);
    Ok(())
}

fn messages(schedule: &Schedule) -> impl Iterator<Item = &Message> {
    let actions = schedule.actions.iter();
    actions.filter_map(|action| action.kind.message())
}

const fn coord(tile: TileRef) -> Coord {
    match tile {
        TileRef::Cluster(at) => at,
        TileRef::Memory(_) => Coord::new(0, 0),
    }
}

/// Height of a barrier's tree, from the messages that gather, and the distance of the farthest tile from its root.
fn height(barrier: &Schedule) -> (u32, u32) {
    // The first message of a tile goes to its parent; the root has none before it releases.
    let mut parents: BTreeMap<Coord, Coord> = BTreeMap::new();
    let mut told: BTreeSet<Coord> = BTreeSet::new();
    for message in messages(barrier) {
        let (from, to) = (coord(message.source.tile), coord(message.destination.tile));
        let is_release = parents.get(&to) == Some(&from);
        if !is_release {
            parents.entry(from).or_insert(to);
        }
        told.insert(to);
    }
    let root = told.into_iter().find(|tile| !parents.contains_key(tile));
    let Some(root) = root else { return (0, 0) };
    let depth = |mut tile: Coord| {
        let mut depth = 0;
        while let Some(parent) = parents.get(&tile) {
            tile = *parent;
            depth += 1;
        }
        depth
    };
    let height = parents.keys().map(|tile| depth(*tile)).max();
    let farthest = parents.keys().map(|tile| tile.hops_to(root)).max();
    // 0: a tree of the root alone.
    (height.unwrap_or(0), farthest.unwrap_or(0))
}

/// The most displacements, up to their sign, that the messages of a round have: with one, a task finds its partners from the number of the
/// round alone.
fn displacements(rounds: &Schedule) -> usize {
    let mut by_round: BTreeMap<u32, BTreeSet<(i32, i32)>> = BTreeMap::new();
    for message in messages(rounds) {
        let (from, to) = (coord(message.source.tile), coord(message.destination.tile));
        let (x, y) = (
            i32::from(to.x) - i32::from(from.x),
            i32::from(to.y) - i32::from(from.y),
        );
        if let Some(round) = message.round {
            let up_to_sign = (x, y).max((-x, -y));
            by_round.entry(round).or_default().insert(up_to_sign);
        }
    }
    // 0: no message has a round.
    by_round.values().map(BTreeSet::len).max().unwrap_or(0)
}

/// Claim 26: every collective on every rectangle, proved by the checker and run.
pub(super) fn rectangles(tally: &Tally<'_>, out: &mut Outcomes) -> Result<(), Error> {
    let sizes: Vec<(u16, u16)> = (1..=8).flat_map(|x| (1..=8).map(move |y| (x, y))).collect();
    let right = |size: &(u16, u16)| -> Result<usize, Error> {
        let network = Layer::Polling.mesh(*size, &[])?;
        let mut right = 0;
        for case in CASES {
            let made = schedule(&network, case.kind, case.bytes, case.ours)?;
            check::check(&network, &made)?;
            let result = observe(tally, &network, &made, false)?;
            right += usize::from(result.wrong_transactions == 0);
        }
        Ok(right)
    };
    let right: Result<Vec<usize>, Error> = sizes.par_iter().map(right).collect();
    let count: usize = right?.iter().sum();
    let detail = format!("{} rectangles, {} collectives", sizes.len(), CASES.len());
    out.put("26-rectangles", count as f64, &detail);
    Ok(())
}

/// Claim 27: the barrier's root elsewhere.
pub(super) fn roots(runner: Runner<'_>, out: &mut Outcomes) -> Result<(), Error> {
    let network = Layer::Polling.square(LARGEST)?;
    let central = schedule(&network, BARRIER.kind, 0, BARRIER.ours)?;
    let central = runner.run(&network, &central)?.cycles;
    let tiles: Vec<Coord> = (0..LARGEST)
        .flat_map(|x| (0..LARGEST).map(move |y| Coord::new(x, y)))
        .collect();
    let at = |tile: &Coord| barrier_at(runner, &network, *tile);
    let times: Vec<u64> = tiles.par_iter().map(at).collect::<Result<_, _>>()?;
    let faster = times.iter().filter(|cycles| **cycles < central).count();
    let best = times
        .iter()
        .fold(u64::MAX, |best, cycles| best.min(*cycles));
    let detail = format!("root in the centre {central} cycles; the best of 49 roots {best}");
    out.put("27-best", faster as f64, &detail);
    let last = tiles.len() - 1;
    let corners = [
        0,
        usize::from(LARGEST) - 1,
        last + 1 - usize::from(LARGEST),
        last,
    ];
    let corners: Vec<u64> = corners.iter().map(|place| times[*place]).collect();
    let least = corners
        .iter()
        .fold(u64::MAX, |least, cycles| least.min(*cycles));
    let detail = format!("corners {corners:?} cycles, centre {central}");
    out.put("27-corners", least as f64 / central as f64, &detail);
    Ok(())
}

fn barrier_at(runner: Runner<'_>, network: &Network, root: Coord) -> Result<u64, Error> {
    let at = (0, TileRef::Cluster(root));
    let schedule = schedule_at(network, BARRIER.kind, at, "tree:neighbour:root")?;
    Ok(runner.run(network, &schedule)?.cycles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_along_links_are_as_low_as_the_root_is_far_and_others_are_found_out() {
        let network = Layer::Polling.square(7).unwrap();
        let of = |tree: &str| height(&schedule(&network, BARRIER.kind, 0, tree).unwrap());
        assert_eq!(of("tree:neighbour"), (6, 6));
        assert_eq!(of("tree:ternary").0, 3);
        assert_eq!(of("tree"), (5, 12));
    }

    #[test]
    fn a_round_has_one_displacement_and_an_order_by_ranks_has_more() {
        let network = Layer::Polling.square(5).unwrap();
        let of = |order: &str| {
            let made = schedule(&network, CollectiveKind::AllToAll, PACKET, order);
            displacements(&made.unwrap())
        };
        assert_eq!(of("rounds"), 1);
        assert!(of("pairwise") > 1);
    }
}
