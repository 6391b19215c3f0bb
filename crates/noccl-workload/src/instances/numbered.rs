// SPDX-License-Identifier: Apache-2.0
//! Items that are numbered in the order in which they are added, and forgotten in any order.
//!
//! A run of a program takes millions of actions of which few are open at a time. The items of the last numbers are in a
//! vector, so that access by number is an index; those that outlive many later ones are in a map. Memory is that of the
//! items that are not forgotten. A list of free slots would give numbers out again, and whoever still names an old item
//! would find a new one.

use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};

/// Of so many items all but the newest half leave the vector, once items have been forgotten.
const RECENT: usize = 2048;

/// Items by number.
#[derive(Debug, Clone)]
pub struct Numbered<T> {
    /// Items of the numbers from `first` on.
    recent: Vec<Option<T>>,
    first: u32,
    /// Items of smaller numbers.
    old: BTreeMap<u32, T>,
    has_forgotten: bool,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self {
            recent: Vec::new(),
            first: 0,
            old: BTreeMap::new(),
            has_forgotten: false,
        }
    }
}

impl<T> Numbered<T> {
    /// Number of the item that is added next: items that have been added so far.
    #[must_use]
    pub fn next_number(&self) -> u32 {
        self.first + self.recent.len() as u32
    }

    /// Adds an item; its number.
    pub fn push(&mut self, item: T) -> u32 {
        self.push_or_skip(Some(item))
    }

    /// Adds an item, or a number that has none.
    pub fn push_or_skip(&mut self, item: Option<T>) -> u32 {
        if self.has_forgotten && self.recent.len() >= RECENT {
            let leaving = self.recent.len() - RECENT / 2;
            let left = (self.first..).zip(self.recent.drain(..leaving));
            self.old
                .extend(left.filter_map(|(number, item)| Some((number, item?))));
            self.first += leaving as u32;
        }
        self.recent.push(item);
        self.next_number() - 1
    }

    /// Forgets an item.
    pub fn forget(&mut self, number: u32) -> Option<T> {
        self.has_forgotten = true;
        let at = self.index_of(number);
        match self.recent.get_mut(at) {
            Some(item) => item.take(),
            None => self.old.remove(&number),
        }
    }

    /// Index of a number in the vector; beyond its end for an old item.
    #[inline]
    const fn index_of(&self, number: u32) -> usize {
        number.wrapping_sub(self.first) as usize
    }

    /// An item; `None` if it is forgotten or there is none of that number.
    #[inline]
    #[must_use]
    pub fn get(&self, number: u32) -> Option<&T> {
        match self.recent.get(self.index_of(number)) {
            Some(item) => item.as_ref(),
            None => self.old.get(&number),
        }
    }

    /// As [`Numbered::get`].
    #[inline]
    pub fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        let at = self.index_of(number);
        match self.recent.get_mut(at) {
            Some(item) => item.as_mut(),
            None => self.old.get_mut(&number),
        }
    }

    /// Items that are not forgotten, ascending by number.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let old = self.old.iter().map(|(number, item)| (*number, item));
        let recent = (self.first..).zip(&self.recent);
        old.chain(recent.filter_map(|(number, item)| Some((number, item.as_ref()?))))
    }

    /// As [`Numbered::iter`].
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (u32, &mut T)> {
        let old = self.old.iter_mut().map(|(number, item)| (*number, item));
        let recent = (self.first..).zip(&mut self.recent);
        old.chain(recent.filter_map(|(number, item)| Some((number, item.as_mut()?))))
    }
}

impl<T> Index<u32> for Numbered<T> {
    type Output = T;

    /// # Panics
    /// If the item is forgotten or not added yet.
    #[inline]
    fn index(&self, number: u32) -> &T {
        self.get(number).expect("the item is not forgotten")
    }
}

impl<T> IndexMut<u32> for Numbered<T> {
    #[inline]
    fn index_mut(&mut self, number: u32) -> &mut T {
        self.get_mut(number).expect("the item is not forgotten")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn items_are_those_of_a_map_that_are_not_forgotten(
            steps in prop::collection::vec((any::<bool>(), any::<prop::sample::Index>()), 1..4000),
        ) {
            let (mut numbered, mut map) = (Numbered::default(), BTreeMap::new());
            for (forgets, which) in steps {
                if forgets && !map.is_empty() {
                    let keys: Vec<u32> = map.keys().copied().collect();
                    let number = keys[which.index(keys.len())];
                    prop_assert_eq!(numbered.forget(number), map.remove(&number));
                    prop_assert_eq!(numbered.get(number), None);
                } else {
                    let number = numbered.push(u64::from(numbered.next_number()) * 3);
                    map.insert(number, u64::from(number) * 3);
                }
            }
            let found: Vec<(u32, u64)> = numbered.iter().map(|(number, item)| (number, *item)).collect();
            prop_assert_eq!(found, map.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn memory_is_that_of_what_is_not_forgotten() {
        let mut numbered = Numbered::default();
        let kept = numbered.push(7_u64);
        for _ in 0..1_000_000 {
            let number = numbered.push(1);
            numbered.forget(number);
        }
        assert_eq!(numbered[kept], 7);
        assert!(numbered.recent.capacity() <= 2 * RECENT && numbered.old.len() == 1);
        assert_eq!(numbered.next_number(), 1_000_001);
    }
}
