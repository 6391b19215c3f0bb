// SPDX-License-Identifier: Apache-2.0
//! Reduce, multicast and all-reduce by messages.
//!
//! Reduce: over a tree, own operand left, then the children in their order, chunk by chunk of the payload; a core reduces a child's chunk when
//! it is there and all children before it are reduced, so the order of operands is fixed. All-reduce: to the first member and from there by
//! the static network (S4 §2), or by recursive doubling.

use super::program::{MessagePart, Program, Wait};
use super::{grid, rectangle};
use crate::choice::TreeForm;
use crate::entry::{Entry, OnCores};
use crate::layout::Layout;
use crate::plan::line::{Pairing, dissemination, there_and_back};
use crate::plan::mesh_order::chain_order;
use crate::plan::tree::Tree;
use crate::steps::at;
use crate::task::CoreTask;
use crate::{CollError, centre};
use noccl_net::counts::max_or_zero;
use noccl_workload::{Action, ActionKind, CollectiveKind, StaticMulticast};

pub(crate) const RECURSIVE_DOUBLING: Entry = Entry {
    on_cores: Some(OnCores::new(
        |kind| kind == CollectiveKind::AllReduce,
        all_reduce_by_doubling,
    )),
    ..Entry::named("recursive_doubling")
};

pub(crate) const IN_NETWORK_STATIC: Entry = Entry {
    is_in_network: true,
    on_cores: Some(OnCores {
        order_of_many: Some(0),
        ..OnCores::new(
            |kind| kind == CollectiveKind::Multicast,
            multicast_by_network,
        )
    }),
    ..Entry::named("in_network_static")
};

/// A reduction to the root of a tree.
pub(super) fn reduce_over(task: &CoreTask<'_>, tree: &Tree) -> Result<Vec<Action>, CollError> {
    let mut program = Program::new(task);
    let mut layout = task.layout()?;
    add_reduction(task, tree, &mut layout, &mut program);
    task.check_layout(&layout)?;
    Ok(program.finish())
}

/// A multicast from the root over a tree.
pub(super) fn multicast_over(task: &CoreTask<'_>, tree: &Tree) -> Result<Vec<Action>, CollError> {
    let mut program = Program::new(task);
    add_multicast(task, tree, task.collective.input_offset, &mut program);
    program.keep(task.root(), MessagePart::whole(task.collective));
    Ok(program.finish())
}

/// A multicast from the root over the static network.
fn multicast_by_network(task: &CoreTask<'_>) -> Result<Vec<Action>, CollError> {
    let mut program = Program::new(task);
    let source = task.collective.input_offset;
    static_multicast(task, task.root(), source, &mut program)?;
    program.keep(task.root(), MessagePart::whole(task.collective));
    Ok(program.finish())
}

/// An all-reduce: to the root of a tree, and from there over another tree or the static network.
pub(super) fn all_reduce_over(
    task: &CoreTask<'_>,
    tree: &Tree,
    back: Option<&Tree>,
) -> Result<Vec<Action>, CollError> {
    let mut layout = task.layout()?;
    let mut program = Program::new(task);
    let result = task.collective.output_offset;
    add_reduction(task, tree, &mut layout, &mut program);
    match back {
        Some(tree) => add_multicast(task, tree, result, &mut program),
        None => static_multicast(task, 0, result, &mut program)?,
    }
    task.check_layout(&layout)?;
    Ok(program.finish())
}

fn all_reduce_by_doubling(task: &CoreTask<'_>) -> Result<Vec<Action>, CollError> {
    let mut layout = task.layout()?;
    let mut program = Program::new(task);
    double(task, &mut layout, &mut program);
    task.check_layout(&layout)?;
    Ok(program.finish())
}

/// Binomial tree of a reduction, its children in the order of the fold.
pub(super) fn reducing_tree(task: &CoreTask<'_>, root: usize) -> Tree {
    let mut tree = Tree::binomial(task.members().len(), root);
    // The child with the fewest below it is done first.
    tree.children
        .iter_mut()
        .for_each(|children| children.reverse());
    tree
}

