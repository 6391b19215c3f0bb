// SPDX-License-Identifier: Apache-2.0
//! The memory of a tile: bytes, a latency, and one answer per port and cycle, in order. It takes what it is
//! offered unless a port is said to be busy, and answers with an error where it is broken.

mod broken;
pub(crate) mod line;
pub(crate) mod map;

use super::axi::{Bit, Busy, MemoryAnswers, Response, Shown, WritePort};
use broken::Broken;
use line::{LINE_BYTES, Line, lane_of, line_of, start_of};
use noccl_run::{AxiPort, FlitRecord};
use std::collections::{HashMap, VecDeque};
use std::ops::Range;

/// Bytes of the words that atomics count on.
const COUNTER_BYTES: u64 = 4;

/// An answer to a write.
#[derive(Debug, Clone, Copy)]
struct Answer {
    due: u64,
    response: Response,
    /// The line that was written, at the network's wide port.
    line: Option<u64>,
}

/// A line to be read.
#[derive(Debug, Clone, Copy)]
struct Read {
    due: u64,
    response: Response,
    line: u64,
    is_last: bool,
}

/// A tile's memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory {
    latency: u64,
    atomic_cycles: u64,
    lines: HashMap<u64, Line>,
    /// Words that atomics count on.
    counters: HashMap<u64, u64>,
    /// Answers by port: wide, own, narrow, own narrow.
    answers: [VecDeque<Answer>; 4],
    reads: VecDeque<Read>,
    /// Data of narrow reads and atomics, and when they are due.
    narrow_reads: VecDeque<(u64, u64, Response)>,
    atomic_busy_until: u64,
    broken: Broken,
}

impl Memory {
    pub(crate) fn new(latency: u64, atomic_cycles: u64) -> Self {
        Self {
            latency,
            atomic_cycles,
            ..Self::default()
        }
    }

    /// These bytes fail.
    pub(crate) fn break_bytes(&mut self, bytes: Range<u64>) {
        self.broken.add(bytes);
    }

    /// A burst will be written here.
    pub(crate) fn expect(&mut self, address: u64, bytes: u32) {
        self.broken.expect(address, u64::from(bytes));
    }

    /// Is this line part of a burst that fails?
    pub(crate) fn refuses(&self, line: u64) -> bool {
        self.broken.burst_of(line).is_some()
    }

    /// Have more bursts failed at a time than a network interface remembers?
    pub(crate) const fn has_failed_too_often(&self) -> bool {
        self.broken.has_overflowed()
    }

