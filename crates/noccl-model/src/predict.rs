// SPDX-License-Identifier: Apache-2.0
//! The backend `model`: when each action of a schedule starts and ends, without running it.
//!
//! One pass over the actions in their order. A cluster has the agents of the simulator (a control core
//! that starts transfers and waits at barriers, cores that add), each action costs what its law says, and
//! transfers that share a link of the wide plane pass it one after the other in schedule order. What is left out:
//! arbitration beat by beat, full buffers, kernels that lend their FPUs to the network. No bytes move:
//! whether the schedule is right is the checker's business.

mod links;
mod merge;

use crate::constants::Constants;
use crate::{Calibration, ModelError};
use links::{Links, Route};
use noccl_net::tree::Cube;
use noccl_net::{Network, TileId, TileRef};
use noccl_run::Counters;
use noccl_workload::{
    Action, ActionId, ActionKind, Barrier, BarrierMechanism, Destination, InNetworkReduction,
    LocalReduce, Schedule, Transfer, participants,
};

/// What the model expects of a schedule.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// From the start of the first transfer to the end of the last action; of barriers alone from the first entry.
    pub cycles: f64,
    /// Start of the first and end of the last participant of every action.
    pub actions: Vec<(f64, f64)>,
    /// Counted events; `flit_hops` counts the wide plane only.
    pub counters: Counters,
    /// Beats over every used router-to-router link of the wide plane: driving router and port as in `noccl_net::LinkId`.
    pub wide_beats: Vec<(noccl_net::LinkId, u64)>,
}

/// Ends of one action at its participants, ascending by tile.
struct Ends {
    at: Vec<(TileId, f64)>,
    is_dma: bool,
}

struct Model<'a> {
    network: &'a Network,
    constants: &'a Constants,
    /// When each tile's control core and its other cores are free.
    control: Vec<f64>,
    compute: Vec<f64>,
    links: Links,
    counters: Counters,
    done: Vec<Ends>,
}

/// Predicts a schedule with the constants of a calibration.
///
/// # Errors
/// [`ModelError::OtherSpec`] if the constants were fitted to another network, [`ModelError::Schedule`] for tiles
/// that do not exist. Everything else is the checker's business.
pub fn predict(
    network: &Network,
    schedule: &Schedule,
    calibration: &Calibration,
) -> Result<Prediction, ModelError> {
    let constants = calibration.constants_for(network.spec())?;
    predict_with(network, schedule, constants)
}

/// [`predict`] with constants that the caller vouches for.
///
/// # Errors
/// [`ModelError::Schedule`] for tiles that do not exist.
pub fn predict_with(
    network: &Network,
    schedule: &Schedule,
    constants: &Constants,
) -> Result<Prediction, ModelError> {
    let mut model = Model {
        network,
        constants,
        control: vec![0.0; network.num_tiles()],
        compute: vec![0.0; network.num_tiles()],
        links: Links::new(network, constants.one_way(1)),
        counters: Counters::default(),
        done: Vec::with_capacity(schedule.actions.len()),
    };
    let mut actions = Vec::with_capacity(schedule.actions.len());
    for (index, action) in schedule.actions.iter().enumerate() {
        actions.push(model.act(index, action)?);
    }
    model.counters.payload_byte_hops = model.links.flit_hops() * 64;
    model.counters.flit_hops = model.links.flit_hops();
    Ok(Prediction {
        cycles: runtime(schedule, &actions),
        actions,
        counters: model.counters,
        wide_beats: model.links.loads(network),
    })
}

/// As a run is timed: barriers count only if there is nothing else.
fn runtime(schedule: &Schedule, actions: &[(f64, f64)]) -> f64 {
    let is_barrier = |action: &Action| matches!(action.kind, ActionKind::Barrier(_));
    let has_only_barriers = schedule.actions.iter().all(is_barrier);
    let timed = schedule.actions.iter().zip(actions);
    let starts = timed
        .filter(|(action, _)| has_only_barriers || !is_barrier(action))
        .map(|(_, (start, _))| *start);
    let start = starts.fold(f64::INFINITY, f64::min);
    let end = actions.iter().map(|(_, end)| *end).fold(0.0, f64::max);
    if start.is_finite() { end - start } else { 0.0 }
}

