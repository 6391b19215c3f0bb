// SPDX-License-Identifier: Apache-2.0
//! How long work will go on, as far as that can be known.

use std::time::Duration;

/// Below this time nothing is known about speed.
const MIN_OBSERVED: Duration = Duration::from_secs(1);
/// Below this part of the work too.
const MIN_PART: f64 = 0.02;
/// Longer times are none that anybody can judge.
const MAX_LEFT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Time left if what is left goes on as what was observed: `done` of `total` units now, `done_before` when the clock was
/// at zero (work that goes on from a checkpoint begins in its middle). `None` if that says nothing yet: no unit or too
/// small a part was observed, or nothing is left.
pub fn time_left(done_before: u64, done: u64, total: u64, observed: Duration) -> Option<Duration> {
    let made = done.checked_sub(done_before)?;
    let left = total.checked_sub(done)?;
    let part = made as f64 / (made + left) as f64;
    if made == 0 || left == 0 || observed < MIN_OBSERVED || part < MIN_PART {
        return None;
    }
    let seconds = observed.as_secs_f64() * (left as f64 / made as f64);
    let time = Duration::try_from_secs_f64(seconds).ok()?;
    (time <= MAX_LEFT).then_some(time)
}

/// A time in words that are as exact as an estimate: `5 s`, `3 min`, `2 h`.
pub fn words(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 90.0 {
        // Not even a moment is nothing.
        format!("{:.0} s", seconds.max(1.0))
    } else if seconds < 90.0 * 60.0 {
        format!("{:.0} min", seconds / 60.0)
    } else {
        format!("{:.0} h", seconds / 3600.0)
    }
}
