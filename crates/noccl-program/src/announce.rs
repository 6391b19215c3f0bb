// SPDX-License-Identifier: Apache-2.0
//! Sends and receives: messages become actions as soon as both memories have space for them.
//!
//! A message that has not met its receive is announced and its first chunk sent: on core tiles it then waits in the network, the receiver's
//! queue or its list of early messages; on clusters it lies in the receiver's memory. The chunks behind the first follow when it has met its receive.

use crate::error::ProgramError;
use crate::ids::{CommId, MessageId, RankId, RequestId};
use crate::matching::{Announced, Met, Wanted};
use crate::message::{Chunk, Message};
use crate::rank::CallSite;
use crate::request::{Request, RequestKind};
use crate::session::{Role, Session};
use noccl_net::{TileId, TileRef};
use noccl_run::Order;
use noccl_workload::{Action, ActionId, ActionKind, Destination, Message as Sent, Transfer};

/// A message of which a rank is the sender or the receiver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Send {
    /// On which communicator.
    pub comm: CommId,
    /// Receiver, by rank of the communicator.
    pub target: u32,
    /// Tag, not negative.
    pub tag: i64,
    /// Payload.
    pub data: Vec<u8>,
    /// Is it over only when the message has met its receive?
    pub is_synchronous: bool,
}

/// A message that a rank is ready for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Receive {
    /// On which communicator.
    pub comm: CommId,
    /// Sender, by rank of the communicator; `None`: any.
    pub source: Option<u32>,
    /// Tag; `None`: any.
    pub tag: Option<i64>,
    /// Bytes of the buffer; `None`: any length.
    pub max_bytes: Option<u64>,
}

