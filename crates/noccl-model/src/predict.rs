// SPDX-License-Identifier: Apache-2.0
//! The backend `model`: when each action of a schedule starts and ends, without running it.
//!
//! One pass over the actions in the order in which they begin. A cluster has the agents of the simulator (a control core
//! that starts transfers and waits at barriers, cores that add), each action costs what its law says, and
//! transfers that share a link of the wide plane pass it one after the other, in the first gap from their arrival on. What is left out:
//! arbitration beat by beat, full buffers, kernels that lend their FPUs to the network. No bytes move:
//! whether the schedule is right is the checker's business.

mod chain;
mod links;
mod list_multicast;
mod merge;
mod order;
mod sync;
mod transfer;

use crate::constants::Constants;
use crate::{Calibration, ModelError};
use links::Links;
pub use list_multicast::list_multicast_cycles;
use noccl_net::{AxiNetwork, Network, TileId, TileRef, TypedNetwork};
use noccl_run::Counters;
use noccl_spec::Cluster;
use noccl_workload::{Action, ActionId, ActionKind, Agent, Completion, LocalReduce, Schedule};
use order::Order;
use std::collections::HashMap;
pub(crate) use sync::counted;

/// What the model expects of a schedule.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// From the start of the first transfer to the end of the last action; of barriers alone from the first entry.
    pub cycles: f64,
    /// Start of the first and end of the last participant of every action.
    pub actions: Vec<(f64, f64)>,
    /// Counted events; `flit_hops` counts the wide plane only, of core tiles both networks.
    pub counters: Counters,
    /// Flits over every used router-to-router link of the wide plane, of core tiles over those of both networks.
    pub link_flits: Vec<(noccl_net::LinkId, u64)>,
}

/// Ends of one action at its participants, ascending by tile.
struct Ends {
    at: Vec<(TileId, f64)>,
    /// From the end until a participant goes on.
    wait_cycles: f64,
}

/// Start of the first participant, end of each.
type Shares = (f64, Vec<(TileId, f64)>);

struct Model<'a> {
    network: AxiNetwork<'a>,
    constants: &'a Constants,
    /// The tile that each DMA engine reads from, and until when.
    reads: HashMap<TileId, (TileId, f64)>,
    /// When each tile's control core and its other cores are free.
    control: Vec<f64>,
    compute: Vec<f64>,
    /// Torrent endpoints that have begun chains.
    initiators: HashMap<TileId, chain::Initiator>,
    links: Links,
    counters: Counters,
    done: Vec<Option<Ends>>,
}

/// Predicts a schedule with the constants of a calibration.
///
/// # Errors
/// [`ModelError::OtherSpec`] if the constants were fitted to another network, [`ModelError::Schedule`] for tiles
/// that do not exist. Of core tiles, which need no constants, [`ModelError::NotModelled`]. Everything else is the checker's business.
pub fn predict(
    network: &Network,
    schedule: &Schedule,
    calibration: &Calibration,
) -> Result<Prediction, ModelError> {
    if let Some(tiles) = network.cores() {
        return crate::words::predict(network, tiles, schedule);
    }
    let constants = calibration.constants_for(network.spec())?;
    predict_with(network, schedule, &constants)
}

/// [`predict`] with constants that the caller vouches for; core tiles use none.
///
/// # Errors
/// [`ModelError::Schedule`] for tiles that do not exist, of core tiles as [`predict`].
pub fn predict_with(
    network: &Network,
    schedule: &Schedule,
    constants: &Constants,
) -> Result<Prediction, ModelError> {
    let network = match network.by_tiles() {
        TypedNetwork::Axi(network) => network,
        TypedNetwork::Cores(tiles) => return crate::words::predict(network, tiles, schedule),
    };
    let mut model = Model {
        network,
        constants,
        control: vec![0.0; network.num_tiles()],
        compute: vec![0.0; network.num_tiles()],
        links: Links::new(&network, constants.path_cycles(1)),
        counters: Counters::default(),
        done: Vec::new(),
        reads: HashMap::new(),
        initiators: HashMap::new(),
    };
    let mut actions = vec![(0.0, 0.0); schedule.actions.len()];
    model.done.resize_with(actions.len(), || None);
    let mut order = Order::new(&network, schedule);
    let mut free = order.first();
    loop {
        for index in free.drain(..) {
            let action = &schedule.actions[index as usize];
            let begins = model.begins(&order.tiles[index as usize], action);
            order.push(begins, index);
        }
        let Some((begins, index)) = order.pop() else {
            break;
        };
        model.links.advance(begins);
        let tiles = &order.tiles[index as usize];
        let action = &schedule.actions[index as usize];
        actions[index as usize] = model.act(index as usize, action, tiles)?;
        free = order.release(index);
    }
    model.counters.payload_byte_hops = model.links.flit_hops() * network.axi().ni.wide_beat();
    model.counters.flit_hops = model.links.flit_hops();
    Ok(Prediction {
        cycles: runtime(schedule, &actions),
        actions,
        counters: model.counters,
        link_flits: model.links.loads(&network),
    })
}

