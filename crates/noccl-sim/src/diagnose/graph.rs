// SPDX-License-Identifier: Apache-2.0
//! A graph of waits: a shortest cycle if it has one, else the chain to somebody who waits for nobody.

use crate::diagnose::limits::Limit;
use crate::diagnose::network::wait;
use crate::diagnose::view::View;
use crate::endpoint::torrent::{Cause, Hindrance};
use crate::ni::axi::state::{BurstStream, Source};
use crate::transport::flit::Flit;
use crate::transport::transaction::Owner;
use noccl_net::counts::max_or_zero;
use noccl_net::{Network, Port, TileId, TileKind, TileRef};
use noccl_spec::Plane;
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

// Waits of chains: for destinations that serve another chain, and for their own bursts.

impl View<'_, '_> {
    /// The chain that the endpoint of a tile leads, in words.
    pub(crate) fn chain_name(&self, tile: u32) -> String {
        let torrents = self.machine.torrents.as_ref();
        let instance = torrents.and_then(|t| t.led_by(tile));
        let action = instance.and_then(|i| self.action_of(i));
        let single = torrents.is_some_and(|t| t.never_leaves(tile));
        let remark = if single {
            " (a burst of one beat, which the published endpoint never sends)"
        } else {
            ""
        };
        let at = self.tile(tile as usize);
        match action {
            Some(action) => format!("the chain of action #{action} from {at}{remark}"),
            None => format!("the chain from {at}{remark}"),
        }
    }

    /// The chain at its initiator, if it is in progress there; else that which is.
    pub(crate) fn waits_of_chain_share(&self, tile: u32) -> Vec<Wait> {
        let place = format!("the endpoint of {}", self.tile(tile as usize));
        vec![wait(
            Node::Chain { tile },
            &place,
            self.machine.clock.last_progress(),
        )]
    }

    pub(crate) fn waits_of_chain(&self, tile: u32) -> Vec<Wait> {
        let Some(torrents) = &self.machine.torrents else {
            return Vec::new();
        };
        if let Some(Hindrance {
            destination,
            cause,
            since_cycle,
        }) = torrents.hindrance(tile)
        {
            let at = self.tile(destination as usize);
            let (to, why) = match cause {
                Cause::Serves(initiator) => (initiator, "which serves that one"),
                Cause::Reads => (destination, "whose reader is busy with its own"),
                Cause::GrantBefore(initiator) => (initiator, "where that one's grant is first"),
            };
            let place = format!("the endpoint of {at}, {why}");
            return vec![wait(Node::Chain { tile: to }, &place, since_cycle)];
        }
        let place = format!("the endpoint of {}", self.tile(tile as usize));
        let since = self.machine.clock.last_progress();
        let bursts = self.bursts_of(tile, |_, _| true);
        bursts
            .map(|id| wait(Node::Transaction(id), &place, since))
            .collect()
    }

    /// Bursts in flight of a chain, by home and target.
    fn bursts_of(
        &self,
        of: u32,
        is_wanted: impl Fn(u32, u32) -> bool,
    ) -> impl Iterator<Item = u32> {
        let live = self.machine.interfaces.txns.iter_live();
        live.filter(move |(_, t)| {
            let is_own = matches!(t.owner, Owner::Chain { initiator, .. } if initiator == of);
            is_own && is_wanted(t.home, t.target)
        })
        .map(|(id, _)| id)
    }

    /// An open burst without a beat waits for the burst that brings it.
    pub(crate) fn waits_of_switched(&self, tile: u32, stream: &BurstStream) -> Option<Vec<Wait>> {
        let (Source::Switch(lane), machine) = (stream.source, self.machine) else {
            return None;
        };
        let torrents = machine.torrents.as_ref()?;
        if stream.head_pending || torrents.has_beat(tile as usize, lane, machine.clock.now()) {
            return None;
        }
        let Owner::Chain { initiator, .. } = machine.interfaces.txns.get(stream.txn).owner else {
            return None;
        };
        let place = format!("the endpoint of {}", self.tile(tile as usize));
        let before = self.bursts_of(initiator, |_, target| target == tile);
        let since = machine.clock.last_progress();
        let waits = before.map(|id| wait(Node::Transaction(id), &place, since));
        Some(waits.collect())
    }

