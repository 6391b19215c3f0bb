// SPDX-License-Identifier: Apache-2.0
//! Collectives in which everybody speaks with the root alone, as a library may do them: a barrier, and a reduction that the root makes by itself.
//!
//! S4 says that barrier and broadcast are the vendor's library's own and not how they work; [`super::accounts`] assesses the claims by these too.
//! The library of algorithms has such a broadcast (`unicast`) and no such barrier, as nobody would choose it.

use noccl_net::{Network, TileRef};
use noccl_studies::Error;
use noccl_workload::{
    Action, ActionId, ActionKind, Collective, CollectiveKind, First, LocalReduce, Message, Place,
    SCHEDULE_FORMAT, Schedule,
};
use std::collections::BTreeMap;

/// Name of the algorithm.
pub(super) const STAR: &str = "star";

/// A barrier, a reduction or an all-reduce.
pub(super) fn schedule(network: &Network, collective: &Collective) -> Result<Schedule, Error> {
    let kind = collective.kind;
    let (mut actions, first) = if kind == CollectiveKind::Barrier {
        (gathered(network, collective), None)
    } else {
        (reduction(network, collective), Some(First::Send))
    };
    if kind == CollectiveKind::Barrier || kind == CollectiveKind::AllReduce {
        release(network, collective, &mut actions);
    } else if kind != CollectiveKind::Reduce {
        let accepted = "accepted: barrier, reduce, all_reduce";
        return Err(Error::argument("collective", kind.to_string(), accepted));
    }
    Ok(Schedule {
        format: SCHEDULE_FORMAT,
        algorithm: STAR.to_owned(),
        parameters: BTreeMap::new(),
        collective: Some(collective.clone()),
        first,
        claims_rounds: false,
        actions,
    })
}

/// Everybody tells the root by a message of no bytes.
fn gathered(network: &Network, collective: &Collective) -> Vec<Action> {
    let (root, others) = members(network, collective);
    let told = others
        .into_iter()
        .map(|tile| message((tile, 0), (root, 0), 0));
    told.collect()
}

/// Everybody sends its operand to the root, which adds one after the other, in the order of the ranks.
fn reduction(network: &Network, collective: &Collective) -> Vec<Action> {
    let (root, others) = members(network, collective);
    let (input, output) = (collective.input_offset, collective.output_offset);
    let (bytes, mut left) = (collective.bytes, input);
    let mut actions = Vec::new();
    for (place, tile) in others.into_iter().enumerate() {
        let buffer = input.max(output) + (place as u64 + 1) * bytes;
        let come = ActionId(actions.len() as u32);
        actions.push(message((tile, input), (root, buffer), bytes));
        let fold = LocalReduce {
            tile: root,
            inputs: vec![left, buffer],
            output,
            bytes,
            operator: collective.operator,
            element: collective.element,
        };
        actions.push(Action {
            kind: ActionKind::LocalReduce(fold),
            after: vec![come],
        });
        left = output;
    }
    actions
}

/// The root tells everybody, when it has done all that stands before: the result, of a barrier no bytes.
fn release(network: &Network, collective: &Collective, actions: &mut Vec<Action>) {
    let (root, others) = members(network, collective);
    let output = collective.output_offset;
    let before: Vec<ActionId> = (0..actions.len() as u32).map(ActionId).collect();
    for tile in others {
        let mut told = message((root, output), (tile, output), collective.bytes);
        told.after.clone_from(&before);
        actions.push(told);
    }
}

/// The root, and everybody else.
fn members(network: &Network, collective: &Collective) -> (TileRef, Vec<TileRef>) {
    let root = collective.root;
    let all = network.clusters().map(|tile| network.tile_ref(tile));
    (root, all.filter(|tile| *tile != root).collect())
}

const fn message(from: (TileRef, u64), to: (TileRef, u64), bytes: u64) -> Action {
    Action {
        kind: ActionKind::Message(Message {
            source: Place {
                tile: from.0,
                offset: from.1,
            },
            destination: Place {
                tile: to.0,
                offset: to.1,
            },
            bytes,
            rows: None,
            round: None,
        }),
        after: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::machine::{Layer, PACKET, collective};
    use super::*;
    use noccl_workload::check;

    #[test]
    fn the_checker_proves_that_everybody_is_told_and_that_all_operands_are_added() {
        use CollectiveKind::{AllReduce, Barrier, Multicast, Reduce};
        let network = Layer::Flat.square(3).unwrap();
        for (kind, bytes) in [(Barrier, 0), (Reduce, PACKET), (AllReduce, PACKET)] {
            let of = collective(&network, kind, bytes).unwrap();
            let made = schedule(&network, &of).unwrap();
            let found = check(&network, &made);
            assert!(found.is_ok(), "{found:?}");
        }
        let other = collective(&network, Multicast, PACKET).unwrap();
        assert!(schedule(&network, &other).is_err());
    }
}
