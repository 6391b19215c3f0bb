// SPDX-License-Identifier: Apache-2.0
//! What waits in a tile for other contributions, where the buffer space for it is limited: operands of wide reductions in
//! the slots and the store of a merge point, barriers in the counters of their target.
//!
//! Within the limits nobody waits for buffer space, so the waits of stores and counters need not be looked at.
//! Source of the limits: `docs/design/0001-collectives-without-deadlock.md`, "Stated limits".

use super::{Flow, IssueOrder};
use crate::counts::max_or_zero;
use crate::tree::{contributor, join_set};
use crate::{AxiNetwork, Coord, MultiAddress, Network, Port, TileId};
use noccl_spec::Plane;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Cycles without another contribution after which one in a full merge table goes on by itself: 256 over links of a cycle. As
/// responses differ by the paths of their requests and by their own, it grows with a hop there and back.
#[must_use]
pub fn merge_timeout_cycles(network: AxiNetwork<'_>) -> u32 {
    let hop = |plane| network.plane(plane).hop_cycles;
    TIMEOUT_HOPS * (hop(Plane::Wide).max(hop(Plane::Req)) + hop(Plane::Rsp))
}

/// Hops there and back of a timeout: a multiple of the eight ticks that it is counted in.
const TIMEOUT_HOPS: u32 = 64;

/// Beats of an operand store that one credit stands for.
pub const BEATS_PER_CREDIT: u32 = noccl_spec::BEATS_PER_CREDIT;

/// Most reductions that one router can be asked to work on at a time.
const MAX_REDUCTION_FLOWS: u32 = 64;

/// Beats of one transaction that a sender may have in flight to its next merge point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Windows {
    /// Within a tile: the spec's `window_beats`, which are those between neighbours too if a link takes a cycle.
    pub window_beats: u32,
    /// More for each hop, for the register stages of its links: a cycle for the beat, a cycle for the credit.
    pub stages: u32,
    /// Over any distance. So a bank of a store is this deep per reduction.
    pub most: u32,
}

impl Windows {
    /// Windows of a network. The largest is that over the longest distance between neighbouring members of a set;
    /// senders that are farther apart, because the root or the change of direction lies between them, have no more.
    #[must_use]
    pub fn of(network: AxiNetwork<'_>) -> Self {
        let router = &network.axi().router;
        let link = |plane| network.plane(plane).link_cycles;
        let stages = link(Plane::Wide) + link(Plane::Rsp) - 2;
        let side = network.cluster_width().max(network.cluster_height());
        let hops = u32::from(side).next_power_of_two() / 2;
        let mut windows = Self {
            window_beats: router.wide_reduction.window_beats,
            stages,
            most: u32::MAX,
        };
        windows.most = windows.over(hops);
        windows
    }

    /// Window between neighbours.
    #[must_use]
    pub const fn neighbours(self) -> u32 {
        self.over(1)
    }

    /// More beats for each further hop over links of a cycle: two cycles for the beat, two for the credit.
    pub const BEATS_PER_HOP: u32 = 4;

    /// Window to a merge point `hops` away: larger over a distance, so that one beat per cycle holds.
    #[must_use]
    pub const fn over(self, hops: u32) -> u32 {
        let further = Self::BEATS_PER_HOP * hops.saturating_sub(1);
        let window = self.window_beats + further + self.stages * hops;
        if window > self.most {
            self.most
        } else {
            window
        }
    }
}

/// Bytes of the memory of a cluster's tile in which operands of wide reductions wait: a bank per input of the router, with
/// the largest window for each reduction in flight. It lies beside the L1, of which it takes nothing: on large meshes it
/// is larger. Published routers have none, nor has a spec without `store_beats`.
#[must_use]
pub fn operand_store_bytes(network: &Network) -> u64 {
    let Some(network) = network.as_joining() else {
        return 0;
    };
    let axi = network.axi();
    if axi.router.wide_reduction.store_beats == 0 {
        return 0;
    }
    let flows = u64::from(reduction_flows(network).next_power_of_two());
    let words = flows * u64::from(Windows::of(network).most);
    Port::ALL.len() as u64 * words * u64::from(axi.ni.wide_beat_bytes)
}

/// Reductions that can be in flight at one router together, each a burst between its first operand and its last
/// result there. The store has space for the windows of four neighbours of each.
#[must_use]
pub fn reduction_flows(network: AxiNetwork<'_>) -> u32 {
    let wide = &network.axi().router.wide_reduction;
    let windows = wide.store_beats / (4 * wide.window_beats).max(1);
    windows.clamp(1, MAX_REDUCTION_FLOWS)
}

/// Routers at which contributions of a wide reduction meet, each with the hops from the farthest sender of operands.
#[must_use]
pub fn merge_points(network: &Network, group: MultiAddress, root: TileId) -> Vec<(TileId, u32)> {
    let (cube, at_root) = (network.cube(group), network.coord(root));
    let merge_point = |(tile, inputs): (TileId, u8)| {
        let at = network.coord(tile);
        let ports = Port::ALL.into_iter().filter(|p| inputs & p.bit() != 0);
        let hops = ports.map(|p| at.hops_to(contributor(at, p, cube, at_root)));
        (inputs.count_ones() > 1).then(|| (tile, max_or_zero(hops)))
    };
    let inputs = contribution_inputs(network, group, root).into_iter();
    inputs.filter_map(merge_point).collect()
}

/// Routers on the paths of a wide reduction, each with the input ports (bits) through which contributions come.
#[must_use]
pub fn contribution_inputs(
    network: &Network,
    group: MultiAddress,
    root: TileId,
) -> Vec<(TileId, u8)> {
    let (cube, root) = (network.cube(group), network.coord(root));
    let mut routers: BTreeSet<Coord> = BTreeSet::new();
    for member in cube.members() {
        // From a router of the tree on, the path to the root is known.
        for (at, _) in network.path(member, root) {
            if !routers.insert(at) {
                break;
            }
        }
    }
    let routers = routers.into_iter();
    routers
        .map(|at| (network.tile_at(at), join_set(at, cube, root)))
        .collect()
}

/// Reductions that meet at one router, at the worst one, if these flows are in flight together.
#[must_use]
pub fn reductions_at_a_router(network: &Network, flows: &[Flow]) -> usize {
    let mut meeting: BTreeMap<TileId, usize> = BTreeMap::new();
    for flow in flows {
        if let Flow::Reduction { group, root, .. } = *flow {
            for (at, _) in merge_points(network, group, root) {
                *meeting.entry(at).or_default() += 1;
            }
        }
    }
    max_or_zero(meeting.into_values())
}

/// Tiles at which more barriers may be open than their NI counts at a time (`ni.max_open_reductions`).
///
/// A barrier is open from its first contribution to its last. Members of one group that issue its barriers in
/// one order have no more of them open than one of them may have outstanding; groups add up.
pub(super) fn full_targets(
    network: AxiNetwork<'_>,
    flows: &[Flow],
    order: &IssueOrder,
) -> BTreeSet<TileId> {
    let ni = &network.axi().ni;
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
        let is_common = is_one_order(&network, order, *group, barriers);
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
