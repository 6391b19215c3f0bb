// SPDX-License-Identifier: Apache-2.0
//! Deadlock check of given transactions.
//!
//! A node is a use of a place by a transaction. It has an edge to a use of another transaction if the
//! first can keep its place because it still wants the other's place, and the other can be there
//! first. In a deadlock every transaction that is stuck keeps something and wants something that
//! another one keeps, so there is a cycle in this graph; without a cycle there is no deadlock. A cycle
//! only counts if one state can hold all of it, see [`super::search`].

use super::limits::full_targets;
use super::program::{
    Activity, Builder, CutIns, Part, Program, Rules, Transaction, link_taken_twice,
};
use super::search::{Found, Waits, find_cycle, shortest_consistent};
use super::{Cycle, Flow, Place, Proof, Wait, reduction_flows, reductions_at_a_router};
use crate::{AxiNetwork, Network, TileId};
use noccl_spec::Plane;
use std::collections::{BTreeMap, BTreeSet};

/// In which order a tile issues the flows in which it takes part, by their index; a tile that is not
/// listed issues them as listed in the call.
pub type IssueOrder = BTreeMap<TileId, Vec<usize>>;

/// Can these flows, in flight together, wait for each other forever? Every tile issues the flows in
/// which it takes part as listed.
///
/// # Errors
/// A cycle of waits, the shortest that was found.
pub fn check(network: AxiNetwork<'_>, flows: &[Flow]) -> Result<Proof, Cycle> {
    check_in_order(network, flows, &IssueOrder::new())
}

/// [`check`] with an order of issue per tile.
///
/// # Errors
/// A cycle of waits, the shortest that was found.
pub fn check_in_order(
    network: AxiNetwork<'_>,
    flows: &[Flow],
    order: &IssueOrder,
) -> Result<Proof, Cycle> {
    let transactions = transactions(network, flows, order);
    search(&network, &transactions, &Listed::new(flows.len(), order))
}

/// Can these actions of a program wait for each other forever?
///
/// # Errors
/// A cycle of waits, the shortest that was found.
pub fn check_program(
    network: AxiNetwork<'_>,
    activities: &[Activity],
    program: &dyn Program,
) -> Result<Proof, Cycle> {
    for (index, one) in activities.iter().enumerate() {
        if let Some(link) = link_taken_twice(&network, one) {
            return Err(alone(&network, index, one, link));
        }
    }
    let flows: Vec<Flow> = activities.iter().flat_map(Activity::flows).collect();
    let cut_ins = CutIns::of(&network, flows.iter());
    let builder = Builder {
        network,
        cut_ins: &cut_ins,
        program,
        activities,
    };
    let transactions: Vec<Transaction> = activities
        .iter()
        .enumerate()
        .map(|(index, one)| builder.transaction(index, one))
        .collect();
    search(&network, &transactions, program)
}

fn search(
    network: &Network,
    transactions: &[Transaction],
    program: &dyn Program,
) -> Result<Proof, Cycle> {
    let mut graph = Waits::new(transactions, program);
    let nodes = graph.nodes.len();
    let successors = |node: usize, next: &mut Vec<usize>| next.extend_from_slice(graph.edges(node));
    let found = find_cycle(nodes, successors);
    if graph.is_cut_off() {
        return Err(Cycle::CUT_OFF);
    }
    let raw = match found {
        Ok(waits) => return Ok(Proof { nodes, waits }),
        Err(raw) => raw,
    };
    let edges = graph.take_edges();
    if graph.is_cut_off() {
        return Err(Cycle::CUT_OFF);
    }
    let waits = edges.iter().map(Vec::len).sum();
    match shortest_consistent(&graph.nodes, edges, &graph.over) {
        Found::Cycle(cycle) => Err(describe(network, &graph, &cycle, true)),
        Found::Nothing => Ok(Proof { nodes, waits }),
        // Too many possibilities to look at all of them: the cycle counts as one.
        Found::OutOfSteps => Err(describe(network, &graph, &raw, false)),
    }
}

/// Flows that are all in flight together.
struct Listed<'a> {
    all: Vec<u32>,
    order: &'a IssueOrder,
}

impl<'a> Listed<'a> {
    fn new(flows: usize, order: &'a IssueOrder) -> Self {
        let all = (0..flows as u32).collect();
        Self { all, order }
    }
}

