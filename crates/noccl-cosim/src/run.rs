// SPDX-License-Identifier: Apache-2.0
//! Runs in lock-step with the hardware: a schedule or a trace, on the simulator that is passed in.
//!
//! The simulator records its run cycle by cycle, and the hardware follows while it runs ([`followed`]): no record is kept.

use crate::endpoints::{
    Endpoints, EngineStarts, Places, places_of, refuse_network, refuse_schedule,
};
use crate::library::{Arithmetic, Boundary, BuildInputs, find_or_build, read_sources};
use crate::lockstep::{Follow, Lockstep, LockstepError};
use crate::messages::MessagesLockstep;
use crate::{CosimError, HardwareError};
use noccl_net::Network;
use noccl_rtl::{PARTS, RtlConfig, RtlError, SmartRtlConfig, SourceFile, hardware_sources};
use noccl_run::{
    CycleRecord, MemoryImage, Progress, RunConfig, RunError, RunResult, Step, Tally, Watch,
    WorkStage,
};
use noccl_workload::{Schedule, Trace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Which hardware follows a run.
#[derive(Debug, Clone, Copy)]
pub struct Hardware<'h> {
    /// Where hardware and simulator meet.
    pub boundary: Boundary,
    /// Folder `rtl` of a checkout; `None` for the hardware that this program was built with.
    pub sources: Option<&'h Path>,
}

/// Runs a schedule, which the checker has accepted, in lock-step. At the DMA engines' boundary it is simulated twice.
///
/// # Errors
/// [`CosimError`]: no hardware for the network or the schedule, no library, a difference, or the simulator's own.
pub fn run_schedule(
    network: &Network,
    schedule: &Schedule,
    (inputs, config): (&[MemoryImage], &RunConfig),
    (hardware, watch): (Hardware<'_>, Watch<'_>),
    simulate: Simulate<'_>,
) -> Result<(RunResult, HardwareReport), CosimError> {
    if let Some(numbers) = SmartRtlConfig::of(network) {
        let library = hardware.message_library(&numbers?, watch)?;
        let place = (network, Boundary::Router, library.as_path());
        return followed(place, Start::of_messages(config), watch, simulate);
    }
    let numbers = RtlConfig::new(network)?;
    let boundary = hardware.boundary;
    if boundary != Boundary::Router {
        refuse_network(&numbers)?;
        refuse_schedule(schedule)?;
    }
    let arithmetic = Arithmetic::of_schedule(schedule)?;
    let mut starts = EngineStarts::default();
    if boundary == Boundary::Dma {
        starts = engine_starts(watch, simulate)?;
    }
    let library = hardware.library(&numbers, arithmetic, watch)?;
    let place = (network, boundary, library.as_path());
    let start = Start {
        inputs,
        places: Places::default(),
        starts,
        config,
    };
    followed(place, start, watch, simulate)
}

/// Replays a trace in lock-step.
///
/// # Errors
/// As [`run_schedule`]; [`CosimError::Boundary`] at the DMA engines' boundary.
pub fn run_trace(
    network: &Network,
    trace: &Trace,
    config: &RunConfig,
    (hardware, watch): (Hardware<'_>, Watch<'_>),
    simulate: Simulate<'_>,
) -> Result<(RunResult, HardwareReport), CosimError> {
    if SmartRtlConfig::of(network).is_some() {
        return Err(CosimError::Rtl(RtlError::Refused {
            field: "router.flow".to_owned(),
            found: "\"smart\"".to_owned(),
            accepted: "accepted for traces of AXI transactions: \"non_blocking\"; for schedules this one too".to_owned(),
        }));
    }
    let numbers = RtlConfig::new(network)?;
    let boundary = hardware.boundary;
    let mut places = Places::default();
    match boundary {
        Boundary::Router => {}
        Boundary::Axi => {
            refuse_network(&numbers)?;
            places = places_of(trace)?;
        }
        Boundary::Dma => {
            let accepted = "accepted for traces, which no engine starts: router, axi";
            let boundary = boundary.name();
            return Err(CosimError::Boundary { boundary, accepted });
        }
    }
    let library = hardware.library(&numbers, Arithmetic::of_trace(trace), watch)?;
    let place = (network, boundary, library.as_path());
    let start = Start {
        inputs: &[],
        places,
        starts: EngineStarts::default(),
        config,
    };
    followed(place, start, watch, simulate)
}

/// When the engines of a schedule begin their transfers, by a run of the simulator alone: their registers are accessed before.
fn engine_starts(watch: Watch<'_>, simulate: Simulate<'_>) -> Result<EngineStarts, RunError> {
    let mut starts = EngineStarts::default();
    let mut note = |record: &CycleRecord| starts.add(record);
    Tally::run_actions(watch, |on_progress| simulate(&mut note, on_progress))?;
    Ok(starts)
}

impl Hardware<'_> {
    /// Folder of the library, which is made if there is none.
    fn library(
        self,
        config: &RtlConfig,
        arithmetic: Arithmetic,
        watch: Watch<'_>,
    ) -> Result<PathBuf, CosimError> {
        let (folder, sources) = self.sources()?;
        let boundary = self.boundary;
        let inputs = BuildInputs::new(config, boundary, arithmetic, &folder, &sources)?;
        let name = format!("{}-{}", config.network, boundary.name());
        find_or_build(&name, &inputs, watch)
    }

    /// The same of routers with bypass.
    fn message_library(
        self,
        config: &SmartRtlConfig,
        watch: Watch<'_>,
    ) -> Result<PathBuf, CosimError> {
        if self.boundary != Boundary::Router {
            return Err(CosimError::Boundary {
                boundary: self.boundary.name(),
                accepted: "accepted with router.flow = \"smart\", whose interfaces are the simulator's only: router",
            });
        }
        let (folder, sources) = self.sources()?;
        let inputs = BuildInputs::of_smart(config, &folder, &sources)?;
        let name = format!("{}-{}", config.network, self.boundary.name());
        find_or_build(&name, &inputs, watch)
    }

    /// Where the hardware stands, and its files.
    fn sources(self) -> Result<(String, Vec<SourceFile>), CosimError> {
        let (folder, sources) = match self.sources {
            None => (Path::new("rtl"), hardware_sources()),
            Some(folder) => (folder, read_sources(folder, &PARTS)?),
        };
        Ok((folder.display().to_string(), sources))
    }
}

// The hardware beside a run of the simulator, cycle by cycle.

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
