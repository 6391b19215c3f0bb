// SPDX-License-Identifier: Apache-2.0
//! The busiest resources of a run: how long each works, and in how many cycles something waits for it.
//!
//! How busy a resource is follows from the first pass. In the second pass the busiest are looked at in every cycle.

use super::log::Index;
use super::wait::Fifo;
use super::watcher::{Recent, local_input};
use crate::machine::Machine;
use crate::router::collective::control::block::{LOCAL, PORTS};
use crate::router::collective::plane::PlaneState;
use crate::transport::transaction::TxnKind;
use noccl_net::tree::{Cube, join_set};
use noccl_net::{AxiNetwork, Coord, Port, TileId};
use noccl_run::{Cause, LinkLoad, Resource, ResourceUse};
use noccl_spec::{Plane, PlaneName, WideReductionKind};
use std::collections::{BTreeMap, HashMap};

/// How many resources are looked at.
pub(super) const NUM_BUSIEST: usize = 3;

/// A resource that is looked at.
#[derive(Debug)]
pub(super) struct Usage {
    resource: Resource,
    busy_cycles: u64,
    blocked: BTreeMap<Cause, u64>,
    recent: Recent,
}

/// The resources with most busy cycles, busiest first.
pub(super) fn busiest(network: AxiNetwork<'_>, index: &Index, links: &[LinkLoad]) -> Vec<Usage> {
    // A crossbar has no links between routers.
    let between = links.iter().filter(|load| load.link.port != Port::Local);
    let mut busy: BTreeMap<Resource, u64> = between
        .map(|load| (Resource::Link(load.link), load.flits))
        .collect();
    let mut reductions: HashMap<(Cube, u32), u64> = HashMap::new();
    for (at, txn) in index.log.transactions.iter().enumerate() {
        let (at, beats) = (at as u32, u64::from(txn.beats));
        let commands = index.commands(at);
        if !txn.is_wide {
            if txn.kind == TxnKind::Atomic {
                let port = Resource::MemoryPort(TileId(txn.target));
                *busy.entry(port).or_default() += atomic_cycles(network, txn.target);
            }
            continue;
        }
        for command in commands {
            let engine = Resource::DmaEngine(TileId(command.tile));
            *busy.entry(engine).or_default() += beats;
        }
        if txn.kind == TxnKind::WideRead {
            let port = Resource::MemoryPort(TileId(txn.target));
            *busy.entry(port).or_default() += beats;
        }
        for delivery in index.deliveries(at) {
            let port = Resource::MemoryPort(TileId(delivery.tile));
            *busy.entry(port).or_default() += beats;
        }
        if txn.kind == TxnKind::WideReduction {
            *reductions.entry((txn.set, txn.home)).or_default() += beats;
        }
    }
    for ((set, root), beats) in reductions {
        for (unit, cycles) in additions(network, set, root) {
            *busy.entry(unit).or_default() += cycles * beats;
        }
    }
    let mut busy: Vec<_> = busy.into_iter().filter(|(_, cycles)| *cycles > 0).collect();
    busy.sort_by_key(|(resource, cycles)| (std::cmp::Reverse(*cycles), *resource));
    busy.truncate(NUM_BUSIEST);
    let usage = |(resource, busy_cycles)| Usage {
        resource,
        busy_cycles,
        blocked: BTreeMap::new(),
        recent: Recent::default(),
    };
    busy.into_iter().map(usage).collect()
}

fn atomic_cycles(network: AxiNetwork<'_>, tile: u32) -> u64 {
    let axi = network.axi();
    u64::from(match network.kind(TileId(tile)) {
        noccl_net::TileKind::Cluster => axi.cluster.atomic_cycles,
        noccl_net::TileKind::Memory => axi.memory.atomic_cycles,
    })
}

/// Cycles per beat in which the adders of each router of a tree work.
fn additions(network: AxiNetwork<'_>, set: Cube, root: u32) -> Vec<(Resource, u64)> {
    let to = network.coord(TileId(root));
    let (min, max) = set.bounds();
    let (low, high) = (
        Coord::new(min.x.min(to.x), min.y.min(to.y)),
        Coord::new(max.x.max(to.x), max.y.max(to.y)),
    );
    let is_three = network.axi().router.wide_reduction.kind == WideReductionKind::ThreeOperand;
    let rows = (low.x..=high.x).flat_map(|x| (low.y..=high.y).map(move |y| Coord::new(x, y)));
    let unit = |at: Coord| {
        let operands = u64::from(join_set(at, set, to).count_ones());
        let additions = operands.saturating_sub(1);
        let passes = if is_three {
            additions.div_ceil(2)
        } else {
            additions
        };
        (passes > 0).then(|| (Resource::ReductionUnit(network.tile_at(at)), passes))
    };
    rows.filter_map(unit).collect()
}

