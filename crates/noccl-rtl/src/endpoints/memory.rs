// SPDX-License-Identifier: Apache-2.0
//! The memory of a tile: bytes, a latency, and one answer per port and cycle, in order. It takes what it is
//! offered unless a port is said to be busy.

use super::axi::{Bit, Busy, MemoryAnswers, Shown, WritePort};
use noccl_run::{AxiPort, FlitRecord};
use std::collections::{HashMap, VecDeque};

/// A tile's memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory {
    latency: u64,
    atomic_cycles: u64,
    lines: HashMap<u64, [u8; 64]>,
    /// Words that atomics count on.
    counters: HashMap<u64, u64>,
    /// Cycles in which answers are due, by port: wide, own, narrow, own narrow.
    answers: [VecDeque<u64>; 4],
    /// Lines to be read: when, which, and whether they end a burst.
    reads: VecDeque<(u64, u64, bool)>,
    /// Data of narrow reads and atomics.
    narrow_reads: VecDeque<(u64, u64)>,
    atomic_busy_until: u64,
}

impl Memory {
    pub(crate) fn new(latency: u64, atomic_cycles: u64) -> Self {
        Self {
            latency,
            atomic_cycles,
            ..Self::default()
        }
    }

    /// What it answers in a cycle. A beat that the network brings in this cycle is seen by what is read: as in the simulator, whose
    /// memories are written before they are read. That it lands then is compared.
    pub(crate) fn answers(&self, cycle: u64, landing: Option<&FlitRecord>) -> MemoryAnswers {
        let [wide_b, own_b, narrow_b, own_narrow_b] = self
            .answers
            .each_ref()
            .map(|due| due.front().is_some_and(|at| *at <= cycle));
        let read = self.reads.front().filter(|(at, _, _)| *at <= cycle);
        let narrow = self.narrow_reads.front().filter(|(at, _)| *at <= cycle);
        MemoryAnswers {
            wide_b,
            own_b,
            narrow_b,
            own_narrow_b,
            wide_r: read.map(|(_, line, is_last)| (self.line_with(*line, landing), *is_last)),
            narrow_r: narrow.map(|(_, value)| *value),
        }
    }

    /// Takes note of the handshakes of this cycle.
    pub(crate) fn follow(
        &mut self,
        shown: Shown<'_>,
        given: &MemoryAnswers,
        (busy, cycle): (Busy, u64),
    ) {
        let takes = |bit: Bit, port: AxiPort| shown.has(bit) && !busy[port as usize];
        self.forget(shown, given);
        let due = cycle + self.latency;
        let writes = [
            (
                takes(Bit::MemAw, AxiPort::WideWrite),
                Some(WritePort::Network),
            ),
            (shown.has(Bit::OwnAw), Some(WritePort::Own)),
            (takes(Bit::RegAw, AxiPort::NarrowWrite), None),
            (shown.has(Bit::OwnRegAw), None),
        ];
        for (i, (is_taken, port)) in writes.into_iter().enumerate() {
            if is_taken {
                self.answers[i].push_back(due);
                if let Some(port) = port {
                    self.store(shown.beat(port));
                }
            }
        }
        if takes(Bit::MemAr, AxiPort::WideRead) {
            let (address, beats) = shown.mem_ar();
            let line = |i: u16| (due, address / 64 + u64::from(i), i + 1 == beats);
            self.reads.extend((0..beats).map(line));
        }
        if takes(Bit::RegAr, AxiPort::NarrowRead) {
            self.narrow_reads.push_back((due, 0));
        }
        if takes(Bit::RegAw, AxiPort::NarrowWrite) && shown.has(Bit::RegIsAtomic) {
            let done = self.atomic_busy_until.max(cycle) + self.atomic_cycles;
            self.atomic_busy_until = done;
            let word = self.counters.entry(shown.reg_aw()).or_insert(0);
            self.narrow_reads.push_back((done, *word));
            *word += 1;
        }
    }

    /// Writes the enabled bytes of a beat.
    pub(crate) fn store(&mut self, (address, strobe, data): (u64, u64, [u8; 64])) {
        let line = self.lines.entry(address / 64).or_insert([0; 64]);
        for i in (0..64).filter(|i| strobe >> i & 1 != 0) {
            line[i] = data[i];
        }
    }

    /// Writes bytes from an offset on.
    pub(crate) fn fill(&mut self, offset: u64, bytes: &[u8]) {
        for (at, byte) in (offset..).zip(bytes) {
            self.lines.entry(at / 64).or_insert([0; 64])[(at % 64) as usize] = *byte;
        }
    }

    /// Bytes from an offset on.
    pub(crate) fn bytes(&self, offset: u64, len: usize) -> Vec<u8> {
        let byte = |at| self.line(at / 64)[(at % 64) as usize];
        (offset..).take(len).map(byte).collect()
    }

    /// Answers that have been taken.
    fn forget(&mut self, shown: Shown<'_>, given: &MemoryAnswers) {
        let taken = [
            given.wide_b && shown.has(Bit::MemB),
            given.own_b && shown.has(Bit::OwnB),
            given.narrow_b && shown.has(Bit::RegB),
            given.own_narrow_b && shown.has(Bit::OwnRegB),
        ];
        for (answers, taken) in self.answers.iter_mut().zip(taken) {
            if taken {
                answers.pop_front();
            }
        }
        if given.wide_r.is_some() && shown.has(Bit::MemR) {
            self.reads.pop_front();
        }
        if given.narrow_r.is_some() && shown.has(Bit::RegR) {
            self.narrow_reads.pop_front();
        }
    }

    /// A line's bytes after a beat.
    fn line_with(&self, line: u64, landing: Option<&FlitRecord>) -> [u8; 64] {
        let mut bytes = self.line(line);
        let beat = landing.filter(|f| f.address / 64 + u64::from(f.beat) == line);
        if let Some((flit, data)) = beat.and_then(|f| Some((f, f.data?))) {
            let first = flit.address.max(line * 64) - line * 64;
            let end = (flit.address + u64::from(flit.bytes)).min(line * 64 + 64) - line * 64;
            let range = first as usize..end as usize;
            bytes[range.clone()].copy_from_slice(&data[range]);
        }
        bytes
    }

    /// A line's bytes; zeros where nothing was written.
    pub(crate) fn line(&self, line: u64) -> [u8; 64] {
        self.lines.get(&line).copied().unwrap_or([0; 64])
    }
}
