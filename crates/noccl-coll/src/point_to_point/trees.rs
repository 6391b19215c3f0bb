// SPDX-License-Identifier: Apache-2.0
//! Multicasts and reductions along several trees at a time: chunk after chunk runs through the levels.

use super::dataflow::Dataflow;
use super::reuse::Slots;
use crate::entry::Whole;
use crate::layout::Layout;
use crate::plan::tree::Tree;
use crate::plan::tree_sets::{Rotation, trees};
use crate::task::Task;
use crate::{CollError, PointForm};
use noccl_net::counts::max_or_zero;
use noccl_net::{Coord, TileRef};
use noccl_workload::{CollectiveKind, Place};
use std::collections::BTreeMap;

/// Trees over a group, which take the payload's chunks one after the other.
struct TreeSet<'a> {
    task: &'a Task<'a>,
    trees: Vec<Tree>,
    /// First byte of each member's unused scratch.
    free: Vec<u64>,
}

/// A collective by trees.
pub(super) fn by_trees(
    task: &Task<'_>,
    form: PointForm,
    flow: &mut Dataflow<'_>,
    layout: &mut Layout,
) -> Result<(), CollError> {
    let (group, kind) = (task.group, task.collective.kind);
    let root = group.members.binary_search(&group.entry).ok();
    let root = root.filter(|_| group.is_root_member() && kind != CollectiveKind::AllReduce);
    let scratch = layout.alloc(0);
    let chunks = task.chunks();
    let takes = kind == CollectiveKind::Multicast;
    let trees = match form {
        PointForm::Rotated(parts) => {
            let rotation = Rotation {
                members: &group.members,
                root,
                has_root_as_leaf: takes,
                parts: usize::from(parts),
                chunks: chunks.len(),
            };
            (0..chunks.len())
                .map(|chunk| rotation.tree(chunk))
                .collect()
        }
        PointForm::Trees(count) => trees(&group.members, root, usize::from(count), takes),
        PointForm::Ring | PointForm::Lines(..) | PointForm::Radix(_) | PointForm::Combine(_) => {
            Vec::new()
        }
    };
    let mut trees_of_payload = TreeSet {
        task,
        trees,
        free: vec![scratch; group.members.len()],
    };
    for chunk in 0..chunks.len() {
        let (start, bytes) = chunks.range(chunk);
        let Some(whole) = Whole::of(kind) else {
            return Err(task.unsupported(
                "trees carry one payload; accepted: ring, rings, halving, swing, bine, direct",
            ));
        };
        match whole {
            Whole::Multicast => trees_of_payload.multicast(chunk, (start, bytes), root, flow),
            Whole::Reduce => trees_of_payload.reduce(chunk, (start, bytes), root, flow),
            Whole::AllReduce => {
                trees_of_payload.reduce(chunk, (start, bytes), None, flow);
                trees_of_payload.broadcast(chunk, (start, bytes), flow);
            }
        }
    }
    let used = trees_of_payload
        .free
        .iter()
        .max()
        .copied()
        .unwrap_or(scratch);
    layout.alloc(used - scratch);
    Ok(())
}

