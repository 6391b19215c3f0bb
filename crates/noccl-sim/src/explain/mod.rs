// SPDX-License-Identifier: Apache-2.0
//! Why a run takes as long as it does: two passes over the same run.
//!
//! Who has to be watched is known only when the run is over, and to watch everything would cost more than the run. A run of the same
//! request is the same to the cycle. So the first pass notes when transactions begin and end ([`log`]); from that the critical path
//! follows ([`path`]); the second pass looks in every cycle at the one flit on that path ([`watcher`]) and at what blocks it ([`wait`]).
//! Neither pass touches the loop over flits: without an explanation a run tests once more per transaction and per cycle.

mod follow;
pub(crate) mod log;
mod path;
mod usage;
mod wait;
pub(crate) mod watcher;

use crate::driver::result_of;
use crate::driver::schedule::ScheduleRun;
use crate::endpoint::core::Agents;
use crate::machine::Machine;
use crate::over_time::TimeRecorder;
use crate::router::behaviour_for;
use log::{Index, Log};
use noccl_net::Network;
use noccl_run::{
    Breakdown, Cause, CauseCycles, OnProgress, PathStep, Resource, RunConfig, RunError, RunResult,
    advance,
};
use noccl_workload::Schedule;
use path::Walk;
use std::collections::BTreeMap;
use watcher::Watcher;

/// What a run takes notes for.
#[derive(Debug)]
pub(crate) enum Observer {
    /// First pass.
    Log(Box<Log>),
    /// Second pass.
    Watcher(Box<Watcher>),
    /// Not an explanation: the record of a run over time.
    Recorder(Box<TimeRecorder>),
}

/// Can a run on this network be explained cycle by cycle? Those that are simulated without AXI interfaces cannot.
#[must_use]
pub fn explains_every_cycle(network: &Network) -> bool {
    behaviour_for(network, "an explanation of cycles").is_ok()
}

/// Runs a schedule and says where its cycles go. `from_cycle` gets the result: cycles before what it returns are not explained.
///
/// # Errors
/// As [`crate::run_schedule`]; [`RunError::Refused`] for routers that are simulated without AXI interfaces.
pub fn explain_schedule(
    network: &Network,
    schedule: &Schedule,
    config: &RunConfig,
    from_cycle: impl FnOnce(&RunResult) -> u64,
    on_progress: OnProgress<'_>,
) -> Result<(RunResult, Breakdown), RunError> {
    let (axi, _) = behaviour_for(network, "an explanation of cycles")?;
    let observer = Observer::Log(Box::default());
    let (machine, agents) = observed(network, schedule, config, observer, on_progress)?;
    let result = result_of(&machine, agents.times(), &[]);
    let log = match machine.observer {
        Some(Observer::Log(log)) => *log,
        Some(Observer::Watcher(_) | Observer::Recorder(_)) | None => Log::default(),
    };
    let index = Index::new(log);
    let (stretches, path) = Walk::new(axi, schedule, &agents, &index).run();
    let from = from_cycle(&result);
    let until = stretches.last().map_or(from, |stretch| stretch.end);
    let usage = usage::busiest(axi, &index, &result.links);
    let observer = Observer::Watcher(Box::new(Watcher::new(stretches, from, usage)));
    let (machine, _) = observed(network, schedule, config, observer, on_progress)?;
    let (cycles, busiest) = match machine.observer {
        Some(Observer::Watcher(mut watcher)) => {
            watcher.finish();
            let usage = watcher.usage.into_iter().map(usage::Usage::into_use);
            (watcher.cycles, usage.collect())
        }
        Some(Observer::Log(_) | Observer::Recorder(_)) | None => (BTreeMap::new(), Vec::new()),
    };
    let breakdown = Breakdown {
        start_cycle: from,
        cycles: until.saturating_sub(from),
        causes: by_cause(cycles),
        path: clipped(path, from),
        busiest,
    };
    Ok((result, breakdown))
}

