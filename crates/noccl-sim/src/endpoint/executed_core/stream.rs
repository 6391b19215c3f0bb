// SPDX-License-Identifier: Apache-2.0
//! Words that a core has written into the static network, as long as some of them may travel.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The last words of a stream.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct ExecutedStream {
    words: VecDeque<u32>,
    /// Number of the first of them.
    first: u32,
}

impl ExecutedStream {
    /// The next word; of those before it at most so many can travel.
    pub(super) fn push(&mut self, word: u32, most_travelling: usize) {
        self.words.push_back(word);
        while self.words.len() > most_travelling + 1 {
            self.words.pop_front();
            self.first += 1;
        }
    }

    /// The word of a number, which travels.
    pub(super) fn word(&self, number: u32) -> u32 {
        let found = self.words.get((number - self.first) as usize);
        // 0: a word that no longer travels is read by no router.
        found.copied().unwrap_or(0)
    }
}
