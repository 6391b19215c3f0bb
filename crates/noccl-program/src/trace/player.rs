// SPDX-License-Identifier: Apache-2.0
//! One rank of a replay: where it stands in its records, its communicators and its requests.

use crate::composed::{GroupRank, Step};
use crate::ids::{CommId, RequestId};
use std::collections::{BTreeMap, VecDeque};

/// A communicator as a rank has it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    pub(super) comm: CommId,
    pub(super) group_rank: GroupRank,
}

/// A request that is waited for.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenRequest {
    pub(super) request: RequestId,
    /// Of a send: bytes that it keeps.
    pub(super) kept_bytes: u64,
    /// Of a receive of the trace: bytes that have to come.
    pub(super) expected_bytes: Option<u64>,
}

/// A split that has begun: what the trace says that the rank gets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Splitting {
    /// Number of the communicator for this rank, its size, and the rank's place there.
    pub(super) made: Option<(u32, GroupRank)>,
}

/// A rank.
#[derive(Debug)]
pub(super) struct Player {
    /// The next record.
    pub(super) next: usize,
    /// By the rank's number.
    pub(super) comms: BTreeMap<u32, Member>,
    /// By the rank's number.
    pub(super) requests: BTreeMap<u32, OpenRequest>,
    /// What is left of a composed collective, and on which communicator.
    pub(super) steps: VecDeque<Step>,
    pub(super) steps_comm: CommId,
    /// What a composed collective has started.
    pub(super) started: Vec<OpenRequest>,
    /// What the rank waits for.
    pub(super) waiting: Vec<OpenRequest>,
    pub(super) splitting: Option<Splitting>,
    /// Cycles of its computations so far, without rounding, and as stated.
    pub(super) exact_cycles: f64,
    pub(super) stated_cycles: u64,
    pub(super) received_messages: u64,
    pub(super) received_bytes: u64,
}

impl Player {
    /// A rank that has called nothing.
    pub(super) fn new(rank: u32, ranks: u32, world: CommId, alone: CommId) -> Self {
        let member = |comm, rank, size| Member {
            comm,
            group_rank: GroupRank { rank, size },
        };
        let comms = [(0, member(world, rank, ranks)), (1, member(alone, 0, 1))];
        Self {
            next: 0,
            comms: BTreeMap::from(comms),
            requests: BTreeMap::new(),
            steps: VecDeque::new(),
            steps_comm: world,
            started: Vec::new(),
            waiting: Vec::new(),
            splitting: None,
            exact_cycles: 0.0,
            stated_cycles: 0,
            received_messages: 0,
            received_bytes: 0,
        }
    }

    /// Whole cycles of a computation: what it takes is added before it is rounded, so that many short ones keep their sum.
    pub(super) fn cycles(&mut self, exact: f64) -> u64 {
        self.exact_cycles += exact;
        // Within range: the caller has bounded each one, and their number is that of lines.
        let all = self.exact_cycles.round() as u64;
        let cycles = all.saturating_sub(self.stated_cycles);
        self.stated_cycles = all;
        cycles
    }
}
