// SPDX-License-Identifier: Apache-2.0
//! The network: packets go in at NIs, come out as deliveries, and a cycle in between.
//!
//! The order of a cycle: channels that become free, flits that have been latched, allocation and paths, injection. With two
//! cycles of setup the paths are those of the grants of the cycle before. With priority `bypass` what allocation chooses contends for
//! links in the cycle of the paths, and is granted only then.

use super::channels::Channels;
use super::contend::{Contention, LOCAL_EVERY};
use super::numbers::{LOCAL, Numbers, PORTS, Wires};
use super::packet::{Packet, PacketKind, Reduction, SmartTreePorts};
use super::recorder::SmartRecorder;
use super::slots::Slots;
use super::stays::Stays;
use super::table::Table;
use noccl_net::{Network, TileId};
use noccl_spec::SmartRouter;
use std::collections::VecDeque;

/// A flit has been latched, or has gone by: channel, flits that have come.
#[derive(Debug, Clone, Copy)]
pub(super) struct Latched {
    pub channel: u32,
    pub come: u16,
}

/// An output that has been granted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grant {
    pub channel: u32,
    pub packet: u32,
    pub flit: u16,
    pub out: u8,
    /// Hops to where the flit before was latched; 0 for a first flit.
    pub follow: u8,
}

/// A flit has reached an NI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Delivery {
    pub tile: TileId,
    /// The packet's or reduction's tag.
    pub tag: u64,
    pub flit: u16,
    /// Is it the packet's last flit, or, of a reduction, what completes it?
    pub completes: bool,
    /// The reduction, if it is a contribution to one.
    pub reduction: Option<u32>,
    packet: u32,
    is_tail: bool,
}

/// What an NI sends over.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sending {
    pub flit: u16,
    pub channel: u32,
}

/// Queues of an NI, one per message class.
#[derive(Debug, Clone, Default)]
pub(super) struct Queues {
    pub waiting: [VecDeque<u32>; 3],
    /// Those that are not empty.
    pub filled: u8,
    pub sending: [Option<Sending>; 3],
    pub next_class: u8,
}

/// What becomes due in a cycle.
#[derive(Debug, Clone, Default)]
pub(super) struct Due {
    pub freed: Vec<u32>,
    pub latched: Vec<Latched>,
    pub delivered: Vec<(u32, u32, u16)>,
}

/// Cycles that are known ahead: a traversal after two of setup, a credit, one to spare.
const AHEAD: usize = 8;

/// All routers of a network.
pub(crate) struct SmartPlane {
    pub(super) n: Numbers,
    pub(super) channels: Channels,
    pub(super) packets: Vec<Packet>,
    unused_packets: Vec<u32>,
    pub(super) trees: Vec<SmartTreePorts>,
    pub(super) unused_trees: Vec<u32>,
    /// By tile: channels taken along its shared tree, averaged over its packets.
    pub(super) mean_taken: Vec<i32>,
    pub(super) reductions: Vec<Reduction>,
    pub(super) unused_reductions: Vec<u32>,
    pub(super) unused_ids: Vec<u32>,
    pub(super) table: Table,
    pub(super) slots: Option<Box<Slots>>,
    pub(super) contention: Option<Box<Contention>>,
    pub(super) wires: Option<Box<Wires>>,
    pub(super) recorder: Option<Box<SmartRecorder>>,
    pub(super) queues: Vec<Queues>,
    /// Tiles with something in a queue.
    pub(super) sending: Vec<u64>,
    pub(super) due: Vec<Due>,
    pub(super) cycle: u64,
    /// By input: channel that goes first; by output: input that goes first.
    pub(super) channel_order: Vec<u8>,
    pub(super) input_order: Vec<u8>,
    /// By output and line: tiles at which no path goes on.
    pub(super) barred: Vec<u64>,
    pub(super) barred_lines: Vec<u16>,
    /// By output and line: links that a flit crosses in the cycle that is set up.
    pub(super) crossed: Vec<u64>,
    pub(super) grants: Vec<Grant>,
    /// Which outputs had a free channel behind them before this cycle's paths, where allocation knows no more.
    pub(super) open_before_paths: Vec<u8>,
    pub(super) loads: Loads,
    pub(super) stays: Stays,
    /// Contributions that have been latched, while a cycle begins.
    pub(super) contributions: Vec<u32>,
    /// Flits that an NI has got in the last cycle.
    pub(crate) deliveries: Vec<Delivery>,
    pub(super) has_moved: bool,
    /// Cycle in which something has moved last.
    last_moved: u64,
}

