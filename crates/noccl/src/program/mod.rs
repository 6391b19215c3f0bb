// SPDX-License-Identifier: Apache-2.0
//! Programs of ranks: sessions, compiled programs, recorded messages and their replay.

mod build;
mod called;
mod console;
mod core_costs;
mod executed;
mod messages;
mod npb;
mod recorded;
mod report;
mod session;
mod timeline;

pub use build::{BuildRow, build};
pub use called::{CalledRequest, Recorded, Recording, record_called, run_called};
pub use console::ConsoleStreams;
pub use core_costs::core_costs;
pub use executed::{
    ExecutedRequest, FileRequest, is_program_of_calls, record_executed, refuse_checkpoint,
    run_executed,
};
pub use messages::{MessagesLibrary, MessagesRequest, record_replayed, replay_messages};
pub use npb::{NpbRequest, npb, parse_npb_class, parse_npb_kernels, parse_npb_libraries};
pub use recorded::take_recorded;
pub use report::{ProgramCall, ProgramRankRow, ProgramReport};
pub use timeline::{TIMELINE_VERSION, Timeline, TimelineRank};

pub use noccl_compile::{
    CompileError, CompileRequest, CompileStep, Messages, NpbClass, NpbKernel, NpbLibrary,
    Optimization,
};
pub use noccl_program::LibraryCosts;
pub use noccl_program::{
    CollectiveCall, CollectiveUse, CommId, ProgramError, RankId, RankReport, Receive, Received,
    Report, RequestId, Response, Send, Session, Span,
};
pub use noccl_riscv::RiscvError;
pub use noccl_studies::{
    CoreCostRow, CoreCostSpread, CoreCosts, HistogramBin, NoiseRequest, NoiseStatistics,
    NpbQuantity, NpbRow, RECORD_ALL,
};
pub use session::{ProgramRequest, parse_program_algorithm, session};
