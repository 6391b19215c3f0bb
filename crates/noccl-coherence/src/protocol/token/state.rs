// SPDX-License-Identifier: Apache-2.0
//! Lines, homes, tokens and messages of token coherence.

use super::super::{Access, Permission, Sent, Target};
use TokenMessage as Message;

/// Tokens of a line at one place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Tokens {
    pub(super) count: u8,
    pub(super) has_owner: bool,
    /// The line. Who has the owner's token has it.
    pub(super) data: Option<u32>,
}

/// A persistent request that is active.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Active {
    pub(super) requester: u8,
    pub(super) access: Access,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) enum TokenAccess {
    #[default]
    Nothing,
    Asks {
        access: Access,
        broadcasts: u8,
        is_persistent: bool,
    },
}

/// A line in a cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct TokenLine {
    pub(super) tokens: Tokens,
    pub(super) doing: TokenAccess,
    pub(super) active: Option<Active>,
    /// Number of the last activation that the cache knows of.
    pub(super) serial: u32,
    /// A persistent request of its own is complete, but has not been activated yet.
    pub(super) is_early: bool,
    /// What it has goes home as soon as no persistent request of its own is active, for which home would send it back.
    pub(super) is_leaving: bool,
}

/// A line at its home.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TokenHome {
    pub(super) tokens: Tokens,
    pub(super) active: Option<Active>,
    pub(super) serial: u32,
    pub(super) waiting: Vec<Active>,
}

/// A message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TokenMessage {
    /// To all others and the home.
    Ask {
        /// Who.
        from: u8,
        /// What it wants.
        access: Access,
    },
    /// Tokens, to a requester or the home.
    Give {
        /// How many.
        count: u8,
        /// Is the owner's among them?
        has_owner: bool,
        /// The line.
        data: Option<u32>,
        /// From memory?
        is_of_memory: bool,
        /// The activation that asks for them; 0: none.
        serial: u32,
    },
    /// To the home: a request that is to be persistent.
    Persist {
        /// Who.
        from: u8,
        /// What it wants.
        access: Access,
    },
    /// From the home to all caches.
    Activate {
        /// Number of the activation.
        serial: u32,
        /// To whom tokens go.
        requester: u8,
        /// What it wants.
        access: Access,
    },
    /// To the home: a persistent request is over.
    Done,
    /// From the home to all caches.
    Deactivate {
        /// Number of the activation that is over.
        serial: u32,
    },
}

impl Tokens {
    pub(super) fn add(&mut self, other: Self) {
        self.count += other.count;
        self.has_owner |= other.has_owner;
        self.data = self.data.or(other.data);
    }

    /// Takes some away, the owner's among them or not; the data goes along with that or if it is asked for.
    pub(super) fn take(&mut self, count: u8, has_owner: bool, has_data: bool) -> Self {
        let taken = Self {
            count,
            has_owner,
            data: self.data.filter(|_| has_data || has_owner),
        };
        self.count -= count;
        self.has_owner &= !has_owner;
        if self.count == 0 {
            self.data = None;
        }
        taken
    }

    pub(super) fn all(&mut self) -> Self {
        self.take(self.count, self.has_owner, self.has_owner)
    }

    /// What is given to a request of the first or second try.
    pub(super) fn given(&mut self, access: Access) -> Self {
        match access {
            Access::Store => self.all(),
            Access::Load if !self.has_owner => Self::default(),
            Access::Load if self.count == 1 => self.all(),
            Access::Load => self.take(1, false, true),
        }
    }

    /// What is given to a persistent request: whoever has the owner's token keeps one other at most.
    pub(super) fn yielded(&mut self, access: Access) -> Self {
        match access {
            Access::Store => self.all(),
            Access::Load if !self.has_owner => Self::default(),
            Access::Load if self.count == 1 => self.all(),
            Access::Load => self.take(self.count - 1, true, true),
        }
    }

    pub(super) fn send(
        self,
        to: Target,
        serial: u32,
        is_of_memory: bool,
        sent: &mut Sent<Message>,
    ) {
        let Self {
            count,
            has_owner,
            data,
        } = self;
        if count > 0 {
            let message = Message::Give {
                count,
                has_owner,
                data,
                is_of_memory,
                serial,
            };
            sent.push((to, message));
        }
    }
}

impl TokenLine {
    pub(super) const fn permission(&self, caches: u8) -> Permission {
        if self.is_leaving || self.tokens.count == 0 || self.tokens.data.is_none() {
            Permission::None
        } else if self.tokens.count == caches {
            Permission::Write
        } else {
            Permission::Read
        }
    }

    /// Gives what an active request of somebody else asks for.
    pub(super) fn yield_tokens(&mut self, me: u8, sent: &mut Sent<Message>) {
        let Some(active) = self.active.filter(|active| active.requester != me) else {
            return;
        };
        let tokens = self.tokens.yielded(active.access);
        tokens.send(Target::Cache(active.requester), self.serial, false, sent);
    }

    /// Is what it asks for complete? Then a persistent request ends, now or when it is activated.
    pub(super) fn complete(&mut self, me: u8, caches: u8, sent: &mut Sent<Message>) -> bool {
        let TokenAccess::Asks {
            access,
            is_persistent,
            ..
        } = self.doing
        else {
            return false;
        };
        if !self.permission(caches).allows(access) {
            return false;
        }
        self.doing = TokenAccess::Nothing;
        if is_persistent {
            if self.active.is_some_and(|active| active.requester == me) {
                sent.push((Target::Home, Message::Done));
            } else {
                self.is_early = true;
            }
        }
        true
    }

    pub(super) fn activate(
        &mut self,
        me: u8,
        serial: u32,
        active: Active,
        sent: &mut Sent<Message>,
    ) {
        if serial <= self.serial {
            return;
        }
        self.serial = serial;
        self.active = Some(active);
        if active.requester == me && self.is_early {
            self.is_early = false;
            sent.push((Target::Home, Message::Done));
        }
    }
}

impl TokenHome {
    pub(super) fn activate(&mut self, active: Active, sent: &mut Sent<Message>) {
        let Active { requester, access } = active;
        self.serial += 1;
        self.active = Some(active);
        let serial = self.serial;
        sent.push((
            Target::All,
            Message::Activate {
                serial,
                requester,
                access,
            },
        ));
        self.yield_tokens(sent);
    }

    pub(super) fn yield_tokens(&mut self, sent: &mut Sent<Message>) {
        if let Some(active) = self.active {
            let tokens = self.tokens.yielded(active.access);
            tokens.send(Target::Cache(active.requester), self.serial, true, sent);
        }
    }
}

/// What becomes of tokens that have come: a persistent request of somebody else gets them, and what nobody here asks for goes home. While the
/// home still sends tokens here, what goes home would come back, so it waits.
pub(super) fn settle(line: &mut TokenLine, me: u8, sent: &mut Sent<Message>) {
    line.yield_tokens(me, sent);
    let is_unused = line.doing == TokenAccess::Nothing && line.tokens.data.is_none();
    line.is_leaving = (line.is_leaving || is_unused) && line.tokens.count > 0;
    let comes_back = line.active.is_some_and(|active| active.requester == me);
    if line.is_leaving && !comes_back {
        line.is_leaving = false;
        line.tokens.all().send(Target::Home, 0, false, sent);
    }
}
