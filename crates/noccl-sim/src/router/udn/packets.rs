// SPDX-License-Identifier: Apache-2.0
//! Packets over the dynamic network between cores, without cores: a source writes a word per cycle wherever its port takes one, a
//! destination takes every word at once.

use super::refused;
use crate::kernel::bit_set::BitSet;
use crate::packets::{Arrival, MulticastId, PacketNetwork, ReductionId, ReductionTreeId};
use crate::router::stalls::Stalls;
use crate::router::wormhole::{PacketId, Params, Plane, Xy};
use noccl_net::{Network, TileId};
use noccl_run::{Mode, RunConfig, RunError};
use noccl_workload::Numbered;
use std::collections::VecDeque;

/// A packet that waits at its source.
struct WaitingPacket {
    to: TileId,
    flits: u32,
    tag: u64,
}

/// Packets of a source that are not in the network.
#[derive(Default)]
struct Queue {
    waiting: VecDeque<WaitingPacket>,
    /// The packet that is being written, and its next word.
    writing: Option<(PacketId, u32)>,
}

/// The network, and the queues of its tiles.
pub(crate) struct UdnPackets {
    stalls: Stalls,
    pub(super) plane: Plane<Xy>,
    queues: Vec<Queue>,
    /// Tiles with packets.
    busy: BitSet,
    written_flits: u64,
}

impl UdnPackets {
    /// With no packet in it.
    ///
    /// # Errors
    /// [`RunError::Refused`] for networks without cores.
    pub(super) fn new(network: &Network, config: &RunConfig) -> Result<Self, RunError> {
        let cores = network.cores().ok_or_else(|| refused("the network"))?;
        let params = Params::of_udn(&cores.router.udn);
        let num_tiles = network.num_tiles();
        Ok(Self {
            stalls: Stalls::new(config),
            plane: Plane::<Xy>::new(network.width(), network.height(), params),
            queues: (0..num_tiles).map(|_| Queue::default()).collect(),
            busy: BitSet::new(num_tiles),
            written_flits: 0,
        })
    }

    /// Queues a packet at its source.
    pub(super) fn send(&mut self, from: TileId, to: TileId, flits: u32, tag: u64) {
        self.queues[from.idx()]
            .waiting
            .push_back(WaitingPacket { to, flits, tag });
        self.busy.insert(from.idx());
    }

    /// Do packets wait at their sources?
    pub(super) fn has_waiting(&self) -> bool {
        !self.busy.is_empty()
    }

    /// Every source with a packet writes a word if its port has space.
    fn write(&mut self, cycle: u64) {
        let plane = &mut self.plane;
        let mut from = 0;
        while let Some(busy) = self.busy.next_member(from) {
            from = busy + 1;
            let (queue, tile) = (&mut self.queues[busy], TileId(busy as u32));
            if !plane.has_space(tile) || !self.stalls.offers(cycle, tile) {
                continue;
            }
            let (packet, index) = match queue.writing.take() {
                Some(writing) => writing,
                None => match queue.waiting.pop_front() {
                    Some(one) => (plane.open_packet(one.to, one.flits, one.tag), 0),
                    None => continue,
                },
            };
            plane.push(cycle, tile, packet, index);
            self.written_flits += 1;
            if index + 1 < plane.packet(packet).flits {
                queue.writing = Some((packet, index + 1));
            } else if queue.waiting.is_empty() {
                self.busy.remove(busy);
            }
        }
    }

    /// One cycle. Returns whether a flit has moved, or may move in the next cycle.
    pub(super) fn step(&mut self, cycle: u64) -> bool {
        self.write(cycle);
        let stalls = self.stalls;
        let has_moved = self.plane.step(cycle, |tile, _| stalls.takes(cycle, tile));
        has_moved || self.plane.can_move()
    }
}

/// What a packet is.
#[derive(Debug, Clone, Copy)]
enum Content {
    /// A message with its tag, or a copy of it.
    Message(u64),
    /// A contribution to a reduction.
    Contribution(ReductionId),
}

struct OpenReduction {
    tree: ReductionTreeId,
    tag: u64,
    received: u32,
}

/// The dynamic network as one of packets: a copy to each destination of a multicast, each contribution to its root.
pub(crate) struct UdnMessages {
    packets: UdnPackets,
    cycle: u64,
    sets: Vec<(TileId, Vec<TileId>)>,
    /// Root and number of contributors.
    trees: Vec<(TileId, u32)>,
    contents: Numbered<Content>,
    reductions: Numbered<OpenReduction>,
    arrivals: Vec<Arrival>,
    delivered_flits: u64,
}

