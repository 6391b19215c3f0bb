// SPDX-License-Identifier: Apache-2.0
//! HT: requests go to the line's home, which takes one at a time and asks all other caches (S2 §V.C; after AMD's HyperTransport).
//!
//! Each of them acknowledges to the requester; the owner sends it the data besides, or the memory does if no cache owns the line. The
//! requester waits for all acknowledgements and the data, and then releases the home. So acknowledgements are a reduction with as many
//! contributions as there are other caches, whoever has the data: data is no part of it. The home keeps one bit, whether a cache owns the
//! line, so that memory is silent then. States are those of MOESI.

mod state;

pub use state::{HtHome, HtLine, HtMessage};

use super::{Access, Flow, Permission, Protocol, Sent, Target};
use HtMessage as Message;
use state::{HtAccess, HtState, Request};

/// The protocol.
#[derive(Debug, Clone, Copy)]
pub struct Ht;

impl Protocol for Ht {
    type Line = HtLine;
    type Home = HtHome;
    type Message = Message;
    const HAS_ACKNOWLEDGEMENTS: bool = true;

    fn home(_caches: u8) -> HtHome {
        HtHome {
            is_busy: false,
            is_owned: false,
            value: 0,
            waiting: Vec::new(),
        }
    }

    fn permission(line: &HtLine, _caches: u8) -> Permission {
        match line.state {
            // Somebody may get the line before the home takes it: the core waits.
            _ if line.doing == HtAccess::Evicts => Permission::None,
            HtState::Invalid => Permission::None,
            HtState::Shared | HtState::Owned => Permission::Read,
            HtState::Exclusive | HtState::Modified => Permission::Write,
        }
    }

    fn value(line: &HtLine) -> Option<u32> {
        Some(line.value)
    }

    fn store(line: &mut HtLine, value: u32) {
        line.value = value;
        line.state = HtState::Modified;
    }

    fn is_busy(line: &HtLine) -> bool {
        line.doing != HtAccess::Nothing
    }

    fn ask(line: &mut HtLine, me: u8, access: Access, sent: &mut Sent<Message>) {
        line.doing = HtAccess::Asks {
            access,
            acknowledgements: 0,
            is_shared: false,
            data: None,
        };
        sent.push((Target::Home, Message::Get { from: me, access }));
    }

    fn evict(line: &mut HtLine, me: u8, sent: &mut Sent<Message>) {
        if line.state.owns() {
            line.doing = HtAccess::Evicts;
            sent.push((Target::Home, Message::Put { from: me }));
        } else {
            *line = HtLine::default();
        }
    }

    fn retry(_line: &mut HtLine, _me: u8, _sent: &mut Sent<Message>) {}

    fn receive(
        line: &mut HtLine,
        _me: u8,
        caches: u8,
        message: Message,
        sent: &mut Sent<Message>,
    ) -> bool {
        match message {
            Message::Probe { requester, access } => line.acknowledge(requester, access, sent),
            Message::Acknowledge {
                caches: more,
                is_shared: shares,
            } => {
                if let HtAccess::Asks {
                    acknowledgements,
                    is_shared,
                    ..
                } = &mut line.doing
                {
                    *acknowledgements += more;
                    *is_shared |= shares;
                }
                return line.complete(caches, sent);
            }
            Message::Data { value, .. } => {
                if let HtAccess::Asks { data, .. } = &mut line.doing {
                    *data = Some(value);
                }
                return line.complete(caches, sent);
            }
            Message::PutGrant => {
                let (value, is_dirty) = (line.value, line.state != HtState::Exclusive);
                let still_owns = line.state.owns();
                *line = HtLine::default();
                sent.push((
                    Target::Home,
                    if still_owns {
                        Message::PutData { value, is_dirty }
                    } else {
                        Message::PutCancel
                    },
                ));
            }
            Message::Get { .. }
            | Message::Release { .. }
            | Message::Put { .. }
            | Message::PutData { .. }
            | Message::PutCancel => unreachable!("goes to the home"),
        }
        false
    }

    fn settle(_line: &mut HtLine, _me: u8, _sent: &mut Sent<Message>) {}

    fn serve(home: &mut HtHome, _caches: u8, message: Message, sent: &mut Sent<Message>) {
        match message {
            Message::Get { from, access } => home.take(Request::Get(from, access), sent),
            Message::Put { from } => home.take(Request::Put(from), sent),
            Message::Release { owns } => {
                home.is_owned |= owns;
                home.release(sent);
            }
            Message::PutData { value, .. } => {
                home.value = value;
                home.is_owned = false;
                home.release(sent);
            }
            Message::PutCancel => home.release(sent),
            Message::Probe { .. }
            | Message::Acknowledge { .. }
            | Message::Data { .. }
            | Message::PutGrant => unreachable!("goes to a cache"),
        }
    }

    fn flow(message: &Message) -> Flow {
        match message {
            Message::Get { .. } | Message::Put { .. } => Flow::Request,
            Message::Probe { .. } => Flow::Broadcast,
            Message::Acknowledge { .. } => Flow::Acknowledgement,
            Message::Data { .. } => Flow::Data,
            Message::PutData { is_dirty: true, .. } => Flow::Writeback,
            Message::Release { .. }
            | Message::PutGrant
            | Message::PutData {
                is_dirty: false, ..
            }
            | Message::PutCancel => Flow::Control,
        }
    }

    fn reads_memory(message: &Message) -> bool {
        matches!(
            message,
            Message::Data {
                is_of_memory: true,
                ..
            }
        )
    }

    fn combine(first: Message, second: Message) -> Message {
        match (first, second) {
            (
                Message::Acknowledge { caches, is_shared },
                Message::Acknowledge {
                    caches: more,
                    is_shared: shares,
                },
            ) => Message::Acknowledge {
                caches: caches + more,
                is_shared: is_shared | shares,
            },
            _ => unreachable!("only acknowledgements are combined"),
        }
    }

    fn check<'a>(
        lines: &[HtLine],
        home: &HtHome,
        _in_flight: impl Iterator<Item = &'a Message>,
    ) -> Result<(), String> {
        let owners = lines.iter().filter(|line| line.state.owns()).count();
        if owners > 1 {
            return Err(format!("{owners} caches own the line"));
        }
        if owners == 1 && !home.is_busy && !home.is_owned {
            return Err("a cache owns the line and its home does not know".to_owned());
        }
        Ok(())
    }
}
