// SPDX-License-Identifier: Apache-2.0
//! Numbers of the mesh and of its routers, as the engine needs them in every cycle.

use super::plane::SmartPlane;
use crate::kernel::bit_set::bits;
use noccl_net::deadlock::ChannelClass;
use noccl_net::{Coord, Network, Port, TileId, xy_port};
use noccl_spec::{
    SmartMergeScope, SmartMulticast, SmartPriority, SmartReduction, SmartRouter, SmartTree,
};
use std::collections::{BTreeMap, VecDeque};

/// Ports of a router, Local last.
pub(super) const PORTS: usize = 5;
pub(super) const LOCAL: usize = Port::Local.idx();

/// Classes of virtual channels: a message class each, and order classes of multicasts on private trees.
pub(super) const UNICAST: usize = ChannelClass::Unicast as usize;
pub(super) const REDUCTION: usize = ChannelClass::Contribution as usize;
/// Multicasts on shared trees, and those on the path to the corner of a private one.
pub(super) const MULTICAST: usize = ChannelClass::Multicast as usize;
pub(super) const FIRST_DIMENSION: usize = ChannelClass::FirstDimension as usize;
pub(super) const SECOND_DIMENSION: usize = ChannelClass::SecondDimension as usize;

/// What is fixed while a run lasts.
#[derive(Debug, Clone)]
pub(super) struct Numbers {
    pub tiles: usize,
    pub height: u32,
    pub hpc_max: u32,
    pub bitwise_hpc_max: u32,
    pub arithmetic_hpc_max: u32,
    pub setup_cycles: u32,
    /// From a grant that stands to its traversal: those that contend stand only in the cycle before.
    pub granted_cycles: u32,
    /// Is a flit chosen by the channels that were free before the cycle's paths, and what these have taken left out afterwards?
    pub is_chosen_before_paths: bool,
    /// Do requests from farther away win?
    pub is_contended: bool,
    pub classes: usize,
    /// Virtual channels of a multicast's order class.
    pub multicast_vcs: usize,
    /// By class: its channels among those of an input.
    class_masks: [u64; SECOND_DIMENSION + 1],
    /// Bits of a channel's number within its class, and within its input: no division in the loop.
    class_shift: u32,
    input_shift: u32,
    /// Have multicasts a class of channels for each dimension?
    pub has_order_classes: bool,
    /// Do multicasts on private trees go in slots?
    pub is_slotted: bool,
    /// Class of the second dimension of a private tree.
    pub second_class: usize,
    pub is_complete: bool,
    pub is_opportunistic: bool,
    /// Do contributions that pass take along those that are buffered?
    pub joins_in_flight: bool,
    pub merges_in_router: bool,
    /// Do contributions that are latched join the one that waits in the tile's interface?
    pub merges_in_interface: bool,
    pub table_entries: usize,
    /// Largest count of an entry of the reduction table: three bits.
    pub max_count: u8,
}

impl Numbers {
    pub(super) fn new(network: &Network, smart: &SmartRouter) -> Self {
        let has_order_classes = smart.tree != SmartTree::Shared;
        let classes = if has_order_classes {
            SECOND_DIMENSION
        } else {
            MULTICAST
        } + 1;
        let vcs = smart.vcs_by_class();
        let most = vcs.into_iter().fold(1, u32::max);
        let class_shift = most.next_power_of_two().trailing_zeros();
        let slots = classes << class_shift;
        let is_contended = smart.priority == SmartPriority::Bypass;
        let is_greedy = smart.reduction == SmartReduction::Greedy;
        Self {
            tiles: network.num_tiles(),
            height: network.height().into(),
            hpc_max: smart.hpc_max,
            bitwise_hpc_max: smart.bitwise_hpc_max.min(smart.hpc_max),
            arithmetic_hpc_max: smart.arithmetic_hpc_max.min(smart.hpc_max),
            setup_cycles: smart.setup_cycles,
            classes,
            granted_cycles: if is_contended { 1 } else { smart.setup_cycles },
            is_chosen_before_paths: smart.setup_cycles == 2 && !is_contended,
            is_contended,
            multicast_vcs: vcs[MULTICAST] as usize,
            class_masks: std::array::from_fn(|class| {
                // On shared trees there are no order classes.
                if class >= classes {
                    return 0;
                }
                let vcs = vcs[class.min(MULTICAST)];
                ((1 << vcs) - 1) << (class << class_shift)
            }),
            class_shift,
            input_shift: slots.next_power_of_two().trailing_zeros(),
            has_order_classes,
            is_slotted: smart.multicast == SmartMulticast::Complete,
            second_class: SECOND_DIMENSION,
            is_complete: smart.reduction == SmartReduction::Complete,
            is_opportunistic: is_greedy || smart.reduction == SmartReduction::Opportunistic,
            joins_in_flight: is_greedy && is_contended,
            merges_in_router: smart.merge_scope != SmartMergeScope::InputPort,
            merges_in_interface: smart.merge_scope == SmartMergeScope::Interface,
            table_entries: smart.reduction_table_entries as usize,
            max_count: 0b111,
        }
    }

    /// Class of the channels behind an output on a shared tree beside private ones.
    #[inline]
    pub(super) const fn class_of_dimension(&self, out: usize) -> usize {
        if is_along_row(out) {
            FIRST_DIMENSION
        } else {
            self.second_class
        }
    }

    /// Numbers of the virtual channels of an input. Between classes some are left out: each class begins at a multiple
    /// of a power of two.
    pub(super) const fn channels(&self) -> usize {
        1 << self.input_shift
    }

