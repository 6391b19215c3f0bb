// SPDX-License-Identifier: Apache-2.0
//! An endpoint with what the simulator's NI stands for at its subordinate ports, and its memory.

use super::crossbar::CrossbarMove;
use noccl_run::PortWord;
use noccl_sim::lean_endpoint::{Bytes, Lean, Settings};
use std::collections::BTreeMap;

const WORD_BYTES: u64 = 8;
/// Responses that the narrow port keeps.
const MAX_RESPONSES: usize = 2;

pub(super) struct Tile {
    pub lean: Lean,
    pub inbox: InboxPort,
    pub window: WindowPort,
}

impl Tile {
    pub(super) fn new(tile: u32) -> Self {
        Self {
            lean: Lean::new(tile),
            inbox: InboxPort::default(),
            window: WindowPort::default(),
        }
    }
}

/// The narrow subordinate port: a message from its address to its last word, and responses.
#[derive(Debug, Default)]
pub(super) struct InboxPort {
    is_open: bool,
    responses: usize,
}

impl InboxPort {
    /// Which of address and word it takes when it is offered an address or not.
    pub(super) const fn ready(&self, begins: bool) -> [bool; 2] {
        let has_space = self.responses < MAX_RESPONSES;
        [
            !self.is_open && has_space,
            (self.is_open || begins) && has_space,
        ]
    }

    pub(super) const fn has_response(&self) -> bool {
        self.responses > 0
    }

    pub(super) fn step(&mut self, step: &CrossbarMove) {
        let ends = step.taken[1] && step.is_last;
        self.is_open = (self.is_open || step.taken[0]) && !ends;
        self.responses += usize::from(ends);
        self.responses -= usize::from(step.responded.is_some());
    }
}

/// The wide subordinate port: bursts without a response, and those of them whose beats have left the buffer.
#[derive(Debug, Default)]
pub(super) struct WindowPort {
    bursts: u32,
    gone: u32,
}

impl WindowPort {
    pub(super) const fn takes_address(&self, settings: &Settings) -> bool {
        self.bursts <= settings.buffer_bursts
    }

    pub(super) const fn has_response(&self) -> bool {
        self.bursts > 0 && self.gone > 0
    }

    pub(super) fn step(&mut self, step: &CrossbarMove, is_gone: bool) {
        self.bursts += u32::from(step.taken[0]);
        self.gone += u32::from(is_gone);
        if step.responded.is_some() {
            self.bursts -= 1;
            self.gone -= 1;
        }
    }
}

/// The memories of all tiles, and the beats in flight.
pub(super) struct TileMemory {
    words: Vec<BTreeMap<u64, u64>>,
    written: Vec<BTreeMap<u64, u64>>,
    beats: Vec<[u64; 8]>,
}

impl TileMemory {
    pub(super) fn holding(endpoints: usize, words: &[PortWord]) -> Self {
        let mut memories = vec![BTreeMap::new(); endpoints];
        for PortWord {
            endpoint,
            word,
            value,
        } in words
        {
            memories[*endpoint as usize].insert(*word, *value);
        }
        Self {
            words: memories,
            written: vec![BTreeMap::new(); endpoints],
            beats: Vec::new(),
        }
    }

    pub(super) const fn of(&mut self, tile: usize) -> Own<'_> {
        Own { memory: self, tile }
    }

    pub(super) fn beat(&self, payload: u32) -> &[u64; 8] {
        &self.beats[payload as usize]
    }

    /// Every word that has been written.
    pub(super) fn written(&self) -> Vec<PortWord> {
        let tiles = self.written.iter().enumerate();
        let words = tiles.flat_map(|(endpoint, words)| {
            words.iter().map(move |(word, value)| PortWord {
                endpoint: endpoint as u32,
                word: *word,
                value: *value,
            })
        });
        words.collect()
    }
}

/// A tile's own memory. What chains read nobody writes, so beats are written when they reach their writer.
pub(super) struct Own<'a> {
    memory: &'a mut TileMemory,
    tile: usize,
}

impl Bytes for Own<'_> {
    fn load(&mut self, words: &[u64; 8]) -> u32 {
        let own = &self.memory.words[self.tile];
        // 0: memories are 0 before the first write.
        let beat = words.map(|at| own.get(&(at / WORD_BYTES)).copied().unwrap_or(0));
        self.memory.beats.push(beat);
        self.memory.beats.len() as u32 - 1
    }

    fn store(&mut self, words: &[u64; 8], payload: u32) {
        let beat = self.memory.beats[payload as usize];
        let places = words.iter().map(|at| at / WORD_BYTES);
        self.memory.written[self.tile].extend(places.zip(beat));
    }

    fn share(&mut self, _payload: u32) {}

    fn release(&mut self, _payload: u32) {}
}
