// SPDX-License-Identifier: Apache-2.0
//! The estimate of the time that work still takes.

#[path = "../../src/time_left.rs"]
mod source;

use source::{time_left, words};
use std::time::Duration;

const fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[test]
fn what_is_left_goes_on_as_what_was_observed() {
    for (before, done, total, observed, left) in [
        (0, 10, 20, s(30), Some(s(30))),
        (0, 1, 4, s(2), Some(s(6))),
        // Resumed in its middle: the half that another process did took no time here.
        (500, 510, 1000, s(10), Some(s(490))),
        // A unit that takes longer than those before it makes the estimate longer.
        (0, 10, 20, s(60), Some(s(60))),
    ] {
        assert_eq!(
            time_left(before, done, total, observed),
            left,
            "{before} {done} {total}"
        );
    }
}

#[test]
fn nothing_is_said_where_nothing_is_known() {
    for (before, done, total, observed) in [
        (0, 0, 20, s(30)),
        (5, 5, 20, s(30)),
        (0, 10, 20, Duration::from_millis(300)),
        (0, 1, 1000, s(30)),
        (0, 20, 20, s(30)),
        (0, 0, 0, s(30)),
        (7, 3, 20, s(30)),
        (0, 30, 20, s(30)),
        (0, 1 << 62, u64::MAX, Duration::MAX),
    ] {
        assert_eq!(
            time_left(before, done, total, observed),
            None,
            "{before} {done} {total}"
        );
    }
}

#[test]
fn times_are_as_exact_as_an_estimate() {
    let cases = [
        (0, "1 s"),
        (5, "5 s"),
        (89, "89 s"),
        (90, "2 min"),
        (3600, "60 min"),
        (9000, "2 h"),
    ];
    for (seconds, text) in cases {
        assert_eq!(words(s(seconds)), text);
    }
}
