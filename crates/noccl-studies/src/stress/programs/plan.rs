// SPDX-License-Identifier: Apache-2.0
//! A program as it is drawn: what every rank calls, and who takes part in what.

use noccl_workload::{CollectiveKind, ElementType, Operator};

/// A whole program.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Groups of ranks; the first one is that of all.
    pub groups: Vec<Group>,
    pub messages: Vec<Message>,
    pub streams: Vec<Stream>,
    pub collectives: Vec<CollectiveStep>,
    pub splits: Vec<SplitStep>,
    /// By rank: its calls, in order.
    pub calls: Vec<Vec<Call>>,
}

/// Ranks of the program, by their number in a communicator.
#[derive(Debug)]
pub(super) struct Group {
    pub members: Vec<u32>,
}

/// A message between two ranks of the program.
#[derive(Debug)]
pub(super) struct Message {
    pub group: usize,
    pub from: u32,
    pub to: u32,
    pub tag: i64,
    pub bytes: u64,
    pub is_synchronous: bool,
}

/// Messages that receives of one form take: the receive of each number is over when as many messages have been sent.
#[derive(Debug)]
pub(super) struct Stream {
    pub group: usize,
    pub to: u32,
    /// The only sender that the receives take, if they name one.
    pub from: Option<u32>,
    /// The only tag that the receives take, if they name one.
    pub tag: Option<i64>,
    /// In the order in which each sender sends them.
    pub messages: Vec<usize>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct CollectiveStep {
    pub group: usize,
    pub kind: CollectiveKind,
    pub root: u32,
    pub operator: Operator,
    pub element: ElementType,
    /// Of a payload, or of one block.
    pub bytes: u64,
    /// Do ranks that get a multicast say how long it is?
    pub is_length_known: bool,
}

/// Which communicator is split, and what each of its ranks states.
#[derive(Debug)]
pub(super) struct SplitStep {
    pub group: usize,
    pub stated: Vec<(Option<u32>, i64)>,
    /// The group that each of its ranks is in then.
    pub made: Vec<Option<usize>>,
}

/// A send or a receive that a rank has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Request {
    Send { message: usize },
    Receive { stream: usize, place: usize },
}

/// How a rank waits for several requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitForm {
    All,
    /// For any of them, until none is left.
    Any,
    /// One after the other.
    Single,
}

#[derive(Debug, Clone)]
pub(super) enum Call {
    Compute {
        cycles: u64,
    },
    Begin(Request),
    /// Waits for the message of a receive that comes next; receives of its stream name their sender and their tag.
    Probe {
        stream: usize,
        place: usize,
    },
    Wait {
        requests: Vec<Request>,
        form: WaitForm,
    },
    Collective {
        step: usize,
    },
    Split {
        step: usize,
    },
}

impl Plan {
    /// Number of a rank of the program in a group.
    pub fn position(&self, group: usize, rank: u32) -> Option<u32> {
        let members = &self.groups[group].members;
        let found = members.iter().position(|member| *member == rank);
        found.map(|position| position as u32)
    }

    /// Messages, collectives and splits.
    pub fn num_steps(&self) -> u64 {
        (self.messages.len() + self.collectives.len() + self.splits.len()) as u64
    }
}
