// SPDX-License-Identifier: Apache-2.0
//! CPU time and peak memory of this process, as Linux reports them.

use std::fs;
use std::time::Instant;

/// Measures a piece of work.
pub(super) struct Clock {
    start: Instant,
    cpu_start_seconds: Option<f64>,
}

/// Time that a piece of work took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Elapsed {
    pub(super) cpu_seconds: f64,
    pub(super) wall_seconds: f64,
}

impl Elapsed {
    /// Nothing was measured.
    pub(super) const NONE: Self = Self {
        cpu_seconds: 0.0,
        wall_seconds: 0.0,
    };
}

impl Clock {
    pub(super) fn start() -> Self {
        Self {
            cpu_start_seconds: cpu_seconds(),
            start: Instant::now(),
        }
    }

    /// Where the system reports no CPU time, wall time stands for it.
    pub(super) fn elapsed(&self) -> Elapsed {
        let wall_seconds = self.start.elapsed().as_secs_f64();
        let cpu = cpu_seconds()
            .zip(self.cpu_start_seconds)
            .map(|(end, start)| end - start);
        Elapsed {
            cpu_seconds: cpu.unwrap_or(wall_seconds).max(1e-9),
            wall_seconds: wall_seconds.max(1e-9),
        }
    }
}

/// CPU time of all threads so far: the scheduler's count in nanoseconds, or, where the kernel keeps
/// none, the process's user and system time in ticks of 10 ms.
fn cpu_seconds() -> Option<f64> {
    scheduler_seconds().or_else(tick_seconds)
}

fn scheduler_seconds() -> Option<f64> {
    let tasks = fs::read_dir("/proc/self/task").ok()?;
    let nanoseconds = tasks.filter_map(|task| {
        let text = fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    });
    Some(nanoseconds.sum::<u64>() as f64 / 1e9).filter(|seconds| *seconds > 0.0)
}

fn tick_seconds() -> Option<f64> {
    const TICKS_PER_SECOND: f64 = 100.0;
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is the program's name in parentheses and may hold spaces.
    let (_, fields) = text.rsplit_once(')')?;
    let mut times = fields.split_whitespace().skip(11);
    let user: u64 = times.next()?.parse().ok()?;
    let system: u64 = times.next()?.parse().ok()?;
    Some((user + system) as f64 / TICKS_PER_SECOND)
}

/// Largest resident memory of this process so far; `None` where the system does not report it.
pub(super) fn peak_resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let rest = (status.lines()).find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = rest.split_whitespace().next()?.parse().ok()?;
    Some(kib << 10)
}
