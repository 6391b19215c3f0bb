// SPDX-License-Identifier: Apache-2.0
//! What a stream leaves in the memories that it passes, each in an order of addresses of its own.

use crate::Chain;
use crate::check::memory::content::Piece;
use crate::check::memory::execute::Execution;
use crate::check::memory::expression::Value;

impl Execution<'_> {
    /// Reads at the initiator, writes at every destination; the initiator's share is over when all is there.
    pub(crate) fn stream(&mut self, action: usize, chain: &Chain) {
        let network = self.network;
        let Some(source) = network.find(chain.initiator).filter(|_| chain.bytes > 0) else {
            return;
        };
        let access = self.access(action, 0);
        let mut stream: Vec<Piece> = Vec::new();
        let mut done = 0;
        for (start, bytes) in chain.source.extents() {
            for piece in self.read(source, start, bytes, access) {
                append(&mut stream, done, piece);
            }
            done += bytes;
        }
        let own = chain.own_copy().map(|pattern| (chain.initiator, pattern));
        let others = chain.followers().into_iter().map(|s| (s.tile, &s.pattern));
        for (tile, pattern) in others.chain(own) {
            let Some(tile) = network.find(tile) else {
                continue;
            };
            let (mut at, mut first) = (0, 0);
            for (start, bytes) in pattern.extents() {
                let pieces = cut(&stream, &mut first, at, bytes);
                self.write(tile, start, &pieces, access);
                at += bytes;
            }
        }
    }
}

/// Adds a piece of a range that begins at `done` of the stream.
fn append(stream: &mut Vec<Piece>, done: u64, piece: Piece) {
    let value = Value {
        shift: piece.value.shift - i128::from(done),
        ..piece.value
    };
    match stream.last_mut() {
        Some(last) if last.value == value => last.bytes += piece.bytes,
        Some(_) | None => stream.push(Piece {
            offset: done + piece.offset,
            value,
            ..piece
        }),
    }
}

/// The pieces of `bytes` of the stream from `at` on; `first` moves to the piece in which the next ones begin.
fn cut(stream: &[Piece], first: &mut usize, at: u64, bytes: u64) -> Vec<Piece> {
    while stream[*first].offset + stream[*first].bytes <= at {
        *first += 1;
    }
    let inside = stream[*first..]
        .iter()
        .take_while(|p| p.offset < at + bytes);
    let pieces = inside.map(|p| {
        let from = p.offset.max(at);
        let end = (p.offset + p.bytes).min(at + bytes);
        Piece {
            offset: from - at,
            bytes: end - from,
            value: Value {
                shift: p.value.shift + i128::from(at),
                ..p.value
            },
        }
    });
    pieces.collect()
}
