// SPDX-License-Identifier: Apache-2.0
//! What is known of acknowledgements in parallel, at the initiator and at a follower.

use serde::{Deserialize, Serialize};

/// What an initiator knows of its stops, by place in the chain.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Answers {
    pub free: Vec<u16>,
    pub busy: Vec<u16>,
}

/// What a stop has answered, and what came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum OwnAnswer {
    /// Nothing yet.
    Due,
    /// It serves the task unless it is told to let go.
    Free,
    /// The task's grant has come before the initiator's word to let go, which is under way and of no effect.
    Overtaken,
    /// The task waits, or has waited, for its grant.
    Waits,
}

impl OwnAnswer {
    /// The grant has come.
    pub(crate) fn overtake(&mut self) {
        if *self == OwnAnswer::Free {
            *self = OwnAnswer::Overtaken;
        }
    }
}
