// SPDX-License-Identifier: Apache-2.0
//! Planes, NIs and memories together: everything below the agents.
//!
//! One cycle: due events, evaluate all planes, deliver at the NIs, let the driver react, inject, commit.
//! The driver (trace, traffic or agents) sees completions in [`Machine::done`] and issues transactions
//! through the `issue_*` methods; it never touches a flit.

use crate::endpoint::memory::Memories;
use crate::endpoint::torrent::Torrents;
use crate::fabric::flit::Flit;
use crate::fabric::payload::PayloadPool;
use crate::fabric::transaction::{Owner, Txns};
use crate::kernel::bit_set::BitSet;
use crate::kernel::event_wheel::Wheel;
use crate::kernel::threads::{Crew, PARTS_PER_THREAD};
use crate::ni::axi::errors::Errors;
use crate::ni::axi::state::Nis;
use crate::record::Recorder;
use crate::router::behaviour::Behaviour;
use crate::router::collective::Depths;
use crate::router::collective::merge_point::{JoinConfig, Joins, Owed, Timeout};
use crate::router::collective::plane::{Context, PlaneState, packed_coords};
use crate::router::published::reduction::Published;
use crate::router::published::worms::Worms;
use noccl_net::deadlock::{BEATS_PER_CREDIT, Windows, merge_timeout_cycles, reduction_flows};
use noccl_net::{Network, Port, TileKind};
use noccl_run::{Counters, Mode, RunConfig};
use noccl_spec::{Plane, WideReductionKind};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Below this number of active blocks handing work to another thread costs more than it saves.
const MIN_PARALLEL_BLOCKS: usize = 64;

/// Something that happens at a known cycle.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) enum Event {
    /// A memory answers a write.
    Respond { tile: u32, txn: u32 },
    /// The root answers a reduction or barrier.
    RespondToGroup { txn: u32 },
    /// A memory starts to answer a read.
    StartRead { tile: u32, txn: u32 },
    /// An atomic is done.
    AtomicDone { tile: u32, txn: u32 },
    /// A merge table entry has waited long enough.
    MergeTimeout { plane: u8, entry: Timeout },
    /// Bytes of a read beat have passed the paths into the DMA engine's buffer.
    Buffered { tile: u32, bytes: u32 },
    /// A merge point owes room to senders of operands.
    Owe(Owed),
    /// Room at the next merge point has come for a NI.
    OwnCredit { tile: u32, txn: u32, beats: u32 },
    /// An answer of the last cycle has made a place free at a NI that had none.
    Freed { tile: u32, place: Place },
    /// The root's merge point may read its operands of an all-reduce.
    Operands { txn: u32, offset: u64 },
    /// A beat of an all-reduce's result can be read in the root's memory.
    ResultBeat { txn: u32 },
    /// An all-reduce is over for a member: its last result beat is in memory.
    MemberDone { tile: u32, txn: u32 },
    /// A NI answers a transaction that it has not let into the network.
    Refused { index: u32 },
    /// A Torrent endpoint has something to do.
    Torrent { tile: u32 },
    /// A chain is over.
    ChainDone { instance: u32 },
    /// The driver's own.
    Driver { what: u32, detail: u32 },
}

/// What a NI counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Place {
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

/// The machine below the agents.
pub(crate) struct Machine<'n> {
    pub network: &'n Network,
    pub config: RunConfig,
    pub cycle: u64,
    pub last_progress: u64,
    pub planes: [PlaneState; 3],
    pub txns: Txns,
    pub pool: PayloadPool,
    pub memories: Memories,
    /// Words that atomics count on, by (tile, offset).
    pub atomics: HashMap<(u32, u64), u32>,
    pub nis: Nis,
    /// Per plane: tiles with something to inject.
    pub injecting: [BitSet; 3],
    pub wheel: Wheel<Event>,
    pub done: Vec<Done>,
    pub counters: Counters,
    pub fpu_busy_until: Vec<u64>,
    pub checksum: u64,
    pub wrong_beats: u64,
    pub errors: Errors,
    /// What the routers ask of their interfaces.
    pub behaviour: Behaviour,
    /// Torrent endpoints of the clusters, if they have some.
    pub torrents: Option<Box<Torrents>>,
    /// Answers of memories to their own tile's multicasts.
    pub own_answers: Vec<(u32, Flit)>,
    pub recorder: Option<Box<Recorder<'n>>>,
    pub crew: Crew,
    pub due: Vec<Event>,
}

