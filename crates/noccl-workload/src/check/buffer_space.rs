// SPDX-License-Identifier: Apache-2.0
//! Is there buffer space for everything that may be open together?
//!
//! A burst of a wide reduction takes a slot with space in the store at every merge point, contributions of
//! a barrier a counter of its target. Both are limited (`docs/design/0001`, "Stated limits"); a
//! schedule that stays within the limits cannot deadlock there. Two actions may be open together unless every
//! participant of one starts after the other is over.
//!
//! How many bursts of one reduction can be at one merge point is in `noccl_net::deadlock::bursts_together`. Members of one
//! group begin its reductions in schedule order, and no more of them at a time than an endpoint may have bursts open; a core
//! takes part in one barrier at a time. A reduction that is alone at its merge points waits for no slot that it does not
//! free itself (`docs/design/0007`), and its later bursts may stand at an input without a slot: no other reduction may pass there,
//! which one of its members could contribute to first.

use crate::check::order::Order;
use crate::check::{CheckError, Overload};
use crate::{BarrierMechanism, InNetworkReduction, Schedule};
use noccl_net::deadlock::{bursts_together, contribution_inputs, num_bursts, reduction_flows};
use noccl_net::{AxiNetwork, MultiAddress, Network, TileId};
use std::collections::BTreeMap;

/// Buffer space that an action takes at a tile.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Claim {
    pub action: usize,
    /// Actions of one group share what a member works on at a time.
    pub group: usize,
    /// 0 if it only passes.
    pub load: u64,
    /// Input ports of the router (bits) through which its contributions come.
    pub inputs: u8,
}

/// Routers on the paths of a reduction, with the inputs of its contributions.
pub(crate) type Tree = Vec<(TileId, u8)>;

/// How much buffer space a tile has, and how much of it the actions of one group can take.
pub(crate) struct Space {
    pub capacity: u64,
    pub per_group: u64,
}

impl Space {
    pub(crate) fn of_stores(network: AxiNetwork<'_>) -> Self {
        Self {
            capacity: u64::from(reduction_flows(network)) * beats_per_flow(network),
            per_group: u64::from(network.axi().ni.max_open_reductions) * beats_per_flow(network),
        }
    }
}

/// Beats of the store that stand for one burst at a merge point, see [`reduction_flows`].
pub(crate) fn beats_per_flow(network: AxiNetwork<'_>) -> u64 {
    4 * u64::from(network.axi().router.wide_reduction.window_beats)
}

/// May all these reductions be open at the same time, as far as the stores of their operands go?
#[must_use]
pub fn fit_together(network: &Network, reductions: &[InNetworkReduction]) -> bool {
    let Some(network) = network.as_joining() else {
        return true;
    };
    let space = Space::of_stores(network);
    let fits = |claims: &Vec<Claim>| {
        let all: Vec<usize> = (0..claims.len()).collect();
        let num_merging = claims.iter().filter(|claim| claim.load > 0).count();
        let has_space = num_merging < 2 || by_groups(claims, &all, &space) <= space.capacity;
        has_space && find_blocked(claims, &space, |_, _| true).is_none()
    };
    operands(network, reductions.iter().map(Some), &space)
        .values()
        .all(fits)
}

/// Checks that whatever may be open together has space.
pub(crate) fn check_buffer_space(
    network: &Network,
    schedule: &Schedule,
    order: &Order,
) -> Result<(), CheckError> {
    // Others have neither stores nor counters; `noccl_net::deadlock` looks at their waits.
    let Some(network) = network.as_joining() else {
        return Ok(());
    };
    let open = network.axi().ni.max_open_reductions;
    let store = Space::of_stores(network);
    let reductions = schedule.actions.iter().map(|a| a.kind.network_fold());
    let reductions = reductions.map(|fold| fold.map(|f| f.reduction));
    let operands = operands(network, reductions, &store);
    let limit = "router.wide_reduction.store_beats";
    refuse_overloads(&network, schedule, order, &operands, &store, limit)?;
    let counters = Space {
        capacity: u64::from(open),
        per_group: 1,
    };
    let limit = "ni.max_open_reductions";
    refuse_overloads(
        &network,
        schedule,
        order,
        &barriers(&network, schedule, order),
        &counters,
        limit,
    )
}

