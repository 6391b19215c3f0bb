// SPDX-License-Identifier: Apache-2.0
//! Which tasks wrote and read which bytes of one cluster's memory.

use super::dataflow::TaskId;
use std::collections::BTreeMap;

/// Accesses to one cluster's memory that later ones have to follow.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// By first byte: end, and the task that wrote it last. Ranges are disjoint.
    written: BTreeMap<u64, (u64, TaskId)>,
    /// By first byte: end and reader, of ranges that this cluster has read since they were written.
    read: BTreeMap<u64, Vec<(u64, TaskId)>>,
    /// Longest range of `read`.
    longest_read: u64,
}

impl Memory {
    /// Who wrote bytes of this range last?
    pub(super) fn writers(&self, (start, end): (u64, u64), out: &mut Vec<TaskId>) {
        let before = self.written.range(..start).next_back();
        let inside = self.written.range(start..end);
        let all = before.into_iter().chain(inside);
        out.extend(all.filter(|(_, (e, _))| *e > start).map(|(_, (_, id))| *id));
    }

    /// Who of this cluster has read bytes of this range?
    pub(super) fn readers(&self, (start, end): (u64, u64), out: &mut Vec<TaskId>) {
        let from = start.saturating_sub(self.longest_read);
        let near = self.read.range(from..end).flat_map(|(_, all)| all);
        out.extend(near.filter(|(e, _)| *e > start).map(|(_, id)| *id));
    }

    pub(super) fn note_read(&mut self, (start, end): (u64, u64), id: TaskId) {
        self.longest_read = self.longest_read.max(end - start);
        self.read.entry(start).or_default().push((end, id));
    }

    /// The range is this task's; what earlier ones wrote of it is cut away.
    pub(super) fn note_written(&mut self, (start, end): (u64, u64), id: TaskId) {
        let before = self.written.range(..start).next_back();
        let before = before
            .map(|(s, v)| (*s, *v))
            .filter(|(_, (e, _))| *e > start);
        let inside: Vec<(u64, (u64, TaskId))> = self
            .written
            .range(start..end)
            .map(|(s, v)| (*s, *v))
            .collect();
        for (first, (last, owner)) in before.into_iter().chain(inside) {
            self.written.remove(&first);
            if first < start {
                self.written.insert(first, (start, owner));
            }
            if last > end {
                self.written.insert(end, (last, owner));
            }
        }
        self.written.insert(start, (end, id));
    }

    /// Forgets the readers of a range: whoever writes there next has been told of them.
    pub(super) fn forget_readers(&mut self, (start, end): (u64, u64)) {
        let from = start.saturating_sub(self.longest_read);
        for (_, readers) in self.read.range_mut(from..end) {
            readers.retain(|(e, _)| *e <= start);
        }
    }
}
