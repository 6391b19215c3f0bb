// SPDX-License-Identifier: Apache-2.0
//! Waits that no cycle of one state can have.
//!
//! A cycle through a wait consists of waits that may all be true together with it. So from each wait only those that may are
//! followed; if none of the paths comes back, the wait is in no such cycle and is left out, which may leave out others. What
//! remains is searched. That decides most programs whose waits close cycles only by one transaction at two places at once.

use crate::deadlock::search::state::Compatible;

/// Waits that are followed at most: a second. What has not been decided then remains.
const MAX_FOLLOWED: usize = 100_000_000;

/// Edges among the nodes that remain; others have none.
pub(crate) fn prune(mut edges: Vec<Vec<usize>>, compatible: &Compatible<'_>) -> Vec<Vec<usize>> {
    let mut followed = 0;
    let mut seen = vec![usize::MAX; edges.len()];
    let mut round = 0;
    loop {
        let components = components(&edges);
        for (from, targets) in edges.iter_mut().enumerate() {
            targets.retain(|to| components[*to] == components[from]);
        }
        let mut left_out = vec![false; edges.len()];
        for start in 0..edges.len() {
            if edges[start].is_empty() {
                continue;
            }
            round += 1;
            let mut open = vec![start];
            let mut comes_back = false;
            while let Some(node) = open.pop()
                && !comes_back
            {
                followed += edges[node].len();
                for to in edges[node].iter().copied() {
                    if to == start {
                        comes_back = true;
                        break;
                    }
                    let is_new = std::mem::replace(&mut seen[to], round) != round;
                    if is_new && !left_out[to] && compatible.are(start, to) {
                        open.push(to);
                    }
                }
            }
            left_out[start] = !comes_back;
            if followed > MAX_FOLLOWED {
                return edges;
            }
        }
        if !left_out.contains(&true) {
            return edges;
        }
        for (from, targets) in edges.iter_mut().enumerate() {
            targets.retain(|to| !left_out[*to] && !left_out[from]);
        }
    }
}

/// The strongly connected component of each node (Tarjan's algorithm, without recursion).
fn components(edges: &[Vec<usize>]) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let mut index = vec![NONE; edges.len()];
    let mut low = vec![0; edges.len()];
    let mut component = vec![NONE; edges.len()];
    let (mut next, mut stack, mut path) = (0, Vec::new(), Vec::new());
    for start in 0..edges.len() {
        if index[start] != NONE {
            continue;
        }
        path.push((start, 0));
        while let Some((node, at)) = path.pop() {
            if at == 0 {
                (index[node], low[node]) = (next, next);
                next += 1;
                stack.push(node);
            } else {
                let child = edges[node][at - 1];
                if component[child] == NONE {
                    low[node] = low[node].min(low[child]);
                }
            }
            if let Some(to) = edges[node].get(at).copied() {
                path.push((node, at + 1));
                if index[to] == NONE {
                    path.push((to, 0));
                }
            } else if low[node] == index[node] {
                while let Some(member) = stack.pop() {
                    component[member] = node;
                    if member == node {
                        break;
                    }
                }
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn nodes_that_reach_each_other_share_a_component() {
        let edges = [
            vec![1],
            vec![2, 3],
            vec![0],
            vec![4],
            vec![3],
            vec![5, 0],
            vec![],
        ];
        let found = components(&edges);
        assert!(found[0] == found[1] && found[1] == found[2]);
        assert_eq!(found[3], found[4]);
        let mut distinct: Vec<usize> = found.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), 4);
    }
}
