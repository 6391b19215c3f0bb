// SPDX-License-Identifier: Apache-2.0
//! What the checker tells about a schedule that is right: steps, volume, contention.

use super::DeadlockReport;
use crate::participants::participants;
use crate::{
    Action, ActionKind, Chain, CollectiveKind, Destination, InNetworkReduction, ListMulticast,
    Schedule, Transfer,
};
use noccl_net::tree::{Cube, fork_set, join_set};
use noccl_net::{Coord, Network, Port, TileId};
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
    /// per stop).
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
    /// Distinct folds in the outputs of a reduce or all-reduce: ranks, `[a, b, c]` folded from the left.
    pub folds: Vec<String>,
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
pub(super) fn report(network: &Network, schedule: &Schedule, folds: Vec<String>) -> CheckReport {
    let depths = depths(&schedule.actions);
    let num_steps = depths.iter().map(|d| d + 1).max().unwrap_or(0);
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
        folds,
        deadlock: DeadlockReport::default(),
        claims: schedule.collective.as_ref().map(|c| c.kind),
        notes: notes(schedule),
    }
}

/// Stops of chains that are merged with an earlier, equal one.
fn notes(schedule: &Schedule) -> Vec<String> {
    let mut notes = Vec::new();
    for (i, action) in schedule.actions.iter().enumerate() {
        if let ActionKind::Chain(chain) = &action.kind {
            for stop in chain.duplicates() {
                let name = schedule.action_name(i);
                let tile = chain.stops[stop].tile;
                notes.push(format!(
                    "{name}: stops[{stop}] repeats {tile}; it is served once"
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
        depths.push(before.map(|d| d + 1).max().unwrap_or(0));
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
            let bytes = match &action.kind {
                ActionKind::Transfer(t) | ActionKind::Delivery(t) => self.transfer(t),
                ActionKind::InNetworkReduction(r) => {
                    self.reduction(r);
                    r.bytes * participants(self.network, &action.kind).len() as u64
                }
                ActionKind::InNetworkAllReduce(r) => {
                    self.all_reduce(r);
                    2 * r.bytes * participants(self.network, &action.kind).len() as u64
                }
                ActionKind::LocalReduce(_)
                | ActionKind::Compute(_)
                | ActionKind::Barrier(_)
                | ActionKind::Arrival(_)
                | ActionKind::Kernel(_) => 0,
                ActionKind::Chain(chain) => self.chain(chain),
                ActionKind::ListMulticast(list) => self.list_multicast(list),
            };
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

    /// Data runs from the source to the initiator's engine, and from there to the destination.
    fn transfer(&mut self, t: &Transfer) -> u64 {
        let network = self.network;
        let bytes = t.bytes * u64::from(t.rows);
        let (Some(source), Some(initiator)) =
            (network.find(t.source.tile), network.find(t.initiator))
        else {
            return 0;
        };
        if bytes == 0 {
            return 0;
        }
        let at = network.coord(initiator);
        self.path(network.coord(source), at);
        match t.destination {
            Destination::One(place) => {
                if let Some(to) = network.find(place.tile) {
                    self.path(at, network.coord(to));
                }
            }
            Destination::Multicast { set, .. } => self.fork(at, network.cube(set)),
        }
        bytes
    }

    /// Every stop hands the stream to the next one.
    fn chain(&mut self, chain: &Chain) -> u64 {
        let network = self.network;
        let Some(mut at) = network.find(chain.initiator).filter(|_| chain.bytes > 0) else {
            return 0;
        };
        let mut bytes = 0;
        for stop in chain.followers() {
            if let Some(next) = network.find(stop.tile) {
                self.path(network.coord(at), network.coord(next));
                bytes += chain.bytes;
                at = next;
            }
        }
        bytes
    }

    fn list_multicast(&mut self, list: &ListMulticast) -> u64 {
        let network = self.network;
        let Some(source) = network.find(list.source).filter(|_| list.bytes > 0) else {
            return 0;
        };
        let to: Vec<TileId> = list.consumers().filter_map(|t| network.find(t)).collect();
        for (at, ports) in network.outputs_to(source, &to) {
            for port in Port::ALL.into_iter().filter(|p| ports & p.bit() != 0) {
                if port != Port::Local {
                    self.count(network.coord(at), port);
                }
            }
        }
        list.bytes * to.len() as u64
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

    fn all_reduce(&mut self, r: &InNetworkReduction) {
        self.reduction(r);
        if let Some(root) = self.network.find(r.root.tile).filter(|_| r.bytes > 0) {
            self.fork(self.network.coord(root), self.network.cube(r.group));
        }
    }

    fn reduction(&mut self, r: &InNetworkReduction) {
        let Some(root) = self.network.find(r.root.tile).filter(|_| r.bytes > 0) else {
            return;
        };
        let (group, root) = (self.network.cube(r.group), self.network.coord(root));
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
