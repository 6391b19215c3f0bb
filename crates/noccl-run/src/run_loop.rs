// SPDX-License-Identifier: Apache-2.0
//! The loop around every run: cycle after cycle until it is over, stalls or is interrupted.

use crate::{Diagnosis, OnProgress, Run, RunError};

/// At most so many cycles lie between two calls of a progress callback, and not many more flit-hops: small
/// meshes have no cost of it, and on a large one a call is never seconds away.
const PROGRESS_CYCLES: u64 = 4096;
/// Likewise tiles times cycles: a cycle of a million tiles takes longer than the call.
const PROGRESS_TILE_CYCLES: u64 = 1 << 20;
const PROGRESS_HOPS: u64 = 1 << 20;
/// Hops may be a sum over all links, so nobody asks for them in every cycle.
const HOPS_CYCLES: u64 = 64;

/// Simulates until a run is over.
///
/// # Errors
/// [`RunError::Stall`] with a diagnosis; [`RunError::Interrupted`] if `on_progress` asks for an end: the run then stands
/// between two cycles and goes on with the next call.
pub fn advance<R: Run>(run: &mut R, on_progress: OnProgress<'_>) -> Result<(), RunError> {
    let mut pace = Pace::new(run);
    if run.is_over() {
        return Ok(());
    }
    loop {
        if step(run)? {
            return Ok(());
        }
        pace.tick(run, on_progress)?;
    }
}

/// Simulates one cycle. Returns whether the run is over.
///
/// # Errors
/// [`RunError::Stall`] with a diagnosis.
pub fn step<R: Run>(run: &mut R) -> Result<bool, RunError> {
    run.step();
    if run.is_over() {
        return Ok(true);
    }
    let status = run.status();
    if status.activity().is_stalled(status.config()) {
        return Err(RunError::Stall(Box::new(diagnosis(run))));
    }
    Ok(false)
}

/// Who waits for whom; a limit that ended the run comes first.
#[cold]
fn diagnosis<R: Run>(run: &R) -> Diagnosis {
    let mut found = run.diagnose();
    let limit = run.status().config().max_cycles;
    if run.status().activity().cycle >= limit {
        let summary = found.summary;
        found.summary = format!("the limit of {limit} cycles is reached; {summary}");
    }
    found
}

/// When the progress of a run is told next.
struct Pace {
    report_at_cycle: u64,
    report_at_hops: u64,
    ask_hops_at_cycle: u64,
}

impl Pace {
    fn new<R: Run>(run: &R) -> Self {
        let tiles = run.status().num_tiles().max(1) as u64;
        let cycles = (PROGRESS_TILE_CYCLES / tiles).clamp(1, PROGRESS_CYCLES);
        let now = run.progress().cycle;
        Self {
            report_at_cycle: now + cycles,
            ask_hops_at_cycle: now + HOPS_CYCLES,
            report_at_hops: run.status().flit_hops() + PROGRESS_HOPS,
        }
    }

    /// Tells the progress if it is time; an error if the caller asks for an end.
    fn tick<R: Run>(&mut self, run: &R, on_progress: OnProgress<'_>) -> Result<(), RunError> {
        let now = run.progress();
        if now.cycle < self.report_at_cycle {
            if now.cycle < self.ask_hops_at_cycle {
                return Ok(());
            }
            self.ask_hops_at_cycle = now.cycle + HOPS_CYCLES;
            if run.status().flit_hops() < self.report_at_hops {
                return Ok(());
            }
        }
        *self = Self::new(run);
        let cycle = now.cycle;
        if on_progress(now) {
            Ok(())
        } else {
            Err(RunError::Interrupted { cycle })
        }
    }
}
