// SPDX-License-Identifier: Apache-2.0
//! Worms that are open: their routes, and when their numbers may be used again.

use super::flit::{WormId, WormholeFlit};
use serde::{Deserialize, Serialize};

/// A worm that has been opened.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Worm<R> {
    /// Where it goes.
    pub route: R,
    /// Flits, with the head.
    pub flits: u32,
    /// What whoever opened it knows it by.
    pub tag: u64,
    /// Tails that are not delivered yet: one per tile to which it goes.
    open_tails: u32,
}

/// All worms of a plane.
#[derive(Debug)]
pub(super) struct Worms<R> {
    pub(super) all: Vec<Worm<R>>,
    pub(super) unused: Vec<u32>,
    /// Delivered everywhere in the last cycle, so that their tags can still be read.
    pub(super) ended: Vec<u32>,
}

impl<R> Worms<R> {
    pub(super) const fn new() -> Self {
        Self {
            all: Vec::new(),
            unused: Vec::new(),
            ended: Vec::new(),
        }
    }

    pub(super) fn open(&mut self, route: R, flits: u32, tails: u32, tag: u64) -> WormId {
        debug_assert!(
            flits > 0 && tails > 0,
            "a worm has a tail, delivered somewhere"
        );
        let worm = Worm {
            route,
            flits,
            tag,
            open_tails: tails,
        };
        if let Some(id) = self.unused.pop() {
            self.all[id as usize] = worm;
            return WormId(id);
        }
        self.all.push(worm);
        WormId(self.all.len() as u32 - 1)
    }

    pub(super) fn flit(&self, worm: WormId, index: u32) -> WormholeFlit {
        WormholeFlit::new(worm, index, index + 1 == self.all[worm.idx()].flits)
    }

    #[inline]
    pub(super) fn of(&self, worm: WormId) -> &Worm<R> {
        &self.all[worm.idx()]
    }

    /// A tile has got the tail.
    pub(super) fn tail_delivered(&mut self, worm: WormId) {
        let open = &mut self.all[worm.idx()].open_tails;
        *open -= 1;
        if *open == 0 {
            self.ended.push(worm.0);
        }
    }

    /// The numbers of worms that ended before this cycle are free.
    pub(super) fn retire(&mut self) {
        self.unused.append(&mut self.ended);
    }
}

#[cfg(test)]
impl<R> Worms<R> {
    /// Worms that are open or ended in the last cycle.
    pub(super) const fn num_open(&self) -> usize {
        self.all.len() - self.unused.len()
    }

    /// Numbers that have ever been in use.
    pub(super) const fn num_slots(&self) -> usize {
        self.all.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_not_used_again_while_its_last_tail_can_be_asked_for() {
        let mut worms: Worms<()> = Worms::new();
        let first = worms.open((), 1, 1, 7);
        worms.tail_delivered(first);
        let second = worms.open((), 1, 1, 8);
        assert_ne!(first, second);
        assert_eq!(worms.of(first).tag, 7);
        worms.retire();
        assert_eq!(worms.open((), 1, 1, 9), first);
    }
}
