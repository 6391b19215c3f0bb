// SPDX-License-Identifier: Apache-2.0
//! Chain, tree, and both dimension by dimension: steps along the edges of `order.rs`.

use crate::candidates::Offer;
use crate::entry::{Entry, Length, OnClusters, Parameters, Stages};
use crate::exchange::pairwise;
use crate::messages::forms;
use crate::whole::Whole;
use crate::{Choice, Inner};
use noccl_workload::CollectiveKind;

/// Steps whose structure is this.
pub(super) const fn parameters(stages: Stages) -> Parameters {
    Parameters {
        has_steps: true,
        stages,
        ..Parameters::NONE
    }
}

pub(crate) const CHAIN: Entry = Entry {
    parameters: parameters(Stages::Fixed(Inner::Chain)),
    length: Length::MembersAndChunks,
    on_clusters: Some(
        OnClusters::new(Whole::includes, |task| Ok(task.in_steps()?.into()))
            .cut(|offer| offer.by_chunks()),
    ),
    on_cores: Some(forms::CHAIN),
    ..Entry::named("chain")
};

pub(crate) const TREE: Entry = Entry {
    other_names: &["binomial", "binomial_tree"],
    parameters: Parameters {
        has_trees: true,
        ..parameters(Stages::Fixed(Inner::Tree))
    },
    on_clusters: Some(
        OnClusters::new(Whole::includes, |task| Ok(task.in_steps()?.into())).cut(tree_candidates),
    ),
    on_cores: Some(forms::TREE),
    ..Entry::named("tree")
};

pub(crate) const ROW_COLUMN: Entry = Entry {
    parameters: Parameters {
        has_lines: true,
        lag: Some(2),
        ..parameters(Stages::Chosen)
    },
    length: Length::MembersOfBlocks,
    on_clusters: Some(
        OnClusters::new(
            |kind| Whole::includes(kind) || kind == CollectiveKind::AllToAll,
            |task| match task.collective.kind.has_blocks() {
                true => Ok(task.in_blocks(pairwise::row_column)?.into()),
                false => Ok(task.in_steps()?.into()),
            },
        )
        .cut(row_column_candidates),
    ),
    on_cores: Some(forms::ROW_COLUMN),
    ..Entry::named("row_column")
};

/// Numbers of chunks of a tree that pushes. A multicast has one: its pieces would meet on the same links (S1 §4.2.2).
fn tree_counts(offer: &Offer<'_>) -> Vec<u32> {
    match offer.collective.kind == CollectiveKind::Multicast {
        true => vec![1],
        false => offer.chunk_counts(),
    }
}

fn tree_candidates(offer: &Offer<'_>) -> Vec<Choice> {
    let counts = tree_counts(offer).into_iter();
    counts.map(|c| Choice::new(offer.algorithm, c)).collect()
}

/// Dimension by dimension, where the group extends along both.
fn row_column_candidates(offer: &Offer<'_>) -> Vec<Choice> {
    if offer.collective.kind.has_blocks() {
        return offer.plain();
    }
    if !offer.is_two_dimensional() {
        return Vec::new();
    }
    let of = |inner, counts: Vec<u32>| {
        counts
            .into_iter()
            .map(move |c| Choice::row_column(inner, c))
    };
    let chains = of(Inner::Chain, offer.chunk_counts());
    chains.chain(of(Inner::Tree, tree_counts(offer))).collect()
}
