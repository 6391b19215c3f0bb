// SPDX-License-Identifier: Apache-2.0
//! Orders that look one segment ahead.

use super::links::LinkUses;
use noccl_net::{Network, TileId};

/// S3 Algorithm 1. The destinations come in ascending order, so that of equally near ones the lowest is taken.
///
/// The algorithm bounds a segment by the sum of the mesh's sides, which no segment on the mesh reaches.
pub(super) fn greedy(network: &Network, source: TileId, ascending: &[TileId]) -> Vec<TileId> {
    let mut remaining = ascending.to_vec();
    let mut order = Vec::with_capacity(remaining.len());
    let mut uses = LinkUses::new(network);
    let mut last = source;
    while !remaining.is_empty() {
        let hops = |at: &usize| network.hops(last, remaining[*at]);
        let is_free = |at: &usize| !uses.has_shared(network, last, remaining[*at]);
        let at = if order.is_empty() {
            Some(0)
        } else {
            let free = (0..remaining.len()).filter(is_free);
            free.min_by_key(hops)
        };
        let nearest = || (0..remaining.len()).min_by_key(hops);
        let Some(at) = at.or_else(nearest) else {
            break;
        };
        let next = remaining.remove(at);
        uses.add(network, last, next);
        order.push(next);
        last = next;
    }
    order
}

/// Always to the nearest, of equally near ones to the lowest.
pub(super) fn nearest(network: &Network, source: TileId, ascending: &[TileId]) -> Vec<TileId> {
    let mut remaining = ascending.to_vec();
    let mut order = Vec::with_capacity(remaining.len());
    let mut last = source;
    while let Some(next) = remaining
        .iter()
        .copied()
        .min_by_key(|to| network.hops(last, *to))
    {
        remaining.retain(|t| *t != next);
        order.push(next);
        last = next;
    }
    order
}
