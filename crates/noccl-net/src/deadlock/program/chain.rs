// SPDX-License-Identifier: Apache-2.0
//! Chains of Torrent endpoints as transactions.

use crate::deadlock::program::activity::{Activity, Work};
use crate::deadlock::program::build::Rules;
use crate::deadlock::program::transaction::{KeptUntil, Part, Transaction};
use crate::deadlock::{Flow, Place};
use crate::{LinkId, Network, TileId};
use noccl_spec::Plane;
use std::collections::BTreeSet;

/// From destination to destination, without the initiator's own copy.
pub(crate) fn path_segments(
    initiator: TileId,
    destinations: &[TileId],
) -> impl Iterator<Item = (TileId, TileId)> {
    let mut order = vec![initiator];
    for destination in destinations {
        if !order.contains(destination) {
            order.push(*destination);
        }
    }
    let next: Vec<TileId> = order[1..].to_vec();
    order.into_iter().zip(next)
}

/// The order in which chains take their destinations (`docs/design/0005`): columns from West to East, every other one turned.
fn place_in_order(network: &Network, tile: TileId) -> u32 {
    let (at, height) = (network.coord(tile), u32::from(network.height()));
    let y = u32::from(at.y);
    let turned = if at.x.is_multiple_of(2) {
        y
    } else {
        height - 1 - y
    };
    u32::from(at.x) * height + turned
}

/// A link that two path segments of a chain take whose destinations have no space for bursts: the first one can hold it while its
/// beats wait for the second one.
pub(crate) fn link_taken_twice(network: &Network, one: &Activity) -> Option<Place> {
    let Work::Chain {
        initiator,
        destinations,
        is_safe: false,
    } = &one.work
    else {
        return None;
    };
    let mut taken = BTreeSet::new();
    for (from, to) in path_segments(*initiator, destinations) {
        for (at, port) in network.path(network.coord(from), network.coord(to)) {
            let tile = network.tile_at(at);
            let link = Place::Link(LinkId::new(Plane::Wide, tile, port));
            if !taken.insert(link) {
                return Some(link);
            }
        }
    }
    None
}

/// Configurations and the responses to them are single packets. A burst of the next path segment needs nothing but links, and the
/// beats that come by the segments before it, where the mode is safe; else it holds its links until those behind have gone on.
pub(crate) fn chain(
    rules: &Rules<'_>,
    txn: &mut Transaction,
    initiator: TileId,
    (destinations, is_safe): (&[TileId], bool),
) {
    let all = if is_safe {
        take_in_one_order(rules, txn, destinations)
    } else {
        take_as_published(txn, initiator, destinations)
    };
    for destination in destinations {
        for (from, to) in [(initiator, *destination), (*destination, initiator)] {
            rules.add(txn, &Flow::NarrowWrite { from, to }, &[]);
        }
    }
    for (from, to) in path_segments(initiator, destinations) {
        for (from, to) in [(from, to), (to, from)] {
            rules.add(txn, &Flow::NarrowWrite { from, to }, &[]);
        }
        let first = txn.uses.len();
        rules.add(txn, &Flow::Write { from, to }, &all);
        if !is_safe {
            let requests = txn.uses[first..].iter_mut();
            for one in requests.filter(|u| u.part == Part::Request) {
                one.keeps = KeptUntil::OthersTaken;
            }
        }
    }
}

/// Mode `safe`: a destination is taken until the end, in one order by all chains, from the last row on; its grant goes from destination to
/// destination in that order. Returns the uses after which data come.
fn take_in_one_order(
    rules: &Rules<'_>,
    txn: &mut Transaction,
    destinations: &[TileId],
) -> Vec<usize> {
    let mut order: Vec<TileId> = destinations.to_vec();
    order.sort_by_key(|t| std::cmp::Reverse(place_in_order(rules.network, *t)));
    order.dedup();
    let mut taken: Option<usize> = None;
    for destination in order.iter().copied() {
        let after = taken.into_iter().collect();
        let place = Place::Follower(destination);
        taken = Some(txn.push(place, after, KeptUntil::Responded, Part::Request));
    }
    for pair in order.windows(2) {
        for (from, to) in [(pair[0], pair[1]), (pair[1], pair[0])] {
            rules.add(txn, &Flow::NarrowWrite { from, to }, &[]);
        }
    }
    taken.into_iter().collect()
}

/// Mode `published`: a destination follows the chain whose configuration has come first. Those of two chains come in any order, and so
/// do their grants: a destination that sends on sees the first grant only, and passes it on while no chain begins at its tile.
/// Returns the uses after which data come.
fn take_as_published(
    txn: &mut Transaction,
    initiator: TileId,
    destinations: &[TileId],
) -> Vec<usize> {
    let mut take = |place: Place, after: &[usize]| {
        txn.push(place, after.to_vec(), KeptUntil::Responded, Part::Request)
    };
    let begins = take(Place::ChainGrant(initiator), &[]);
    let mut all = vec![begins];
    let num_forwarding = destinations.len().saturating_sub(1);
    all.extend(
        destinations
            .iter()
            .map(|s| take(Place::Follower(*s), &[begins])),
    );
    let forwarding = &destinations[..num_forwarding];
    all.extend(
        forwarding
            .iter()
            .map(|s| take(Place::ChainGrant(*s), &[begins])),
    );
    all
}
