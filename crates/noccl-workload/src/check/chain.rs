// SPDX-License-Identifier: Apache-2.0
//! Chains: what each is held to alone, and what it leaves in every stop's memory.
//!
//! A chain writes at several tiles by patterns that may be anything. So it is refused before anything moves where a
//! pattern leaves its memory, writes a byte twice or writes what it reads.

use super::CheckError;
use super::content::Piece;
use super::execute::Execution;
use super::expression::Value;
use super::form::At;
use crate::{AccessPattern, CHAIN_BEAT_BYTES, Chain, MAX_FIELD, MAX_LOOPS, WORD_BYTES};
use noccl_net::TileId;
use noccl_spec::TorrentMode;

impl At<'_> {
    pub(super) fn chain(&self, chain: &Chain) -> Result<(), CheckError> {
        let Some(endpoint) = &self.network.spec().cluster.torrent else {
            return self.fail(
                "initiator",
                chain.initiator,
                "a network whose clusters have a Torrent endpoint: [cluster.torrent] in the spec, as in the \
                 preset torrent_4x5; elsewhere a multicast",
            );
        };
        let source = self.cluster("initiator", chain.initiator)?;
        if !chain.bytes.is_multiple_of(CHAIN_BEAT_BYTES) || chain.beats() > MAX_FIELD {
            let accepted =
                format!("a multiple of {CHAIN_BEAT_BYTES}, at most {MAX_FIELD} times as much");
            return self.fail("bytes", chain.bytes, &accepted);
        }
        if chain.stops.is_empty() {
            return self.fail("stops", "[]", "at least one cluster");
        }
        let followers = chain.followers().len();
        if followers > endpoint.max_destinations as usize {
            let accepted = format!(
                "at most {}, cluster.torrent.max_destinations",
                endpoint.max_destinations
            );
            return self.fail("stops", format!("{followers} clusters"), &accepted);
        }
        if chain.bytes == CHAIN_BEAT_BYTES && followers > 0 && never_sends_one_beat(endpoint.mode) {
            let accepted = "two beats or more: an endpoint with cluster.torrent.mode = \"published\" never sends a burst of one";
            return self.fail("bytes", chain.bytes, accepted);
        }
        self.pattern("source", source, &chain.source, chain.bytes)?;
        for (i, stop) in chain.stops.iter().enumerate() {
            let tile = self.cluster(&format!("stops[{i}].tile"), stop.tile)?;
            self.pattern(
                &format!("stops[{i}].pattern"),
                tile,
                &stop.pattern,
                chain.bytes,
            )?;
            self.writes_once(i, chain)?;
        }
        Ok(())
    }

    fn pattern(
        &self,
        name: &str,
        tile: TileId,
        pattern: &AccessPattern,
        bytes: u64,
    ) -> Result<(), CheckError> {
        let at = |part: &str| format!("{name}.{part}");
        if pattern.loops.len() > MAX_LOOPS {
            let accepted = format!("at most {MAX_LOOPS}");
            return self.fail(&at("loops"), pattern.loops.len(), &accepted);
        }
        let strides = pattern.loops.iter().enumerate();
        let strides = strides.map(|(i, l)| (format!("loops[{i}].stride"), l.stride));
        for (part, stride) in strides.chain([("word_stride".to_owned(), pattern.word_stride)]) {
            if !stride.is_multiple_of(WORD_BYTES) || stride / WORD_BYTES > MAX_FIELD {
                let accepted =
                    format!("a multiple of {WORD_BYTES}, at most {MAX_FIELD} times as much");
                return self.fail(&at(&part), stride, &accepted);
            }
        }
        if !pattern.offset.is_multiple_of(WORD_BYTES) {
            return self.fail(&at("offset"), pattern.offset, "a multiple of 8");
        }
        let counts = pattern.loops.iter().map(|l| l.count);
        if pattern.beats() != bytes / CHAIN_BEAT_BYTES || counts.max().unwrap_or(0) > MAX_FIELD {
            let accepted = format!(
                "counts whose product is {}, the beats of `bytes`",
                bytes / CHAIN_BEAT_BYTES
            );
            return self.fail(
                &at("loops"),
                format!("{} beats", pattern.beats()),
                &accepted,
            );
        }
        self.fits(&at("offset"), tile, pattern.end())
    }

    /// A stop's own bytes, the initiator's source, and a second visit of the same cluster.
    fn writes_once(&self, stop: usize, chain: &Chain) -> Result<(), CheckError> {
        let now = &chain.stops[stop];
        let name = format!("stops[{stop}].pattern");
        let mut before = chain.stops[..stop].iter().filter(|s| s.tile == now.tile);
        match before.next() {
            Some(first) if first == now => return Ok(()),
            Some(_) => {
                return self.fail(
                    &format!("stops[{stop}].tile"),
                    now.tile,
                    "each cluster once, or twice with equal patterns; a second range there is a chain of its own",
                );
            }
            None => {}
        }
        let Some(written) = now.pattern.ranges() else {
            return self.fail(
                &name,
                "a pattern that writes a byte twice",
                "one whose words do not overlap",
            );
        };
        if now.tile == chain.initiator {
            let mut read = chain.source.extents();
            read.sort_unstable();
            if meet(&written, &read) {
                return self.fail(
                    &name,
                    "bytes that the chain reads",
                    "bytes apart from its source",
                );
            }
        }
        Ok(())
    }
}

/// Do two sorted lists of ranges share a byte?
fn meet(left: &[(u64, u64)], right: &[(u64, u64)]) -> bool {
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    while let (Some((a, a_bytes)), Some((b, b_bytes))) = (left.peek(), right.peek()) {
        if a + a_bytes <= *b {
            left.next();
        } else if b + b_bytes <= *a {
            right.next();
        } else {
            return true;
        }
    }
    false
}

impl Execution<'_> {
    /// Reads at the initiator, writes at every stop; the initiator's share is over when all is there.
    pub(super) fn chain(&mut self, action: usize, chain: &Chain) {
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

const fn never_sends_one_beat(mode: TorrentMode) -> bool {
    match mode {
        TorrentMode::Published => true,
        TorrentMode::Safe => false,
    }
}
