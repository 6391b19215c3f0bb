// SPDX-License-Identifier: Apache-2.0
//! Does a trace keep the limits within which everything completes (`docs/design/0007`)?
//!
//! Nothing orders the transactions of a trace: any of them may be open together, and a member may begin them in an
//! order of its own. A trace within these limits completes, whatever the cycles:
//!
//! - *Slots of merge points.* All bursts of wide reductions that can be at a router together have slots there. Reductions of
//!   one burst that all members of one group issue in one order count as many as an interface may have open.
//! - *Interfaces.* An interface may have all its reduction bursts open at a time, and all its barriers; or
//!   the order of issue at such tiles has no cycle.
//! - *Counters of barriers.* Their target counts all barriers at a time; those that all members of one group issue in one
//!   order count as many as an interface may have open.

use crate::check::buffer_space::{
    Claim, Space, Tree, beats_per_flow, by_groups, find_blocked, num_fitting,
};
use crate::check::{CheckError, Overload};
use crate::{PortKind, PortTransaction, Trace};
use noccl_net::deadlock::{bursts_together, contribution_inputs, num_bursts};
use noccl_net::{AxiNetwork, MultiAddress, Network, TileId, TileRef};
use std::collections::BTreeMap;

/// A reduction or barrier of the trace that every member can reach.
struct Meeting {
    transaction: usize,
    group: MultiAddress,
    root: TileId,
    /// Members with the cycles in which they issue it, if they ever do.
    starts: Vec<(TileId, Option<u64>)>,
    /// Bursts of a reduction; one of a barrier.
    bursts: u64,
}

/// What an interface may have open, and the field that says so.
struct Limit {
    field: &'static str,
    open: u64,
}

/// Checks that the reductions and barriers of a trace keep the stated limits in any order. Published routers have other
/// limits.
///
/// # Errors
/// [`CheckError::Overload`] with the tile, the transactions and the limit.
pub fn check_trace_limits(network: &Network, trace: &Trace) -> Result<(), CheckError> {
    let Some(network) = network.as_joining() else {
        return Ok(());
    };
    let ni = &network.axi().ni;
    let (reductions, barriers) = meetings(network, trace);
    check_slots(network, trace, &reductions)?;
    let wide = Limit {
        field: "ni.max_open_reductions",
        open: u64::from(ni.max_open_reductions),
    };
    check_interfaces(&network, trace, &reductions, &wide)?;
    let narrow = Limit {
        field: "ni.max_narrow_outstanding",
        open: u64::from(ni.max_narrow_outstanding),
    };
    check_interfaces(&network, trace, &barriers, &narrow)?;
    check_counters(network, trace, &barriers, narrow.open)
}

/// Wide reductions and barriers. Those that the simulator refuses, or that miss a member, are left out.
fn meetings(network: AxiNetwork<'_>, trace: &Trace) -> (Vec<Meeting>, Vec<Meeting>) {
    let (mut reductions, mut barriers) = (Vec::new(), Vec::new());
    for (transaction, one) in trace.transactions.iter().enumerate() {
        match one.kind {
            PortKind::WideReduction { group, root, beats } if beats > 0 => {
                let bytes = u64::from(beats) * u64::from(network.axi().ni.wide_beat_bytes);
                let bursts = num_bursts(&network.axi().ni, 0, bytes);
                reductions.extend(meeting(&network, transaction, one, group, root, bursts));
            }
            PortKind::Barrier { group, root } => {
                barriers.extend(meeting(&network, transaction, one, group, root, 1));
            }
            PortKind::WideReduction { .. }
            | PortKind::WideWrite { .. }
            | PortKind::WideMulticast { .. }
            | PortKind::WideRead { .. }
            | PortKind::NarrowWrite { .. }
            | PortKind::NarrowMulticast { .. }
            | PortKind::NarrowRead { .. }
            | PortKind::Atomic { .. } => {}
        }
    }
    (reductions, barriers)
}

