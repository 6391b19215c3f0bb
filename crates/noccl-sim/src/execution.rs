// SPDX-License-Identifier: Apache-2.0
//! The run of an engine other than the machine: time, liveness, and the phases of a cycle in which programs submit actions.
//!
//! An [`Engine`] is a network with its endpoints. A cycle has two parts: [`Engine::begin`] is what becomes due and what endpoints do because
//! of it, [`Engine::finish`] is what moves. [`Execution`] counts cycles, jumps over those in which nothing happens, and says what the
//! run loop decides liveness by: whether anything moved, and whether anything will become due. The run of a schedule is that of an
//! engine that has all its actions before the first cycle; an engine that takes actions during the run ([`Submit`]) is an open run too.
//! The machine of clusters keeps its own clock, whose event wheel is part of its hot loop.

use crate::over_time::TimeRecorder;
use noccl_net::{Network, TileId};
use noccl_run::{
    Activity, Busy, Counters, Diagnosis, Ended, LinkLoad, OpenRun, Order, Progress, RecordRequest,
    Recording, Run, RunConfig, RunError, Status, TimeSlices,
};
use noccl_workload::{Action, ActionId, Place};

/// When a run stands still, for its diagnosis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Standstill {
    pub cycle: u64,
    pub last_progress: u64,
}

/// A network with its endpoints.
pub(crate) trait Engine {
    /// What a run reports at its end.
    type Result;

    /// Do programs submit what follows a delivery in the cycle of the delivery? Else in the next one.
    const RESPONDS_TO_DELIVERIES: bool = false;

    fn network(&self) -> &Network;

    /// First part of a cycle. Returns whether an endpoint has acted.
    fn begin(&mut self, cycle: u64) -> bool;

    /// Second part, of a cycle after whose first one not everything is over. Returns whether a flit has moved.
    fn finish(&mut self, cycle: u64) -> bool;

    /// May something move in the next cycle although nothing did in this one and nothing becomes due?
    fn may_move(&self) -> bool;

    /// The next cycle in which something becomes due.
    fn next_event(&self) -> Option<u64>;

    /// Is nothing in the network, and will no endpoint act before the next event?
    fn is_idle(&self) -> bool;

    /// Of an idle engine: this cycle comes next.
    fn skip_to(&mut self, _cycle: u64) {}

    fn is_over(&self) -> bool;

    /// Actions or ranks that are over, and all.
    fn num_over(&self) -> (usize, usize);

    fn flit_hops(&self) -> u64;

    fn counters(&self) -> Counters;

    /// Flits so far.
    fn links(&self) -> Vec<LinkLoad>;

    fn diagnose(&self, at: Standstill) -> Diagnosis;

    /// The result of a run whose last cycle was this, and of which the next one would have been that.
    fn result(&self, cycle: u64, next: u64, outputs: &[(Place, u64)]) -> Self::Result;
}

/// An engine that takes actions during its run ([`OpenRun`] says what each function does).
pub(crate) trait Submit: Engine {
    fn accepts(&self, action: &Action) -> Result<(), RunError>;

    fn submit(
        &mut self,
        action: Action,
        is_held: &dyn Fn(TileId) -> bool,
        order: Order,
    ) -> Result<ActionId, RunError>;

    fn release(&mut self, action: ActionId, tile: TileId, order: Order);

    /// Carries out what has been submitted since the cycle's last part; `None` if there is nothing. Returns whether an endpoint
    /// has acted.
    fn resume(&mut self, cycle: u64) -> Option<bool>;

    fn take_ended(&mut self, to: &mut Vec<Ended>);

    fn write(&mut self, place: Place, bytes: &[u8]);

    fn read(&self, place: Place, bytes: u64) -> Vec<u8>;

    fn busy(&self, _tile: TileId) -> Busy {
        Busy::default()
    }

    fn record_times(&mut self) {}

    fn times(&self, _tile: TileId) -> TimeSlices {
        TimeSlices::default()
    }
}

/// How far a cycle has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExecutionPhase {
    /// The next one has not begun.
    Between,
    Begun,
    /// Has something moved?
    Finished(bool),
}

