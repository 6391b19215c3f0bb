// SPDX-License-Identifier: Apache-2.0
//! A core that executes, its ports, and what it has done.

use super::queues::TagQueues;
use crate::router::wormhole::PacketId;
use noccl_net::TileId;
use noccl_riscv::Core;
use noccl_run::TimeSlices;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Words that a port holds until the network takes them, so that an access of two words takes a core one cycle.
pub(super) const PORT_WORDS: usize = 2;

/// A port into a network: a word per cycle.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Output {
    pub(super) words: VecDeque<u32>,
    /// The packet that is being written: its packet, the next word's number, and the words of the packet.
    pub(super) packet: Option<PortPacket>,
}

/// A packet that is being written.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct PortPacket {
    pub(super) id: PacketId,
    pub(super) next: u32,
    pub(super) words: u32,
    /// Number of its words' record.
    pub(super) record: u32,
}

impl Output {
    /// Is there space for so many words?
    pub(super) fn has_space(&self, words: usize) -> bool {
        self.words.len() + words <= PORT_WORDS
    }
}

/// What a core does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum State {
    /// It executes until its next port access, which is due.
    Executing,
    /// It waits for space in a port.
    Blocked,
    /// It waits for words.
    Waiting,
    /// Its program has ended.
    Over,
}

/// A rank.
#[derive(Debug)]
pub(super) struct CoreTile {
    pub(super) at: TileId,
    pub(super) core: Core,
    pub(super) state: State,
    /// Since when it has waited.
    pub(super) since_cycle: u64,
    pub(super) queues: TagQueues,
    pub(super) out: Output,
    pub(super) static_out: Output,
    pub(super) static_in: VecDeque<u32>,
    pub(super) console: Vec<u8>,
    pub(super) exit_code: Option<u64>,
    pub(super) finish_cycle: u64,
    /// Cycles in which it waited for space, and for words.
    pub(super) send_wait_cycles: u64,
    pub(super) receive_wait_cycles: u64,
    /// When its last wait was over.
    pub(super) waited_until_cycle: u64,
    /// Does what it executes take no time? It is timed again within the same cycle, so no checkpoint has it.
    pub(super) is_untimed: bool,
    /// When it waited, if that is kept.
    pub(super) times: Option<Box<TimeSlices>>,
    /// Words that it has written and read.
    pub(super) sent_words: u64,
    pub(super) received_words: u64,
    pub(super) packets: u64,
}
