// SPDX-License-Identifier: Apache-2.0
//! A rank's requests under numbers of its own: those that are over keep what they have given until the rank asks.

use noccl_program::RequestId;

/// What a request that is over has given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) source: u32,
    pub(crate) tag: i64,
    pub(crate) bytes: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Request {
    /// Goes on; a receive has an address for what comes.
    Open {
        id: RequestId,
        buffer: Option<u64>,
    },
    Over(Outcome),
}

#[derive(Debug, Default)]
pub(crate) struct Requests {
    all: Vec<Option<Request>>,
    free: Vec<u32>,
}

impl Requests {
    pub(crate) fn open(&mut self, id: RequestId, buffer: Option<u64>) -> u32 {
        let request = Some(Request::Open { id, buffer });
        if let Some(number) = self.free.pop() {
            self.all[number as usize] = request;
            return number;
        }
        self.all.push(request);
        self.all.len() as u32 - 1
    }

    pub(crate) fn get(&self, number: u32) -> Option<Request> {
        self.all.get(number as usize).copied().flatten()
    }

    pub(crate) fn end(&mut self, number: u32, outcome: Outcome) {
        if let Some(found) = self.all.get_mut(number as usize) {
            *found = Some(Request::Over(outcome));
        }
    }

    /// A request, which is no more: its number is free again.
    pub(crate) fn remove(&mut self, number: u32) -> Option<Request> {
        let found = self.all.get_mut(number as usize)?.take()?;
        self.free.push(number);
        Some(found)
    }

    /// What a request that is over has given; its number is free again, unless the request is kept.
    pub(crate) fn take(&mut self, number: u32, is_kept: bool) -> Option<Outcome> {
        let Some(Request::Over(outcome)) = self.get(number) else {
            return None;
        };
        if !is_kept {
            self.remove(number);
        }
        Some(outcome)
    }
}