/// A run between two cycles, or within one while programs submit actions.
pub(crate) struct Execution<E> {
    pub engine: E,
    config: RunConfig,
    clock: ExecutionClock,
    phase: ExecutionPhase,
    has_acted: bool,
    recorder: Option<Box<TimeRecorder>>,
}

/// What a checkpoint has of an execution.
pub(crate) type SavedClock = (u64, u64, u64, bool);

#[derive(Debug, Clone, Copy)]
struct ExecutionClock {
    /// The cycle that has been simulated last, and the one that comes next.
    cycle: u64,
    next: u64,
    /// The last cycle in which something moved or was going to become due.
    last_progress: u64,
    can_move: bool,
}

impl<E: Engine> Execution<E> {
    /// A run before its first cycle.
    pub(crate) fn new(engine: E, config: &RunConfig) -> Self {
        Self {
            engine,
            config: config.clone(),
            clock: ExecutionClock {
                cycle: 0,
                next: 0,
                last_progress: 0,
                can_move: true,
            },
            phase: ExecutionPhase::Between,
            has_acted: false,
            recorder: None,
        }
    }

    /// From now on links are recorded.
    pub(crate) fn record(&mut self, asked: RecordRequest) {
        let recorder = TimeRecorder::new(self.engine.network(), asked);
        self.recorder = Some(Box::new(recorder));
    }

    /// What has been recorded.
    pub(crate) fn take_recording(&mut self) -> Option<Recording> {
        let recorder = self.recorder.take()?;
        Some(recorder.finish(&self.engine.links(), |_| None))
    }

    /// What is saved of a run between two cycles, apart from its engine.
    pub(crate) const fn saved_clock(&self) -> SavedClock {
        let ExecutionClock {
            cycle,
            next,
            last_progress,
            can_move,
        } = self.clock;
        (cycle, next, last_progress, can_move)
    }

    pub(crate) const fn restore_clock(&mut self, saved: SavedClock) {
        let (cycle, next, last_progress, can_move) = saved;
        self.clock = ExecutionClock {
            cycle,
            next,
            last_progress,
            can_move,
        };
    }

    /// The cycle that has been simulated last.
    pub(crate) const fn cycle(&self) -> u64 {
        self.clock.cycle
    }

    fn begin(&mut self) {
        self.clock.cycle = self.clock.next;
        self.has_acted = self.engine.begin(self.clock.cycle);
        self.clock.next = self.clock.cycle + 1;
    }

    /// Notes what moved, and jumps over cycles in which nothing happens.
    fn end_cycle(&mut self, has_moved: bool) {
        let (cycle, event) = (self.clock.cycle, self.engine.next_event());
        self.clock.can_move = has_moved || self.engine.may_move();
        if self.clock.can_move || event.is_some() {
            self.clock.last_progress = cycle;
        }
        if let Some(event) = event
            && self.engine.is_idle()
        {
            let next = self.config.skip_to(self.clock.next, event);
            self.clock.next = next;
            // Waiting for a late event is no stall.
            self.clock.last_progress = next;
            self.engine.skip_to(next);
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.follow(self.clock.next, || self.engine.links());
        }
    }

    const fn standstill(&self) -> Standstill {
        Standstill {
            cycle: self.clock.cycle,
            last_progress: self.clock.last_progress,
        }
    }
}

impl<E: Engine> Status for Execution<E> {
    fn config(&self) -> &RunConfig {
        &self.config
    }

    fn activity(&self) -> Activity {
        Activity {
            cycle: self.clock.cycle,
            quiet_cycles: self.clock.cycle.saturating_sub(self.clock.last_progress),
            has_event: self.engine.next_event().is_some(),
            // Random stalls may let something pass that they held up.
            can_move: self.clock.can_move || self.config.stalls.is_some(),
        }
    }

    fn flit_hops(&self) -> u64 {
        self.engine.flit_hops()
    }

    fn num_tiles(&self) -> usize {
        self.engine.network().num_tiles()
    }

