// SPDX-License-Identifier: Apache-2.0
//! What the routers of a network do in one cycle, flit by flit.
//!
//! The language between a backend that records and whatever checks it against another model of the same
//! network, hardware above all: every handshake at every router port, with all that a flit of that network
//! carries. A flit that waits is not recorded again, except at the Local outputs, where the endpoint may
//! refuse it.

use noccl_net::{Coord, MultiAddress, Port, TileId};
use noccl_spec::Plane;
use noccl_workload::{ElementType, Operator};

/// All handshakes of one cycle. Cycles without any record may be missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CycleRecord {
    /// Cycle.
    pub cycle: u64,
    /// Handshakes, by plane, then place, then tile.
    pub handshakes: Vec<Handshake>,
    /// What endpoints ask of their network interfaces in this cycle, in the order in which they ask.
    pub commands: Vec<Command>,
    /// Transactions whose last response their initiator or member has in this cycle.
    pub completions: Vec<Completion>,
    /// Transfers that DMA engines begin in this cycle: their bursts are commands too, none earlier than this.
    pub starts: Vec<TransferStart>,
    /// What tiles write into their own memories without the network, in value mode.
    pub stores: Vec<Store>,
    /// What routers that carry messages do.
    pub messages: MessageCycle,
}

/// A tile's cores, or its DMA engine from L1 to L1, have written its own memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Store {
    /// Tile.
    pub tile: TileId,
    /// First byte in its memory.
    pub offset: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Rows of bytes at a tile, or at all tiles of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordedRows {
    /// The tile; ignored for a set.
    pub tile: Coord,
    /// Members, in region coordinates.
    pub set: Option<MultiAddress>,
    /// First byte of the first row in the tile's memory.
    pub offset: u64,
    /// From row to row.
    pub stride: u64,
}

/// A DMA engine begins a transfer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransferStart {
    /// Tile of the engine.
    pub tile: TileId,
    /// Where it reads.
    pub source: RecordedRows,
    /// Where it writes.
    pub destination: RecordedRows,
    /// Bytes of a row.
    pub bytes: u64,
    /// Rows.
    pub rows: u32,
    /// It contributes to a wide reduction: the destination is the root's.
    pub contribution: Option<Contribution>,
}

/// What members of a wide reduction have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contribution {
    /// Name of the reduction among all of the run.
    pub reduction: u32,
    /// Members, in region coordinates.
    pub group: MultiAddress,
    /// Arithmetic.
    pub operator: Operator,
    /// Elements.
    pub element: ElementType,
    /// The root multicasts the result.
    pub is_shared: bool,
}

/// A transaction at a port of a network interface, from its first valid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Tile that asks.
    pub tile: TileId,
    /// Name of the transaction; unique among those in flight.
    pub tag: u32,
    /// The name that it bears in flits, as in [`FlitRecord::tag`]: the same, but for a barrier that bears another one's.
    pub name: u32,
    /// Transfer of this tile whose bursts leave one after the other.
    pub transfer: u64,
    /// What is asked for.
    pub kind: CommandKind,
    /// Target; root of a reduction or barrier; ignored for a multicast.
    pub target: Coord,
    /// Members of a multicast, a reduction or a barrier, in region coordinates.
    pub set: Option<MultiAddress>,
    /// First byte in the target's memory.
    pub address: u64,
    /// Bytes; 0 for narrow transactions.
    pub bytes: u32,
    /// Beats of a wide burst.
    pub beats: u16,
    /// Arithmetic of a reduction.
    pub operator: Operator,
    /// Elements of a reduction.
    pub element: ElementType,
    /// Bytes that each beat enables of those that it has, from the first lane of its line on: all of a wide beat
    /// unless a contribution differs.
    pub enabled_bytes: u16,
    /// Where the beats of a write or contribution come from.
    pub source: BeatSource,
    /// These beats, if they are known at this time.
    pub data: Vec<Vec<u8>>,
}

