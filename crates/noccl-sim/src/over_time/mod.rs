// SPDX-License-Identifier: Apache-2.0
//! The record of a run over time: links, blocked ports and transactions, in a bounded number of windows.
//!
//! Links are counted anyway: their counters are compared at the end of a window. Which inputs are blocked can be read off the
//! registers after arbitration, for 64 routers at a time. So a run that is not recorded tests once more per cycle and per burst, and
//! never per flit.

mod blocked;
mod transactions;
mod windows;

use crate::driver::links;
use crate::driver::trace::run::TraceRun;
use crate::explain::Observer;
use crate::machine::Machine;
use crate::router::collective::control::block::{LANES, PORTS};
use crate::router::collective::plane::PlaneState;
use crate::simulator::{Simulation, Simulator};
use crate::transport::transaction::{Trees, Txn};
use blocked::{BlockedCycles, MERGE_POINT};
use noccl_net::{LinkId, Network, Port, TileId};
use noccl_run::{
    BLOCKING_CAUSES, Backend, Diagnosis, LinkLoad, OnProgress, RecordRequest, Recording, Request,
    Run, RunConfig, RunError, RunResult, Window,
};
use noccl_spec::{Plane, PlaneName};
use noccl_workload::{Place, Trace};
use transactions::Transactions;
use windows::Windows;

/// Steps between two reports of the progress.
const REPORT_STEPS: u64 = 256;

/// Positions in [`BLOCKING_CAUSES`].
const NO_SPACE: usize = 0;
const ARBITRATION: usize = 1;
const CONTRIBUTIONS: usize = 2;
const MEMORY_PORT: usize = 3;
const ADDITION: usize = 4;

/// A run with its record.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// Result; of a run that stalled what it had done until then.
    pub result: RunResult,
    /// Record.
    pub recording: Recording,
    /// Why the run could not go on.
    pub stall: Option<Diagnosis>,
}

/// Runs a schedule and records it; `outputs` of a run that ends are read back. Links are recorded for routers of every kind; blocked
/// ports and transactions where clusters have AXI interfaces, but for ESP and SMART.
///
/// # Errors
/// As [`crate::run_schedule`]; a stall is no error.
pub fn record_over_time(
    request: &Request<'_>,
    outputs: &[(Place, u64)],
    asked: RecordRequest,
    on_progress: OnProgress<'_>,
) -> Result<Recorded, RunError> {
    let mut run = Simulator.start(request)?;
    let mut steps = Steps::new(request.network, &mut run, asked);
    let mut stall = None;
    while !run.is_over() && stall.is_none() {
        match noccl_run::step(&mut run) {
            Ok(_) => steps.after(&run, on_progress)?,
            Err(RunError::Stall(diagnosis)) => stall = Some(*diagnosis),
            Err(error @ (RunError::Refused { .. } | RunError::Interrupted { .. })) => {
                return Err(error);
            }
        }
    }
    let result = run.result(if stall.is_none() { outputs } else { &[] });
    let recorder = steps.recorder.or_else(|| run.take_recorder());
    let recorder = recorder.expect("it is here or inside the engine");
    let recording = recorder.finish(&result.links, |instance| run.action_of(instance));
    Ok(Recorded {
        result,
        recording,
        stall,
    })
}

/// Replays a trace and records it.
///
/// # Errors
/// As [`crate::run_trace`].
pub fn record_trace_over_time(
    network: &Network,
    trace: &Trace,
    config: &RunConfig,
    asked: RecordRequest,
    on_progress: OnProgress<'_>,
) -> Result<(RunResult, Recording), RunError> {
    let mut machine = Machine::of(network, config, "a trace")?;
    machine.record(asked);
    let mut run = TraceRun::new(machine, trace)?;
    noccl_run::advance(&mut run, on_progress)?;
    let result = run.result(&[]);
    let recording = run.take_recording().expect("the machine records");
    Ok((result, recording))
}

/// What follows each step of a run: progress, and the recorder of engines that have none inside.
struct Steps {
    recorder: Option<Box<TimeRecorder>>,
    steps: u64,
}

impl Steps {
    fn new(network: &Network, run: &mut Simulation<'_>, asked: RecordRequest) -> Self {
        let recorder = Box::new(TimeRecorder::new(network, asked));
        let recorder = if asked.is_links_only {
            Some(recorder)
        } else {
            run.record_inside(recorder).err()
        };
        Self { recorder, steps: 0 }
    }

