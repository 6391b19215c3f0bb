// SPDX-License-Identifier: Apache-2.0
//! Multicasts and reductions along several trees at a time: piece after piece runs through the levels.

use super::dataflow::Dataflow;
use super::rotated::Rotation;
use super::trees::{Tree, trees};
use crate::compose::Task;
use crate::layout::Layout;
use crate::whole::Whole;
use crate::{CollError, PointForm};
use noccl_net::{Coord, TileRef};
use noccl_workload::{CollectiveKind, Place};

/// Trees over a group, which take the payload's pieces one after the other.
struct Forest<'a> {
    task: &'a Task<'a>,
    trees: Vec<Tree>,
    /// First byte of each member's unused scratch.
    free: Vec<u64>,
}

impl Task<'_> {
    /// A collective by trees.
    pub(super) fn by_trees(
        &self,
        form: PointForm,
        flow: &mut Dataflow<'_>,
        layout: &mut Layout,
    ) -> Result<(), CollError> {
        let (group, kind) = (self.group, self.collective.kind);
        let root = group.members.binary_search(&group.entry).ok();
        let root = root.filter(|_| group.is_root_member() && kind != CollectiveKind::AllReduce);
        let scratch = layout.alloc(0);
        let chunks = self.chunks();
        let takes = kind == CollectiveKind::Multicast;
        let trees = match form {
            PointForm::Rotated(parts) => {
                let rotation = Rotation {
                    members: &group.members,
                    root,
                    has_root_as_leaf: takes,
                    parts: usize::from(parts),
                    pieces: chunks.len(),
                };
                (0..chunks.len())
                    .map(|piece| rotation.tree(piece))
                    .collect()
            }
            PointForm::Trees(count) => trees(&group.members, root, usize::from(count), takes),
            PointForm::Ring
            | PointForm::Lines(..)
            | PointForm::Radix(_)
            | PointForm::Combine(_) => Vec::new(),
        };
        let mut forest = Forest {
            task: self,
            trees,
            free: vec![scratch; group.members.len()],
        };
        for piece in 0..chunks.len() {
            let (start, bytes) = chunks.range(piece);
            let Some(whole) = Whole::of(kind) else {
                return Err(self.unsupported(
                    "trees carry one payload; accepted: ring, rings, halving, swing, bine, direct",
                ));
            };
            match whole {
                Whole::Multicast => forest.multicast(piece, (start, bytes), root, flow),
                Whole::Reduce => forest.reduce(piece, (start, bytes), root, flow),
                Whole::AllReduce => {
                    forest.reduce(piece, (start, bytes), None, flow);
                    forest.spread(piece, (start, bytes), flow);
                }
            }
        }
        let used = forest.free.iter().max().copied().unwrap_or(scratch);
        layout.alloc(used - scratch);
        Ok(())
    }
}

impl Forest<'_> {
    fn member(&self, position: usize) -> Coord {
        self.task.group.members[position]
    }

    fn tree(&self, piece: usize) -> &Tree {
        &self.trees[piece % self.trees.len()]
    }

    fn input(&self, start: u64) -> u64 {
        self.task.collective.input_offset + start
    }

    fn output(&self, start: u64) -> u64 {
        self.task.collective.output_offset + start
    }

    /// The root hands the piece to the top; a root that takes no part is read. What the root needs itself comes back to it along the tree:
    /// a copy of its own would take its engine as long as sending does.
    fn multicast(
        &self,
        piece: usize,
        (start, bytes): (u64, u64),
        root: Option<usize>,
        flow: &mut Dataflow<'_>,
    ) {
        let (from, to) = (self.input(start), self.output(start));
        let top = self.tree(piece).order.first().map(|top| self.member(*top));
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
        self.spread(piece, (start, bytes), flow);
    }

    /// From the top down.
    fn spread(&self, piece: usize, (start, bytes): (u64, u64), flow: &mut Dataflow<'_>) {
        let (tree, place) = (self.tree(piece), self.output(start));
        for position in &tree.order {
            for child in &tree.children[*position] {
                flow.send(
                    self.member(*position),
                    place,
                    self.member(*child),
                    place,
                    bytes,
                );
            }
        }
    }

    /// From the leaves up: own operand, then the children's. The top of an all-reduce keeps the sum, the root gets it else.
    fn reduce(
        &mut self,
        piece: usize,
        (start, bytes): (u64, u64),
        root: Option<usize>,
        flow: &mut Dataflow<'_>,
    ) {
        let tree = self.tree(piece).clone();
        let kind = self.task.collective.kind;
        let (own, result) = (self.input(start), self.output(start));
        let mut slots: Vec<Vec<u64>> = vec![Vec::new(); self.task.group.members.len()];
        for position in tree.order.iter().rev() {
            let place = if slots[*position].is_empty() {
                own
            } else {
                let is_result =
                    kind == CollectiveKind::AllReduce && tree.parent[*position].is_none();
                let sum = if is_result {
                    result
                } else {
                    slots[*position][0]
                };
                let mut operands = vec![own];
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
                        place,
                        self.member(parent),
                        slot,
                        bytes,
                    );
                }
                (None, Some(root)) => {
                    let slot = self.slot(root, bytes);
                    let (top, root) = (self.member(*position), self.member(root));
                    flow.send(top, place, root, slot, bytes);
                    flow.fold(root, vec![own, slot], result, bytes);
                }
                (None, None) if kind == CollectiveKind::AllReduce => {
                    flow.send(
                        self.member(*position),
                        place,
                        self.member(*position),
                        result,
                        bytes,
                    );
                }
                (None, None) => self.put(self.member(*position), place, result, bytes, flow),
            }
        }
        if let (Some(root), true) = (root, tree.order.is_empty()) {
            let root = self.member(root);
            flow.send(root, own, root, result, bytes);
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
