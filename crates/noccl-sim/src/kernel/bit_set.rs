// SPDX-License-Identifier: Apache-2.0
//! Dense set of tile indices, visited in ascending order, cheap when almost empty.
//!
//! Two levels: a summary bit per word of members. A mesh of a million tiles with one flit costs a scan
//! of 256 summary words instead of 16,384 words.

use serde::{Deserialize, Serialize};

/// Bits of a word that are set, in ascending order.
#[inline]
pub(crate) fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct BitSet {
    words: Vec<u64>,
    summary: Vec<u64>,
    len: usize,
}

impl BitSet {
    pub(crate) fn new(capacity: usize) -> Self {
        let words = capacity.div_ceil(64);
        Self {
            words: vec![0; words],
            summary: vec![0; words.div_ceil(64)],
            len: 0,
        }
    }

    #[inline]
    pub(crate) fn insert(&mut self, index: usize) {
        let bit = 1 << (index % 64);
        let word = &mut self.words[index / 64];
        self.len += usize::from(*word & bit == 0);
        *word |= bit;
        self.summary[index / 4096] |= 1 << (index / 64 % 64);
    }

    #[inline]
    pub(crate) fn remove(&mut self, index: usize) {
        let bit = 1 << (index % 64);
        let word = &mut self.words[index / 64];
        self.len -= usize::from(*word & bit != 0);
        *word &= !bit;
        if *word == 0 {
            self.summary[index / 4096] &= !(1 << (index / 64 % 64));
        }
    }

    #[inline]
    pub(crate) fn contains(&self, index: usize) -> bool {
        self.words[index / 64] >> (index % 64) & 1 != 0
    }

    /// Is it a set of so many indices, with the summary of its words?
    pub(crate) fn is_for(&self, capacity: usize) -> bool {
        let mut own = Self::new(capacity);
        if self.words.len() != own.words.len() {
            return false;
        }
        let words = self.words.iter().enumerate();
        let members = words.flat_map(|(at, word)| {
            let bits = (0..64).filter(move |bit| word >> bit & 1 != 0);
            bits.map(move |bit| at * 64 + bit)
        });
        for index in members {
            if index >= capacity {
                return false;
            }
            own.insert(index);
        }
        own.summary == self.summary && own.len == self.len
    }

    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Words with members at or after `from`; `None` when there are none left.
    #[inline]
    pub(crate) fn next_word(&self, from: usize) -> Option<usize> {
        let mut group = from / 64;
        let mut bits = self.summary.get(group)? & (!0 << (from % 64));
        loop {
            if bits != 0 {
                return Some(group * 64 + bits.trailing_zeros() as usize);
            }
            group += 1;
            bits = *self.summary.get(group)?;
        }
    }

    /// The first member at or after `from`.
    #[inline]
    pub(crate) fn next_member(&self, from: usize) -> Option<usize> {
        let index = from / 64;
        let rest = self.words.get(index)? & (!0 << (from % 64));
        if rest != 0 {
            return Some(index * 64 + rest.trailing_zeros() as usize);
        }
        let word = self.next_word(index + 1)?;
        Some(word * 64 + self.words[word].trailing_zeros() as usize)
    }

    #[inline]
    pub(crate) fn word(&self, index: usize) -> u64 {
        self.words[index]
    }
}
