// SPDX-License-Identifier: Apache-2.0
//! What actions of a program ask of the network, each as one transaction, and what their program says about them.

use crate::deadlock::channels::Forks;
use crate::deadlock::program::build::{CutIns, Rules};
use crate::deadlock::program::transaction::{KeptUntil, Part, Transaction, Why};
use crate::deadlock::{Flow, Place};
use crate::{AxiNetwork, Coord, LinkId, MultiAddress, Network, Port, TileId};
use noccl_spec::Plane;
use std::collections::BTreeSet;

/// An action of a program, or a transaction of a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activity {
    /// How messages name it.
    pub name: String,
    /// What it asks of the network.
    pub work: Work,
}

/// What an action asks of the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    /// Nothing; others may wait for its end.
    Nothing,
    /// One transaction.
    Flow(Flow),
    /// A DMA engine works on it: it may read from another tile, and may write to other tiles what comes.
    Movement {
        /// Tile of the engine.
        engine: TileId,
        /// Read of the engine's tile, if the source is another one.
        read: Option<Flow>,
        /// Write or multicast, if the destination is not the engine's tile.
        write: Option<Flow>,
        /// Has a burst of the write data of several bursts of the read?
        joins_reads: bool,
    },
    /// Members add to a counter, and one of them then multicasts to all.
    Rendezvous {
        /// Who adds.
        members: Vec<TileId>,
        /// Where the counter is.
        counter: TileId,
        /// Who may be the one that tells the others.
        tellers: Vec<TileId>,
        /// To whom the last word goes, set by set.
        sets: Vec<MultiAddress>,
    },
    /// A packet in lock-step over all outputs of a tree, which all its destinations have asked for (ESP).
    ListMulticast {
        /// Whose memory is read.
        source: TileId,
        /// Who asked.
        destinations: Vec<TileId>,
    },
    /// Endpoints hand a stream on (Torrent).
    Chain {
        /// Whose endpoint begins.
        initiator: TileId,
        /// Endpoints in the order of the data.
        destinations: Vec<TileId>,
        /// Has every destination space for whole bursts, and are destinations taken in one order by all chains?
        is_safe: bool,
    },
}

/// What a program says about its actions, by index.
pub trait Program {
    /// The actions that can be in flight together with this one, ascending.
    fn beside(&self, action: usize) -> &[u32];

    /// Can they be in flight together while each is in this part?
    fn may_overlap(&self, one: (usize, Part), other: (usize, Part)) -> bool;

    /// Does the tile surely issue the first one before the second one?
    fn is_issued_first(&self, tile: TileId, first: usize, second: usize) -> bool;

    /// Actions after whose end this participant begins the action.
    fn awaited(&self, action: usize, tile: TileId) -> &[u32];
}

impl Activity {
    /// Its flows that routers of the published kind see.
    pub(crate) fn flows(&self) -> Vec<Flow> {
        match &self.work {
            Work::Nothing | Work::ListMulticast { .. } => Vec::new(),
            Work::Flow(flow) => vec![*flow],
            Work::Movement { read, write, .. } => read.iter().chain(write).copied().collect(),
            Work::Rendezvous {
                members, counter, ..
            } => additions(members, *counter).collect(),
            Work::Chain {
                initiator,
                destinations,
                ..
            } => path_segments(*initiator, destinations)
                .map(|(from, to)| Flow::Write { from, to })
                .collect(),
        }
    }
}

fn additions(members: &[TileId], to: TileId) -> impl Iterator<Item = Flow> {
    members
        .iter()
        .map(move |from| Flow::NarrowWrite { from: *from, to })
}

/// Builds the transactions of activities.
pub(crate) struct Builder<'a> {
    pub(crate) network: AxiNetwork<'a>,
    pub(crate) cut_ins: &'a CutIns,
    pub(crate) program: &'a dyn Program,
    pub(crate) activities: &'a [Activity],
}

impl Builder<'_> {
    /// An engine reads for one transfer after the other, and works on so many at a time.
    fn waits_for_engine(&self, index: usize, one: &Activity) -> bool {
        let engine_of = |a: &Activity| match &a.work {
            Work::Movement { engine, read, .. } => Some((*engine, read.is_some())),
            Work::Nothing
            | Work::Flow(_)
            | Work::Rendezvous { .. }
            | Work::ListMulticast { .. }
            | Work::Chain { .. } => None,
        };
        let Some((engine, reads)) = engine_of(one) else {
            return false;
        };
        let beside = self.program.beside(index).iter();
        let of_engine = beside
            .filter(|other| **other as usize != index)
            .filter_map(|other| engine_of(&self.activities[*other as usize]))
            .filter(|(other, _)| *other == engine);
        let (mut num, mut is_read) = (1, false);
        for (_, other_reads) in of_engine {
            num += 1;
            is_read |= other_reads && reads;
        }
        is_read || num > self.network.axi().cluster.dma.max_transfers
    }

    /// The transaction of an activity; whoever waits for its end waits for its first use.
    pub(crate) fn transaction(&self, index: usize, one: &Activity) -> Transaction {
        let mut txn = Transaction::new(one.name.clone());
        let end = Place::End(index as u32);
        txn.push(end, Vec::new(), KeptUntil::Responded, Part::Response);
        let full_targets = BTreeSet::new();
        let rules = Rules {
            network: self.network.network(),
            can_store_fill: false,
            full_targets: &full_targets,
            is_response_awaited: !self.program.beside(index).is_empty(),
            cut_ins: self.cut_ins,
        };
        match &one.work {
            Work::Nothing => {}
            Work::Flow(flow) => rules.add(&mut txn, flow, &[]),
            Work::Movement { .. } => {
                let waits = self.waits_for_engine(index, one);
                movement(&rules, &mut txn, &one.work, waits);
            }
            Work::Rendezvous {
                members,
                counter,
                tellers,
                sets,
            } => {
                let mut packet = 0;
                let mut number = |txn: &mut Transaction, first: usize| {
                    packet += 1;
                    txn.uses[first..].iter_mut().for_each(|u| u.packet = packet);
                };
                for flow in additions(members, *counter) {
                    let first = txn.uses.len();
                    rules.add(&mut txn, &flow, &[]);
                    number(&mut txn, first);
                }
                // All have added.
                let all: Vec<usize> = (1..txn.uses.len()).collect();
                // The rest begins when all have come: for the program it is the second part.
                let second = txn.uses.len();
                for from in tellers.iter().copied() {
                    for set in sets.iter().copied() {
                        let first = txn.uses.len();
                        rules.add(&mut txn, &Flow::NarrowMulticast { from, set }, &all);
                        number(&mut txn, first);
                    }
                }
                for one in &mut txn.uses[second..] {
                    one.part = Part::Response;
                }
            }
            Work::ListMulticast {
                source,
                destinations,
            } => list_multicast(&rules, &mut txn, *source, destinations),
            Work::Chain {
                initiator,
                destinations,
                is_safe,
            } => {
                let is_response_awaited = false;
                let rules = Rules {
                    is_response_awaited,
                    ..rules
                };
                chain(&rules, &mut txn, *initiator, (destinations, *is_safe));
            }
        }
        txn
    }
}