impl TreeSet<'_> {
    fn member(&self, position: usize) -> Coord {
        self.task.group.members[position]
    }

    fn tree(&self, chunk: usize) -> &Tree {
        &self.trees[chunk % self.trees.len()]
    }

    fn input(&self, start: u64) -> u64 {
        self.task.collective.input_offset + start
    }

    fn output(&self, start: u64) -> u64 {
        self.task.collective.output_offset + start
    }

    /// The root sends the chunk to the top; a root that takes no part is read. What the root needs itself comes back to it along the tree:
    /// a copy of its own would take its engine as long as sending does.
    fn multicast(
        &self,
        chunk: usize,
        (start, bytes): (u64, u64),
        root: Option<usize>,
        flow: &mut Dataflow<'_>,
    ) {
        let (from, to) = (self.input(start), self.output(start));
        let top = self.tree(chunk).order.first().map(|top| self.member(*top));
        match (root, top) {
            (Some(root), top) => {
                let root = self.member(root);
                if from == to {
                    flow.has_all(root);
                }
                match top {
                    Some(top) => flow.send(root, from, top, to, bytes),
                    None => flow.send(root, from, root, to, bytes),
                }
            }
            (None, Some(top)) => {
                let source = Place {
                    tile: self.task.group.root,
                    offset: from,
                };
                flow.pull(top, source, to, bytes);
            }
            (None, None) => {}
        }
        self.broadcast(chunk, (start, bytes), flow);
    }

    /// From the top down.
    fn broadcast(&self, chunk: usize, (start, bytes): (u64, u64), flow: &mut Dataflow<'_>) {
        let (tree, offset) = (self.tree(chunk), self.output(start));
        for position in &tree.order {
            for child in &tree.children[*position] {
                flow.send(
                    self.member(*position),
                    offset,
                    self.member(*child),
                    offset,
                    bytes,
                );
            }
        }
    }

    /// From the leaves up: own operand, then the children's. The top of an all-reduce keeps the sum, the root gets it else.
    fn reduce(
        &mut self,
        chunk: usize,
        (start, bytes): (u64, u64),
        root: Option<usize>,
        flow: &mut Dataflow<'_>,
    ) {
        let tree = self.tree(chunk).clone();
        let kind = self.task.collective.kind;
        let (input_at, result) = (self.input(start), self.output(start));
        let mut slots: Vec<Vec<u64>> = vec![Vec::new(); self.task.group.members.len()];
        for position in tree.order.iter().rev() {
            let offset = if slots[*position].is_empty() {
                input_at
            } else {
                let is_result =
                    kind == CollectiveKind::AllReduce && tree.parent[*position].is_none();
                let sum = if is_result {
                    result
                } else {
                    slots[*position][0]
                };
                let mut operands = vec![input_at];
                operands.append(&mut slots[*position]);
                flow.fold(self.member(*position), operands, sum, bytes);
                sum
            };
            match (tree.parent[*position], root) {
                (Some(parent), _) => {
                    let slot = self.slot(parent, bytes);
                    slots[parent].push(slot);
                    flow.send(
                        self.member(*position),
                        offset,
                        self.member(parent),
                        slot,
                        bytes,
                    );
                }
                (None, Some(root)) => {
                    let slot = self.slot(root, bytes);
                    let (top, root) = (self.member(*position), self.member(root));
                    flow.send(top, offset, root, slot, bytes);
                    flow.fold(root, vec![input_at, slot], result, bytes);
                }
                (None, None) if kind == CollectiveKind::AllReduce => {
                    flow.send(
                        self.member(*position),
                        offset,
                        self.member(*position),
                        result,
                        bytes,
                    );
                }
                (None, None) => self.put(self.member(*position), offset, result, bytes, flow),
            }
        }
        if let (Some(root), true) = (root, tree.order.is_empty()) {
            let root = self.member(root);
            flow.send(root, input_at, root, result, bytes);
        }
    }

    fn put(&self, from: Coord, source: u64, offset: u64, bytes: u64, flow: &mut Dataflow<'_>) {
        let tile: TileRef = self.task.group.root;
        flow.put(from, source, Place { tile, offset }, bytes);
    }

    /// Scratch of a member, used once.
    fn slot(&mut self, position: usize, bytes: u64) -> u64 {
        let slot = self.free[position];
        self.free[position] += bytes.next_multiple_of(self.task.network.beat_bytes());
        slot
    }
}

// Reductions whose additions take many operands at a time, and multicasts along the same levels.
//
// An addition takes some cycles to start, however many operands it has. So of short payloads a reduction is fastest where few members add, and each
// of them once: all members send to the root, or those of each part of the group to one of them, which sends the sum on. The levels are made from the
// members up: parts of up to as many members as an addition has operands, row after row; of each part the member nearest to the root; parts of these; and so on.

/// A part of a level: its members, and which of them is the head, which combines what they have.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CombinedPart {
    members: Vec<Coord>,
    head: Coord,
}

/// A reduction or a multicast by parts of up to so many members.
pub(super) fn by_parts(task: &Task<'_>, most: u16, flow: &mut Dataflow<'_>, slots: &mut Slots<'_>) {
    let (group, collective) = (task.group, task.collective);
    let levels = levels(&group.members, group.entry, usize::from(most));
    let chunks = task.chunks();
    for number in 0..chunks.len() {
        let (start, bytes) = chunks.range(number);
        let input = collective.input_offset + start;
        let output = collective.output_offset + start;
        if collective.kind == CollectiveKind::Multicast {
            copy_by_parts(task, &levels, (input, output), bytes, flow);
        } else {
            sum_by_parts(task, &levels, (input, output), bytes, (flow, &mut *slots));
        }
    }
}

