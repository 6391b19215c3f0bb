// SPDX-License-Identifier: Apache-2.0
//! Lists of numbers that grow at their ends, all in one vector; edges of a list that is taken are used again.
//!
//! The order of a list is that in which its members were added, so what follows from the order is the same in every run.

/// No edge.
const NONE: u32 = u32::MAX;

/// A list: its first and its last edge.
#[derive(Debug, Clone, Copy)]
pub(super) struct List {
    first: u32,
    last: u32,
}

/// A member of a list, and the edge of the next one.
#[derive(Debug, Clone, Copy)]
struct Edge {
    member: u32,
    next: u32,
}

/// Edges of all lists, those that are free in one of their own.
#[derive(Debug, Clone)]
pub(super) struct Edges {
    all: Vec<Edge>,
    free: u32,
}

impl Default for Edges {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            free: NONE,
        }
    }
}

impl List {
    pub(super) const EMPTY: Self = Self {
        first: NONE,
        last: NONE,
    };
}

impl Edges {
    pub(super) fn add(&mut self, list: &mut List, member: u32) {
        let new = Edge { member, next: NONE };
        let edge = if self.free == NONE {
            self.all.push(new);
            self.all.len() as u32 - 1
        } else {
            let edge = self.free;
            self.free = self.all[edge as usize].next;
            self.all[edge as usize] = new;
            edge
        };
        if list.last == NONE {
            list.first = edge;
        } else {
            self.all[list.last as usize].next = edge;
        }
        list.last = edge;
    }

    /// The first member of a list, which is taken from it.
    pub(super) fn take_first(&mut self, list: &mut List) -> Option<u32> {
        let Edge { member, next } = *self.all.get(list.first as usize)?;
        self.all[list.first as usize].next = self.free;
        self.free = list.first;
        list.first = next;
        if next == NONE {
            list.last = NONE;
        }
        Some(member)
    }

    /// Members of a list.
    pub(super) fn members(&self, list: List) -> impl Iterator<Item = u32> {
        let mut at = list.first;
        std::iter::from_fn(move || {
            let edge = self.all.get(at as usize)?;
            at = edge.next;
            Some(edge.member)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_the_order_in_which_they_grew_and_give_their_edges_back() {
        let (mut edges, mut lists) = (Edges::default(), [List::EMPTY; 3]);
        for round in 0..3 {
            for (list, member) in [(0, 7), (2, 5), (0, 3), (2, 9), (0, 8)] {
                edges.add(&mut lists[list], member + round);
            }
            let members = |list| edges.members(list).collect::<Vec<_>>();
            assert_eq!(members(lists[0]), [7 + round, 3 + round, 8 + round]);
            assert_eq!(members(lists[1]), [0; 0]);
            assert_eq!(members(lists[2]), [5 + round, 9 + round]);
            for list in &mut lists {
                while edges.take_first(list).is_some() {}
            }
            assert_eq!(edges.all.len(), 5);
        }
    }
}
