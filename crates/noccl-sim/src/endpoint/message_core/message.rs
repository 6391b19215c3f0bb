// SPDX-License-Identifier: Apache-2.0
//! A message in progress: units of a header, a tag and up to `unit_bytes` of payload.

use super::rows::Rows;
use noccl_spec::{Core as CoreSpec, UNIT_HEAD_WORDS};
use noccl_workload::Message as Sent;
use std::ops::Range;

/// Bytes of a word.
pub(super) const WORD_BYTES: u64 = noccl_spec::WORD_BYTES as u64;

/// A message in progress.
#[derive(Debug)]
pub(super) struct Message {
    pub source: u32,
    pub target: u32,
    pub rows: Rows,
    pub round: Option<u32>,
    pub units: u32,
    unit_bytes: u64,
    /// The receiver's share.
    pub receiving: u32,
    /// Units that the receiver has read, those that stand at their place, and those that stand in its list.
    pub read: u32,
    pub placed: u32,
    pub listed: Range<u32>,
    /// Has the receiver begun with it?
    pub is_begun: bool,
    /// Words that are sent (value mode), rows one after the other.
    pub payload: Vec<u8>,
}

impl Message {
    pub(super) fn new(sent: &Sent, tiles: (u32, u32), receiving: u32, core: &CoreSpec) -> Self {
        let unit_bytes = u64::from(core.unit_bytes);
        let rows = Rows::of(sent);
        Self {
            source: tiles.0,
            target: tiles.1,
            rows,
            round: sent.round,
            units: core.units(rows.stream_bytes()) as u32,
            unit_bytes,
            receiving,
            read: 0,
            placed: 0,
            listed: 0..0,
            is_begun: false,
            payload: Vec::new(),
        }
    }

    /// Its bytes that a unit carries.
    pub(super) fn range(&self, unit: u32) -> Range<u64> {
        let from = u64::from(unit) * self.unit_bytes;
        from..self.rows.stream_bytes().min(from + self.unit_bytes)
    }

    /// Words of payload in a unit.
    pub(super) fn payload_words(&self, unit: u32) -> u32 {
        let range = self.range(unit);
        (range.end - range.start).div_ceil(WORD_BYTES) as u32
    }

    /// Rows that a core goes on to within a unit.
    pub(super) fn next_rows(&self, unit: u32) -> u64 {
        self.rows.begun_in(self.range(unit))
    }

    /// Words of a unit on the network.
    pub(super) fn words(&self, unit: u32) -> u32 {
        UNIT_HEAD_WORDS + self.payload_words(unit)
    }

    /// Is everything at its place?
    pub(super) fn is_placed(&self) -> bool {
        self.placed == self.units
    }
}
