// SPDX-License-Identifier: Apache-2.0
//! Messages of the protocol as packets of the network: unicasts, multicasts, and acknowledgements as a reduction to the requester.

use super::{Actor, ByLine, Event, LINE_BYTES, LineId, Machine};
use crate::protocol::{Flow, Protocol, Sent, Target};
use noccl_net::TileId;
use noccl_sim::{MulticastId, PacketNetwork, ReductionId, ReductionTreeId};
use std::collections::BTreeMap;

/// Bytes of a packet's head: kind, line and tiles.
const HEAD_BYTES: u64 = 8;

/// Flits of a packet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lengths {
    /// With a line of data.
    pub data: u16,
    /// Without.
    pub control: u16,
}

impl Lengths {
    /// With so many bytes in a flit.
    pub(super) fn of_flits(bytes: u32) -> Self {
        let flits = |all: u64| all.div_ceil(bytes.max(1).into()) as u16;
        Self {
            data: flits(HEAD_BYTES + LINE_BYTES),
            control: flits(HEAD_BYTES),
        }
    }
}

/// A message with its line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Envelope<M> {
    pub from: TileId,
    pub target: Target,
    pub line: LineId,
    pub message: M,
    /// Places that have not acted on it yet.
    places: u32,
    /// Of a multicast: when it was sent, and copies that have not arrived.
    sent_at: u64,
    in_flight: u32,
}

/// Acknowledgements to a requester.
#[derive(Debug)]
struct Acknowledgements<M> {
    reduction: ReductionId,
    is_counted: bool,
    requester: u8,
    merged: Option<M>,
}

/// The network, and what is in it.
pub(super) struct Transport<'a, P: Protocol> {
    pub network: Box<dyn PacketNetwork + 'a>,
    lengths: Lengths,
    tiles: usize,
    envelopes: Vec<Envelope<P::Message>>,
    unused: Vec<u32>,
    /// By source and the tile that is left out.
    multicasts: BTreeMap<(TileId, Option<TileId>), MulticastId>,
    /// To each tile from all others.
    trees: Vec<Option<ReductionTreeId>>,
    acknowledgements: ByLine<Acknowledgements<P::Message>>,
}

impl<'a, P: Protocol> Transport<'a, P> {
    pub(super) fn new(
        network: Box<dyn PacketNetwork + 'a>,
        lengths: Lengths,
        tiles: usize,
    ) -> Self {
        Self {
            network,
            lengths,
            tiles,
            envelopes: Vec::new(),
            unused: Vec::new(),
            multicasts: BTreeMap::new(),
            trees: vec![None; tiles],
            acknowledgements: ByLine::default(),
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.network.is_idle()
    }

    pub(super) fn seal(
        &mut self,
        from: TileId,
        target: Target,
        line: LineId,
        message: P::Message,
    ) -> u32 {
        let envelope = Envelope {
            from,
            target,
            line,
            message,
            places: 1,
            sent_at: 0,
            in_flight: 0,
        };
        if let Some(id) = self.unused.pop() {
            self.envelopes[id as usize] = envelope;
            id
        } else {
            self.envelopes.push(envelope);
            self.envelopes.len() as u32 - 1
        }
    }

    /// Somebody acts on a message; the last one throws the envelope away.
    pub(super) fn open(&mut self, id: u32) -> Envelope<P::Message> {
        let envelope = &mut self.envelopes[id as usize];
        envelope.places -= 1;
        if envelope.places == 0 {
            self.unused.push(id);
        }
        *envelope
    }

    fn tiles_but(&self, left_out: [Option<TileId>; 2]) -> Vec<TileId> {
        let tiles = (0..self.tiles as u32).map(TileId);
        tiles
            .filter(|tile| !left_out.contains(&Some(*tile)))
            .collect()
    }

    fn multicast(&mut self, from: TileId, left_out: Option<TileId>) -> MulticastId {
        if let Some(known) = self.multicasts.get(&(from, left_out)) {
            return *known;
        }
        let members = self.tiles_but([Some(from), left_out]);
        let id = self.network.add_multicast(from, &members);
        self.multicasts.insert((from, left_out), id);
        id
    }

    /// Opens the reduction of all acknowledgements to a requester.
    fn expect(&mut self, line: LineId, requester: u8) {
        let root = TileId(requester.into());
        let tree = self.trees[root.idx()].unwrap_or_else(|| {
            let members = self.tiles_but([Some(root), None]);
            self.network.add_reduction_tree(root, &members)
        });
        self.trees[root.idx()] = Some(tree);
        let reduction = self.network.open_reduction(tree, line);
        let acknowledgements = Acknowledgements {
            reduction,
            is_counted: self.network.has_entry(reduction),
            requester,
            merged: None,
        };
        let before = self.acknowledgements.insert(line, acknowledgements);
        debug_assert!(before.is_none(), "the home takes one request at a time");
    }

    fn acknowledge(&mut self, from: TileId, line: LineId, message: P::Message) {
        let flow = self.acknowledgements.get_mut(&line);
        let flow = flow.expect("who acknowledges has been asked");
        let merged = flow
            .merged
            .map_or(message, |merged| P::combine(merged, message));
        flow.merged = Some(merged);
        let flits = self.lengths.control;
        self.network.contribute(from, flow.reduction, flits);
    }
}

impl<P: Protocol> Machine<'_, P> {
    /// Sends what a step has sent, what needs memory later.
    pub(super) fn send_from(&mut self, from: TileId, line: LineId, sent: &mut Sent<P::Message>) {
        for (target, message) in sent.drain(..) {
            let envelope = self.transport.seal(from, target, line, message);
            if P::reads_memory(&message) {
                self.later(self.latencies.memory_cycles, Event::Send(envelope));
            } else {
                self.dispatch(envelope);
            }
        }
    }

