// SPDX-License-Identifier: Apache-2.0
//! Chunks of messages that are sent and that have come, and the requests that are over by it.

use crate::error::ProgramError;
use crate::ids::{MessageId, RankId, RequestId};
use crate::request::{Request, RequestKind};
use crate::session::Session;
use noccl_net::TileRef;
use noccl_workload::ActionId;

impl Session<'_> {
    /// The first words of a message that has not met its receive have come.
    pub(crate) fn message_comes(&mut self, id: MessageId) -> Result<(), ProgramError> {
        let target = self.messages.at(id).target;
        let mut met = Vec::new();
        self.ranks[target.idx()].inbox.arrive(id, &mut met);
        self.to_respond.insert(target);
        self.meet(met)
    }

    /// A share of a chunk is over, at the sender or at the receiver.
    pub(crate) fn chunk_over(
        &mut self,
        id: MessageId,
        action: ActionId,
        rank: RankId,
    ) -> Result<(), ProgramError> {
        let message = self.messages.at_mut(id);
        let (source, target) = (message.source, message.target);
        let Some(number) = message
            .chunks
            .iter()
            .position(|chunk| chunk.action == action)
        else {
            return Ok(());
        };
        if rank == source {
            let chunk = &mut message.chunks[number];
            chunk.is_sent = true;
            let at_source = chunk.at_source;
            message.is_sent = message.is_submitted() && message.chunks.iter().all(|p| p.is_sent);
            self.own[source.idx()].give_back(at_source);
            self.has_freed = true;
        }
        if rank == target {
            self.chunk_arrives(id, number)?;
        }
        self.note_ends(id);
        Ok(())
    }

    fn chunk_arrives(&mut self, id: MessageId, number: usize) -> Result<(), ProgramError> {
        let message = self.messages.at(id);
        let (source, target) = (message.source, message.target);
        let chunk = message.chunks[number];
        let at = noccl_workload::Place {
            tile: TileRef::Cluster(self.coord(target)),
            offset: chunk.at_target,
        };
        let read = self.run.read(at, chunk.bytes);
        let message = self.messages.at_mut(id);
        let sent = &message.data[chunk.from as usize..(chunk.from + chunk.bytes) as usize];
        if read != sent {
            return Err(ProgramError::Changed {
                source_rank: source,
                rank: target,
            });
        }
        message.chunks[number].has_come = true;
        message.has_come = message.is_submitted() && message.chunks.iter().all(|p| p.has_come);
        if message.receive.is_none() {
            self.message_comes(id)?;
        }
        Ok(())
    }

    /// Are the requests of a message over? Its memory at the receiver is free when it has met its receive.
    pub(crate) fn note_ends(&mut self, id: MessageId) {
        let message = self.messages.at_mut(id);
        let (source, target) = (message.source, message.target);
        let (is_sent, has_come, has_met) =
            (message.is_sent, message.has_come, message.receive.is_some());
        if has_met {
            for chunk in message
                .chunks
                .iter_mut()
                .filter(|chunk| chunk.has_come && !chunk.is_freed)
            {
                chunk.is_freed = true;
                self.own[target.idx()].give_back(chunk.at_target);
                self.has_freed = true;
            }
        }
        let (send, receive) = (message.send, message.receive);
        // A number whose request is over may be another one's by now.
        let is_of = |request: &Request, is_send: bool| {
            let is_one = matches!(request.kind, RequestKind::Send { .. });
            request.message == Some(id) && is_one == is_send && !request.is_over
        };
        if let Some(request) = self.requests.get_mut(send).filter(|r| is_of(r, true)) {
            let waits_for_receive = request.kind
                == RequestKind::Send {
                    is_synchronous: true,
                };
            if is_sent && (has_met || !waits_for_receive) {
                request.is_over = true;
                self.to_respond.insert(source);
            }
        }
        let receive = receive.and_then(|receive| self.requests.get_mut(receive));
        if let Some(request) = receive.filter(|r| has_come && is_of(r, false)) {
            request.is_over = true;
            self.to_respond.insert(target);
        }
    }

    /// A request of a message has been waited for: the message is forgotten if it is over and its other request is waited for too.
    pub(crate) fn forget_message(&mut self, id: MessageId) {
        let message = self.messages.at(id);
        let is_open = |request: RequestId| {
            let request = self.requests.get(request);
            request.is_some_and(|request| request.message == Some(id))
        };
        let is_over = message.is_sent && message.has_come && !is_open(message.send);
        if is_over && message.receive.is_some_and(|receive| !is_open(receive)) {
            self.messages.forget(id);
        }
    }
}