fn refuse_overloads(
    network: &Network,
    schedule: &Schedule,
    order: &Order,
    places: &BTreeMap<TileId, Vec<Claim>>,
    space: &Space,
    limit: &'static str,
) -> Result<(), CheckError> {
    for (tile, claims) in places {
        let overload = find_overload(order, claims, space);
        let are_concurrent = |a: &Claim, b: &Claim| {
            let comes_first = |a, b: &Claim| followers(order, a, std::slice::from_ref(b))[0];
            !comes_first(a, b) && !comes_first(b, a)
        };
        if let Some((overload, needed)) =
            overload.or_else(|| find_blocked(claims, space, are_concurrent))
        {
            return Err(CheckError::Overload(Box::new(Overload {
                tile: network.tile_ref(*tile).to_string(),
                actions: overload
                    .iter()
                    .map(|c| schedule.action_name(c.action))
                    .collect(),
                limit,
                needed,
                available: space.capacity,
                num_accepted: num_fitting(overload.iter().map(|c| c.load), space.capacity),
                remedy: "the others ordered with `after`",
            })));
        }
    }
    Ok(())
}

/// How many of these loads fit at a time, whichever they are; one at least.
pub(crate) fn num_fitting(loads: impl Iterator<Item = u64>, capacity: u64) -> usize {
    let mut loads: Vec<u64> = loads.collect();
    loads.sort_unstable_by(|a, b| b.cmp(a));
    let fits = |used: &mut u64, load: &u64| {
        *used += load;
        (*used <= capacity).then_some(())
    };
    loads.iter().scan(0, fits).count().max(1)
}

/// Claims on the store of every merge point; `None` stands for actions that are no reductions.
fn operands<'r>(
    network: AxiNetwork<'_>,
    reductions: impl Iterator<Item = Option<&'r InNetworkReduction>>,
    space: &Space,
) -> BTreeMap<TileId, Vec<Claim>> {
    let mut places: BTreeMap<TileId, Vec<Claim>> = BTreeMap::new();
    let mut groups: BTreeMap<MultiAddress, usize> = BTreeMap::new();
    let mut trees: BTreeMap<(MultiAddress, TileId), Tree> = BTreeMap::new();
    for (action, one) in reductions.enumerate() {
        let Some(r) = one else { continue };
        let Some(root) = network.find(r.root.tile).filter(|_| r.bytes > 0) else {
            continue;
        };
        let number = groups.len();
        let group = *groups.entry(r.group).or_insert(number);
        let tree = trees
            .entry((r.group, root))
            .or_insert_with(|| contribution_inputs(&network, r.group, root));
        let bursts = num_bursts(&network.axi().ni, r.root.offset, r.bytes);
        let load = bursts_together(network, r.group, root, bursts) * beats_per_flow(network);
        let claim = Claim {
            action,
            group,
            load,
            inputs: 0,
        };
        claim.of_tree(tree, space, &mut places);
    }
    places
}

impl Claim {
    /// This claim at the merge points of a reduction, and where it passes if that can matter.
    pub(crate) fn of_tree(
        &self,
        tree: &Tree,
        space: &Space,
        places: &mut BTreeMap<TileId, Vec<Self>>,
    ) {
        let can_exceed = space.per_group > space.capacity;
        for (at, inputs) in tree.iter().copied() {
            let merges = inputs.count_ones() > 1;
            if merges || can_exceed {
                places.entry(at).or_default().push(Self {
                    load: if merges { self.load } else { 0 },
                    inputs,
                    ..*self
                });
            }
        }
    }
}

/// A claim that alone exceeds the space, so that its bursts may stand at its inputs, and one that passes there.
pub(crate) fn find_blocked<'c>(
    claims: &'c [Claim],
    space: &Space,
    are_concurrent: impl Fn(&Claim, &Claim) -> bool,
) -> Option<(Vec<&'c Claim>, u64)> {
    let too_large = claims.iter().filter(|one| one.load > space.capacity);
    for one in too_large {
        let passes = |other: &&Claim| other.load == 0 && other.inputs & one.inputs != 0;
        let mut passing = claims.iter().filter(passes);
        if let Some(other) = passing.find(|other| are_concurrent(one, other)) {
            return Some((vec![one, other], one.load));
        }
    }
    None
}

