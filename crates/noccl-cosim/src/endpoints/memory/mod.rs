// SPDX-License-Identifier: Apache-2.0
//! The memory of a tile: bytes, a latency, and one response per port and cycle, in order. It takes what it is
//! offered unless a port is said to be busy, and responds with an error where it is broken.

mod broken;
pub(crate) mod line;
pub(crate) mod map;

use super::axi::{Bit, Busy, MemoryResponses, Resp, Shown, WritePort};
use broken::Broken;
use line::{LINE_BYTES, Line, lane_of, line_of, start_of};
use noccl_run::{AxiPort, FlitRecord};
use std::collections::{HashMap, VecDeque};
use std::ops::Range;

/// Bytes of the words that atomics count on.
const COUNTER_BYTES: u64 = 4;

/// A response to a write.
#[derive(Debug, Clone, Copy)]
struct WriteResponse {
    due: u64,
    resp: Resp,
    /// The line that was written, at the network's wide port.
    line: Option<u64>,
}

/// A line to be read.
#[derive(Debug, Clone, Copy)]
struct Read {
    due: u64,
    resp: Resp,
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
    /// Write responses by port: wide, own, narrow, own narrow.
    responses: [VecDeque<WriteResponse>; 4],
    reads: VecDeque<Read>,
    /// Data of narrow reads and atomics, and when they are due.
    narrow_reads: VecDeque<(u64, u64, Resp)>,
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

    /// What it responds in a cycle. A beat that the network brings in this cycle is seen by what is read: as in the simulator, whose
    /// memories are written before they are read. That it is written then is compared.
    pub(crate) fn responses(&self, cycle: u64, beat: Option<&FlitRecord>) -> MemoryResponses {
        let due = |responses: &VecDeque<WriteResponse>| {
            let first = responses.front().filter(|response| response.due <= cycle);
            first.map(|response| response.resp)
        };
        let read = self.reads.front().filter(|read| read.due <= cycle);
        let narrow = self.narrow_reads.front().filter(|(due, ..)| *due <= cycle);
        MemoryResponses {
            b: self.responses.each_ref().map(due),
            wide_r: read.map(|read| {
                let bytes = match read.resp {
                    Resp::Okay => self.line_with(read.line, beat),
                    Resp::Failed => [0; LINE_BYTES],
                };
                (bytes, read.is_last, read.resp)
            }),
            narrow_r: narrow.map(|(_, value, resp)| (*value, *resp)),
        }
    }

    /// Takes note of the handshakes of this cycle.
    pub(crate) fn follow(
        &mut self,
        shown: Shown<'_>,
        given: &MemoryResponses,
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
            let resp = Resp::new(self.broken.touches(address, bytes));
            self.reads.extend((0..beats).map(|i| Read {
                due,
                resp,
                line: line_of(address) + u64::from(i),
                is_last: i + 1 == beats,
            }));
        }
        if takes(Bit::RegAr, AxiPort::NarrowRead) {
            let resp = Resp::new(self.broken.touches(shown.reg_ar(), 0));
            self.narrow_reads.push_back((due, 0, resp));
        }
    }

    /// A beat of a write at a wide port.
    fn take_line(&mut self, port: usize, beat: (u64, u64, Line), cycle: u64) {
        let line = line_of(beat.0);
        let resp = Resp::new(self.refuses(line));
        self.responses[port].push_back(WriteResponse {
            due: cycle + self.latency,
            resp,
            line: (port == 0).then_some(line),
        });
        if resp == Resp::Okay {
            self.store(beat);
        }
    }

    /// A write or an atomic at a narrow port.
    fn take_word(&mut self, port: usize, (address, is_atomic): (u64, bool), cycle: u64) {
        let bytes = if is_atomic { COUNTER_BYTES } else { 0 };
        let resp = Resp::new(self.broken.touches(address, bytes));
        self.responses[port].push_back(WriteResponse {
            due: cycle + self.latency,
            resp,
            line: None,
        });
        if is_atomic {
            let done = self.atomic_busy_until.max(cycle) + self.atomic_cycles;
            self.atomic_busy_until = done;
            let old = match resp {
                Resp::Okay => {
                    let word = self.counters.entry(address).or_insert(0);
                    *word += 1;
                    *word - 1
                }
                Resp::Failed => 0,
            };
            self.narrow_reads.push_back((done, old, resp));
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

    /// Responses that have been taken.
    fn forget(&mut self, shown: Shown<'_>, given: &MemoryResponses) {
        let ports = [Bit::MemB, Bit::OwnB, Bit::RegB, Bit::OwnRegB];
        for ((port, bit), responses) in ports.into_iter().enumerate().zip(&mut self.responses) {
            if given.b[port].is_some() && shown.has(bit) {
                let line = responses.pop_front().and_then(|response| response.line);
                line.into_iter()
                    .for_each(|line| self.broken.responded(line));
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
    fn line_with(&self, line: u64, beat: Option<&FlitRecord>) -> Line {
        let mut bytes = self.line(line);
        let is_of_line = |f: &&FlitRecord| line_of(f.address) + u64::from(f.beat) == line;
        // Nothing of a marked sum is written.
        let is_written = |f: &&FlitRecord| f.resp == 0 && !self.refuses(line);
        let beat = beat.filter(is_of_line).filter(is_written);
        if let Some((flit, data)) = beat.and_then(|f| Some((f, f.data.as_deref()?))) {
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
