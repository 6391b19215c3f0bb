// SPDX-License-Identifier: Apache-2.0
//! Queues whose first elements lie in the struct that owns them.
//!
//! A large mesh has millions of short queues. One in a heap block of its own costs a cache miss more per visit, and a
//! ring that grew once walks through all of its lines for ever.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Queue that takes one word while it is empty.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Rest<T>(Option<Box<Many<T>>>);

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Many<T>(VecDeque<T>);

impl<T> Default for Rest<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Rest<T> {
    #[inline]
    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        // 0: no list, no elements.
        self.0.as_ref().map_or(0, |many| many.0.len())
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        self.0.as_ref()?.0.get(index)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        self.0.as_mut()?.0.get_mut(index)
    }

    pub(crate) fn front(&self) -> Option<&T> {
        self.get(0)
    }

    pub(crate) fn front_mut(&mut self) -> Option<&mut T> {
        self.get_mut(0)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().flat_map(|many| &many.0)
    }

    #[cold]
    pub(crate) fn push_back(&mut self, value: T) {
        let many = self
            .0
            .get_or_insert_with(|| Box::new(Many(VecDeque::new())));
        many.0.push_back(value);
    }

    pub(crate) fn pop_front(&mut self) -> Option<T> {
        self.remove(0)
    }

    #[cold]
    pub(crate) fn remove(&mut self, index: usize) -> Option<T> {
        let many = &mut self.0.as_mut()?.0;
        let value = many.remove(index);
        if many.is_empty() {
            self.0 = None;
        }
        value
    }
}

/// Queue with its first element in place.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[repr(C)]
pub(crate) struct Front<T> {
    first: Option<T>,
    rest: Rest<T>,
}

impl<T> Default for Front<T> {
    fn default() -> Self {
        Self {
            first: None,
            rest: Rest::default(),
        }
    }
}

impl<T> Front<T> {
    #[inline]
    pub(crate) const fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    #[inline]
    pub(crate) const fn front(&self) -> Option<&T> {
        self.first.as_ref()
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        match index {
            0 => self.first.as_ref(),
            _ => self.rest.get(index - 1),
        }
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        match index {
            0 => self.first.as_mut(),
            _ => self.rest.get_mut(index - 1),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.first.iter().chain(self.rest.iter())
    }

    pub(crate) fn push_back(&mut self, value: T) {
        if self.first.is_none() {
            self.first = Some(value);
        } else {
            self.rest.push_back(value);
        }
    }

    /// Takes an element out; those behind it move up.
    pub(crate) fn remove(&mut self, index: usize) -> Option<T> {
        if index > 0 {
            return self.rest.remove(index - 1);
        }
        let next = self.rest.pop_front();
        std::mem::replace(&mut self.first, next)
    }
}

impl<T> std::ops::Index<usize> for Front<T> {
    type Output = T;

    #[inline]
    fn index(&self, index: usize) -> &T {
        self.get(index).expect("the queue is long enough")
    }
}

impl<T> std::ops::IndexMut<usize> for Front<T> {
    #[inline]
    fn index_mut(&mut self, index: usize) -> &mut T {
        self.get_mut(index).expect("the queue is long enough")
    }
}

/// Queue of at most `N` elements in place; beyond that all of them move to the heap, until it has run empty.
#[derive(Debug, Clone)]
#[repr(C)]
pub(crate) struct InlineQueue<T, const N: usize> {
    /// Holds everything, unless it is empty.
    many: Rest<T>,
    first: u8,
    len: u8,
    here: [T; N],
}

impl<T: Copy + Default, const N: usize> Default for InlineQueue<T, N> {
    fn default() -> Self {
        Self {
            many: Rest::default(),
            first: 0,
            len: 0,
            here: [T::default(); N],
        }
    }
}

impl<T: Copy + Default, const N: usize> InlineQueue<T, N> {
    /// Place of element `index` among those in the struct.
    #[inline]
    const fn place(&self, index: usize) -> usize {
        // One operation where N is a power of two.
        (self.first as usize + index) % N
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len as usize + self.many.len()
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0 && self.many.is_empty()
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        if index < self.len as usize {
            return self.here.get(self.place(index));
        }
        self.many.get(index)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        if index < self.len as usize {
            let place = self.place(index);
            return self.here.get_mut(place);
        }
        self.many.get_mut(index)
    }

    #[inline]
    pub(crate) fn front(&self) -> Option<&T> {
        self.get(0)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len()).filter_map(|i| self.get(i))
    }

    #[inline]
    pub(crate) fn push_back(&mut self, value: T) {
        if (self.len as usize) < N && self.many.is_empty() {
            let place = self.place(self.len as usize);
            self.here[place] = value;
            self.len += 1;
        } else {
            self.push_many(value);
        }
    }

    #[cold]
    fn push_many(&mut self, value: T) {
        for index in 0..self.len as usize {
            self.many.push_back(self.here[self.place(index)]);
        }
        self.many.push_back(value);
        self.len = 0;
    }

    #[inline]
    pub(crate) fn pop_front(&mut self) -> Option<T> {
        if self.len > 0 {
            let value = self.here[self.first as usize];
            self.first = self.place(1) as u8;
            self.len -= 1;
            return Some(value);
        }
        self.many.pop_front()
    }

    /// Takes an element out; those behind it move up.
    #[inline]
    pub(crate) fn remove(&mut self, index: usize) -> Option<T> {
        if index >= self.len as usize {
            return self.many.remove(index);
        }
        let value = self.here[self.place(index)];
        for i in index + 1..self.len as usize {
            self.here[self.place(i - 1)] = self.here[self.place(i)];
        }
        self.len -= 1;
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn both_behave_like_a_queue_of_any_length(steps in prop::collection::vec((0_u8..8, 0_usize..6), 0..200)) {
            let (mut few, mut front) = (InlineQueue::<usize, 3>::default(), Front::default());
            let mut model = VecDeque::new();
            for (i, (what, at)) in steps.into_iter().enumerate() {
                match what {
                    0..=3 => {
                        few.push_back(i);
                        front.push_back(i);
                        model.push_back(i);
                    }
                    4 | 5 => {
                        let first = model.pop_front();
                        prop_assert_eq!(few.pop_front(), first);
                        prop_assert_eq!(front.remove(0), first);
                    }
                    6 => {
                        let taken = model.remove(at);
                        prop_assert_eq!(few.remove(at), taken);
                        prop_assert_eq!(front.remove(at), taken);
                    }
                    _ => {
                        let all = [few.get_mut(at), front.get_mut(at), model.get_mut(at)];
                        all.into_iter().flatten().for_each(|value| *value += 1000);
                    }
                }
                prop_assert_eq!(few.len(), model.len());
                prop_assert_eq!((few.is_empty(), front.is_empty()), (model.is_empty(), model.is_empty()));
                prop_assert_eq!(few.front(), model.front());
                prop_assert!(few.iter().eq(model.iter()));
                prop_assert!(front.iter().eq(model.iter()));
            }
        }
    }
}
