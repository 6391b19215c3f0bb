// SPDX-License-Identifier: Apache-2.0
//! What a core does next: one thing at a time, in the order that the simulator's cores keep.
//!
//! A core that stands still, as its port is full or a stream has not come, reads packets meanwhile, and goes on with what it was doing as soon
//! as that can go on; a packet that it has begun to read then waits.

use super::packets::PacketEvent;
use super::{Event, Walk};
use noccl_net::TileId;
use noccl_spec::DrainRule;
use noccl_workload::First;
use std::collections::VecDeque;

/// A core.
#[derive(Debug, Default)]
pub(super) struct Core {
    /// Shares that it begins in this order, and the next one.
    pub(super) main: Vec<u32>,
    next: usize,
    pub(super) doing: Doing,
    pub(super) reading: Option<Reading>,
    /// Packets in its queues, and messages of which units stand in its list and may be received now.
    pub(super) queue: VecDeque<u32>,
    pub(super) copies: VecDeque<u32>,
    /// Until then it is in the middle of instructions.
    pub(super) busy_until: u64,
    /// Number of its last alarm: earlier ones are void.
    pub(super) alarm: u32,
}

/// What it is in the middle of, beside reading.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doing {
    #[default]
    Nothing,
    /// A share that no network sees, until `busy_until`.
    Local(u32),
    /// It copies units of a message from its list.
    Copy(u32),
    /// It writes words of a message.
    Send(Writing),
    /// It takes part in a multicast over the static network, which ends then, once that is known.
    Stream { share: u32, end: Option<u64> },
}

/// How far it has written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Writing {
    share: u32,
    unit: u64,
    packet: Option<u32>,
    /// Words of the unit that are written.
    words: u64,
    /// When it goes on; `None` while its port is full.
    goes_on: Option<u64>,
}

