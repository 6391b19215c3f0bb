// SPDX-License-Identifier: Apache-2.0
//! The receive store of a core: queues by tag that share its words (S4 §3; `receive_store_words`).
//!
//! A router's Local output is held from head to tail, so the words of a unit come one after the other, and the unit that is
//! filled is the last one of its queue.

use std::collections::VecDeque;

/// A unit in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stored {
    /// Number of the unit among all of the run.
    pub unit: u32,
    /// Words that have come and have not been read.
    pub words: u32,
    /// Words that have not been read, those that have not come included.
    pub left: u32,
}

/// What a core has received and not yet read.
#[derive(Debug, Clone)]
pub(super) struct Store {
    capacity: u32,
    words: u32,
    queues: Vec<VecDeque<Stored>>,
}

impl Store {
    /// An empty one of so many words, for so many tags and a catch-all behind them.
    pub(super) fn new(capacity: u32, tagged_queues: u32) -> Self {
        Self {
            capacity,
            words: 0,
            queues: vec![VecDeque::new(); tagged_queues as usize + 1],
        }
    }

    /// Queue of a tag: its own, or the catch-all.
    pub(super) fn queue_of(&self, tag: u32) -> usize {
        (tag as usize).min(self.queues.len() - 1)
    }

    /// Does it take a word?
    pub(super) const fn has_space(&self) -> bool {
        self.words < self.capacity
    }

    /// The first word of a unit comes.
    pub(super) fn open(&mut self, queue: usize, unit: u32, length: u32) {
        self.words += 1;
        self.queues[queue].push_back(Stored {
            unit,
            words: 1,
            left: length,
        });
    }

    /// The next word of the unit that came last.
    pub(super) fn fill(&mut self, queue: usize) {
        self.words += 1;
        if let Some(last) = self.queues[queue].back_mut() {
            last.words += 1;
        }
    }

    /// The unit at the head of a queue.
    pub(super) fn first(&self, queue: usize) -> Option<Stored> {
        self.queues[queue].front().copied()
    }

    /// Reads a word of the unit at the head of a queue; `None` if none has come. A unit that is read leaves its queue.
    pub(super) fn read(&mut self, queue: usize) -> Option<Stored> {
        let first = self.queues[queue].front_mut().filter(|f| f.words > 0)?;
        first.words -= 1;
        first.left -= 1;
        let read = *first;
        self.words -= 1;
        if read.left == 0 {
            self.queues[queue].pop_front();
        }
        Some(read)
    }

    /// Words in it.
    pub(super) const fn len(&self) -> u32 {
        self.words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_share_the_words_and_keep_the_order_of_their_units() {
        let mut store = Store::new(5, 1);
        assert_eq!((store.queue_of(0), store.queue_of(7)), (0, 1));
        store.open(0, 3, 2);
        store.open(1, 4, 2);
        store.fill(1);
        store.open(1, 5, 3);
        assert!(store.has_space());
        store.fill(1);
        assert!(!store.has_space(), "five words of five");
        let read = |store: &mut Store, queue| store.read(queue).map(|s| (s.unit, s.left));
        assert_eq!(read(&mut store, 0), Some((3, 1)));
        assert_eq!(read(&mut store, 0), None, "its second word has not come");
        assert!(store.has_space());
        assert_eq!(read(&mut store, 1), Some((4, 1)));
        assert_eq!(read(&mut store, 1), Some((4, 0)));
        assert_eq!(store.first(1).map(|s| s.unit), Some(5));
        store.fill(0);
        assert_eq!(read(&mut store, 0), Some((3, 0)));
        assert_eq!((store.first(0), store.len()), (None, 2));
    }
}