/// A run from its first to its last cycle.
fn observed<'a>(
    network: &'a Network,
    schedule: &'a Schedule,
    config: &RunConfig,
    observer: Observer,
    on_progress: OnProgress<'_>,
) -> Result<(Machine<'a>, Agents<'a>), RunError> {
    let mut machine = Machine::of(network, config, "an explanation of cycles")?;
    machine.observer = Some(observer);
    let mut run = ScheduleRun::on(machine, schedule, &[])?;
    advance(&mut run, on_progress)?;
    Ok(run.into_parts())
}

/// Cycles by cause, with the resource that has most of each.
fn by_cause(cycles: BTreeMap<(Cause, Option<Resource>), u64>) -> Vec<CauseCycles> {
    let mut causes: Vec<CauseCycles> = Vec::new();
    for ((cause, resource), cycles) in cycles {
        let last = causes.last_mut().filter(|last| last.cause == cause);
        let most = resource.map(|resource| (resource, cycles));
        match last {
            Some(known) => {
                known.cycles += cycles;
                let is_more =
                    |most: &(Resource, u64)| known.most.is_none_or(|before| before.1 < most.1);
                known.most = most.filter(is_more).or(known.most);
            }
            None => causes.push(CauseCycles {
                cause,
                cycles,
                most,
            }),
        }
    }
    causes
}

/// The steps from a cycle on.
fn clipped(path: Vec<PathStep>, from: u64) -> Vec<PathStep> {
    let later = path.into_iter().filter(|step| step.end_cycle > from);
    later
        .map(|step| PathStep {
            start_cycle: step.start_cycle.max(from),
            ..step
        })
        .collect()
}

impl Machine<'_> {
    /// An endpoint asks its interface for a transaction, or contributes to one.
    #[cold]
    pub(crate) fn note_command(&mut self, tile: u32, slot: u32) {
        let (txn, now) = (self.interfaces.txns.get(slot), self.clock.now());
        match &mut self.observer {
            Some(Observer::Log(log)) => {
                let set = self.interfaces.txns.trees.set(slot);
                log.command(slot, txn, set, tile, now);
            }
            Some(Observer::Watcher(watcher)) => watcher.command(slot, txn.owner, tile),
            Some(Observer::Recorder(recorder)) => recorder.command(slot, txn, tile, now),
            None => {}
        }
    }

    /// The last beat of a transaction is at its target.
    #[inline]
    pub(crate) fn note_delivered(&mut self, tile: u32, slot: u32) {
        match &mut self.observer {
            Some(Observer::Log(log)) => log.delivered(slot, tile, self.clock.now()),
            Some(Observer::Recorder(recorder)) => recorder.delivered(slot, self.clock.now()),
            Some(Observer::Watcher(_)) | None => {}
        }
    }

    /// A tile has the last response to a transaction.
    #[inline]
    pub(crate) fn note_completed(&mut self, tile: u32, slot: u32) {
        match &mut self.observer {
            Some(Observer::Log(log)) => log.completed(slot, tile, self.clock.now()),
            Some(Observer::Watcher(watcher)) => watcher.completed(slot, tile),
            Some(Observer::Recorder(recorder)) => recorder.completed(slot, self.clock.now()),
            None => {}
        }
    }

    /// A transaction is over.
    #[inline]
    pub(crate) fn note_closed(&mut self, slot: u32) {
        match &mut self.observer {
            Some(Observer::Log(log)) => log.closed(slot),
            Some(Observer::Recorder(recorder)) => {
                recorder.closed(slot, self.interfaces.txns.get(slot));
            }
            Some(Observer::Watcher(_)) | None => {}
        }
    }

    /// The end of a cycle, before the registers change.
    #[cold]
    pub(crate) fn note_cycle(&mut self) {
        if let Some(mut observer) = self.observer.take() {
            if let Observer::Watcher(watcher) = &mut observer {
                watcher.observe(self);
            }
            self.observer = Some(observer);
        }
    }
}
