// SPDX-License-Identifier: Apache-2.0
//! Numbers of ranks, communicators, requests and messages.

use serde::Serialize;
use std::fmt;

/// A rank of the whole program, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct RankId(pub u32);

impl RankId {
    pub(crate) const fn idx(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for RankId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {}", self.0)
    }
}

/// A communicator: a group of ranks whose messages meet no others. That of all ranks is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct CommId(pub u32);

/// What a send or a receive that has not been waited for goes by; a number is used again when its request is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct RequestId(pub u32);

/// A message of the session, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct MessageId(pub(crate) u32);
