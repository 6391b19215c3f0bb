// SPDX-License-Identifier: Apache-2.0
//! What a NI may send next, and whether it takes a flit from the network.

use crate::endpoint::torrent::Torrents;
use crate::ni::axi::response::{NARROW_READS, NARROW_WRITES};
use crate::ni::axi::state::{BurstStream, Interfaces, Ni, Source};
use crate::transport::flit::{Flit, FlitKind, OWN_COPY};
use crate::transport::transaction::Owner;
use noccl_net::{TileId, TileKind};
use noccl_spec::Plane;

/// Which lanes of Torrent endpoints have a beat for their interface in this cycle.
#[derive(Clone, Copy)]
pub(crate) struct LaneBeats<'a> {
    pub torrents: Option<&'a Torrents>,
    pub now: u64,
}

impl LaneBeats<'_> {
    fn has_beat(self, tile: usize, lane: u8) -> bool {
        let torrents = self.torrents;
        torrents.is_some_and(|torrents| torrents.has_beat(tile, lane, self.now))
    }
}

impl Interfaces<'_> {
    /// Would a multicast's own copy overtake an earlier write of the tile to itself?
    fn would_overtake(&self, tile: usize, txn: u32, is_wide: bool) -> bool {
        self.nis[tile].own_in_flight[usize::from(is_wide)] > 0
            && self.txns.get(txn).is_multicast
            && self
                .txns
                .trees
                .set(txn)
                .contains(self.network.coord(TileId(tile as u32)))
    }

    /// The source whose request may leave the NI.
    pub(crate) fn next_request(&self, tile: usize) -> Option<usize> {
        self.next_request_beside(tile, false)
    }

    /// The same in a cycle in which the port of narrow writes has given an own copy, and has no other write.
    pub(crate) fn next_request_beside(&self, tile: usize, was_copy: bool) -> Option<usize> {
        self.nis[tile].req.next(|source, flit: &Flit| {
            let is_at_port = !was_copy || source != NARROW_WRITES;
            is_at_port && self.request_is_ready(tile, source, flit)
        })
    }

    fn request_is_ready(&self, tile: usize, source: usize, front: &Flit) -> bool {
        let ni = &self.nis[tile];
        let limits = &self.network.axi().ni;
        if self.opens_wide_read(*front) {
            return !self.behaviour.limits_wide_reads
                || ni.reads_outstanding < limits.max_wide_outstanding;
        }
        let limit = limits.max_narrow_outstanding;
        let has_asked = ni.asked.get(source).is_some_and(|asked| *asked);
        let has_space = has_asked || ni.narrow_outstanding < limit || !self.opens_narrow(*front);
        let is_begun = front.flags & OWN_COPY != 0;
        is_begun || (has_space && !self.would_overtake(tile, front.txn, false))
    }

    /// The next narrow write, if it may leave.
    pub(crate) fn ready_narrow_write(&self, tile: usize) -> Option<Flit> {
        let front = self.nis[tile].req.front(NARROW_WRITES)?;
        let is_ready = self.request_is_ready(tile, NARROW_WRITES, front);
        is_ready.then_some(*front)
    }

    /// Takes the next request out of the NI.
    pub(crate) fn take_request(
        &mut self,
        tile: usize,
        source: usize,
        was_copy: bool,
    ) -> Option<Flit> {
        self.keep_offers(tile, Some(source), was_copy);
        self.nis[tile].req.take(source)
    }

    /// What a tile's ports offer to the router in this cycle stays offered, but for what the router takes from one of them,
    /// whoever takes the last place.
    pub(crate) fn keep_offers(&mut self, tile: usize, taken: Option<usize>, was_copy: bool) {
        let asks = |source: usize| {
            let front = self.nis[tile].req.front(source);
            let is_at_port = Some(source) != taken && !(was_copy && source == NARROW_WRITES);
            is_at_port && front.is_some_and(|f| self.request_is_ready(tile, source, f))
        };
        self.nis[tile].asked = [asks(NARROW_WRITES), asks(NARROW_READS)];
    }

    /// The write stream that may send its next beat.
    ///
    /// Each transfer is an AXI write channel of its own (a DMA backend): a reduction without credits of its
    /// next merge point is passed over, and with it the later bursts of its transfer.
    #[inline]
    pub(crate) fn ready_write(&self, tile: usize, lanes: LaneBeats<'_>) -> Option<usize> {
        let ni = &self.nis[tile];
        let first = ni.writes.front()?;
        if ni.copied.is_some() {
            return None;
        }
        if self.is_ready(ni, first, lanes) && !self.would_overtake(tile, first.txn, true) {
            return Some(0);
        }
        if ni.is_one_channel() || !self.behaviour.has_write_channels {
            return None;
        }
        self.later_ready_write(tile, lanes)
    }

    /// The first stream cannot go on: one of another channel may.
    fn later_ready_write(&self, tile: usize, lanes: LaneBeats<'_>) -> Option<usize> {
        let ni = &self.nis[tile];
        let waits_for_own = |s: &BurstStream| self.would_overtake(tile, s.txn, true);
        if ni.writes.front().is_none_or(waits_for_own) {
            return None;
        }
        let is_open = |at: usize, stream: &BurstStream| {
            let owner = self.txns.get(stream.txn).owner;
            let is_same = |s: &BurstStream| {
                self.txns.get(s.txn).owner.channel() == owner.channel()
                    || (s.source == Source::Buffer && stream.source == Source::Buffer)
            };
            !ni.writes.iter().take(at).any(is_same)
        };
        let later = ni.writes.iter().enumerate().skip(1);
        let mut passable = later.take_while(|(_, s)| !waits_for_own(s));
        let found = passable.find(|(at, s)| is_open(*at, s) && self.is_ready(ni, s, lanes));
        found.map(|(at, _)| at)
    }

    #[inline]
    fn is_ready(&self, ni: &Ni, stream: &BurstStream, lanes: LaneBeats<'_>) -> bool {
        // Results belong to a reduction that is open.
        let is_open = stream.next_beat > 0 || stream.source == Source::Result;
        if !is_open && (stream.head_pending || !self.behaviour.is_wormhole) {
            let limits = &self.network.axi().ni;
            if ni.wide_outstanding >= limits.max_wide_outstanding
                || (stream.is_reduction && ni.reductions_outstanding >= limits.max_open_reductions)
            {
                return false;
            }
        }
        if stream.in_flight >= stream.window {
            return false;
        }
        match stream.source {
            Source::Operand(_) => false,
            // The AW is there one cycle before the first beat.
            Source::Switch(lane) => {
                let tile = self.txns.get(stream.txn).home as usize;
                stream.head_pending || lanes.has_beat(tile, lane)
            }
            Source::Pattern(_) | Source::Memory(_) | Source::Result => true,
            Source::Buffer => {
                let txn = self.txns.get(stream.txn);
                self.beat.part(txn.address, txn.bytes, stream.next_beat).1 <= ni.buffer_bytes
            }
        }
    }

    /// Keeps the set of a plane's injecting tiles true after a queue of `tile` has changed.
    pub(crate) fn refresh_plane(&mut self, plane: Plane, tile: usize, lanes: LaneBeats<'_>) {
        let is_ready = match plane {
            Plane::Req => self.next_request(tile).is_some(),
            Plane::Rsp => !self.nis[tile].rsp.is_empty() || self.nis[tile].pending_credits > 0,
            Plane::Wide => {
                let ni = &self.nis[tile];
                !ni.reads.is_empty()
                    || ni.copied.is_some()
                    || self.ready_write(tile, lanes).is_some()
            }
        };
        if is_ready {
            self.wake(plane, tile);
        } else {
            self.injecting[plane.idx()].remove(tile);
        }
    }

    pub(crate) fn opens_wide_read(&self, flit: Flit) -> bool {
        flit.kind == FlitKind::ReadRequest && self.txns.get(flit.txn).is_wide
    }

    /// Is this the first flit of a narrow transaction? (A published write or barrier begins with its AW.)
    pub(crate) fn opens_narrow(&self, flit: Flit) -> bool {
        match flit.kind {
            // One whose own copy has gone is open.
            FlitKind::NarrowWrite | FlitKind::Barrier => {
                !self.behaviour.is_wormhole && flit.beat == 0 && flit.flags & OWN_COPY == 0
            }
            FlitKind::WriteHead | FlitKind::BarrierHead | FlitKind::Atomic => true,
            FlitKind::ReadRequest => !self.txns.get(flit.txn).is_wide,
            FlitKind::Write
            | FlitKind::Reduce
            | FlitKind::ReduceHead
            | FlitKind::Result
            | FlitKind::ReadData
            | FlitKind::Response
            | FlitKind::CollectB
            | FlitKind::ReduceResponse
            | FlitKind::Credit => false,
        }
    }

    /// Does a NI take this flit, as far as its own limits and those of its memory are concerned? `torrents` may be full.
    pub(crate) fn accepts(&self, tile: usize, flit: Flit, torrents: Option<&Torrents>) -> bool {
        let axi = self.network.axi();
        let ni = &self.nis[tile];
        match flit.kind {
            FlitKind::ReadRequest => match self.network.kind(TileId(tile as u32)) {
                _ if !self.txns.get(flit.txn).is_wide => true,
                TileKind::Memory => ni.reads_in_service < axi.memory.max_outstanding,
                TileKind::Cluster => true,
            },
            FlitKind::Barrier => {
                self.txns.get(flit.txn).arrived > 0 || ni.open_barriers < axi.ni.max_open_reductions
            }
            FlitKind::Write => torrents.is_none_or(|torrents| {
                let is_chain = matches!(self.txns.get(flit.txn).owner, Owner::Chain { .. });
                !is_chain || torrents.takes_beat(tile)
            }),
            FlitKind::WriteHead
            | FlitKind::Reduce
            | FlitKind::Result
            | FlitKind::ReadData
            | FlitKind::Response
            | FlitKind::CollectB
            | FlitKind::ReduceResponse
            | FlitKind::Atomic
            | FlitKind::NarrowWrite
            | FlitKind::Credit
            | FlitKind::BarrierHead
            | FlitKind::ReduceHead => true,
        }
    }

    /// Does a multicast include its initiator?
    ///
    /// The NI hands the own copy to its memory port as soon as it is the beat's grant, whether or not the router has space. Through
    /// the router it would leave by the Local output, which in a memory-to-clusters multicast carries the read data at the same
    /// time: the own copy would halve the rate of all others. The published router does loop it back.
    pub(crate) fn has_own_copy(&self, tile: usize, txn: u32) -> bool {
        self.behaviour.has_own_copies
            && self.txns.get(txn).is_multicast
            && self.txns.get(txn).home as usize == tile
            && self
                .txns
                .trees
                .set(txn)
                .contains(self.network.coord(TileId(tile as u32)))
    }

    /// Could a beat go to the own memory though the router has no space?
    pub(crate) fn may_copy(&self, tile: usize) -> bool {
        let ni = &self.nis[tile];
        let is_multicast = |s: &BurstStream| self.txns.get(s.txn).is_multicast;
        let first = ni.writes.front();
        ni.copied.is_none() && (first.is_some_and(is_multicast) || !ni.is_one_channel())
    }
}
