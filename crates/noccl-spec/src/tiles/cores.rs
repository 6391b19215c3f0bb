// SPDX-License-Identifier: Apache-2.0
//! Core tiles (S4): message passing in software, word by word, over a dynamic and a static network.
//!
//! A core does one thing at a time: it writes a word into the port of a network, or reads one from a queue, and stands still while the
//! network takes or has none. What it does around the words costs the cycles that stand here. A message on the dynamic network travels
//! in *units*: a header word, a tag word and the words of up to `unit_bytes` of its data. Sources of the numbers: `docs/formats/spec.md`.

use crate::VariantField;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bytes of a word, which is also a flit of both networks.
pub const WORD_BYTES: u32 = 4;

/// Words of a unit before its data: header (destination, length) and tag (channel, source).
pub const UNIT_HEAD_WORDS: u32 = 2;

/// Tables of a spec with core tiles.
#[derive(Debug, Clone, PartialEq)]
pub struct CoreTiles {
    /// Routers of the two networks.
    pub router: CoreRouters,
    /// The core of every tile.
    pub core: Core,
}

impl CoreTiles {
    /// Fields that choose among the variants of core tiles, with values at and between the ends of what differs.
    pub const VARIANTS: &'static [VariantField] = &[
        ("router.udn.input_fifo_flits", &["1", "2", "3", "8"]),
        ("router.udn.hop_cycles", &["1", "2"]),
        ("router.udn.turn_cycles", &["0", "1"]),
        ("router.static_network.input_fifo_flits", &["1", "3", "5"]),
        ("router.static_network.port_fifo_words", &["1", "3"]),
        ("core.word_cycles", &["1", "3"]),
        ("core.row_cycles", &["0", "2"]),
        ("core.unit_cycles", &["0", "7"]),
        ("core.unit_bytes", &["4", "64", "128"]),
        ("core.receive_store_words", &["34", "127"]),
        ("core.interrupt_cycles", &["0", "0", "500"]),
        ("core.flow_control", &["none", "ready_ack"]),
        ("core.send_word_cycles", &["0", "0", "4"]),
        ("core.receive_ahead_cycles", &["0", "15"]),
        ("core.list_cycles", &["0", "40"]),
        ("core.round_cycles", &["0", "25"]),
        ("core.blocked_cycles", &["0", "60"]),
    ];
}

/// Routers of networks between cores.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CoreRouters {
    /// What they are.
    pub flow: CoreFlow,
    /// Those of the dynamic network.
    pub udn: UdnRouter,
    /// Those of the static network.
    pub static_network: StaticNetwork,
}

/// Kinds of routers between cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CoreFlow {
    /// A user dynamic network of wormholes and a static network, as on the `TILEPro64`.
    Udn,
}

impl CoreFlow {
    /// Name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Udn => "udn",
        }
    }
}

/// Routers of the user dynamic network (UDN): XY wormholes without virtual channels (S4 §3).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UdnRouter {
    /// Slots of the FIFO at each input port, 1 to 64 flits.
    pub input_fifo_flits: u32,
    /// Cycles from a FIFO to the next one, 1 to 8.
    pub hop_cycles: u32,
    /// Cycles that the head of a packet waits besides where it changes from x to y, 0 to 8.
    pub turn_cycles: u32,
    /// Bits of a flit, a word. Only 32 is modelled.
    pub flit_bits: u32,
}

/// Routers of the static network: a core configures which outputs an input goes to, words carry no header (S4 §2).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StaticNetwork {
    /// Slots of the FIFO at each input port, 1 to 64 words.
    pub input_fifo_flits: u32,
    /// Slots of the FIFO from a core to its router, and of that back, 1 to 64 words.
    pub port_fifo_words: u32,
    /// Does the root of a multicast add words until those on the path to a member do not fit into its FIFOs? Without them, short
    /// multicasts of three roots that follow each other can be mixed.
    pub pads_streams: bool,
}

