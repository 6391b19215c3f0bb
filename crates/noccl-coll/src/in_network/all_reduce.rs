// SPDX-License-Identifier: Apache-2.0
//! All-reduce by one transaction of the network (`docs/design/0003`): a root reduces and multicasts beat by beat.

use crate::entry::{Entry, OnClusters, Parameters};
use crate::steps::{at, network_reduction, push, transfer};
use crate::task::Task;
use crate::{Choice, CollError, centre};
use noccl_net::{Coord, MultiAddress};
use noccl_workload::{Action, ActionId, ActionKind, CollectiveKind, Destination};

pub(crate) const ENTRY: Entry = Entry {
    is_in_network: true,
    parameters: Parameters {
        has_centre: true,
        ..Parameters::NONE
    },
    on_clusters: Some(OnClusters {
        candidates: |offer| [offer.plain(), vec![Choice::central()]].concat(),
        ..OnClusters::new(
            |kind| matches!(kind, CollectiveKind::Reduce | CollectiveKind::AllReduce),
            by_one_transaction,
        )
    }),
    ..Entry::named("in_network_once")
};

/// The network's all-reduce, or a reduction of which every member gets the result: it overwrites the bytes at the output's offset in every member's
/// memory. Where they are inputs, and for a root that is no member, the result comes to scratch, and the entry copies it from there.
fn by_one_transaction(task: &Task<'_>) -> Result<Vec<Action>, CollError> {
    let (group, collective) = (task.group, task.collective);
    let mut layout = task.layout()?;
    let is_in_place = collective.input_offset == collective.output_offset;
    let is_copied =
        collective.kind == CollectiveKind::Reduce && (is_in_place || !group.is_root_member());
    let result = match is_copied {
        true => layout.alloc(collective.bytes),
        false => collective.output_offset,
    };
    task.check_layout(&layout)?;
    if !task.network.routers().shares_results {
        return Err(task.unsupported("its interfaces do not pass results on; accepted: in_network"));
    }
    let set = only_set(task)?;
    let root = at(root_of(set, task.choice.is_central), result);
    let (source, bytes) = (collective.input_offset, collective.bytes);
    let reduction = network_reduction(collective, set, source, root, bytes);
    let mut actions = vec![Action {
        kind: ActionKind::InNetworkAllReduce(reduction),
        after: Vec::new(),
    }];
    if is_copied {
        actions.push(Action {
            kind: push(group.entry, result, task.output(), bytes),
            after: vec![ActionId(0)],
        });
    }
    Ok(actions)
}

/// The group, which must be one multi-address.
fn only_set(task: &Task<'_>) -> Result<MultiAddress, CollError> {
    let unsupported = |reason: &str| CollError::Unsupported {
        algorithm: ENTRY.name.to_owned(),
        collective: task.collective.kind.to_string(),
        reason: reason.to_owned(),
    };
    match *task.group.cover {
        [set] if set.len() > 1 => Ok(set),
        [_] => Err(unsupported("accepted: a group of at least two clusters")),
        _ => Err(unsupported(
            "the group is no multi-address; accepted: an aligned power-of-two block",
        )),
    }
}

/// A corner: two streams meet there and the root's own operand, so a beat per cycle. Or the centre: the paths are half as
/// long, but in two dimensions more streams meet.
fn root_of(group: MultiAddress, is_central: bool) -> Coord {
    if is_central {
        let members: Vec<Coord> = group.members().collect();
        centre(&members)
    } else {
        group.base
    }
}

// All-reduce by the network, chunk by chunk: while one is multicast, later ones are reduced.
//
// A root sends every chunk twice: its own contribution and the result. One root for all of them would
// be busy twice as long as everybody else, so the chunks go to several roots in rotation. They stand at the
// first and last column of the group, where a router on a reduction's path has three inputs at most,
// and near the middle row, which shortens the paths. A root queues a result in its DMA engine before it contributes to the
// chunk [`AHEAD`] further on: behind contributions it would wait until the end, too early it would delay them.

/// Chunks that a root contributes to before it waits for the result of an earlier one.
const AHEAD: usize = 6;

/// Actions of an all-reduce over one multi-address; the results are made where the outputs are.
pub(super) fn in_chunks(task: &Task<'_>, set: MultiAddress) -> Vec<Action> {
    let (collective, chunks, roots) = (task.collective, task.chunks(), roots(set));
    let result = |chunk: usize| {
        let offset = collective.output_offset + chunks.range(chunk).0;
        at(roots[chunk % roots.len()], offset)
    };
    let mut actions = Vec::new();
    let mut reductions = Vec::new();
    for step in 0..chunks.len() + AHEAD + 1 {
        if let Some(earlier) = step.checked_sub(AHEAD + 1) {
            let (place, bytes) = (result(earlier), chunks.range(earlier).1);
            let root = roots[earlier % roots.len()];
            let offset = place.offset;
            let kind = transfer(root, place, Destination::Multicast { set, offset }, bytes);
            actions.push(Action {
                kind: ActionKind::Transfer(kind),
                after: vec![reductions[earlier]],
            });
        }
        if step < chunks.len() {
            let (start, bytes) = chunks.range(step);
            let source = collective.input_offset + start;
            let reduction = network_reduction(collective, set, source, result(step), bytes);
            reductions.push(ActionId(actions.len() as u32));
            actions.push(Action {
                kind: ActionKind::InNetworkReduction(reduction),
                after: Vec::new(),
            });
        }
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
