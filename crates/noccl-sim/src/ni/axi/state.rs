// SPDX-License-Identifier: Apache-2.0
//! Network interface state per tile: queues between the AXI ports and the Local inputs of three planes.

use crate::kernel::bit_set::{BitSet, bits};
use crate::kernel::inline_queue::{Front, Rest};
use crate::ni::axi::response::RoundRobinQueues;
use crate::router::behaviour::Behaviour;
use crate::transport::flit::{Flit, Packed};
use crate::transport::payload::WideBeat;
use crate::transport::transaction::Txns;
use noccl_net::AxiNetwork;
use noccl_spec::Plane;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::LazyLock;

/// Where the bytes of an outgoing write stream come from (value mode).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Source {
    /// Bytes of a generator, for traces and traffic.
    Pattern(u64),
    /// The tile's own memory at this offset.
    Memory(u64),
    /// The DMA engine's buffer, filled by its read side.
    #[default]
    Buffer,
    /// Not sent: the root's own contribution to an all-reduce, at this offset of its memory.
    Operand(u64),
    /// The data switch of the tile's Torrent endpoint, by lane.
    Switch(u8),
    /// The result of an all-reduce in the root's own memory; `Stream::window` counts the beats that are there.
    Result,
}

/// A write burst into the wide plane, or read data back.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct BurstStream {
    pub txn: u32,
    pub next_beat: u16,
    pub beats: u16,
    /// Reduction: beats in flight to the next merge point, and how many may be.
    pub in_flight: u16,
    pub window: u16,
    /// Published flow: the AW flit has not gone yet.
    pub head_pending: bool,
    pub(super) is_reduction: bool,
    pub source: Source,
}

impl BurstStream {
    /// A burst of bytes, which no window holds back.
    pub(crate) const fn plain(txn: u32, beats: u16, head_pending: bool, source: Source) -> Self {
        Self {
            txn,
            next_beat: 0,
            beats,
            in_flight: 0,
            window: u16::MAX,
            head_pending,
            is_reduction: false,
            source,
        }
    }

    /// Is the next beat neither the first nor the last one, there already, and inside the window?
    #[inline]
    pub(super) fn is_inside_burst(&self) -> bool {
        let is_inside = self.next_beat > 0 && self.next_beat + 1 < self.beats;
        let is_there = matches!(self.source, Source::Pattern(_) | Source::Memory(_));
        is_inside && is_there && self.in_flight < self.window
    }

    /// A beat leaves. Returns whether the next one is inside the burst too.
    #[inline]
    pub(super) fn send_inside(&mut self) -> bool {
        self.next_beat += 1;
        self.in_flight += u16::from(self.is_reduction);
        self.is_inside_burst()
    }
}

/// One NI. What a stream of beats touches comes first, in one cache line.
#[derive(Debug, Default, Serialize, Deserialize)]
#[repr(C, align(64))]
pub(crate) struct Ni {
    /// Outgoing write and reduction bursts, in AW order.
    pub writes: Front<BurstStream>,
    /// Read data to send.
    pub reads: Rest<BurstStream>,
    /// What all beats of the first outgoing burst have in common, for a tile in [`Interfaces::streaming`].
    pub(super) beat_in_common: Packed,
    /// Unicast write flits of this tile to itself that are on their loop through the router, narrow and
    /// wide: a multicast's own copy, which takes no loop, waits for them.
    pub own_in_flight: [u16; 2],
    /// May `writes` hold operands of an all-reduce that this tile has not opened?
    pub(super) has_operands: bool,
    /// Was the last wide flit read data? The other side goes next.
    pub(super) read_was_granted: bool,
    /// All outgoing bursts belong to one channel.
    is_one_channel: bool,
    /// Write and reduction bursts without a response yet.
    pub wide_outstanding: u32,
    /// Reduction bursts without a response yet.
    pub reductions_outstanding: u32,
    /// Credits of the tile's merge point that go before responses.
    pub pending_credits: u16,
    /// Outgoing responses and narrow read data: of the wide port, of the narrow port, data.
    pub rsp: RoundRobinQueues,
    /// Write channel of the AXI port that the first outgoing bursts use, see [`crate::transport::transaction::Owner::channel`].
    channel: (u8, u32),
    /// Narrow transactions without a response yet.
    pub narrow_outstanding: u32,
    /// Wide reads without their last data yet.
    pub reads_outstanding: u32,
    /// Barriers that are collecting contributions here.
    pub open_barriers: u32,
    /// Outgoing requests: narrow writes, narrow reads, wide reads.
    pub req: RoundRobinQueues,
    /// A narrow write, a narrow read is offered to the router: it stays so, though the other may have taken the last
    /// place meanwhile.
    pub asked: [bool; 2],
    /// A multicast's beat whose own copy has gone and that has not: it goes before any other write.
    pub copied: Option<Flit>,
    /// The cycle after the last response to a narrow, to a wide write came: one per cycle.
    pub responded: [u64; 2],
    /// When the last of the narrow data that have been asked for are due: data come in the order of requests.
    pub(super) data_due: u64,
    /// Bytes in the DMA engine's buffer.
    pub buffer_bytes: u32,
    /// Value mode: those bytes.
    pub buffer: VecDeque<u8>,
    /// Read bursts that this memory is serving.
    pub reads_in_service: u32,
    /// Published flow: transaction whose AW has come and whose W beats are due, narrow and wide port.
    pub(super) open_packet: [Option<u32>; 2],
    /// The NI takes beats of transactions that it responds to itself until this cycle.
    pub(super) refusing_until: u64,
    /// The memory's atomic unit is busy until this cycle.
    pub(super) atomic_busy_until: u64,
}