fn meeting(
    network: &Network,
    transaction: usize,
    one: &PortTransaction,
    group: MultiAddress,
    root: TileRef,
    bursts: u64,
) -> Option<Meeting> {
    let dimensions = group.mask.x.count_ones() + group.mask.y.count_ones();
    if 1_usize.checked_shl(dimensions) != Some(one.start_cycles.len()) {
        return None;
    }
    let root = network.find(root)?;
    let tiles: Option<Vec<TileId>> = network.multi_tiles(group).collect();
    let starts = tiles?.into_iter().zip(one.start_cycles.iter().copied());
    Some(Meeting {
        transaction,
        group,
        root,
        starts: starts.collect(),
        bursts,
    })
}

/// The meetings that a tile takes part in, in the order in which it issues them.
fn issue_orders(meetings: &[Meeting]) -> BTreeMap<TileId, Vec<usize>> {
    let mut orders: BTreeMap<TileId, Vec<(u64, usize)>> = BTreeMap::new();
    for (index, meeting) in meetings.iter().enumerate() {
        for (tile, start) in &meeting.starts {
            let start = start.unwrap_or(u64::MAX);
            orders.entry(*tile).or_default().push((start, index));
        }
    }
    let in_order = |mut list: Vec<(u64, usize)>| {
        list.sort_unstable();
        list.into_iter().map(|(_, index)| index).collect()
    };
    orders.into_iter().map(|(t, o)| (t, in_order(o))).collect()
}

/// A number per meeting: those have the same that one group issues in one order, each of one burst.
fn in_one_order(meetings: &[Meeting]) -> Vec<usize> {
    let mut groups: BTreeMap<MultiAddress, Vec<usize>> = BTreeMap::new();
    for (index, meeting) in meetings.iter().enumerate() {
        if meeting.bursts == 1 {
            groups.entry(meeting.group).or_default().push(index);
        }
    }
    let mut numbers: Vec<usize> = (0..meetings.len()).collect();
    for of_group in groups.values() {
        let num_members = meetings[of_group[0]].starts.len();
        let order_of = |member: usize| {
            let start = |at: &usize| meetings[*at].starts[member].1.unwrap_or(u64::MAX);
            let mut order = of_group.clone();
            order.sort_by_key(|at| (start(at), *at));
            order
        };
        let first = order_of(0);
        if (1..num_members).all(|member| order_of(member) == first) {
            of_group.iter().for_each(|at| numbers[*at] = of_group[0]);
        }
    }
    numbers
}

fn check_slots(
    network: AxiNetwork<'_>,
    trace: &Trace,
    reductions: &[Meeting],
) -> Result<(), CheckError> {
    let space = Space::of_stores(network);
    let groups = in_one_order(reductions);
    let mut places: BTreeMap<TileId, Vec<Claim>> = BTreeMap::new();
    let mut trees: BTreeMap<(MultiAddress, TileId), Tree> = BTreeMap::new();
    for (index, r) in reductions.iter().enumerate() {
        let tree = trees.entry((r.group, r.root));
        let tree = tree.or_insert_with(|| contribution_inputs(&network, r.group, r.root));
        let bursts = bursts_together(network, r.group, r.root, r.bursts);
        let claim = Claim {
            action: r.transaction,
            group: groups[index],
            load: bursts * beats_per_flow(network),
            inputs: 0,
        };
        claim.of_tree(tree, &space, &mut places);
    }
    let field = "router.wide_reduction.store_beats";
    refuse_overloads(&network, trace, &places, &space, field)
}

fn check_counters(
    network: AxiNetwork<'_>,
    trace: &Trace,
    barriers: &[Meeting],
    outstanding: u64,
) -> Result<(), CheckError> {
    let space = Space {
        capacity: u64::from(network.axi().ni.max_open_reductions),
        per_group: outstanding,
    };
    let groups = in_one_order(barriers);
    let mut places: BTreeMap<TileId, Vec<Claim>> = BTreeMap::new();
    for (index, barrier) in barriers.iter().enumerate() {
        places.entry(barrier.root).or_default().push(Claim {
            action: barrier.transaction,
            group: groups[index],
            load: 1,
            inputs: 0,
        });
    }
    refuse_overloads(&network, trace, &places, &space, "ni.max_open_reductions")
}

