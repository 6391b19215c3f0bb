// SPDX-License-Identifier: Apache-2.0
//! A run of compiled programs on core tiles.

use super::refused;
use crate::checkpoint::{CheckpointError, Reader, Writer};
use crate::endpoint::executed_core::{ExecutedCores, ExecutedRank, RankWait};
use crate::endpoint::message_core::Planes;
use crate::execution::{Engine, Execution, Standstill};
use noccl_net::counts::max_or_zero;
use noccl_net::{Network, TileId};
use noccl_riscv::{Program, RiscvError};
use noccl_run::{
    Counters, Diagnosis, LinkLoad, OnProgress, Progress, RecordRequest, Recording, Run, RunConfig,
    RunError, Status, WaitEdge,
};
use noccl_spec::CoreTiles;
use noccl_workload::Place;
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use thiserror::Error;

/// What a compiled program runs on.
#[derive(Debug, Clone, Copy)]
pub struct ExecutedRequest<'a> {
    /// The network: core tiles.
    pub network: &'a Network,
    /// The program, the same on every core.
    pub program: &'a Program,
    /// Tile of each rank.
    pub places: &'a [TileId],
    /// Bytes of each core's memory.
    pub memory_bytes: u64,
    /// How to run.
    pub config: &'a RunConfig,
    /// Keep when cores execute and wait.
    pub has_times: bool,
}

/// What a run of compiled programs comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutedResult {
    /// When the last rank ended.
    pub cycles: u64,
    /// By rank.
    pub ranks: Vec<ExecutedRank>,
    /// Words times links.
    pub flit_hops: u64,
}

/// A rank of a compiled program that cannot go on.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("rank {rank} at {place}, cycle {cycle}: {reason}")]
pub struct RankFault {
    /// Which rank.
    pub rank: u32,
    /// Where in the program.
    pub place: String,
    /// When.
    pub cycle: u64,
    /// Why.
    pub reason: String,
}

/// Why a compiled program does not come to its end.
#[derive(Debug, Error)]
pub enum ExecutedError {
    /// The program does not fit.
    #[error(transparent)]
    Program(#[from] RiscvError),
    /// A rank cannot go on.
    #[error(transparent)]
    Fault(#[from] RankFault),
    /// The simulation.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// FIFOs that the message library's broadcasts fill, so that streams of three roots cannot mix: `FIFO_WORDS` of
/// `programs/nocmsg/collectives.c`.
const STREAM_FIFO_WORDS: u32 = 3;
/// The library's function that sets a route of the static network: programs without broadcasts do not have it.
const ROUTE_FUNCTION: &str = "nm_own_configure";

/// With longer FIFOs a short broadcast could overtake the one before it.
fn refuse_long_fifos(tiles: &CoreTiles, program: &Program) -> Result<(), RunError> {
    let words = tiles.router.static_network.input_fifo_flits;
    if words <= STREAM_FIFO_WORDS || !program.image().has_symbol(ROUTE_FUNCTION) {
        return Ok(());
    }
    Err(RunError::Refused {
        backend: "sim",
        what: "a compiled program with broadcasts over the static network".to_owned(),
        reason: format!(
            "its message library separates broadcasts for router.static_network.input_fifo_flits up to {STREAM_FIFO_WORDS}, here it is \
             {words}; accepted: at most {STREAM_FIFO_WORDS}, or a program made by noccl build --calls"
        ),
    })
}

/// A run of a compiled program between two cycles.
///
/// It can be [saved](ExecutedRun::save) there, and a process that [loads](ExecutedRun::load) it goes on to the result that this one
/// would have come to.
pub struct ExecutedRun<'a>(Execution<Executed<'a>>);

/// Cores that execute a program, and the network between them.
struct Executed<'a> {
    network: &'a Network,
    planes: Planes,
    cores: ExecutedCores<'a>,
}

impl<'a> ExecutedRun<'a> {
    /// A run before its first cycle.
    ///
    /// # Errors
    /// [`ExecutedError::Program`] if the program does not fit, [`ExecutedError::Run`] on a network without core tiles.
    pub fn new(request: &ExecutedRequest<'a>) -> Result<Self, ExecutedError> {
        request.config.check()?;
        let network = request.network;
        let tiles = network
            .cores()
            .ok_or_else(|| refused("a compiled program"))?;
        refuse_long_fifos(tiles, request.program)?;
        let mut cores = ExecutedCores::new(
            network,
            tiles,
            request.program,
            request.places,
            request.memory_bytes,
        )?;
        if request.has_times {
            cores.record_times();
        }
        let engine = Executed {
            network,
            planes: Planes::new(network, tiles),
            cores,
        };
        Ok(Self(Execution::new(engine, request.config)))
    }

