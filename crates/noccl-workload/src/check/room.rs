// SPDX-License-Identifier: Apache-2.0
//! Is there room for everything that may be open together?
//!
//! Operands of a wide reduction wait for their siblings in the store of every merge point, contributions of
//! a barrier in a counter of its target. Both are limited (`docs/design/0001`, "Stated limits"); a
//! schedule that stays within the limits cannot hang there. Two actions may be open together unless every
//! participant of one starts after the other is over.
//!
//! A reduction has operands of at most two bursts at one merge point: its bursts leave each member in
//! order, the next begins when the one before has been sent, and that is longer than a window. Members of one
//! group issue its reductions in schedule order, and no more of them than an endpoint may have open; a core
//! takes part in one barrier at a time. A reduction that is alone at its merge points is not looked at.

use super::order::Order;
use super::{CheckError, Crowd};
use crate::{ActionKind, BarrierMechanism, InNetworkReduction, Schedule};
use noccl_net::deadlock::operand_windows;
use noccl_net::{MultiAddress, Network, TileId};
use noccl_spec::{RouterFlow, Spec};
use std::collections::BTreeMap;

/// Room that an action takes at a tile.
#[derive(Debug)]
struct Claim {
    action: usize,
    /// Actions of one group share what an endpoint may have open.
    group: usize,
    /// Per transaction.
    parts: Vec<u64>,
}

/// Merge points of a reduction, with the windows of their inputs.
type Tree = Vec<(TileId, Vec<u32>)>;

/// How much room a tile has, and how many transactions of one group can take some.
struct Room {
    capacity: u64,
    per_group: usize,
}

impl Room {
    fn of_stores(spec: &Spec) -> Self {
        Self {
            capacity: u64::from(spec.router.wide_reduction.store_beats),
            per_group: spec.ni.max_open_reductions as usize,
        }
    }
}

/// May all these reductions be open at the same time, as far as the stores of their operands go?
#[must_use]
pub fn has_room_for(network: &Network, reductions: &[InNetworkReduction]) -> bool {
    let room = Room::of_stores(network.spec());
    match network.spec().router.flow {
        RouterFlow::PeerCompatible => true,
        RouterFlow::NonBlocking => {
            operands(network, reductions.iter().map(Some))
                .values()
                .all(|claims| {
                    let all: Vec<usize> = (0..claims.len()).collect();
                    claims.len() < 2 || by_groups(claims, &all, &room) <= room.capacity
                })
        }
    }
}

/// Checks that whatever may be open together has room.
pub(super) fn check_room(
    network: &Network,
    schedule: &Schedule,
    order: &Order,
) -> Result<(), CheckError> {
    let spec = network.spec();
    match spec.router.flow {
        RouterFlow::NonBlocking => {}
        // It has neither stores nor counters; `noccl_net::deadlock` looks at its waits.
        RouterFlow::PeerCompatible => return Ok(()),
    }
    let open = spec.ni.max_open_reductions;
    let store = Room::of_stores(spec);
    let reductions = schedule.actions.iter().map(|action| {
        if let ActionKind::InNetworkReduction(r) | ActionKind::InNetworkAllReduce(r) = &action.kind
        {
            Some(r)
        } else {
            None
        }
    });
    let operands = operands(network, reductions);
    let limit = "router.wide_reduction.store_beats";
    refuse_crowds(network, schedule, order, &operands, &store, limit)?;
    let counters = Room {
        capacity: u64::from(open),
        per_group: 1,
    };
    let limit = "ni.max_open_reductions";
    refuse_crowds(
        network,
        schedule,
        order,
        &barriers(network, schedule, order),
        &counters,
        limit,
    )
}

fn refuse_crowds(
    network: &Network,
    schedule: &Schedule,
    order: &Order,
    places: &BTreeMap<TileId, Vec<Claim>>,
    room: &Room,
    limit: &'static str,
) -> Result<(), CheckError> {
    for (tile, claims) in places {
        if let Some((crowd, needed)) = find_crowd(order, claims, room) {
            let mut loads: Vec<u64> = crowd.iter().map(|c| c.parts.iter().sum()).collect();
            loads.sort_unstable_by(|a, b| b.cmp(a));
            let fits = |used: &mut u64, load: &u64| {
                *used += load;
                (*used <= room.capacity).then_some(())
            };
            return Err(CheckError::Crowd(Box::new(Crowd {
                tile: network.tile_ref(*tile).to_string(),
                actions: crowd
                    .iter()
                    .map(|c| schedule.action_name(c.action))
                    .collect(),
                limit,
                needed,
                available: room.capacity,
                num_accepted: loads.iter().scan(0, fits).count().max(1),
            })));
        }
    }
    Ok(())
}

