// SPDX-License-Identifier: Apache-2.0
//! Why a program cannot go on.

use crate::RankId;
use crate::matching::tag_name;
use noccl_coll::CollError;
use noccl_run::RunError;
use thiserror::Error;

/// Why a program cannot go on. Every message names the ranks and their call sites.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ProgramError {
    /// A call's argument.
    #[error("{rank} at {call_site}: {what}; accepted: {accepted}")]
    Argument {
        /// Who calls.
        rank: RankId,
        /// Where.
        call_site: String,
        /// What is wrong.
        what: String,
        /// What would be right.
        accepted: String,
    },
    /// Ranks of a communicator call different collectives, or one with different arguments.
    #[error(
        "{rank} at {call_site} calls {call}, but {other} at {other_call_site} calls {other_call} on the same communicator; accepted: the same collective, root, operator and length by all ranks, in the same order"
    )]
    Differs {
        /// Who calls.
        rank: RankId,
        /// Where.
        call_site: String,
        /// What.
        call: String,
        /// Who has called before.
        other: RankId,
        /// Where.
        other_call_site: String,
        /// What.
        other_call: String,
    },
    /// A message is longer than its receive.
    #[error(
        "{rank} at {call_site} receives at most {max_bytes} bytes, but {other} at {other_call_site} sends {bytes} bytes {}; accepted: a buffer that holds the message",
        tag_name(*.tag)
    )]
    Truncated {
        /// Who receives.
        rank: RankId,
        /// Where.
        call_site: String,
        /// Bytes of its buffer.
        max_bytes: u64,
        /// Who sends.
        other: RankId,
        /// Where.
        other_call_site: String,
        /// Bytes of the message.
        bytes: u64,
        /// Its tag.
        tag: i64,
    },
    /// Nobody can go on.
    #[error("no rank can continue after cycle {cycle}:\n{waits}")]
    Stuck {
        /// The cycle.
        cycle: u64,
        /// A line per rank that waits: what for, and where.
        waits: String,
    },
    /// A rank has failed.
    #[error("{rank}: {message}")]
    Failed {
        /// Which.
        rank: RankId,
        /// What it says.
        message: String,
    },
    /// More ranks than tiles, or none.
    #[error("{ranks} ranks; accepted: 1 to {tiles}, one per {what} of this network")]
    Ranks {
        /// As asked for.
        ranks: u32,
        /// Tiles of the network.
        tiles: usize,
        /// What a rank runs on.
        what: &'static str,
    },
    /// Bytes have arrived that were not sent: a fault of the simulator.
    #[error(
        "bytes from {source_rank} to {rank} have changed while they travelled; this is a defect of the simulator"
    )]
    Changed {
        /// Who sent.
        source_rank: RankId,
        /// Who received.
        rank: RankId,
    },
    /// The algorithm library.
    #[error("{call}: {source}")]
    Collective {
        /// The call.
        call: String,
        /// Why.
        source: CollError,
    },
    /// A message trace that cannot be read.
    #[error("{file}, line {line}: {what}; accepted: {accepted}")]
    Trace {
        /// Which file.
        file: String,
        /// Its line, from 1.
        line: u32,
        /// What stands there.
        what: String,
        /// What would be right.
        accepted: String,
    },
    /// The simulation.
    #[error(transparent)]
    Run(#[from] RunError),
}
