// SPDX-License-Identifier: Apache-2.0
//! Message traces: what the ranks of a program have called, as it was recorded (`docs/formats/messages.md`), and its replay in a session.
//!
//! Invariants: a trace that was read has complete ranks; every record names ranks and communicators that there are, requests that are open, and
//! lengths below [`MAX_RECORD_BYTES`]; a request is waited for once. Whether the ranks fit together only the replay tells.

mod collective_calls;
mod collectives;
mod messages;
mod read;
mod record;
mod recording;
mod replay;
mod section;

pub use collectives::{CollectiveName, RecordedCollective};
pub use read::parse_messages;
pub use record::{Event, Library, LibraryCosts, MessageTrace, NewCommunicator, Record, Unit};
pub(crate) use recording::{RankRecording, sent};
pub use replay::{Replayed, replay};

/// Version of the format that is read.
pub const MESSAGES_VERSION: u32 = 1;
/// Most cycles that a replay takes for a word, as a network's description may state.
const MAX_WORD_CYCLES: u64 = 1000;
/// The same at a full port.
const MAX_BLOCKED_CYCLES: u64 = 100_000;
/// Most ranks of a trace.
pub const MAX_TRACE_RANKS: u32 = 1 << 16;
/// Longest message, and most bytes that one rank gives to a collective or gets from it.
pub const MAX_RECORD_BYTES: u64 = 1 << 28;
/// Longest computation of a record, in its unit and in cycles.
pub const MAX_COMPUTE: u64 = 1 << 36;
/// Most bytes of sends that have been started and not waited for, of all ranks.
pub const MAX_OPEN_BYTES: u64 = 1 << 30;
