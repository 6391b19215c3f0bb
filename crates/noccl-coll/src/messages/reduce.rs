// SPDX-License-Identifier: Apache-2.0
//! Reduce, multicast and all-reduce by messages.
//!
//! Reduce: over a tree, own operand left, then the children in their order, piece by piece of the payload; a core reduces a child's piece when
//! it is there and all children before it are reduced, so the order of operands is fixed. All-reduce: to the first member and from there by
//! the static network (S4 §2), or by recursive doubling.

use super::Work;
use super::program::{MessagePart, Program, Wait};
use super::tree::MessageTree;
use crate::CollError;
use crate::entry::{Entry, OnCores};
use crate::exchange::blocks::at;
use crate::layout::{Chunks, Layout};
use crate::order::chain_order;
use noccl_net::counts::max_or_zero;
use noccl_workload::{Action, ActionKind, CollectiveKind, StaticMulticast};

pub(crate) const RECURSIVE_DOUBLING: Entry = Entry {
    on_cores: Some(OnCores::new(
        |kind| kind == CollectiveKind::AllReduce,
        |work| work.all_reduce_by_doubling(),
    )),
    ..Entry::named("recursive_doubling")
};

pub(crate) const IN_NETWORK_STATIC: Entry = Entry {
    is_in_network: true,
    on_cores: Some(OnCores::new(
        |kind| kind == CollectiveKind::Multicast,
        |work| work.multicast_by_network(),
    )),
    ..Entry::named("in_network_static")
};

