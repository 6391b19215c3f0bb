// SPDX-License-Identifier: Apache-2.0
//! How a core reads packets: to their place if their message may be received, else to a list from which they are copied later.

use super::core::Doing;
use super::packets::PacketEvent;
use super::{Event, Walk};

/// A packet that it reads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading {
    packet: u32,
    is_placed: bool,
    /// It reads from here on, and so many words are left.
    from: u64,
    left_words: u64,
    /// Does something else go on meanwhile?
    is_paused: bool,
}

/// How far a message has come at its receiver.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Received {
    pub(super) begun_units: u64,
    pub(super) placed_units: u64,
    pub(super) listed_words: u64,
    pub(super) listed_units: u64,
    listed_rows: u64,
}

impl Walk<'_> {
    /// Copies what stands in the list, or begins to read a unit of a message that may be received.
    pub(super) fn receive_posted(&mut self, tile: usize, now: u64) -> bool {
        if let Some(message) = self.cores[tile].copies.pop_front() {
            let received = self.received[message as usize];
            let of_rows = received.listed_rows * u64::from(self.spec.row_cycles)
                + received.listed_units * u64::from(self.spec.list_cycles);
            self.cores[tile].doing = Doing::Copy(message);
            self.cores[tile].busy_until =
                now + received.listed_words * self.spec.read_word_cycles() + of_rows;
            return true;
        }
        let first = self.cores[tile].queue.front().copied();
        first.is_some_and(|packet| self.is_posted(packet)) && self.receive(tile, now)
    }

    fn is_posted(&self, packet: u32) -> bool {
        let message = self.packets.packet(packet).message;
        self.program
            .instances
            .is_ready(self.messages[message as usize].receiving)
    }

    /// Begins to read the unit that stands first; false if none has come.
    pub(super) fn receive(&mut self, tile: usize, now: u64) -> bool {
        if self.cores[tile].reading.is_some() {
            return true;
        }
        let Some(packet) = self.cores[tile].queue.pop_front() else {
            return false;
        };
        let is_placed = self.is_posted(packet);
        let of = self.packets.packet(packet);
        let (message, words) = (of.message as usize, of.words);
        let unit = self.received[message].begun_units;
        self.received[message].begun_units += 1;
        let mut cycles = u64::from(self.spec.unit_cycles);
        if is_placed {
            cycles = self.unit_cycles(self.messages[message], unit);
        } else {
            let rows = self.messages[message].next_rows(unit, self.spec.unit_bytes.into());
            self.received[message].listed_rows += rows;
        }
        if unit == 0 {
            let idle = now.saturating_sub(self.cores[tile].busy_until);
            let ahead = idle.min(self.spec.receive_ahead_cycles.into());
            cycles += u64::from(self.spec.receive_cycles) - ahead;
        }
        let from = now + cycles;
        self.cores[tile].busy_until = from;
        self.cores[tile].reading = Some(Reading {
            packet,
            is_placed,
            from,
            left_words: words,
            is_paused: false,
        });
        let space = PacketEvent::Space(tile as u32, words);
        self.events.push(from, Event::Packet(space));
        true
    }

    /// When the packet that it reads is read, if that is known and nothing comes between.
    pub(super) fn reading_end(&self, tile: usize) -> Option<u64> {
        let reading = self.cores[tile]
            .reading
            .filter(|reading| !reading.is_paused)?;
        let last = self.packets.packet(reading.packet).last_word?;
        let word = self.spec.read_word_cycles();
        Some((last + word).max(reading.from + reading.left_words * word))
    }

    /// Something else goes on: words that it has read by now are read.
    pub(super) fn pause_reading(&mut self, tile: usize, now: u64) {
        let word = self.spec.read_word_cycles();
        if let Some(reading) = self.cores[tile].reading.as_mut().filter(|r| !r.is_paused) {
            let read = now.saturating_sub(reading.from) / word;
            reading.left_words = reading.left_words.saturating_sub(read).max(1);
            reading.is_paused = true;
        }
    }

    pub(super) fn resume_reading(&mut self, tile: usize, now: u64) {
        if let Some(reading) = self.cores[tile].reading.as_mut().filter(|r| r.is_paused) {
            reading.from = now;
            reading.is_paused = false;
        }
    }

    pub(super) fn read_on(&mut self, tile: usize, now: u64) {
        if self.reading_end(tile).is_none_or(|end| end > now) {
            return;
        }
        let Some(reading) = self.cores[tile].reading.take() else {
            return;
        };
        let packet = self.packets.packet(reading.packet);
        let (number, words) = (
            packet.message,
            packet.words - u64::from(noccl_spec::UNIT_HEAD_WORDS),
        );
        self.packets.close(reading.packet);
        let received = &mut self.received[number as usize];
        if reading.is_placed {
            received.placed_units += 1;
            return self.end_if_placed(number, now);
        }
        received.listed_words += words;
        received.listed_units += 1;
        let receiving = self.messages[number as usize].receiving;
        if received.listed_units == 1 && self.program.instances.is_ready(receiving) {
            self.cores[tile].copies.push_back(number);
        }
    }

    pub(super) fn end_copy(&mut self, number: u32, now: u64) {
        let received = &mut self.received[number as usize];
        received.placed_units += std::mem::take(&mut received.listed_units);
        (received.listed_words, received.listed_rows) = (0, 0);
        self.end_if_placed(number, now);
    }

    fn end_if_placed(&mut self, number: u32, now: u64) {
        let message = self.messages[number as usize];
        if self.received[number as usize].placed_units == message.units {
            self.end_share(message.receiving, now);
        }
    }
}
