// SPDX-License-Identifier: Apache-2.0
//! Scatter and gather: straight, or by trees over ranges of ranks.
//!
//! Who holds the blocks of a range of ranks cuts it into as many parts as equal as can be, keeps the part that it is in itself and sends each other
//! part, in one message, to the nearest member of it. Blocks of a range lie one behind the other, so a part is one transfer. A gather goes
//! the other direction: a part is sent on when all of it has come.

use super::dataflow::Dataflow;
use super::straight::by_copies;
use crate::layout::Layout;
use crate::task::Task;
use crate::{CollError, LineForm, PointForm};
use noccl_net::Coord;
use noccl_net::counts::max_or_zero;
use noccl_workload::{CollectiveKind, Place};
use std::collections::VecDeque;
use std::ops::Range;

/// A range of ranks that one tile sends to a member of it.
#[derive(Debug, Clone)]
struct RangeSend {
    /// Rank of who has more than this range; none: the root, which takes no part.
    from: Option<usize>,
    to: usize,
    ranks: Range<usize>,
}

/// A tree over ranges with the places of blocks.
struct RangeTree<'a> {
    task: &'a Task<'a>,
    sends: Vec<RangeSend>,
    /// Rank of the root, if it is a member.
    root: Option<usize>,
    /// Where a member that is not the root has a range of several blocks.
    scratch: u64,
    /// First rank of the range that each member has there.
    first: Vec<usize>,
}

/// A scatter or gather.
pub(super) fn scatter_or_gather(
    task: &Task<'_>,
    flow: &mut Dataflow<'_>,
    layout: &mut Layout,
) -> Result<(), CollError> {
    let parts = match task.choice.point {
        PointForm::Lines(LineForm::Direct, LineForm::Direct) => {
            return by_copies(task, flow, layout);
        }
        PointForm::Lines(LineForm::Halving, LineForm::Halving) => 2,
        PointForm::Radix(radix) => usize::from(radix),
        PointForm::Ring
        | PointForm::Lines(..)
        | PointForm::Combine(_)
        | PointForm::Trees(_)
        | PointForm::Rotated(_) => {
            return Err(task.unsupported(
                "its blocks go straight or by trees over ranges of ranks; accepted: the forms direct, halving and radix",
            ));
        }
    };
    let scatter_or_gather = RangeTree::new(task, parts, layout);
    if task.collective.kind == CollectiveKind::Scatter {
        scatter_or_gather.scatter(flow, layout);
    } else {
        scatter_or_gather.gather(flow, layout);
    }
    Ok(())
}

impl<'a> RangeTree<'a> {
    fn new(task: &'a Task<'a>, parts: usize, layout: &mut Layout) -> Self {
        let group = task.group;
        let root = group.members.binary_search(&group.entry).ok();
        let root = root.filter(|_| group.is_root_member());
        let sends = sends(&group.members, root, group.entry, parts);
        let longest = max_or_zero(sends.iter().map(|send| send.ranks.len()));
        let blocks = if longest > 1 { longest as u64 } else { 0 };
        let mut first = vec![0; group.members.len()];
        for send in &sends {
            first[send.to] = send.ranks.start;
        }
        Self {
            task,
            root,
            scratch: layout.alloc(blocks * task.collective.bytes),
            first,
            sends,
        }
    }

    fn member(&self, rank: usize) -> Coord {
        self.task.group.members[rank]
    }

    /// Where a rank's block lies behind the first one.
    fn skip(&self, rank: usize) -> u64 {
        rank as u64 * self.task.collective.bytes
    }

    /// Where a member that passes blocks on has that of a rank.
    fn block_at(&self, forwarder: usize, rank: usize) -> u64 {
        self.scratch + self.skip(rank - self.first[forwarder])
    }

    /// Members, the root not among them, that have the blocks of several ranks.
    fn forwarders(&self) -> impl Iterator<Item = usize> {
        let several = self.sends.iter().filter(|send| send.ranks.len() > 1);
        several.map(|send| send.to)
    }

