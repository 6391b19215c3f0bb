// SPDX-License-Identifier: Apache-2.0
//! Read data on the path through a tile's DMA engine, as the simulator's engine has them: for its own L1, or for writes.

use crate::endpoints::memory::Memory;
use noccl_net::Coord;
use noccl_run::{RecordedRows, TransferStart};
use std::collections::VecDeque;

/// A transfer whose read data have not all come.
#[derive(Debug, Clone)]
struct Reading {
    total_bytes: u64,
    received_bytes: u64,
    row_bytes: u64,
    /// Where they go in the own L1; `None` if they go on over the network.
    own: Option<RecordedRows>,
}

/// The path of a tile's read data.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReadPath {
    /// From R to the first cycle in which a write may give the bytes.
    cycles: u64,
    reading: VecDeque<Reading>,
    in_flight: VecDeque<(u64, Vec<u8>)>,
    buffer: VecDeque<u8>,
}

impl ReadPath {
    pub(crate) fn new(cycles: u64) -> Self {
        Self {
            cycles,
            ..Self::default()
        }
    }

    /// The engine of the tile at `home` begins a transfer.
    pub(crate) fn begin(&mut self, start: &TransferStart, home: Coord) {
        if start.source.tile == home {
            return;
        }
        let to = &start.destination;
        self.reading.push_back(Reading {
            total_bytes: start.bytes * u64::from(start.rows),
            received_bytes: 0,
            row_bytes: start.bytes,
            own: (to.set.is_none() && to.tile == home).then_some(*to),
        });
    }

    /// Bytes of a beat of R.
    pub(crate) fn take(&mut self, cycle: u64, bytes: Vec<u8>) {
        // Reads of a trace are nobody's transfer.
        if !self.reading.is_empty() {
            self.in_flight.push_back((cycle + self.cycles, bytes));
        }
    }

    /// Bytes reach the buffer, or the own L1.
    pub(crate) fn arrive(&mut self, cycle: u64, memory: &mut Memory) {
        while let Some((_, bytes)) = self.in_flight.pop_front_if(|(at, _)| *at <= cycle) {
            let Some(reading) = self.reading.front_mut() else {
                return;
            };
            let at = reading.received_bytes;
            match &reading.own {
                None => self.buffer.extend(&bytes),
                Some(rows) => {
                    let row = at / reading.row_bytes * rows.stride;
                    memory.fill(rows.offset + row + at % reading.row_bytes, &bytes);
                }
            }
            reading.received_bytes += bytes.len() as u64;
            if reading.received_bytes == reading.total_bytes {
                self.reading.pop_front();
            }
        }
    }

    /// Bytes that a write may give.
    pub(crate) fn available(&self) -> usize {
        self.buffer.len()
    }

    /// The first of them.
    pub(crate) fn first(&self, len: usize) -> Vec<u8> {
        self.buffer.iter().take(len).copied().collect()
    }

    /// A write has given them.
    pub(crate) fn drop_first(&mut self, len: usize) {
        self.buffer.drain(..len);
    }
}