/// Neighbour to neighbour through all lines to the root.
pub(super) fn snake(task: &CoreTask<'_>, root: usize) -> Tree {
    let path = chain_order(task.members(), task.members()[root]);
    let ranks = path
        .iter()
        .filter_map(|c| task.members().binary_search(c).ok());
    Tree::path(task.members().len(), &ranks.collect::<Vec<_>>())
}

/// Every rank reduces its own input with what its children send, and sends the result on; the root keeps it as output.
fn add_reduction(task: &CoreTask<'_>, tree: &Tree, layout: &mut Layout, program: &mut Program<'_>) {
    let collective = task.collective;
    let most = max_or_zero(tree.children.iter().map(Vec::len));
    let buffers: Vec<u64> = (0..most).map(|_| layout.alloc(collective.bytes)).collect();
    let partial = layout.alloc(collective.bytes);
    let root = tree.order[0];
    if task.members().len() == 1 {
        program.keep(root, MessagePart::whole(task.collective));
        return;
    }
    let chunks = task.chunks();
    for (start, bytes) in (0..chunks.len()).map(|chunk| chunks.range(chunk)) {
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

/// The root's bytes from `source` on go to every other rank's output, chunk by chunk.
fn add_multicast(task: &CoreTask<'_>, tree: &Tree, source: u64, program: &mut Program<'_>) {
    let output = task.collective.output_offset;
    let chunks = task.chunks();
    for (start, bytes) in (0..chunks.len()).map(|chunk| chunks.range(chunk)) {
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
    task: &CoreTask<'_>,
    root: usize,
    source: u64,
    program: &mut Program<'_>,
) -> Result<(), CollError> {
    let set = rectangle(task)?;
    if task.members().len() > 1 {
        let after = program.waited_for(root, Wait::All);
        let multicast = StaticMulticast {
            source: at(task.members()[root], source),
            set,
            offset: task.collective.output_offset,
            bytes: task.collective.bytes,
        };
        program.add(ActionKind::StaticMulticast(multicast), after);
    }
    Ok(())
}

/// Pairs of ranks exchange what they have reduced, at doubling distances; the lower rank's operand is left, so that all get the same sum.
/// Of ranks that are no power of two, the first ones reduce in pairs before, and the second of a pair gets the result after.
fn double(task: &CoreTask<'_>, layout: &mut Layout, program: &mut Program<'_>) {
    let (num, whole) = (task.members().len(), MessagePart::whole(task.collective));
    let num_active = 1 << num.ilog2();
    let num_pairs = num - num_active;
    // Those that take part: the first of each pair, then those without one.
    let rank = |position: usize| position + position.min(num_pairs);
    let partial = layout.alloc(whole.bytes);
    if num == 1 {
        program.keep(0, whole);
        return;
    }
    let steps = Pairing::Near.steps(num_active);
    let result = |step: usize| match step == steps.len() {
        true => whole.to,
        false => partial,
    };
    let part = |from: u64, to: u64| MessagePart { from, to, ..whole };
    let mut sums = vec![whole.from; num];
    let buffer = layout.alloc(whole.bytes);
    for pair in 0..num_pairs {
        let (first, second) = (2 * pair, 2 * pair + 1);
        program.send((second, first), part(whole.from, buffer), Wait::Nothing);
        program.fold(first, vec![sums[first], buffer], result(0), whole.bytes);
        sums[first] = result(0);
    }
    for (step, partners) in steps.iter().enumerate() {
        let buffer = layout.alloc(whole.bytes);
        program.step = step as u32 + 1;
        for (position, partner) in partners.iter().enumerate() {
            let (from, to) = (rank(position), rank(*partner));
            program.send((from, to), part(sums[from], buffer), Wait::Nothing);
        }
        for (position, partner) in partners.iter().enumerate() {
            let mut inputs = vec![sums[rank(position)], buffer];
            if *partner < position {
                inputs.reverse();
            }
            program.fold(rank(position), inputs, result(step + 1), whole.bytes);
            sums[rank(position)] = result(step + 1);
        }
    }
    for pair in 0..num_pairs {
        program.send(
            (2 * pair, 2 * pair + 1),
            part(whole.to, whole.to),
            Wait::Nothing,
        );
    }
}

// Barriers by messages of no bytes: gathered and released over a tree (S4 §2), or disseminated.
//
// Nobody needs to count: a rank cannot begin the next barrier before it has been released from this one, and messages of a pair come in
// order.

pub(crate) const DISSEMINATION: Entry = Entry {
    on_cores: Some(OnCores {
        order_of_many: Some(3),
        ..OnCores::new(
            |kind| kind == CollectiveKind::Barrier,
            |task| {
                let mut program = Program::new(task);
                disseminate(task, &mut program);
                Ok(program.finish())
            },
        )
    }),
    ..Entry::named("dissemination")
};

/// A barrier over a tree.
pub(super) fn barrier_over_tree(task: &CoreTask<'_>) -> Result<Vec<Action>, CollError> {
    let mut program = Program::new(task);
    gather_and_release(&chosen_tree(task)?, &mut program);
    Ok(program.finish())
}

/// Tree of a barrier, in the form that is asked for.
fn chosen_tree(task: &CoreTask<'_>) -> Result<Tree, CollError> {
    match task.choice.messages.tree {
        TreeForm::Binomial => Ok(Tree::binomial(task.members().len(), task.root())),
        TreeForm::Neighbour => barrier_tree(task),
        TreeForm::Ternary => Ok(Tree::ternary(task.members(), tree_root(task))),
    }
}

/// Tree along links; also of the barriers between rounds.
pub(super) fn barrier_tree(task: &CoreTask<'_>) -> Result<Tree, CollError> {
    Tree::by_neighbours(task.members(), tree_root(task)).ok_or_else(|| {
        task.unsupported(
            "some members have no neighbour that is nearer to the root; accepted: a rectangle, or tree:ternary",
        )
    })
}

/// The member in the middle, which is nearest to all; or the collective's root.
fn tree_root(task: &CoreTask<'_>) -> usize {
    if task.choice.messages.is_at_root {
        return task.root();
    }
    let middle = task.members().binary_search(&centre(task.members()));
    middle.unwrap_or(task.root())
}

/// In each step everybody signals one rank and hears from one: after it, all ranks up to twice as far back are known to have begun.
pub(super) fn disseminate(task: &CoreTask<'_>, program: &mut Program<'_>) {
    for (step, partners) in signals(task).into_iter().enumerate() {
        program.step = step as u32;
        program.round = Some(step as u32);
        // What is heard in this step counts in the next one.
        let wait = program
            .step
            .checked_sub(1)
            .map_or(Wait::Nothing, Wait::UpTo);
        for (rank, to) in partners.into_iter().enumerate() {
            program.send((rank, to), MessagePart::NOTHING, wait);
        }
    }
}

/// Per step: whom each rank signals. Columns first and then rows where that takes no more steps, as partners are nearer; else by rank.
fn signals(task: &CoreTask<'_>) -> Vec<Vec<usize>> {
    let by_rank = dissemination(task.members().len());
    let Ok((columns, rows)) = grid(task) else {
        return by_rank;
    };
    let along = |num: usize| {
        let ring = there_and_back(num);
        let on_ring = move |step: Vec<usize>| {
            let mut partners = vec![0; num];
            let places = step.into_iter().enumerate();
            places.for_each(|(place, to)| partners[ring[place]] = ring[to]);
            partners
        };
        dissemination(num).into_iter().map(on_ring)
    };
    let ranks = || (0..columns).flat_map(|x| (0..rows).map(move |y| (x, y)));
    let across = along(columns).map(|to| ranks().map(|(x, y)| to[x] * rows + y).collect());
    let along = along(rows).map(|to| ranks().map(|(x, y)| x * rows + to[y]).collect());
    let by_lines: Vec<Vec<usize>> = across.chain(along).collect();
    match by_lines.len() == by_rank.len() {
        true => by_lines,
        false => by_rank,
    }
}

/// Everybody signals its parent when all its children have signalled it; then the root releases its children, which release theirs.
pub(super) fn gather_and_release(tree: &Tree, program: &mut Program<'_>) {
    for rank in tree.order.iter().rev() {
        if let Some(parent) = tree.parent[*rank] {
            program.send((*rank, parent), MessagePart::NOTHING, Wait::All);
        }
    }
    for rank in &tree.order {
        for child in &tree.children[*rank] {
            program.send((*rank, *child), MessagePart::NOTHING, Wait::All);
        }
    }
}
