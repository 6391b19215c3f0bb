// SPDX-License-Identifier: Apache-2.0
//! Lines, homes and messages of HT.

use super::super::{Access, Sent, Target};
use HtMessage as Message;

/// State of a copy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) enum HtState {
    #[default]
    Invalid,
    Shared,
    /// The only copy, as in memory.
    Exclusive,
    /// Others may have copies; memory may be older.
    Owned,
    Modified,
}

impl HtState {
    pub(super) const fn owns(self) -> bool {
        match self {
            Self::Exclusive | Self::Owned | Self::Modified => true,
            Self::Invalid | Self::Shared => false,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) enum HtAccess {
    #[default]
    Nothing,
    /// Waits for acknowledgements and data.
    Asks {
        access: Access,
        acknowledgements: u8,
        is_shared: bool,
        data: Option<u32>,
    },
    /// Waits for the home to take what it gives up.
    Evicts,
}

/// A line in a cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct HtLine {
    pub(super) state: HtState,
    pub(super) value: u32,
    pub(super) doing: HtAccess,
}

/// Of a home: requests that it takes one at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Request {
    Get(u8, Access),
    Put(u8),
}

/// A line at its home.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HtHome {
    pub(super) is_busy: bool,
    /// Does a cache own it?
    pub(super) is_owned: bool,
    pub(super) value: u32,
    pub(super) waiting: Vec<Request>,
}

/// A message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HtMessage {
    /// To the home: a cache wants to access the line.
    Get {
        /// Who.
        from: u8,
        /// How.
        access: Access,
    },
    /// From the home to all other caches.
    Probe {
        /// To whom they respond.
        requester: u8,
        /// What that wants.
        access: Access,
    },
    /// To the requester.
    Acknowledge {
        /// From so many caches.
        caches: u8,
        /// Does one of them keep a copy?
        is_shared: bool,
    },
    /// To the requester, from the owner or from memory.
    Data {
        /// The line.
        value: u32,
        /// From memory?
        is_of_memory: bool,
    },
    /// To the home: the requester has what it wanted.
    Release {
        /// Does it own the line now?
        owns: bool,
    },
    /// To the home: an owner wants to give the line up.
    Put {
        /// Who.
        from: u8,
    },
    /// From the home: it takes the line now.
    PutGrant,
    /// To the home: the line, if it differs from memory.
    PutData {
        /// The line.
        value: u32,
        /// Does it differ?
        is_dirty: bool,
    },
    /// To the home: somebody else has got the line before.
    PutCancel,
}

impl HtLine {
    pub(super) fn acknowledge(&mut self, requester: u8, access: Access, sent: &mut Sent<Message>) {
        let to = Target::Cache(requester);
        if self.state.owns() {
            let (value, is_of_memory) = (self.value, false);
            sent.push((
                to,
                Message::Data {
                    value,
                    is_of_memory,
                },
            ));
        }
        self.state = match (access, self.state) {
            (Access::Store, _) | (Access::Load, HtState::Invalid) => HtState::Invalid,
            (Access::Load, HtState::Shared) => HtState::Shared,
            (Access::Load, HtState::Exclusive | HtState::Owned | HtState::Modified) => {
                HtState::Owned
            }
        };
        let is_shared = self.state != HtState::Invalid;
        sent.push((
            to,
            Message::Acknowledge {
                caches: 1,
                is_shared,
            },
        ));
    }

    /// If all that it waits for is there, it has the line and releases the home.
    pub(super) fn complete(&mut self, caches: u8, sent: &mut Sent<Message>) -> bool {
        let HtAccess::Asks {
            access,
            acknowledgements,
            is_shared,
            data,
        } = self.doing
        else {
            return false;
        };
        let own = self.state.owns().then_some(self.value);
        let Some(value) = data.or(own).filter(|_| acknowledgements + 1 == caches) else {
            return false;
        };
        self.value = value;
        self.state = match access {
            Access::Store => HtState::Modified,
            Access::Load if is_shared => HtState::Shared,
            Access::Load => HtState::Exclusive,
        };
        self.doing = HtAccess::Nothing;
        sent.push((
            Target::Home,
            Message::Release {
                owns: self.state.owns(),
            },
        ));
        true
    }
}

impl HtHome {
    pub(super) fn take(&mut self, request: Request, sent: &mut Sent<Message>) {
        if self.is_busy {
            self.waiting.push(request);
            return;
        }
        self.is_busy = true;
        match request {
            Request::Get(requester, access) => {
                sent.push((
                    Target::Others(requester),
                    Message::Probe { requester, access },
                ));
                if !self.is_owned {
                    let (value, is_of_memory) = (self.value, true);
                    sent.push((
                        Target::Cache(requester),
                        Message::Data {
                            value,
                            is_of_memory,
                        },
                    ));
                }
            }
            Request::Put(from) => sent.push((Target::Cache(from), Message::PutGrant)),
        }
    }

    pub(super) fn release(&mut self, sent: &mut Sent<Message>) {
        self.is_busy = false;
        if !self.waiting.is_empty() {
            let next = self.waiting.remove(0);
            self.take(next, sent);
        }
    }
}
