// SPDX-License-Identifier: Apache-2.0
//! Independent runs on all cores.
//!
//! Rayon's iterators are generic over the closure, so that each use compiles Rayon's splitting and stealing anew: a sixth of
//! this crate's code. A run takes milliseconds, a call through a pointer nanoseconds; here all uses share one.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

/// Slices whose items are worked on at the same time.
pub(crate) trait Parallel {
    /// What the slice holds.
    type Item;

    /// Its items, for [`Items::map`].
    fn par_iter(&self) -> Items<'_, Self::Item>;
}

impl<T> Parallel for [T] {
    type Item = T;

    fn par_iter(&self) -> Items<'_, T> {
        Items(self)
    }
}

/// Items to work on.
pub(crate) struct Items<'a, T>(&'a [T]);

impl<'a, T: Sync> Items<'a, T> {
    /// Works on every item; nothing begins before [`Mapped::collect`].
    pub(crate) fn map<R: Send, F: Fn(&'a T) -> R + Sync>(self, work: F) -> Mapped<'a, T, F> {
        Mapped {
            items: self.0,
            work,
        }
    }
}

/// Items and what is done with each.
pub(crate) struct Mapped<'a, T, F> {
    items: &'a [T],
    work: F,
}

impl<'a, T, R, F> Mapped<'a, T, F>
where
    T: Sync,
    R: Send,
    F: Fn(&'a T) -> R + Sync,
{
    /// Works on all items, and collects in their order: into a vector, or into a result with the first error in that order.
    pub(crate) fn collect<C: FromIterator<R>>(self) -> C {
        let done: Vec<Mutex<Option<R>>> = self.items.iter().map(|_| Mutex::new(None)).collect();
        for_each_index(self.items.len(), &|at| {
            let result = (self.work)(&self.items[at]);
            *done[at].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        });
        let done = done.into_iter().map(Mutex::into_inner);
        done.filter_map(|one| one.unwrap_or_else(PoisonError::into_inner))
            .collect()
    }
}

/// The one use of Rayon.
fn for_each_index(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(work);
}