/// Where the beats of a write come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BeatSource {
    /// They stand in the command; also for what has none.
    Command,
    /// The tile's own memory, from this offset on.
    Memory(u64),
    /// What the tile's DMA engine has read from other tiles, in the order in which it has come.
    Engine,
    /// Somebody who is no model: a Torrent endpoint, the root of an all-reduce.
    Other,
}

/// Kind of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandKind {
    /// Wide write or multicast burst.
    WideWrite,
    /// Wide read burst.
    WideRead,
    /// Contribution to a wide reduction.
    Reduction,
    /// Narrow write or multicast.
    NarrowWrite,
    /// Narrow read.
    NarrowRead,
    /// Fetch-and-add.
    Atomic,
    /// Contribution to a barrier.
    Barrier,
}

/// A transaction is over for a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completion {
    /// Tile that gets the response.
    pub tile: TileId,
    /// Name of the transaction.
    pub tag: u32,
    /// AXI response code.
    pub resp: u8,
}

/// A flit at a port of a router.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handshake {
    /// Plane.
    pub plane: Plane,
    /// Tile of the router.
    pub tile: TileId,
    /// Which port.
    pub place: FlitPlace,
    /// The flit.
    pub flit: FlitRecord,
}

/// Where a flit is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlitPlace {
    /// It enters the Local input.
    Enters,
    /// It leaves by the Local output.
    Leaves,
    /// The Local output offers it and the endpoint does not take it.
    Refused,
    /// It crosses the link behind this output.
    Crosses(Port),
    /// The tile's merge point offers it to the NI, for a sender elsewhere, and the NI does not send it.
    CreditReturn,
    /// The tile's merge point gives it to its own NI: credits without a flit.
    Own,
}

/// Kind of a flit; with the plane and [`FlitRecord::is_wide`] the kind of a hardware flit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordedKind {
    /// Beat of a write.
    Write,
    /// Operand or partial sum of a wide reduction.
    Reduce,
    /// Read data.
    ReadData,
    /// Read request.
    ReadRequest,
    /// Contribution of a barrier.
    Barrier,
    /// Atomic request, or the old value that returns.
    Atomic,
    /// Response to one initiator.
    Response,
    /// Response to a multicast, merged by routers.
    CollectedResponse,
    /// Response of a reduction or barrier to its group.
    GroupResponse,
    /// Credits for buffer space at a merge point.
    Credit,
    /// Result of an all-reduce: a multicast without responses of its targets.
    Result,
}

/// All that a flit carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlitRecord {
    /// Kind.
    pub kind: RecordedKind,
    /// Forks over `set`.
    pub is_multicast: bool,
    /// Belongs to a transaction of the wide port.
    pub is_wide: bool,
    /// The initiator has its own copy.
    pub has_own_copy: bool,
    /// AXI response code.
    pub resp: u8,
    /// Destination; of a multicast the member without masked bits, origin if it is a response.
    pub dst: Coord,
    /// Initiator; who sent this operand of a reduction; who sends this response or these data; root of credits,
    /// of group responses and of barriers.
    pub src: Coord,
    /// Set of a multicast or of a join, in region coordinates.
    pub set: Option<MultiAddress>,
    /// Name of the transaction; unique among those in flight, but for barriers that bear another one's name.
    pub tag: u32,
    /// Leaves merged so far; of a credit beats given back.
    pub count: u32,
    /// First byte of the burst or request in the target's memory.
    pub address: u64,
    /// Bytes of the burst or request.
    pub bytes: u32,
    /// Beats of the burst.
    pub beats: u16,
    /// This beat.
    pub beat: u16,
    /// Arithmetic of a reduction.
    pub operator: Operator,
    /// Elements of a reduction.
    pub element: ElementType,
    /// Bytes that this beat enables of those that it has, from the first lane of its line on.
    pub enabled_bytes: u16,
    /// Old value that an atomic returns.
    pub value: u32,
    /// Payload of a wide beat, if the run moves bytes.
    pub data: Option<Vec<u8>>,
}

// What routers with bypass do in one cycle: packets that interfaces queue, flits that routers take, links that flits cross, deliveries.
//
// A packet is told once, when it is queued; its flits are named by the packet and their index. A packet's name may be used again when
// nothing of it is in the network any more.

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