fn refuse_overloads(
    network: &Network,
    trace: &Trace,
    places: &BTreeMap<TileId, Vec<Claim>>,
    space: &Space,
    limit: &'static str,
) -> Result<(), CheckError> {
    for (tile, claims) in places {
        let all: Vec<usize> = (0..claims.len())
            .filter(|at| claims[*at].load > 0)
            .collect();
        let needed = by_groups(claims, &all, space);
        let overload = (all.len() > 1 && needed > space.capacity)
            .then(|| (all.iter().map(|at| &claims[*at]).collect(), needed));
        let overload: Option<(Vec<&Claim>, u64)> =
            overload.or_else(|| find_blocked(claims, space, |_, _| true));
        if let Some((overload, needed)) = overload {
            let loads = overload.iter().map(|c| c.load);
            return Err(CheckError::Overload(Box::new(Overload {
                tile: network.tile_ref(*tile).to_string(),
                actions: overload.iter().map(|c| name(trace, c.action)).collect(),
                limit,
                needed,
                available: space.capacity,
                num_accepted: num_fitting(loads, space.capacity),
                remedy: "the others in a trace of their own",
            })));
        }
    }
    Ok(())
}

/// Interfaces that may not have everything open together hold back what comes later in their own order of
/// issue: the orders of all of them must not close a cycle.
fn check_interfaces(
    network: &Network,
    trace: &Trace,
    meetings: &[Meeting],
    limit: &Limit,
) -> Result<(), CheckError> {
    let load = |index: &usize| meetings[*index].bursts.min(limit.open);
    let mut orders = issue_orders(meetings);
    orders.retain(|_, order| order.iter().map(load).sum::<u64>() > limit.open);
    let Some((tile, order)) = on_a_cycle(meetings.len(), &orders) else {
        return Ok(());
    };
    Err(CheckError::Overload(Box::new(Overload {
        tile: network.tile_ref(tile).to_string(),
        actions: order
            .iter()
            .map(|at| name(trace, meetings[*at].transaction))
            .collect(),
        limit: limit.field,
        needed: order.iter().map(load).sum(),
        available: limit.open,
        num_accepted: num_fitting(order.iter().map(load), limit.open),
        remedy: "the same order at all their members",
    })))
}

/// A tile whose order is part of a cycle, with its order.
fn on_a_cycle(
    num_meetings: usize,
    orders: &BTreeMap<TileId, Vec<usize>>,
) -> Option<(TileId, &Vec<usize>)> {
    let mut later: Vec<Vec<usize>> = vec![Vec::new(); num_meetings];
    let mut num_earlier = vec![0_usize; num_meetings];
    for pair in orders.values().flat_map(|order| order.windows(2)) {
        later[pair[0]].push(pair[1]);
        num_earlier[pair[1]] += 1;
    }
    let mut free: Vec<usize> = (0..num_meetings).filter(|m| num_earlier[*m] == 0).collect();
    while let Some(meeting) = free.pop() {
        for next in &later[meeting] {
            num_earlier[*next] -= 1;
            if num_earlier[*next] == 0 {
                free.push(*next);
            }
        }
    }
    let is_held = |pair: &[usize]| num_earlier[pair[0]] > 0 && num_earlier[pair[1]] > 0;
    let mut orders = orders.iter();
    let found = orders.find(|(_, order)| order.windows(2).any(is_held));
    found.map(|(tile, order)| (*tile, order))
}

/// A transaction in the words of users.
pub(crate) fn name(trace: &Trace, transaction: usize) -> String {
    let kind = trace.transactions[transaction].kind.name();
    format!("transactions[{transaction}] ({kind})")
}
