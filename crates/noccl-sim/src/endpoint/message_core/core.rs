// SPDX-License-Identifier: Apache-2.0
//! What one core is doing.

use super::open::Rows;
use super::{Cores, UnitKind};
use crate::router::wormhole::PacketId;
use noccl_net::TileId;
use noccl_run::{Busy, Order, RankTime, TimeSlices};
use noccl_workload::{ActionKind, LocalReduce, Message};
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

/// A core: one thing at a time.
#[derive(Debug, Default)]
pub(super) struct Core {
    /// Instances that it does in this order.
    pub main: VecDeque<u32>,
    /// Shares that it does when the next one of `main` may not begin yet.
    pub beside: VecDeque<u32>,
    pub doing: Doing,
    /// What it goes on with when it has written a request or response.
    pub suspended: Doing,
    /// The unit that it is reading.
    pub reading: Option<CoreReading>,
    /// Messages that may be received now and of which units stand in the list.
    pub copies: VecDeque<u32>,
    /// Acknowledgements and replies that it has to write.
    pub controls: VecDeque<(u32, UnitKind)>,
    /// Acknowledgements that it has read, by the tile that has sent them, and the one that every receiver begins with.
    pub credits: BTreeMap<u32, u32>,
    /// Has the reply come that it waits for?
    pub has_reply: bool,
    /// Since when it has stood still at a full port, if it does.
    pub blocked_since: Option<u64>,
    /// Does it wait for words that have not come?
    pub is_asleep: bool,
    /// What it has been busy with until a cycle; counted where programs run.
    pub busy: Busy,
    pub busy_until_cycle: u64,
    /// When it was busy with what, if that is kept.
    pub times: Option<Box<TimeSlices>>,
    /// Has a share ended whose program may submit what follows?
    pub has_ended: bool,
    /// When it had done what it did last.
    pub free_since: u64,
    /// Since when it has not moved on.
    pub since: u64,
}

impl Core {
    /// A share stands behind others, or beside them.
    pub(super) fn stand(&mut self, share: u32, order: Order) {
        match order {
            Order::InOrder => self.main.push_back(share),
            Order::Concurrent => self.beside.push_back(share),
        }
    }

    /// Counts the cycles since it acted last to what it has been doing since.
    pub(super) fn count_until(&mut self, now: u64) {
        let since = std::mem::replace(&mut self.busy_until_cycle, now);
        let cycles = now - since;
        let time = match self.doing {
            // A core that stands still at a full port may read meanwhile; the port is why it stands there.
            Doing::Send { .. }
            | Doing::Control { .. }
            | Doing::Route { .. }
            | Doing::Write { .. } => {
                self.busy.send_cycles += cycles;
                RankTime::Send
            }
            Doing::Nothing | Doing::Await { .. } | Doing::Local { .. }
                if self.reading.is_none() =>
            {
                return;
            }
            Doing::Read { .. }
            | Doing::Copy { .. }
            | Doing::Nothing
            | Doing::Await { .. }
            | Doing::Local { .. } => {
                self.busy.receive_cycles += cycles;
                RankTime::Receive
            }
        };
        if let Some(times) = &mut self.times {
            times.add(time, since, now);
        }
    }
}

/// What it is in the middle of, beside reading.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doing {
    #[default]
    Nothing,
    /// It computes, or copies within its memory, until the cycle in which it acts next.
    Local { share: u32 },
    /// It copies units of a message from the list to their place.
    Copy { message: u32 },
    /// It waits for the acknowledgement of the message before, to the same core, or for the reply to a request.
    Await {
        share: u32,
        message: u32,
        kind: UnitKind,
    },
    /// It writes the words of a message.
    Send {
        share: u32,
        message: u32,
        at: Writing,
    },
    /// It writes an acknowledgement, a request or a reply, and then goes on with what is suspended.
    Control {
        message: u32,
        kind: UnitKind,
        at: Writing,
    },
    /// It writes its route of the static network, until the cycle in which it acts next.
    Route { share: u32 },
    /// It writes words of a stream into the static network.
    Write {
        share: u32,
        words: u32,
        packet: PacketId,
    },
    /// It reads words of a stream from the static network.
    Read { share: u32, words: u32 },
}

