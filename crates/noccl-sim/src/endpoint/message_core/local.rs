// SPDX-License-Identifier: Apache-2.0
//! What a core does without a network: reductions and copies within its memory, and time that it computes.

use super::Cores;
use super::core::Doing;
use super::rows::Rows;
use noccl_workload::{ActionKind, LocalReduce, Message};
use std::ops::Range;

impl Cores<'_> {
    /// An action that no network sees is over.
    pub(super) fn end_local(&mut self, tile: usize, share: u32, now: u64) {
        self.cores[tile].doing = Doing::Nothing;
        let action = self.program.instances.all[share].action;
        match &*self.actions.kind(action) {
            ActionKind::LocalReduce(reduce) => self.reduce(tile as u32, reduce),
            ActionKind::Message(message) => self.copy(tile as u32, message),
            ActionKind::Compute(_)
            | ActionKind::StaticMulticast(_)
            | ActionKind::Transfer(_)
            | ActionKind::InNetworkReduction(_)
            | ActionKind::InNetworkAllReduce(_)
            | ActionKind::Barrier(_)
            | ActionKind::Delivery(_)
            | ActionKind::Arrival(_)
            | ActionKind::Kernel(_)
            | ActionKind::Chain(_)
            | ActionKind::ListMulticast(_) => {}
        }
        self.end_share(share, now);
    }

    fn reduce(&mut self, tile: u32, reduce: &LocalReduce) {
        let elements = reduce.bytes / reduce.element.bytes();
        self.counters.software_reduce_ops += elements * (reduce.inputs.len() as u64 - 1);
        self.counters.spm_write_bytes += reduce.bytes;
        if !self.is_value {
            return;
        }
        let sum = self.memories.combined(tile, reduce);
        self.memories.write(tile, reduce.output, &sum);
    }

    fn copy(&mut self, tile: u32, message: &Message) {
        self.counters.spm_write_bytes += message.data_bytes();
        if self.is_value {
            let rows = Rows::of(message);
            let bytes = self.gathered(tile, rows);
            self.scatter(tile, rows, 0..rows.stream_bytes(), &bytes);
        }
    }

    /// The stream of words of a message, from its source (value mode).
    pub(super) fn gathered(&self, tile: u32, rows: Rows) -> Vec<u8> {
        let mut bytes = vec![0; rows.stream_bytes() as usize];
        for piece in rows.pieces(0..rows.stream_bytes()) {
            let range = piece.sent.start as usize..piece.sent.end as usize;
            self.memories.read(tile, piece.from, &mut bytes[range]);
        }
        bytes
    }

    /// Puts a range of the stream at its place (value mode).
    pub(super) fn scatter(&mut self, tile: u32, rows: Rows, range: Range<u64>, stream: &[u8]) {
        for piece in rows.pieces(range) {
            let sent = &stream[piece.sent.start as usize..piece.sent.end as usize];
            self.memories.write(tile, piece.to, sent);
        }
    }

    /// A share is over: messages that may be received now, and of which units stand in the list, are copied.
    pub(super) fn end_share(&mut self, share: u32, now: u64) {
        let tile = self.program.instances.all[share].tile.idx();
        let mut ready = std::mem::take(&mut self.ready);
        ready.clear();
        self.program.end(share, now, |next| ready.push(next));
        if let Some(action) = self.program.forget(share) {
            self.actions.forget(action);
            self.messages.forget(action);
            self.streams.forget(action);
        }
        self.cores[tile].has_ended = self.program.is_watched();
        for next in &ready {
            let action = self.program.instances.all[*next].action;
            let message = self.messages.get(action);
            if message.is_some_and(|m| m.receiving == *next && !m.listed.is_empty()) {
                self.cores[tile].copies.push_back(action);
            }
        }
        self.ready = ready;
    }
}