    fn after(&mut self, run: &Simulation<'_>, on_progress: OnProgress<'_>) -> Result<(), RunError> {
        let progress = run.progress();
        if let Some(recorder) = &mut self.recorder {
            recorder.follow(progress.cycle, || run.result(&[]).links);
        }
        self.steps += 1;
        if self.steps.is_multiple_of(REPORT_STEPS) && !on_progress(progress) {
            let cycle = progress.cycle;
            return Err(RunError::Interrupted { cycle });
        }
        Ok(())
    }
}

/// Records while a run goes on.
#[derive(Debug)]
pub(crate) struct TimeRecorder {
    windows: Windows,
    num_tiles: usize,
    /// Flits so far, by [`TimeRecorder::number`].
    flits: Vec<u64>,
    blocked: BlockedCycles,
    transactions: Transactions,
}

impl TimeRecorder {
    pub(crate) fn new(network: &Network, asked: RecordRequest) -> Self {
        let num_tiles = network.num_tiles();
        Self {
            windows: Windows::new(asked.max_windows, asked.max_entries),
            num_tiles,
            flits: vec![0; PlaneName::ALL.len() * num_tiles * PORTS],
            blocked: BlockedCycles::new(num_tiles, Plane::ALL.len()),
            transactions: Transactions::default(),
        }
    }

    /// Position of a link among all that there could be.
    fn number(&self, link: LinkId) -> usize {
        (link.plane.idx() * self.num_tiles + link.tile.idx()) * PORTS + link.port.idx()
    }

    fn link(&self, number: usize) -> LinkId {
        let (router, port) = (number / PORTS, number % PORTS);
        let (plane, tile) = (router / self.num_tiles, router % self.num_tiles);
        LinkId::new(PlaneName::ALL[plane], TileId(tile as u32), Port::ALL[port])
    }

    /// Before this cycle, in an engine that records its links only.
    pub(crate) fn follow(&mut self, cycle: u64, links: impl FnOnce() -> Vec<LinkLoad>) {
        if self.windows.is_over(cycle) {
            self.close(&links(), cycle);
        }
    }

    /// `cycle` is the first one after the current window, or a later one before which nothing moved.
    fn close(&mut self, loads: &[LinkLoad], cycle: u64) {
        let window = self.current(loads);
        self.windows.close(window, cycle);
    }

    /// What has happened since the last window.
    fn current(&mut self, loads: &[LinkLoad]) -> Window {
        let mut flits = Vec::new();
        for load in loads {
            let number = self.number(load.link);
            let new = load.flits - self.flits[number];
            if new > 0 {
                self.flits[number] = load.flits;
                // A link carries at most a flit per cycle, and a window is far shorter than 2^32 cycles.
                flits.push((number as u32, new as u32));
            }
        }
        flits.sort_unstable();
        let blocked = self.blocked.take();
        Window { flits, blocked }
    }

    /// After the arbitration of a cycle, before its flits have crossed links.
    fn observe(&mut self, machine: &Machine<'_>) {
        self.follow(machine.clock.now(), || links(machine));
        for plane in Plane::ALL {
            let state = &machine.mesh.planes[plane.idx()];
            for w in state.active_blocks() {
                let trees = &machine.interfaces.txns.trees;
                self.observe_inputs(state, (plane, w), trees);
            }
        }
        if self.transactions.open_reductions > 0 {
            let wide = Plane::Wide.idx();
            for (r, is_missing) in machine.mesh.planes[wide].joins.stored() {
                let cause = if is_missing { CONTRIBUTIONS } else { ADDITION };
                let (w, lane) = (r / LANES, r % LANES);
                (self.blocked).add((wide, w), MERGE_POINT, cause, 1 << lane);
            }
        }
    }

    #[inline]
    fn observe_inputs(&mut self, state: &PlaneState, (plane, w): (Plane, usize), trees: &Trees) {
        let at = (plane.idx(), w);
        for port in 0..PORTS {
            let Some(heads) = state.blocked_heads(w, port) else {
                continue;
            };
            let mut add = |cause, lanes| {
                if lanes != 0 {
                    self.blocked.add(at, port, cause, lanes);
                }
            };
            add(NO_SPACE, heads.no_space);
            add(MEMORY_PORT, heads.no_delivery);
            add(ARBITRATION, heads.lost);
            if heads.joining == 0 {
                continue;
            }
            if state.published.is_some() {
                let missing = state.lanes_missing_contributions((w, port), heads.joining, trees);
                add(CONTRIBUTIONS, missing);
                add(ADDITION, heads.joining & !missing);
            } else if plane == Plane::Wide {
                add(ADDITION, heads.joining);
            } else {
                // The merge table serves another transaction.
                add(ARBITRATION, heads.joining);
            }
        }
    }