    fn counters(&self) -> Counters {
        self.engine.counters()
    }
}

impl<E: Engine> Run for Execution<E> {
    type Result = E::Result;

    fn status(&self) -> &dyn Status {
        self
    }

    fn step(&mut self) {
        self.begin();
        if !self.engine.is_over() {
            let has_moved = self.engine.finish(self.clock.cycle);
            self.end_cycle(self.has_acted || has_moved);
        }
    }

    fn is_over(&self) -> bool {
        self.engine.is_over()
    }

    fn progress(&self) -> Progress {
        let (actions_done, actions_total) = self.engine.num_over();
        Progress {
            cycle: self.clock.next,
            actions_done,
            actions_total,
        }
    }

    fn diagnose(&self) -> Diagnosis {
        self.engine.diagnose(self.standstill())
    }

    fn result(&self, outputs: &[(Place, u64)]) -> E::Result {
        let ExecutionClock { cycle, next, .. } = self.clock;
        self.engine.result(cycle, next, outputs)
    }
}

impl<E: Submit> Execution<E> {
    /// Continues up to the next part of the cycle, or carries out what has been submitted since the last one.
    fn continue_cycle(&mut self) {
        let cycle = self.clock.cycle;
        if self.phase != ExecutionPhase::Between
            && let Some(has_acted) = self.engine.resume(cycle)
        {
            self.has_acted |= has_acted;
            return;
        }
        match self.phase {
            ExecutionPhase::Between => {
                self.begin();
                self.phase = ExecutionPhase::Begun;
            }
            ExecutionPhase::Begun => {
                let has_moved = self.engine.finish(cycle);
                self.phase = ExecutionPhase::Finished(has_moved);
                if !E::RESPONDS_TO_DELIVERIES {
                    self.end_cycle(self.has_acted || has_moved);
                    self.phase = ExecutionPhase::Between;
                }
            }
            ExecutionPhase::Finished(has_moved) => {
                self.end_cycle(self.has_acted || has_moved);
                self.phase = ExecutionPhase::Between;
            }
        }
    }
}

impl<E: Submit> OpenRun for Execution<E> {
    fn status(&self) -> &dyn Status {
        self
    }

    fn cycle(&self) -> u64 {
        match self.phase {
            ExecutionPhase::Between => self.clock.next,
            ExecutionPhase::Begun | ExecutionPhase::Finished(_) => self.clock.cycle,
        }
    }

    fn accepts(&self, action: &Action) -> Result<(), RunError> {
        self.engine.accepts(action)
    }

    fn submit(
        &mut self,
        action: Action,
        is_held: &dyn Fn(TileId) -> bool,
        order: Order,
    ) -> Result<ActionId, RunError> {
        self.engine.submit(action, is_held, order)
    }

    fn release(&mut self, action: ActionId, tile: TileId, order: Order) {
        self.engine.release(action, tile, order);
    }

    fn advance(&mut self, ended: &mut Vec<Ended>) -> Result<(), RunError> {
        while !self.engine.is_over() {
            self.continue_cycle();
            self.engine.take_ended(ended);
            if !ended.is_empty() {
                return Ok(());
            }
            let is_between = self.phase == ExecutionPhase::Between;
            if is_between && self.activity().is_stalled(&self.config) {
                return Err(RunError::Stall(Box::new(self.diagnose())));
            }
        }
        Ok(())
    }

    fn write(&mut self, place: Place, bytes: &[u8]) {
        self.engine.write(place, bytes);
    }

    fn read(&self, place: Place, bytes: u64) -> Vec<u8> {
        self.engine.read(place, bytes)
    }

    fn busy(&self, tile: TileId) -> Busy {
        self.engine.busy(tile)
    }

    fn record_times(&mut self) {
        self.engine.record_times();
    }

    fn times(&self, tile: TileId) -> TimeSlices {
        self.engine.times(tile)
    }

    fn record(&mut self, asked: RecordRequest) {
        self.record(asked);
    }

    fn take_recording(&mut self) -> Option<Recording> {
        self.take_recording()
    }
}
