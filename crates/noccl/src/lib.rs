// SPDX-License-Identifier: Apache-2.0
//! Everything a user calls: the library's one front door.
//!
//! The command line and the Python package call these functions and hold no rule of their own. Each
//! verb of the command line is one function here; what it returns is a plain row type with a JSON form.

mod build;
mod called;
mod console;
mod core_costs;
mod demo;
mod describe;
mod doctor;
mod executed;
mod hardware;
mod messages;
mod npb;
mod plan;
pub mod program;
mod recorded;
pub mod report;
mod rtl;
mod run;
mod schema;
mod timeline;
mod tree;

pub use build::{BuildRow, build};
pub use called::{
    CalledRankRow, CalledReport, CalledRequest, Recorded, Recording, record_called, run_called,
};
pub use console::ConsoleStreams;
pub use core_costs::core_costs;
pub use demo::{DEMO_KIB, DEMO_PRESET, demo};
pub use describe::{
    DescribedTile, LinkRow, MessageCosts, NetworkDescription, RegionRow, TileRow, describe,
};
pub use doctor::{DoctorRow, DoctorState, doctor};
pub use executed::{
    ExecutedRankRow, ExecutedReport, ExecutedRequest, FileRequest, is_program_of_calls,
    record_executed, refuse_checkpoint, run_executed,
};
pub use hardware::{HardwareRequest, parse_boundary};
pub use messages::{
    MessagesCall, MessagesLibrary, MessagesRankRow, MessagesReport, MessagesRequest,
    record_replayed, replay_messages,
};
pub use noccl_program::LibraryCosts;
pub use npb::{NpbRequest, npb, parse_npb_class, parse_npb_kernels, parse_npb_libraries};
pub use plan::check;
pub use program::CollectiveUseRow;
pub use recorded::take_recorded;
pub use report::{algorithm, cases, read_rows, verification};
pub use rtl::{
    check_rtl_folder, rtl_config, rtl_numbers, write_rtl, write_rtl_package, write_rtl_vectors,
};
pub use run::{RunReport, RunRequest, replay, report_run, run};
pub use schema::{SCHEMA_NAMES, schema};
pub use timeline::{TIMELINE_VERSION, Timeline, TimelineRank};
pub use tree::{TreeDescription, TreeKind, TreeRequest, TreeTile, parse_tree, tree};

// Studies, and what they and the calls above stand on.
pub use noccl_studies::{
    AUTO_GRID_NETWORKS, AlgorithmRequest, AttentionRequest, AttentionRow, AutoChoice, AutoGrid,
    AutoRequest, AutoRow, Backend, BarrierRow, BarrierSlope, BarrierStudy, BaselineAlgorithm,
    BaselineRow, BaselinesRequest, CheckpointRequest, CoherenceProgram, CoherenceProtocol,
    CoherenceRequest, CoherenceRow, CompareRequest, CompareRow, Comparison, CoreCostRow,
    CoreCostSpread, CoreCosts, DESIGN_NAMES, DeviationRow, Error, ErrorClass, Figure, GemmRequest,
    GemmRow, HistogramBin, LibraryBest, LinkFlits, Loaded, MARKED_DEVIATION, MAX_BARRIER_CLUSTERS,
    MAX_DRAWN_DESTINATIONS, MAX_FILE_BYTES, MAX_MODEL_ERROR, MAX_STRESS_SEEDS,
    MAX_STRESS_TRANSACTIONS, MAX_TOML_BYTES, MAX_TRACE_BYTES, MEDIAN_MODEL_ERROR,
    MIN_STRESS_TRANSACTIONS, MatrixRequest, MatrixRow, ModelAccuracy, ModelRow, NoiseRequest,
    NoiseStatistics, NpbQuantity, NpbRow, OrderDraw, OrderDrawRequest, OrderReport, OrderRequest,
    OrderRow, PublishedRow, SearchEnd, Skipped, Spread as AutoSpread, StressFailure, StressKind,
    StressReport, StressRequest, SumError, SynthReport, SynthRequest, TrafficPoint, TrafficReport,
    TrafficRequest, Validation, Verified, attention, auto_grid, auto_grid_text, auto_lines,
    auto_losses, auto_spread, barrier_study, baseline_figures, baselines, bench, calibrate,
    calibration_text, check_auto_grid_page, check_auto_page, check_barrier_page, check_output,
    coherence, compare, compare_by_model, default_root, deviations, format_bytes, gemm, group_name,
    is_saving, load, load_spec, loads_of_capacity, matrix, members, model_accuracy, model_rows,
    model_spread, order, order_draws, parse_algorithms, parse_bytes, parse_collective,
    parse_designs, parse_element, parse_faulty_link, parse_group, parse_json, parse_kernels,
    parse_lengths, parse_objective, parse_operator, parse_orders, parse_override, parse_pair,
    parse_pattern, parse_protocols, parse_root, parse_schedule, parse_set, parse_stress_kinds,
    parse_tile, parse_time_limit, path_hops, preset_names, published_rows, read_calibration,
    read_definition, read_json, read_recording, read_schedule, read_text, read_trace, root_name,
    run_values, schedule, size_note, stress, synth, traffic, update_auto_grid_page,
    update_auto_page, validation, verify_values, word, write_bytes, write_figures, write_file,
    zero_load_latency_cycles,
};

// What the calls above take and give, so that callers need this crate only.
pub use noccl_coherence::machine::MachineError;
pub use noccl_coherence::{Kernel, Log, RecordingError, Size as KernelSize};
pub use noccl_coll::chain::order::ChainOrder;
pub use noccl_coll::gemm::{Spread, SubmatrixShape, Sync as GemmSync};
pub use noccl_coll::{Algorithm, Choice, CollError};
pub use noccl_compile::{
    CompileError, CompileRequest, CompileStep, Messages, NpbClass, NpbKernel, NpbLibrary,
    Optimization,
};
pub use noccl_cosim::lockstep::LockstepError;
pub use noccl_cosim::{Boundary, HardwareError, HardwareReport};
pub use noccl_files::{FileError, Scratch, message, visible, visible_line};
pub use noccl_model::{Calibration, Constant, Constants, Law};
pub use noccl_net::{Coord, MultiAddress, NetError, Network, Port, TileId, TileRef, TileSet};
pub use noccl_riscv::RiscvError;
pub use noccl_rtl::{RtlConfig, RtlError, RtlNumbers, SmartRtlConfig};
pub use noccl_run::{
    ActionTime, Counters, Diagnosis, MAX_THREADS, MAX_VALUE_BYTES, MemoryImage, Mode, RunConfig,
    RunError, RunResult, StallConfig, Step, TrafficResult, WaitEdge, Watch, WorkStage,
};
pub use noccl_sim::checkpoint::CheckpointError;
pub use noccl_spec::{Plane, Spec, SpecError, TileKindName, preset_text, to_toml};
pub use noccl_synth::Objective;
pub use noccl_workload::{
    CheckError, CheckReport, Collective, CollectiveKind, Deadlock, DeadlockProof, DeadlockReport,
    DeadlockWait, Definition, ElementType, Lengths, Operator, Pattern, Place, Schedule, Trace,
    Traffic, WorkloadError,
};
