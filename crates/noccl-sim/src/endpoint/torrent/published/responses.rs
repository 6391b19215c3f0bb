// SPDX-License-Identifier: Apache-2.0
//! What is known of acknowledgements in parallel, at the initiator and at a follower.

use serde::{Deserialize, Serialize};

/// What an initiator knows of its destinations, by place in the chain.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Responses {
    pub free: Vec<u16>,
    pub(super) busy: Vec<u16>,
}

/// What a destination has responded, and what came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum OwnResponse {
    /// Nothing yet.
    Due,
    /// It serves the task unless it is told to let go.
    Free,
    /// The task's grant has come before the initiator's release, which is in flight and of no effect.
    Overtaken,
    /// The task waits, or has waited, for its grant.
    Waits,
}

impl OwnResponse {
    /// The grant has come.
    pub(crate) fn overtake(&mut self) {
        if *self == OwnResponse::Free {
            *self = OwnResponse::Overtaken;
        }
    }
}
