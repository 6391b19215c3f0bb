// SPDX-License-Identifier: Apache-2.0
//! Network interface state per tile: queues between the AXI ports and the Local inputs of three planes.

use crate::flit::Flit;
use std::collections::VecDeque;

/// Where the bytes of an outgoing write stream come from (value mode).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// Bytes of a generator, for traces and traffic.
    Pattern(u64),
    /// The tile's own memory at this offset.
    Memory(u64),
    /// The DMA engine's buffer, filled by its read side.
    Buffer,
}

/// A write burst on its way into the wide plane, or read data on its way back.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stream {
    pub txn: u32,
    pub next_beat: u16,
    pub beats: u16,
    /// Published flow: the AW flit has not gone yet.
    pub head_pending: bool,
    /// Reduction: beats on their way to the next merge point, and how many may be.
    pub under_way: u32,
    pub window: u32,
    pub source: Source,
}

/// One NI.
#[derive(Debug, Default)]
pub(crate) struct Ni {
    /// Outgoing write and reduction bursts, in AW order.
    pub writes: VecDeque<Stream>,
    /// Read data to send.
    pub reads: VecDeque<Stream>,
    /// Outgoing requests.
    pub req: VecDeque<Flit>,
    /// Outgoing responses and narrow read data.
    pub rsp: VecDeque<Flit>,
    /// Was the last wide flit read data? The other side goes next.
    pub read_had_turn: bool,
    /// Write and reduction bursts without a response yet.
    pub wide_outstanding: u32,
    /// Reduction bursts without a response yet.
    pub reductions_outstanding: u32,
    /// Barriers that are collecting contributions here.
    pub open_barriers: u32,
    /// Bytes in the DMA engine's buffer.
    pub buffer_bytes: u32,
    /// Value mode: those bytes.
    pub buffer: VecDeque<u8>,
    /// Read bursts that this memory is answering.
    pub reads_in_service: u32,
    /// Published flow: transaction whose AW has come and whose W beats are due, narrow and wide port.
    pub open_worm: [Option<u32>; 2],
    /// Unicast write flits of this tile to itself that are on their loop through the router, narrow and
    /// wide: a multicast's own copy, which takes no loop, waits for them.
    pub own_in_flight: [u32; 2],
    /// The NI takes beats of transactions that it answers itself until this cycle.
    pub refusing_until: u64,
    /// The memory's atomic unit is busy until this cycle.
    pub atomic_busy_until: u64,
}

/// Byte range of one beat inside a burst: offset from the burst's first byte, and length.
pub(crate) fn beat_bytes(address: u64, bytes: u32, beat: u16) -> (u32, u32) {
    let line = address / 64 + u64::from(beat);
    let low = address.max(line * 64);
    let high = (address + u64::from(bytes)).min((line + 1) * 64);
    ((low - address) as u32, (high - low) as u32)
}

/// Beats that a burst of `bytes` at `address` takes.
pub(crate) const fn beats_of(address: u64, bytes: u32) -> u16 {
    ((address % 64 + bytes as u64).div_ceil(64)) as u16
}
