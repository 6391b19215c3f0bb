// SPDX-License-Identifier: Apache-2.0
//! Two binary trees, each with half of the payload.
//!
//! In one tree half of the members are leaves: they receive and never send. The second tree is the
//! first one moved on by one member, so that leaves and inner members change places, and every member sends
//! about as much as it receives. Chunks run through the levels in a pipeline, as in a chain, but the
//! pipeline is only as long as the trees are high.

use super::trees::{Lane, ReduceHop, ReducedLane, TreeMember, by_trees, in_steps, parameters};
use crate::entry::{Entry, OnClusters, Stages, Whole};
use crate::layout::{Chunks, Layout};
use crate::plan::mesh_order::{Stage, by_rows};
use crate::task::Task;
use crate::{CollError, Forwarding, Inner};
use noccl_net::Coord;
use noccl_net::counts::max_or_zero;
use noccl_workload::Action;

pub(crate) const ENTRY: Entry = Entry {
    parameters: parameters(Stages::Fixed(Inner::Tree)),
    on_clusters: Some(OnClusters {
        num_chunks,
        ..OnClusters::new(Whole::includes, |task| match task.is_alone() {
            true => in_steps(task),
            false => by_double_tree(task),
        })
        .cut(|offer| offer.by_chunks())
    }),
    ..Entry::named("double_tree")
};

/// One tree with its part of the payload.
struct Half {
    levels: Vec<Vec<TreeMember>>,
    /// First byte of its part.
    skip: u64,
    chunks: Chunks,
}

/// Two trees, half of the payload each.
fn by_double_tree(task: &Task<'_>) -> Result<Vec<Action>, CollError> {
    let lanes = || {
        let lane = |half: Half| Lane {
            stages: half.levels.iter().map(|level| edges(level)).collect(),
            skip: half.skip,
            chunks: half.chunks,
        };
        Ok(halves(task).into_iter().map(lane).collect())
    };
    let reduced = |layout: &mut Layout| {
        let lane = |half: Half| {
            let hops = (half.levels.into_iter().rev().enumerate()).map(|(up, members)| ReduceHop {
                members,
                start: 2 * up,
                first_buffer: 0,
            });
            ReducedLane::of_two_children(hops.collect(), half.skip, half.chunks, layout)
        };
        // Of a reduction, too, the direction is that of the multicast: its receiver is the sender there.
        let is_pulled = task.choice.forwarding == Forwarding::Push;
        Ok((halves(task).into_iter().map(lane).collect(), is_pulled))
    };
    by_trees(task, false, lanes, reduced)
}

/// Both trees of a group; the second one is the first one, moved on by one member.
fn halves(task: &Task<'_>) -> Vec<Half> {
    let (entry, bytes) = (task.group.entry, task.collective.bytes);
    let mut others = by_rows(&task.group.members);
    others.retain(|c| *c != entry);
    let beat_bytes = task.beat_bytes();
    let first = (bytes.div_ceil(beat_bytes).div_ceil(2) * beat_bytes).min(bytes);
    let half = |others: &[Coord], skip: u64, bytes: u64| Half {
        levels: levels(entry, others),
        skip,
        chunks: Chunks::new(bytes, beat_bytes, task.choice.chunks),
    };
    let mut halves = vec![half(&others, 0, first)];
    if first < bytes {
        if !others.is_empty() {
            others.rotate_left(1);
        }
        halves.push(half(&others, first, bytes - first));
    }
    halves
}

/// Most chunks of a half.
fn num_chunks(task: &Task<'_>) -> usize {
    match task.is_alone() {
        true => task.chunks().len(),
        false => max_or_zero(halves(task).iter().map(|half| half.chunks.len())),
    }
}

/// Parent and child, the first child first.
fn edges(level: &[TreeMember]) -> Stage {
    let pairs = level.iter().flat_map(|member| {
        let children = member.children.iter();
        children.map(|child| (member.parent, *child))
    });
    pairs.collect()
}

/// The entry serves the middle of the line; whoever serves a stretch stands in its middle and serves the
/// middles of what is left and right of it.
fn levels(entry: Coord, line: &[Coord]) -> Vec<Vec<TreeMember>> {
    let mut out = Vec::new();
    let mut open: Vec<(Coord, Vec<&[Coord]>)> = vec![(entry, vec![line])];
    while open
        .iter()
        .any(|(_, parts)| parts.iter().any(|p| !p.is_empty()))
    {
        let (mut families, mut next) = (Vec::new(), Vec::new());
        for (parent, parts) in open {
            let mut children = Vec::new();
            for part in parts.into_iter().filter(|p| !p.is_empty()) {
                let (left, rest) = part.split_at(part.len() / 2);
                if let Some((middle, right)) = rest.split_first() {
                    children.push(*middle);
                    next.push((*middle, vec![left, right]));
                }
            }
            if !children.is_empty() {
                families.push(TreeMember { parent, children });
            }
        }
        out.push(families);
        open = next;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn line(len: u16) -> Vec<Coord> {
        (1..=len).map(|x| Coord::new(x, 0)).collect()
    }

    fn parents(levels: &[Vec<TreeMember>]) -> BTreeSet<Coord> {
        levels.iter().flatten().map(|f| f.parent).collect()
    }

    #[test]
    fn every_member_has_one_parent_and_trees_are_as_low_as_they_can_be() {
        for len in 0..70u16 {
            let levels = levels(Coord::new(0, 0), &line(len));
            let mut children: Vec<Coord> = levels
                .iter()
                .flatten()
                .flat_map(|f| f.children.clone())
                .collect();
            children.sort_unstable();
            assert_eq!(children, line(len));
            assert!(levels.iter().flatten().all(|f| f.children.len() <= 2));
            assert_eq!(levels.len() as u32, u16::BITS - len.leading_zeros());
        }
    }

    #[test]
    fn inner_members_of_one_full_tree_are_leaves_of_the_other() {
        for len in [3, 7, 15, 63] {
            let first = line(len);
            let mut second = first.clone();
            second.rotate_left(1);
            let entry = Coord::new(0, 0);
            let inner = parents(&levels(entry, &first));
            let other = parents(&levels(entry, &second));
            let both: Vec<_> = inner.intersection(&other).collect();
            assert_eq!(both, [&entry], "{len}");
        }
    }
}