impl SmartPlane {
    /// Without a packet. `value_bytes` of a flit are operands; 0 where only times matter.
    pub(crate) fn new(network: &Network, smart: &SmartRouter, value_bytes: usize) -> Self {
        let n = Numbers::new(network, smart);
        let channels = Channels::new(&n);
        let slots = || Box::new(Slots::new(network, smart, &channels.places));
        Self {
            slots: n.is_slotted.then(slots),
            contention: n.is_contended.then(Box::default),
            wires: smart.is_connected.then(Box::default),
            recorder: None,
            channels,
            packets: Vec::new(),
            unused_packets: Vec::new(),
            trees: Vec::new(),
            unused_trees: Vec::new(),
            mean_taken: vec![0; n.tiles],
            reductions: Vec::new(),
            unused_reductions: Vec::new(),
            unused_ids: (0..n.table_entries as u32).rev().collect(),
            table: Table::new(&n, value_bytes),
            queues: vec![Queues::default(); n.tiles],
            sending: vec![0; n.tiles.div_ceil(64)],
            due: vec![Due::default(); AHEAD],
            cycle: 0,
            channel_order: vec![0; n.tiles * PORTS],
            input_order: vec![0; n.tiles * PORTS],
            barred: vec![0; LOCAL * 64],
            barred_lines: Vec::new(),
            crossed: vec![0; LOCAL * 64],
            grants: Vec::new(),
            open_before_paths: Vec::new(),
            loads: Loads::new(),
            stays: Stays::default(),
            contributions: Vec::new(),
            deliveries: Vec::new(),
            has_moved: false,
            last_moved: 0,
            n,
        }
    }

    /// Is nothing in flight?
    pub(crate) fn is_idle(&self) -> bool {
        self.packets.len() == self.unused_packets.len() && self.channels.is_empty()
    }

    /// The cycle that comes next. An idle network may skip to a later one.
    pub(crate) fn skip_to(&mut self, cycle: u64) {
        debug_assert!(self.is_idle() && cycle >= self.cycle);
        self.cycle = cycle;
    }

    /// Does anything become due in a later cycle?
    pub(crate) fn has_due(&self) -> bool {
        let is_empty =
            |due: &Due| due.freed.is_empty() && due.latched.is_empty() && due.delivered.is_empty();
        !self.grants.is_empty()
            || !self.due.iter().all(is_empty)
            || self.may_wait()
            || self.wires.as_ref().is_some_and(|wires| !wires.is_idle())
    }

    /// A slot, or a cycle with the order of priority `local`, may still come.
    fn may_wait(&self) -> bool {
        let slots = self.slots.as_ref().map(|slots| slots.patience_cycles());
        let order = self.contention.as_ref().map(|_| 2 * LOCAL_EVERY);
        let patience = slots.max(order);
        patience.is_some_and(|cycles| self.cycle <= self.last_moved + cycles)
    }

    /// Flits with data that have crossed a link so far.
    pub(crate) const fn payload_hops(&self) -> u64 {
        self.loads.payload_hops
    }

    /// Flits that have crossed a link so far.
    pub(crate) const fn flit_hops(&self) -> u64 {
        self.loads.flit_hops
    }

    /// Flits by tile and output.
    pub(crate) fn link_loads(&self) -> Vec<(TileId, usize, u64)> {
        (self.wires.as_ref())
            .map_or_else(|| self.loads.by_link(&self.n), |wires| wires.link_loads())
    }

    /// Queues a unicast at its source.
    pub(crate) fn send_unicast(&mut self, from: TileId, to: TileId, flits: u16, tag: u64) {
        let id = self.send(PacketKind::Unicast, from, to, 0, flits, tag);
        self.record_message(id);
    }

    pub(super) fn send(
        &mut self,
        kind: PacketKind,
        from: TileId,
        to: TileId,
        of: u32,
        flits: u16,
        tag: u64,
    ) -> u32 {
        let packet = Packet {
            kind,
            flits,
            source: from.0,
            target: to.0,
            of,
            leaves: 1,
            holders: 1,
            tag,
        };
        let id = if let Some(id) = self.unused_packets.pop() {
            self.packets[id as usize] = packet;
            id
        } else {
            self.packets.push(packet);
            self.packets.len() as u32 - 1
        };
        if let Some(wires) = &mut self.wires {
            wires.queue(from.0, to.0, id);
        } else {
            let queues = &mut self.queues[from.idx()];
            queues.waiting[kind.class()].push_back(id);
            queues.filled |= 1 << kind.class();
            self.sending[from.idx() / 64] |= 1 << (from.0 % 64);
        }
        id
    }

    /// Somebody no longer holds a packet.
    #[inline]
    pub(super) fn let_go(&mut self, id: u32) {
        let packet = &mut self.packets[id as usize];
        packet.holders -= 1;
        if packet.holders > 0 {
            return;
        }
        if packet.kind.class() == super::numbers::MULTICAST {
            let tree = packet.of;
            self.let_go_of_tree(tree);
        }
        self.unused_packets.push(id);
    }

    /// What is due so many cycles after this one.
    #[inline]
    pub(super) fn due_in(&mut self, cycles: u32) -> &mut Due {
        let at = (self.cycle as usize + cycles as usize) % AHEAD;
        &mut self.due[at]
    }

