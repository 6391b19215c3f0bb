// SPDX-License-Identifier: Apache-2.0
//! The hardware beside a run of the simulator, cycle by cycle.

use crate::endpoints::{Endpoints, EngineStarts, Places};
use crate::lockstep::{Follow, Lockstep, LockstepError};
use crate::messages::MessagesLockstep;
use crate::{Boundary, CosimError, HardwareError};
use noccl_net::Network;
use noccl_rtl::SmartRtlConfig;
use noccl_run::{
    CycleRecord, MemoryImage, Progress, RunConfig, RunError, RunResult, Step, Watch, WorkStage,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::path::Path;
use std::time::Instant;

/// Sees every cycle of a run in which something happens.
pub type OnCycle<'a> = &'a mut dyn FnMut(&CycleRecord);
/// Sees how far a run has come; false ends it.
pub type OnProgress<'a> = &'a mut dyn FnMut(Progress) -> bool;
/// Runs the workload from its beginning on the simulator, and tells every cycle.
pub type Simulate<'a> =
    &'a mut dyn FnMut(OnCycle<'_>, OnProgress<'_>) -> Result<RunResult, RunError>;

/// A run that the hardware has followed to its end without a difference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HardwareReport {
    /// Where hardware and simulator met: `router`, `axi` or `dma`.
    pub boundary: String,
    /// Folder of the Verilated hardware.
    pub library: String,
    /// Cycles of the hardware, after the last event too.
    pub cycles: u64,
    /// Handshakes that both had in common.
    pub handshakes: u64,
    /// Cycles per second of wall time, with the simulator and all comparisons.
    pub cycles_per_second: f64,
}

/// Cycles of the hardware between two looks at whoever watches.
const REPORT_CYCLES: u64 = 1_024;

/// What a run begins with.
#[derive(Debug, Clone)]
pub(super) struct Start<'r> {
    pub inputs: &'r [MemoryImage],
    pub places: Places,
    /// Of hardware with DMA engines.
    pub starts: EngineStarts,
    pub config: &'r RunConfig,
}

impl<'r> Start<'r> {
    /// Of hardware that holds neither memories nor engines.
    pub(super) fn of_messages(config: &'r RunConfig) -> Self {
        Self {
            inputs: &[],
            places: Places::default(),
            starts: EngineStarts::default(),
            config,
        }
    }
}

/// The hardware behind one of the boundaries.
fn open<'n>(
    (network, boundary, library): (&'n Network, Boundary, &Path),
    start: Start<'_>,
) -> Result<Box<dyn Follow + 'n>, LockstepError> {
    if SmartRtlConfig::of(network).is_some() {
        return Ok(Box::new(MessagesLockstep::open(library, network)?));
    }
    let endpoints = || Endpoints::open(library, network, start.config);
    Ok(match boundary {
        Boundary::Router => Box::new(Lockstep::open(library, network)?),
        Boundary::Axi => {
            let mut endpoints = endpoints()?;
            endpoints.fill(start.inputs);
            endpoints.put(start.places);
            Box::new(endpoints)
        }
        Boundary::Dma => {
            let mut endpoints = endpoints()?;
            endpoints.run_engines(&start.starts, start.inputs)?;
            Box::new(endpoints)
        }
    })
}

/// Hardware that follows, and who watches it.
struct Follower<'w, 'n> {
    mesh: Box<dyn Follow + 'n>,
    watch: Watch<'w>,
    /// Units done and in all, as the simulator has told last.
    units: (u64, u64),
    reported_cycle: u64,
    /// Commands without a response: nobody waits for the release of a software barrier, which a run may end with.
    open: i64,
    is_stopped: bool,
    outcome: Result<(), LockstepError>,
}

impl Follower<'_, '_> {
    /// The simulator has done a cycle. After a difference it goes on for a moment, and nobody looks.
    fn follow(&mut self, record: &CycleRecord) {
        self.idle_until(record.cycle);
        if self.is_over() {
            return;
        }
        self.open += record.commands.len() as i64 - record.completions.len() as i64;
        self.outcome = self.mesh.follow(record);
        if self.mesh.cycle() >= self.reported_cycle + REPORT_CYCLES {
            self.report();
        }
    }

    /// Follows through cycles without events, in which a watcher may end the run too.
    fn idle_until(&mut self, cycle: u64) {
        while !self.is_over() && self.mesh.cycle() < cycle {
            let next = cycle.min(self.mesh.cycle() + REPORT_CYCLES);
            self.outcome = self.mesh.idle_until(next);
            if next < cycle {
                self.report();
            }
        }
    }

    const fn is_over(&self) -> bool {
        self.is_stopped || self.outcome.is_err()
    }

    fn report(&mut self) {
        self.reported_cycle = self.mesh.cycle();
        let (done, total) = self.units;
        self.is_stopped |= !self.watch.report(Step {
            done,
            total,
            simulated_cycles: self.reported_cycle,
            activity: WorkStage::Simulating,
        });
    }
}

/// Runs the simulator with the hardware of a library beside it.
pub(super) fn followed(
    place: (&Network, Boundary, &Path),
    start: Start<'_>,
    watch: Watch<'_>,
    simulate: Simulate<'_>,
) -> Result<(RunResult, HardwareReport), CosimError> {
    let library = place.2.display().to_string();
    let failed = |error| CosimError::Hardware(HardwareError::new(&library, error));
    let began = Instant::now();
    let follower = RefCell::new(Follower {
        mesh: open(place, start).map_err(failed)?,
        watch,
        units: (0, 0),
        reported_cycle: 0,
        open: 0,
        is_stopped: false,
        outcome: Ok(()),
    });
    let mut on_cycle = |record: &CycleRecord| follower.borrow_mut().follow(record);
    let mut on_progress = |progress: Progress| {
        let mut follower = follower.borrow_mut();
        follower.units = (progress.actions_done as u64, progress.actions_total as u64);
        follower.report();
        !follower.is_over()
    };
    let result = simulate(&mut on_cycle, &mut on_progress);
    let mut follower = follower.into_inner();
    if let Ok(result) = &result {
        if follower.open <= 0 && !follower.is_over() {
            follower.outcome = follower.mesh.drain();
        }
        if !follower.is_over() {
            follower.outcome = follower.mesh.check(&result.memory);
        }
    }
    let cycles = follower.mesh.cycle();
    // What the simulator says after a difference is that somebody has stopped it.
    follower.outcome.map_err(failed)?;
    if follower.is_stopped {
        return Err(RunError::Interrupted { cycle: cycles }.into());
    }
    let report = HardwareReport {
        boundary: place.1.name().to_owned(),
        library,
        cycles,
        handshakes: follower.mesh.num_compared(),
        cycles_per_second: cycles as f64 / began.elapsed().as_secs_f64(),
    };
    Ok((result?, report))
}
