// SPDX-License-Identifier: Apache-2.0
//! The receive queues of a core that executes, word by word: four by tag and a catch-all, which share the words of one store (S4 §3).
//!
//! A packet's second word, its tag, names the queue, so the first one waits for it.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Queues by tag, and the catch-all behind them.
pub(super) const QUEUES: usize = 5;

/// What a core has received and not yet read.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TagQueues {
    capacity: usize,
    words: usize,
    queues: [VecDeque<u32>; QUEUES],
    /// The header of the packet that comes, until its tag is there.
    header: Option<u32>,
    /// The queue of the packet that comes.
    current: usize,
}

impl TagQueues {
    /// Empty ones of so many words together.
    pub(super) fn new(capacity: u32) -> Self {
        Self {
            capacity: capacity as usize,
            words: 0,
            queues: std::array::from_fn(|_| VecDeque::new()),
            header: None,
            current: QUEUES - 1,
        }
    }

    /// Can it be the later state of another one?
    pub(super) fn is_like(&self, own: &Self) -> bool {
        let words: usize = self.lengths().iter().sum();
        // A header whose tag has not come is in no queue.
        let words = words + usize::from(self.header.is_some());
        self.capacity == own.capacity && self.words == words && self.current < QUEUES
    }

    /// Is there space for a word?
    pub(super) const fn has_space(&self) -> bool {
        self.words < self.capacity
    }

    /// The next word of the packet that comes; `index` counts from its header, and its last word may be that.
    pub(super) fn take(&mut self, word: u32, index: u32, is_last: bool) {
        self.words += 1;
        match (index, self.header.take()) {
            (0, _) if !is_last => self.header = Some(word),
            (0, _) => self.queues[QUEUES - 1].push_back(word),
            (_, Some(header)) => {
                self.current = queue_of(word);
                self.queues[self.current].extend([header, word]);
            }
            (_, None) => self.queues[self.current].push_back(word),
        }
    }

    /// Takes so many words from a queue, if it has them.
    pub(super) fn read(&mut self, queue: usize, words: usize) -> Option<[u32; 2]> {
        let queue = &mut self.queues[queue];
        if queue.len() < words {
            return None;
        }
        self.words -= words;
        let first = queue.pop_front()?;
        let second = if words > 1 { queue.pop_front()? } else { 0 };
        Some([first, second])
    }

    /// Words in each queue.
    pub(super) fn lengths(&self) -> [usize; QUEUES] {
        std::array::from_fn(|queue| self.queues[queue].len())
    }
}

/// The queue that a tag names: its two lowest bits, unless it is one of the catch-all's.
const fn queue_of(tag: u32) -> usize {
    if tag & CATCH_ALL == 0 {
        (tag & 3) as usize
    } else {
        QUEUES - 1
    }
}

/// Bit of a tag that sends the packet to the catch-all.
pub(super) const CATCH_ALL: u32 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tag_names_the_queue_of_the_whole_packet() {
        let mut queues = TagQueues::new(6);
        for (index, word) in [70, 2, 71].into_iter().enumerate() {
            queues.take(word, index as u32, index == 2);
        }
        queues.take(80, 0, false);
        assert_eq!(queues.lengths(), [0, 0, 3, 0, 0]);
        queues.take(CATCH_ALL | 1, 1, true);
        queues.take(90, 0, true);
        assert!(!queues.has_space());
        assert_eq!(queues.read(2, 2), Some([70, 2]));
        assert_eq!(queues.read(2, 2), None);
        assert_eq!(queues.read(2, 1), Some([71, 0]));
        assert_eq!(queues.read(4, 2), Some([80, CATCH_ALL | 1]));
        assert_eq!(queues.read(4, 1), Some([90, 0]));
        assert!(queues.has_space());
    }
}