impl Model<'_> {
    fn act(&mut self, index: usize, action: &Action) -> Result<(f64, f64), ModelError> {
        let tiles = participants(self.network, &action.kind);
        if tiles.is_empty() {
            return Err(absent(index, "participant", "a tile of this network"));
        }
        let ready: Vec<(TileId, f64)> = tiles
            .into_iter()
            .map(|tile| (tile, self.ready(tile, &action.after)))
            .collect();
        let (start, ends) = match &action.kind {
            ActionKind::Transfer(transfer) => self.transfer(index, transfer, ready[0])?,
            ActionKind::InNetworkReduction(reduction) => {
                self.reduction(index, reduction, &ready)?
            }
            ActionKind::LocalReduce(reduce) => self.local_reduce(reduce, ready[0]),
            ActionKind::Compute(compute) => {
                let cycles = self.constants.compute_alpha_cycles + compute.cycles as f64;
                self.on_cores(ready[0], cycles)
            }
            ActionKind::Barrier(barrier) => self.barrier(index, barrier, &ready)?,
        };
        let end = ends.iter().map(|(_, end)| *end).fold(0.0, f64::max);
        let is_dma = match action.kind {
            ActionKind::Transfer(_) | ActionKind::InNetworkReduction(_) => true,
            ActionKind::LocalReduce(_) | ActionKind::Compute(_) | ActionKind::Barrier(_) => false,
        };
        self.done.push(Ends { at: ends, is_dma });
        Ok((start, end))
    }

    /// When a participant has finished everything that comes before.
    fn ready(&self, tile: TileId, after: &[ActionId]) -> f64 {
        let mut ready: f64 = 0.0;
        for before in after {
            let Some(ends) = self.done.get(before.0 as usize) else {
                continue;
            };
            if let Ok(at) = ends.at.binary_search_by_key(&tile, |(t, _)| *t) {
                let wait = if ends.is_dma {
                    self.constants.wait_cycles
                } else {
                    0.0
                };
                ready = ready.max(ends.at[at].1 + wait);
            }
        }
        ready
    }

    /// The control core runs the instructions that start a transfer; returns its start.
    fn issue(&mut self, (tile, ready): (TileId, f64), has_lines: bool) -> f64 {
        let instructions = if has_lines {
            self.constants.issue_lines_cycles
        } else {
            self.constants.issue_cycles
        };
        let start = self.control[tile.idx()].max(ready) + instructions;
        self.control[tile.idx()] = start;
        start
    }

    fn transfer(
        &mut self,
        index: usize,
        transfer: &Transfer,
        ready: (TileId, f64),
    ) -> Result<(f64, Vec<(TileId, f64)>), ModelError> {
        let start = self.issue(ready, transfer.rows > 1);
        let (initiator, bytes) = (ready.0, transfer.bytes * u64::from(transfer.rows));
        let beats = transfer.bytes.div_ceil(64) * u64::from(transfer.rows);
        let source = self.find(index, transfer.source.tile)?;
        let (to, writes) = match transfer.destination {
            Destination::One(place) => {
                let tile = self.find(index, place.tile)?;
                (Cube::single(self.network.coord(tile)), 1)
            }
            Destination::Multicast { set, .. } => (self.network.cube(set), u64::from(set.len())),
        };
        let here = self.network.coord(initiator);
        let is_own = to == Cube::single(here);
        self.counters.dma_load_bytes += bytes;
        self.counters.dma_store_bytes += bytes;
        self.counters.spm_write_bytes += bytes * writes;
        let end = if source == initiator && is_own {
            start + self.constants.copy_alpha_cycles + self.per_beat(beats)
        } else {
            self.moved(initiator, source, to, is_own, beats, start)
        };
        Ok((start, vec![(initiator, end)]))
    }

    /// Over the network: read side, write side, or both; returns the end.
    fn moved(
        &mut self,
        initiator: TileId,
        source: TileId,
        to: Cube,
        is_own: bool,
        beats: u64,
        start: f64,
    ) -> f64 {
        let read_hops = self.network.hops(initiator, source);
        let mut routes: Vec<Route> = Vec::new();
        let mut at = 0.0;
        if source != initiator {
            at = self.constants.one_way(read_hops);
            let back = Cube::single(self.network.coord(initiator));
            routes.push(self.links.route(self.network, source, back, at));
            at += self.constants.one_way(read_hops);
        }
        let mut farthest = 0;
        if !is_own {
            let here = self.network.coord(initiator);
            farthest = to.members().map(|m| m.hops_to(here)).max().unwrap_or(0);
            routes.push(self.links.route(self.network, initiator, to, at));
        }
        let alpha = if is_own {
            self.constants.pull_alpha_cycles
        } else if source == initiator {
            self.constants.push_alpha_cycles
        } else {
            self.constants.relay_alpha_cycles
        };
        let serial = if source == initiator {
            self.per_beat(beats)
        } else {
            self.read_cycles(read_hops, beats)
        };
        let delay = self.links.take(&routes, start, serial, beats);
        let hops = f64::from(read_hops + farthest);
        start + delay + alpha + self.constants.hop_cycles * hops + serial
    }

    fn per_beat(&self, beats: u64) -> f64 {
        self.constants.beta_cycles_per_beat * beats as f64
    }

    /// Serialisation of a read: a DMA engine asks no further ahead than its buffer, so from afar the bursts
    /// that fit into it come once per round trip.
    fn read_cycles(&self, hops: u32, beats: u64) -> f64 {
        let spec = self.network.spec();
        let burst = u64::from(spec.ni.max_burst_beats);
        let window = u64::from(spec.cluster.dma.buffer_beats) / burst * burst;
        let streamed = self.per_beat(beats);
        if window == 0 || beats <= window {
            return streamed;
        }
        let round_trip = self.constants.hop_cycles * (f64::from(hops) + 1.0) + 1.0;
        let period = (round_trip + self.per_beat(burst)).max(self.per_beat(window));
        let stall = period - self.per_beat(window);
        streamed + ((beats - 1) / window) as f64 * stall
    }

    fn local_reduce(
        &mut self,
        reduce: &LocalReduce,
        ready: (TileId, f64),
    ) -> (f64, Vec<(TileId, f64)>) {
        let additions = reduce.inputs.len() as u64 - 1;
        let beats = reduce.bytes.div_ceil(64) * additions.max(1);
        self.counters.software_reduce_ops += reduce.bytes / reduce.element.bytes() * additions;
        self.counters.spm_write_bytes += reduce.bytes;
        self.on_cores(ready, self.constants.compute_cycles(beats as f64))
    }

    fn on_cores(&mut self, (tile, ready): (TileId, f64), cycles: f64) -> (f64, Vec<(TileId, f64)>) {
        let start = self.compute[tile.idx()].max(ready);
        let end = start + cycles;
        self.compute[tile.idx()] = end;
        (start, vec![(tile, end)])
    }

    fn reduction(
        &mut self,
        index: usize,
        reduction: &InNetworkReduction,
        ready: &[(TileId, f64)],
    ) -> Result<(f64, Vec<(TileId, f64)>), ModelError> {
        let starts: Vec<(TileId, f64)> = ready
            .iter()
            .map(|at| (at.0, self.issue(*at, false)))
            .collect();
        let root = self.find(index, reduction.root.tile)?;
        let beats = reduction.bytes.div_ceil(64);
        let tree = merge::Tree {
            network: self.network,
            constants: self.constants,
            group: self.network.cube(reduction.group),
            root: self.network.coord(root),
            element_bytes: reduction.element.bytes(),
        };
        let merged = tree.merge(&starts);
        let first = starts.iter().map(|(_, s)| *s).fold(f64::INFINITY, f64::min);
        let serial = self.per_beat(beats) * f64::from(merged.cycles_per_beat);
        let delay = self.links.take(&merged.routes, first, serial, beats);
        let members = starts.len() as u64;
        self.counters.dma_load_bytes += reduction.bytes * members;
        self.counters.dma_store_bytes += reduction.bytes * members;
        self.counters.spm_write_bytes += reduction.bytes;
        self.counters.dca_ops +=
            reduction.bytes / reduction.element.bytes() * (members.saturating_sub(1));
        let at_root = merged.cycle + delay + self.constants.reduction_alpha_cycles + serial;
        let ends = starts
            .iter()
            .map(|(tile, _)| {
                let hops = self.network.hops(*tile, root);
                (*tile, at_root + self.constants.one_way(hops))
            })
            .collect();
        Ok((first, ends))
    }

    fn barrier(
        &mut self,
        index: usize,
        barrier: &Barrier,
        ready: &[(TileId, f64)],
    ) -> Result<(f64, Vec<(TileId, f64)>), ModelError> {
        let counter = self.find(index, barrier.counter)?;
        let enters: Vec<(TileId, f64, f64)> = ready
            .iter()
            .map(|(tile, ready)| {
                let way = self.constants.one_way(self.network.hops(*tile, counter));
                (*tile, self.control[tile.idx()].max(*ready), way)
            })
            .collect();
        let first = enters.iter().map(|e| e.1).fold(f64::INFINITY, f64::min);
        let ends: Vec<(TileId, f64)> = match barrier.mechanism {
            BarrierMechanism::InNetwork => {
                let last = enters.iter().map(|(_, enter, way)| enter + way);
                let released = last.fold(0.0, f64::max) + self.constants.barrier_alpha_cycles;
                enters
                    .iter()
                    .map(|(tile, _, way)| (*tile, released + way))
                    .collect()
            }
            BarrierMechanism::Software => self.counted(&enters, counter),
        };
        for (tile, end) in &ends {
            self.control[tile.idx()] = *end;
        }
        Ok((first, ends))
    }

    /// Software: one after the other at the counter, in the order of arrival. The counter's own cluster, if it is a
    /// member, sees it full and interrupts all; else the member that came last does, once it has its answer.
    fn counted(&self, enters: &[(TileId, f64, f64)], counter: TileId) -> Vec<(TileId, f64)> {
        let mut arrivals: Vec<(f64, TileId, f64)> = enters
            .iter()
            .map(|(tile, enter, way)| (enter + way, *tile, *way))
            .collect();
        arrivals.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut full: f64 = 0.0;
        for (arrival, _, _) in &arrivals {
            full = full.max(*arrival) + self.constants.counter_member_cycles;
        }
        let last = arrivals
            .last()
            .map_or((counter, 0.0), |(_, tile, way)| (*tile, *way));
        let is_member = enters.iter().any(|(tile, _, _)| *tile == counter);
        let (releaser, answer) = if is_member { (counter, 0.0) } else { last };
        let released = full + answer + self.constants.counter_alpha_cycles;
        let way = |tile| self.constants.one_way(self.network.hops(tile, releaser));
        enters
            .iter()
            .map(|(tile, _, _)| (*tile, released + way(*tile)))
            .collect()
    }

    fn find(&self, action: usize, tile: TileRef) -> Result<TileId, ModelError> {
        let found = self.network.find(tile);
        found.ok_or_else(|| absent(action, &tile.to_string(), "a tile of this network"))
    }
}

fn absent(action: usize, what: &str, accepted: &str) -> ModelError {
    ModelError::Schedule {
        action,
        reason: format!("{what} is not on the mesh; accepted: {accepted}"),
    }
}
