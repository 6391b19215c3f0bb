// SPDX-License-Identifier: Apache-2.0
//! What a rank gets when its call is over.

use crate::ids::CommId;

/// A request that is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// Its place among the requests that were waited for.
    pub index: usize,
    /// Who has sent, by rank of the communicator; of a send: the rank itself.
    pub source: u32,
    /// Tag of the message.
    pub tag: i64,
    /// The payload; `None` of a send.
    pub data: Option<Vec<u8>>,
}

/// What a rank gets when its call is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Response {
    /// Time has passed.
    Done,
    /// Of a wait: the requests that are over, whose numbers are free again.
    Requests(Vec<Received>),
    /// Of a probe: who has sent, the tag and the bytes of the message, which stays.
    Probed {
        /// Who has sent, by rank of the communicator.
        source: u32,
        /// Its tag.
        tag: i64,
        /// Its length.
        bytes: u64,
    },
    /// Of a collective: what this rank gets; empty if nothing.
    Output(Vec<u8>),
    /// Of what goes on beside the rank's calls, of which one may still wait: its requests are over.
    Task {
        /// The number with which it has waited.
        token: u32,
        /// Its requests, whose numbers are free again.
        over: Vec<Received>,
    },
    /// Of a split: the communicator, the own rank in it and its size; `None` for ranks without a colour.
    Communicator(Option<(CommId, u32, u32)>),
}