    fn scatter(&self, flow: &mut Dataflow<'_>, layout: &mut Layout) {
        let collective = self.task.collective;
        let (input, output) = (collective.input_offset, collective.output_offset);
        for send in &self.sends {
            let (first, bytes) = (send.ranks.start, self.skip(send.ranks.len()));
            let to = self.member(send.to);
            let offset = match send.ranks.len() {
                1 => output,
                _ => self.scratch,
            };
            match send.from {
                Some(from) => {
                    let source = match self.root == Some(from) {
                        true => input + self.skip(first),
                        false => self.block_at(from, first),
                    };
                    flow.send(self.member(from), source, to, offset, bytes);
                }
                None => {
                    let source = self.at_root(input, first);
                    flow.pull(to, source, offset, bytes);
                }
            }
        }
        for forwarder in self.forwarders() {
            let (at, block) = (self.member(forwarder), self.block_at(forwarder, forwarder));
            flow.send(at, block, at, output, collective.bytes);
        }
        if let Some(root) = self.root {
            self.settle(
                self.member(root),
                input + self.skip(root),
                output,
                flow,
                layout,
            );
        }
    }

    fn gather(&self, flow: &mut Dataflow<'_>, layout: &mut Layout) {
        let collective = self.task.collective;
        let (input, output) = (collective.input_offset, collective.output_offset);
        for forwarder in self.forwarders() {
            let at = self.member(forwarder);
            flow.send(
                at,
                input,
                at,
                self.block_at(forwarder, forwarder),
                collective.bytes,
            );
        }
        let all = self.skip(self.task.group.members.len());
        let at_root = self.root.map(|rank| output + self.skip(rank));
        // What comes would overwrite the root's own input where that is not in its place already.
        let is_over = input < output + all && output < input + collective.bytes;
        let is_staged = is_over && at_root.is_some_and(|offset| offset != input);
        let base = if is_staged { layout.alloc(all) } else { output };
        if let Some(rank) = self.root {
            let at = self.member(rank);
            flow.send(at, input, at, base + self.skip(rank), collective.bytes);
        }
        for send in self.sends.iter().rev() {
            let (first, bytes) = (send.ranks.start, self.skip(send.ranks.len()));
            let (from, source) = match send.ranks.len() {
                1 => (self.member(send.to), input),
                _ => (self.member(send.to), self.scratch),
            };
            match send.from {
                Some(to) => {
                    let offset = match self.root == Some(to) {
                        true => base + self.skip(first),
                        false => self.block_at(to, first),
                    };
                    flow.send(from, source, self.member(to), offset, bytes);
                }
                None => flow.put(from, source, self.at_root(output, first), bytes),
            }
        }
        if let (Some(rank), true) = (self.root, is_staged) {
            let at = self.member(rank);
            flow.send(at, base, at, output, all);
        }
    }

    /// A block of the root, which takes no part.
    fn at_root(&self, offset: u64, rank: usize) -> Place {
        Place {
            tile: self.task.group.root,
            offset: offset + self.skip(rank),
        }
    }

    /// The root's own block comes to its place, over scratch if the two overlap.
    fn settle(
        &self,
        at: Coord,
        source: u64,
        offset: u64,
        flow: &mut Dataflow<'_>,
        layout: &mut Layout,
    ) {
        let bytes = self.task.collective.bytes;
        if source == offset || source.abs_diff(offset) >= bytes {
            flow.send(at, source, at, offset, bytes);
            return;
        }
        let scratch = layout.alloc(bytes);
        flow.send(at, source, at, scratch, bytes);
        flow.send(at, scratch, at, offset, bytes);
    }
}

/// Who sends the blocks of which ranks to whom, from the root on.
fn sends(members: &[Coord], root: Option<usize>, near: Coord, parts: usize) -> Vec<RangeSend> {
    let mut sends = Vec::new();
    let mut open = VecDeque::from([(root, 0..members.len())]);
    while let Some((forwarder, ranks)) = open.pop_front() {
        if ranks.len() == 1 && forwarder.is_some() {
            continue;
        }
        let at = forwarder.map_or(near, |rank| members[rank]);
        for part in cut(ranks, parts) {
            if forwarder.is_some_and(|rank| part.contains(&rank)) {
                open.push_back((forwarder, part));
                continue;
            }
            let nearest = part.clone().min_by_key(|rank| members[*rank].hops_to(at));
            if let Some(to) = nearest {
                open.push_back((Some(to), part.clone()));
                sends.push(RangeSend {
                    from: forwarder,
                    to,
                    ranks: part,
                });
            }
        }
    }
    sends
}

/// Cuts a range into at most so many parts as equal as can be.
fn cut(ranks: Range<usize>, parts: usize) -> Vec<Range<usize>> {
    let parts = parts.min(ranks.len());
    let mut start = ranks.start;
    (0..parts)
        .map(|part| {
            let end = start + (ranks.end - start).div_ceil(parts - part);
            let range = start..end;
            start = end;
            range
        })
        .collect()
}
