// SPDX-License-Identifier: Apache-2.0
//! Deadlock check of given transactions.
//!
//! A node is a use of a place by a transaction. It has an edge to a use of another transaction if the
//! first can keep its place because it still wants the other's place, and the other can be there
//! first. In a deadlock every transaction that is stuck keeps something and wants something that
//! another one keeps, so there is a cycle in this graph; without a cycle there is no deadlock. A cycle
//! only counts if one state can hold all of it, see [`super::search`].

use super::build::Rules;
use super::cycle::find_cycle;
use super::limits::full_targets;
use super::search::{Found, shortest_consistent};
use super::transaction::Transaction;
use super::{Cycle, Flow, Place, Proof, Wait, reduction_flows, reductions_at_a_router};
use crate::{Network, TileId};
use noccl_spec::{Plane, RouterFlow};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// In which order a tile issues the flows in which it takes part, by their index; a tile that is not
/// listed issues them as listed in the call.
pub type IssueOrder = BTreeMap<TileId, Vec<usize>>;

/// Can these flows, under way together, wait for each other forever? Every tile issues the flows in
/// which it takes part as listed.
///
/// # Errors
/// A cycle of waits, the shortest that was found.
pub fn check(network: &Network, flows: &[Flow]) -> Result<Proof, Cycle> {
    check_in_order(network, flows, &IssueOrder::new())
}

/// [`check`] with an order of issue per tile.
///
/// # Errors
/// A cycle of waits, the shortest that was found.
pub fn check_in_order(
    network: &Network,
    flows: &[Flow],
    order: &IssueOrder,
) -> Result<Proof, Cycle> {
    let graph = Graph::new(network, flows, order);
    let nodes = graph.nodes.len();
    let edges: Vec<Vec<usize>> = (0..nodes).map(|node| graph.edges(node)).collect();
    let waits = edges.iter().map(Vec::len).sum();
    let targets = |node: usize, next: &mut Vec<usize>| next.extend(&edges[node]);
    let Err(raw) = find_cycle(nodes, targets) else {
        return Ok(Proof { nodes, waits });
    };
    match shortest_consistent(&graph.nodes, &edges, &graph.transactions) {
        Found::Cycle(cycle) => Err(graph.describe(&cycle)),
        Found::Nothing => Ok(Proof { nodes, waits }),
        // Too many possibilities to look at all of them: the cycle counts as one.
        Found::OutOfSteps => Err(graph.describe(&raw)),
    }
}

struct Graph<'a> {
    network: &'a Network,
    order: &'a IssueOrder,
    transactions: Vec<Transaction>,
    /// (transaction, use) of places that more than one transaction takes.
    nodes: Vec<(usize, usize)>,
    at_place: BTreeMap<Place, Vec<usize>>,
    /// Known answers of [`Graph::is_ahead`].
    ahead: RefCell<BTreeMap<(usize, usize), bool>>,
}

impl<'a> Graph<'a> {
    fn new(network: &'a Network, flows: &'a [Flow], order: &'a IssueOrder) -> Self {
        let flow = network.spec().router.flow;
        let limit = reduction_flows(network) as usize;
        let can_store_fill =
            flow == RouterFlow::NonBlocking && reductions_at_a_router(network, flows) > limit;
        let full_targets = match flow {
            RouterFlow::NonBlocking => full_targets(network, flows, order),
            RouterFlow::PeerCompatible | RouterFlow::Esp => BTreeSet::new(),
        };
        let transactions: Vec<Transaction> = flows
            .iter()
            .enumerate()
            .map(|(index, one)| {
                let rules = Rules {
                    network,
                    flow,
                    can_store_fill,
                    full_targets: &full_targets,
                    is_answer_awaited: is_answer_awaited(network, flows, index),
                };
                rules.transaction(index, one)
            })
            .collect();
        let mut users: BTreeMap<Place, Vec<(usize, usize)>> = BTreeMap::new();
        for (t, txn) in transactions.iter().enumerate() {
            for (u, one) in txn.uses.iter().enumerate() {
                users.entry(one.place).or_default().push((t, u));
            }
        }
        // A place that only one transaction takes cannot be part of a cycle.
        users.retain(|_, list| list.iter().any(|(t, _)| *t != list[0].0));
        let mut nodes = Vec::new();
        let mut at_place = BTreeMap::new();
        for (place, list) in users {
            at_place.insert(place, (nodes.len()..nodes.len() + list.len()).collect());
            nodes.extend(list);
        }
        Self {
            network,
            order,
            transactions,
            nodes,
            at_place,
            ahead: RefCell::new(BTreeMap::new()),
        }
    }

