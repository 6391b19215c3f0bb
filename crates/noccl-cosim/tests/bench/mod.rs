// SPDX-License-Identifier: Apache-2.0
//! Endpoints with the cycles of our hardware, joined by a crossbar that adds nothing, and what their AXI ports do in every
//! cycle: what `make cosim-torrent` compares with the hardware.
//!
//! Mirror: `rtl/tb/noccl_torrent/noccl_torrent_tb.sv`.

mod address_map;
mod crossbar;
mod scenario;
mod seen;
mod stream;
mod tile;

pub use scenario::{PortChain, PortPattern, PortScenario};

use address_map::{Map, bits};
use crossbar::{ComparisonCrossbar, CrossbarMove, CrossbarOffer};
use noccl_run::{PortCycle, PortRun};
use noccl_sim::lean_endpoint::{Arrived, Banks, BeatOffer, Settings, Taken, WordOffer};
use noccl_spec::{EndpointCycles, TorrentAcknowledgement, TorrentDispatch, TorrentMode};
use scenario::Start;
use tile::{Tile, TileMemory};

/// Cycles after which chains count as stalled.
const MAX_CYCLES: u64 = 100_000;
/// Cycles after the last chain in which nothing may happen any more.
const DRAIN_CYCLES: u64 = 40;

const SETTINGS: Settings = Settings {
    mode: TorrentMode::Safe,
    cycles: EndpointCycles::Lean,
    dispatch: TorrentDispatch::ChainOrder,
    acknowledgement: TorrentAcknowledgement::Chained,
    open_tasks: 1,
    path_cycles: 0,
    burst_beats: 64,
    buffer_bursts: 2,
    fifo_words: 8,
    num_banks: 32,
};

/// What crosses in a cycle, and what is seen of it besides.
struct Crossing {
    words: Vec<Option<WordOffer>>,
    beats: Vec<Option<BeatOffer>>,
    narrow: Vec<CrossbarMove>,
    wide: Vec<CrossbarMove>,
    /// Responses of the narrow and the wide subordinates; endpoints that are ready for a chain, whose chain is over.
    narrow_responses: u64,
    wide_responses: u64,
    ready: u64,
    over: u64,
    /// Payloads of the beats that are taken, by lane.
    sent: Vec<Option<u32>>,
}

struct Bench {
    map: Map,
    tiles: Vec<Tile>,
    memory: TileMemory,
    narrow: ComparisonCrossbar,
    wide: ComparisonCrossbar,
    now: u64,
}

/// Runs the chains of a scenario and records all ports; chains that are not over at the end of the record have stalled.
#[must_use]
pub fn record_ports(scenario: &PortScenario) -> PortRun {
    let endpoints = scenario.endpoints as usize;
    let map = Map {
        endpoints: scenario.endpoints,
    };
    let mut starts = scenario.starts(&map);
    let memory: Vec<_> = starts.iter().flat_map(|s| s.memory.clone()).collect();
    let mut bench = Bench {
        map,
        tiles: (0..scenario.endpoints).map(Tile::new).collect(),
        memory: TileMemory::holding(endpoints, &memory),
        narrow: ComparisonCrossbar::new(endpoints, endpoints),
        wide: ComparisonCrossbar::new(2 * endpoints, endpoints),
        now: 0,
    };
    let mut run = PortRun {
        endpoints,
        memory,
        over: vec![(u64::MAX, u64::MAX); starts.len()],
        ..PortRun::default()
    };
    let mut drained = 0;
    while drained < DRAIN_CYCLES && bench.now < MAX_CYCLES {
        let cycle = bench.cycle(scenario, &mut starts, &mut run.over);
        run.cycles.push(cycle);
        let is_over = run.over.iter().all(|(_, over)| *over != u64::MAX);
        drained = if is_over { drained + 1 } else { 0 };
    }
    run.written = bench.memory.written();
    run
}

