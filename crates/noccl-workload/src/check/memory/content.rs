// SPDX-License-Identifier: Apache-2.0
//! Symbolic memory of one tile: ranges, what they hold, who touched them last.

use crate::check::memory::words::{ExpressionId, Value};
use crate::check::order::Vertex;
use noccl_net::TileId;
use std::collections::BTreeMap;

/// An action's access to memory, at an event of the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Access {
    /// Event before which earlier accesses must be over.
    pub(crate) begin: Vertex,
    /// Event after which this access is over.
    pub(crate) end: Vertex,
    /// Action.
    pub(crate) action: u32,
}

/// Two accesses of which the first must be over before the second begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequiredOrder {
    pub(crate) tile: TileId,
    pub(crate) first: Access,
    pub(crate) first_writes: bool,
    pub(crate) second: Access,
    pub(crate) second_writes: bool,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// A chunk of a range: `offset` counts from the start of the range, the value's shift too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chunk {
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
    pub(crate) value: Value,
}

#[derive(Debug, Clone)]
struct ByteRange {
    end: u64,
    /// Shift counts from address zero.
    value: Value,
    writer: Option<Access>,
    readers: Vec<Access>,
}

/// Memory of one tile.
#[derive(Debug)]
pub(crate) struct Content {
    tile: TileId,
    extents: BTreeMap<u64, ByteRange>,
}

impl Content {
    /// A memory that holds its initial content.
    pub(crate) fn new(tile: TileId, initial: ExpressionId, bytes: u64) -> Self {
        let all = ByteRange {
            end: bytes,
            value: Value {
                expression: initial,
                shift: 0,
            },
            writer: None,
            readers: Vec::new(),
        };
        Self {
            tile,
            extents: BTreeMap::from([(0, all)]),
        }
    }

    /// Makes `at` a boundary between extents.
    fn split(&mut self, at: u64) {
        let Some((start, extent)) = self.extents.range_mut(..at).next_back() else {
            return;
        };
        if *start < at && at < extent.end {
            let tail = extent.clone();
            extent.end = at;
            self.extents.insert(at, tail);
        }
    }

    /// What a range holds, without touching it; neighbours of one origin are one chunk.
    pub(crate) fn look(&self, start: u64, bytes: u64) -> Vec<Chunk> {
        let end = start + bytes;
        let first = self
            .extents
            .range(..=start)
            .next_back()
            .map_or(start, |(s, _)| *s);
        let mut chunks: Vec<Chunk> = Vec::new();
        for (s, extent) in self.extents.range(first..end) {
            let from = (*s).max(start);
            let bytes = extent.end.min(end) - from;
            let value = Value {
                expression: extent.value.expression,
                shift: extent.value.shift + i128::from(start),
            };
            match chunks.last_mut() {
                Some(last) if last.value == value => last.bytes += bytes,
                Some(_) | None => chunks.push(Chunk {
                    offset: from - start,
                    bytes,
                    value,
                }),
            }
        }
        chunks
    }

    /// Reads a range: it must be after the last write of every byte.
    pub(crate) fn read(
        &mut self,
        start: u64,
        bytes: u64,
        access: Access,
        required_orders: &mut Vec<RequiredOrder>,
    ) -> Vec<Chunk> {
        let end = start + bytes;
        self.split(start);
        self.split(end);
        for (s, extent) in self.extents.range_mut(start..end) {
            if let Some(writer) = extent.writer.filter(|w| w.action != access.action) {
                required_orders.push(RequiredOrder {
                    tile: self.tile,
                    first: writer,
                    first_writes: true,
                    second: access,
                    second_writes: false,
                    start: *s,
                    end: extent.end,
                });
            }
            if extent.readers.last() != Some(&access) {
                extent.readers.push(access);
            }
        }
        self.look(start, bytes)
    }

    /// Writes chunks that cover a range: it must be after every earlier read and write of every byte.
    pub(crate) fn write(
        &mut self,
        start: u64,
        chunks: &[Chunk],
        access: Access,
        required_orders: &mut Vec<RequiredOrder>,
    ) {
        let Some(last) = chunks.last() else { return };
        let end = start + last.offset + last.bytes;
        self.split(start);
        self.split(end);
        while let Some((s, extent)) = self.extents.range(start..end).next() {
            let s = *s;
            let earlier = extent.readers.iter().map(|r| (*r, false));
            for (first, first_writes) in earlier.chain(extent.writer.map(|w| (w, true))) {
                if first.action != access.action {
                    required_orders.push(RequiredOrder {
                        tile: self.tile,
                        first,
                        first_writes,
                        second: access,
                        second_writes: true,
                        start: s,
                        end: extent.end,
                    });
                }
            }
            self.extents.remove(&s);
        }
        for chunk in chunks {
            let extent = ByteRange {
                end: start + chunk.offset + chunk.bytes,
                value: Value {
                    expression: chunk.value.expression,
                    shift: chunk.value.shift - i128::from(start),
                },
                writer: Some(access),
                readers: Vec::new(),
            };
            self.extents.insert(start + chunk.offset, extent);
        }
    }
}
