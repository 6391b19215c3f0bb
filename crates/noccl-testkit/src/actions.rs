// SPDX-License-Identifier: Apache-2.0
//! Actions of schedules.

use crate::place;
use noccl_net::{MultiAddress, TileRef, TileSet};
use noccl_workload::{
    AccessPattern, ActionKind, Barrier, BarrierMechanism, Chain, ChainDestination, Compute,
    Destination, ElementType, InNetworkReduction, ListMulticast, LocalReduce, Message, Operator,
    Place, Rectangle, StaticMulticast, Transfer,
};

/// A transfer of one row.
#[must_use]
pub fn copy(initiator: TileRef, source: Place, destination: Destination, bytes: u64) -> ActionKind {
    ActionKind::Transfer(Transfer::row(initiator, source, destination, bytes))
}

/// The same offset in every cluster of a set.
#[must_use]
pub const fn to_set(set: MultiAddress, offset: u64) -> Destination {
    Destination::Multicast { set, offset }
}

/// A tile writes what lies at the beginning of its memory.
#[must_use]
pub fn write(from: TileRef, to: Place, bytes: u64) -> ActionKind {
    copy(from, place(from, 0), Destination::One(to), bytes)
}

/// The same to a set.
#[must_use]
pub fn multicast(from: TileRef, set: MultiAddress, offset: u64, bytes: u64) -> ActionKind {
    copy(from, place(from, 0), to_set(set, offset), bytes)
}

/// A tile computes.
#[must_use]
pub const fn compute(tile: TileRef, cycles: u64) -> ActionKind {
    ActionKind::Compute(Compute { tile, cycles })
}

/// Everyone waits for everyone.
#[must_use]
pub const fn barrier(group: TileSet, counter: TileRef, mechanism: BarrierMechanism) -> ActionKind {
    ActionKind::Barrier(Barrier {
        group,
        counter,
        mechanism,
    })
}

/// A sum in the network of what lies at the beginning of the members' memories.
#[must_use]
pub const fn network_sum(
    group: MultiAddress,
    root: Place,
    bytes: u64,
    element: ElementType,
) -> ActionKind {
    ActionKind::InNetworkReduction(InNetworkReduction {
        group,
        source_offset: 0,
        root,
        bytes,
        operator: Operator::Sum,
        element,
    })
}

/// A sum by a core.
#[must_use]
pub fn core_sum(
    tile: TileRef,
    inputs: &[u64],
    output: u64,
    bytes: u64,
    element: ElementType,
) -> ActionKind {
    ActionKind::LocalReduce(LocalReduce {
        tile,
        inputs: inputs.to_vec(),
        output,
        bytes,
        operator: Operator::Sum,
        element,
    })
}

/// A message of one row, which belongs to no round.
#[must_use]
pub const fn message(source: Place, destination: Place, bytes: u64) -> ActionKind {
    ActionKind::Message(Message {
        source,
        destination,
        bytes,
        rows: None,
        round: None,
    })
}

/// A multicast of core tiles.
#[must_use]
pub const fn static_multicast(
    source: Place,
    set: Rectangle,
    offset: u64,
    bytes: u64,
) -> ActionKind {
    ActionKind::StaticMulticast(StaticMulticast {
        source,
        set,
        offset,
        bytes,
    })
}

/// A multicast of the beginning of a memory to a list.
#[must_use]
pub const fn list_multicast(
    source: TileRef,
    destinations: Vec<TileRef>,
    offset: u64,
    bytes: u64,
) -> ListMulticast {
    ListMulticast {
        source,
        source_offset: 0,
        destinations,
        offset,
        bytes,
    }
}

/// A chain from the beginning of a memory to an offset in each of the others.
#[must_use]
pub fn chain(initiator: TileRef, destinations: &[TileRef], offset: u64, bytes: u64) -> Chain {
    let destination = |tile: &TileRef| ChainDestination {
        tile: *tile,
        pattern: AccessPattern::linear(offset, bytes),
    };
    Chain {
        initiator,
        source: AccessPattern::linear(0, bytes),
        destinations: destinations.iter().map(destination).collect(),
        bytes,
    }
}
