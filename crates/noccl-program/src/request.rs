// SPDX-License-Identifier: Apache-2.0
//! Sends and receives that go on while their rank does something else.

use crate::ids::{MessageId, RankId, RequestId};

/// A send or a receive.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) rank: RankId,
    /// Where it was called.
    pub(crate) call_site: String,
    pub(crate) kind: RequestKind,
    /// The message: of a receive once they have met.
    pub(crate) message: Option<MessageId>,
    pub(crate) is_over: bool,
    /// What a collective has given the rank.
    pub(crate) output: Option<Vec<u8>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RequestKind {
    /// A synchronous one is over when the message has met its receive too.
    Send { is_synchronous: bool },
    /// Bytes of the buffer; `None`: any length.
    Receive { max_bytes: Option<u64> },
    /// A collective beside the rank's calls, by its number.
    Collective(u32),
    /// What whoever drives the rank carries out; as messages name it.
    Task(String),
}

/// All requests that are not over and waited for.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    all: Vec<Option<Request>>,
    free: Vec<RequestId>,
}

impl Requests {
    pub(crate) fn open(&mut self, request: Request) -> RequestId {
        if let Some(id) = self.free.pop() {
            self.all[id.0 as usize] = Some(request);
            return id;
        }
        self.all.push(Some(request));
        RequestId(self.all.len() as u32 - 1)
    }

    pub(crate) fn get(&self, id: RequestId) -> Option<&Request> {
        self.all.get(id.0 as usize)?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, id: RequestId) -> Option<&mut Request> {
        self.all.get_mut(id.0 as usize)?.as_mut()
    }

    /// The request is over and known to be; its number is free again.
    pub(crate) fn close(&mut self, id: RequestId) -> Option<Request> {
        let request = self.all.get_mut(id.0 as usize)?.take()?;
        self.free.push(id);
        Some(request)
    }
}
