// SPDX-License-Identifier: Apache-2.0
//! Progress bar on a terminal; long work learns from it that somebody wants it to end.

use crate::output;
use crate::time_left::{time_left, words};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use noccl::{Error, Step, Watch, WorkStage};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Simulations that end before that show no progress.
const SHOWN_AFTER_MS: u64 = 1000;

/// Runs work with a bar on stderr (if that is a terminal); a signal asks it to end (see [`interrupt`]).
///
/// # Errors
/// Those of the work.
pub fn watched<T>(
    unit: &str,
    work: impl FnOnce(Watch<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let display = Display::new(unit);
    let start = Instant::now();
    let shown_ms = AtomicU64::new(0);
    let on_step = |step: Step| {
        let now_ms = start.elapsed().as_millis() as u64;
        // Short work shows nothing, except a build, whose length nobody knows.
        let is_long = now_ms >= SHOWN_AFTER_MS || step.activity != WorkStage::Simulating;
        // Workers report often; draw ten times a second.
        let is_time = now_ms >= shown_ms.load(Ordering::Relaxed) + 100 || step.done == step.total;
        if is_long && is_time {
            shown_ms.store(now_ms, Ordering::Relaxed);
            display.show(step);
        }
        !is_asked()
    };
    let outcome = work(Watch::new(&on_step));
    display.bar.finish_and_clear();
    outcome
}

/// What is shown of long work: a bar over its units, or what is being built and for how long.
struct Display {
    bar: ProgressBar,
    unit: String,
    /// What the work is at; building and simulating tell different things.
    since: Mutex<Since>,
}

/// What work is at, and since when.
#[derive(Clone, Copy)]
struct Since {
    is_building: bool,
    start: Instant,
    /// Units that were done when the first step of this was reported, and when that was.
    first: Option<(u64, Instant)>,
}

impl Since {
    fn now(is_building: bool) -> Self {
        Self {
            is_building,
            start: Instant::now(),
            first: None,
        }
    }
}

impl Display {
    fn new(unit: &str) -> Self {
        let bar = if std::io::stderr().is_terminal() {
            ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr())
        } else {
            ProgressBar::hidden()
        };
        let display = Self {
            bar,
            unit: unit.to_owned(),
            since: Mutex::new(Since::now(false)),
        };
        display.set_style(false);
        display
    }

    fn set_style(&self, is_building: bool) {
        let unit = &self.unit;
        let style = if is_building {
            ProgressStyle::with_template("{spinner} {msg}  {elapsed}")
        } else {
            let template = format!("{{bar:30}} {{pos}}/{{len}} {unit}  {{msg}}");
            ProgressStyle::with_template(&template)
        };
        if let Ok(style) = style {
            self.bar.set_style(style);
        }
    }

    /// Since when the work does this, with `done` units done; the first time it is at something else, the display
    /// changes.
    fn since(&self, is_building: bool, done: u64) -> Since {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        if since.is_building != is_building {
            *since = Since::now(is_building);
            self.set_style(is_building);
            self.bar.reset();
            if is_building && self.bar.is_hidden() {
                output::log("translating the hardware of this network to a library, once");
            }
        }
        since.first.get_or_insert((done, Instant::now()));
        *since
    }

    fn show(&self, step: Step) {
        match step.activity {
            WorkStage::Simulating => {
                let since = self.since(false, step.done);
                let elapsed = since.start.elapsed();
                self.bar.set_length(step.total);
                self.bar.set_position(step.done);
                let cycles = step.simulated_cycles as f64;
                let seconds = elapsed.max(Duration::from_millis(1)).as_secs_f64();
                let left = since
                    .first
                    .and_then(|(done, at)| time_left(done, step.done, step.total, at.elapsed()));
                let left =
                    left.map_or_else(String::new, |time| format!("  about {} left", words(time)));
                self.bar.set_message(rate(cycles / seconds) + &left);
            }
            WorkStage::Translating => self.build("translating the hardware to C++".to_owned()),
            WorkStage::Compiling { files } => {
                self.build(format!("compiling the Verilated hardware, {files} files"));
            }
        }
    }

    fn build(&self, message: String) {
        self.since(true, 0);
        self.bar.set_message(message);
        self.bar.tick();
    }
}

/// Cycles per second in words.
pub fn rate(cycles_per_second: f64) -> String {
    let (value, unit) = if cycles_per_second >= 1e6 {
        (cycles_per_second / 1e6, "million ")
    } else if cycles_per_second >= 1e3 {
        (cycles_per_second / 1e3, "thousand ")
    } else {
        (cycles_per_second, "")
    };
    format!("{value:.1} {unit}cycles/s")
}

// Ctrl-C and SIGTERM end every verb within two seconds.
//
// The first signal asks the work to end. Long work looks for that now and then, saves what it has to save and
// ends with its own exit code. Whatever does not look, or waits for something that does not come, is ended after a
// grace, unless a checkpoint is being written. The second signal ends the process at once.

/// Exit code of work that was interrupted and left nothing to go on from.
pub const INTERRUPTED: i32 = 130;
/// Time for work that looks for the signal.
const GRACE: Duration = Duration::from_millis(1200);
/// Time between two looks whether a checkpoint is complete.
const WAKE_UP: Duration = Duration::from_millis(20);

static IS_ASKED: AtomicBool = AtomicBool::new(false);

/// Has somebody asked the work to end?
pub fn is_asked() -> bool {
    IS_ASKED.load(Ordering::Relaxed)
}

/// Asks the work to end, or takes that back.
pub fn ask(is_asked: bool) {
    IS_ASKED.store(is_asked, Ordering::Relaxed);
}

/// Looks for signals from now on.
///
/// # Errors
/// [`Error::Argument`] if the system does not let it.
pub fn install() -> Result<(), Error> {
    let on_signal = || {
        if IS_ASKED.swap(true, Ordering::Relaxed) {
            end();
        }
        // The handler must be free for the second signal.
        std::thread::spawn(|| {
            std::thread::sleep(GRACE);
            while noccl::collective::is_saving() {
                std::thread::sleep(WAKE_UP);
            }
            end();
        });
    };
    ctrlc::set_handler(on_signal)
        .map_err(|e| Error::argument("Ctrl-C handler", e, "cannot be installed"))
}

fn end() {
    std::process::exit(INTERRUPTED);
}
