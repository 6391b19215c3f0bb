// SPDX-License-Identifier: Apache-2.0
//! What several studies measure with: timed runs, grids of choices, events of a line of clusters, statistics.

pub(crate) mod line_events;
pub(crate) mod runner;
