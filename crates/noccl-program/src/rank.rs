// SPDX-License-Identifier: Apache-2.0
//! What a rank does.

use crate::ids::RequestId;
use crate::matching::{Inbox, Wanted};
use noccl_net::{Coord, TileId};

/// Where a program calls: file and line, or the symbol.
pub type CallSite = String;

/// The call that a rank waits for.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) kind: CallKind,
    pub(crate) call_site: CallSite,
    pub(crate) since_cycle: u64,
    /// What it waits for at its start; empty if that is not kept.
    pub(crate) awaits: String,
}

#[derive(Debug, Clone)]
pub(crate) enum CallKind {
    /// Requests; all of them, or one.
    Wait { requests: Vec<RequestId>, all: bool },
    /// Computation, or looking at a queue, by an action.
    Busy {
        is_computation: bool,
        is_over: bool,
        cycles: u64,
    },
    /// A message to arrive.
    Probe(Wanted),
    /// A collective, by its number.
    Collective(u32),
    /// A split, by its number.
    Split(u32),
}

/// A rank and its tile.
#[derive(Debug)]
pub(crate) struct Rank {
    pub(crate) coord: Coord,
    pub(crate) tile: TileId,
    pub(crate) call: Option<Call>,
    pub(crate) is_finished: bool,
    /// Cycle up to which its calls have taken.
    pub(crate) cycle: u64,
    pub(crate) inbox: Inbox,
    pub(crate) compute_cycles: u64,
    pub(crate) messages: u64,
    pub(crate) bytes: u64,
}

impl Rank {
    pub(crate) fn new(coord: Coord, tile: TileId) -> Self {
        Self {
            coord,
            tile,
            call: None,
            is_finished: false,
            cycle: 0,
            inbox: Inbox::default(),
            compute_cycles: 0,
            messages: 0,
            bytes: 0,
        }
    }
}

impl CallKind {
    /// As a line of a timeline names it.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Wait { .. } => "wait",
            Self::Busy {
                is_computation: true,
                ..
            } => "compute",
            Self::Busy { .. } => "poll",
            Self::Probe(_) => "probe",
            Self::Collective(_) => "collective",
            Self::Split(_) => "split",
        }
    }
}
