// SPDX-License-Identifier: Apache-2.0
//! Token coherence: a line has as many tokens as there are caches, one of which is the owner's. Who has one and the data may read, who has
//! all may write (Martin, Hill and Wood, 2003; S2 §V.C).
//!
//! A requester broadcasts; those with tokens respond to it. Requests may cross each other, so that none gets enough: after one repetition the
//! requester asks the line's home for a *persistent* request. The home activates one at a time by a broadcast, and whoever has tokens or gets
//! some sends them to that requester until it is over. Activations are numbered, so that caches know an old one that comes late.

mod state;

pub use state::{TokenHome, TokenLine, TokenMessage};

use super::{Access, Flow, Permission, Protocol, Sent, Target};
use TokenMessage as Message;
use state::{Active, TokenAccess, Tokens, settle};

/// The protocol, with so many broadcasts of a request before it becomes persistent.
#[derive(Debug, Clone, Copy)]
pub struct Token<const BROADCASTS: u8>;

impl<const BROADCASTS: u8> Protocol for Token<BROADCASTS> {
    type Line = TokenLine;
    type Home = TokenHome;
    type Message = Message;
    const HAS_ACKNOWLEDGEMENTS: bool = false;

    fn home(caches: u8) -> TokenHome {
        TokenHome {
            tokens: Tokens {
                count: caches,
                has_owner: true,
                data: Some(0),
            },
            active: None,
            serial: 0,
            waiting: Vec::new(),
        }
    }

    fn permission(line: &TokenLine, caches: u8) -> Permission {
        line.permission(caches)
    }

    fn value(line: &TokenLine) -> Option<u32> {
        line.tokens.data
    }

    fn store(line: &mut TokenLine, value: u32) {
        line.tokens.data = Some(value);
    }

    fn is_busy(line: &TokenLine) -> bool {
        line.doing != TokenAccess::Nothing || line.is_leaving
    }

    fn ask(line: &mut TokenLine, me: u8, access: Access, sent: &mut Sent<Message>) {
        line.doing = TokenAccess::Asks {
            access,
            broadcasts: 0,
            is_persistent: false,
        };
        Self::retry(line, me, sent);
    }

    fn evict(line: &mut TokenLine, me: u8, sent: &mut Sent<Message>) {
        line.is_leaving = true;
        settle(line, me, sent);
    }

    fn retry(line: &mut TokenLine, me: u8, sent: &mut Sent<Message>) {
        let TokenAccess::Asks {
            access,
            broadcasts,
            is_persistent,
        } = &mut line.doing
        else {
            return;
        };
        let (from, access) = (me, *access);
        // One persistent request at a time.
        let is_first = !line.is_early && line.active.is_none_or(|active| active.requester != me);
        if *broadcasts < BROADCASTS {
            *broadcasts += 1;
            sent.push((Target::OthersAndHome(me), Message::Ask { from, access }));
        } else if !*is_persistent && is_first {
            *is_persistent = true;
            sent.push((Target::Home, Message::Persist { from, access }));
        }
    }

    fn receive(
        line: &mut TokenLine,
        me: u8,
        caches: u8,
        message: Message,
        sent: &mut Sent<Message>,
    ) -> bool {
        match message {
            Message::Ask { from, access } => {
                if line.active.is_none() {
                    line.tokens
                        .given(access)
                        .send(Target::Cache(from), 0, false, sent);
                }
            }
            Message::Give {
                count,
                has_owner,
                data,
                serial,
                ..
            } => {
                // It may overtake the activation, and what came before would be sent back.
                let active = Active {
                    requester: me,
                    access: Access::Load,
                };
                line.activate(me, serial, active, sent);
                line.tokens.add(Tokens {
                    count,
                    has_owner,
                    data,
                });
                let completes = line.complete(me, caches, sent);
                if completes {
                    // The core accesses the line before anybody else gets it.
                    return true;
                }
                settle(line, me, sent);
            }
            Message::Activate {
                serial,
                requester,
                access,
            } => {
                line.activate(me, serial, Active { requester, access }, sent);
                settle(line, me, sent);
            }
            Message::Deactivate { serial } => {
                if serial >= line.serial {
                    line.serial = serial;
                    line.active = None;
                    settle(line, me, sent);
                }
            }
            Message::Persist { .. } | Message::Done => unreachable!("goes to the home"),
        }
        false
    }

    fn settle(line: &mut TokenLine, me: u8, sent: &mut Sent<Message>) {
        settle(line, me, sent);
    }

    fn serve(home: &mut TokenHome, caches: u8, message: Message, sent: &mut Sent<Message>) {
        match message {
            Message::Ask { from, access } => {
                if home.active.is_some() {
                    return;
                }
                let is_alone = home.tokens.count == caches;
                // Nobody else has the line: the requester may get all of it.
                let access = if is_alone { Access::Store } else { access };
                home.tokens
                    .given(access)
                    .send(Target::Cache(from), 0, true, sent);
            }
            Message::Give {
                count,
                has_owner,
                data,
                ..
            } => {
                home.tokens.add(Tokens {
                    count,
                    has_owner,
                    data,
                });
                home.yield_tokens(sent);
            }
            Message::Persist { from, access } => {
                let request = Active {
                    requester: from,
                    access,
                };
                if home.active.is_some() {
                    home.waiting.push(request);
                } else {
                    home.activate(request, sent);
                }
            }
            Message::Done => {
                home.active = None;
                if home.waiting.is_empty() {
                    sent.push((
                        Target::All,
                        Message::Deactivate {
                            serial: home.serial,
                        },
                    ));
                } else {
                    let next = home.waiting.remove(0);
                    home.activate(next, sent);
                }
            }
            Message::Activate { .. } | Message::Deactivate { .. } => unreachable!("goes to caches"),
        }
    }

    fn flow(message: &Message) -> Flow {
        match message {
            Message::Ask { .. } | Message::Activate { .. } | Message::Deactivate { .. } => {
                Flow::Broadcast
            }
            Message::Give { data: Some(_), .. } => Flow::Data,
            Message::Give { data: None, .. } | Message::Done => Flow::Control,
            Message::Persist { .. } => Flow::Request,
        }
    }

    fn reads_memory(message: &Message) -> bool {
        matches!(
            message,
            Message::Give {
                is_of_memory: true,
                data: Some(_),
                ..
            }
        )
    }

    fn combine(_first: Message, _second: Message) -> Message {
        unreachable!("nobody acknowledges")
    }

    fn check<'a>(
        lines: &[TokenLine],
        home: &TokenHome,
        in_flight: impl Iterator<Item = &'a Message>,
    ) -> Result<(), String> {
        let mut places: Vec<Tokens> = lines.iter().map(|line| line.tokens).collect();
        places.push(home.tokens);
        places.extend(in_flight.filter_map(|message| match message {
            Message::Give {
                count,
                has_owner,
                data,
                ..
            } => Some(Tokens {
                count: *count,
                has_owner: *has_owner,
                data: *data,
            }),
            Message::Ask { .. }
            | Message::Persist { .. }
            | Message::Activate { .. }
            | Message::Done
            | Message::Deactivate { .. } => None,
        }));
        let count: usize = places.iter().map(|tokens| usize::from(tokens.count)).sum();
        let owners: Vec<&Tokens> = places.iter().filter(|tokens| tokens.has_owner).collect();
        if count != lines.len() || owners.len() != 1 {
            return Err(format!("{count} tokens, {} of them owners'", owners.len()));
        }
        if owners[0].data.is_none() {
            return Err("the owner's token is without the line".to_owned());
        }
        Ok(())
    }
}
