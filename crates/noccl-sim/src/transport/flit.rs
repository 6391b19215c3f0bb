// SPDX-License-Identifier: Apache-2.0
//! The flit: 16 bytes that move through FIFOs.
//!
//! Only what routing and bookkeeping need travels here; transaction constants stay in the transaction
//! table, payload bytes in the payload pool, so that a hop copies one quarter of a cache line.

use serde::{Deserialize, Serialize};

/// What a flit is. The order has no meaning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub(crate) enum FlitKind {
    /// Write beat (self-contained) or, under wormhole flow, a W beat.
    #[default]
    Write = 0,
    /// AW head of a wormhole (published flow only).
    WriteHead = 1,
    /// Contribution of a wide reduction.
    Reduce = 2,
    /// Read request.
    ReadRequest = 3,
    /// Read data beat.
    ReadData = 4,
    /// Write response to one initiator.
    Response = 5,
    /// Write response that merges with others of its transaction (CollectB).
    CollectB = 6,
    /// Write response of a reduction, multicast to the group.
    ReduceResponse = 7,
    /// Contribution of a barrier (LsbAnd).
    Barrier = 8,
    /// Atomic request.
    Atomic = 9,
    /// AW head of a reduction (published flow only).
    ReduceHead = 10,
    /// Narrow write of one beat; its data is not modelled.
    NarrowWrite = 11,
    /// AW head of a barrier contribution (published flow only).
    BarrierHead = 12,
    /// Credits of the next merge point, returned to the last one.
    Credit = 13,
    /// Result of an all-reduce, multicast to the group.
    Result = 14,
}

/// One unit of flow control.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Flit {
    /// Transaction.
    pub txn: u32,
    /// Packed destination coordinate of unicast routing (x in the upper half). A contribution of a wide
    /// reduction is routed to the root of its tree and carries here who sent it.
    pub dst: u32,
    /// Value mode: payload slot. Timing mode: checksum. Responses and barriers: leaves merged so far.
    pub payload: u32,
    /// Beat index in the transaction.
    pub beat: u16,
    /// Kind.
    pub kind: FlitKind,
    /// Bit 0: last beat. Bits 1–2: response code. Bit 3: a multicast. Bit 4: own copy. Bit 5: to itself. Bits 6–7: what a
    /// contribution says.
    pub flags: u8,
}

pub(crate) const LAST: u8 = 1;
pub(crate) const MULTICAST: u8 = 8;
pub(crate) const RESP_SHIFT: u8 = 1;
/// Bits of the response code. Sums of a reduction carry SLVERR once contributions did not agree.
pub(crate) const RESPONSE: u8 = 3 << RESP_SHIFT;
/// Multicast whose initiator is a member: its own copy does not travel (see `inject::own_copy`).
pub(crate) const OWN_COPY: u8 = 16;
/// Unicast write of a tile to itself (default flow).
pub(crate) const TO_ITSELF: u8 = 32;
pub(crate) const VARIANT_SHIFT: u8 = 6;
/// Bits of the number of what a contribution to a reduction, or the first one of a sum, says: 0 if it is what the transaction says,
/// else that of a [`crate::transport::transaction::Variant`].
pub(crate) const VARIANT: u8 = 3 << VARIANT_SHIFT;

/// A flit in a FIFO: dst, txn | payload, beat, kind, flags, from the low bits up.
///
/// Plain integers, so that arrays of them start as zeroed pages and moves are opaque copies.
pub(crate) type Packed = [u64; 2];

/// Kinds in the order of their numbers.
const KINDS: [FlitKind; 16] = {
    let mut kinds = [FlitKind::Write; 16];
    let all = [
        FlitKind::Write,
        FlitKind::WriteHead,
        FlitKind::Reduce,
        FlitKind::ReadRequest,
        FlitKind::ReadData,
        FlitKind::Response,
        FlitKind::CollectB,
        FlitKind::ReduceResponse,
        FlitKind::Barrier,
        FlitKind::Atomic,
        FlitKind::ReduceHead,
        FlitKind::NarrowWrite,
        FlitKind::BarrierHead,
        FlitKind::Credit,
        FlitKind::Result,
    ];
    let mut i = 0;
    while i < all.len() {
        kinds[all[i] as usize] = all[i];
        i += 1;
    }
    kinds
};