    /// The endpoint of a tile does not take a beat: it serves another chain, or cannot pass the beat on.
    pub(crate) fn waits_for_switch(&self, r: usize, flit: Flit, since: u64) -> Option<Vec<Wait>> {
        let Owner::Chain { initiator, .. } = self.machine.interfaces.txns.get(flit.txn).owner
        else {
            return None;
        };
        let torrents = self.machine.torrents.as_ref()?;
        let place = format!("the endpoint of {}", self.tile(r));
        Some(match torrents.served_at(r as u32) {
            Some(serves) if serves != initiator => {
                vec![wait(Node::Chain { tile: serves }, &place, since)]
            }
            Some(_) | None => {
                let next = self.bursts_of(initiator, |home, _| home as usize == r);
                next.map(|id| wait(Node::Transaction(id), &place, since))
                    .collect()
            }
        })
    }
}

// Who can wait or be waited for, and what a person calls them.
//
// Tiles are named by kind: `cluster (x,y)` counts from the south-west cluster, `mem:N` is a memory tile.
// A router has the name of its tile, a link that of the router that drives it.

/// A participant of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// Head of an input FIFO.
    Input { plane: Plane, router: u32, port: u8 },
    /// Head of an output FIFO.
    Output { plane: Plane, router: u32, port: u8 },
    /// Contributions that wait in a router's table for the others.
    Entry {
        plane: Plane,
        router: u32,
        txn: u32,
        beat: Option<u16>,
    },
    /// Oldest result of a router's reduction unit.
    Result { plane: Plane, router: u32 },
    /// What a NI would send next into a plane.
    Source { plane: Plane, tile: u32 },
    /// A write or reduction burst in the queue of a NI.
    Stream { tile: u32, txn: u32 },
    /// A transaction as a whole.
    Transaction(u32),
    /// A member that has not contributed to a transaction.
    Member { txn: u32, tile: u32 },
    /// An entry of a trace that no participant has started.
    Entrant(u32),
    /// One participant's share of an action.
    Share(u32),
    /// The chain that the endpoint of a tile leads.
    Chain { tile: u32 },
    /// A limit of a tile, if nobody can be named who has all of it.
    Limit { limit: Limit, tile: u32 },
}

/// The tile as a person names it.
pub(crate) fn tile_name(network: &Network, tile: u32) -> String {
    let id = TileId(tile);
    let reference = match network.kind(id) {
        TileKind::Cluster => network
            .cluster_coord(network.coord(id))
            .map(TileRef::Cluster),
        TileKind::Memory => network
            .memories()
            .position(|m| m == id)
            .map(|n| TileRef::Memory(n as u32)),
    };
    reference.map_or_else(|| format!("tile {}", network.coord(id)), |r| r.to_string())
}

/// An output of a router: a link, or the port of the tile.
pub(crate) fn output_name(network: &Network, plane: Plane, router: u32, port: usize) -> String {
    let (plane, tile) = (plane.name(), tile_name(network, router));
    if port == Port::Local.idx() {
        return format!("the {plane} port of {tile}");
    }
    format!("link {plane} {tile}->{:?}", Port::ALL[port])
}

/// An input of a router: the link that ends there, or the port of the tile.
pub(crate) fn input_name(network: &Network, plane: Plane, router: u32, port: usize) -> String {
    let (plane, tile) = (plane.name(), tile_name(network, router));
    if port == Port::Local.idx() {
        return format!("the {plane} injection port of {tile}");
    }
    format!(
        "input {:?} of the {plane} router of {tile}",
        Port::ALL[port]
    )
}
