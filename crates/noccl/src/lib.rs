// SPDX-License-Identifier: Apache-2.0
//! Everything a user calls: the library's one front door.
//!
//! The command line and the Python package call these functions and hold no rule of their own. Each
//! verb of the command line is one function here; what it answers is a plain row type with a JSON form.

mod analytic;
mod barrier;
pub mod bench;
mod checkpoints;
pub mod compare;
mod demo;
mod describe;
mod doctor;
mod error;
mod files;
pub mod gemm;
mod hardware;
mod links;
mod load;
mod matrix;
mod names;
mod order;
mod plan;
pub mod report;
mod reproduce;
mod rivals;
mod rtl;
mod run;
mod schema;
mod select;
mod size;
pub mod stress;
mod traffic;
mod verified;

pub use analytic::{
    MAX_MODEL_ERROR, MEDIAN_MODEL_ERROR, ModelRow, ModelVerdict, PARTING_DEVIATION, PartingRow,
    PublishedRow, Verdicts, calibrate, calibration_text, model_rows, model_verdict, parting,
    published_verdict, read_calibration, verdicts,
};
pub use barrier::{
    BarrierRow, BarrierSlope, BarrierStudy, MAX_BARRIER_CLUSTERS, barrier_study, check_barrier_page,
};
pub use checkpoints::{CheckpointRequest, is_saving};
pub use compare::{
    AlgorithmRequest, Backend, CompareRequest, CompareRow, Comparison, LinkFlits, Skipped,
    SumError, compare, compare_by_model, parse_algorithms, plane_name,
};
pub use demo::{DEMO_KIB, DEMO_PRESET, demo};
pub use describe::{LinkRow, NetworkDescription, RegionRow, TileRow, describe};
pub use doctor::{DoctorRow, doctor};
pub use error::{Error, ErrorClass};
pub use files::{
    MAX_FILE_BYTES, MAX_TOML_BYTES, MAX_TRACE_BYTES, check_output, parse_json, parse_schedule,
    read_json, read_schedule, read_text, read_trace, write_bytes, write_file,
};
pub use gemm::{AttentionRequest, AttentionRow, GemmRequest, GemmRow, attention, gemm};
pub use hardware::{HardwareRequest, parse_boundary};
pub use load::{Loaded, load, load_spec, preset_names};
pub use matrix::{MatrixRequest, MatrixRow, matrix};
pub use names::{
    parse_collective, parse_element, parse_operator, parse_override, parse_pattern, word,
};
pub use order::{
    MAX_DRAWN_DESTINATIONS, OrderDraw, OrderDrawRequest, OrderReport, OrderRequest, OrderRow,
    leg_hops, order, order_draws, parse_orders,
};
pub use plan::{check, schedule};
pub use report::{cases, mechanism, read_rows, verdict};
pub use reproduce::{
    ClaimRow, Evidence, Figure, REPRODUCIBLE, Reproduction, ToleranceKind, check_claims_page,
    claims_count, reproduce, write_figures,
};
pub use rivals::{Rival, RivalRow, RivalsRequest, parse_pair, rival_figures, rivals};
pub use rtl::{check_rtl_folder, rtl_config, write_rtl, write_rtl_package, write_rtl_vectors};
pub use run::{RunReport, RunRequest, replay, report_run, run, run_values};
pub use schema::{SCHEMA_NAMES, schema};
pub use select::{
    default_root, group_name, members, parse_group, parse_root, parse_set, parse_tile, root_name,
};
pub use size::{format_bytes, parse_bytes, size_note};
pub use stress::{
    HistogramBin, MAX_STRESS_SEEDS, MAX_STRESS_TRANSACTIONS, MIN_STRESS_TRANSACTIONS,
    StressFailure, StressKind, StressReport, StressRequest, parse_stress_kinds, stress,
};
pub use traffic::{TrafficReport, TrafficRequest, traffic, zero_load_latency_cycles};
pub use verified::Verified;

// What the calls above take and give, so that callers need this crate only.
pub use noccl_coll::gemm::{Spread, SubmatrixShape, Sync as GemmSync};
pub use noccl_coll::stops::StopOrder;
pub use noccl_coll::{Algorithm, Choice, CollError};
pub use noccl_cosim::lockstep::LockstepError;
pub use noccl_cosim::{Boundary, HardwareError, HardwareReport};
pub use noccl_files::{message, visible, visible_line};
pub use noccl_model::{Calibration, Constant, Constants, Law};
pub use noccl_net::{Coord, MultiAddress, NetError, Network, TileRef, TileSet};
pub use noccl_rtl::{RtlConfig, RtlError};
pub use noccl_run::{
    ActionTime, Activity, Counters, Diagnosis, MAX_THREADS, MAX_VALUE_BYTES, MemoryImage, Mode,
    RunConfig, RunError, RunResult, StallConfig, Step, TrafficResult, WaitEdge, Watch,
};
pub use noccl_sim::checkpoint::CheckpointError;
pub use noccl_spec::{Plane, Spec, SpecError, TileKindName, preset_text, to_toml};
pub use noccl_workload::{
    CheckError, CheckReport, Collective, CollectiveKind, Deadlock, DeadlockProof, DeadlockReport,
    DeadlockWait, ElementType, Operator, Pattern, Place, Schedule, Trace, Traffic, WorkloadError,
};