impl Ni {
    /// A burst of a channel joins the queue of outgoing ones.
    pub(crate) fn queue(&mut self, stream: BurstStream, channel: (u8, u32)) {
        if self.writes.is_empty() {
            self.channel = channel;
            self.is_one_channel = true;
        }
        self.is_one_channel &= self.channel == channel;
        self.writes.push_back(stream);
    }

    /// The burst of a transaction among the outgoing ones.
    pub(crate) fn write_of(&mut self, txn: u32) -> Option<&mut BurstStream> {
        let at = self.writes.iter().position(|s| s.txn == txn)?;
        self.writes.get_mut(at)
    }

    /// Must every outgoing burst wait for those before it?
    pub(crate) const fn is_one_channel(&self) -> bool {
        self.is_one_channel
    }
}

/// NIs in one block of [`Nis`].
const BLOCK: usize = 64;

/// The NIs of all tiles; a block of them exists once one of its tiles has had something to do.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Nis {
    blocks: Vec<Option<Box<[Ni]>>>,
    len: usize,
}

/// What an NI is before its tile has had anything to do.
static IDLE: LazyLock<Ni> = LazyLock::new(Ni::default);

impl Nis {
    pub(crate) fn new(tiles: usize) -> Self {
        Self {
            blocks: (0..tiles.div_ceil(BLOCK)).map(|_| None).collect(),
            len: tiles,
        }
    }

    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// The NIs of a block, if one of its tiles has had something to do.
    pub(crate) fn block_mut(&mut self, block: usize) -> &mut [Ni] {
        // 0: no tile of the block has an NI yet.
        self.blocks[block].as_deref_mut().unwrap_or_default()
    }

    /// Reads what these tiles of a block will need for their next beat: on a large mesh none of it is in a cache, and
    /// reads that do not wait for each other are in flight together.
    pub(crate) fn touch(&self, block: usize, tiles: u64) {
        let Some(nis) = &self.blocks[block] else {
            return;
        };
        // 0: nothing to read of an empty queue; the sum is not used.
        let read = |lane: usize| nis[lane].writes.front().map_or(0, |s| s.txn);
        let sum = bits(tiles).fold(0, |sum, lane| sum ^ read(lane));
        std::hint::black_box(sum);
    }

    /// All NIs in tile order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Ni> {
        (0..self.len).map(|tile| &self[tile])
    }
}

impl std::ops::Index<usize> for Nis {
    type Output = Ni;

    #[inline]
    fn index(&self, tile: usize) -> &Ni {
        match &self.blocks[tile / BLOCK] {
            Some(block) => &block[tile % BLOCK],
            None => &IDLE,
        }
    }
}

impl std::ops::IndexMut<usize> for Nis {
    #[inline]
    fn index_mut(&mut self, tile: usize) -> &mut Ni {
        let block = self.blocks[tile / BLOCK]
            .get_or_insert_with(|| (0..BLOCK).map(|_| Ni::default()).collect());
        &mut block[tile % BLOCK]
    }
}

/// The NIs of all tiles, their transactions, and which of them have something to send.
pub(crate) struct Interfaces<'n> {
    pub(super) network: AxiNetwork<'n>,
    pub(super) behaviour: Behaviour,
    pub(super) beat: WideBeat,
    pub nis: Nis,
    pub txns: Txns,
    /// Per plane: tiles with something to inject.
    pub(super) injecting: [BitSet; 3],
    /// Tiles whose next flit into the wide plane is a beat inside a burst, see [`crate::machine::Machine::continue_burst`].
    pub(super) streaming: BitSet,
    /// Responses of memories to their own tile's multicasts.
    pub(super) own_responses: Vec<(u32, Flit)>,
}

/// Tiles with something to inject per plane, and those inside a burst.
type SendingTiles<'a> = (&'a [BitSet; 3], &'a BitSet);

/// Saved parts of the interfaces: NIs, sending tiles, own responses, transactions.
type InterfacesState<'a> = (&'a Nis, SendingTiles<'a>, &'a Vec<(u32, Flit)>, &'a Txns);

impl<'n> Interfaces<'n> {
    pub(crate) fn new(network: AxiNetwork<'n>, behaviour: Behaviour, beat: WideBeat) -> Self {
        let tiles = network.num_tiles();
        Self {
            network,
            behaviour,
            beat,
            nis: Nis::new(tiles),
            txns: Txns::default(),
            injecting: [0; 3].map(|_| BitSet::new(tiles)),
            streaming: BitSet::new(tiles),
            own_responses: Vec::new(),
        }
    }

    /// Replaces the state by a saved one, see [`Interfaces::state`].
    pub(crate) fn restore(
        &mut self,
        nis: Nis,
        sending: ([BitSet; 3], BitSet),
        own_responses: Vec<(u32, Flit)>,
        txns: Txns,
    ) {
        self.nis = nis;
        (self.injecting, self.streaming) = sending;
        (self.own_responses, self.txns) = (own_responses, txns);
    }

    /// All that they are between two cycles.
    pub(crate) const fn state(&self) -> InterfacesState<'_> {
        (
            &self.nis,
            (&self.injecting, &self.streaming),
            &self.own_responses,
            &self.txns,
        )
    }

    /// A tile has something to inject into a plane.
    pub(crate) fn wake(&mut self, plane: Plane, tile: usize) {
        self.injecting[plane.idx()].insert(tile);
    }

    /// Has no NI anything to send or to take from its own memory?
    pub(crate) fn is_idle(&self) -> bool {
        self.injecting.iter().all(BitSet::is_empty) && self.own_responses.is_empty()
    }
}