impl Usage {
    /// Does something wait at the resource in this cycle?
    pub(super) fn observe(&mut self, machine: &Machine<'_>) {
        let cause = match self.resource {
            Resource::Link(link) => {
                let plane = Plane::ALL
                    .into_iter()
                    .find(|p| PlaneName::from(*p) == link.plane);
                let at = (link.tile.idx(), link.port.idx());
                plane.and_then(|plane| self.at_link(machine, plane, at))
            }
            Resource::MemoryPort(tile) => {
                let state = &machine.mesh.planes[Plane::Wide.idx()];
                let asks = asking(state, tile.idx(), LOCAL);
                asks.map(|_| Cause::MemoryPort)
            }
            Resource::MergePoint(tile) | Resource::ReductionUnit(tile) => {
                let joins = &machine.mesh.planes[Plane::Wide.idx()].joins;
                let mut waiting = joins.waiting_at(tile.idx());
                waiting.next().and_then(|w| {
                    let blame = machine.merge_blame(Plane::Wide, tile.idx(), w.txn);
                    blame.map(|(cause, _)| cause)
                })
            }
            Resource::DmaEngine(tile) => self.at_engine(machine, tile),
        };
        if let Some(cause) = cause {
            *self.blocked.entry(cause).or_default() += 1;
        }
    }

    pub(super) fn into_use(self) -> ResourceUse {
        let mut blocked: Vec<(Cause, u64)> = self.blocked.into_iter().collect();
        blocked.sort_by_key(|(cause, cycles)| (std::cmp::Reverse(*cycles), *cause));
        ResourceUse {
            resource: self.resource,
            busy_cycles: self.busy_cycles,
            blocked,
        }
    }
}

impl Usage {
    /// Why a flit waits that an output has, or that wants it.
    fn at_link(
        &mut self,
        machine: &Machine<'_>,
        plane: Plane,
        (router, port): (usize, usize),
    ) -> Option<Cause> {
        let state = &machine.mesh.planes[plane.idx()];
        let output = Fifo {
            router,
            is_input: false,
            port,
        };
        let is_used = state.leaving_flit(router, port).is_some();
        let has_head = state.fifo(router, false, port).next().is_some();
        let from = if has_head && !is_used {
            Some(output)
        } else {
            // What has just come asks too: it waits only if another one has the output.
            let input = asking(state, router, port).filter(|_| is_used || has_head);
            input.map(|port| Fifo {
                is_input: true,
                port,
                ..output
            })
        };
        let now = from.and_then(|from| machine.blame(plane, from));
        let recent = self.recent.or_now(machine.clock.now(), paths(machine), now);
        from.map(|_| recent.map_or(Cause::NoSpace, |(cause, _)| cause))
    }

    /// Why a tile's engine has beats and sends none.
    fn at_engine(&mut self, machine: &Machine<'_>, tile: TileId) -> Option<Cause> {
        let now = machine.blame(Plane::Wide, local_input(tile.idx()));
        let recent = self.recent.or_now(machine.clock.now(), paths(machine), now);
        let stream = machine.interfaces.nis[tile.idx()].writes.front()?;
        if stream.in_flight >= stream.window {
            return Some(Cause::Window);
        }
        let is_full = !machine.mesh.planes[Plane::Wide.idx()].can_inject(tile.idx());
        is_full.then(|| recent.map_or(Cause::NoSpace, |(cause, _)| cause))
    }
}

/// An input whose head asks for an output: what still does after the arbitration has not been served.
fn asking(state: &PlaneState, r: usize, out: usize) -> Option<usize> {
    (0..PORTS).find(|input| state.wants(r, *input) >> out & 1 != 0)
}

/// FIFOs of the longest path.
fn paths(machine: &Machine<'_>) -> usize {
    2 * usize::from(machine.network.width() + machine.network.height())
}
