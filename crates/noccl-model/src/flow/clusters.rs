// SPDX-License-Identifier: Apache-2.0
//! What every cluster has in work: its agents, its DMA engine, the beats that wait at its interface.

use std::collections::VecDeque;

/// An agent: works on its queue, one share after the other.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct AgentState {
    /// Shares of its queue that it has begun.
    pub(super) begun: usize,
    pub(super) is_busy: bool,
}

/// A DMA engine and an interface.
#[derive(Debug, Clone, Default)]
pub(super) struct Engine {
    /// Shares that wait until the engine works on fewer transfers than its limit.
    pub(super) waiting: VecDeque<u32>,
    pub(super) num_active: u32,
    /// Flows of reads that the engine has not asked for.
    pub(super) reads: VecDeque<u32>,
    /// Flits that it has asked for and that are not in its buffer, and from which tile.
    pub(super) in_flight: f64,
    pub(super) reads_from: u32,
    /// Flows of writes and of read data that leave this tile one after the other; the first of each is on its path.
    pub(super) outgoing: [VecDeque<u32>; 2],
}
