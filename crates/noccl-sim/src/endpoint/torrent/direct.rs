// SPDX-License-Identifier: Apache-2.0
//! Endpoints joined by connections that take no time: their own cycles and nothing else.
//!
//! The bench of the endpoints' tests; [`DirectChain`] is what of it others may see, because claims about the
//! endpoint's share of a chain are measured with it.

use crate::endpoint::torrent::cfg::{Cfg, Key};
use crate::endpoint::torrent::narrow::NarrowMessage;
use crate::endpoint::torrent::pattern::Addresses;
use crate::endpoint::torrent::published::endpoint::Endpoint;
use crate::endpoint::torrent::published::head::ChainTask;
use crate::endpoint::torrent::unit::{Arrived, Bytes, Settings};
use noccl_spec::{EndpointCycles, TorrentAcknowledgement, TorrentDispatch, TorrentMode};
use noccl_workload::AccessPattern;

/// When what has come in a chain whose endpoints are joined by connections that take no time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectChain {
    /// Cycle of each destination's configuration, in the order of the chain.
    pub configurations: Vec<u64>,
    /// Cycle of each grant, the last destination's first.
    pub grants: Vec<u64>,
    /// Cycle of the first beat at each destination, in their order.
    pub first_beats: Vec<u64>,
    /// Cycle of each finish, the last destination's first.
    pub finishes: Vec<u64>,
    /// Cycle in which the initiator is done.
    pub done_cycle: u64,
}

impl DirectChain {
    /// Runs one chain. None where it does not end: a single beat in mode `published`, no destinations, no beats.
    #[must_use]
    pub fn run(mode: TorrentMode, num_destinations: u32, beats: u32) -> Option<Self> {
        /// Far more than any endpoint needs for a destination and a beat.
        const ENOUGH_CYCLES: u64 = 100;
        if num_destinations == 0 || beats == 0 {
            return None;
        }
        let mut bench = ChainBench::new(mode, num_destinations.checked_add(1)?);
        bench.endpoints[0].commit(ChainBench::task(0, num_destinations, u64::from(beats)));
        let limit = ENOUGH_CYCLES * (u64::from(num_destinations) + u64::from(beats));
        while bench.done.is_empty() && bench.now < limit {
            bench.cycle();
        }
        let cycles = |wanted: fn(&NarrowMessage) -> bool| {
            let came = bench.came(wanted).into_iter();
            came.map(|(cycle, _)| cycle).collect()
        };
        Some(Self {
            configurations: cycles(|m| matches!(m, NarrowMessage::Cfg(_))),
            grants: cycles(|m| matches!(m, NarrowMessage::Grant(_))),
            first_beats: bench
                .first_beats
                .iter()
                .skip(1)
                .copied()
                .collect::<Option<_>>()?,
            finishes: cycles(|m| matches!(m, NarrowMessage::Finish(_))),
            done_cycle: bench.done.first()?.1,
        })
    }
}

/// Counts beats instead of moving bytes.
pub(crate) struct Counted {
    pub(crate) loaded: u64,
    pub(crate) stored: u64,
    /// Beats stored elsewhere than where they were loaded from; of tasks with one pattern for all there are none.
    pub(crate) moved: u64,
}

impl Bytes for Counted {
    fn load(&mut self, words: &[u64; 8]) -> u32 {
        self.loaded += 1;
        words[0] as u32
    }

    fn store(&mut self, words: &[u64; 8], payload: u32) {
        self.moved += u64::from(words[0] as u32 != payload);
        self.stored += 1;
    }

    fn share(&mut self, _payload: u32) {}

    fn release(&mut self, _payload: u32) {}
}

pub(crate) struct ChainBench {
    pub(crate) settings: Settings,
    pub(crate) endpoints: Vec<Endpoint>,
    pub(crate) bytes: Counted,
    pub(crate) now: u64,
    /// Messages by the cycle of their last beat.
    messages: Vec<(u64, u32, NarrowMessage)>,
    /// Cycle, tile and message of everything that was received.
    pub(crate) log: Vec<(u64, u32, NarrowMessage)>,
    /// Cycle in which the first beat of data came, by tile.
    first_beats: Vec<Option<u64>>,
    /// Instance and cycle.
    pub(crate) done: Vec<(u32, u64)>,
    /// Per tile and lane: bursts at the port, with the beats that they still have to send.
    bursts: Vec<[Vec<(u32, u16)>; 2]>,
}

