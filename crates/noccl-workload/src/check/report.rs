// SPDX-License-Identifier: Apache-2.0
//! What the checker tells about a schedule that is right: steps, volume, contention.

use super::DeadlockReport;
use crate::{Action, ActionKind, CollectiveKind, NetworkFold, Schedule};
use noccl_net::counts::max_or_zero;
use noccl_net::deadlock::{Flow, Work};
use noccl_net::tree::{Cube, fork_set, join_set};
use noccl_net::{Coord, MultiAddress, Network, Port, TileId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A directed link of the wide plane used by more than one transfer of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LinkUse {
    /// Router that drives the link: mesh coordinate, memory tiles counted too.
    pub router: Coord,
    /// Output port of that router.
    pub port: Port,
    /// Transfers and reductions of the step that use the link.
    pub transfers: u32,
}

/// All actions at one depth of the DAG.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StepReport {
    /// Actions at this depth.
    pub actions: usize,
    /// Transfers and in-network reductions among them that move at least one byte.
    pub transfers: usize,
    /// Payload bytes that these transfers send (a multicast counts once, a reduction once per contributor, a chain once
    /// per destination).
    pub bytes: u64,
    /// Links used by more than one of them, by router and port; empty if the step is a round.
    pub contended: Vec<LinkUse>,
}

/// What is known about a schedule that passed the check.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckReport {
    /// Actions of the schedule.
    pub actions: usize,
    /// Transfers and in-network reductions that move at least one byte.
    pub transfers: usize,
    /// Payload bytes sent, counted as in the steps.
    pub bytes: u64,
    /// Steps, by depth.
    pub steps: Vec<StepReport>,
    /// Distinct fold orders of the outputs of a reduce or all-reduce: ranks, `[a, b, c]` from the left.
    #[serde(alias = "folds")]
    pub fold_orders: Vec<String>,
    /// Rounds whose messages are proved to share no link between routers; absent where the schedule claims none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// Freedom from deadlock.
    #[serde(default)]
    pub deadlock: DeadlockReport,
    /// Collective whose postcondition is proved; absent where the schedule claims none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claims: Option<CollectiveKind>,
    /// What the schedule says twice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl CheckReport {
    /// Most transfers of one step on one link; 1 if every step is a round, 0 without transfers.
    #[must_use]
    pub fn max_link_transfers(&self) -> u32 {
        let contended = self.steps.iter().flat_map(|s| &s.contended);
        let most = contended.map(|l| l.transfers).max();
        most.unwrap_or(u32::from(self.transfers > 0))
    }
}

/// Steps, volume and contention of a schedule of the right form.
pub(super) fn report(
    network: &Network,
    schedule: &Schedule,
    fold_orders: Vec<String>,
) -> CheckReport {
    let depths = depths(&schedule.actions);
    let num_steps = max_or_zero(depths.iter().map(|d| d + 1));
    let mut by_step: Vec<Vec<&Action>> = vec![Vec::new(); num_steps];
    for (action, depth) in schedule.actions.iter().zip(&depths) {
        by_step[*depth].push(action);
    }
    let mut uses = LinkCounter::new(network);
    let steps: Vec<StepReport> = by_step.iter().map(|actions| uses.step(actions)).collect();
    CheckReport {
        actions: schedule.actions.len(),
        transfers: steps.iter().map(|s| s.transfers).sum(),
        bytes: steps.iter().map(|s| s.bytes).sum(),
        steps,
        fold_orders,
        deadlock: DeadlockReport::default(),
        rounds: None,
        claims: schedule.collective.as_ref().map(|c| c.kind),
        notes: notes(schedule),
    }
}

/// Destinations of chains that are merged with an earlier, equal one.
fn notes(schedule: &Schedule) -> Vec<String> {
    let mut notes = Vec::new();
    for (i, action) in schedule.actions.iter().enumerate() {
        if let Some(chain) = action.kind.chain() {
            for destination in chain.duplicates() {
                let name = schedule.action_name(i);
                let tile = chain.destinations[destination].tile;
                notes.push(format!(
                    "{name}: destinations[{destination}] repeats {tile}; it is served once"
                ));
            }
        }
    }
    notes
}

/// Longest path of `after` to each action.
fn depths(actions: &[Action]) -> Vec<usize> {
    let mut depths: Vec<usize> = Vec::with_capacity(actions.len());
    for action in actions {
        let before = action.after.iter().filter_map(|b| depths.get(b.0 as usize));
        depths.push(max_or_zero(before.map(|d| d + 1)));
    }
    depths
}

struct LinkCounter<'a> {
    network: &'a Network,
    /// Uses per directed link, `tile * 4 + port`; zero between steps.
    uses: Vec<u32>,
    touched: Vec<usize>,
}