    /// Number of a channel of all.
    #[inline]
    pub(super) const fn channel(&self, input: usize, bit: usize) -> usize {
        input << self.input_shift | bit
    }

    /// Input of a channel.
    #[inline]
    pub(super) const fn input(&self, channel: usize) -> usize {
        channel >> self.input_shift
    }

    /// Number of a channel among those of its input.
    #[inline]
    pub(super) const fn channel_bit(&self, channel: usize) -> usize {
        channel & (self.channels() - 1)
    }

    /// Class of a channel of an input.
    #[inline]
    pub(super) const fn class(&self, bit: usize) -> usize {
        bit >> self.class_shift
    }

    /// Bits of a class among the virtual channels of an input.
    #[inline]
    pub(super) const fn class_mask(&self, class: usize) -> u64 {
        self.class_masks[class]
    }

    pub(super) const fn x(&self, tile: usize) -> u32 {
        tile as u32 / self.height
    }

    pub(super) const fn y(&self, tile: usize) -> u32 {
        tile as u32 % self.height
    }

    /// From a tile to the next one through a mesh output that leads to one.
    #[inline]
    pub(super) const fn next(&self, tile: usize, out: usize) -> usize {
        self.along(tile, out, 1)
    }

    /// Some hops on in one direction.
    #[inline]
    pub(super) const fn along(&self, tile: usize, out: usize, hops: usize) -> usize {
        match out {
            0 => tile + hops,
            1 => tile + hops * self.height as usize,
            2 => tile - hops,
            _ => tile - hops * self.height as usize,
        }
    }

    /// The line that a mesh output leads along: a row or a column.
    #[inline]
    pub(super) const fn line(place: TileCoord, out: usize) -> usize {
        if is_along_row(out) {
            place.y as usize
        } else {
            place.x as usize
        }
    }

    /// Bit of a tile on its line, ascending in the direction of the output.
    #[inline]
    pub(super) const fn bit(place: TileCoord, out: usize) -> u32 {
        let along = if is_along_row(out) { place.x } else { place.y } as u32;
        if out < 2 { along } else { 63 - along }
    }
}

/// Where a tile lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TileCoord {
    pub x: u8,
    pub y: u8,
}

impl TileCoord {
    const fn coord(self) -> Coord {
        Coord::new(self.x as u16, self.y as u16)
    }
}

/// East and West.
#[inline]
pub(super) const fn is_along_row(out: usize) -> bool {
    out & 1 == 1
}

/// The port at the other end of a link.
#[inline]
pub(super) const fn opposite(port: usize) -> usize {
    (port + 2) & 3
}

/// Members of a set of ports, ascending.
#[inline]
pub(super) fn ports(mask: u8) -> impl Iterator<Item = usize> {
    bits(u64::from(mask))
}

/// Output towards a tile.
#[inline]
pub(super) const fn towards(here: TileCoord, to: TileCoord) -> usize {
    xy_port(here.coord(), to.coord()).idx()
}

// A wire between any two interfaces in place of routers: a bound (S2, Fig. 1 and 8), and nothing that could be built.
//
// A flit is there in the next cycle however far it has to go, an interface sends over all its wires at once and takes whatever comes.
// S2 does not say whether it takes several flits in a cycle; with one, 63 acknowledgements would need longer than over the mesh.
// Wires are no links of a mesh: what is counted are flits into interfaces, as over the ideal crossbar.

/// Packets of one source to one destination, and the next flit of the first.
#[derive(Debug, Default)]
struct Wire {
    packets: VecDeque<u32>,
    flit: u16,
}

/// Wires with something to send, by source and destination.
#[derive(Debug, Default)]
pub(super) struct Wires {
    busy: BTreeMap<(u32, u32), Wire>,
    /// Flits into each interface.
    received: BTreeMap<u32, u64>,
}

impl Wires {
    pub(super) fn queue(&mut self, from: u32, to: u32, packet: u32) {
        let wire = self.busy.entry((from, to)).or_default();
        wire.packets.push_back(packet);
    }

    /// Flits by tile and output, which is Local.
    pub(super) fn link_loads(&self) -> Vec<(TileId, usize, u64)> {
        let received = self.received.iter();
        received
            .map(|(tile, flits)| (TileId(*tile), LOCAL, *flits))
            .collect()
    }

    pub(super) fn is_idle(&self) -> bool {
        self.busy.is_empty()
    }
}

impl SmartPlane {
    /// A flit over every wire that has one, unless an interface at its end pauses.
    pub(super) fn cross_wires(
        &mut self,
        takes: &impl Fn(TileId) -> bool,
        offers: &impl Fn(TileId) -> bool,
    ) {
        let Some(mut wires) = self.wires.take() else {
            return;
        };
        wires.busy.retain(|(from, to), wire| {
            if offers(TileId(*from)) && takes(TileId(*to)) {
                self.cross_wire(*to, wire);
                *wires.received.entry(*to).or_insert(0) += 1;
            }
            !wire.packets.is_empty()
        });
        self.wires = Some(wires);
    }

    fn cross_wire(&mut self, to: u32, wire: &mut Wire) {
        let Some(id) = wire.packets.front().copied() else {
            return;
        };
        self.has_moved = true;
        let flit = wire.flit;
        self.due_in(1).delivered.push((id, to, flit));
        self.loads.flit_hops += 1;
        self.loads.payload_hops += u64::from(flit > 0 || self.has_operand(id));
        wire.flit += 1;
        if wire.flit == self.packets[id as usize].flits {
            // The delivery holds the packet from now on, in place of the queue.
            wire.packets.pop_front();
            wire.flit = 0;
        }
    }
}
