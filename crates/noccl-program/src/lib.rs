// SPDX-License-Identifier: Apache-2.0
//! Programs of ranks: calls of message passing, carried out on a simulated network, cycle by cycle.
//!
//! A rank is a program on a tile of its own. It states one call after the other: sends and receives, collectives, computation. A
//! [`Session`] turns calls into actions of a run that goes on (`noccl_run::OpenRun`), matches messages with receives, makes the schedules of
//! collectives with the algorithm library, and hands each rank its answer in the cycle in which its call is over. Payloads
//! lie in the simulated memories and are compared with what was sent when they are received.
//!
//! Invariants: equal calls give equal cycles, whatever the host does; a rank's calls take effect in their order; messages of one rank to
//! another one in one communicator and with one tag are received in the order in which they were sent.

mod announce;
mod answer;
mod arrival;
mod calls;
mod collective;
mod communicator;
mod error;
mod ids;
mod matching;
mod memory;
mod message;
mod notice;
mod output;
mod placement;
mod rank;
mod report;
mod request;
mod session;
mod split;
mod stating;
mod stuck;
mod template;
mod terms;

pub use announce::{Receive, Send};
pub use answer::{Answer, Received};
pub use collective::{Choose, CollectiveCall};
pub use error::ProgramError;
pub use placement::places;
pub use ids::{CommId, RankId, RequestId};
pub use rank::Place;
pub use report::{RankReport, Report, Span};
pub use session::{Options, Session};
