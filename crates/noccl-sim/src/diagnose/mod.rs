// SPDX-License-Identifier: Apache-2.0
//! Why nothing moves: who waits for whom, where, since when.
//!
//! At the time of a stall every head of a FIFO, every table entry and queue, and every participant of a
//! driver is a node of a graph whose edges are waits as the hardware waits ([`router`], [`endpoint`]) or as the
//! programs do ([`programs`]). A shortest cycle is the explanation; without a cycle it is the chain to
//! the one that waits for nobody. Reads the simulation only: it costs nothing until a run stalls.

mod endpoint;
mod graph;
mod limits;
mod names;
mod network;
mod programs;
mod router;
pub(crate) mod view;

use crate::diagnose::limits::Limit;
use crate::diagnose::view::{Driver, MAX_NAMED, View};
use crate::machine::Machine;
use graph::{Graph, Step};
use graph::{Node, tile_name};
use noccl_run::{Diagnosis, WaitEdge};

/// So many of what is unfinished are asked whom they wait for in the end; each search is linear in the graph.
const MAX_CHAINS: usize = 256;

/// Diagnosis of a stuck run.
pub(crate) fn diagnose<'a>(machine: &'a Machine<'_>, driver: Driver<'a>) -> Diagnosis {
    let view = View::new(machine, driver);
    let roots = view.roots();
    let graph = Graph::explore(roots.iter().copied(), |node| view.waits_of(node));
    let (steps, summary) = match graph.cycle() {
        Some(cycle) => {
            let summary = view.summary_of_cycle(&cycle);
            (cycle, summary)
        }
        None => {
            let chain = view.telling_chain(&roots, &graph);
            let summary = view.summary_of_chain(&chain, &roots, &graph);
            (chain, summary)
        }
    };
    Diagnosis {
        cycle: machine.clock.now(),
        last_progress_cycle: machine.clock.last_progress().max(graph.latest_since()),
        summary,
        waits: steps.iter().map(|step| view.edge(step)).collect(),
    }
}

impl<'a, 'n> View<'a, 'n> {
    /// What is unfinished, the driver's items first.
    fn roots(&self) -> Vec<Node> {
        let mut roots = self.open_items();
        let live = self.machine.interfaces.txns.iter_live();
        let mut transactions: Vec<u32> = live.map(|(id, _)| id).collect();
        transactions.sort_by_key(|id| self.order_of(*id));
        roots.extend(transactions.into_iter().map(Node::Transaction));
        roots
    }

    /// The first chain that ends at whoever has to act, or at a limit. Else nothing is stuck yet, and a limit on the
    /// path to it tells most.
    fn telling_chain<'g>(&self, roots: &[Node], graph: &'g Graph) -> Vec<Step<'g>> {
        let (mut first, mut limited) = (None, None);
        let chains = roots.iter().filter_map(|r| graph.chain(*r));
        for chain in chains.filter(|c| !c.is_empty()).take(MAX_CHAINS) {
            match chain.last().map(|(_, wait)| wait.to) {
                Some(Node::Member { .. } | Node::Limit { .. }) => return chain,
                Some(_) if limited.is_none() && chain.iter().any(|(_, w)| w.limit.is_some()) => {
                    limited = Some(chain);
                }
                Some(_) => first = first.or(Some(chain)),
                None => {}
            }
        }
        // 0: an empty chain where nobody waits.
        limited.or(first).unwrap_or_default()
    }

    fn edge(&self, (node, wait): &Step<'_>) -> WaitEdge {
        WaitEdge {
            waiter: self.name(*node),
            awaited: self.name(wait.to),
            place: wait.place.clone(),
            since_cycle: wait.since,
        }
    }

    fn summary_of_cycle(&self, cycle: &[Step<'_>]) -> String {
        let mut names: Vec<String> = Vec::new();
        for (node, _) in cycle {
            let name = self.subject(*node);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let is_program = cycle.iter().any(|(n, _)| matches!(n, Node::Share(_)));
        let is_chain = cycle.iter().any(|(n, _)| matches!(n, Node::Chain { .. }));
        let kind = if is_chain {
            "deadlock of the chains"
        } else if is_program {
            "the programs wait for each other"
        } else {
            "deadlock in the network"
        };
        let who = match names.as_slice() {
            [only] => format!("{only} waits for itself"),
            [first, second] => format!("{first} and {second} wait for each other"),
            _ => format!("{} wait for each other in a circle", names.join(", ")),
        };
        let limit = cycle.iter().find_map(|(_, w)| w.limit.as_ref());
        match limit {
            Some(limit) => format!("limit reached: {limit}; {kind}: {who}"),
            None => format!("{kind}: {who}"),
        }
    }

    fn summary_of_chain(&self, chain: &[Step<'_>], roots: &[Node], graph: &Graph) -> String {
        let Some((first, _)) = chain.first() else {
            return match roots.first() {
                Some(Node::Entrant(entry)) => {
                    let name = self.entry_name(*entry);
                    format!("{name} cannot finish: no member has contributed")
                }
                Some(root) => format!("{} is unfinished", self.name(*root)),
                None => "nothing is in flight".to_owned(),
            };
        };
        let who = self.subject(*first);
        let end = chain.last().map(|(_, wait)| wait.to);
        let is_absent = matches!(end, Some(Node::Member { .. }));
        // Windows fill up behind a member that has not contributed.
        let is_telling = |l: &&String| !is_absent || !l.starts_with(Limit::Window.field());
        let mut limits = chain.iter().filter_map(|(_, w)| w.limit.as_ref());
        let limit = limits.find(is_telling);
        let limit = limit.map_or_else(String::new, |l| format!("limit reached: {l}; "));
        let reason = match end {
            Some(Node::Member { txn, .. }) => self.missing_members(txn, graph),
            Some(end @ Node::Limit { .. }) => format!("it waits for {}", self.name(end)),
            Some(end) if self.is_over_its_limit() => {
                format!("it waits for {}, which is in progress", self.name(end))
            }
            Some(end) => format!("it waits for {}, which stands still", self.name(end)),
            None => String::new(),
        };
        format!("{limit}{who} cannot finish: {reason}")
    }

    /// Was the run given up because of its length?
    fn is_over_its_limit(&self) -> bool {
        self.machine.clock.now() >= self.machine.config.max_cycles
    }

    fn missing_members(&self, of: u32, graph: &Graph) -> String {
        let mut members = Vec::new();
        for end in graph.ends() {
            if let Node::Member { txn, tile } = end
                && txn == of
            {
                members.push(tile);
            }
        }
        members.sort_unstable();
        let named = members.iter().take(MAX_NAMED);
        let mut names: Vec<String> = named
            .map(|t| {
                let name = tile_name(&self.machine.network, *t);
                match self.machine.errors.beats_of(of, *t) {
                    Some(has) => {
                        let beats = self.machine.interfaces.txns.get(of).beats;
                        format!("{name} has contributed {has} of {beats} beats")
                    }
                    None => format!("{name} has not contributed"),
                }
            })
            .collect();
        if members.len() > MAX_NAMED {
            names.push(format!("nor have {} others", members.len() - MAX_NAMED));
        }
        names.join(", ")
    }
}
