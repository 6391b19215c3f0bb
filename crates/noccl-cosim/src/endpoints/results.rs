// SPDX-License-Identifier: Apache-2.0
//! What wide reductions must leave in the memory of their root: sums of what managers have offered, not what the run has recorded.

use super::memory::line::{LINE_BYTES, Line};
use noccl_run::{Command, CommandKind};
use noccl_workload::{ElementType, Operator};
use std::collections::HashMap;

/// A reduction without a response for all of its members.
#[derive(Debug, Clone)]
struct Open {
    members_left: usize,
    lines: Vec<Line>,
}

/// Sums of all open reductions of INT64, by name; other arithmetic is left out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Results(HashMap<u32, Open>);

impl Results {
    /// A member's contribution.
    pub(crate) fn add(&mut self, command: &Command) {
        let arithmetic = (command.operator, command.element);
        if command.kind != CommandKind::Reduction
            || arithmetic != (Operator::Sum, ElementType::Int64)
            // That of a DMA engine: all memories are compared in the end.
            || command.data.is_empty()
        {
            return;
        }
        let open = self.0.entry(command.tag).or_insert_with(|| Open {
            members_left: command.set.map_or(1, |set| set.members().count()),
            lines: vec![[0; LINE_BYTES]; command.data.len()],
        });
        for (sum, line) in open.lines.iter_mut().zip(&command.data) {
            let words = sum.as_chunks_mut::<8>().0.iter_mut();
            for (sum, word) in words.zip(line.as_chunks::<8>().0) {
                let total = u64::from_le_bytes(*sum).wrapping_add(u64::from_le_bytes(*word));
                *sum = total.to_le_bytes();
            }
        }
    }

    /// A member has its response. Returns the lines that the root holds; none if it is not known.
    pub(crate) fn close(&mut self, tag: u32) -> Vec<Line> {
        let Some(open) = self.0.get_mut(&tag) else {
            return Vec::new();
        };
        open.members_left -= 1;
        if open.members_left > 0 {
            return open.lines.clone();
        }
        // 0: none, as said above.
        self.0.remove(&tag).map_or(Vec::new(), |open| open.lines)
    }
}
