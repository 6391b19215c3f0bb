// SPDX-License-Identifier: Apache-2.0
//! Reading words from the receive store: to their place, or to a list while the message may not be received.

use super::core::{CoreReading, Doing, Next};
use super::{CoreUnit, Cores, DATA_TAG, REQUEST_TAG, UnitKind};
use crate::kernel::random::mix;
use noccl_net::TileId;
use noccl_spec::FlowControl;
use std::ops::Range;

impl Cores<'_> {
    /// May the message whose unit stands first be received?
    pub(super) fn first_is_posted(&self, tile: usize) -> bool {
        let store = &self.stores[tile];
        let first = store.first(store.queue_of(DATA_TAG));
        first.is_some_and(|stored| self.is_posted(self.units[stored.unit as usize].message))
    }

    /// Has a request come?
    pub(super) fn has_request(&self, tile: usize) -> bool {
        let store = &self.stores[tile];
        store.first(store.queue_of(REQUEST_TAG)).is_some()
    }

    /// Is everything over that a receiver waits for before it?
    fn is_posted(&self, message: u32) -> bool {
        let message = self.messages.get(message);
        message.is_some_and(|m| self.program.instances.is_ready(m.receiving))
    }

    /// Goes on with the unit that it reads, or begins the one that stands first; `None` if no word has come.
    ///
    /// Responses are read by who waits for them; where they fill the store, nothing else could come any more, and they are read here.
    pub(super) fn receive(&mut self, tile: usize, now: u64) -> Option<Next> {
        self.receive_message(tile, now).or_else(|| {
            let is_full = !self.stores[tile].has_space();
            (is_full && self.read_response(tile))
                .then(|| Next::At(now + self.spec.read_word_cycles()))
        })
    }

    fn receive_message(&mut self, tile: usize, now: u64) -> Option<Next> {
        if self.cores[tile].reading.is_some() {
            return self.read_on(tile, now);
        }
        if let Some(next) = self.interrupt(tile, now) {
            return Some(next);
        }
        let queue = self.stores[tile].queue_of(DATA_TAG);
        let first = self.stores[tile].first(queue)?;
        let unit = self.units[first.unit as usize];
        let is_placed = self.is_posted(unit.message);
        let message = self.messages.get_mut(unit.message)?;
        let mut cycles = u64::from(self.spec.unit_cycles);
        if is_placed && let UnitKind::Data(index) = unit.kind {
            cycles += message.next_rows(index) * u64::from(self.spec.row_cycles);
        }
        if !std::mem::replace(&mut message.is_begun, true) {
            // Instructions before the wait, which a core that stands still has behind it.
            let idle = now.saturating_sub(self.cores[tile].free_since);
            let ahead = idle.min(self.spec.receive_ahead_cycles.into());
            let receive = u64::from(self.spec.receive_cycles) - ahead;
            cycles += receive + self.noise.cycles(unit.message);
        }
        self.cores[tile].reading = Some(CoreReading { queue, is_placed });
        if cycles > 0 {
            return Some(Next::At(now + cycles));
        }
        self.read_on(tile, now)
    }

    /// Takes a request: the interrupt, before its words are read.
    fn interrupt(&mut self, tile: usize, now: u64) -> Option<Next> {
        let queue = self.stores[tile].queue_of(REQUEST_TAG);
        self.stores[tile].first(queue)?;
        let is_placed = true;
        self.cores[tile].reading = Some(CoreReading { queue, is_placed });
        Some(Next::At(now + u64::from(self.spec.interrupt_cycles)))
    }

    /// Reads a word of the unit that it has begun; `None` if none has come.
    pub(super) fn read_on(&mut self, tile: usize, now: u64) -> Option<Next> {
        let reading = self.cores[tile].reading?;
        let read = self.stores[tile].read(reading.queue)?;
        if read.left == 0 {
            self.cores[tile].reading = None;
            self.free_units.push(read.unit);
            let unit = self.units[read.unit as usize];
            self.has_read(tile, unit, reading.is_placed, now);
        }
        Some(Next::At(now + self.spec.read_word_cycles()))
    }

    /// A unit is read.
    fn has_read(&mut self, tile: usize, unit: CoreUnit, is_placed: bool, now: u64) {
        let end = now + self.spec.read_word_cycles();
        let number = unit.message;
        let message = self.messages.get_mut(number);
        let (UnitKind::Data(index), Some(message)) = (unit.kind, message) else {
            // A request: its receiver is set up.
            let reply = (number, UnitKind::Reply);
            self.cores[tile].controls.push_back(reply);
            return;
        };
        self.wrong_units += u64::from(index != message.read);
        message.read += 1;
        if is_placed {
            self.place(tile, number, index..index + 1, end);
            return;
        }
        let is_first = message.listed.is_empty();
        let start = if is_first {
            index
        } else {
            message.listed.start
        };
        message.listed = start..index + 1;
        // What it waited for may have ended while the unit was read.
        if is_first && self.is_posted(number) {
            self.cores[tile].copies.push_back(number);
        }
    }

    /// Units of a message are at their place.
    fn place(&mut self, tile: usize, number: u32, units: Range<u32>, end: u64) {
        let Some(message) = self.messages.get_mut(number) else {
            return;
        };
        message.placed += units.end - units.start;
        let stream = message.range(units.start).start..message.range(units.end - 1).end;
        let rows = message.rows;
        let parts = rows.parts(stream.clone());
        let bytes: u64 = parts.map(|p| p.sent.end - p.sent.start).sum();
        let is_placed = message.is_placed();
        // Other units need it until the last one is placed.
        let payload = std::mem::take(&mut message.payload);
        let (from, to) = (TileId(message.source), TileId(message.target));
        let hops = self.network.coord(from).hops_to(self.network.coord(to));
        self.counters.spm_write_bytes += bytes;
        self.counters.payload_byte_hops += bytes * u64::from(hops);
        let key = u64::from(number) << 32 | u64::from(units.end);
        self.checksum = self.checksum.wrapping_add(mix(key));
        if self.is_value {
            self.scatter(tile as u32, rows, stream, &payload);
        }
        if !is_placed {
            if let Some(message) = self.messages.get_mut(number) {
                message.payload = payload;
            }
            return;
        }
        match self.spec.flow_control {
            FlowControl::None => self.end_receive(number, end),
            FlowControl::ReadyAck => {
                let acknowledgement = (number, UnitKind::Acknowledgement);
                self.cores[tile].controls.push_back(acknowledgement);
            }
        }
    }

    /// A message has been received.
    pub(super) fn end_receive(&mut self, number: u32, end: u64) {
        let Some(message) = self.messages.get(number) else {
            return;
        };
        let (share, round) = (message.receiving, message.round);
        self.rounds.has_come(round, message.target);
        self.end_share(share, end);
    }

    /// Begins to copy what stands in the list: a cycle of each word.
    pub(super) fn begin_copy(&mut self, tile: usize, number: u32, now: u64) -> Next {
        let Some(message) = self.messages.get(number) else {
            return Next::At(now);
        };
        let units = message.listed.clone();
        let words: u32 = units.clone().map(|unit| message.payload_words(unit)).sum();
        let rows: u64 = units.map(|unit| message.next_rows(unit)).sum();
        self.cores[tile].doing = Doing::Copy { message: number };
        let of_rows = rows * u64::from(self.spec.row_cycles);
        let of_units =
            u64::from(message.listed.end - message.listed.start) * u64::from(self.spec.list_cycles);
        Next::At(now + u64::from(words) * self.spec.read_word_cycles() + of_rows + of_units)
    }

    pub(super) fn end_copy(&mut self, tile: usize, number: u32, now: u64) {
        self.cores[tile].doing = Doing::Nothing;
        let Some(message) = self.messages.get_mut(number) else {
            return;
        };
        let units = std::mem::take(&mut message.listed);
        self.place(tile, number, units, now);
    }
}