    /// What it answers in a cycle. A beat that the network brings in this cycle is seen by what is read: as in the simulator, whose
    /// memories are written before they are read. That it lands then is compared.
    pub(crate) fn answers(&self, cycle: u64, landing: Option<&FlitRecord>) -> MemoryAnswers {
        let due = |answers: &VecDeque<Answer>| {
            let first = answers.front().filter(|answer| answer.due <= cycle);
            first.map(|answer| answer.response)
        };
        let read = self.reads.front().filter(|read| read.due <= cycle);
        let narrow = self.narrow_reads.front().filter(|(due, ..)| *due <= cycle);
        MemoryAnswers {
            b: self.answers.each_ref().map(due),
            wide_r: read.map(|read| {
                let bytes = match read.response {
                    Response::Okay => self.line_with(read.line, landing),
                    Response::Failed => [0; LINE_BYTES],
                };
                (bytes, read.is_last, read.response)
            }),
            narrow_r: narrow.map(|(_, value, response)| (*value, *response)),
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
        if takes(Bit::MemAw, AxiPort::WideWrite) {
            self.take_line(0, shown.beat(WritePort::Network), cycle);
        }
        if shown.has(Bit::OwnAw) {
            self.take_line(1, shown.beat(WritePort::Own), cycle);
        }
        if takes(Bit::RegAw, AxiPort::NarrowWrite) {
            let is_atomic = shown.has(Bit::RegIsAtomic);
            self.take_word(2, (shown.reg_aw(), is_atomic), cycle);
        }
        if shown.has(Bit::OwnRegAw) {
            self.take_word(3, (shown.own_reg_aw(), false), cycle);
        }
        let due = cycle + self.latency;
        if takes(Bit::MemAr, AxiPort::WideRead) {
            let (address, beats) = shown.mem_ar();
            let bytes = start_of(u64::from(beats));
            let response = Response::new(self.broken.touches(address, bytes));
            self.reads.extend((0..beats).map(|i| Read {
                due,
                response,
                line: line_of(address) + u64::from(i),
                is_last: i + 1 == beats,
            }));
        }
        if takes(Bit::RegAr, AxiPort::NarrowRead) {
            let response = Response::new(self.broken.touches(shown.reg_ar(), 0));
            self.narrow_reads.push_back((due, 0, response));
        }
    }

    /// A beat of a write at a wide port.
    fn take_line(&mut self, port: usize, beat: (u64, u64, Line), cycle: u64) {
        let line = line_of(beat.0);
        let response = Response::new(self.refuses(line));
        self.answers[port].push_back(Answer {
            due: cycle + self.latency,
            response,
            line: (port == 0).then_some(line),
        });
        if response == Response::Okay {
            self.store(beat);
        }
    }

    /// A write or an atomic at a narrow port.
    fn take_word(&mut self, port: usize, (address, is_atomic): (u64, bool), cycle: u64) {
        let bytes = if is_atomic { COUNTER_BYTES } else { 0 };
        let response = Response::new(self.broken.touches(address, bytes));
        self.answers[port].push_back(Answer {
            due: cycle + self.latency,
            response,
            line: None,
        });
        if is_atomic {
            let done = self.atomic_busy_until.max(cycle) + self.atomic_cycles;
            self.atomic_busy_until = done;
            let old = match response {
                Response::Okay => {
                    let word = self.counters.entry(address).or_insert(0);
                    *word += 1;
                    *word - 1
                }
                Response::Failed => 0,
            };
            self.narrow_reads.push_back((done, old, response));
        }
    }

    /// Writes the enabled bytes of a beat.
    pub(crate) fn store(&mut self, (address, strobe, data): (u64, u64, Line)) {
        let line = self
            .lines
            .entry(line_of(address))
            .or_insert([0; LINE_BYTES]);
        for i in (0..LINE_BYTES).filter(|i| strobe >> i & 1 != 0) {
            line[i] = data[i];
        }
    }

    /// Writes bytes from an offset on.
    pub(crate) fn fill(&mut self, offset: u64, bytes: &[u8]) {
        for (at, byte) in (offset..).zip(bytes) {
            let line = self.lines.entry(line_of(at)).or_insert([0; LINE_BYTES]);
            line[lane_of(at)] = *byte;
        }
    }

    /// Bytes from an offset on.
    pub(crate) fn bytes(&self, offset: u64, len: usize) -> Vec<u8> {
        let byte = |at| self.line(line_of(at))[lane_of(at)];
        (offset..).take(len).map(byte).collect()
    }

    /// Answers that have been taken.
    fn forget(&mut self, shown: Shown<'_>, given: &MemoryAnswers) {
        let ports = [Bit::MemB, Bit::OwnB, Bit::RegB, Bit::OwnRegB];
        for ((port, bit), answers) in ports.into_iter().enumerate().zip(&mut self.answers) {
            if given.b[port].is_some() && shown.has(bit) {
                let line = answers.pop_front().and_then(|answer| answer.line);
                line.into_iter().for_each(|line| self.broken.answered(line));
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
    fn line_with(&self, line: u64, landing: Option<&FlitRecord>) -> Line {
        let mut bytes = self.line(line);
        let lands = |f: &&FlitRecord| line_of(f.address) + u64::from(f.beat) == line;
        // Nothing of a marked sum is written.
        let is_written = |f: &&FlitRecord| f.resp == 0 && !self.refuses(line);
        let beat = landing.filter(lands).filter(is_written);
        if let Some((flit, data)) = beat.and_then(|f| Some((f, f.data?))) {
            let (from, to) = (start_of(line), start_of(line + 1));
            let first = flit.address.max(from) - from;
            let end = (flit.address + u64::from(flit.bytes)).min(to) - from;
            let range = first as usize..end as usize;
            bytes[range.clone()].copy_from_slice(&data[range]);
        }
        bytes
    }

    /// A line's bytes; zeros where nothing was written.
    pub(crate) fn line(&self, line: u64) -> Line {
        self.lines.get(&line).copied().unwrap_or([0; LINE_BYTES])
    }
}