/// As a run is timed: barriers count only if there is nothing else.
pub(crate) fn runtime(schedule: &Schedule, actions: &[(f64, f64)]) -> f64 {
    let is_barrier = |action: &Action| action.kind.barrier().is_some();
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
    /// When the last participant can begin.
    fn begins(&self, tiles: &[TileId], action: &Action) -> f64 {
        let agents = match action.kind.agent() {
            Agent::Control => &self.control,
            Agent::Compute => &self.compute,
        };
        let ready = self.ready(tiles, &action.after);
        let at = |(tile, ready): (TileId, f64)| agents[tile.idx()].max(ready);
        ready.into_iter().map(at).fold(0.0, f64::max)
    }

    fn act(
        &mut self,
        index: usize,
        action: &Action,
        tiles: &[TileId],
    ) -> Result<(f64, f64), ModelError> {
        if tiles.is_empty() {
            return Err(absent(index, "participant", "a tile of this network"));
        }
        let ready = self.ready(tiles, &action.after);
        let constants = self.constants;
        let wait_cycles = match action.kind.completion() {
            Completion::AtOnce => 0.0,
            Completion::Engine => constants.wait_cycles,
            Completion::Flag => constants.poll_cycles,
        };
        let (start, ends) = match &action.kind {
            ActionKind::Transfer(transfer) => self.transfer(index, transfer, &ready, false)?,
            ActionKind::Delivery(transfer) => self.transfer(index, transfer, &ready, true)?,
            ActionKind::InNetworkReduction(reduction) => {
                self.reduction(index, reduction, &ready, false)?
            }
            ActionKind::InNetworkAllReduce(reduction) => {
                self.reduction(index, reduction, &ready, true)?
            }
            ActionKind::LocalReduce(reduce) => self.local_reduce(reduce, &ready),
            ActionKind::Compute(compute) => {
                let cycles = constants.compute_alpha_cycles + compute.cycles as f64;
                self.on_cores(&ready, cycles)
            }
            ActionKind::Kernel(kernel) => {
                self.counters.gemm_ops += kernel.operation.multiply_adds() * ready.len() as u64;
                self.on_cores(&ready, kernel.cycles as f64)
            }
            ActionKind::Barrier(barrier) => self.barrier(index, barrier, &ready)?,
            ActionKind::Chain(chain) => self.chain(index, chain, &ready)?,
            ActionKind::ListMulticast(list) => self.list_multicast(index, list, &ready)?,
            ActionKind::Message(_) | ActionKind::StaticMulticast(_) => {
                return Err(ModelError::Schedule {
                    action: index,
                    reason: format!(
                        "the model knows no {}; accepted: the simulator for core tiles",
                        action.kind.words()
                    ),
                });
            }
            ActionKind::Arrival(arrival) => {
                let root = self.find(index, arrival.root)?;
                self.arrival(root, &ready)
            }
        };
        let end = ends.iter().map(|(_, end)| *end).fold(0.0, f64::max);
        self.done[index] = Some(Ends {
            at: ends,
            wait_cycles,
        });
        Ok((start, end))
    }

    /// When each participant has finished everything that comes before.
    ///
    /// Whoever is fewer, participants or those who end an earlier action, is looked up among the others: a
    /// barrier of all comes after very many transfers of one, a transfer of one after a barrier of all.
    fn ready(&self, tiles: &[TileId], after: &[ActionId]) -> Vec<(TileId, f64)> {
        let mut ready: Vec<(TileId, f64)> = tiles.iter().map(|tile| (*tile, 0.0)).collect();
        for before in after {
            let Some(Some(ends)) = self.done.get(before.0 as usize) else {
                continue;
            };
            let wait = ends.wait_cycles;
            if ends.at.len() < ready.len() {
                for (tile, end) in &ends.at {
                    if let Ok(at) = ready.binary_search_by_key(tile, |(t, _)| *t) {
                        ready[at].1 = ready[at].1.max(end + wait);
                    }
                }
            } else {
                for (tile, ready) in &mut ready {
                    if let Ok(at) = ends.at.binary_search_by_key(tile, |(t, _)| *t) {
                        *ready = ready.max(ends.at[at].1 + wait);
                    }
                }
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

    fn per_beat(&self, beats: u64) -> f64 {
        self.constants.beta_cycles_per_beat * beats as f64
    }

    fn local_reduce(&mut self, reduce: &LocalReduce, ready: &[(TileId, f64)]) -> Shares {
        let additions = reduce.inputs.len() as u64 - 1;
        let beats = reduce.bytes.div_ceil(Cluster::COMPUTE_BEAT_BYTES) * additions.max(1);
        self.counters.software_reduce_ops += reduce.bytes / reduce.element.bytes() * additions;
        self.counters.spm_write_bytes += reduce.bytes;
        self.on_cores(ready, self.constants.compute_cycles(beats as f64))
    }

    fn on_cores(&mut self, ready: &[(TileId, f64)], cycles: f64) -> Shares {
        let mut first = f64::INFINITY;
        let mut ends = Vec::with_capacity(ready.len());
        for (tile, ready) in ready {
            let start = self.compute[tile.idx()].max(*ready);
            self.compute[tile.idx()] = start + cycles;
            first = first.min(start);
            ends.push((*tile, start + cycles));
        }
        (first, ends)
    }

    fn find(&self, action: usize, tile: TileRef) -> Result<TileId, ModelError> {
        let found = self.network.find(tile);
        found.ok_or_else(|| absent(action, &tile.to_string(), "a tile of this network"))
    }
}

pub(crate) fn absent(action: usize, what: &str, accepted: &str) -> ModelError {
    ModelError::Schedule {
        action,
        reason: format!("{what} is not on the mesh; accepted: {accepted}"),
    }
}