/// How far it has written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Writing {
    pub unit: u32,
    /// Words of the unit that are written, and its packet once there is one.
    pub words: u32,
    pub packet: PacketId,
}

impl Writing {
    /// Nothing is written of a unit.
    pub(super) const fn of(unit: u32) -> Self {
        Self {
            unit,
            words: 0,
            packet: PacketId(0),
        }
    }
}

/// A unit that a core has begun to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CoreReading {
    pub queue: usize,
    /// Does it go to its place, or to the list?
    pub is_placed: bool,
}

/// When a core acts again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// In this cycle.
    At(u64),
    /// As soon as a port takes a word: it asks in every cycle.
    Blocked,
    /// When words come.
    Asleep,
    /// In this cycle, when its program has submitted what follows the share that has ended.
    Asks,
}

// What a core does without a network: reductions and copies within its memory, and time that it computes.

impl Cores<'_> {
    /// An action that no network sees is over.
    pub(super) fn end_local(&mut self, tile: usize, share: u32, now: u64) {
        self.cores[tile].doing = Doing::Nothing;
        let action = self.program.instances.all[share].action;
        match &*self.actions.kind(action) {
            ActionKind::LocalReduce(reduce) => self.reduce(tile as u32, reduce),
            ActionKind::Message(message) => self.copy(tile as u32, message),
            ActionKind::Compute(_)
            | ActionKind::StaticMulticast(_)
            | ActionKind::Transfer(_)
            | ActionKind::InNetworkReduction(_)
            | ActionKind::InNetworkAllReduce(_)
            | ActionKind::Barrier(_)
            | ActionKind::Delivery(_)
            | ActionKind::Arrival(_)
            | ActionKind::Kernel(_)
            | ActionKind::Chain(_)
            | ActionKind::ListMulticast(_) => {}
        }
        self.end_share(share, now);
    }

    fn reduce(&mut self, tile: u32, reduce: &LocalReduce) {
        let elements = reduce.bytes / reduce.element.bytes();
        self.counters.software_reduce_ops += elements * (reduce.inputs.len() as u64 - 1);
        self.counters.spm_write_bytes += reduce.bytes;
        if !self.is_value {
            return;
        }
        let sum = self.memories.combined(tile, reduce);
        self.memories.write(tile, reduce.output, &sum);
    }

    fn copy(&mut self, tile: u32, message: &Message) {
        self.counters.spm_write_bytes += message.data_bytes();
        if self.is_value {
            let rows = Rows::of(message);
            let bytes = self.gathered(tile, rows);
            self.scatter(tile, rows, 0..rows.stream_bytes(), &bytes);
        }
    }

    /// The stream of words of a message, from its source (value mode).
    pub(super) fn gathered(&self, tile: u32, rows: Rows) -> Vec<u8> {
        let mut bytes = vec![0; rows.stream_bytes() as usize];
        for part in rows.parts(0..rows.stream_bytes()) {
            let range = part.sent.start as usize..part.sent.end as usize;
            self.memories.read(tile, part.from, &mut bytes[range]);
        }
        bytes
    }

    /// Puts a range of the stream at its place (value mode).
    pub(super) fn scatter(&mut self, tile: u32, rows: Rows, range: Range<u64>, stream: &[u8]) {
        for part in rows.parts(range) {
            let sent = &stream[part.sent.start as usize..part.sent.end as usize];
            self.memories.write(tile, part.to, sent);
        }
    }

    /// A share is over: messages that may be received now, and of which units stand in the list, are copied.
    pub(super) fn end_share(&mut self, share: u32, now: u64) {
        let tile = self.program.instances.all[share].tile.idx();
        let mut ready = std::mem::take(&mut self.ready);
        ready.clear();
        self.program.end(share, now, |next| ready.push(next));
        if let Some(action) = self.program.forget(share) {
            self.actions.forget(action);
            self.messages.forget(action);
            self.streams.forget(action);
        }
        self.cores[tile].has_ended = self.program.is_watched();
        for next in &ready {
            let action = self.program.instances.all[*next].action;
            let message = self.messages.get(action);
            if message.is_some_and(|m| m.receiving == *next && !m.listed.is_empty()) {
                self.cores[tile].copies.push_back(action);
            }
        }
        self.ready = ready;
    }
}