/// Claims on the store of every merge point; `None` stands for actions that are no reductions.
fn operands<'r>(
    network: &Network,
    reductions: impl Iterator<Item = Option<&'r InNetworkReduction>>,
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
            .or_insert_with(|| operand_windows(network, r.group, root));
        for (at, windows) in tree {
            let parts = bursts_in_store(r, network.spec(), windows);
            places.entry(*at).or_default().push(Claim {
                action,
                group,
                parts,
            });
        }
    }
    places
}

/// Beats that the bursts of a reduction have in the store of a merge point, however they are aligned.
fn bursts_in_store(reduction: &InNetworkReduction, spec: &Spec, windows: &[u32]) -> Vec<u64> {
    let beat_bytes = u64::from(spec.ni.wide_beat_bytes);
    let beats = reduction.bytes.div_ceil(beat_bytes);
    let boundary_beats = u64::from(spec.ni.burst_boundary_bytes) / beat_bytes;
    let longest = u64::from(spec.ni.max_burst_beats).min(boundary_beats);
    let widest = windows.iter().max().copied().map_or(0, u64::from);
    let at_once = if longest > widest {
        2
    } else {
        u64::from(spec.ni.max_open_reductions)
    };
    let held = |window: &u32, earlier: u64| {
        let most = longest.min(u64::from(*window));
        most.min(beats.saturating_sub(earlier * most))
    };
    (0..at_once)
        .map(|earlier| windows.iter().map(|w| held(w, earlier)).sum())
        .filter(|sum| *sum > 0)
        .collect()
}

/// Claims on the counters of every barrier's target.
fn barriers(network: &Network, schedule: &Schedule, order: &Order) -> BTreeMap<TileId, Vec<Claim>> {
    let mut places: BTreeMap<TileId, Vec<Claim>> = BTreeMap::new();
    let mut groups: BTreeMap<&[TileId], usize> = BTreeMap::new();
    for (action, one) in schedule.actions.iter().enumerate() {
        let ActionKind::Barrier(b) = &one.kind else {
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
        let parts = vec![1];
        places.entry(counter).or_default().push(Claim {
            action,
            group,
            parts,
        });
    }
    places
}

/// Claims that may be open together and exceed the room, and what they need.
fn find_crowd<'c>(
    order: &Order,
    claims: &'c [Claim],
    room: &Room,
) -> Option<(Vec<&'c Claim>, u64)> {
    let all: Vec<usize> = (0..claims.len()).collect();
    if claims.len() < 2 || by_groups(claims, &all, room) <= room.capacity {
        return None;
    }
    let before: Vec<Vec<bool>> = claims.iter().map(|c| followers(order, c, claims)).collect();
    for one in 0..claims.len() {
        let is_rival = |other: &usize| !before[one][*other] && !before[*other][one];
        let rivals: Vec<usize> = all.iter().copied().filter(is_rival).collect();
        let needed = by_groups(claims, &rivals, room).min(by_turns(claims, &rivals, &before, room));
        if rivals.len() > 1 && needed > room.capacity {
            return Some((rivals.into_iter().map(|c| &claims[c]).collect(), needed));
        }
    }
    None
}

/// Which claims' actions do all their participants start after this one's action is over?
fn followers(order: &Order, claim: &Claim, claims: &[Claim]) -> Vec<bool> {
    let reached = order.reached_from(order.folded(claim.action));
    let starts_later = |other: &Claim| {
        let members = 0..order.members(other.action).len();
        other.action > claim.action
            && members
                .into_iter()
                .all(|p| reached(order.enter(other.action, p)))
    };
    claims.iter().map(starts_later).collect()
}

/// Upper bound: of each group the transactions that need most, as many as can be open.
fn by_groups(claims: &[Claim], of: &[usize], room: &Room) -> u64 {
    let mut groups: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
    for claim in of {
        let parts = &claims[*claim].parts;
        groups
            .entry(claims[*claim].group)
            .or_default()
            .extend(parts);
    }
    let top = |mut parts: Vec<u64>| -> u64 {
        parts.sort_unstable_by(|a, b| b.cmp(a));
        parts.iter().take(room.per_group).sum()
    };
    groups.into_values().map(top).sum()
}

/// Upper bound: cut into sets of which one action is open at a time.
fn by_turns(claims: &[Claim], of: &[usize], before: &[Vec<bool>], room: &Room) -> u64 {
    let take_turns = |a: usize, b: usize| {
        before[a][b] || (room.per_group == 1 && claims[a].group == claims[b].group)
    };
    let mut sets: Vec<(Vec<usize>, u64)> = Vec::new();
    for claim in of.iter().copied() {
        let load: u64 = claims[claim].parts.iter().sum();
        let has_turn = |set: &Vec<usize>| set.iter().all(|other| take_turns(*other, claim));
        match sets.iter_mut().find(|(set, _)| has_turn(set)) {
            Some((set, most)) => {
                set.push(claim);
                *most = load.max(*most);
            }
            None => sets.push((vec![claim], load)),
        }
    }
    sets.iter().map(|(_, most)| most).sum()
}
