// SPDX-License-Identifier: Apache-2.0
//! What routers with bypass do in one cycle: packets that interfaces queue, flits that routers take, links that flits cross, deliveries.
//!
//! A packet is told once, when it is queued; its flits are named by the packet and their index. A packet's name may be used again when
//! nothing of it is in the network any more.

use noccl_net::{Port, TileId};
use noccl_workload::{ElementType, Operator};

/// A cycle of routers that carry messages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageCycle {
    /// Packets that have been queued since the last recorded cycle, in the order of their queues.
    pub queued: Vec<QueuedPacket>,
    /// Interfaces to which no flit is granted in this cycle.
    pub refusing: Vec<TileId>,
    /// Interfaces that offer no flit in this cycle.
    pub silent: Vec<TileId>,
    /// Queues whose first flit enters the router.
    pub entered: Vec<(TileId, MessageClass)>,
    /// Flits on links.
    pub crossings: Vec<MessageCrossing>,
    /// Flits that interfaces get.
    pub deliveries: Vec<MessageDelivery>,
}

impl MessageCycle {
    /// Nothing, in the same memory.
    pub fn clear(&mut self) {
        self.queued.clear();
        self.refusing.clear();
        self.silent.clear();
        self.entered.clear();
        self.crossings.clear();
        self.deliveries.clear();
    }
}

/// Message class: a queue of an interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageClass {
    /// To one tile.
    Unicast,
    /// To the root of a reduction.
    Contribution,
    /// Over a tree.
    Multicast,
}

impl MessageClass {
    /// All of them, in the order of their numbers.
    pub const ALL: [MessageClass; 3] = [Self::Unicast, Self::Contribution, Self::Multicast];
}

/// A packet in the queue of its interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedPacket {
    /// Its name.
    pub packet: u32,
    /// Which queue.
    pub class: MessageClass,
    /// Whose.
    pub source: TileId,
    /// Destination of a unicast, root of a reduction, source of a multicast.
    pub root: TileId,
    /// Destinations of a multicast, or members of a reduction, ascending.
    pub members: Vec<TileId>,
    /// Flits.
    pub flits: u16,
    /// Name of a reduction that routers count.
    pub entry: Option<u32>,
    /// How operands are combined; `None`: there are none.
    pub combining: Option<(Operator, ElementType)>,
    /// Operand of a contribution; what the flits behind the head of another packet carry. Bytes at the end that are zero may be missing.
    pub data: Vec<u8>,
}

/// A flit crosses the link behind an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageCrossing {
    /// Tile of the output.
    pub tile: TileId,
    /// Output.
    pub port: Port,
    /// Packet.
    pub packet: u32,
    /// Index of the flit.
    pub flit: u16,
}

/// A flit reaches an interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageDelivery {
    /// Whose.
    pub tile: TileId,
    /// Packet.
    pub packet: u32,
    /// Index of the flit.
    pub flit: u16,
    /// Operand of a contribution, with all that it has been combined with.
    pub operand: Vec<u8>,
}
