// SPDX-License-Identifier: Apache-2.0
//! Writing words into the port of the dynamic network.

use super::core::{Doing, Next, Writing};
use super::{CoreUnit, Cores, Planes, RESPONSE_TAG, UnitKind};
use noccl_net::TileId;
use noccl_spec::{DrainRule, FlowControl, UNIT_HEAD_WORDS};

/// Words of an acknowledgement, a request or a reply: header, tag and the word itself.
const CONTROL_WORDS: u32 = UNIT_HEAD_WORDS + 1;

impl Cores<'_> {
    /// A core begins to send a message; with acknowledgements, only when the receiver has acknowledged the one before.
    pub(super) fn begin_send(&mut self, tile: usize, share: u32, message: u32, now: u64) -> Next {
        let Some((source, rows, round)) = self
            .messages
            .get(message)
            .map(|sent| (sent.source, sent.rows, sent.round))
        else {
            return Next::At(now);
        };
        if self.is_value {
            let payload = self.gathered(source, rows);
            if let Some(sent) = self.messages.get_mut(message) {
                sent.payload = payload;
            }
        }
        // 0: messages outside of a round wait for none.
        let of_round = round.map_or(0, |_| u64::from(self.spec.round_cycles));
        let start = u64::from(self.spec.send_cycles) + of_round;
        if self.spec.interrupt_cycles > 0 {
            let kind = UnitKind::Reply;
            self.cores[tile].suspended = Doing::Await {
                share,
                message,
                kind,
            };
            self.cores[tile].doing = control(message, UnitKind::Request);
            return Next::At(now + start);
        }
        match self.spec.flow_control {
            FlowControl::None => self.prepare(tile, share, message, now + start),
            FlowControl::ReadyAck => {
                let kind = UnitKind::Acknowledgement;
                self.cores[tile].doing = Doing::Await {
                    share,
                    message,
                    kind,
                };
                Next::At(now)
            }
        }
    }

    /// What comes before the first word.
    fn prepare(&mut self, tile: usize, share: u32, message: u32, from: u64) -> Next {
        let at = Writing::of(0);
        self.cores[tile].doing = Doing::Send { share, message, at };
        Next::At(from + self.unit_cycles(message, 0))
    }

    /// Cycles before a unit's first word is written.
    fn unit_cycles(&self, message: u32, unit: u32) -> u64 {
        let sent = self.messages.get(message);
        // 0: a message that is forgotten has no rows left.
        let rows = sent.map_or(0, |sent| sent.next_rows(unit));
        u64::from(self.spec.unit_cycles) + rows * u64::from(self.spec.row_cycles)
    }

    /// Reads responses until the one has come that it waits for; every receiver is ready for a first message.
    pub(super) fn await_response(&mut self, tile: usize, now: u64) -> Next {
        let Doing::Await {
            share,
            message,
            kind,
        } = self.cores[tile].doing
        else {
            return Next::At(now);
        };
        if kind == UnitKind::Reply {
            if std::mem::take(&mut self.cores[tile].has_reply) {
                return self.prepare(tile, share, message, now);
            }
        } else if let Some(sent) = self.messages.get(message) {
            let credits = self.cores[tile].credits.entry(sent.target).or_insert(1);
            if *credits > 0 {
                *credits -= 1;
                // 0: messages outside of a round wait for none.
                let of_round = sent.round.map_or(0, |_| u64::from(self.spec.round_cycles));
                let start = u64::from(self.spec.send_cycles) + of_round;
                return self.prepare(tile, share, message, now + start);
            }
        }
        if self.respond(tile) {
            return Next::At(now);
        }
        if self.read_response(tile) {
            return Next::At(now + self.spec.read_word_cycles());
        }
        match self.spec.drain {
            DrainRule::Never => self.receive_posted(tile, now),
            DrainRule::InReceive | DrainRule::Always => self.receive(tile, now),
        }
        .unwrap_or(Next::Asleep)
    }

    /// Reads a word of a response; false if none has come.
    pub(super) fn read_response(&mut self, tile: usize) -> bool {
        let queue = self.stores[tile].queue_of(RESPONSE_TAG);
        let Some(read) = self.stores[tile].read(queue) else {
            return false;
        };
        if read.left > 0 {
            return true;
        }
        let unit = self.units[read.unit as usize];
        self.free_units.push(read.unit);
        if unit.kind == UnitKind::Reply {
            self.cores[tile].has_reply = true;
        } else {
            // The message itself is over, and forgotten if a program has sent it.
            *self.cores[tile].credits.entry(unit.from.0).or_insert(1) += 1;
        }
        true
    }

    /// Writes the next word; `None` if all are written.
    pub(super) fn write_on(&mut self, tile: usize, now: u64, planes: &mut Planes) -> Option<Next> {
        let (message, mut at, kind) = match self.cores[tile].doing {
            Doing::Send { message, at, .. } => (message, at, UnitKind::Data(at.unit)),
            Doing::Control {
                message, kind, at, ..
            } => (message, at, kind),
            Doing::Nothing
            | Doing::Local { .. }
            | Doing::Copy { .. }
            | Doing::Await { .. }
            | Doing::Route { .. }
            | Doing::Write { .. }
            | Doing::Read { .. } => return None,
        };
        let sent = self.messages.get(message)?;
        let units = match kind {
            UnitKind::Data(_) => sent.units,
            UnitKind::Acknowledgement | UnitKind::Request | UnitKind::Reply => 1,
        };
        if at.unit == units {
            return self.end_writing(tile, now);
        }
        let (length, target) = match kind {
            UnitKind::Data(unit) => (sent.words(unit), sent.target),
            UnitKind::Request => (CONTROL_WORDS, sent.target),
            UnitKind::Acknowledgement | UnitKind::Reply => (CONTROL_WORDS, sent.source),
        };
        let at_tile = TileId(tile as u32);
        if !planes.udn.has_space(at_tile) || !self.stalls.offers(now, at_tile) {
            return Some(self.stand_still(tile, now));
        }
        if at.words == 0 {
            let unit = self.new_unit(CoreUnit {
                message,
                kind,
                words: length,
                from: at_tile,
            });
            at.packet = planes.udn.open_packet(TileId(target), length, unit.into());
        }
        planes.udn.push(now, at_tile, at.packet, at.words);
        self.cores[tile].blocked_since = None;
        at.words += 1;
        let mut cycles = self.spec.written_word_cycles();
        if at.words == length {
            at = Writing::of(at.unit + 1);
            if at.unit < units {
                cycles += self.unit_cycles(message, at.unit);
            }
        }
        match &mut self.cores[tile].doing {
            Doing::Send { at: place, .. } | Doing::Control { at: place, .. } => *place = at,
            Doing::Nothing
            | Doing::Local { .. }
            | Doing::Copy { .. }
            | Doing::Await { .. }
            | Doing::Route { .. }
            | Doing::Write { .. }
            | Doing::Read { .. } => {}
        }
        Some(Next::At(now + cycles))
    }

    /// A full port: the core reads what has come if its rule says so; else it stands still.
    pub(super) fn stand_still(&mut self, tile: usize, now: u64) -> Next {
        match self.spec.drain {
            DrainRule::Always => self.read_blocked(tile, now).unwrap_or(Next::Blocked),
            DrainRule::InReceive | DrainRule::Never => Next::Blocked,
        }
    }

    /// Reads what has come when it has stood still for long enough, and looks for space in every cycle until then.
    fn read_blocked(&mut self, tile: usize, now: u64) -> Option<Next> {
        let since = *self.cores[tile].blocked_since.get_or_insert(now);
        if now - since < u64::from(self.spec.blocked_cycles) {
            return (self.stores[tile].len() > 0).then_some(Next::At(now + 1));
        }
        self.receive(tile, now)
    }

    /// Begins to write a response that somebody waits for, if there is one, in the middle of what it is waiting for: two cores that
    /// wait for responses of each other would wait forever.
    pub(super) fn respond(&mut self, tile: usize) -> bool {
        let core = &mut self.cores[tile];
        let Some((message, kind)) = core.controls.pop_front() else {
            return false;
        };
        core.suspended = std::mem::replace(&mut core.doing, control(message, kind));
        true
    }

    /// The last word is written.
    fn end_writing(&mut self, tile: usize, now: u64) -> Option<Next> {
        match std::mem::take(&mut self.cores[tile].doing) {
            Doing::Send { share, .. } => {
                self.end_share(share, now);
                None
            }
            Doing::Control { message, kind, .. } => {
                if kind == UnitKind::Acknowledgement {
                    self.end_receive(message, now);
                }
                self.cores[tile].doing = std::mem::take(&mut self.cores[tile].suspended);
                Some(Next::At(now))
            }
            Doing::Nothing
            | Doing::Local { .. }
            | Doing::Copy { .. }
            | Doing::Await { .. }
            | Doing::Route { .. }
            | Doing::Write { .. }
            | Doing::Read { .. } => None,
        }
    }
}

/// A unit of control that is to be written.
const fn control(message: u32, kind: UnitKind) -> Doing {
    let at = Writing::of(0);
    Doing::Control { message, kind, at }
}