impl Session<'_> {
    /// A rank sends, and goes on at once.
    ///
    /// # Errors
    /// [`ProgramError::Argument`]; [`ProgramError::Truncated`] if its receive is there and too short.
    pub fn isend(
        &mut self,
        rank: RankId,
        send: Send,
        call_site: CallSite,
    ) -> Result<RequestId, ProgramError> {
        let target = self.member(rank, send.comm, send.target, "destination", &call_site)?;
        if send.tag < 0 {
            return Err(ProgramError::Argument {
                rank,
                call_site,
                what: format!("tag {}", send.tag),
                accepted: "0 and more".to_owned(),
            });
        }
        let is_synchronous = send.is_synchronous;
        let sent = crate::trace::sent(&send);
        let request = self.requests.open(Request {
            rank,
            call_site,
            kind: RequestKind::Send { is_synchronous },
            message: None,
            is_over: false,
            output: None,
        });
        let sender = &mut self.ranks[rank.idx()];
        sender.messages += 1;
        sender.bytes += send.data.len() as u64;
        let (comm, tag) = (send.comm, send.tag);
        let message =
            self.messages
                .push(Message::new(comm, (rank, target), tag, send.data, request));
        if let Some(request) = self.requests.get_mut(request) {
            request.message = Some(message);
        }
        self.note_send(rank, sent, is_synchronous, request);
        self.to_submit[rank.idx()].push_back(message);
        let announced = Announced {
            message,
            comm,
            source: rank,
            tag,
            arrival: None,
        };
        let mut met = Vec::new();
        self.ranks[target.idx()].inbox.announce(announced, &mut met);
        self.meet(met)?;
        // What goes on beside a call of the rank must not wait until that is over.
        let order = if self.ranks[rank.idx()].call.is_some() {
            Order::Concurrent
        } else {
            Order::InOrder
        };
        self.submit_messages(rank, order)?;
        Ok(request)
    }

    /// A rank is ready for a message, and goes on at once.
    ///
    /// # Errors
    /// As [`Session::isend`].
    pub fn irecv(
        &mut self,
        rank: RankId,
        receive: Receive,
        call_site: CallSite,
    ) -> Result<RequestId, ProgramError> {
        let wanted = self.wanted(rank, receive.comm, receive.source, receive.tag, &call_site)?;
        let request = self.requests.open(Request {
            rank,
            call_site,
            kind: RequestKind::Receive {
                max_bytes: receive.max_bytes,
            },
            message: None,
            is_over: false,
            output: None,
        });
        self.note_receive(rank, &receive, request);
        let mut met = Vec::new();
        self.ranks[rank.idx()].inbox.post(request, wanted, &mut met);
        self.meet(met)?;
        Ok(request)
    }

    /// A receive is withdrawn; false if it has met a message, and then it has to be waited for.
    pub fn cancel(&mut self, rank: RankId, request: RequestId) -> bool {
        let is_withdrawn = self.ranks[rank.idx()].inbox.withdraw(request);
        if is_withdrawn {
            self.note_cancel(rank, request);
            self.requests.close(request);
        }
        is_withdrawn
    }

    /// What a receive or a probe looks for, by ranks of the whole program.
    pub(crate) fn wanted(
        &self,
        rank: RankId,
        comm: CommId,
        source: Option<u32>,
        tag: Option<i64>,
        call_site: &CallSite,
    ) -> Result<Wanted, ProgramError> {
        self.position(rank, comm, call_site)?;
        let source = source.map(|source| self.member(rank, comm, source, "source", call_site));
        Ok(Wanted {
            comm,
            source: source.transpose()?,
            tag,
        })
    }

    /// Receives and messages that have found each other.
    pub(crate) fn meet(&mut self, met: Vec<Met>) -> Result<(), ProgramError> {
        for (receive, message) in met {
            self.refuse_truncation(receive, message)?;
            if let Some(request) = self.requests.get_mut(receive) {
                request.message = Some(message);
            }
            let found = self.messages.at_mut(message);
            found.receive = Some(receive);
            let (source, target) = (found.source, found.target);
            let chunks: Vec<ActionId> = found.chunks.iter().map(|chunk| chunk.action).collect();
            let goes_on = found.has_submitted && !found.is_submitted();
            if source != target {
                let tile = self.ranks[target.idx()].tile;
                for action in chunks {
                    self.run.release(action, tile, Order::InOrder);
                }
            }
            if goes_on {
                self.to_submit[source.idx()].push_back(message);
                // The sender may wait for something else by now.
                self.submit_messages(source, Order::Concurrent)?;
            }
            self.note_ends(message);
        }
        Ok(())
    }

    fn refuse_truncation(
        &self,
        receive: RequestId,
        message: MessageId,
    ) -> Result<(), ProgramError> {
        let message = self.messages.at(message);
        let Some(request) = self.requests.get(receive) else {
            return Ok(());
        };
        let RequestKind::Receive {
            max_bytes: Some(max_bytes),
        } = request.kind
        else {
            return Ok(());
        };
        if message.bytes <= max_bytes {
            return Ok(());
        }
        let sent_at = self.requests.get(message.send);
        Err(ProgramError::Truncated {
            rank: request.rank,
            call_site: request.call_site.clone(),
            max_bytes,
            other: message.source,
            other_call_site: sent_at.map_or_else(String::new, |request| request.call_site.clone()),
            bytes: message.bytes,
            tag: message.tag,
        })
    }

    /// Submits what a rank's messages still need, in the order in which they were sent, as far as there is memory.
    pub(crate) fn submit_messages(
        &mut self,
        source: RankId,
        order: Order,
    ) -> Result<(), ProgramError> {
        while let Some(message) = self.to_submit[source.idx()].front().copied() {
            while self.may_go_on(message) {
                if !self.submit_chunk(message, order)? {
                    return Ok(());
                }
            }
            self.to_submit[source.idx()].pop_front();
        }
        Ok(())
    }

    /// Is there a chunk to be submitted? After the first one only if the message has met its receive.
    fn may_go_on(&self, message: MessageId) -> bool {
        let message = self.messages.at(message);
        !message.is_submitted() && (!message.has_submitted || message.receive.is_some())
    }

    /// Submits the next chunk of a message; false if there is no memory for it now.
    fn submit_chunk(&mut self, id: MessageId, order: Order) -> Result<bool, ProgramError> {
        let message = self.messages.at(id);
        let (source, target) = (message.source, message.target);
        let from = message.submitted_bytes;
        let bytes = (message.bytes - from).min(self.chunk_bytes);
        // Something has to cross the network, a flag if nothing else.
        let moved = if self.carries_words {
            bytes
        } else {
            bytes.max(1)
        };
        let Some(at_source) = self.own[source.idx()].take(moved) else {
            return Ok(false);
        };
        let Some(at_target) = self.own[target.idx()].take(moved) else {
            self.own[source.idx()].give_back(at_source);
            return Ok(false);
        };
        let has_met = message.receive.is_some();
        let address = |rank: RankId, offset| noccl_workload::Place {
            tile: TileRef::Cluster(self.coord(rank)),
            offset,
        };
        let (read, written) = (address(source, at_source), address(target, at_target));
        let data = &message.data[from as usize..(from + bytes) as usize];
        self.run.write(read, data);
        let kind = if self.carries_words {
            ActionKind::Message(Sent {
                source: read,
                destination: written,
                bytes: moved,
                rows: None,
                round: None,
            })
        } else {
            let to = Destination::One(written);
            let transfer = Transfer::row(read.tile, read, to, moved);
            if source == target {
                ActionKind::Transfer(transfer)
            } else {
                ActionKind::Delivery(transfer)
            }
        };
        let receiver = (!has_met && source != target).then(|| self.ranks[target.idx()].tile);
        let after = Vec::new();
        let is_held = |tile: TileId| Some(tile) == receiver;
        let action = self.run.submit(Action { kind, after }, &is_held, order)?;
        self.roles.push(Role::Message(id));
        let message = self.messages.at_mut(id);
        message.has_submitted = true;
        message.submitted_bytes += bytes;
        message.chunks.push(Chunk {
            action,
            from,
            bytes,
            at_source,
            at_target,
            is_sent: false,
            has_come: false,
            is_freed: false,
        });
        Ok(true)
    }
}
