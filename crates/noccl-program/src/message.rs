// SPDX-License-Identifier: Apache-2.0
//! Messages that travel: chunks that fit into the tiles' memories, each an action of the network.

use crate::ids::{CommId, MessageId, RankId, RequestId};
use noccl_workload::{ActionId, Numbered};

/// A message between two ranks.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) comm: CommId,
    pub(crate) source: RankId,
    pub(crate) target: RankId,
    pub(crate) tag: i64,
    pub(crate) bytes: u64,
    /// What was sent; kept until it is received, to be compared with what arrives.
    pub(crate) data: Vec<u8>,
    pub(crate) send: RequestId,
    /// The receive that it has met.
    pub(crate) receive: Option<RequestId>,
    /// Bytes that have been submitted as actions.
    pub(crate) submitted_bytes: u64,
    pub(crate) has_submitted: bool,
    pub(crate) chunks: Vec<Chunk>,
    /// Is it all read, and all at the receiver?
    pub(crate) is_sent: bool,
    pub(crate) has_come: bool,
}

/// A part of a message in the tiles' memories.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chunk {
    pub(crate) action: ActionId,
    /// First byte of the message.
    pub(crate) from: u64,
    pub(crate) bytes: u64,
    /// Where it lies at the sender and at the receiver.
    pub(crate) at_source: u64,
    pub(crate) at_target: u64,
    pub(crate) is_sent: bool,
    pub(crate) has_come: bool,
    /// Is its memory at the receiver free again?
    pub(crate) is_freed: bool,
}

impl Message {
    /// A message from one rank to another of which nothing is submitted yet.
    pub(crate) fn new(
        comm: CommId,
        (source, target): (RankId, RankId),
        tag: i64,
        data: Vec<u8>,
        send: RequestId,
    ) -> Self {
        Self {
            comm,
            source,
            target,
            tag,
            bytes: data.len() as u64,
            data,
            send,
            receive: None,
            submitted_bytes: 0,
            has_submitted: false,
            chunks: Vec::new(),
            is_sent: false,
            has_come: false,
        }
    }

    /// Are all its bytes submitted as actions?
    pub(crate) const fn is_submitted(&self) -> bool {
        self.has_submitted && self.submitted_bytes == self.bytes
    }
}

/// Messages in flight, and those of which a request is open.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    all: Numbered<Message>,
}

impl Messages {
    pub(crate) fn push(&mut self, message: Message) -> MessageId {
        MessageId(self.all.push(message))
    }

    pub(crate) fn at(&self, id: MessageId) -> &Message {
        &self.all[id.0]
    }

    pub(crate) fn at_mut(&mut self, id: MessageId) -> &mut Message {
        &mut self.all[id.0]
    }

    pub(crate) fn forget(&mut self, id: MessageId) {
        self.all.forget(id.0);
    }
}