/// The core of a tile, and what its message passing costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Core {
    /// Cycles of the source for each message, besides its words.
    pub send_cycles: u32,
    /// Cycles of the destination for each message, besides its words.
    pub receive_cycles: u32,
    /// Of these, cycles that pass before the destination waits for the message: one that has stood still so long has done them. 0 if absent.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub receive_ahead_cycles: u32,
    /// Cycles for each unit at either end, besides its words.
    pub unit_cycles: u32,
    /// Cycles for each word that is read from a queue, copied within a memory, or written to a port if `send_word_cycles` is 0.
    pub word_cycles: u32,
    /// Cycles for each word that is written to a port; 0, as if absent: those of `word_cycles`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub send_word_cycles: u32,
    /// Cycles for each row of a message but the first, at either end: the instructions that go on at another address; 0 if absent.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub row_cycles: u32,
    /// Cycles for each unit that is copied from the list of those that came early, besides its words. 0 if absent.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub list_cycles: u32,
    /// Cycles of the source for each message of a round, besides `send_cycles`: it finds its partners. 0 if absent.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub round_cycles: u32,
    /// Cycles that a core stands still at a full port before it reads what has come. 0 if absent.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub blocked_cycles: u32,
    /// Cycles for each element that a local reduction combines with another one.
    pub combine_cycles: u32,
    /// Data of a unit in bytes, a multiple of a word.
    pub unit_bytes: u32,
    /// Words that the queues of a tile hold together, at least those of a unit.
    pub receive_store_words: u32,
    /// Queues that a tag selects, besides the one for all others.
    pub tagged_queues: u32,
    /// Cycles in which a core writes the outputs of its router of the static network.
    pub route_cycles: u32,
    /// Cycles of an interrupt at the destination for each message, for whose end the source waits. 0: cores poll.
    pub interrupt_cycles: u32,
    /// Memory of a tile for data, behind caches that are not modelled: bytes, a multiple of a word.
    pub memory_bytes: u64,
    /// When a core reads units that it does not wait for.
    pub drain: DrainRule,
    /// Does a receiver say that it is ready for another message?
    pub flow_control: FlowControl,
    /// How often something else holds up the receiver of a message: 0 to 10⁹ times in 10⁹ messages; in runs with noise only.
    pub noise_per_billion_messages: u32,
    /// For how long, 0 to 10⁹ cycles.
    pub noise_cycles: u32,
}

/// Is it what an absent field means?
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's form")]
const fn is_zero(cycles: &u32) -> bool {
    *cycles == 0
}

/// Whether a sender waits for the receiver of its last message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FlowControl {
    /// It sends when it likes.
    None,
    /// A receiver acknowledges every message with a word, and a sender has the acknowledgement of the one before, to the same receiver,
    /// before it sends.
    ReadyAck,
}

/// When a core reads units of messages that it does not wait for. Their words go to a list in its memory, and their places in the queues
/// are free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DrainRule {
    /// Whenever it stands still, at a full port too: free of deadlock, since every destination takes what comes.
    Always,
    /// Only while it waits for a message.
    InReceive,
    /// Never: units of other messages stay in the queues and behind them in the network, which can come to a standstill.
    Never,
}

impl Core {
    /// Cycles for each word that is written to a port.
    #[must_use]
    #[inline]
    pub fn written_word_cycles(&self) -> u64 {
        let own = self.send_word_cycles;
        u64::from(if own == 0 { self.word_cycles } else { own }.max(1))
    }

    /// Cycles for each word that is read from a queue or copied within a memory.
    #[must_use]
    #[inline]
    pub fn read_word_cycles(&self) -> u64 {
        u64::from(self.word_cycles.max(1))
    }

    /// Words of a unit with so many bytes of data, header and tag with them.
    #[must_use]
    #[inline]
    pub const fn unit_words(&self, data_bytes: u32) -> u32 {
        UNIT_HEAD_WORDS + data_bytes.div_ceil(WORD_BYTES)
    }

    /// Units of a message of so many bytes; one without data if it has none.
    #[must_use]
    #[inline]
    pub const fn units(&self, bytes: u64) -> u64 {
        if bytes == 0 || self.unit_bytes == 0 {
            return 1;
        }
        bytes.div_ceil(self.unit_bytes as u64)
    }

    /// Words of a message of so many bytes on the dynamic network, the headers and tags of all its units with them.
    #[must_use]
    #[inline]
    pub const fn message_words(&self, bytes: u64) -> u64 {
        self.units(bytes) * UNIT_HEAD_WORDS as u64 + bytes.div_ceil(WORD_BYTES as u64)
    }
}

impl CoreTiles {
    /// Settings without effect, one sentence each.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let udn = &self.router.udn;
        let mut found = Vec::new();
        let needed = udn.hop_cycles + udn.turn_cycles + 1;
        if udn.input_fifo_flits < needed {
            found.push(format!(
                "router.udn.input_fifo_flits = {}: words follow one per cycle only with {needed} slots, router.udn.hop_cycles + \
                 router.udn.turn_cycles + 1",
                udn.input_fifo_flits
            ));
        }
        found
    }
}
