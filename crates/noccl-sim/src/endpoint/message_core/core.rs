// SPDX-License-Identifier: Apache-2.0
//! What one core is doing.

use super::UnitKind;
use crate::router::wormhole::WormId;
use noccl_run::{Busy, Order, RankTime, TimeSlices};
use std::collections::{BTreeMap, VecDeque};

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
        worm: WormId,
    },
    /// It reads words of a stream from the static network.
    Read { share: u32, words: u32 },
}

/// How far it has written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Writing {
    pub unit: u32,
    /// Words of the unit that are written, and its worm once there is one.
    pub words: u32,
    pub worm: WormId,
}

impl Writing {
    /// Nothing is written of a unit.
    pub(super) const fn of(unit: u32) -> Self {
        Self {
            unit,
            words: 0,
            worm: WormId(0),
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