/// The engine has a place for the transfer; then its read, and its write, whose packet may hold outputs while data come.
fn movement(rules: &Rules<'_>, txn: &mut Transaction, work: &Work, waits_for_engine: bool) {
    let Work::Movement {
        engine,
        read,
        write,
        ..
    } = *work
    else {
        return;
    };
    let place = Place::DmaBuffer(engine);
    let begins = if waits_for_engine {
        vec![txn.push(place, Vec::new(), KeptUntil::Responded, Part::Request)]
    } else {
        Vec::new()
    };
    if let Some(Flow::Read { from, source }) = read {
        let data = txn.uses.len();
        rules.read(txn, (from, source), &begins);
        if write.is_some() {
            for one in &mut txn.uses[data..] {
                one.part = Part::Request;
                one.why = match one.why {
                    Why::Taken
                    | Why::SumCutsIn
                    | Why::ForTheRest
                    | Why::RestOfOperands
                    | Why::RestOfData => one.why,
                    Why::CutsIn | Why::Feeds => Why::Feeds,
                };
            }
        }
    }
    if let Some(write) = write {
        let first = txn.uses.len();
        rules.add(txn, &write, &begins);
        let requests = txn.uses[first..].iter_mut();
        for one in requests.filter(|u| u.part == Part::Request && u.is_held()) {
            one.keeps = match one.keeps {
                KeptUntil::PassedOn | KeptUntil::RestPassed => KeptUntil::RestPassed,
                KeptUntil::OthersTaken | KeptUntil::Responded => one.keeps,
            };
        }
    }
}

/// All outputs of the tree are kept until the packet's last flit has passed all of them.
fn list_multicast(
    rules: &Rules<'_>,
    txn: &mut Transaction,
    source: TileId,
    destinations: &[TileId],
) {
    let coords: Vec<Coord> = destinations
        .iter()
        .map(|t| rules.network.coord(*t))
        .collect();
    let keeps = rules.branches(coords.len());
    let paths = rules.paths(Plane::Wide, Part::Request, keeps);
    paths.fork(txn, None, rules.network.coord(source), &coords);
}

// Chains of Torrent endpoints as transactions.

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

/// A link that one action takes twice: it can hold the link with a burst whose beats wait for the second time.
pub(crate) fn link_taken_twice(network: &Network, one: &Activity) -> Option<Place> {
    match &one.work {
        Work::Chain {
            initiator,
            destinations,
            is_safe: false,
        } => link_of_segments(network, *initiator, destinations),
        Work::Movement {
            engine,
            read: Some(_),
            write: Some(write),
            joins_reads: true,
        } => link_of_own_copy(network, *engine, write),
        Work::Chain { .. }
        | Work::Movement { .. }
        | Work::Nothing
        | Work::Flow(_)
        | Work::Rendezvous { .. }
        | Work::ListMulticast { .. } => None,
    }
}

/// An engine that multicasts data of another tile to its own tile too: the copy holds the tile's link until the burst is over, and
/// the burst waits for read data over that link. Of a burst with data of one read alone, the copy waits until that read is over.
fn link_of_own_copy(network: &Network, engine: TileId, write: &Flow) -> Option<Place> {
    let holds_outputs = match network.routers().mechanism.forks {
        Forks::HoldOutputs => true,
        Forks::PerOutput => false,
    };
    let has_own_copy =
        matches!(write, Flow::Multicast { .. }) && write.members(network).contains(&engine);
    let link = LinkId::new(Plane::Wide, engine, Port::Local);
    (holds_outputs && has_own_copy).then_some(Place::Link(link))
}

/// A link that two path segments of a chain take whose destinations have no space for bursts.
fn link_of_segments(
    network: &Network,
    initiator: TileId,
    destinations: &[TileId],
) -> Option<Place> {
    let mut taken = BTreeSet::new();
    for (from, to) in path_segments(initiator, destinations) {
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
