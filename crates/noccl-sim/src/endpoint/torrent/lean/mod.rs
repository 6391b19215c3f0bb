// SPDX-License-Identifier: Apache-2.0
//! The endpoint with the cycles of our hardware (`endpoint_cycles = "lean"`): what `noccl_torrent` does, register by register.
//!
//! A cycle has three parts: what is offered follows from registers alone ([`Lean::offers`]); what was taken moves them on
//! ([`Lean::step`]); what has come is seen in the next cycle ([`Lean::receive`], [`Lean::arrive`], [`Lean::responded`]).
//! With connections that take no time a chain of N destinations takes 15 N + beats + 5 cycles: 8 per configuration, 3 per grant, 2 per
//! data hop, 2 per finish. Mirror: `rtl/src/torrent`; held in lock-step by `make cosim-torrent`.

mod inbox;
mod offers;
mod ports;
mod seen_at_ports;
mod simulated;
mod step;
mod words;

pub(crate) use inbox::Slot;
pub use ports::BeatOffer;
pub use ports::WordOffer;

use crate::endpoint::torrent::cfg::{FRAME_BYTES, Key, NUM_TASK_IDS};
use crate::endpoint::torrent::contract::{Arrived, Effects};
use crate::endpoint::torrent::narrow::NarrowMessage;
use crate::endpoint::torrent::pattern::{Addresses, CHANNELS};
use crate::endpoint::torrent::published::head::ChainTask;
use inbox::Inbox;
use noccl_workload::WORD_BYTES;
use ports::{Buffer, MessagePort, Outgoing};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use words::{WordReader, WordWriter};

/// The chain that is led.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lead {
    pub task: ChainTask,
    /// Frames that have been read: those of the destinations, one of an own copy, one of the source.
    frame: usize,
    granted: bool,
    finished: bool,
}

impl Lead {
    fn key(&self) -> Option<Key> {
        self.task.cfgs.first().map(|(_, cfg)| cfg.key)
    }

    fn frames(&self) -> usize {
        self.task.cfgs.len() + usize::from(self.task.own_copy.is_some()) + 1
    }

    fn reads_data(&self) -> bool {
        self.frame == self.frames()
    }

    fn is_alone(&self) -> bool {
        self.task.cfgs.is_empty()
    }
}

/// The chain that is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Follow {
    initiator: u32,
    /// Its frame is being read: the first cycle.
    is_loading: bool,
    /// Its grant has gone on.
    granted: bool,
}

/// What was taken of what is offered: address and word, per lane address and beat.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Taken {
    pub narrow: [bool; 2],
    pub lanes: [[bool; 2]; 2],
}

/// What a cycle leaves for others to do.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LeanOutcome {
    pub effects: Effects,
    /// Payload of the beat that was taken of each lane.
    pub sent: [Option<u32>; 2],
}

/// Something that has come in this cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum LeanInput {
    Message(NarrowMessage),
    Beat(Arrived),
    Response(usize),
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lean {
    tile: u32,
    tasks: VecDeque<ChainTask>,
    next_task: u8,
    lead: Option<Lead>,
    follow: Option<Follow>,
    inbox: Inbox,
    port: MessagePort,
    reader: WordReader,
    /// Payload of the beat at the reader, once its words are needed.
    read: Option<u32>,
    buffer: Buffer,
    writers: [WordWriter; 2],
    outgoing: [Outgoing; 2],
    /// What has come, in the simulator before the cycle's step.
    inputs: Vec<LeanInput>,
}

impl Lean {
    pub fn new(tile: u32) -> Self {
        Self {
            tile,
            ..Self::default()
        }
    }

    /// A task waits for others; it starts at the end of a cycle in which there is no other.
    pub fn enqueue(&mut self, mut task: ChainTask) {
        task.name(Key {
            initiator: self.tile,
            task: self.next_task,
        });
        self.next_task = (self.next_task + 1) % NUM_TASK_IDS;
        self.tasks.push_back(task);
    }

    /// The core commits a task: the end of the cycle before this one.
    pub(crate) fn commit(&mut self, task: ChainTask) {
        self.enqueue(task);
        if self.lead.is_none() {
            self.begin();
        }
    }

    fn begin(&mut self) {
        let Some(task) = self.tasks.pop_front() else {
            return;
        };
        let lead = Lead {
            task,
            frame: 0,
            granted: false,
            finished: false,
        };
        self.reader.start(frames_in_a_row(), lead.frames() as u64);
        self.lead = Some(lead);
    }

    pub(crate) const fn lead(&self) -> Option<&Lead> {
        self.lead.as_ref()
    }

    /// The chain that is followed.
    pub(crate) fn served(&self) -> Option<&Slot> {
        self.inbox.slot(self.follow?.initiator)
    }

    pub(crate) fn slot(&self, initiator: u32) -> Option<&Slot> {
        self.inbox.slot(initiator)
    }

    /// The last word of a message has been taken in this cycle; after the step.
    pub fn receive(&mut self, now: u64, message: NarrowMessage) {
        match message {
            NarrowMessage::Cfg(cfg) => self.inbox.take_cfg(cfg, now),
            NarrowMessage::Grant(key) if key.initiator != self.tile => self.inbox.take_grant(key),
            NarrowMessage::Finish(key) if key.initiator != self.tile => self.inbox.take_finish(key),
            NarrowMessage::Grant(key) | NarrowMessage::Finish(key) => {
                let is_grant = matches!(message, NarrowMessage::Grant(_));
                let lead = self.lead.as_mut().filter(|l| l.key() == Some(key));
                match lead {
                    Some(lead) if is_grant => lead.granted = true,
                    Some(lead) => lead.finished |= lead.reads_data(),
                    None => {}
                }
            }
            // Only where acknowledgements are parallel, which this endpoint has not.
            NarrowMessage::Response(_) | NarrowMessage::Release(_) => {}
        }
    }

    /// A beat has been taken; after the step.
    pub fn arrive(&mut self, beat: Arrived) {
        self.buffer.arrive(beat);
    }

    /// A burst of a lane has its response; after the step.
    pub const fn responded(&mut self, lane: usize) {
        self.outgoing[lane].responded();
    }
}

/// Frames lie in a row from the first bank on; the simulator keeps what they say elsewhere.
fn frames_in_a_row() -> Addresses {
    let mut frames = Addresses {
        word_stride: 1,
        ..Addresses::default()
    };
    frames.bounds[0] = u32::MAX;
    frames.strides[0] = (FRAME_BYTES as u64 / WORD_BYTES) as u32;
    debug_assert_eq!(frames.strides[0] as usize, CHANNELS);
    frames
}
