// SPDX-License-Identifier: Apache-2.0
//! Collectives on one network: algorithms, schedules, the check, runs, comparisons and the schedule search.

mod plan;
mod run;

pub use plan::check;
pub use run::{RunReport, RunRequest, record, record_replay, replay, report_run, run};

pub use noccl_coll::chain::order::ChainOrder;
pub use noccl_coll::{Algorithm, Choice, CollError};
pub use noccl_run::{
    ActionTime, Counters, Diagnosis, MAX_VALUE_BYTES, MemoryImage, RunResult, WaitEdge,
};
pub use noccl_sim::checkpoint::CheckpointError;
pub use noccl_studies::{
    AlgorithmRequest, AutoChoice, AutoGrid, AutoRequest, AutoRow, CauseRow, CheckpointRequest,
    CompareRequest, CompareRow, Comparison, ExplainMethod, ExplainRequest, ExplainSubject,
    Explanation, Extent, LibraryBest, LinkFlits, Loaded, MatrixRequest, MatrixRow, RunRecording,
    SearchEnd, Skipped, Spread as AutoSpread, SumError, SynthReport, SynthRequest, Verified, View,
    ViewRequest, auto_grid, auto_grid_text, auto_losses, auto_spread, check_auto_grid_page,
    check_auto_page, compare, compare_by_model, explain, fewer_chunks, is_saving, matrix,
    parse_algorithms, parse_bytes, parse_collective, parse_element, parse_lengths, parse_objective,
    parse_one_algorithm, parse_operator, parse_recording, parse_schedule, read_definition,
    read_schedule, read_trace, run_values, schedule, size_note, synth, update_auto_grid_page,
    update_auto_page, verify_values, view, view_schedule, word,
};
pub use noccl_synth::Objective;
pub use noccl_workload::{
    CheckError, CheckReport, Collective, CollectiveKind, Deadlock, DeadlockProof, DeadlockReport,
    DeadlockWait, Definition, ElementType, Lengths, Operator, Place, Schedule, Trace,
    WorkloadError,
};
