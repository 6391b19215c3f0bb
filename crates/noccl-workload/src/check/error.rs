// SPDX-License-Identifier: Apache-2.0
//! Why a schedule is refused before anything is simulated.

use super::{Deadlock, SharedLink};
use std::fmt;
use thiserror::Error;

/// A set of tiles that does not exist on the network.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{found}; accepted: {accepted}")]
pub struct TileSetError {
    /// What was written.
    pub found: String,
    /// What would be accepted.
    pub accepted: String,
}

/// One wait of a cycle: at `tile`, `waiter` starts only after `awaited`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    /// Tile at which the order is written, in the words of users.
    pub tile: String,
    /// Action that waits.
    pub waiter: String,
    /// Action that must be over first.
    pub awaited: String,
}

/// Two accesses to the same bytes that nothing orders; at least one is a write.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{second} {second_access} bytes {start}..{end} of {tile}, which {first} {first_access}, and nothing \
     makes it wait; order them with `after`, or between tiles by a barrier or reduction in which both \
     initiators take part"
)]
pub struct Race {
    /// Earlier action in the file.
    pub first: String,
    /// "reads" or "writes".
    pub first_access: &'static str,
    /// Later action in the file.
    pub second: String,
    /// "reads" or "writes".
    pub second_access: &'static str,
    /// Tile whose memory it is.
    pub tile: String,
    /// First byte in question.
    pub start: u64,
    /// End of the range.
    pub end: u64,
}

/// A range of an output that does not hold what the collective promises.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("bytes {start}..{end} of {tile} (rank {rank}): expected {expected}, found {found}")]
pub struct WrongOutput {
    /// Rank of the participant, or of the root in its group; a root outside the group is called "root".
    pub rank: String,
    /// Tile of the output.
    pub tile: String,
    /// First wrong byte.
    pub start: u64,
    /// End of the wrong range.
    pub end: u64,
    /// What should be there.
    pub expected: String,
    /// What is there.
    pub found: String,
}

/// Reductions or barriers that may be open together at a tile that has no space for all of them.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{tile}: {} may be open together and need {limit} of {needed} there, the network has {available}; accepted: \
     at most {num_accepted} of them at a time, {remedy}, or {limit} of at least {needed}",
    actions.join(", ")
)]
pub struct Overload {
    /// Tile of the router whose store is too small, or of the target with too few counters.
    pub tile: String,
    /// The actions.
    pub actions: Vec<String>,
    /// Field of the spec that sets the limit.
    pub limit: &'static str,
    /// What they may need at worst.
    pub needed: u64,
    /// What there is.
    pub available: u64,
    /// How many of them have space at the same time, whichever they are.
    pub num_accepted: usize,
    /// What is to happen to the others.
    pub remedy: &'static str,
}

/// What the checker found wrong. Each message says what, where and what would be accepted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CheckError {
    /// A field holds something impossible on this network.
    #[error("{field} = {found}: {accepted}")]
    Field {
        /// Path of the field, e.g. `actions[3].kind.transfer.bytes`.
        field: String,
        /// Value found.
        found: String,
        /// What would be accepted.
        accepted: String,
    },
    /// A range does not fit into a tile's memory.
    #[error("{field}: needs {needed_bytes} bytes of {tile}, which has {available_bytes} ({limit})")]
    DoesNotFit {
        /// Path of the field that places the range.
        field: String,
        /// Tile.
        tile: String,
        /// Bytes from the start of the memory to the end of the range.
        needed_bytes: u128,
        /// Size of the memory.
        available_bytes: u64,
        /// Field of the spec that says so.
        limit: &'static str,
    },
    /// Actions that wait for each other in a circle: no order of execution exists.
    #[error("wait cycle: {}", WaitList(.0))]
    WaitCycle(
        /// The waits, each on the next; the last on the first.
        Vec<Wait>,
    ),
    /// More reductions or barriers than a tile has space for may be open together.
    #[error("{0}")]
    Overload(Box<Overload>),
    /// Actions that may be in flight together may wait for each other forever.
    #[error("{0}")]
    Deadlock(Box<Deadlock>),
    /// Messages of one round share a link, though the schedule claims that none do.
    #[error("claims_rounds: {0}")]
    Rounds(Box<SharedLink>),
    /// Two unordered actions touch the same bytes and at least one writes them.
    #[error("race: {0}")]
    Race(Box<Race>),
    /// An output does not hold what the collective promises.
    #[error("collective.output_offset: {0}")]
    Postcondition(Box<WrongOutput>),
    /// A participant may leave the barrier too early.
    #[error(
        "collective: {leaver} can finish before {enterer} has started; accepted: a barrier in which both take part"
    )]
    BarrierLeak {
        /// Participant that leaves.
        leaver: String,
        /// Participant that has not entered.
        enterer: String,
    },
}

struct WaitList<'a>(&'a [Wait]);

impl fmt::Display for WaitList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, wait) in self.0.iter().enumerate() {
            let separator = if i == 0 { "" } else { "; " };
            write!(
                f,
                "{separator}at {} {} waits for {}",
                wait.tile, wait.waiter, wait.awaited
            )?;
        }
        f.write_str(
            "; accepted: every action after earlier ones only, in the same order at all tiles",
        )
    }
}
