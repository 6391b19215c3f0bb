// SPDX-License-Identifier: Apache-2.0
//! What a core does of an action: the words of a message, and the cycles of what no network sees.
//!
//! These follow from the action and the spec alone, so the simulator and the model take them from here.

use super::ActionKind;
use super::class::Need;
use super::message::Message;
use noccl_spec::{Core, WORD_BYTES};
use std::ops::Range;

const WORD: u64 = WORD_BYTES as u64;

/// The words of a message one behind the other: its rows follow each other, each from a word of its own on, so that no word holds bytes
/// of two rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WordStream {
    /// Bytes of a row.
    pub row_bytes: u64,
    /// Rows.
    pub rows: u64,
}

impl WordStream {
    /// Bytes from the start of a row to that of the next one.
    #[must_use]
    pub const fn pitch_bytes(self) -> u64 {
        self.row_bytes.next_multiple_of(WORD)
    }

    /// Bytes from the first one to the last one.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        self.rows.saturating_sub(1) * self.pitch_bytes() + self.row_bytes
    }

    /// Words.
    #[must_use]
    pub const fn words(self) -> u64 {
        self.bytes().div_ceil(WORD)
    }

    /// Rows that begin in a range of it, but for the first of all.
    #[must_use]
    pub fn rows_begun_in(self, range: Range<u64>) -> u64 {
        if self.row_bytes == 0 {
            return 0;
        }
        let begun = |end: u64| end.div_ceil(self.pitch_bytes()).clamp(1, self.rows.max(1));
        begun(range.end) - begun(range.start)
    }
}

impl Message {
    /// Its words.
    #[must_use]
    pub fn stream(&self) -> WordStream {
        WordStream {
            row_bytes: self.bytes,
            rows: u64::from(self.num_rows()),
        }
    }
}

impl ActionKind {
    /// Do core tiles do it? They do nothing else.
    #[must_use]
    pub fn is_of_cores(&self) -> bool {
        matches!(self.needs(), Need::Words | Need::Core)
    }

    /// Cycles of a core for what no network sees of an action: it combines operands, computes, or copies a message to its own tile; of other
    /// actions 0.
    #[must_use]
    pub fn local_core_cycles(&self, core: &Core) -> u64 {
        match self {
            Self::LocalReduce(reduce) => {
                let elements = reduce.bytes / reduce.element.bytes();
                let operands = (reduce.inputs.len() as u64 - 1).max(1);
                elements * operands * u64::from(core.combine_cycles)
            }
            Self::Compute(compute) => compute.cycles,
            // The instructions of a message and a copy.
            Self::Message(message) => {
                let next_rows = u64::from(message.num_rows() - 1);
                u64::from(core.send_cycles)
                    + message.stream().words() * core.read_word_cycles()
                    + next_rows * u64::from(core.row_cycles)
            }
            Self::StaticMulticast(_)
            | Self::Transfer(_)
            | Self::InNetworkReduction(_)
            | Self::InNetworkAllReduce(_)
            | Self::Barrier(_)
            | Self::Delivery(_)
            | Self::Arrival(_)
            | Self::Kernel(_)
            | Self::Chain(_)
            | Self::ListMulticast(_) => 0,
        }
    }
}
