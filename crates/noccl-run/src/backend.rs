// SPDX-License-Identifier: Apache-2.0
//! The contract of a backend: what starts a run, moves it on, watches it and reads it.
//!
//! A [`Run`] stands between two cycles. It says what it is doing ([`Status`], [`Progress`]) and decides nothing about
//! its own end: the limits, the pace of the progress callback and the interruption are those of [`crate::advance`], once
//! for all backends. [`crate::conformance`] holds what every backend has to keep.

use crate::{Counters, Diagnosis, MemoryImage, Progress, RunConfig, RunError, RunResult};
use noccl_net::Network;
use noccl_workload::{Place, Schedule};
use std::io::{Read, Seek, Write};

/// Called now and then with the progress of a run; returns false to interrupt it.
pub type OnProgress<'a> = &'a mut dyn FnMut(Progress) -> bool;

/// What a backend runs.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The network.
    pub network: &'a Network,
    /// The schedule.
    pub schedule: &'a Schedule,
    /// What the memories hold before the first cycle.
    pub inputs: &'a [MemoryImage],
    /// How to run.
    pub config: &'a RunConfig,
}

/// Runs schedules.
pub trait Backend {
    /// A run of this backend.
    type Run<'a>: Run<Result = RunResult>;

    /// A run before its first cycle.
    ///
    /// # Errors
    /// [`RunError::Refused`] with what would be accepted.
    fn start<'a>(&self, request: &Request<'a>) -> Result<Self::Run<'a>, RunError>;
}

/// A backend whose runs can be written out between two cycles and go on in another process.
pub trait Checkpoints: Backend {
    /// Why a checkpoint cannot be written or read.
    type Error: std::error::Error;

    /// Writes the state of a run.
    ///
    /// # Errors
    /// If the run has no state that can be saved, or the writer fails.
    fn save<W: Write>(&self, run: &Self::Run<'_>, to: W) -> Result<W, Self::Error>;

    /// A run of the same request as it was saved.
    ///
    /// # Errors
    /// If these are not the bytes of such a run.
    fn load<'a, R: Read + Seek>(
        &self,
        request: &Request<'a>,
        from: R,
    ) -> Result<Self::Run<'a>, Self::Error>;
}

/// How a run runs, what it is doing and what it has counted: all that no driver of it has a say in.
pub trait Status {
    /// How it runs.
    fn config(&self) -> &RunConfig;

    /// What it is doing, for the detection of a stall.
    fn activity(&self) -> Activity;

    /// Flits that have crossed a link so far: the work by which the pace of the progress is set.
    fn flit_hops(&self) -> u64;

    /// Tiles of the network.
    fn num_tiles(&self) -> usize;

    /// Event counts so far.
    fn counters(&self) -> Counters;
}

/// A run between two cycles.
pub trait Run {
    /// What it reports at its end.
    type Result;

    /// What it is doing.
    fn status(&self) -> &dyn Status;

    /// Simulates one cycle, and skips those after it in which nothing happens.
    fn step(&mut self);

    /// Is everything done?
    fn is_over(&self) -> bool;

    /// What it has done.
    fn progress(&self) -> Progress;

    /// Who waits for whom.
    fn diagnose(&self) -> Diagnosis;

    /// The result of a run that is over; `outputs` (place, bytes) are read from the memories, if it has some.
    fn result(&self, outputs: &[(Place, u64)]) -> Self::Result;
}

/// What a run does between two cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Activity {
    /// Cycle that is compared with [`RunConfig::max_cycles`].
    pub cycle: u64,
    /// Cycles since anything moved or became due.
    pub quiet_cycles: u64,
    /// Will anything become due?
    pub has_event: bool,
    /// May anything move before that?
    pub can_move: bool,
}

impl Activity {
    /// Has the run reached its limit, or will it never do anything again?
    #[inline]
    #[must_use]
    pub const fn is_stalled(&self, config: &RunConfig) -> bool {
        let is_quiet = !self.can_move || self.quiet_cycles > config.stall_cycles;
        self.cycle >= config.max_cycles || (!self.has_event && is_quiet)
    }
}
