// SPDX-License-Identifier: Apache-2.0
//! The contract between a workload and a backend.
//!
//! Every backend takes the same request and reports the same result: when each action started and
//! finished, event counters, link loads, the bytes in memory afterwards, or a diagnosis of why it
//! could not finish. Energy is arithmetic on the counters and stands here once.

mod config;
mod diagnosis;
mod energy;
mod error;
mod ports;
mod random;
mod record;
mod result;
mod watch;

pub use config::{
    AxiPort, LocalSide, MAX_THREADS, MAX_VALUE_BYTES, MemoryImage, Mode, RunConfig, StallConfig,
};
pub use diagnosis::{Diagnosis, WaitEdge};
pub use energy::energy_pj;
pub use error::RunError;
pub use noccl_workload::number::mix;
pub use ports::{CHANNELS, CONTENTS, PortChannel, PortCycle, PortRun, PortWord, folded, place_of};
pub use random::Rng;
pub use record::{
    BeatSource, Command, CommandKind, Completion, Contribution, CycleRecord, FlitPlace, FlitRecord,
    Handshake, RecordedKind, RecordedRows, Store, TransferStart,
};
pub use result::{ActionTime, Counters, LinkLoad, Progress, RunResult, TrafficResult};
pub use watch::{Activity, Step, Tally, Watch};