    /// Uses of others for which the transaction can wait while it keeps this one.
    fn edges(&self, node: usize) -> Vec<usize> {
        let (t, held) = self.nodes[node];
        let txn = &self.transactions[t];
        let mut edges = Vec::new();
        for (wanted, one) in txn.uses.iter().enumerate() {
            let Some(users) = self.at_place.get(&one.place) else {
                continue;
            };
            if !txn.keeps_while_wanting(held, wanted) {
                continue;
            }
            for to in users.iter().copied() {
                if self.nodes[to].0 != t && !self.is_ahead((t, wanted), self.nodes[to]) {
                    edges.push(to);
                }
            }
        }
        edges
    }

    /// Does the first use, of the same place, always come before the second one?
    ///
    /// Order is set where requests are issued, and FIFOs keep it: if both come out of the same place,
    /// in which the first is ahead, it is ahead here too, because a fork or a join takes a flit out
    /// of a FIFO only when all copies or siblings go on. Sums of a wide reduction are the exception: they
    /// come out of the arithmetic pipeline later, and what is not reduced there overtakes them.
    fn is_ahead(&self, first: (usize, usize), second: (usize, usize)) -> bool {
        let key = (self.dense(first), self.dense(second));
        if let Some(known) = self.ahead.borrow().get(&key) {
            return *known;
        }
        let use_of = |(t, u): (usize, usize)| &self.transactions[t].uses[u];
        let (a, b) = (use_of(first), use_of(second));
        let answer = match a.place {
            Place::Issue { tile, .. } => self.is_issued_first(tile, first.0, second.0),
            Place::Link(link)
                if link.plane == Plane::Wide && a.after.len() > 1 && b.after.len() == 1 =>
            {
                false
            }
            Place::Link(_)
            | Place::Input { .. }
            | Place::Answer { .. }
            | Place::Store(_)
            | Place::Counters(_)
            | Place::ReductionUnit(_)
            | Place::DmaBuffer(_) => a.after.iter().any(|x| {
                b.after.iter().any(|y| {
                    let (x, y) = ((first.0, *x), (second.0, *y));
                    use_of(x).place == use_of(y).place && self.is_ahead(x, y)
                })
            }),
        };
        self.ahead.borrow_mut().insert(key, answer);
        answer
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

    fn dense(&self, (t, u): (usize, usize)) -> usize {
        t << 32 | u
    }

    fn describe(&self, cycle: &[usize]) -> Cycle {
        let waits = cycle.iter().enumerate().map(|(idx, node)| {
            let (t, held) = self.nodes[*node];
            let (other, wanted) = self.nodes[cycle[(idx + 1) % cycle.len()]];
            let holds = self.transactions[t].uses[held].place;
            let waits_for = self.transactions[other].uses[wanted].place;
            Wait {
                flow: Some(t),
                holder: self.transactions[t].name.clone(),
                holds,
                waits_for,
                text: format!(
                    "holds {} and waits for {}",
                    holds.describe(self.network),
                    waits_for.describe(self.network)
                ),
            }
        });
        Cycle {
            waits: waits.collect(),
        }
    }
}

/// Must the next request of some initiator of this flow wait until this one has been answered?
///
/// A published NI may have to send requests to different destinations one by one (same id); the check
/// counts what that makes others wait for, and does not count on it. The other flow sends up to a stated
/// number of them.
fn is_answer_awaited(network: &Network, flows: &[Flow], index: usize) -> bool {
    let (spec, flow) = (network.spec(), &flows[index]);
    let plane = flow.request_plane();
    let initiators = flow.initiators(network);
    let shares = |other: &Flow, tile: TileId| {
        other.request_queue() == flow.request_queue() && other.initiators(network).contains(&tile)
    };
    match spec.router.flow {
        RouterFlow::PeerCompatible | RouterFlow::Esp => initiators.iter().any(|tile| {
            flows.iter().enumerate().any(|(other, one)| {
                other != index && shares(one, *tile) && !one.has_destination_of(flow)
            })
        }),
        RouterFlow::NonBlocking => {
            let outstanding = match plane {
                Plane::Wide => spec.ni.max_wide_outstanding,
                Plane::Req | Plane::Rsp => spec.ni.max_narrow_outstanding,
            };
            let limit = outstanding.min(spec.ni.max_open_reductions) as usize;
            initiators
                .iter()
                .any(|tile| flows.iter().filter(|one| shares(one, *tile)).count() > limit)
        }
    }
}
