// SPDX-License-Identifier: Apache-2.0
//! Which bit of a sweep stands for which source.

use crate::check::order::{LANES, Vertex};

/// Numbers distinct sources in the order in which they come.
#[derive(Default)]
pub(crate) struct SourceLanes {
    last: Option<(Vertex, usize)>,
}

impl SourceLanes {
    /// The source's lane.
    pub(crate) fn of(&mut self, source: Vertex) -> usize {
        let lane = match self.last {
            Some((vertex, lane)) if vertex == source => lane,
            Some((_, lane)) => lane + 1,
            None => 0,
        };
        self.last = Some((source, lane));
        lane
    }
}

/// How many of the questions, sorted by source, have no more than [`LANES`] sources.
pub(crate) fn group_length(sorted: &[u32], questions: &[(Vertex, Vertex)]) -> usize {
    let mut lanes = SourceLanes::default();
    sorted
        .iter()
        .position(|q| lanes.of(questions[*q as usize].0) == LANES)
        .unwrap_or(sorted.len())
}