    /// One cycle. `takes` says whether an NI takes a flit, `offers` whether it injects one. True if anything has moved.
    pub(crate) fn step(
        &mut self,
        takes: impl Fn(TileId) -> bool,
        offers: impl Fn(TileId) -> bool,
    ) -> bool {
        self.has_moved = false;
        debug_assert!(self.deliveries.is_empty(), "deliveries are settled");
        self.record_beginning(&takes, &offers);
        let at = self.cycle as usize % AHEAD;
        let mut due = std::mem::take(&mut self.due[at]);
        for channel in due.freed.drain(..) {
            // Until now the packet is found in it.
            let id = self.channels.held[channel as usize].packet;
            self.channels.give_back(&self.n, channel as usize);
            self.let_go(id);
        }
        self.latch(&mut due.latched);
        for (packet, tile, flit) in due.delivered.drain(..) {
            self.deliver(packet, tile, flit);
        }
        self.due[at] = due;
        self.cross_wires(&takes, &offers);
        self.drive_slots();
        if self.n.setup_cycles == 2 {
            self.note_open();
            self.contend();
            self.traverse();
            self.clear_barred();
            self.allocate(&takes);
        } else {
            self.clear_barred();
            self.allocate(&takes);
            self.contend();
            self.traverse();
        }
        self.inject(&offers);
        if self.has_moved {
            self.last_moved = self.cycle;
        }
        self.cycle += 1;
        self.has_moved
    }

    /// Local allocation stands beside the paths of the cycle, not behind them.
    fn note_open(&mut self) {
        if self.n.is_chosen_before_paths {
            self.open_before_paths.clone_from(&self.channels.open);
        }
    }

    fn clear_barred(&mut self) {
        for line in self.barred_lines.drain(..) {
            self.barred[usize::from(line)] = 0;
            self.crossed[usize::from(line)] = 0;
        }
    }

    fn deliver(&mut self, id: u32, tile: u32, flit: u16) {
        self.has_moved = true;
        let packet = self.packets[id as usize];
        let is_tail = flit + 1 == packet.flits;
        self.record_delivery(id, tile, flit);
        let (mut completes, mut reduction) = (is_tail, None);
        if packet.kind == PacketKind::Contribution {
            reduction = Some(packet.of);
            completes = self.reductions[packet.of as usize].take(packet.leaves);
            let operand = self.table.operand(id);
            self.reductions[packet.of as usize].collect(operand);
        }
        self.deliveries.push(Delivery {
            tile: TileId(tile),
            tag: packet.tag,
            flit,
            completes,
            reduction,
            packet: id,
            is_tail,
        });
    }

    /// Ends the reading of a cycle's deliveries.
    pub(crate) fn settle(&mut self) {
        let mut deliveries = std::mem::take(&mut self.deliveries);
        for delivery in deliveries.drain(..) {
            if delivery.is_tail {
                self.let_go(delivery.packet);
            }
        }
        self.deliveries = deliveries;
    }
}

// Flits over each link. A path of several hops is noted at both its ends only.

/// Bits of a line and one beyond.
const ENDS: usize = 65;

/// Differences along each line, by output, line and bit.
pub(super) struct Loads {
    pub flit_hops: u64,
    pub payload_hops: u64,
    /// Flits that routers have buffered: not contributions that are combined where they are latched.
    pub buffered_flits: u64,
    ends: Vec<i64>,
}

impl Loads {
    pub(super) fn new() -> Self {
        Self {
            flit_hops: 0,
            payload_hops: 0,
            buffered_flits: 0,
            ends: vec![0; LOCAL * 64 * ENDS],
        }
    }

    #[inline]
    pub(super) fn add(&mut self, out: usize, line: usize, bit: u32, hops: u32) {
        self.flit_hops += u64::from(hops);
        let first = (out * 64 + line) * ENDS + bit as usize;
        self.ends[first] += 1;
        self.ends[first + hops as usize] -= 1;
    }

    /// Links with flits: tile, output, flits.
    pub(super) fn by_link(&self, n: &Numbers) -> Vec<(TileId, usize, u64)> {
        let mut loads = Vec::new();
        for out in 0..LOCAL {
            for line in 0..64 {
                let ends = &self.ends[(out * 64 + line) * ENDS..][..ENDS];
                let mut flits = 0;
                for (bit, change) in ends.iter().enumerate() {
                    flits += change;
                    if flits > 0 {
                        let along = if out < 2 { bit } else { 63 - bit };
                        let (x, y) = if super::numbers::is_along_row(out) {
                            (along, line)
                        } else {
                            (line, along)
                        };
                        let tile = TileId((x * n.height as usize + y) as u32);
                        loads.push((tile, out, flits as u64));
                    }
                }
            }
        }
        loads.sort_unstable();
        loads
    }
}