impl ChainBench {
    /// Endpoints with the published control.
    pub(crate) fn new(mode: TorrentMode, tiles: u32) -> Self {
        let (dispatch, acknowledgement) =
            (TorrentDispatch::ChainOrder, TorrentAcknowledgement::Chained);
        Self::with(mode, dispatch, acknowledgement, tiles)
    }

    pub(crate) fn with(
        mode: TorrentMode,
        dispatch: TorrentDispatch,
        acknowledgement: TorrentAcknowledgement,
        tiles: u32,
    ) -> Self {
        let settings = Settings {
            mode,
            cycles: EndpointCycles::Published,
            dispatch,
            acknowledgement,
            open_tasks: 1,
            path_cycles: 0,
            burst_beats: 64,
            buffer_bursts: 2,
            fifo_words: 8,
            num_banks: 32,
        };
        Self {
            settings,
            endpoints: (0..tiles).map(Endpoint::new).collect(),
            bytes: Counted {
                loaded: 0,
                stored: 0,
                moved: 0,
            },
            now: 0,
            messages: Vec::new(),
            log: Vec::new(),
            first_beats: vec![None; tiles as usize],
            done: Vec::new(),
            bursts: vec![[Vec::new(), Vec::new()]; tiles as usize],
        }
    }

    /// A chain from tile 0 through 1 to `destinations`, granted in that order backwards.
    pub(crate) fn task(instance: u32, destinations: u32, beats: u64) -> ChainTask {
        let addresses = Addresses::of(&AccessPattern::linear(0, beats * 64));
        let cfg = |destination: u32| Cfg {
            key: Key {
                initiator: 0,
                task: 0,
            },
            previous: destination - 1,
            next: (destination < destinations).then_some(destination + 1),
            grant_to: destination - 1,
            starts_grant: destination == destinations,
            destination: destination as u16 - 1,
            beats: beats as u32,
            addresses,
        };
        ChainTask {
            key: Key {
                initiator: 0,
                task: 0,
            },
            instance,
            source: addresses,
            own_copy: None,
            beats,
            cfgs: (1..=destinations)
                .map(|destination| (destination, cfg(destination)))
                .collect(),
            grants: (0..destinations as u16).rev().collect(),
        }
    }

    fn move_beats(&mut self) {
        for tile in 0..self.endpoints.len() {
            for lane in 0..2 {
                let (now, bursts) = (self.now, &mut self.bursts[tile][lane]);
                let from = &mut self.endpoints[tile].lanes[lane];
                while let Some(opening) = from.take_opening(now) {
                    bursts.push((opening.to, opening.beats));
                }
                let Some((to, left)) = bursts.first_mut() else {
                    continue;
                };
                let to = *to as usize;
                if !self.endpoints[to].takes_beat(&self.settings) {
                    continue;
                }
                let from = &mut self.endpoints[tile].lanes[lane];
                if !from.has_beat(now) {
                    continue;
                }
                let Some(payload) = from.take() else {
                    continue;
                };
                *left -= 1;
                let closes = (*left == 0).then_some((tile * 2 + lane) as u32);
                if *left == 0 {
                    self.bursts[tile][lane].remove(0);
                }
                let arrived = Arrived { payload, closes };
                self.endpoints[to].arrived.push_back(arrived);
                self.first_beats[to].get_or_insert(now);
            }
        }
    }

    pub(crate) fn cycle(&mut self) {
        self.move_beats();
        let now = self.now;
        let (due, later) = self.messages.drain(..).partition(|m| m.0 <= now);
        self.messages = later;
        for (_, to, message) in due {
            self.log.push((now, to, message));
            self.endpoints[to as usize].receive(now, message);
        }
        for tile in 0..self.endpoints.len() {
            let effects = self.endpoints[tile].tick(now, &self.settings, &mut self.bytes);
            if let Some(leaving) = effects.leaving {
                let message = (leaving.cycle, leaving.to, leaving.message);
                self.messages.push(message);
            }
            if let Some(burst) = effects.consumed {
                let lanes = &mut self.endpoints[burst as usize / 2].lanes;
                lanes[burst as usize % 2].credit(tile as u32);
            }
            if let Some(instance) = effects.done {
                self.done.push((instance, now + 1));
            }
        }
        self.now += 1;
    }

    #[cfg(test)]
    pub(crate) fn run(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.cycle();
        }
    }

    /// Cycles in which messages like this one came.
    pub(crate) fn came(&self, is_wanted: impl Fn(&NarrowMessage) -> bool) -> Vec<(u64, u32)> {
        let wanted = self.log.iter().filter(|(_, _, m)| is_wanted(m));
        wanted.map(|(cycle, to, _)| (*cycle, *to)).collect()
    }
}