// What each core is doing when nothing moves, and for whom it waits.

/// Whom a core waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum For {
    /// Its port into the dynamic network to take a word.
    Port,
    /// Its port into the static network to take one.
    StaticPort,
    /// Another core to send a message, an acknowledgement or words of a stream.
    Core(TileId),
}

/// A core that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CoreWait {
    pub tile: TileId,
    /// What it does, as text.
    pub doing: String,
    pub awaited: For,
    pub since_cycle: u64,
}

impl Cores<'_> {
    /// Cores that wait, ascending by tile.
    pub(crate) fn waits(&self) -> Vec<CoreWait> {
        (0..self.cores.len())
            .filter_map(|tile| self.wait_of(tile))
            .collect()
    }

    /// Words that stand in a core's store, and how many it holds.
    pub(crate) fn stored_words(&self, tile: usize) -> (u32, u32) {
        (self.stores[tile].len(), self.spec.receive_store_words)
    }

    /// What the packet of a unit carries, as text.
    pub(crate) fn unit_text(&self, number: u64) -> String {
        let unit = self.units[number as usize];
        let what = match unit.kind {
            UnitKind::Data(index) => format!("unit {index} of actions[{}]", unit.message),
            UnitKind::Acknowledgement => {
                format!("the acknowledgement of actions[{}]", unit.message)
            }
            UnitKind::Request => format!("the request of actions[{}]", unit.message),
            UnitKind::Reply => format!("the reply to actions[{}]", unit.message),
        };
        match self.messages.get(unit.message) {
            Some(message) => format!(
                "{what} ({} to {})",
                self.network.coord(TileId(message.source)),
                self.network.coord(TileId(message.target))
            ),
            None => what,
        }
    }

    fn wait_of(&self, tile: usize) -> Option<CoreWait> {
        let core = &self.cores[tile];
        let (doing, awaited) = match core.doing {
            Doing::Send { message, at, .. } => (
                format!(
                    "writes word {} of unit {} of actions[{message}]",
                    at.words, at.unit
                ),
                For::Port,
            ),
            Doing::Control { message, .. } => (
                format!("writes the response to actions[{message}]"),
                For::Port,
            ),
            Doing::Await { message, .. } => {
                let target = self.messages.get(message)?.target;
                let doing = format!("waits for a response before it sends actions[{message}]");
                (doing, For::Core(TileId(target)))
            }
            Doing::Write { share, words, .. } => (
                format!("writes word {words} of actions[{}]", self.action(share)),
                For::StaticPort,
            ),
            Doing::Read { share, words } => {
                let action = self.action(share);
                let root = self.streams.get(action)?.root();
                (
                    format!("reads word {words} of actions[{action}]"),
                    For::Core(root),
                )
            }
            Doing::Nothing | Doing::Local { .. } | Doing::Copy { .. } | Doing::Route { .. } => {
                self.receive_wait(tile)?
            }
        };
        Some(CoreWait {
            tile: TileId(tile as u32),
            doing,
            awaited,
            since_cycle: core.since,
        })
    }

    fn action(&self, share: u32) -> u32 {
        self.program.instances.all[share].action
    }

    /// The first message that a core has not received although nothing that it waits for is open.
    fn receive_wait(&self, tile: usize) -> Option<(String, For)> {
        let mut to_tile = self
            .messages
            .iter()
            .filter(|(_, m)| m.target as usize == tile);
        let waiting = to_tile.find_map(|(action, message)| {
            let share = &self.program.instances.all[message.receiving];
            (!share.is_over && share.open == 0).then_some((action, message.source))
        });
        let (action, source) = waiting?;
        Some((
            format!("waits for actions[{action}]"),
            For::Core(TileId(source)),
        ))
    }
}
