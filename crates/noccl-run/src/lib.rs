// SPDX-License-Identifier: Apache-2.0
//! The contract between a workload and a backend.
//!
//! Every backend takes the same request and reports the same result: when each action started and
//! finished, event counters, link loads, the bytes in memory afterwards, or a diagnosis of why it
//! could not finish. Energy is arithmetic on the counters and stands here once.
//!
//! [`Backend`] and [`Run`] are the contract, [`advance`] is the one loop around a run of any backend, and
//! [`conformance`] is what each of them is tried with.

mod backend;
mod breakdown;
mod clock;
mod config;
pub mod conformance;
mod diagnosis;
mod energy;
mod error;
mod open_run;
mod ports;
mod progress;
mod random;
mod rank_time;
mod record;
mod recording;
mod result;
mod run_loop;

pub use backend::{Activity, Backend, Checkpoints, OnProgress, Request, Run, Status};
pub use breakdown::{Breakdown, Cause, CauseCycles, Part, PathStep, Resource, ResourceUse};
pub use clock::{gb_per_s, time_ns};
pub use config::{
    AxiPort, LocalSide, MAX_THREADS, MAX_VALUE_BYTES, MemoryImage, Mode, RunConfig, StallConfig,
};
pub use diagnosis::{Diagnosis, WaitEdge};
pub use energy::energy_pj;
pub use error::RunError;
pub use noccl_workload::number::mix;
pub use open_run::{Busy, Ended, OpenRun, Order};
pub use ports::{
    CHANNELS, CONTENTS, PortChannel, PortCycle, PortRun, PortWord, beat_signature, place_of,
};
pub use progress::{Step, Tally, Watch, WorkStage};
pub use random::Rng;
pub use rank_time::{RankTime, TimeSlice, TimeSlices};
pub use record::{
    BeatSource, Command, CommandKind, Completion, Contribution, CycleRecord, FlitPlace, FlitRecord,
    Handshake, RecordedKind, RecordedRows, Store, TransferStart,
};
pub use record::{MessageClass, MessageCrossing, MessageCycle, MessageDelivery, QueuedPacket};
pub use recording::{
    BLOCKING_CAUSES, BlockedPort, RecordRequest, Recording, TransactionTime, Window,
};
pub use result::{ActionTime, Counters, LinkLoad, Progress, RunResult, TrafficResult};
pub use run_loop::{advance, step};