    /// The record of a run that is over, or was given up.
    pub(crate) fn finish(
        mut self,
        loads: &[LinkLoad],
        action_of: impl Fn(u32) -> Option<u32>,
    ) -> Recording {
        let last = self.current(loads);
        self.windows.finish(last);
        let links = totals(&mut self.windows.done, |window| &mut window.flits);
        let blocked = totals(&mut self.windows.done, |window| &mut window.blocked);
        let link = |(number, flits): (u32, u64)| LinkLoad {
            link: self.link(number as usize),
            flits,
        };
        let port = |(number, cycles): (u32, u64)| self.blocked.port(number, cycles);
        let (links, blocked) = (
            links.into_iter().map(link).collect(),
            blocked.into_iter().map(port).collect(),
        );
        let (transactions, transactions_left_out) = self.transactions.finish(action_of);
        Recording {
            window_cycles: self.windows.cycles,
            windows: self.windows.done,
            links,
            blocked,
            transactions,
            transactions_left_out,
        }
    }
}

/// Sums over windows, whose entries get the positions in this list in place of their numbers.
fn totals(
    windows: &mut [Window],
    entries: impl Fn(&mut Window) -> &mut Vec<(u32, u32)>,
) -> Vec<(u32, u64)> {
    let mut sums: Vec<u64> = Vec::new();
    for (number, count) in windows.iter_mut().flat_map(|window| entries(window).iter()) {
        let at = *number as usize;
        if sums.len() <= at {
            sums.resize(at + 1, 0);
        }
        sums[at] += u64::from(*count);
    }
    let mut rows = Vec::new();
    let mut positions = vec![0; sums.len()];
    for (number, sum) in (0..).zip(sums).filter(|(_, sum)| *sum > 0) {
        positions[number as usize] = rows.len() as u32;
        rows.push((number, sum));
    }
    for (number, _) in windows
        .iter_mut()
        .flat_map(|window| entries(window).iter_mut())
    {
        *number = positions[*number as usize];
    }
    rows
}

impl Machine<'_> {
    /// From now on everything is recorded.
    pub(crate) fn record(&mut self, asked: RecordRequest) {
        let recorder = TimeRecorder::new(&self.network, asked);
        self.observer = Some(Observer::Recorder(Box::new(recorder)));
    }

    /// What has been recorded; transactions of DMA engines do not say of which action they are.
    pub(crate) fn take_recording(&mut self) -> Option<Recording> {
        match self.observer.take() {
            Some(Observer::Recorder(recorder)) => Some(recorder.finish(&links(self), |_| None)),
            Some(Observer::Log(_) | Observer::Watcher(_)) | None => None,
        }
    }

    /// After the arbitration of a cycle, before the interfaces send.
    #[cold]
    pub(crate) fn note_arbitration(&mut self) {
        if let Some(mut observer) = self.observer.take() {
            if let Observer::Recorder(recorder) = &mut observer {
                recorder.observe(self);
            }
            self.observer = Some(observer);
        }
    }

    /// The first beat of a burst, or a request, enters the network.
    #[inline]
    pub(crate) fn note_first_beat(&mut self, slot: u32) {
        if let Some(Observer::Recorder(recorder)) = &mut self.observer {
            recorder.transactions.first_beat(slot, self.clock.now());
        }
    }
}

impl TimeRecorder {
    pub(crate) fn command(&mut self, slot: u32, txn: &Txn, tile: u32, cycle: u64) {
        self.transactions.command(slot, txn, tile, cycle);
    }

    pub(crate) fn delivered(&mut self, slot: u32, cycle: u64) {
        self.transactions.last_beat(slot, cycle);
    }

    pub(crate) fn completed(&mut self, slot: u32, cycle: u64) {
        self.transactions.response(slot, cycle);
    }

    pub(crate) fn closed(&mut self, slot: u32, txn: &Txn) {
        self.transactions.closed(slot, txn);
    }
}

const _: () = assert!(BLOCKING_CAUSES.len() == ADDITION + 1);
