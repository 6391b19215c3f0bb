// SPDX-License-Identifier: Apache-2.0
//! Cores that execute compiled programs on the networks of words (`docs/executed_cores.md`).
//!
//! A core runs ahead to its next port access, which is due in the cycle in which it begins: nothing from outside reaches the core before
//! that. [`ports`] carries accesses out, [`queues`] holds what has come, [`tile`] is a core with its ports. Words of packets that
//! travel are kept here, by packet; the routers move numbers.

mod ports;
mod queues;
mod results;
mod saved;
mod stream;
mod tile;
mod waits;

use crate::endpoint::message_core::{Planes, Receivers};
use crate::kernel::bit_set::BitSet;
use crate::kernel::event_wheel::Wheel;
use crate::router::wormhole::WormholeFlit;
use noccl_net::{Network, TileId};
use noccl_riscv::{Core, Program, RiscvError, Stopped};
use noccl_run::RankTime;
use noccl_spec::CoreTiles;
use queues::TagQueues;
use std::collections::VecDeque;
use stream::ExecutedStream;
use tile::{CoreTile, Output, State};

pub use results::ExecutedRank;
pub(crate) use waits::RankWait;

/// No rank.
const NOBODY: u32 = u32::MAX;

/// A core runs ahead at most so far, so that a program without port accesses can be interrupted.
const AHEAD_CYCLES: u64 = 1 << 20;

/// Why a program ends before it has ended by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) rank: u32,
    pub(crate) pc: u64,
    /// A trap, or what is wrong with its use of a port.
    pub(crate) reason: String,
}

/// All cores, one rank each.
pub(crate) struct ExecutedCores<'s> {
    network: &'s Network,
    program: &'s Program,
    memory_bytes: u64,
    port_fifo_words: usize,
    static_fifo_words: usize,
    tiles: Vec<CoreTile>,
    /// Rank by tile, or [`NOBODY`].
    rank_at: Vec<u32>,
    /// Ranks whose accesses are due, by cycle.
    later: Wheel<u32>,
    due: Vec<u32>,
    /// Ranks that wait for space, or whose words have come, and ranks whose ports hold words.
    retrying: BitSet,
    writing: BitSet,
    /// Words of packets that travel, and numbers that are free.
    records: Vec<Vec<u32>>,
    free_records: Vec<u32>,
    /// By rank: the stream that its port into the static network writes.
    streams: Vec<ExecutedStream>,
    num_over: usize,
    pub(crate) fault: Option<Fault>,
}

impl<'s> ExecutedCores<'s> {
    /// Cores before their first instruction, rank after rank on these tiles.
    ///
    /// # Errors
    /// [`RiscvError`] if the program does not fit into the memory.
    pub(crate) fn new(
        network: &'s Network,
        of: &'s CoreTiles,
        program: &'s Program,
        places: &[TileId],
        memory_bytes: u64,
    ) -> Result<Self, RiscvError> {
        let mut rank_at = vec![NOBODY; network.num_tiles()];
        let mut tiles = Vec::with_capacity(places.len());
        let mut later = Wheel::new();
        for (rank, at) in (0..).zip(places) {
            rank_at[at.idx()] = rank;
            later.push(0, rank);
            tiles.push(CoreTile {
                at: *at,
                core: Core::new(program, memory_bytes, rank.into())?,
                state: State::Executing,
                since_cycle: 0,
                queues: TagQueues::new(of.core.receive_store_words),
                out: Output::default(),
                static_out: Output::default(),
                static_in: VecDeque::new(),
                console: Vec::new(),
                exit_code: None,
                finish_cycle: 0,
                send_wait_cycles: 0,
                receive_wait_cycles: 0,
                waited_until_cycle: 0,
                is_untimed: false,
                times: None,
                sent_words: 0,
                received_words: 0,
                packets: 0,
            });
        }
        Ok(Self {
            network,
            program,
            memory_bytes,
            port_fifo_words: of.router.static_network.port_fifo_words as usize,
            static_fifo_words: of.router.static_network.input_fifo_flits as usize,
            retrying: BitSet::new(tiles.len()),
            writing: BitSet::new(tiles.len()),
            streams: (0..tiles.len())
                .map(|_| ExecutedStream::default())
                .collect(),
            tiles,
            rank_at,
            later,
            due: Vec::new(),
            records: Vec::new(),
            free_records: Vec::new(),
            num_over: 0,
            fault: None,
        })
    }

    /// From now on each core keeps when it waits.
    pub(crate) fn record_times(&mut self) {
        for tile in &mut self.tiles {
            tile.times = Some(Box::default());
        }
    }

    pub(crate) const fn num_ranks(&self) -> usize {
        self.tiles.len()
    }

    pub(crate) const fn num_over(&self) -> usize {
        self.num_over
    }

    /// Have all programs ended, or has one failed?
    pub(crate) fn is_over(&self) -> bool {
        self.fault.is_some() || self.num_over == self.tiles.len()
    }

    pub(crate) fn next_event(&self) -> Option<u64> {
        self.later.next_cycle()
    }

    /// Does a core or a port do something in the next cycle, whatever the routers do?
    pub(crate) fn is_active(&self) -> bool {
        !self.retrying.is_empty() || !self.writing.is_empty()
    }

