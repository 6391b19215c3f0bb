// SPDX-License-Identifier: Apache-2.0
//! What a run did over time, in windows of equal length: flits per link, cycles in which a router port was blocked, by cause; and when
//! each transaction began and ended.
//!
//! The number of windows is bounded: if a run lasts longer, windows are merged in pairs. Sums over all windows are exact.

use crate::{Cause, LinkLoad};
use noccl_net::{Port, TileId};
use noccl_spec::PlaneName;

/// Causes for which a router port is blocked.
pub const BLOCKING_CAUSES: [Cause; 5] = [
    Cause::NoSpace,
    Cause::Arbitration,
    Cause::Contributions,
    Cause::MemoryPort,
    Cause::Addition,
];

/// What to record of a run over time.
#[derive(Debug, Clone, Copy)]
pub struct RecordRequest {
    /// More windows than these are merged in pairs.
    pub max_windows: usize,
    /// With more entries (a link or a port in a window, 8 bytes each) than these, windows are merged too.
    pub max_entries: usize,
    /// No blocked ports, no transactions.
    pub is_links_only: bool,
}

/// Cycles in which flits of a router could not move on for one cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockedPort {
    /// Plane of the router.
    pub plane: PlaneName,
    /// Tile of the router.
    pub tile: TileId,
    /// Input whose first flit stayed; `None`: operands stayed in the store of the merge point.
    pub port: Option<Port>,
    /// Cause, one of [`BLOCKING_CAUSES`].
    pub cause: Cause,
    /// Cycles in the whole run.
    pub cycles: u64,
}

/// What happened in a window: indices into a list of [`Recording`], ascending, with a number above 0 each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Window {
    /// Index into [`Recording::links`], flits.
    pub flits: Vec<(u32, u32)>,
    /// Index into [`Recording::blocked`], cycles.
    pub blocked: Vec<(u32, u32)>,
}

/// When a transaction began and ended; of reductions and barriers the first and the last of all members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransactionTime {
    /// Kind, in words.
    pub kind: &'static str,
    /// Action of the schedule that it belongs to, where the network interface knows it.
    pub action: Option<u32>,
    /// Tile that asks for it first.
    pub tile: TileId,
    /// Target, of reductions and barriers the root; `None` of multicasts.
    pub target: Option<TileId>,
    /// Bytes of payload.
    pub bytes: u32,
    /// The interface has it.
    pub start_cycle: u64,
    /// The first beat, or the request, enters the network.
    pub first_beat_cycle: Option<u64>,
    /// The last beat is in the memory of its (last) target; of a read, back.
    pub last_beat_cycle: Option<u64>,
    /// The (last) response is back.
    pub response_cycle: Option<u64>,
}

/// A run over time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recording {
    /// Cycles per window, a power of two; number `w` begins with cycle `w * window_cycles`.
    pub window_cycles: u64,
    /// Windows up to the last in which anything happened.
    pub windows: Vec<Window>,
    /// Links that carried a flit.
    pub links: Vec<LinkLoad>,
    /// Ports that were blocked, by cause; empty for routers whose simulation does not record causes.
    pub blocked: Vec<BlockedPort>,
    /// Transactions in the order of their start; empty for networks without AXI interfaces.
    pub transactions: Vec<TransactionTime>,
    /// Later transactions that were not kept.
    pub transactions_left_out: u64,
}
