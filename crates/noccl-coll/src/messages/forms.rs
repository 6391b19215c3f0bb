// SPDX-License-Identifier: Apache-2.0
//! Forms on core tiles of algorithms that clusters have too.

use super::Work;
use super::tree::MessageTree;
use crate::CollError;
use crate::entry::OnCores;
use crate::whole::Whole;
use noccl_workload::{Action, CollectiveKind};

pub(crate) const CHAIN: OnCores = OnCores {
    has_chunks: true,
    is_line: true,
    ..OnCores::new(Whole::includes, chain)
};

pub(crate) const TREE: OnCores = OnCores {
    has_chunks: true,
    ..OnCores::new(
        |kind| Whole::includes(kind) || kind == CollectiveKind::Barrier,
        tree,
    )
};

pub(crate) const ROW_COLUMN: OnCores = OnCores {
    has_chunks: true,
    ..OnCores::new(
        |kind| {
            use CollectiveKind::{AllReduce, AllToAll, Reduce};
            matches!(kind, Reduce | AllReduce | AllToAll)
        },
        row_column,
    )
};

pub(crate) const UNICAST: OnCores = OnCores {
    has_chunks: true,
    is_line: true,
    ..OnCores::new(
        |kind| matches!(kind, CollectiveKind::AllToAll | CollectiveKind::Multicast),
        |work| match work.collective.kind.has_blocks() {
            true => work.exchange(work.linear()),
            false => work.multicast_over(&MessageTree::star(work.members.len(), work.root)),
        },
    )
};

pub(crate) const PAIRWISE: OnCores = OnCores::new(
    |kind| kind == CollectiveKind::AllToAll,
    |work| work.exchange(work.pairwise()),
);

/// Through all lines. All-reduce: to the first member and from there by the static network (S4 §2).
fn chain(work: &Work<'_>) -> Result<Vec<Action>, CollError> {
    match Whole::of(work.collective.kind) {
        Some(Whole::Multicast) => work.multicast_over(&work.snake(work.root)),
        Some(Whole::AllReduce) => work.all_reduce_over(&work.snake(0), None),
        Some(Whole::Reduce) | None => work.reduce_over(&work.snake(work.root)),
    }
}

fn tree(work: &Work<'_>) -> Result<Vec<Action>, CollError> {
    let binomial = |root| MessageTree::binomial(work.members.len(), root);
    match Whole::of(work.collective.kind) {
        Some(Whole::Multicast) => work.multicast_over(&binomial(work.root)),
        Some(Whole::Reduce) => work.reduce_over(&work.reducing_tree(work.root)),
        Some(Whole::AllReduce) => work.all_reduce_over(&work.reducing_tree(0), Some(&binomial(0))),
        None => work.barrier_over_tree(),
    }
}

fn row_column(work: &Work<'_>) -> Result<Vec<Action>, CollError> {
    let is_chain = !work.choice.messages.is_direct;
    let tree = |grid, root| MessageTree::by_row_and_column(grid, root, is_chain);
    match Whole::of(work.collective.kind) {
        Some(Whole::AllReduce) => work.all_reduce_over(&tree(work.grid()?, 0), None),
        Some(Whole::Reduce | Whole::Multicast) => work.reduce_over(&tree(work.grid()?, work.root)),
        None => work.exchange_by_row_and_column(),
    }
}