impl UdnMessages {
    /// With no packet in it.
    ///
    /// # Errors
    /// [`RunError::Refused`] for networks without cores.
    pub(crate) fn new(network: &Network) -> Result<Self, RunError> {
        Ok(Self {
            packets: UdnPackets::new(network, &RunConfig::new(Mode::Timing))?,
            cycle: 0,
            sets: Vec::new(),
            trees: Vec::new(),
            contents: Numbered::default(),
            reductions: Numbered::default(),
            arrivals: Vec::new(),
            delivered_flits: 0,
        })
    }

    fn put(&mut self, from: TileId, to: TileId, flits: u16, content: Content) {
        let tag = self.contents.push(content);
        self.packets.send(from, to, flits.into(), tag.into());
    }

    /// What a packet that has arrived tells its tile.
    fn arrive(&mut self, tile: TileId, packet: u32) -> Option<Arrival> {
        match self.contents.forget(packet)? {
            Content::Message(tag) => Some(Arrival {
                tile,
                tag,
                reduction: None,
            }),
            Content::Contribution(reduction) => {
                let open = self.reductions.get_mut(reduction.0)?;
                open.received += 1;
                let is_complete = open.received == self.trees[open.tree.0 as usize].1;
                is_complete.then_some(Arrival {
                    tile,
                    tag: open.tag,
                    reduction: Some(reduction),
                })
            }
        }
    }
}

impl PacketNetwork for UdnMessages {
    fn add_multicast(&mut self, from: TileId, members: &[TileId]) -> MulticastId {
        self.sets.push((from, members.to_vec()));
        MulticastId(self.sets.len() as u32 - 1)
    }

    fn add_reduction_tree(&mut self, root: TileId, members: &[TileId]) -> ReductionTreeId {
        self.trees.push((root, members.len() as u32));
        ReductionTreeId(self.trees.len() as u32 - 1)
    }

    fn send(&mut self, from: TileId, to: TileId, flits: u16, tag: u64) {
        self.put(from, to, flits, Content::Message(tag));
    }

    fn send_multicast(&mut self, to: MulticastId, flits: u16, tag: u64) -> u32 {
        let set = to.0 as usize;
        let (from, num) = (self.sets[set].0, self.sets[set].1.len());
        for at in 0..num {
            let member = self.sets[set].1[at];
            self.send(from, member, flits, tag);
        }
        num as u32
    }

    fn open_reduction(&mut self, tree: ReductionTreeId, tag: u64) -> ReductionId {
        ReductionId(self.reductions.push(OpenReduction {
            tree,
            tag,
            received: 0,
        }))
    }

    fn has_entry(&self, _: ReductionId) -> bool {
        false
    }

    fn contribute(&mut self, from: TileId, reduction: ReductionId, flits: u16) {
        let root = self.trees[self.reductions[reduction.0].tree.0 as usize].0;
        self.put(from, root, flits, Content::Contribution(reduction));
    }

    fn close(&mut self, reduction: ReductionId) -> u32 {
        // 0: one that is not open has received nothing.
        (self.reductions.forget(reduction.0)).map_or(0, |open| open.received)
    }

    fn step(&mut self) -> bool {
        let has_moved = self.packets.step(self.cycle);
        let num_delivered = self.packets.plane.delivered().len();
        self.delivered_flits += num_delivered as u64;
        for at in 0..num_delivered {
            let (tile, flit) = self.packets.plane.delivered()[at];
            if flit.is_tail() {
                let packet = self.packets.plane.packet(flit.packet()).tag as u32;
                let arrival = self.arrive(tile, packet);
                self.arrivals.extend(arrival);
            }
        }
        self.cycle += 1;
        has_moved
    }

    fn arrivals(&mut self) -> &mut Vec<Arrival> {
        &mut self.arrivals
    }

    fn is_idle(&self) -> bool {
        self.packets.plane.is_idle() && !self.packets.has_waiting() && self.arrivals.is_empty()
    }

    fn cycle(&self) -> u64 {
        self.cycle
    }

    fn skip_to(&mut self, cycle: u64) {
        self.cycle = cycle;
    }

    fn open_entries(&self) -> usize {
        0
    }

    fn flit_hops(&self) -> u64 {
        self.packets.plane.flit_hops()
    }

    fn buffered_flits(&self) -> u64 {
        self.packets.written_flits + self.flit_hops()
    }

    fn delivered_flits(&self) -> u64 {
        self.delivered_flits
    }
}
