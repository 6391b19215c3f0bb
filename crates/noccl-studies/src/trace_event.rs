// SPDX-License-Identifier: Apache-2.0
//! Events of the trace-event format, which Perfetto and Chrome show.
//!
//! A run has tens of thousands of them, so they become text one after the other: trees of JSON values took most of the time of a recorded
//! run. Names, which may come from users, become text by the JSON library.

use std::fmt::{Arguments, Write};

/// Events as text.
#[derive(Debug)]
pub struct TraceEvents {
    /// A comma stands behind each.
    text: String,
    clock_ghz: f64,
}

impl TraceEvents {
    /// None yet; cycles become microseconds at this clock.
    #[must_use]
    pub const fn new(clock_ghz: f64) -> Self {
        Self {
            text: String::new(),
            clock_ghz,
        }
    }

    /// Text in memory takes everything that is written.
    fn put(&mut self, text: Arguments<'_>) {
        let _ = self.text.write_fmt(text);
    }

    /// The name of a process.
    pub fn process(&mut self, pid: u32, name: &str) {
        self.name((pid, 0), "process_name", name);
    }

    /// The name of a track of a process.
    pub fn track(&mut self, track: (u32, u32), name: &str) {
        self.name(track, "thread_name", name);
    }

    fn name(&mut self, (pid, tid): (u32, u32), what: &str, name: &str) {
        let name = quoted(name);
        self.put(format_args!(
            r#"{{"ph":"M","pid":{pid},"tid":{tid},"name":"{what}","args":{{"name":{name}}}}},"#
        ));
    }

    /// A value of a counter from this cycle on; its name is [`quoted`].
    pub fn counter(&mut self, pid: u32, name: &str, cycle: u64, value: f64) {
        let start_us = self.microseconds(cycle);
        self.put(format_args!(
            r#"{{"ph":"C","pid":{pid},"tid":0,"name":{name},"ts":{start_us:?},"args":{{"value":{value:?}}}}},"#
        ));
    }

    /// A bar of a track from its first cycle to its end; the name is [`quoted`], of `args` each field has a comma behind it.
    pub fn slice(
        &mut self,
        (pid, tid): (u32, u32),
        name: &str,
        (start, end): (u64, u64),
        args: Arguments<'_>,
    ) {
        let start_us = self.microseconds(start);
        let length_us = self.microseconds(end.saturating_sub(start));
        self.put(format_args!(
            r#"{{"ph":"X","pid":{pid},"tid":{tid},"name":{name},"ts":{start_us:?},"dur":{length_us:?},"args":{{{args}"start_cycle":{start},"end_cycle":{end}}}}},"#
        ));
    }

    /// Time of a cycle, as events have it.
    fn microseconds(&self, cycles: u64) -> f64 {
        noccl_run::time_ns(cycles as f64, self.clock_ghz) / 1000.0
    }

    /// The text of a file: other data as JSON, these events, and further fields with a comma before each.
    #[must_use]
    pub fn file(&self, other_data: &str, fields: &str) -> String {
        let events = self.text.trim_end_matches(',');
        format!(
            r#"{{"displayTimeUnit":"ns","otherData":{other_data},"traceEvents":[{events}]{fields}}}"#
        ) + "\n"
    }
}

/// A text as JSON has it.
#[must_use]
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