impl<'n> Machine<'n> {
    pub(crate) fn new(network: &'n Network, config: RunConfig, behaviour: Behaviour) -> Self {
        let tiles = network.num_tiles();
        let join = join_config(network);
        let coords = packed_coords(network.width(), network.height());
        let height = network.height();
        let stripes = stripe_count(config.threads);
        let plane = |plane| {
            let depths = Depths::of(network, plane);
            let published = behaviour.has_worms.then(|| Published::new(join));
            let joins = Joins::new(tiles, join, published);
            let mut plane = PlaneState::new(height, coords.clone(), tiles, joins, depths, stripes);
            plane.published = behaviour.has_worms.then(|| Box::new(Worms::new(tiles)));
            plane.watch = behaviour.has_worms.then(|| plane.new_watch());
            plane
        };
        Self {
            network,
            crew: Crew::new(config.threads),
            config,
            cycle: 0,
            last_progress: 0,
            planes: Plane::ALL.map(plane),
            txns: Txns::default(),
            pool: PayloadPool::default(),
            memories: Memories::default(),
            atomics: HashMap::new(),
            nis: Nis::new(tiles),
            injecting: [0; 3].map(|_| BitSet::new(tiles)),
            wheel: Wheel::new(),
            done: Vec::new(),
            counters: Counters::default(),
            fpu_busy_until: vec![0; tiles],
            checksum: 0,
            wrong_beats: 0,
            errors: Errors::default(),
            behaviour,
            torrents: Torrents::new(network),
            own_answers: Vec::new(),
            recorder: None,
            due: Vec::new(),
        }
    }

    pub(crate) fn is_value(&self) -> bool {
        self.config.mode == Mode::Value
    }

    /// Nothing can move before the next event.
    pub(crate) fn is_idle(&self) -> bool {
        self.planes.iter().all(PlaneState::is_idle)
            && self.injecting.iter().all(BitSet::is_empty)
            && self.own_answers.is_empty()
    }

    /// Cycles a tile's memory takes to answer.
    pub(crate) fn memory_latency(&self, tile: u32) -> u64 {
        let spec = self.network.spec();
        u64::from(match self.network.kind(noccl_net::TileId(tile)) {
            TileKind::Cluster => spec.cluster.l1_latency_cycles,
            TileKind::Memory => spec.memory.latency_cycles,
        })
    }

    /// First part of a cycle: events, evaluation, delivery. Afterwards the driver reads `done`.
    pub(crate) fn begin_cycle(&mut self, driver_events: &mut Vec<(u32, u32)>) {
        self.take_events(driver_events);
        self.planes.iter_mut().for_each(|p| p.begin(self.cycle));
        let (is_value, is_large) = (self.is_value(), self.is_large());
        let parts = self.planes.each_mut().map(|p| p.evaluate_parts(is_value));
        self.crew.run(parts, is_large);
        for plane in Plane::ALL {
            let (state, mut context) = self.split(plane);
            state.finish_evaluate(&mut context);
            self.schedule_timeouts(plane);
        }
        self.note_owed();
        if self.recorder.is_some() {
            self.record_offers();
        }
        for plane in Plane::ALL {
            self.hand_over(plane);
        }
        self.take_own_answers();
    }

    /// Events that became due while this cycle was processed. Returns whether there were any.
    pub(crate) fn more_events(&mut self, driver_events: &mut Vec<(u32, u32)>) -> bool {
        let has_more = self.wheel.has_now();
        if has_more {
            self.take_events(driver_events);
        }
        has_more
    }

    fn take_events(&mut self, driver_events: &mut Vec<(u32, u32)>) {
        driver_events.clear();
        let mut due = std::mem::take(&mut self.due);
        self.wheel.take(self.cycle, &mut due);
        if !due.is_empty() {
            // What it sets in motion may be held up in this cycle: waiting for a late event is no hang.
            self.last_progress = self.cycle;
        }
        for event in due.drain(..) {
            if let Event::Driver { what, detail } = event {
                driver_events.push((what, detail));
            } else {
                self.handle(event);
            }
        }
        self.due = due;
    }

    /// Second part: inject what the NIs and the driver offer, then commit all registers.
    pub(crate) fn end_cycle(&mut self) {
        self.tick_torrents();
        self.inject();
        if self.recorder.is_some() {
            self.record_moves();
        }
        let (trees, is_large) = (&self.txns.trees, self.is_large());
        let parts = self.planes.each_mut().map(|p| p.receive_parts(trees));
        self.crew.run(parts, is_large);
        let hops_before = self.flit_hops();
        self.planes.iter_mut().for_each(PlaneState::finish_receive);
        if self.flit_hops() != hops_before {
            // A flit that is on its way for long does not hang: a barrier crosses a large mesh without
            // being seen by any NI.
            self.last_progress = self.cycle;
        }
        let counts_landings = self.counts_landings();
        let parts = self.planes.each_mut();
        let parts = parts.map(|p| p.switch_parts(counts_landings));
        self.crew.run(parts, is_large);
        for plane in &mut self.planes {
            self.checksum = self.checksum.wrapping_add(plane.finish_switch());
        }
        self.cycle += 1;
        if self.is_idle()
            && let Some(next) = self.wheel.next_cycle()
        {
            // Cycles in which nothing happens are skipped, but not the end of the run.
            self.cycle = self.cycle.max(next.min(self.config.max_cycles));
        }
    }