    /// A message into the network, or to the other unit of the same tile.
    pub(super) fn dispatch(&mut self, id: u32) {
        let Envelope {
            from,
            target,
            line,
            message,
            ..
        } = self.transport.envelopes[id as usize];
        let flow = P::flow(&message);
        let lengths = self.transport.lengths;
        let flits = if flow.has_data() {
            lengths.data
        } else {
            lengths.control
        };
        let home = self.home_of(line);
        if flow != Flow::Acknowledgement {
            *self.accounts.flows.entry(flow).or_insert(0) += 1;
        }
        match target {
            Target::Cache(_) if flow == Flow::Acknowledgement => {
                self.transport.open(id);
                self.transport.acknowledge(from, line, message);
            }
            Target::Cache(cache) => {
                self.unicast(id, TileId(cache.into()), Actor::Cache(cache), flits)
            }
            Target::Home => self.unicast(id, home, Actor::Home, flits),
            Target::Others(requester) => {
                let left_out = TileId(requester.into());
                if P::HAS_ACKNOWLEDGEMENTS {
                    *self
                        .accounts
                        .flows
                        .entry(Flow::Acknowledgement)
                        .or_insert(0) += 1;
                    self.transport.expect(line, requester);
                }
                self.multicast(id, Some(left_out), flits);
                if left_out != from {
                    self.act_at(id, from.0 as u8);
                }
            }
            Target::OthersAndHome(_) => {
                self.multicast(id, None, flits);
                if from == home {
                    self.act_at_home(id);
                }
            }
            Target::All => {
                self.multicast(id, None, flits);
                self.act_at(id, from.0 as u8);
            }
        }
        // The network holds it no longer for the one who has sent it.
        if matches!(
            target,
            Target::Others(_) | Target::OthersAndHome(_) | Target::All
        ) {
            self.transport.open(id);
        }
    }

    fn unicast(&mut self, id: u32, to: TileId, actor: Actor, flits: u16) {
        let from = self.transport.envelopes[id as usize].from;
        if from == to {
            self.later(self.act_cycles(actor), Event::Act(id, actor));
        } else {
            self.transport.network.send(from, to, flits, u64::from(id));
        }
    }

    fn multicast(&mut self, id: u32, left_out: Option<TileId>, flits: u16) {
        let from = self.transport.envelopes[id as usize].from;
        let left_out = left_out.filter(|tile| *tile != from);
        let multicast = self.transport.multicast(from, left_out);
        let members = self
            .transport
            .network
            .send_multicast(multicast, flits, u64::from(id));
        let now = self.now();
        let envelope = &mut self.transport.envelopes[id as usize];
        envelope.places += members;
        (envelope.sent_at, envelope.in_flight) = (now, members);
    }

    fn act_at(&mut self, id: u32, cache: u8) {
        self.transport.envelopes[id as usize].places += 1;
        let actor = Actor::Cache(cache);
        self.later(self.act_cycles(actor), Event::Act(id, actor));
    }

    fn act_at_home(&mut self, id: u32) {
        self.transport.envelopes[id as usize].places += 1;
        self.later(self.act_cycles(Actor::Home), Event::Act(id, Actor::Home));
    }

    const fn act_cycles(&self, actor: Actor) -> u64 {
        match actor {
            Actor::Home => self.latencies.directory_cycles,
            Actor::Cache(_) => self.latencies.cache_cycles,
        }
    }

    /// What interfaces have got in the last cycle.
    pub(super) fn arrive(&mut self) {
        let arrivals = self.transport.network.take_arrivals();
        for arrival in &arrivals {
            if let Some(reduction) = arrival.reduction {
                self.acknowledged(arrival.tag, reduction);
                continue;
            }
            let id = arrival.tag as u32;
            let envelope = &mut self.transport.envelopes[id as usize];
            let Envelope { target, line, .. } = *envelope;
            if envelope.in_flight > 0 {
                envelope.in_flight -= 1;
                if envelope.in_flight == 0 {
                    self.accounts.broadcasts += 1;
                    // The network has gone on to its next cycle.
                    self.accounts.broadcast_cycles +=
                        self.transport.network.cycle() - 1 - envelope.sent_at;
                }
            }
            let cache = arrival.tile.0 as u8;
            match target {
                Target::Home => self.act_on(id, Actor::Home),
                Target::OthersAndHome(_) if arrival.tile == self.home_of(line) => {
                    self.transport.envelopes[id as usize].places += 1;
                    self.act_on(id, Actor::Home);
                    self.act_on(id, Actor::Cache(cache));
                }
                Target::Cache(_) | Target::Others(_) | Target::OthersAndHome(_) | Target::All => {
                    self.act_on(id, Actor::Cache(cache));
                }
            }
        }
        self.transport.network.return_arrivals(arrivals);
    }

    /// Of a message that has arrived in the cycle before this one.
    fn act_on(&mut self, id: u32, actor: Actor) {
        self.later(self.act_cycles(actor) - 1, Event::Act(id, actor));
    }

    /// A requester has all acknowledgements.
    fn acknowledged(&mut self, line: LineId, reduction: ReductionId) {
        let received = self.transport.network.close(reduction);
        let flow = self.transport.acknowledgements.remove(&line);
        let flow = flow.expect("a flow is open until it is complete");
        let (flows, messages) = if flow.is_counted {
            &mut self.accounts.counted
        } else {
            &mut self.accounts.uncounted
        };
        *flows += 1;
        *messages += u64::from(received);
        let message = flow.merged.expect("it has contributions");
        let to = TileId(flow.requester.into());
        let envelope = self
            .transport
            .seal(to, Target::Cache(flow.requester), line, message);
        let actor = Actor::Cache(flow.requester);
        self.act_on(envelope, actor);
    }
}