impl Work<'_> {
    /// A reduction to the root of a tree.
    pub(super) fn reduce_over(&self, tree: &MessageTree) -> Result<Vec<Action>, CollError> {
        let mut program = Program::new(self);
        let mut layout = self.layout()?;
        self.add_reduction(tree, &mut layout, &mut program);
        self.check_layout(&layout)?;
        Ok(program.finish())
    }

    /// A multicast from the root over a tree.
    pub(super) fn multicast_over(&self, tree: &MessageTree) -> Result<Vec<Action>, CollError> {
        let mut program = Program::new(self);
        self.add_multicast(tree, self.collective.input_offset, &mut program);
        program.keep(self.root, self.whole());
        Ok(program.finish())
    }

    /// A multicast from the root over the static network.
    fn multicast_by_network(&self) -> Result<Vec<Action>, CollError> {
        let mut program = Program::new(self);
        let source = self.collective.input_offset;
        self.static_multicast(self.root, source, &mut program)?;
        program.keep(self.root, self.whole());
        Ok(program.finish())
    }

    /// An all-reduce: to the root of a tree, and from there over another tree or the static network.
    pub(super) fn all_reduce_over(
        &self,
        tree: &MessageTree,
        back: Option<&MessageTree>,
    ) -> Result<Vec<Action>, CollError> {
        let mut layout = self.layout()?;
        let mut program = Program::new(self);
        let result = self.collective.output_offset;
        self.add_reduction(tree, &mut layout, &mut program);
        match back {
            Some(tree) => self.add_multicast(tree, result, &mut program),
            None => self.static_multicast(0, result, &mut program)?,
        }
        self.check_layout(&layout)?;
        Ok(program.finish())
    }

    fn all_reduce_by_doubling(&self) -> Result<Vec<Action>, CollError> {
        let mut layout = self.layout()?;
        let mut program = Program::new(self);
        self.double(&mut layout, &mut program);
        self.check_layout(&layout)?;
        Ok(program.finish())
    }

    /// Binomial tree of a reduction, its children in the order of the fold.
    pub(super) fn reducing_tree(&self, root: usize) -> MessageTree {
        let mut tree = MessageTree::binomial(self.members.len(), root);
        // The child with the fewest below it is done first.
        tree.children
            .iter_mut()
            .for_each(|children| children.reverse());
        tree
    }

    /// Neighbour to neighbour through all lines to the root.
    pub(super) fn snake(&self, root: usize) -> MessageTree {
        let path = chain_order(&self.members, self.members[root]);
        let ranks = path
            .iter()
            .filter_map(|c| self.members.binary_search(c).ok());
        MessageTree::path(self.members.len(), &ranks.collect::<Vec<_>>())
    }

    /// Pieces that the payload is cut into: whole units of a packet, and whole elements.
    pub(super) fn pieces(&self) -> Chunks {
        Chunks::new(self.collective.bytes, self.unit_bytes(), self.choice.chunks)
    }

    /// Every rank reduces its own input with what its children send, and sends the result on; the root keeps it as output.
    fn add_reduction(&self, tree: &MessageTree, layout: &mut Layout, program: &mut Program<'_>) {
        let collective = self.collective;
        let most = max_or_zero(tree.children.iter().map(Vec::len));
        let buffers: Vec<u64> = (0..most).map(|_| layout.alloc(collective.bytes)).collect();
        let partial = layout.alloc(collective.bytes);
        let root = tree.order[0];
        if self.members.len() == 1 {
            program.keep(root, self.whole());
            return;
        }
        let pieces = self.pieces();
        for (start, bytes) in (0..pieces.len()).map(|piece| pieces.range(piece)) {
            for rank in tree.order.iter().copied().rev() {
                let result = if rank == root {
                    collective.output_offset
                } else {
                    partial
                };
                let mut reduced = collective.input_offset;
                for (child, buffer) in tree.children[rank].iter().zip(&buffers) {
                    let is_leaf = tree.children[*child].is_empty();
                    let of_child = if is_leaf {
                        collective.input_offset
                    } else {
                        partial
                    };
                    let part = MessagePart {
                        from: of_child + start,
                        to: buffer + start,
                        bytes,
                    };
                    program.send((*child, rank), part, Wait::Nothing);
                    let inputs = vec![reduced + start, buffer + start];
                    program.fold(rank, inputs, result + start, bytes);
                    reduced = result;
                }
            }
        }
    }

    /// The root's bytes from `source` on go to every other rank's output, piece by piece.
    fn add_multicast(&self, tree: &MessageTree, source: u64, program: &mut Program<'_>) {
        let output = self.collective.output_offset;
        let pieces = self.pieces();
        for (start, bytes) in (0..pieces.len()).map(|piece| pieces.range(piece)) {
            for (place, rank) in tree.order.iter().enumerate() {
                let from = if place == 0 { source } else { output };
                for child in &tree.children[*rank] {
                    let part = MessagePart {
                        from: from + start,
                        to: output + start,
                        bytes,
                    };
                    program.send((*rank, *child), part, Wait::All);
                }
            }
        }
    }

    /// The same over the static network.
    fn static_multicast(
        &self,
        root: usize,
        source: u64,
        program: &mut Program<'_>,
    ) -> Result<(), CollError> {
        let set = self.rectangle()?;
        if self.members.len() > 1 {
            let after = program.waited_for(root, Wait::All);
            let multicast = StaticMulticast {
                source: at(self.members[root], source),
                set,
                offset: self.collective.output_offset,
                bytes: self.collective.bytes,
            };
            program.add(ActionKind::StaticMulticast(multicast), after);
        }
        Ok(())
    }

    /// Pairs of ranks exchange what they have reduced, at doubling distances; the lower rank's operand is left, so that all get the same sum.
    /// Of ranks that are no power of two, the first ones fold in pairs before, and the second of a pair gets the result after.
    fn double(&self, layout: &mut Layout, program: &mut Program<'_>) {
        let (num, whole) = (self.members.len(), self.whole());
        let active = 1 << num.ilog2();
        let num_pairs = num - active;
        // Rank of the so-manieth that takes part: the first of each pair, then those without one.
        let rank = |place: usize| place + place.min(num_pairs);
        let partial = layout.alloc(whole.bytes);
        let mut own = vec![whole.from; num];
        let exchange = |from: u64, to: u64| MessagePart {
            from,
            to,
            bytes: whole.bytes,
        };
        if num == 1 {
            program.keep(0, whole);
            return;
        }
        let steps = active.ilog2();
        let result = |step: u32| if step == steps { whole.to } else { partial };
        let buffer = layout.alloc(whole.bytes);
        for pair in 0..num_pairs {
            let (first, second) = (2 * pair, 2 * pair + 1);
            program.send((second, first), exchange(whole.from, buffer), Wait::Nothing);
            program.fold(first, vec![own[first], buffer], result(0), whole.bytes);
            own[first] = result(0);
        }
        for step in 0..steps {
            let buffer = layout.alloc(whole.bytes);
            program.step = step + 1;
            for place in 0..active {
                let other = rank(place ^ (1 << step));
                program.send(
                    (rank(place), other),
                    exchange(own[rank(place)], buffer),
                    Wait::Nothing,
                );
            }
            for place in 0..active {
                let rank = rank(place);
                let is_lower = place & (1 << step) == 0;
                let inputs = if is_lower {
                    vec![own[rank], buffer]
                } else {
                    vec![buffer, own[rank]]
                };
                program.fold(rank, inputs, result(step + 1), whole.bytes);
                own[rank] = result(step + 1);
            }
        }
        for pair in 0..num_pairs {
            program.send(
                (2 * pair, 2 * pair + 1),
                exchange(whole.to, whole.to),
                Wait::Nothing,
            );
        }
    }
}
