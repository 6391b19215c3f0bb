// SPDX-License-Identifier: Apache-2.0
//! What becomes due at a known cycle, and what drivers are told.

use crate::endpoint::core::event::CoreEvent;
use crate::router::collective::merge::types::{PendingCredits, Timeout};
use crate::transport::transaction::Owner;
use serde::{Deserialize, Serialize};

/// Something that happens at a known cycle.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) enum Event {
    /// A memory responds to a write.
    Respond { tile: u32, txn: u32 },
    /// The root responds to a reduction or barrier.
    RespondToGroup { txn: u32 },
    /// A memory starts to return read data.
    StartRead { tile: u32, txn: u32 },
    /// An atomic is done.
    AtomicDone { tile: u32, txn: u32 },
    /// A merge table entry has waited long enough.
    MergeTimeout { plane: u8, entry: Timeout },
    /// Bytes of a read beat have passed the paths into the DMA engine's buffer.
    Buffered { tile: u32, bytes: u32 },
    /// A merge point has credits to return to senders of operands.
    CreditsPending(PendingCredits),
    /// Credits of the next merge point have come for a NI.
    OwnCredit { tile: u32, txn: u32, beats: u32 },
    /// A response of the last cycle has made a place free at a NI that had none.
    Freed { tile: u32, place: InterfaceSlot },
    /// The root's merge point may read its operands of an all-reduce.
    Operands { txn: u32, offset: u64 },
    /// A beat of an all-reduce's result can be read in the root's memory.
    ResultBeat { txn: u32 },
    /// An all-reduce is over for a member: its last result beat is in memory.
    MemberDone { tile: u32, txn: u32 },
    /// A NI responds to a transaction that it has not let into the network.
    Refused { index: u32 },
    /// A Torrent endpoint has something to do.
    Torrent { tile: u32 },
    /// A chain is over.
    ChainDone { instance: u32 },
    /// The driver acts.
    Driver(DriverEvent),
}

/// What a driver does at a known cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum DriverEvent {
    /// A core of a cluster, in the run of a schedule or of programs.
    Core(CoreEvent),
    /// A participant of an entry of a trace asserts valid.
    Start { entry: u32, member: u32 },
    /// A source of open-loop traffic creates a packet.
    Create { source: u32 },
}

impl From<CoreEvent> for DriverEvent {
    fn from(event: CoreEvent) -> Self {
        Self::Core(event)
    }
}

/// What a NI counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum InterfaceSlot {
    /// Open wide write.
    Wide,
    /// Open reduction.
    Reduction,
    /// Open wide read.
    WideRead,
    /// Open narrow transaction.
    Narrow,
    /// Unicast write flit to the tile itself, narrow (0) or wide (1).
    OwnFlit(u8),
}

/// What the driver is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Done {
    /// The initiator has the response (or the last read beat).
    Transaction {
        owner: Owner,
        tile: u32,
        value: u32,
        resp: u8,
    },
    /// A member of a reduction or barrier has its response.
    Member { owner: Owner, tile: u32, resp: u8 },
    /// Read data for a DMA engine: bytes of one beat have entered its buffer.
    ReadBeat { tile: u32, bytes: u32 },
    /// The DMA engine's write side has taken a beat out of its buffer.
    Drained { tile: u32 },
    /// A chain of this instance is over.
    Chain { instance: u32 },
    /// Last beat of a write has arrived at a target.
    Delivered { owner: Owner, tile: u32, beats: u16 },
}
