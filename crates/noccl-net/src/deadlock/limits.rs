// SPDX-License-Identifier: Apache-2.0
//! What waits in a tile for siblings, where the room for it is limited: operands of wide reductions in
//! the store of a merge point, barriers in the counters of their target.
//!
//! Within the limits nobody waits for room, so the waits of stores and counters need not be looked at.
//! Source of the limits: `docs/design/0001-collectives-without-deadlock.md`, "Stated limits".

use super::{Flow, IssueOrder};
use crate::tree::{contributor, join_set};
use crate::{Coord, MultiAddress, Network, Port, TileId};
use std::collections::{BTreeMap, BTreeSet};

/// Cycles without a sibling after which a contribution in a full merge table goes on by itself.
pub const MERGE_TIMEOUT_CYCLES: u32 = 256;

/// Beats whose room in an operand store is given back at once.
pub const BEATS_PER_CREDIT: u32 = 4;

/// Beats on the way over each further hop and back: two cycles a hop for the beat, two for the credit.
const WINDOW_BEATS_PER_HOP: u32 = 4;

/// Beats of one transaction that a sender may have under way to a merge point `hops` away: the spec's
/// `window_beats` for neighbours, more over a distance, so that one beat per cycle holds.
#[must_use]
pub const fn window_over(hops: u32, window_beats: u32) -> u32 {
    window_beats + WINDOW_BEATS_PER_HOP * hops.saturating_sub(1)
}

/// Largest window of a network: over the longest distance between neighbouring members of a set. Senders that are
/// farther apart, because the root or the turn lies between them, have no more; so a bank is this deep per reduction.
#[must_use]
pub fn max_window(network: &Network) -> u32 {
    let side = network.cluster_width().max(network.cluster_height());
    let hops = u32::from(side).next_power_of_two() / 2;
    window_over(hops, network.spec().router.wide_reduction.window_beats)
}

/// Merge points of a wide reduction, each with the windows of the senders whose operands its store has
/// to hold.
///
/// At the root a fifth input may exist; its operand completes a beat, and sums leave the root without
/// waiting. The smallest window is then left out.
#[must_use]
pub fn operand_windows(
    network: &Network,
    group: MultiAddress,
    root: TileId,
) -> Vec<(TileId, Vec<u32>)> {
    let window = network.spec().router.wide_reduction.window_beats;
    let (cube, root) = (network.cube(group), network.coord(root));
    let mut routers: BTreeSet<Coord> = BTreeSet::new();
    for member in cube.members() {
        // From a router of the tree on, the way to the root is known.
        for (at, _) in network.path(member, root) {
            if !routers.insert(at) {
                break;
            }
        }
    }
    let merge_point = |at: Coord| {
        let inputs = join_set(at, cube, root);
        if inputs.count_ones() < 2 {
            return None;
        }
        let ports = Port::ALL.into_iter().filter(|p| inputs & p.bit() != 0);
        let hops = ports.map(|p| at.hops_to(contributor(at, p, cube, root)));
        let mut windows: Vec<u32> = hops.map(|h| window_over(h, window)).collect();
        windows.sort_unstable_by(|a, b| b.cmp(a));
        windows.truncate(4);
        Some((network.tile_at(at), windows))
    };
    routers.into_iter().filter_map(merge_point).collect()
}

/// Beats of operands that lie in the store of one router at the same time, in the worst case and at the
/// worst router, if these flows are under way together: a window per input of a merge point.
#[must_use]
pub fn store_beats_needed(network: &Network, flows: &[Flow]) -> u64 {
    let mut needed: BTreeMap<TileId, u64> = BTreeMap::new();
    for flow in flows {
        if let Flow::Reduction { group, root, beats } = *flow {
            for (at, windows) in operand_windows(network, group, root) {
                let held: u32 = windows.iter().map(|w| beats.min(*w)).sum();
                *needed.entry(at).or_default() += u64::from(held);
            }
        }
    }
    needed.into_values().max().unwrap_or(0)
}

/// Tiles at which more barriers may be open than their NI counts at a time (`ni.max_open_reductions`).
///
/// A barrier is open from its first contribution to its last. Members of one group that issue its barriers in
/// one order have no more of them open than one of them may have outstanding; groups add up.
pub(super) fn full_targets(
    network: &Network,
    flows: &[Flow],
    order: &IssueOrder,
) -> BTreeSet<TileId> {
    let ni = &network.spec().ni;
    let limit = ni.max_open_reductions as usize;
    let outstanding = ni.max_narrow_outstanding as usize;
    let mut open: BTreeMap<TileId, BTreeMap<MultiAddress, Vec<usize>>> = BTreeMap::new();
    for (index, flow) in flows.iter().enumerate() {
        if let Flow::Barrier { group, root } = *flow {
            let groups = open.entry(root).or_default();
            groups.entry(group).or_default().push(index);
        }
    }
    let at_most = |group: &MultiAddress, barriers: &Vec<usize>| {
        let is_common = is_one_order(network, order, *group, barriers);
        let bound = if is_common { outstanding } else { usize::MAX };
        barriers.len().min(bound)
    };
    let is_full = |groups: &BTreeMap<MultiAddress, Vec<usize>>| {
        groups.iter().map(|(g, b)| at_most(g, b)).sum::<usize>() > limit
    };
    let full = open.iter().filter(|(_, groups)| is_full(groups));
    full.map(|(tile, _)| *tile).collect()
}

/// Do all members of a group issue these flows in the same order?
fn is_one_order(
    network: &Network,
    order: &IssueOrder,
    group: MultiAddress,
    flows: &[usize],
) -> bool {
    let of = |tile: TileId| -> Vec<usize> {
        let Some(list) = order.get(&tile) else {
            return flows.to_vec();
        };
        let listed = list.iter().copied().filter(|f| flows.contains(f));
        let others = flows.iter().copied().filter(|f| !list.contains(f));
        listed.chain(others).collect()
    };
    let mut members = network.multi_tiles(group).flatten().map(of);
    let first = members.next();
    members.all(|m| Some(&m) == first.as_ref())
}
