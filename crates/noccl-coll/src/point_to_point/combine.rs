// SPDX-License-Identifier: Apache-2.0
//! Reductions whose additions take many operands at a time, and multicasts along the same levels.
//!
//! An addition takes some cycles to start, however many operands it has. So of short payloads a reduction is fastest where few members add, and each
//! of them once: all members send to the root, or those of each part of the group to one of them, which sends the sum on. The levels are made from the
//! members up: parts of up to as many members as an addition has operands, row after row; of each part the member nearest to the root; parts of these; and so on.

use super::dataflow::Dataflow;
use super::slots::Slots;
use crate::compose::Task;
use noccl_net::Coord;
use noccl_net::counts::max_or_zero;
use noccl_workload::{CollectiveKind, Place};
use std::collections::BTreeMap;

/// A part of a level: its members, and which of them is the head, which combines what they have.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CombinedPart {
    members: Vec<Coord>,
    head: Coord,
}

impl Task<'_> {
    /// A reduction or a multicast by parts of up to so many members.
    pub(super) fn by_parts(&self, most: u16, flow: &mut Dataflow<'_>, slots: &mut Slots<'_>) {
        let (group, collective) = (self.group, self.collective);
        let levels = levels(&group.members, group.entry, usize::from(most));
        let chunks = self.chunks();
        for number in 0..chunks.len() {
            let (start, bytes) = chunks.range(number);
            let input = collective.input_offset + start;
            let output = collective.output_offset + start;
            if collective.kind == CollectiveKind::Multicast {
                self.copy_by_parts(&levels, (input, output), bytes, flow);
            } else {
                self.sum_by_parts(&levels, (input, output), bytes, (flow, &mut *slots));
            }
        }
    }

    /// From level to level every head adds what its part has; operands in the order of the part.
    fn sum_by_parts(
        &self,
        levels: &[Vec<CombinedPart>],
        (input, output): (u64, u64),
        bytes: u64,
        (flow, slots): (&mut Dataflow<'_>, &mut Slots<'_>),
    ) {
        let group = self.group;
        // Where each member has its operand, or the sum of its part.
        let mut places: BTreeMap<Coord, u64> = group.members.iter().map(|m| (*m, input)).collect();
        for (number, parts) in levels.iter().enumerate() {
            let slot_bytes = bytes.next_multiple_of(self.network.beat_bytes());
            let num_slots = most_members(parts);
            let first = slots.take(number, num_slots * slot_bytes, 1, flow);
            let slot_of: Vec<u64> = (0..num_slots).map(|at| first + at * slot_bytes).collect();
            let is_result = number + 1 == levels.len() && group.is_root_member();
            for part in parts {
                let mut operands = Vec::new();
                for (member, slot) in part.members.iter().zip(&slot_of) {
                    let is_head = *member == part.head;
                    operands.push(if is_head { places[member] } else { *slot });
                    if !is_head {
                        flow.send(*member, places[member], part.head, *slot, bytes);
                    }
                }
                if operands.len() > 1 {
                    let sum = if is_result { output } else { first };
                    flow.fold(part.head, operands, sum, bytes);
                    places.insert(part.head, sum);
                }
            }
        }
        let sum = places[&group.entry];
        if group.is_root_member() {
            flow.send(group.entry, sum, group.entry, output, bytes);
        } else {
            let to = Place {
                tile: group.root,
                offset: output,
            };
            flow.put(group.entry, sum, to, bytes);
        }
    }

    /// From the last level back: every head sends to its part. The root's copy for itself is the last thing that it does.
    fn copy_by_parts(
        &self,
        levels: &[Vec<CombinedPart>],
        (input, output): (u64, u64),
        bytes: u64,
        flow: &mut Dataflow<'_>,
    ) {
        let (group, entry) = (self.group, self.group.entry);
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