/// From level to level every head adds what its part has; operands in the order of the part.
fn sum_by_parts(
    task: &Task<'_>,
    levels: &[Vec<CombinedPart>],
    (input, output): (u64, u64),
    bytes: u64,
    (flow, slots): (&mut Dataflow<'_>, &mut Slots<'_>),
) {
    let group = task.group;
    // Where each member has its operand, or the sum of its part.
    let mut offsets: BTreeMap<Coord, u64> = group.members.iter().map(|m| (*m, input)).collect();
    for (number, parts) in levels.iter().enumerate() {
        let slot_bytes = bytes.next_multiple_of(task.network.beat_bytes());
        let num_slots = most_members(parts);
        let first = slots.take(number, num_slots * slot_bytes, 1, flow);
        let slot_of: Vec<u64> = (0..num_slots).map(|at| first + at * slot_bytes).collect();
        let is_result = number + 1 == levels.len() && group.is_root_member();
        for part in parts {
            let mut operands = Vec::new();
            for (member, slot) in part.members.iter().zip(&slot_of) {
                let is_head = *member == part.head;
                operands.push(if is_head { offsets[member] } else { *slot });
                if !is_head {
                    flow.send(*member, offsets[member], part.head, *slot, bytes);
                }
            }
            if operands.len() > 1 {
                let sum = if is_result { output } else { first };
                flow.fold(part.head, operands, sum, bytes);
                offsets.insert(part.head, sum);
            }
        }
    }
    let sum = offsets[&group.entry];
    if group.is_root_member() {
        flow.send(group.entry, sum, group.entry, output, bytes);
    } else {
        let tile = group.root;
        flow.put(
            group.entry,
            sum,
            Place {
                tile,
                offset: output,
            },
            bytes,
        );
    }
}

/// From the last level back: every head sends to its part. The root's copy for itself is the last thing that it does.
fn copy_by_parts(
    task: &Task<'_>,
    levels: &[Vec<CombinedPart>],
    (input, output): (u64, u64),
    bytes: u64,
    flow: &mut Dataflow<'_>,
) {
    let (group, entry) = (task.group, task.group.entry);
    let from_entry = if group.is_root_member() {
        input
    } else {
        let source = Place {
            tile: group.root,
            offset: input,
        };
        flow.pull(entry, source, output, bytes);
        output
    };
    for part in levels.iter().rev().flatten() {
        let from = if part.head == entry {
            from_entry
        } else {
            output
        };
        for member in part.members.iter().filter(|m| **m != part.head) {
            flow.send(part.head, from, *member, output, bytes);
        }
    }
    flow.send(entry, from_entry, entry, output, bytes);
}

/// Levels from the members up to `root`, the head of the last one; each addition has at most `most` operands, at least 2.
fn levels(members: &[Coord], root: Coord, most: usize) -> Vec<Vec<CombinedPart>> {
    let mut left = members.to_vec();
    left.sort_unstable_by_key(|member| (member.y, member.x));
    let mut levels = Vec::new();
    while left.len() > 1 {
        // Parts as equal as can be.
        let num_parts = left.len().div_ceil(most.max(2));
        let parts: Vec<CombinedPart> = (left.chunks(left.len().div_ceil(num_parts)))
            .map(|part| CombinedPart {
                members: part.to_vec(),
                head: nearest(part, root),
            })
            .collect();
        left = parts.iter().map(|part| part.head).collect();
        levels.push(parts);
    }
    levels
}

/// The member nearest to the root, the root itself if it is one; of equals the lowest.
fn nearest(part: &[Coord], root: Coord) -> Coord {
    let near = part
        .iter()
        .copied()
        .min_by_key(|member| (member.hops_to(root), *member));
    near.unwrap_or(root)
}

fn most_members(parts: &[CombinedPart]) -> u64 {
    let num = parts.iter().map(|part| part.members.len() as u64);
    max_or_zero(num)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_operands_as_members_make_one_level_and_as_many_as_columns_make_two() {
        let columns = 0..4;
        let members: Vec<Coord> = columns
            .flat_map(|x| (0..3).map(move |y| Coord::new(x, y)))
            .collect();
        let root = Coord::new(1, 1);
        let all = levels(&members, root, 12);
        assert_eq!(all.len(), 1);
        assert_eq!((all[0][0].members.len(), all[0][0].head), (12, root));
        let rows = levels(&members, root, 4);
        let heads: Vec<Coord> = rows[0].iter().map(|part| part.head).collect();
        assert_eq!(heads, [0, 1, 2].map(|y| Coord::new(1, y)));
        assert_eq!((rows[1][0].members.clone(), rows[1][0].head), (heads, root));
        assert_eq!(rows.len(), 2);
    }
}
