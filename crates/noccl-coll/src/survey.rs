// SPDX-License-Identifier: Apache-2.0
//! Which choices are worth comparing.

use crate::{Algorithm, Choice, Inner, schedule};
use noccl_net::Network;
use noccl_workload::{Collective, CollectiveKind};

/// Most chunks that a comparison tries.
const MAX_CHUNKS: u32 = 64;
/// Chunks shorter than this lose more to barriers than they gain (S1 stops at 9 beats).
const MIN_CHUNK_BEATS: u64 = 8;

/// Choices worth comparing for a collective: every algorithm that can do it here, chains and trees at
/// powers of two of chunks. A tree's multicast has one chunk: its pieces would meet on the same links
/// (S1 §4.2.2). What does not fit in memory or cannot do this group is left out.
#[must_use]
pub fn choices(network: &Network, collective: &Collective) -> Vec<Choice> {
    candidates(network, collective)
        .into_iter()
        .filter(|choice| schedule(network, collective, *choice).is_ok())
        .collect()
}

fn candidates(network: &Network, collective: &Collective) -> Vec<Choice> {
    if collective.kind == CollectiveKind::Barrier {
        return vec![
            Choice::new(Algorithm::Counter, 1),
            Choice::new(Algorithm::InNetwork, 1),
        ];
    }
    let beats = collective
        .bytes
        .div_ceil(u64::from(network.spec().ni.wide_beat_bytes));
    let counts: Vec<u32> = (0..=MAX_CHUNKS.ilog2())
        .map(|e| 1u32 << e)
        .filter(|c| *c == 1 || beats / u64::from(*c) >= MIN_CHUNK_BEATS)
        .collect();
    let tree_counts: &[u32] = match collective.kind {
        CollectiveKind::Multicast => &[1],
        CollectiveKind::Reduce | CollectiveKind::AllReduce | CollectiveKind::Barrier => &counts,
    };
    let chain = counts.iter().map(|c| Choice::new(Algorithm::Chain, *c));
    let tree = tree_counts.iter().map(|c| Choice::new(Algorithm::Tree, *c));
    let mut out: Vec<Choice> = chain.chain(tree).collect();
    if is_two_dimensional(network, collective) {
        out.extend(counts.iter().map(|c| Choice::row_column(Inner::Chain, *c)));
        out.extend(
            tree_counts
                .iter()
                .map(|c| Choice::row_column(Inner::Tree, *c)),
        );
    }
    out.push(Choice::new(Algorithm::InNetwork, 1));
    out
}

/// Does the group extend along both dimensions, so that `row_column` differs from its inner form?
fn is_two_dimensional(network: &Network, collective: &Collective) -> bool {
    crate::group::Group::new(network, collective)
        .ok()
        .and_then(|group| group.columns_and_rows())
        .is_some_and(|(columns, rows)| columns.len() > 1 && rows.len() > 1)
}
