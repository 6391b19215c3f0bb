// SPDX-License-Identifier: Apache-2.0
//! Rows of a message: where the bytes of its stream of words stand in the memories of both ends.
//!
//! In the stream rows follow each other, each from a word of its own on, so that no word holds bytes of two rows.

use noccl_workload::{Message, WordStream};
use std::ops::Range;

/// Rows of a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows {
    /// First byte read, and first byte written.
    from: u64,
    to: u64,
    stream: WordStream,
    /// Bytes between the starts of rows at the source and at the destination.
    source_stride: u64,
    destination_stride: u64,
}

/// Bytes of one row that follow each other everywhere.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// In the stream.
    pub sent: Range<u64>,
    /// First byte read, and first byte written.
    pub from: u64,
    pub to: u64,
}

impl Rows {
    pub(super) fn of(sent: &Message) -> Self {
        let strides = sent.rows.map(|r| (r.source_stride, r.destination_stride));
        // 0: a message of one row has no stride.
        let (source_stride, destination_stride) = strides.unwrap_or_default();
        Self {
            from: sent.source.offset,
            to: sent.destination.offset,
            stream: sent.stream(),
            source_stride,
            destination_stride,
        }
    }

    /// Bytes of the stream of words.
    pub(super) const fn stream_bytes(&self) -> u64 {
        self.stream.bytes()
    }

    /// Rows that begin in a range of the stream, but for the first of all.
    pub(super) fn begun_in(&self, stream: Range<u64>) -> u64 {
        self.stream.rows_begun_in(stream)
    }

    /// The bytes of a range of the stream, row by row.
    pub(super) fn pieces(self, stream: Range<u64>) -> impl Iterator<Item = Piece> {
        let WordStream { row_bytes, rows } = self.stream;
        let pitch = self.stream.pitch_bytes();
        let rows = match pitch {
            0 => 0..0,
            pitch => stream.start / pitch..stream.end.div_ceil(pitch).min(rows),
        };
        rows.map(move |row| {
            let first = row * pitch;
            let start = stream.start.max(first);
            let sent = start..stream.end.min(first + row_bytes).max(start);
            let within = start - first;
            Piece {
                sent,
                from: self.from + row * self.source_stride + within,
                to: self.to + row * self.destination_stride + within,
            }
        })
    }
}
