// SPDX-License-Identifier: Apache-2.0
//! Core tiles and their networks as an engine.

use super::diagnose::diagnose;
use super::refused;
use crate::endpoint::message_core::{Cores, Planes};
use crate::execution::{Engine, Execution, Standstill, Submit};
use noccl_net::counts::max_or_zero;
use noccl_net::{Network, TileId};
use noccl_run::{
    Busy, Counters, Diagnosis, Ended, LinkLoad, Order, Request, RunConfig, RunError, RunResult,
    TimeSlices,
};
use noccl_workload::{Action, ActionId, Place};

/// Cores and the networks between them.
pub(crate) struct CoreTiles<'a> {
    network: &'a Network,
    planes: Planes,
    cores: Cores<'a>,
}

/// The run of a schedule before its first cycle.
///
/// # Errors
/// [`RunError::Refused`].
pub(crate) fn schedule_run<'a>(
    request: &Request<'a>,
) -> Result<Execution<CoreTiles<'a>>, RunError> {
    let network = request.network;
    let tiles = network.cores().ok_or_else(|| refused("the network"))?;
    let mut cores = Cores::new(network, tiles, request.schedule, request.config)?;
    cores.fill(request.inputs)?;
    let engine = CoreTiles {
        network,
        planes: Planes::new(network, tiles),
        cores,
    };
    Ok(Execution::new(engine, request.config))
}

/// A run of programs before its first cycle.
///
/// # Errors
/// [`RunError::Refused`].
pub(crate) fn open_run<'a>(
    network: &'a Network,
    config: &RunConfig,
) -> Result<Execution<CoreTiles<'a>>, RunError> {
    let tiles = network.cores().ok_or_else(|| refused("the network"))?;
    if config.is_lock_step {
        return Err(RunError::Refused {
            backend: "sim",
            what: "rounds in lock-step".to_owned(),
            reason: "programs have no rounds; accepted: schedules".to_owned(),
        });
    }
    let engine = CoreTiles {
        network,
        planes: Planes::new(network, tiles),
        cores: Cores::open(network, tiles, config),
    };
    Ok(Execution::new(engine, config))
}

impl CoreTiles<'_> {
    /// Routes of the static network that cores have written so far.
    pub(crate) const fn route_writes(&self) -> u64 {
        self.cores.route_writes
    }
}

impl Engine for CoreTiles<'_> {
    type Result = RunResult;

    fn network(&self) -> &Network {
        self.network
    }

    fn begin(&mut self, cycle: u64) -> bool {
        self.cores.act(cycle, &mut self.planes)
    }

    fn finish(&mut self, cycle: u64) -> bool {
        self.planes.step(cycle, &mut self.cores)
    }

    fn may_move(&self) -> bool {
        self.planes.can_move()
    }

    fn next_event(&self) -> Option<u64> {
        self.cores.next_event()
    }

    fn is_idle(&self) -> bool {
        self.planes.is_idle() && !self.cores.is_active()
    }

    fn is_over(&self) -> bool {
        self.cores.is_over()
    }

    fn num_over(&self) -> (usize, usize) {
        (self.cores.num_over(), self.cores.num_actions())
    }

    fn flit_hops(&self) -> u64 {
        self.planes.flit_hops()
    }

    fn counters(&self) -> Counters {
        let mut counters = self.cores.counters;
        counters.flit_hops = self.flit_hops();
        counters
    }

    fn links(&self) -> Vec<LinkLoad> {
        self.planes.links()
    }

    fn diagnose(&self, at: Standstill) -> Diagnosis {
        let Standstill {
            cycle,
            last_progress,
        } = at;
        diagnose(
            self.network,
            &self.planes,
            &self.cores,
            cycle,
            last_progress,
        )
    }

    fn result(&self, _cycle: u64, next: u64, outputs: &[(Place, u64)]) -> RunResult {
        let actions = self.cores.times();
        let last = max_or_zero(actions.iter().map(|time| time.finish_cycle));
        RunResult {
            cycles: last,
            responses: vec![0; actions.len()],
            actions,
            counters: self.counters(),
            links: self.links(),
            memory: self.cores.read(outputs),
            checksum: self.cores.checksum,
            wrong_transactions: self.cores.wrong_units,
            blocked_link_cycles: Some(self.planes.blocked_cycles(next)),
        }
    }
}

impl Submit for CoreTiles<'_> {
    fn accepts(&self, action: &Action) -> Result<(), RunError> {
        self.cores.accepts(action)
    }

    fn submit(
        &mut self,
        action: Action,
        is_held: &dyn Fn(TileId) -> bool,
        order: Order,
    ) -> Result<ActionId, RunError> {
        self.cores.submit(action, is_held, order)
    }

    fn release(&mut self, action: ActionId, tile: TileId, order: Order) {
        self.cores.release(action, tile, order);
    }

    fn resume(&mut self, cycle: u64) -> Option<bool> {
        let has_more = self.cores.asks();
        has_more.then(|| self.cores.act_again(cycle, &mut self.planes))
    }

    fn take_ended(&mut self, to: &mut Vec<Ended>) {
        self.cores.take_ended(to);
    }

    fn write(&mut self, place: Place, bytes: &[u8]) {
        self.cores.memories.write_place(self.network, place, bytes);
    }

    fn read(&self, place: Place, bytes: u64) -> Vec<u8> {
        self.cores.memories.read_place(self.network, place, bytes)
    }

    fn busy(&self, tile: TileId) -> Busy {
        self.cores.busy(tile)
    }

    fn record_times(&mut self) {
        self.cores.record_times();
    }

    fn times(&self, tile: TileId) -> TimeSlices {
        self.cores.times_of(tile)
    }
}