impl Bench {
    fn cycle(
        &mut self,
        scenario: &PortScenario,
        starts: &mut Vec<Start>,
        over: &mut [(u64, u64)],
    ) -> PortCycle {
        let holds = scenario.holds(self.now);
        let mut crossing = self.cross(holds);
        let is_due = |s: &Start| s.cycle <= self.now && crossing.ready >> s.initiator & 1 == 1;
        let start = starts.iter().position(is_due).map(|at| starts.remove(at));
        let drive = start.as_ref().map(Start::drive);
        for tile in &self.tiles {
            if let Some(chain) = tile.lean.done() {
                over[chain as usize].1 = self.now;
            }
        }
        if let Some(start) = start {
            over[start.task.instance as usize].0 = self.now;
            self.tiles[start.initiator as usize]
                .lean
                .enqueue(start.task);
        }
        self.step_tiles(&mut crossing, holds[2]);
        let seen = self.seen(&crossing, drive);
        self.deliver(&crossing);
        self.now += 1;
        PortCycle {
            holds,
            start: drive,
            seen,
        }
    }

    /// What registers offer, and what of it is taken.
    fn cross(&self, holds: [u64; 3]) -> Crossing {
        let words: Vec<_> = self.tiles.iter().map(|t| t.lean.word_offer()).collect();
        let lanes = |t: &Tile| [0, 1].map(|lane| t.lean.beat_offer(lane, self.now, &SETTINGS));
        let beats: Vec<_> = self.tiles.iter().flat_map(lanes).collect();
        let narrow_responses = bits(self.tiles.iter().map(|t| t.inbox.has_response()));
        let wide_responses = bits(self.tiles.iter().map(|t| t.window.has_response()));
        let offers: Vec<_> = words
            .iter()
            .map(|o| o.as_ref().map(CrossbarOffer::from))
            .collect();
        let ready = |t: usize, begins: bool| self.tiles[t].inbox.ready(begins);
        let narrow = self
            .narrow
            .moves(&offers, ready, narrow_responses, holds[0]);
        let offers: Vec<_> = beats
            .iter()
            .map(|o| o.as_ref().map(CrossbarOffer::from))
            .collect();
        let ready = |t: usize, _| {
            let tile = &self.tiles[t];
            [
                tile.window.takes_address(&SETTINGS),
                tile.lean.takes_beat(&SETTINGS),
            ]
        };
        let wide = self.wide.moves(&offers, ready, wide_responses, holds[1]);
        Crossing {
            words,
            beats,
            narrow,
            wide,
            narrow_responses,
            wide_responses,
            ready: bits(self.tiles.iter().map(|t| t.lean.takes_task())),
            over: bits(self.tiles.iter().map(|t| t.lean.done().is_some())),
            sent: Vec::new(),
        }
    }

    fn step_tiles(&mut self, crossing: &mut Crossing, hold: u64) {
        for (t, tile) in self.tiles.iter_mut().enumerate() {
            let taken = Taken {
                narrow: taken_of(&crossing.narrow, t),
                lanes: [0, 1].map(|lane| taken_of(&crossing.wide, 2 * t + lane)),
            };
            let mut banks = Banks::held(SETTINGS.num_banks, hold);
            let mut bytes = self.memory.of(t);
            let outcome = tile
                .lean
                .step(self.now, &SETTINGS, &taken, &mut banks, &mut bytes);
            crossing.sent.extend(outcome.sent);
            tile.window
                .step(&crossing.wide[t], outcome.effects.consumed.is_some());
        }
    }

    /// What was taken arrives, and is seen in the next cycle.
    fn deliver(&mut self, crossing: &Crossing) {
        for (t, step) in crossing.narrow.iter().enumerate() {
            self.tiles[t].inbox.step(step);
            let last = step.owner.filter(|_| step.taken[1] && step.is_last);
            if let Some(offer) = last.and_then(|m| crossing.words[m]) {
                self.tiles[t].lean.receive(self.now, offer.message);
            }
        }
        for (t, step) in crossing.wide.iter().enumerate() {
            let came = step.owner.filter(|_| step.taken[1]);
            if let Some(payload) = came.and_then(|m| crossing.sent[m]) {
                let closes = step.is_last.then_some(0);
                self.tiles[t].lean.arrive(Arrived { payload, closes });
            }
            if let Some(manager) = step.responded {
                self.tiles[manager / 2].lean.responded(manager % 2);
            }
        }
        self.narrow.step(&crossing.narrow);
        self.wide.step(&crossing.wide);
    }
}

/// What targets take of a manager: address, beat.
fn taken_of(moves: &[CrossbarMove], manager: usize) -> [bool; 2] {
    let own = moves.iter().filter(|s| s.owner == Some(manager));
    own.fold([false; 2], |sum, s| {
        [sum[0] || s.taken[0], sum[1] || s.taken[1]]
    })
}