/// Claims on the counters of every barrier's target.
fn barriers(network: &Network, schedule: &Schedule, order: &Order) -> BTreeMap<TileId, Vec<Claim>> {
    let mut places: BTreeMap<TileId, Vec<Claim>> = BTreeMap::new();
    let mut groups: BTreeMap<&[TileId], usize> = BTreeMap::new();
    for (action, one) in schedule.actions.iter().enumerate() {
        let Some(b) = one.kind.barrier() else {
            continue;
        };
        match b.mechanism {
            BarrierMechanism::InNetwork => {}
            BarrierMechanism::Software => continue,
        }
        let Some(counter) = network.find(b.counter) else {
            continue;
        };
        let number = groups.len();
        let group = *groups.entry(order.members(action)).or_insert(number);
        places.entry(counter).or_default().push(Claim {
            action,
            group,
            load: 1,
            inputs: 0,
        });
    }
    places
}

/// Claims that may be open together and exceed the space, and what they need.
fn find_overload<'c>(
    order: &Order,
    claims: &'c [Claim],
    space: &Space,
) -> Option<(Vec<&'c Claim>, u64)> {
    let all: Vec<usize> = (0..claims.len())
        .filter(|at| claims[*at].load > 0)
        .collect();
    if all.len() < 2 || by_groups(claims, &all, space) <= space.capacity {
        return None;
    }
    let before: Vec<Vec<bool>> = claims.iter().map(|c| followers(order, c, claims)).collect();
    for one in all.iter().copied() {
        let is_concurrent = |other: &usize| !before[one][*other] && !before[*other][one];
        let concurrent: Vec<usize> = all.iter().copied().filter(is_concurrent).collect();
        let needed = by_groups(claims, &concurrent, space).min(in_sequence(
            claims,
            &concurrent,
            &before,
            space,
        ));
        if concurrent.len() > 1 && needed > space.capacity {
            return Some((concurrent.into_iter().map(|c| &claims[c]).collect(), needed));
        }
    }
    None
}

/// Which claims' actions do all their participants start after this one's action is over?
fn followers(order: &Order, claim: &Claim, claims: &[Claim]) -> Vec<bool> {
    let reached = order.reached_from(order.reduced(claim.action));
    let starts_later = |other: &Claim| {
        let members = 0..order.members(other.action).len();
        other.action > claim.action
            && members
                .into_iter()
                .all(|p| reached(order.enter(other.action, p)))
    };
    claims.iter().map(starts_later).collect()
}

/// Upper bound: what the actions of each group need, or what a member works on at a time.
pub(crate) fn by_groups(claims: &[Claim], of: &[usize], space: &Space) -> u64 {
    let mut groups: BTreeMap<usize, u64> = BTreeMap::new();
    for claim in of.iter().map(|at| &claims[*at]) {
        *groups.entry(claim.group).or_default() += claim.load;
    }
    groups
        .into_values()
        .map(|all| all.min(space.per_group))
        .sum()
}

/// Upper bound: cut into sets of which one action is open at a time.
fn in_sequence(claims: &[Claim], of: &[usize], before: &[Vec<bool>], space: &Space) -> u64 {
    let are_ordered = |a: usize, b: usize| {
        before[a][b] || (space.per_group == 1 && claims[a].group == claims[b].group)
    };
    let mut sets: Vec<(Vec<usize>, u64)> = Vec::new();
    for claim in of.iter().copied() {
        let load = claims[claim].load;
        let fits = |set: &Vec<usize>| set.iter().all(|other| are_ordered(*other, claim));
        match sets.iter_mut().find(|(set, _)| fits(set)) {
            Some((set, most)) => {
                set.push(claim);
                *most = load.max(*most);
            }
            None => sets.push((vec![claim], load)),
        }
    }
    sets.iter().map(|(_, most)| most).sum()
}