    /// Links crossed so far, over all planes.
    pub(crate) fn flit_hops(&self) -> u64 {
        self.planes.iter().map(|p| p.flit_hops).sum()
    }

    /// Is there enough to do in this cycle for several threads?
    fn is_large(&self) -> bool {
        let active_blocks: usize = self.planes.iter().map(|p| p.active.len()).sum();
        active_blocks >= MIN_PARALLEL_BLOCKS
    }

    /// One plane and what it reads of the rest.
    pub(crate) fn split(&mut self, plane: Plane) -> (&mut PlaneState, Context<'_>) {
        let context = Context {
            cycle: self.cycle,
            trees: &self.txns.trees,
            pool: &mut self.pool,
            is_value: self.config.mode == Mode::Value,
            fpu_busy_until: &mut self.fpu_busy_until,
        };
        (&mut self.planes[plane.idx()], context)
    }

    /// Merge points that have folded the last beat of a quad owe its room two cycles later: to their own NI over wires, to
    /// others over the response plane.
    fn note_owed(&mut self) {
        let mut owed = std::mem::take(self.planes[Plane::Wide.idx()].joins.owed());
        for owed in owed.drain(..) {
            self.wheel
                .push(self.cycle + CYCLES_TO_OWE, Event::Owe(owed));
        }
        *self.planes[Plane::Wide.idx()].joins.owed() = owed;
    }

    /// From this cycle on a tile's NI has credits to send; its own one counts from the next cycle on.
    pub(crate) fn owe(&mut self, owed: Owed) {
        let (tile, txn, local) = (owed.router, owed.txn, Port::Local.bit());
        if owed.inputs & local != 0 {
            self.own_credit_next(tile, txn, BEATS_PER_CREDIT);
            self.record_own(tile, txn);
        }
        let inputs = owed.inputs & !local;
        if inputs != 0 {
            let wide = &mut self.planes[Plane::Wide.idx()];
            let credits = wide.joins.owe(Owed { inputs, ..owed });
            self.nis[tile as usize].credits_owed += credits as u16;
            self.injecting[Plane::Rsp.idx()].insert(tile as usize);
        }
    }

    /// Room for a NI that counts from the next cycle on.
    pub(crate) fn own_credit_next(&mut self, tile: u32, txn: u32, beats: u32) {
        let event = Event::OwnCredit { tile, txn, beats };
        self.wheel.push(self.cycle + 1, event);
    }

    fn schedule_timeouts(&mut self, plane: Plane) {
        let mut timeouts = std::mem::take(self.planes[plane.idx()].joins.timeouts());
        for (cycle, entry) in timeouts.drain(..) {
            self.wheel.push(
                cycle,
                Event::MergeTimeout {
                    plane: plane.idx() as u8,
                    entry,
                },
            );
        }
        *self.planes[plane.idx()].joins.timeouts() = timeouts;
    }

    /// Schedules a driver event.
    pub(crate) fn call_driver(&mut self, cycle: u64, what: u32, detail: u32) {
        self.wheel.push(cycle, Event::Driver { what, detail });
    }
}

/// Cycles from the start of the last pass of a quad's last beat to its credits.
const CYCLES_TO_OWE: u64 = 2;

/// Sizes and latencies of the merge and reduction units.
fn join_config(network: &Network) -> JoinConfig {
    let (router, cluster) = (&network.spec().router, &network.spec().cluster);
    let (wide, fpu) = (&router.wide_reduction, &cluster.fpu);
    let cycles = [
        fpu.bits64_cycles,
        fpu.bits32_cycles,
        fpu.bits16_cycles,
        fpu.bits8_cycles,
    ];
    let row = cycles.into_iter().max().unwrap_or(1) as usize;
    let (adds_per_pass, second_row) = match wide.kind {
        WideReductionKind::TwoOperand => (1, 0),
        WideReductionKind::ThreeOperand => (2, row),
    };
    JoinConfig {
        merge_entries: router.merge_table_entries as usize,
        merge_timeout_cycles: merge_timeout_cycles(network).into(),
        merge_has_registers: router.merge_cycles > 1,
        slots: reduction_flows(network),
        windows: Windows::of(network),
        cut_cycles: u64::from(wide.cut_cycles),
        // More cut registers are places too.
        first_row: row + (wide.cut_cycles as usize).saturating_sub(2),
        second_row,
        cycles_per_add: u64::from(8u32.div_ceil(cluster.num_cores)),
        adds_per_pass,
    }
}

/// Ranges that the blocks of a plane are cut into.
const fn stripe_count(threads: usize) -> usize {
    if threads > 1 {
        threads * PARTS_PER_THREAD
    } else {
        1
    }
}
