// SPDX-License-Identifier: Apache-2.0
//! A graph of waits: a shortest cycle if it has one, else the chain to somebody who waits for nobody.

use crate::diagnose::node::Node;
use noccl_net::counts::max_or_zero;
use std::collections::{HashMap, VecDeque};

/// Cycles are searched from so many nodes at most; each search is linear in the graph.
const MAX_SEARCHES: usize = 256;

/// One node waits for another.
#[derive(Debug, Clone)]
pub(crate) struct Wait {
    pub to: Node,
    /// Where: link, table or queue.
    pub place: String,
    pub since: u64,
    /// The stated limit that makes it wait.
    pub limit: Option<String>,
}

/// Everything reachable from the roots, in order of discovery.
pub(crate) struct Graph {
    nodes: Vec<Node>,
    waits: Vec<Vec<Wait>>,
    index: HashMap<Node, usize>,
}

/// A step of an explanation.
pub(crate) type Step<'g> = (Node, &'g Wait);

impl Graph {
    /// Follows `waits_of` from `roots`.
    pub(crate) fn explore(
        roots: impl IntoIterator<Item = Node>,
        waits_of: impl Fn(Node) -> Vec<Wait>,
    ) -> Self {
        let mut graph = Self {
            nodes: Vec::new(),
            waits: Vec::new(),
            index: HashMap::new(),
        };
        for root in roots {
            graph.add(root);
        }
        let mut next = 0;
        while next < graph.nodes.len() {
            let waits = waits_of(graph.nodes[next]);
            for wait in &waits {
                graph.add(wait.to);
            }
            graph.waits.push(waits);
            next += 1;
        }
        graph
    }

    fn add(&mut self, node: Node) {
        if !self.index.contains_key(&node) {
            self.index.insert(node, self.nodes.len());
            self.nodes.push(node);
        }
    }

    /// The last cycle in which somebody began to wait.
    pub(crate) fn latest_since(&self) -> u64 {
        let waits = self.waits.iter().flatten();
        max_or_zero(waits.map(|w| w.since))
    }

    /// Nodes that wait for nobody.
    pub(crate) fn ends(&self) -> impl Iterator<Item = Node> + '_ {
        let ends = self.waits.iter().zip(&self.nodes);
        ends.filter(|(w, _)| w.is_empty()).map(|(_, n)| *n)
    }

    /// A shortest cycle of waits, if there is a cycle.
    pub(crate) fn cycle(&self) -> Option<Vec<Step<'_>>> {
        let on_cycles = self.cannot_end();
        on_cycles
            .iter()
            .take(MAX_SEARCHES)
            .filter_map(|start| self.path(*start, |node, depth| depth > 0 && node == *start))
            .min_by_key(Vec::len)
    }

    /// The shortest chain from `from` to somebody who waits for nobody.
    pub(crate) fn chain(&self, from: Node) -> Option<Vec<Step<'_>>> {
        let start = *self.index.get(&from)?;
        self.path(start, |node, _| self.waits[node].is_empty())
    }

    /// Nodes whose waits never end at somebody who waits for nobody, those most awaited first.
    fn cannot_end(&self) -> Vec<usize> {
        let mut open: Vec<usize> = self.waits.iter().map(Vec::len).collect();
        let mut waiters = vec![Vec::new(); self.nodes.len()];
        for (node, waits) in self.waits.iter().enumerate() {
            for wait in waits {
                waiters[self.index[&wait.to]].push(node);
            }
        }
        let mut ended: Vec<usize> = (0..open.len()).filter(|n| open[*n] == 0).collect();
        while let Some(node) = ended.pop() {
            for waiter in &waiters[node] {
                open[*waiter] -= 1;
                if open[*waiter] == 0 {
                    ended.push(*waiter);
                }
            }
        }
        let mut left: Vec<usize> = (0..open.len()).filter(|n| open[*n] > 0).collect();
        left.sort_by_key(|n| std::cmp::Reverse(waiters[*n].len()));
        left
    }

    /// Breadth first from `start` to a node that is `wanted` (node, depth).
    fn path(&self, start: usize, wanted: impl Fn(usize, usize) -> bool) -> Option<Vec<Step<'_>>> {
        let mut reached: HashMap<usize, (usize, usize)> = HashMap::new();
        let mut queue = VecDeque::from([(start, 0)]);
        while let Some((node, depth)) = queue.pop_front() {
            if depth == 0 && wanted(node, 0) {
                return Some(Vec::new());
            }
            for (at, wait) in self.waits[node].iter().enumerate() {
                let to = self.index[&wait.to];
                if wanted(to, depth + 1) {
                    return Some(self.walk_back(start, node, at, &reached));
                }
                if to != start && !reached.contains_key(&to) {
                    reached.insert(to, (node, at));
                    queue.push_back((to, depth + 1));
                }
            }
        }
        None
    }

    fn walk_back(
        &self,
        start: usize,
        last: usize,
        last_wait: usize,
        reached: &HashMap<usize, (usize, usize)>,
    ) -> Vec<Step<'_>> {
        let mut steps = vec![(self.nodes[last], &self.waits[last][last_wait])];
        let mut node = last;
        while node != start {
            let (before, at) = reached[&node];
            steps.push((self.nodes[before], &self.waits[before][at]));
            node = before;
        }
        steps.reverse();
        steps
    }
}