impl<'a> LinkCounter<'a> {
    fn new(network: &'a Network) -> Self {
        Self {
            network,
            uses: vec![0; network.num_tiles() * 4],
            touched: Vec::new(),
        }
    }

    fn step(&mut self, actions: &[&Action]) -> StepReport {
        let mut step = StepReport {
            actions: actions.len(),
            ..StepReport::default()
        };
        for action in actions {
            let bytes = action.kind.sent_bytes(self.network);
            if bytes > 0 {
                self.work(&action.kind);
            }
            step.transfers += usize::from(bytes > 0);
            step.bytes += bytes;
        }
        step.contended = self.drain();
        step
    }

    /// Contended links of the step, in order; all counts back to zero.
    fn drain(&mut self) -> Vec<LinkUse> {
        let mut contended = BTreeMap::new();
        for link in self.touched.drain(..) {
            let transfers = std::mem::take(&mut self.uses[link]);
            if transfers > 1 {
                contended.insert(link, transfers);
            }
        }
        let uses = contended.into_iter().map(|(link, transfers)| LinkUse {
            router: self.network.coord(TileId((link / 4) as u32)),
            port: Port::ALL[link % 4],
            transfers,
        });
        uses.collect()
    }

    fn count(&mut self, router: Coord, port: Port) {
        let link = self.network.tile_at(router).idx() * 4 + port.idx();
        if self.uses[link] == 0 {
            self.touched.push(link);
        }
        self.uses[link] += 1;
    }

    fn path(&mut self, from: Coord, to: Coord) {
        let network = self.network;
        for (router, port) in network.path(from, to).filter(|(_, p)| *p != Port::Local) {
            self.count(router, port);
        }
    }

    /// Links of the wide plane that an action's transactions use, or of the dynamic network that a message uses.
    fn work(&mut self, kind: &ActionKind) {
        let network = self.network;
        let ends = kind.message().map(|m| (m.source.tile, m.destination.tile));
        let ends = ends.and_then(|(from, to)| Some((network.find(from)?, network.find(to)?)));
        if let Some((from, to)) = ends {
            self.path(network.coord(from), network.coord(to));
        }
        match kind.work(network).unwrap_or(Work::Nothing) {
            Work::Nothing | Work::Rendezvous { .. } => {}
            Work::Flow(flow) => self.flow(&flow),
            Work::Movement { read, write, .. } => {
                // Data runs from the source to the initiator's engine, and from there to the destination.
                read.iter().chain(&write).for_each(|flow| self.flow(flow));
            }
            Work::ListMulticast {
                source,
                destinations,
            } => self.packet(source, &destinations),
            Work::Chain {
                initiator,
                destinations,
                ..
            } => {
                let mut at = initiator;
                for next in destinations {
                    self.path(network.coord(at), network.coord(next));
                    at = next;
                }
            }
        }
        if let Some(NetworkFold {
            reduction: r,
            is_shared: true,
        }) = kind.network_fold()
            && let Some(root) = network.find(r.root.tile)
        {
            self.fork(network.coord(root), network.cube(r.group));
        }
    }

    fn flow(&mut self, flow: &Flow) {
        let network = self.network;
        match *flow {
            Flow::Write { from, to } => self.path(network.coord(from), network.coord(to)),
            Flow::Read { from, source } => self.path(network.coord(source), network.coord(from)),
            Flow::Multicast { from, set } => self.fork(network.coord(from), network.cube(set)),
            Flow::Reduction { group, root, .. } => self.reduction(group, root),
            Flow::NarrowWrite { .. } | Flow::NarrowMulticast { .. } | Flow::Barrier { .. } => {}
        }
    }

    fn packet(&mut self, source: TileId, to: &[TileId]) {
        let network = self.network;
        for (at, ports) in network.outputs_to(source, to) {
            for port in Port::ALL.into_iter().filter(|p| ports & p.bit() != 0) {
                if port != Port::Local {
                    self.count(network.coord(at), port);
                }
            }
        }
    }

    fn fork(&mut self, source: Coord, set: Cube) {
        let mut open = vec![(source, Port::Local)];
        while let Some((here, from)) = open.pop() {
            let ports = fork_set(here, from, set);
            for port in Port::ALL.into_iter().filter(|p| ports & p.bit() != 0) {
                if let Some(next) = self.network.neighbour(here, port) {
                    self.count(here, port);
                    open.push((next, port.opposite()));
                }
            }
        }
    }

    fn reduction(&mut self, group: MultiAddress, root: TileId) {
        let (group, root) = (self.network.cube(group), self.network.coord(root));
        let mut open = vec![root];
        while let Some(here) = open.pop() {
            let ports = join_set(here, group, root);
            for port in Port::ALL.into_iter().filter(|p| ports & p.bit() != 0) {
                if let Some(from) = self.network.neighbour(here, port) {
                    self.count(from, port.opposite());
                    open.push(from);
                }
            }
        }
    }
}
