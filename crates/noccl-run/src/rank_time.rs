// SPDX-License-Identifier: Apache-2.0
//! What a rank or its tile's core does over time, as slices that never overlap.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a rank does in a slice of its time.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum RankTime {
    /// Its program computes.
    Compute,
    /// Instructions and words of what it sends.
    Send,
    /// Instructions and words of what it receives.
    Receive,
    /// It waits.
    Wait,
    /// A core executes instructions: the program's and those of its library of messages.
    Execute,
    /// A core waits for space in a port.
    WaitForSpace,
    /// A core waits for words.
    WaitForWords,
}

impl RankTime {
    /// As files name it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Send => "send",
            Self::Receive => "receive",
            Self::Wait => "wait",
            Self::Execute => "execute",
            Self::WaitForSpace => "wait for space",
            Self::WaitForWords => "wait for words",
        }
    }
}

/// A part of a rank's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeSlice {
    /// What it does.
    pub time: RankTime,
    /// First cycle.
    pub start_cycle: u64,
    /// The cycle behind the last one.
    pub end_cycle: u64,
}

/// Slices in their order, none of which overlaps with another.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeSlices(Vec<TimeSlice>);

impl TimeSlices {
    /// Appends a slice: what lies before the end of the last one is left out, and one that continues the last one becomes part of it.
    pub fn add(&mut self, time: RankTime, start_cycle: u64, end_cycle: u64) {
        let last = self.0.last_mut();
        // 0: the first slice may begin in any cycle.
        let start_cycle = start_cycle.max(last.as_ref().map_or(0, |last| last.end_cycle));
        if end_cycle <= start_cycle {
            return;
        }
        if let Some(last) = last.filter(|last| last.time == time && last.end_cycle == start_cycle) {
            last.end_cycle = end_cycle;
            return;
        }
        self.0.push(TimeSlice {
            time,
            start_cycle,
            end_cycle,
        });
    }

    /// All slices, ascending.
    #[must_use]
    pub fn all(&self) -> &[TimeSlice] {
        &self.0
    }

    /// These slices, and where there are none those of others.
    #[must_use]
    pub fn over(&self, others: &Self) -> Self {
        let mut joined = Self::default();
        let mut own = self.0.iter().peekable();
        for other in &others.0 {
            let mut from = other.start_cycle;
            while let Some(slice) = own.next_if(|slice| slice.start_cycle < other.end_cycle) {
                joined.add(other.time, from, slice.start_cycle.max(from));
                joined.add(slice.time, slice.start_cycle, slice.end_cycle);
                from = from.max(slice.end_cycle);
            }
            joined.add(other.time, from, other.end_cycle);
        }
        for slice in own {
            joined.add(slice.time, slice.start_cycle, slice.end_cycle);
        }
        joined
    }

    /// The same up to a cycle, with something else wherever nothing was.
    #[must_use]
    pub fn filled(&self, with: RankTime, until_cycle: u64) -> Self {
        let mut all = Self::default();
        all.add(with, 0, until_cycle);
        let mut filled = self.over(&all);
        filled.0.retain(|slice| slice.start_cycle < until_cycle);
        if let Some(last) = filled.0.last_mut() {
            last.end_cycle = last.end_cycle.min(until_cycle);
        }
        filled
    }
}