    /// One cycle: accesses that are due, those that could not be carried out before, and a word from each port. Returns whether anything has
    /// been done.
    pub(crate) fn act(&mut self, now: u64, planes: &mut Planes) -> bool {
        let mut due = std::mem::take(&mut self.due);
        self.later.take(now, &mut due);
        due.sort_unstable();
        let mut has_acted = !due.is_empty();
        for rank in &due {
            self.go_on(*rank as usize, now, planes);
        }
        self.due = due;
        let mut from = 0;
        while let Some(rank) = self.retrying.next_member(from) {
            from = rank + 1;
            has_acted |= self.retry(rank, now, planes);
        }
        let mut from = 0;
        while let Some(rank) = self.writing.next_member(from) {
            from = rank + 1;
            has_acted |= self.write_words(rank, now, planes);
        }
        has_acted
    }

    /// A core executes up to its next access that is due in a later cycle, or waits.
    fn go_on(&mut self, rank: usize, now: u64, planes: &mut Planes) {
        loop {
            let tile = &mut self.tiles[rank];
            match tile.core.run(self.program, now + AHEAD_CYCLES) {
                // The core's clock is set back when it is timed again.
                Stopped::Port(access) if tile.is_untimed => {
                    let began = now;
                    if !self.access(rank, access, began, planes) {
                        return;
                    }
                    let tile = &mut self.tiles[rank];
                    if !tile.is_untimed {
                        tile.core.cycle = began;
                    }
                }
                Stopped::CycleLimit if tile.is_untimed => {
                    let pc = tile.core.pc;
                    let reason = format!("{AHEAD_CYCLES} cycles of untimed code");
                    self.fail(rank, pc, reason);
                    return;
                }
                Stopped::Port(access) if access.cycle > now => {
                    self.later.push(access.cycle, rank as u32);
                    return;
                }
                Stopped::Port(access) => {
                    if !self.access(rank, access, now, planes) {
                        return;
                    }
                }
                Stopped::CycleLimit => {
                    let cycle = tile.core.cycle;
                    self.later.push(cycle, rank as u32);
                    return;
                }
                Stopped::Call(call) => {
                    self.fail(rank, call.pc, call.refused().to_string());
                    return;
                }
                Stopped::Trap(trap) => {
                    self.fail(rank, trap.pc, trap.to_string());
                    return;
                }
                Stopped::Exit { code } => {
                    let cycle = tile.core.cycle;
                    self.end(rank, code, cycle);
                    return;
                }
            }
        }
    }

    /// An access that had to wait is tried again. Returns whether it is carried out.
    fn retry(&mut self, rank: usize, now: u64, planes: &mut Planes) -> bool {
        let Some(access) = self.tiles[rank].core.pending_access() else {
            self.retrying.remove(rank);
            return false;
        };
        let (state, since) = (self.tiles[rank].state, self.tiles[rank].since_cycle);
        if !self.access(rank, access, now, planes) {
            return false;
        }
        self.retrying.remove(rank);
        let tile = &mut self.tiles[rank];
        let time = match state {
            State::Blocked => {
                tile.send_wait_cycles += now - since;
                RankTime::WaitForSpace
            }
            State::Waiting => {
                tile.receive_wait_cycles += now - since;
                RankTime::WaitForWords
            }
            State::Executing | State::Over => RankTime::Execute,
        };
        tile.waited_until_cycle = now;
        if let Some(times) = &mut tile.times {
            times.add(time, since, now);
        }
        self.go_on(rank, now, planes);
        true
    }

    fn end(&mut self, rank: usize, code: u64, cycle: u64) {
        let tile = &mut self.tiles[rank];
        tile.state = State::Over;
        tile.exit_code = Some(code);
        tile.finish_cycle = cycle;
        self.retrying.remove(rank);
        self.num_over += 1;
    }

    fn fail(&mut self, rank: usize, pc: u64, reason: String) {
        let fault = Fault {
            rank: rank as u32,
            pc,
            reason,
        };
        self.fault.get_or_insert(fault);
    }

    /// The rank of a tile.
    fn rank_of(&self, tile: TileId) -> Option<usize> {
        let rank = self.rank_at[tile.idx()];
        (rank != NOBODY).then_some(rank as usize)
    }

    /// A rank that waits for words tries again in the next cycle.
    fn wake(&mut self, rank: usize) {
        if self.tiles[rank].state == State::Waiting {
            self.retrying.insert(rank);
        }
    }
}

impl Receivers for ExecutedCores<'_> {
    /// Tiles without a rank swallow what comes.
    fn takes(&self, _: u64, tile: TileId) -> bool {
        self.rank_of(tile)
            .is_none_or(|rank| self.tiles[rank].queues.has_space())
    }

    fn deliver(&mut self, _: u64, tile: TileId, flit: WormholeFlit, record: u64) {
        let record = record as u32;
        let word = self.records[record as usize][flit.index() as usize];
        if flit.is_tail() {
            self.records[record as usize].clear();
            self.free_records.push(record);
        }
        if let Some(rank) = self.rank_of(tile) {
            let queues = &mut self.tiles[rank].queues;
            queues.take(word, flit.index(), flit.is_tail());
            self.wake(rank);
        }
    }

    fn takes_static(&self, _: u64, tile: TileId) -> bool {
        self.rank_of(tile)
            .is_none_or(|rank| self.tiles[rank].static_in.len() < self.port_fifo_words)
    }

    fn deliver_static(&mut self, tile: TileId, flit: WormholeFlit, source: u64) {
        if let Some(rank) = self.rank_of(tile) {
            let word = self.streams[source as usize].word(flit.index());
            self.tiles[rank].static_in.push_back(word);
            self.wake(rank);
        }
    }
}
