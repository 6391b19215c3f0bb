// SPDX-License-Identifier: Apache-2.0
//! Who can wait for whom, and is there a circle that one state can hold?

use crate::deadlock::Place;
use std::collections::VecDeque;
use std::fmt;

pub(crate) use state::{Found, shortest_consistent};
pub(crate) use waits::Waits;

mod over;
mod state;
mod waits;

// Is a number in a sorted list? Lists of what may be in flight together mostly hold all numbers of a range.

/// Is the value in this list, which is sorted and names no value twice?
///
/// Between the ends there is space for as many positions as there are values, so both ends bound the position: one look in a
/// list without gaps, a binary search over the gaps in others.
#[must_use]
pub fn is_among(sorted: &[u32], value: u32) -> bool {
    let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else {
        return false;
    };
    if value < *first || value > *last {
        return false;
    }
    let (from_first, to_last) = ((value - first) as usize, (last - value) as usize);
    let end = sorted.len().min(from_first + 1);
    let begin = sorted.len().saturating_sub(to_last + 1);
    begin < end && sorted[begin..end].binary_search(&value).is_ok()
}

// What a check returns, and the search for a cycle in an implicit graph.

/// No cycle: whatever waits, waits for something that moves in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proof {
    /// Resources (or uses of resources by transactions) in the graph.
    pub nodes: usize,
    /// Waits in the graph.
    pub waits: usize,
}

/// One wait of a cycle: `holder` keeps `holds` and needs `waits_for`, which the next one keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    /// Index of the flow; `None` in a check of a mechanism.
    pub flow: Option<usize>,
    /// Who holds: a transaction, or any packet there.
    pub holder: String,
    /// What it holds.
    pub holds: Place,
    /// What it waits for.
    pub waits_for: Place,
    /// Both places in words.
    pub text: String,
}

/// A cycle of waits, in order; the last one waits for what the first one holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cycle {
    /// The waits.
    pub waits: Vec<Wait>,
    /// Can one state hold all of them, as far as the graph knows? Otherwise the search has reached its bound, and
    /// freedom from deadlock is not proved.
    pub is_certain: bool,
}

impl Cycle {
    /// More waits are possible than are looked at: no cycle is known, and nothing is proved.
    pub const CUT_OFF: Self = Self {
        waits: Vec::new(),
        is_certain: false,
    };
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.waits.is_empty() {
            return f.write_str("more waits are possible than are looked at");
        }
        for (idx, wait) in self.waits.iter().enumerate() {
            let separator = if idx == 0 { "" } else { "; " };
            write!(f, "{separator}{} {}", wait.holder, wait.text)?;
        }
        Ok(())
    }
}

impl std::error::Error for Cycle {}

/// Nodes of some cycle, or the number of edges if there is none. Depth first, without recursion.
pub(crate) fn find_cycle(
    nodes: usize,
    successors: impl Fn(usize, &mut Vec<usize>),
) -> Result<usize, Vec<usize>> {
    const NEW: u8 = 0;
    const OPEN: u8 = 1;
    const DONE: u8 = 2;
    let mut state = vec![NEW; nodes];
    let mut edges = 0;
    // Open nodes, each with where its untried successors begin in `untried`.
    let mut path: Vec<(usize, usize)> = Vec::new();
    let mut untried: Vec<usize> = Vec::new();
    for start in 0..nodes {
        if state[start] != NEW {
            continue;
        }
        let mut entering = Some(start);
        loop {
            if let Some(node) = entering.take() {
                state[node] = OPEN;
                path.push((node, untried.len()));
                successors(node, &mut untried);
                edges += untried.len() - path[path.len() - 1].1;
            }
            let Some((node, first)) = path.last().copied() else {
                break;
            };
            if untried.len() == first {
                state[node] = DONE;
                path.pop();
                continue;
            }
            match untried.pop() {
                Some(to) if state[to] == NEW => entering = Some(to),
                Some(to) if state[to] == OPEN => {
                    let open = path.iter().map(|(node, _)| *node);
                    return Err(open.skip_while(|node| *node != to).collect());
                }
                Some(_) | None => {}
            }
        }
    }
    Ok(edges)
}

/// The shortest cycle through `start`, if there is one of fewer than `limit` nodes.
pub(crate) fn shortest_through(
    nodes: usize,
    start: usize,
    limit: usize,
    successors: impl Fn(usize, &mut Vec<usize>),
) -> Option<Vec<usize>> {
    let mut from: Vec<Option<usize>> = vec![None; nodes];
    let mut queue = VecDeque::from([(start, 1)]);
    let mut next = Vec::new();
    while let Some((node, length)) = queue.pop_front() {
        if length >= limit {
            return None;
        }
        next.clear();
        successors(node, &mut next);
        for to in next.drain(..) {
            if to == start {
                let mut cycle = vec![node];
                while let Some(before) = from[cycle[cycle.len() - 1]] {
                    cycle.push(before);
                }
                cycle.reverse();
                return Some(cycle);
            }
            if from[to].is_none() {
                from[to] = Some(node);
                queue.push_back((to, length + 1));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::is_among;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn what_is_in_the_list_is_found_and_nothing_else(list in prop::collection::btree_set(0u32..60, 0..60), far: bool) {
            let mut set: BTreeSet<u32> = list;
            if far {
                set.insert(u32::MAX);
            }
            let sorted: Vec<u32> = set.iter().copied().collect();
            for value in (0..64).chain([u32::MAX - 1, u32::MAX]) {
                prop_assert_eq!(is_among(&sorted, value), set.contains(&value));
            }
        }
    }
}
