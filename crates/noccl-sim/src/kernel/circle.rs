// SPDX-License-Identifier: Apache-2.0
//! A circle in a graph of waits: a search in depth that keeps its path.

use std::collections::BTreeMap;

/// Numbers of the edges (waiting, awaited) of a circle, in their order around it; `None` if there is none.
///
/// The same edges always give the same circle.
pub(crate) fn circle<N: Copy + Ord>(edges: &[(N, N)]) -> Option<Vec<usize>> {
    let mut from: BTreeMap<N, Vec<usize>> = BTreeMap::new();
    for (number, (waiting, _)) in edges.iter().enumerate() {
        from.entry(*waiting).or_default().push(number);
    }
    let mut is_done: BTreeMap<N, bool> = BTreeMap::new();
    for start in from.keys() {
        let mut path: Vec<(N, usize)> = vec![(*start, 0)];
        while let Some((node, next)) = path.pop() {
            if is_done.get(&node).copied().unwrap_or(false) {
                continue;
            }
            let Some(edge) = from.get(&node).and_then(|all| all.get(next)) else {
                is_done.insert(node, true);
                continue;
            };
            path.push((node, next + 1));
            let awaited = edges[*edge].1;
            if let Some(begin) = path.iter().position(|(on, _)| *on == awaited) {
                let steps = path[begin..].iter();
                return Some(steps.map(|(on, taken)| from[on][taken - 1]).collect());
            }
            path.push((awaited, 0));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_found_behind_dead_ends_and_none_where_there_is_none() {
        let edges = [(1, 2), (1, 3), (3, 4), (2, 5), (4, 3), (5, 6)];
        assert_eq!(circle(&edges), Some(vec![2, 4]));
        assert_eq!(circle(&edges[..4]), None);
        assert_eq!(circle(&[(7, 7)]), Some(vec![0]));
        assert_eq!(circle::<u32>(&[]), None);
    }
}
