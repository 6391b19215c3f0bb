// SPDX-License-Identifier: Apache-2.0
//! What a backend is given to run: schedules and traffic; collectives as pre- and postconditions; the checker.
//!
//! A schedule names actions and dependencies, never cycles, flits or router ports. Algorithms are
//! open: anybody may emit a schedule, because the checker, not the author, is trusted.

mod action;
pub mod check;
mod collective;
mod definition;
mod instances;
mod interpret;
mod kernel;
mod layout;
pub mod number;
mod participants;
mod postcondition;
mod read;
mod schedule;
mod trace;
mod traffic;

pub use action::{
    AccessPattern, ActionKind, Agent, Arrival, Barrier, BarrierMechanism, CHAIN_BEAT_BYTES, Chain,
    ChainDestination, Completion, Compute, Destination, Effect, InNetworkReduction, Lines,
    ListMulticast, LocalReduce, MAX_FIELD, MAX_LOOPS, Message, MessageRows, Need, NetworkFold,
    PatternLoop, Rectangle, StaticMulticast, Targets, Transfer, WORD_BYTES, Waits, WordStream,
    participants,
};
pub use check::{
    CheckError, CheckReport, Deadlock, DeadlockProof, DeadlockReport, DeadlockWait, MAX_CYCLES,
    Overload, TileSetError, check, check_collective, check_deadlock, check_definition,
    check_lengths, check_sets, check_trace, check_trace_limits, may_overlap_others,
};
pub use collective::{
    Blocks, Buffers, Collective, CollectiveClass, CollectiveKind, Holders, Lengths, Origin, Values,
};
pub use definition::{ChunkRef, Definition, InputChunks, Want};
pub use instances::{Instance, Instances, Numbered};
pub use interpret::{FoldTree, fold_tree};
pub use interpret::{Memories, interpret};
pub use kernel::{Extent, FoldRows, Kernel, Multiply, Operation, RowWise, sum_element};
pub use layout::{Layout, LayoutError};
pub use number::{ElementType, Operator};
pub use participants::{as_multi_address, check_base, check_multi_address};
pub use postcondition::{Asked, Operand, Output, Postcondition};
pub use read::{
    TraceFile, TrafficFile, WorkloadError, read_schedule, read_trace, read_traffic,
    schedule_schema, to_json, trace_schema, traffic_schema,
};
pub use schedule::{Action, ActionId, First, Place, SCHEDULE_FORMAT, Schedule};
pub use trace::{
    Difference, Fault, MAX_TRANSACTION_BEATS, PortKind, PortTransaction, TRACE_FORMAT, Trace,
};
pub use traffic::{
    MAX_RANDOM_MEMBERS, MAX_TRAFFIC_CYCLES, Pattern, TRAFFIC_FORMAT, Traffic, check_pattern,
    check_traffic,
};
