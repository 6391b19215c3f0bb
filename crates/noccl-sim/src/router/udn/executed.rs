// SPDX-License-Identifier: Apache-2.0
//! A run of compiled programs on core tiles.

use super::refused;
use crate::checkpoint::{CheckpointError, Reader, Writer};
use crate::endpoint::executed_core::{ExecutedCores, ExecutedRank, RankWait};
use crate::endpoint::message_core::Planes;
use noccl_net::{Network, TileId};
use noccl_riscv::{Program, RiscvError};
use noccl_run::{
    Activity, Counters, Diagnosis, OnProgress, Progress, Run, RunConfig, RunError, Status, WaitEdge,
};
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

/// A run of a compiled program between two cycles.
///
/// It can be [saved](ExecutedRun::save) there, and a process that [loads](ExecutedRun::load) it goes on to the result that this one
/// would have come to.
pub struct ExecutedRun<'a> {
    network: &'a Network,
    config: RunConfig,
    planes: Planes,
    cores: ExecutedCores<'a>,
    /// The cycle that has been simulated last, and the one that comes next.
    cycle: u64,
    next: u64,
    last_progress: u64,
    can_move: bool,
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
        Ok(Self {
            network,
            config: request.config.clone(),
            planes: Planes::new(network, tiles),
            cores,
            cycle: 0,
            next: 0,
            last_progress: 0,
            can_move: true,
        })
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
        noccl_run::advance(&mut run, on_progress)?;
        Ok(run.outcome()?)
    }

    /// What each rank has printed so far.
    pub fn consoles(&self) -> impl Iterator<Item = &[u8]> {
        self.cores.consoles()
    }

    /// What a run that is over has come to.
    ///
    /// # Errors
    /// [`RankFault`] if a rank could not go on.
    pub fn outcome(&self) -> Result<ExecutedResult, RankFault> {
        match &self.cores.fault {
            None => Ok(self.result(&[])),
            Some(fault) => Err(RankFault {
                rank: fault.rank,
                place: self.cores.place_of(fault.pc),
                cycle: self.cycle,
                reason: fault.reason.clone(),
            }),
        }
    }

    /// Appends the state to a checkpoint.
    ///
    /// # Errors
    /// [`CheckpointError::Io`].
    pub fn save<W: Write>(&self, to: &mut Writer<W>) -> Result<(), CheckpointError> {
        let Self {
            // What the run is of.
            network: _,
            config: _,
            planes,
            cores,
            cycle,
            next,
            last_progress,
            can_move,
        } = self;
        to.put(&(cycle, next, last_progress, can_move))?;
        planes.save(to)?;
        cores.save(to)
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
        (run.cycle, run.next, run.last_progress, run.can_move) = from.take()?;
        run.planes.restore(from)?;
        run.cores.restore(&run.planes, from)?;
        Ok(run)
    }
}

impl Status for ExecutedRun<'_> {
    fn config(&self) -> &RunConfig {
        &self.config
    }

    fn activity(&self) -> Activity {
        Activity {
            cycle: self.cycle,
            quiet_cycles: self.cycle.saturating_sub(self.last_progress),
            has_event: self.cores.next_event().is_some(),
            can_move: self.can_move,
        }
    }

    fn flit_hops(&self) -> u64 {
        self.planes.flit_hops()
    }

    fn num_tiles(&self) -> usize {
        self.network.num_tiles()
    }

    fn counters(&self) -> Counters {
        Counters {
            flit_hops: self.flit_hops(),
            ..Counters::default()
        }
    }
}

impl Run for ExecutedRun<'_> {
    type Result = ExecutedResult;

    fn status(&self) -> &dyn Status {
        self
    }

    fn step(&mut self) {
        let now = self.next;
        self.cycle = now;
        let has_acted = self.cores.act(now, &mut self.planes);
        self.next = now + 1;
        if self.cores.is_over() {
            return;
        }
        let has_moved = self.planes.step(now, &mut self.cores);
        self.can_move = has_acted || has_moved || self.planes.can_move() || self.cores.is_active();
        if has_acted || has_moved || self.cores.next_event().is_some() {
            self.last_progress = now;
        }
        if self.planes.is_idle()
            && !self.cores.is_active()
            && let Some(event) = self.cores.next_event()
        {
            self.next = self.config.skip_to(self.next, event);
            self.last_progress = self.next;
        }
    }

    fn is_over(&self) -> bool {
        self.cores.is_over()
    }

    fn progress(&self) -> Progress {
        Progress {
            cycle: self.next,
            actions_done: self.cores.num_over(),
            actions_total: self.cores.num_ranks(),
        }
    }

    fn diagnose(&self) -> Diagnosis {
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
            since_cycle: wait.since_cycle.min(self.cycle),
        };
        Diagnosis {
            cycle: self.cycle,
            last_progress_cycle: self.last_progress,
            summary: summary.to_owned(),
            waits: waits.into_iter().map(edge).collect(),
        }
    }

    fn result(&self, _: &[(Place, u64)]) -> ExecutedResult {
        let ranks = self.cores.results();
        ExecutedResult {
            cycles: ranks
                .iter()
                .map(|rank| rank.finish_cycle)
                .max()
                .unwrap_or(0),
            ranks,
            flit_hops: self.flit_hops(),
        }
    }
}
