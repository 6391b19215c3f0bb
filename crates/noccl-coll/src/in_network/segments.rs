// SPDX-License-Identifier: Apache-2.0
//! All-reduce by the network, segment by segment: while one is multicast, later ones are reduced.
//!
//! A root sends every segment twice: its own contribution and the result. One root for all of them would
//! be busy twice as long as everybody else, so the segments go to several roots in rotation. They stand at the
//! first and last column of the group, where a router on a reduction's path has three inputs at most,
//! and near the middle row, which shortens the paths. A root hands a result to its DMA engine before it contributes to the
//! segment [`AHEAD`] further on: behind contributions it would wait until the end, too early it would hold
//! them up.

use crate::exchange::blocks::at;
use crate::layout::Chunks;
use crate::steps::transfer;
use noccl_net::{Coord, MultiAddress, TileRef};
use noccl_workload::{
    Action, ActionId, ActionKind, Collective, Destination, InNetworkReduction, Place,
};

/// Segments that a root contributes to before it waits for the result of an earlier one.
const AHEAD: usize = 6;

/// Actions of an all-reduce over one multi-address; the results are made where the outputs are.
pub(crate) fn all_reduce(
    collective: &Collective,
    group: MultiAddress,
    chunks: Chunks,
) -> Vec<Action> {
    let roots = roots(group);
    let mut actions = Vec::new();
    let mut reductions = Vec::new();
    let share = |idx: usize, actions: &mut Vec<Action>, reductions: &[ActionId]| {
        let (start, bytes) = chunks.range(idx);
        let root = roots[idx % roots.len()];
        let offset = collective.output_offset + start;
        let destination = Destination::Multicast { set: group, offset };
        let kind = transfer(root, at(root, offset), destination, bytes);
        actions.push(Action {
            kind: ActionKind::Transfer(kind),
            after: vec![reductions[idx]],
        });
    };
    for idx in 0..chunks.len() {
        if let Some(earlier) = idx.checked_sub(AHEAD + 1) {
            share(earlier, &mut actions, &reductions);
        }
        let (start, bytes) = chunks.range(idx);
        reductions.push(ActionId(actions.len() as u32));
        actions.push(Action {
            kind: ActionKind::InNetworkReduction(InNetworkReduction {
                group,
                source_offset: collective.input_offset + start,
                root: Place {
                    tile: TileRef::Cluster(roots[idx % roots.len()]),
                    offset: collective.output_offset + start,
                },
                bytes,
                operator: collective.operator,
                element: collective.element,
            }),
            after: Vec::new(),
        });
    }
    for idx in chunks.len().saturating_sub(AHEAD + 1)..chunks.len() {
        share(idx, &mut actions, &reductions);
    }
    actions
}

/// The two middle rows at the first and the last column.
fn roots(group: MultiAddress) -> Vec<Coord> {
    let members: Vec<Coord> = group.members().collect();
    let line = |of: fn(&Coord) -> u16| {
        let mut line: Vec<u16> = members.iter().map(of).collect();
        line.sort_unstable();
        line.dedup();
        line
    };
    let (columns, rows) = (line(|c| c.x), line(|c| c.y));
    let (first, last) = (columns[0], columns[columns.len() - 1]);
    let (lower, upper) = (rows[(rows.len() - 1) / 2], rows[rows.len() / 2]);
    let mut roots = Vec::new();
    for root in [
        Coord::new(first, lower),
        Coord::new(last, upper),
        Coord::new(first, upper),
        Coord::new(last, lower),
    ] {
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    roots
}