/// Kinds that wait for other contributions, by number.
const JOINING: u64 = {
    let mut set = 0;
    let mut i = 0;
    while i < KINDS.len() {
        set |= (KINDS[i].joins() as u64) << i;
        i += 1;
    }
    set
};

impl FlitKind {
    /// Does this kind wait for other contributions at merge points?
    const fn joins(self) -> bool {
        matches!(
            self,
            FlitKind::CollectB
                | FlitKind::Barrier
                | FlitKind::BarrierHead
                | FlitKind::Reduce
                | FlitKind::ReduceHead
        )
    }
}

impl Flit {
    #[inline]
    pub(crate) const fn packed(self) -> Packed {
        let low = self.dst as u64 | (self.txn as u64) << 32;
        let tags = (self.kind as u64) << 48 | (self.flags as u64) << 56;
        [low, self.payload as u64 | (self.beat as u64) << 32 | tags]
    }

    #[inline]
    pub(crate) const fn from_packed(words: Packed) -> Self {
        Self {
            txn: (words[0] >> 32) as u32,
            dst: words[0] as u32,
            payload: words[1] as u32,
            beat: (words[1] >> 32) as u16,
            kind: KINDS[(words[1] >> 48 & 15) as usize],
            flags: (words[1] >> 56) as u8,
        }
    }

    /// A flit of which only beat and payload were missing (both 0).
    #[inline]
    pub(crate) const fn with_beat(words: Packed, beat: u16, payload: u32) -> Packed {
        [words[0], words[1] | payload as u64 | (beat as u64) << 32]
    }

    /// Neither a multicast nor a contribution: routed by its destination alone.
    #[inline]
    pub(crate) const fn is_plain(words: Packed) -> bool {
        let is_multicast = words[1] >> 56 & MULTICAST as u64;
        let joins = JOINING >> (words[1] >> 48 & 15) & 1;
        is_multicast | joins == 0
    }

    /// Timing mode: checksum of a write beat.
    #[inline]
    pub(crate) const fn payload(words: Packed) -> u64 {
        words[1] as u32 as u64
    }

    /// Is this an operand of this reduction which says what the transaction says?
    #[inline]
    pub(crate) const fn is_operand_of(words: Packed, txn: u32) -> bool {
        let asked = (VARIANT as u64) << 56 | 15 << 48;
        (words[0] >> 32) as u32 == txn && words[1] & asked == (FlitKind::Reduce as u64) << 48
    }

    /// A multicast.
    #[inline]
    pub(crate) const fn forks(words: Packed) -> bool {
        words[1] >> 56 & MULTICAST as u64 != 0
    }

    /// Is this a wide write's beat that nobody but the memory has to know of: neither the last one nor
    /// one of a tile to itself?
    #[inline]
    pub(crate) const fn is_only_delivered(words: Packed) -> bool {
        let noted = ((LAST | TO_ITSELF) as u64) << 56;
        words[1] & (noted | 15 << 48) == (FlitKind::Write as u64) << 48
    }

    /// Response code, 0 (OKAY) to 3 (DECERR); larger is worse.
    pub(crate) const fn resp(self) -> u8 {
        (self.flags >> RESP_SHIFT) & 3
    }

    pub(crate) const fn with_resp(mut self, resp: u8) -> Self {
        self.flags = (self.flags & !(3 << RESP_SHIFT)) | (resp << RESP_SHIFT);
        self
    }

    /// Number of what this contribution says.
    pub(crate) const fn variant(self) -> u8 {
        self.flags >> VARIANT_SHIFT
    }

    pub(crate) const fn is_last(self) -> bool {
        self.flags & LAST != 0
    }
}

/// Packs a coordinate as in [`Flit::dst`].
pub(crate) const fn pack(at: noccl_net::Coord) -> u32 {
    (at.x as u32) << 16 | at.y as u32
}

/// The coordinate of a packed one.
pub(crate) const fn unpack(at: u32) -> noccl_net::Coord {
    noccl_net::Coord::new((at >> 16) as u16, at as u16)
}
