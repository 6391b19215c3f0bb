// SPDX-License-Identifier: Apache-2.0
//! Which lines lie in a cache: sets of several lines, of which the one that has not been used for longest makes space.

use super::{LINE_BYTES, LineId};

/// Lines of a cache by set.
#[derive(Debug, Clone)]
pub(super) struct Tags {
    sets: usize,
    lines_per_set: usize,
    /// Line and time of its last use.
    entries: Vec<Option<(LineId, u64)>>,
    time: u64,
}

impl Tags {
    pub(super) fn new(bytes: u64, lines_per_set: usize) -> Self {
        let lines = (bytes / LINE_BYTES) as usize;
        Self {
            sets: lines / lines_per_set,
            lines_per_set,
            entries: vec![None; lines],
            time: 0,
        }
    }

    fn set(&mut self, line: LineId) -> &mut [Option<(LineId, u64)>] {
        // Lines for synchronisation differ in high bits from those of data.
        let mixed = line ^ line >> 40;
        let first = (mixed as usize % self.sets) * self.lines_per_set;
        &mut self.entries[first..first + self.lines_per_set]
    }

    /// Is a line there? It counts as used now.
    pub(super) fn touch(&mut self, line: LineId) -> bool {
        self.time += 1;
        let time = self.time;
        let entry = self
            .set(line)
            .iter_mut()
            .flatten()
            .find(|(at, _)| *at == line);
        entry.map(|(_, used)| *used = time).is_some()
    }

    /// Puts a line in. Returns the one that makes space for it, the oldest that may leave.
    pub(super) fn insert(
        &mut self,
        line: LineId,
        may_leave: impl Fn(LineId) -> bool,
    ) -> Option<LineId> {
        if self.touch(line) {
            return None;
        }
        let time = self.time;
        let set = self.set(line);
        if let Some(empty) = set.iter_mut().find(|entry| entry.is_none()) {
            *empty = Some((line, time));
            return None;
        }
        let leaving = (set.iter_mut().flatten())
            .filter(|(at, _)| may_leave(*at))
            .min_by_key(|(_, used)| *used)?;
        let (left, _) = std::mem::replace(leaving, (line, time));
        Some(left)
    }
}
