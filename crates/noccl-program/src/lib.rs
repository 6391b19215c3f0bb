// SPDX-License-Identifier: Apache-2.0
//! Programs of ranks: calls of message passing, carried out on a simulated network, cycle by cycle.
//!
//! A rank is a program on a tile of its own. It makes one call after the other: sends and receives, collectives, computation. A
//! [`Session`] makes actions of calls for a run that goes on (`noccl_run::OpenRun`), matches messages with receives, makes the schedules of
//! collectives with the algorithm library, and hands each rank its response in the cycle in which its call is over. Payloads
//! lie in the simulated memories and are compared with what was sent when they are received.
//!
//! Invariants: equal calls give equal cycles, whatever the host does; a rank's calls take effect in their order; messages of one rank to
//! another one in one communicator and with one tag are received in the order in which they were sent.

mod agreement;
mod announce;
mod arrival;
mod calls;
mod chunks;
mod collective;
mod composed;
mod error;
mod ids;
mod matching;
mod memory;
mod message;
mod notice;
mod output;
mod rank;
mod report;
mod request;
mod response;
mod session;
mod split;
mod streams;
mod stuck;
mod tasks;
mod template;
mod terms;
mod trace;

pub use agreement::{Agreed, Agreements};
pub use announce::{Receive, Send};
pub use collective::{Choose, CollectiveCall};
pub use error::ProgramError;
pub use ids::{CommId, RankId, RequestId};
pub use rank::CallSite;
pub use report::CollectiveUse;
pub use report::{MAX_CALLS, RankReport, Report, Span};
pub use response::{Received, Response};
pub use session::places;
pub use session::{Options, Session};
pub use trace::{
    CollectiveName, Event, Library, LibraryCosts, MAX_COMPUTE, MAX_OPEN_BYTES, MAX_RECORD_BYTES,
    MAX_TRACE_RANKS, MESSAGES_VERSION, MessageTrace, NewCommunicator, Record, RecordedCollective,
    Replayed, Unit, parse_messages, replay,
};
