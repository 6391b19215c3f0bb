// SPDX-License-Identifier: Apache-2.0
//! Queue whose first elements lie in the struct that owns it.
//!
//! A large mesh has millions of short queues. One in a heap block of its own costs a cache miss more per visit, and a
//! ring that grew once walks through all of its lines for ever.

use std::collections::VecDeque;

/// Queue of at most `N` elements in place; beyond that all of them move to the heap, until it has run empty.
#[derive(Debug, Clone)]
#[repr(C)]
pub(crate) struct Few<T, const N: usize> {
    /// Holds everything, unless it is empty.
    many: Option<Box<Many<T>>>,
    first: u8,
    len: u8,
    here: [T; N],
}

#[derive(Debug, Clone)]
struct Many<T>(VecDeque<T>);

impl<T: Copy + Default, const N: usize> Default for Few<T, N> {
    fn default() -> Self {
        Self {
            many: None,
            first: 0,
            len: 0,
            here: [T::default(); N],
        }
    }
}

impl<T: Copy + Default, const N: usize> Few<T, N> {
    #[inline]
    fn many(&self) -> Option<&VecDeque<T>> {
        self.many.as_ref().map(|m| &m.0).filter(|m| !m.is_empty())
    }

    #[inline]
    fn many_mut(&mut self) -> Option<&mut VecDeque<T>> {
        let many = self.many.as_mut().map(|m| &mut m.0);
        many.filter(|m| !m.is_empty())
    }

    /// Place of element `index` among those in the struct.
    #[inline]
    const fn place(&self, index: usize) -> usize {
        let at = self.first as usize + index;
        if at < N { at } else { at - N }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len as usize + self.many().map_or(0, VecDeque::len)
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0 && self.many().is_none()
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        if index < self.len as usize {
            return self.here.get(self.place(index));
        }
        self.many()?.get(index)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        if index < self.len as usize {
            let place = self.place(index);
            return self.here.get_mut(place);
        }
        self.many_mut()?.get_mut(index)
    }

    #[inline]
    pub(crate) fn front(&self) -> Option<&T> {
        self.get(0)
    }

    #[inline]
    pub(crate) fn back_mut(&mut self) -> Option<&mut T> {
        let len = self.len();
        self.get_mut(len.checked_sub(1)?)
    }

    #[inline]
    pub(crate) fn front_mut(&mut self) -> Option<&mut T> {
        self.get_mut(0)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len()).filter_map(|i| self.get(i))
    }

    #[inline]
    pub(crate) fn push_back(&mut self, value: T) {
        if (self.len as usize) < N && self.many().is_none() {
            let place = self.place(self.len as usize);
            self.here[place] = value;
            self.len += 1;
        } else {
            self.push_many(value);
        }
    }

    #[cold]
    fn push_many(&mut self, value: T) {
        let mut all = match self.many.take() {
            Some(many) => many,
            None => Box::new(Many(VecDeque::new())),
        };
        all.0.extend(self.iter().copied());
        all.0.push_back(value);
        self.len = 0;
        self.many = Some(all);
    }

    #[inline]
    pub(crate) fn pop_front(&mut self) -> Option<T> {
        if self.len > 0 {
            let value = self.here[self.first as usize];
            self.first = self.place(1) as u8;
            self.len -= 1;
            return Some(value);
        }
        self.many_mut()?.pop_front()
    }

    /// Takes an element out; those behind it move up.
    #[inline]
    pub(crate) fn remove(&mut self, index: usize) -> Option<T> {
        if index >= self.len as usize {
            return self.many_mut()?.remove(index);
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
        fn behaves_like_a_queue_of_any_length(steps in prop::collection::vec((0_u8..8, 0_usize..6), 0..200)) {
            let (mut few, mut model) = (Few::<usize, 3>::default(), VecDeque::new());
            for (i, (what, at)) in steps.into_iter().enumerate() {
                match what {
                    0..=3 => {
                        few.push_back(i);
                        model.push_back(i);
                    }
                    4 | 5 => prop_assert_eq!(few.pop_front(), model.pop_front()),
                    6 => prop_assert_eq!(few.remove(at), model.remove(at)),
                    _ => {
                        if let Some(value) = few.get_mut(at) {
                            *value += 1000;
                        }
                        if let Some(value) = model.get_mut(at) {
                            *value += 1000;
                        }
                        prop_assert_eq!(few.back_mut(), model.back_mut());
                    }
                }
                prop_assert_eq!(few.len(), model.len());
                prop_assert_eq!(few.is_empty(), model.is_empty());
                prop_assert_eq!(few.front(), model.front());
                prop_assert!(few.iter().eq(model.iter()));
            }
        }
    }
}