impl Program for Listed<'_> {
    fn beside(&self, _: usize) -> &[u32] {
        &self.all
    }

    fn may_overlap(&self, _: (usize, Part), _: (usize, Part)) -> bool {
        true
    }

    fn is_issued_first(&self, tile: TileId, first: usize, second: usize) -> bool {
        let place = |flow: usize| match self.order.get(&tile) {
            Some(list) => list
                .iter()
                .position(|f| *f == flow)
                .unwrap_or(list.len() + flow),
            None => flow,
        };
        place(first) < place(second)
    }

    fn awaited(&self, _: usize, _: TileId) -> &[u32] {
        &[]
    }
}

fn transactions(network: AxiNetwork<'_>, flows: &[Flow], order: &IssueOrder) -> Vec<Transaction> {
    let has_stores = network.routers().joins_several;
    let limit = reduction_flows(network) as usize;
    let can_store_fill = has_stores && reductions_at_a_router(&network, flows) > limit;
    let full_targets = if has_stores {
        full_targets(network, flows, order)
    } else {
        BTreeSet::new()
    };
    let cut_ins = CutIns::of(&network, flows.iter());
    let build = |(index, one): (usize, &Flow)| {
        let rules = Rules {
            network: network.network(),
            can_store_fill,
            full_targets: &full_targets,
            is_response_awaited: is_response_awaited(network, flows, index),
            cut_ins: &cut_ins,
        };
        rules.transaction(index, one)
    };
    flows.iter().enumerate().map(build).collect()
}

/// A transaction that waits for a link that it holds itself.
fn alone(network: &Network, index: usize, one: &Activity, link: Place) -> Cycle {
    let words = link.describe(network);
    let wait = Wait {
        flow: Some(index),
        holder: one.name.clone(),
        holds: link,
        waits_for: link,
        text: format!("holds {words} with a burst whose beats wait for the same link"),
    };
    Cycle {
        waits: vec![wait],
        is_certain: true,
    }
}

fn describe(network: &Network, graph: &Waits<'_>, cycle: &[usize], is_certain: bool) -> Cycle {
    let waits = cycle.iter().enumerate().map(|(idx, node)| {
        let (t, held) = graph.nodes[*node];
        let (other, wanted) = graph.nodes[cycle[(idx + 1) % cycle.len()]];
        let holds = graph.transactions[t].uses[held].place;
        let waits_for = graph.transactions[other].uses[wanted].place;
        let is_end = |place| matches!(place, Place::End(_));
        let wanted = if is_end(waits_for) {
            format!("the end of {}", graph.transactions[other].name)
        } else {
            waits_for.describe(network)
        };
        let held = if is_end(holds) {
            "does not end".to_owned()
        } else {
            format!("holds {}", holds.describe(network))
        };
        let text = format!("{held} and waits for {wanted}");
        Wait {
            flow: Some(t),
            holder: graph.transactions[t].name.clone(),
            holds,
            waits_for,
            text,
        }
    });
    Cycle {
        waits: waits.collect(),
        is_certain,
    }
}

/// Must the next request of some initiator of this flow wait until this one has been responded to?
///
/// A published NI may have to send requests to different destinations one by one (same id); the check
/// counts what that makes others wait for, and does not count on it. The other flow sends up to a stated
/// number of them.
fn is_response_awaited(network: AxiNetwork<'_>, flows: &[Flow], index: usize) -> bool {
    let (ni, flow) = (&network.axi().ni, &flows[index]);
    let plane = flow.request_plane();
    let initiators = flow.initiators(&network);
    let shares = |other: &Flow, tile: TileId| {
        other.request_queue() == flow.request_queue() && other.initiators(&network).contains(&tile)
    };
    if network.routers().asks_one_destination {
        return initiators.iter().any(|tile| {
            flows.iter().enumerate().any(|(other, one)| {
                other != index && shares(one, *tile) && !one.has_destination_of(flow)
            })
        });
    }
    let outstanding = match plane {
        Plane::Wide => ni.max_wide_outstanding,
        Plane::Req | Plane::Rsp => ni.max_narrow_outstanding,
    };
    let limit = outstanding.min(ni.max_open_reductions) as usize;
    initiators
        .iter()
        .any(|tile| flows.iter().filter(|one| shares(one, *tile)).count() > limit)
}