impl Walk<'_> {
    /// A core looks what it can do; called whenever something of its own may have changed.
    pub(super) fn look(&mut self, tile: usize, now: u64) {
        self.read_on(tile, now);
        if now < self.cores[tile].busy_until {
            self.set_alarm(tile);
            return;
        }
        match self.cores[tile].doing {
            Doing::Nothing => {}
            Doing::Local(share) => self.end_share(share, now),
            Doing::Copy(message) => self.end_copy(message, now),
            Doing::Send(writing) => {
                if !self.write_on(tile, writing, now) {
                    self.stand_still(tile, now);
                    return self.set_alarm(tile);
                }
                self.end_share(writing.share, now);
            }
            Doing::Stream { share, end } => {
                if end.is_none_or(|end| end > now) {
                    if end.is_none() {
                        self.stand_still(tile, now);
                    }
                    return self.set_alarm(tile);
                }
                self.end_share(share, now);
            }
        }
        self.cores[tile].doing = Doing::Nothing;
        self.choose(tile, now);
        self.set_alarm(tile);
    }

    /// A core that is free: what it has begun to read, then its list or what has come.
    fn choose(&mut self, tile: usize, now: u64) {
        self.resume_reading(tile, now);
        let mut now_too = true;
        while now_too && self.cores[tile].reading.is_none() {
            now_too = match self.schedule.first {
                Some(First::Send) => self.begin_next(tile, now) || self.receive_posted(tile, now),
                Some(First::Receive) | None => {
                    self.receive_posted(tile, now) || self.begin_next(tile, now)
                }
            };
            let core = &self.cores[tile];
            let is_over = core.busy_until <= now && matches!(core.doing, Doing::Local(_));
            // What takes no time is done in one cycle.
            if let (true, Doing::Local(share)) = (is_over, core.doing) {
                self.cores[tile].doing = Doing::Nothing;
                self.end_share(share, now);
            } else if now_too {
                return;
            }
        }
        if self.cores[tile].reading.is_none() && self.spec.drain != DrainRule::Never {
            self.receive(tile, now);
        }
    }

    /// The next share of its list, if that may begin.
    fn begin_next(&mut self, tile: usize, now: u64) -> bool {
        let core = &mut self.cores[tile];
        let Some(share) = core.main.get(core.next).copied() else {
            return false;
        };
        if !self.program.instances.is_ready(share) {
            return false;
        }
        core.next += 1;
        self.program.begin(share, now);
        let action = self.program.instances.all[share].action;
        let kind = &self.schedule.actions[action as usize].kind;
        let crosses = kind.message().is_some_and(|message| !message.is_copy());
        let sent = kind.static_multicast();
        let (doing, cycles) = if crosses {
            let sent = self.messages[action as usize];
            let round = kind.message().and_then(|message| message.round);
            // 0: actions outside of a round wait for none.
            let of_round = round.map_or(0, |_| u64::from(self.spec.round_cycles));
            let before = u64::from(self.spec.send_cycles) + of_round + self.unit_cycles(sent, 0);
            let writing = Writing {
                share,
                unit: 0,
                packet: None,
                words: 0,
                goes_on: Some(now + before),
            };
            (Doing::Send(writing), before)
        } else if sent.is_some_and(|sent| sent.bytes > 0 && sent.set.len() > 1) {
            let end = self.join_stream(action, share, tile, now);
            (Doing::Stream { share, end }, self.spec.route_cycles.into())
        } else {
            (Doing::Local(share), kind.local_core_cycles(self.spec))
        };
        self.cores[tile].doing = doing;
        self.cores[tile].busy_until = now + cycles;
        true
    }

    /// Goes on writing; true when the last word of the message is written and a word's cycles are over.
    fn write_on(&mut self, tile: usize, mut at: Writing, now: u64) -> bool {
        let action = self.program.instances.all[at.share].action;
        let message = self.messages[action as usize];
        loop {
            let Some(mut cycle) = at.goes_on.filter(|cycle| *cycle <= now) else {
                self.cores[tile].doing = Doing::Send(at);
                return false;
            };
            if at.unit == message.units {
                return true;
            }
            // It may have been reading.
            cycle = cycle.max(now);
            self.pause_reading(tile, now);
            let words = self.unit_words(message.stream.bytes(), at.unit);
            let packet = *at.packet.get_or_insert_with(|| {
                let ends = (TileId(tile as u32), message.target);
                self.packets.open(cycle, ends, action, words)
            });
            let word_cycles = self.spec.written_word_cycles();
            let upto = self.packets.writable_words(packet);
            if upto <= at.words {
                at.goes_on = None;
                continue;
            }
            if upto == words {
                let last = cycle + (words - 1 - at.words) * word_cycles;
                let last = last.max(self.packets.space_at(packet, words - 1));
                self.packets.end(packet, last);
                (at.packet, at.words, at.unit) = (None, 0, at.unit + 1);
                let between = if at.unit < message.units {
                    self.unit_cycles(message, at.unit)
                } else {
                    0
                };
                at.goes_on = Some(last + word_cycles + between);
            } else {
                let next = cycle + (upto - at.words) * word_cycles;
                at.words = upto;
                at.goes_on = Some(next.max(self.packets.space_at(packet, upto)));
            }
        }
    }

    /// Space in the port of a core that writes this packet.
    pub(super) fn hear_progress(&mut self, tile: usize, packet: u32, cycle: u64) {
        if let Doing::Send(writing) = &mut self.cores[tile].doing
            && writing.packet == Some(packet)
            && writing.goes_on.is_none()
        {
            writing.goes_on = Some(cycle);
            self.set_alarm(tile);
        }
    }

    fn stand_still(&mut self, tile: usize, now: u64) {
        let is_blocked = match self.cores[tile].doing {
            Doing::Send(writing) => writing.goes_on.is_none(),
            Doing::Stream { .. } => true,
            Doing::Nothing | Doing::Local(_) | Doing::Copy(_) => false,
        };
        if is_blocked && self.spec.drain == DrainRule::Always {
            self.resume_reading(tile, now);
            self.receive(tile, now);
        }
    }

    /// A share is over; messages that may be received now, and of which units stand in the list, are copied.
    pub(super) fn end_share(&mut self, share: u32, now: u64) {
        let tile = self.program.instances.all[share].tile.idx();
        for next in self.program.end(share, now) {
            let action = self.program.instances.all[next].action;
            let message = self.messages[action as usize];
            if message.receiving == next && self.received[action as usize].listed_units > 0 {
                self.cores[tile].copies.push_back(action);
            }
        }
    }

    /// The next cycle in which it looks, if one is known.
    pub(super) fn set_alarm(&mut self, tile: usize) {
        let core = &self.cores[tile];
        let busy = core.busy_until;
        let own = match core.doing {
            Doing::Nothing => None,
            Doing::Local(_) | Doing::Copy(_) => Some(busy),
            Doing::Send(writing) => writing.goes_on.map(|at| at.max(busy)),
            Doing::Stream { end, .. } => {
                let route = self.now < busy && core.reading.is_none();
                end.map(|end| end.max(busy)).or(route.then_some(busy))
            }
        };
        let next = own.into_iter().chain(self.reading_end(tile)).min();
        self.cores[tile].alarm += 1;
        if let Some(at) = next {
            let alarm = self.cores[tile].alarm;
            self.events
                .push(at.max(self.now), Event::Look(tile as u32, alarm));
        }
    }
}

// How a core reads packets: to their place if their message may be received, else to a list from which they are copied later.

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
