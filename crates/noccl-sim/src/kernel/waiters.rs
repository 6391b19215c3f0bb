// SPDX-License-Identifier: Apache-2.0
//! Who waits for whom, by number: lists that grow at their ends, all in one vector.
//!
//! The order of a list is that in which its members were added, so what follows from it is the same in every run.

/// No edge.
const NONE: u32 = u32::MAX;

/// Lists of numbers, one for each number.
#[derive(Debug, Default)]
pub(crate) struct Waiters {
    /// First and last edge of each list.
    ends: Vec<(u32, u32)>,
    edges: Vec<Edge>,
}

/// A member of a list, and the edge of the next one.
#[derive(Debug, Clone, Copy)]
struct Edge {
    waiting: u32,
    next: u32,
}

/// A place in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cursor(u32);

impl Waiters {
    /// Empty lists, up to that many.
    pub(crate) fn grow_to(&mut self, lists: usize) {
        self.ends.resize(lists.max(self.ends.len()), (NONE, NONE));
    }

    /// `waiting` waits for `before`.
    pub(crate) fn add(&mut self, before: u32, waiting: u32) {
        let edge = self.edges.len() as u32;
        let (first, last) = &mut self.ends[before as usize];
        if *last == NONE {
            *first = edge;
        } else {
            self.edges[*last as usize].next = edge;
        }
        *last = edge;
        self.edges.push(Edge {
            waiting,
            next: NONE,
        });
    }

    /// The beginning of the list of those that wait for a number.
    pub(crate) fn of(&self, before: u32) -> Cursor {
        Cursor(self.ends[before as usize].0)
    }

    /// Who stands at a place, and the place behind; `None` at the end.
    pub(crate) fn next(&self, at: Cursor) -> Option<(u32, Cursor)> {
        let edge = self.edges.get(at.0 as usize)?;
        Some((edge.waiting, Cursor(edge.next)))
    }

    /// Does somebody wait for a number?
    pub(crate) fn waits(&self, waiting: u32, before: u32) -> bool {
        let mut at = self.of(before);
        while let Some((found, next)) = self.next(at) {
            if found == waiting {
                return true;
            }
            at = next;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_the_order_in_which_they_grew() {
        let mut waiters = Waiters::default();
        waiters.grow_to(3);
        for (before, waiting) in [(0, 7), (2, 5), (0, 3), (2, 9), (0, 8)] {
            waiters.add(before, waiting);
        }
        let list = |before| {
            let mut at = waiters.of(before);
            std::iter::from_fn(|| {
                let (waiting, next) = waiters.next(at)?;
                at = next;
                Some(waiting)
            })
            .collect::<Vec<_>>()
        };
        assert_eq!(list(0), [7, 3, 8]);
        assert_eq!(list(1), [0; 0]);
        assert_eq!(list(2), [5, 9]);
        assert!(waiters.waits(3, 0) && !waiters.waits(5, 0));
    }
}