    /// A run from its first cycle to what it comes to.
    ///
    /// # Errors
    /// Those of [`Self::new`] and [`Self::outcome`], [`ExecutedError::Run`] if it does not end.
    pub fn to_its_end(
        request: &ExecutedRequest<'a>,
        on_progress: OnProgress<'_>,
    ) -> Result<ExecutedResult, ExecutedError> {
        let mut run = Self::new(request)?;
        noccl_run::advance(&mut run.0, on_progress)?;
        Ok(run.outcome()?)
    }

    /// From now on links are recorded.
    pub fn record(&mut self, asked: RecordRequest) {
        self.0.record(asked);
    }

    /// What has been recorded, once.
    pub fn take_recording(&mut self) -> Option<Recording> {
        self.0.take_recording()
    }

    /// What each rank has printed so far.
    pub fn consoles(&self) -> impl Iterator<Item = &[u8]> {
        self.0.engine.cores.consoles()
    }

    /// What a run that is over has come to.
    ///
    /// # Errors
    /// [`RankFault`] if a rank could not go on.
    pub fn outcome(&self) -> Result<ExecutedResult, RankFault> {
        let cores = &self.0.engine.cores;
        match &cores.fault {
            None => Ok(self.0.result(&[])),
            Some(fault) => Err(RankFault {
                rank: fault.rank,
                place: cores.place_of(fault.pc),
                cycle: self.0.cycle(),
                reason: fault.reason.clone(),
            }),
        }
    }

    /// Appends the state to a checkpoint.
    ///
    /// # Errors
    /// [`CheckpointError::Io`].
    pub fn save<W: Write>(&self, to: &mut Writer<W>) -> Result<(), CheckpointError> {
        to.put(&self.0.saved_clock())?;
        self.0.engine.planes.save(to)?;
        self.0.engine.cores.save(to)
    }

    /// A run as it was saved. The caller has compared the checkpoint's identity with that of this request.
    ///
    /// # Errors
    /// [`CheckpointError::Damaged`], [`CheckpointError::Io`], [`CheckpointError::Run`].
    pub fn load<R: Read>(
        request: &ExecutedRequest<'a>,
        from: &mut Reader<R>,
    ) -> Result<Self, CheckpointError> {
        let mut run = Self::new(request).map_err(|error| match error {
            ExecutedError::Run(error) => CheckpointError::Run(error),
            // A run of this request has begun when it was saved.
            ExecutedError::Program(_) | ExecutedError::Fault(_) => CheckpointError::damaged(error),
        })?;
        run.0.restore_clock(from.take()?);
        let engine = &mut run.0.engine;
        engine.planes.restore(from)?;
        engine.cores.restore(&engine.planes, from)?;
        Ok(run)
    }
}

impl Run for ExecutedRun<'_> {
    type Result = ExecutedResult;

    fn status(&self) -> &dyn Status {
        &self.0
    }

    fn step(&mut self) {
        self.0.step();
    }

    fn is_over(&self) -> bool {
        Run::is_over(&self.0)
    }

    fn progress(&self) -> Progress {
        self.0.progress()
    }

    fn diagnose(&self) -> Diagnosis {
        Run::diagnose(&self.0)
    }

    fn result(&self, outputs: &[(Place, u64)]) -> ExecutedResult {
        self.0.result(outputs)
    }
}

impl Engine for Executed<'_> {
    type Result = ExecutedResult;

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
        self.planes.can_move() || self.cores.is_active()
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
        (self.cores.num_over(), self.cores.num_ranks())
    }

    fn flit_hops(&self) -> u64 {
        self.planes.flit_hops()
    }

    fn counters(&self) -> Counters {
        Counters {
            flit_hops: self.flit_hops(),
            ..Counters::default()
        }
    }

    fn links(&self) -> Vec<LinkLoad> {
        self.planes.links()
    }

    fn diagnose(&self, at: Standstill) -> Diagnosis {
        let waits = self.cores.waits();
        let summary = if waits.is_empty() {
            "no rank waits: a program runs on without end"
        } else {
            "ranks wait for each other, or for words that have not come"
        };
        let edge = |wait: RankWait| WaitEdge {
            waiter: format!("rank {} ({})", wait.rank, self.network.coord(wait.tile)),
            awaited: wait.awaited,
            place: wait.place,
            // A core that executes ahead of the network waits from a later cycle on.
            since_cycle: wait.since_cycle.min(at.cycle),
        };
        Diagnosis {
            cycle: at.cycle,
            last_progress_cycle: at.last_progress,
            summary: summary.to_owned(),
            waits: waits.into_iter().map(edge).collect(),
        }
    }

    fn result(&self, _cycle: u64, _next: u64, _: &[(Place, u64)]) -> ExecutedResult {
        let ranks = self.cores.results();
        ExecutedResult {
            cycles: max_or_zero(ranks.iter().map(|rank| rank.finish_cycle)),
            ranks,
            flit_hops: self.flit_hops(),
        }
    }
}
