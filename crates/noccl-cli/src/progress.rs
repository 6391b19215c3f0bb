// SPDX-License-Identifier: Apache-2.0
//! Progress bar on a terminal, and Ctrl-C that ends a run cleanly.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use noccl::{Error, Step, Watch};
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Runs work with a bar on stderr (if that is a terminal) and with Ctrl-C as its way out.
///
/// The first Ctrl-C asks the run to stop, the second ends the process at once.
///
/// # Errors
/// Those of the work.
pub fn watched<T>(
    unit: &str,
    work: impl FnOnce(Watch<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let stop = interrupt_flag()?;
    let bar = bar(unit);
    let start = Instant::now();
    let shown_ms = AtomicU64::new(0);
    let on_step = |step: Step| {
        let now_ms = start.elapsed().as_millis() as u64;
        // Workers report often; draw ten times a second.
        if now_ms >= shown_ms.load(Ordering::Relaxed) + 100 || step.done == step.total {
            shown_ms.store(now_ms, Ordering::Relaxed);
            bar.set_length(step.total);
            bar.set_position(step.done);
            bar.set_message(speed(step.simulated_cycles, start.elapsed()));
        }
        !stop.load(Ordering::Relaxed)
    };
    let outcome = work(Watch::new(&on_step));
    bar.finish_and_clear();
    outcome
}

fn bar(unit: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
    let template = format!("{{bar:30}} {{pos}}/{{len}} {unit}  {{msg}}  {{eta}} left");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar
}

fn speed(cycles: u64, elapsed: Duration) -> String {
    let per_second = cycles as f64 / elapsed.as_secs_f64().max(1e-3);
    let (value, unit) = if per_second >= 1e6 {
        (per_second / 1e6, "million ")
    } else if per_second >= 1e3 {
        (per_second / 1e3, "thousand ")
    } else {
        (per_second, "")
    };
    format!("{value:.1} {unit}cycles/s")
}

fn interrupt_flag() -> Result<Arc<AtomicBool>, Error> {
    let flag = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&flag);
    ctrlc::set_handler(move || {
        if set.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .map_err(|e| Error::argument("Ctrl-C handler", e, "cannot be installed"))?;
    Ok(flag)
}
