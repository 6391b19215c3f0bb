// SPDX-License-Identifier: Apache-2.0
//! Events of the trace-event format, which Perfetto and Chrome show.

use serde::Serialize;
use std::borrow::Cow;

/// An event; `args` is what the viewer shows of it.
#[derive(Debug, Serialize)]
pub struct TraceEvent<'a, A> {
    ph: &'static str,
    pid: u32,
    tid: u32,
    name: Cow<'a, str>,
    /// Microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    ts: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<f64>,
    args: A,
}

impl<'a, A> TraceEvent<'a, A> {
    /// The name of a process (`process_name`) or a track (`thread_name`), which `args` holds.
    pub const fn naming((pid, tid): (u32, u32), what: &'static str, args: A) -> Self {
        Self {
            ph: "M",
            pid,
            tid,
            name: Cow::Borrowed(what),
            ts: None,
            dur: None,
            args,
        }
    }

    /// A bar of a track; start and length in microseconds.
    pub fn slice(
        (pid, tid): (u32, u32),
        name: impl Into<Cow<'a, str>>,
        (start_us, length_us): (f64, f64),
        args: A,
    ) -> Self {
        Self {
            ph: "X",
            pid,
            tid,
            name: name.into(),
            ts: Some(start_us),
            dur: Some(length_us),
            args,
        }
    }

    /// A value of a counter from this time on.
    pub fn counter(pid: u32, name: impl Into<Cow<'a, str>>, start_us: f64, args: A) -> Self {
        Self {
            ph: "C",
            pid,
            tid: 0,
            name: name.into(),
            ts: Some(start_us),
            dur: None,
            args,
        }
    }
}

/// Time of a cycle, as events have it.
#[must_use]
pub fn microseconds(cycles: u64, clock_ghz: f64) -> f64 {
    noccl_run::time_ns(cycles as f64, clock_ghz) / 1000.0
}
