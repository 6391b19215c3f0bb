// SPDX-License-Identifier: Apache-2.0
//! What is made of many runs: comparisons of algorithms, matrix products, barriers, stress, benchmarks.
//!
//! Studies stand above the simulator, the model and the library of algorithms, and below the facade, which gives each of them a verb
//! and re-exports what its users need. [`parts`] is what the facade's own verbs and the experiments on papers are made of.

mod advise;
mod analytic;
mod auto_grid;
mod auto_loss;
mod auto_page;
mod barrier;
mod baselines;
pub mod bench;
mod coherence;
pub mod compare;
mod core_costs;
mod error;
mod explain;
mod figure;
pub mod gemm;
mod matrix;
mod measure;
mod noise;
mod npb;
mod order;
pub mod parts;
mod recording;
mod request;
mod runs;
pub mod stress;
mod synth;
mod trace_event;
mod traffic;
mod verified;
mod view;

pub use advise::{
    Advice, AdviceArea, AdviceConclusion, AdviceEvidence, AdviceLeftOut, AdvicePart, AdvicePath,
    AdviceRequest, AdviceRow, AdviceSimulation, AdviceStep, AdviceWorkload, DeadlockFreedom,
    Mechanism, WORKLOAD_FORMAT, WORKLOAD_NAMES, advice_files, advise, parse_workload,
    program_preset, read_workload, read_workload_on, workload_text, workload_toml,
};
pub use analytic::{
    DeviationRow, MARKED_DEVIATION, MAX_MODEL_ERROR, MEDIAN_MODEL_ERROR, ModelAccuracy, ModelRow,
    PublishedRow, Validation, calibrate, calibration_text, deviations, model_accuracy, model_rows,
    published_rows, read_calibration, validation,
};
pub use auto_grid::{AUTO_GRID_NETWORKS, AutoGrid, auto_grid};
pub use auto_loss::{AutoChoice, AutoRequest, AutoRow, auto_losses};
pub use auto_page::{
    Spread, auto_grid_text, auto_lines, auto_spread, check_auto_grid_page, check_auto_page,
    model_spread, update_auto_grid_page, update_auto_page,
};
pub use barrier::{
    BarrierRow, BarrierSlope, BarrierStudy, MAX_BARRIER_CLUSTERS, barrier_study, check_barrier_page,
};
pub use baselines::{
    BaselineAlgorithm, BaselineRow, Baselines, BaselinesRequest, baseline_figures, baselines,
    parse_pair,
};
pub use coherence::{
    CoherenceProgram, CoherenceProtocol, CoherenceRequest, CoherenceRow, DESIGN_NAMES,
    ENERGY_UNITS, coherence, parse_designs, parse_kernels, parse_protocols, read_recording,
};
pub use compare::{
    AlgorithmRequest, Backend, CompareRequest, CompareRow, Comparison, EstimateRange, Extent,
    LinkFlits, Remedy, Skipped, SumError, Synchronisation, compare, compare_by_model, fewer_chunks,
    parse_algorithms, parse_one_algorithm, program_choice, runtime_cycles, schedule,
};
pub use core_costs::{CoreCostRow, CoreCostSpread, CoreCosts, ExecutedCase, calibrate_cores};
pub use error::{Error, ErrorClass};
pub use explain::{
    BlockedRow, CauseRow, ExplainMethod, ExplainRequest, ExplainSubject, Explanation, PartRow,
    PathRow, RelaxedRow, ResourceRow, explain,
};
pub use figure::{Bars, Content, Figure, Line, Panel, Series, write_figures};
pub use gemm::{AttentionRequest, AttentionRow, GemmRequest, GemmRow, attention, gemm};
pub use matrix::{MatrixRequest, MatrixRow, matrix};
pub use noise::{
    MAX_NOISY_RUNS, MAX_START_SKEW_CYCLES, NoiseRequest, NoiseStatistics, under_noise,
};
pub use npb::{NpbQuantity, NpbRow};
pub use order::{
    MAX_DRAWN_DESTINATIONS, OrderDraw, OrderDrawRequest, OrderReport, OrderRequest, OrderRow,
    order, order_draws, parse_orders, path_hops,
};
pub use recording::{
    BlockedTrace, LinkTrace, MAX_RECORDED_SLICES, MAX_RECORDED_WINDOWS, RECORD_ALL,
    RECORDING_FORMAT, RecordedCall, RecordedInput, RecordedPort, RecordedRank, RecordedSlice,
    RecordedTransactions, RunRecording, TracedLink, parse_recording,
};
pub use request::{
    Loaded, MAX_FILE_BYTES, MAX_TOML_BYTES, MAX_TRACE_BYTES, check_output, default_root,
    format_bytes, group_name, load, load_spec, members, parse_bytes, parse_collective,
    parse_element, parse_group, parse_json, parse_lengths, parse_mode, parse_operator,
    parse_override, parse_pattern, parse_root, parse_schedule, parse_set, parse_threads,
    parse_tile, preset_names, read_definition, read_json, read_schedule, read_text, read_trace,
    root_name, size_note, word, write_bytes, write_file,
};
pub use runs::{CheckpointRequest, is_saving, run_values, verify_values};
pub use stress::{
    HistogramBin, MAX_STRESS_SEEDS, MAX_STRESS_TRANSACTIONS, MIN_STRESS_TRANSACTIONS,
    StressFailure, StressKind, StressReport, StressRequest, parse_stress_kinds, stress,
};
pub use synth::{
    LibraryBest, SearchEnd, SynthReport, SynthRequest, parse_faulty_link, parse_objective,
    parse_time_limit, synth,
};
pub use trace_event::{TraceEvents, quoted};
pub use traffic::{TrafficPoint, TrafficReport, TrafficRequest, traffic, zero_load_latency_cycles};
pub use verified::Verified;
pub use view::{
    MAX_WINDOWS, VIEW_FORMAT, View, ViewAction, ViewOptions, ViewRequest, ViewTile, view,
    view_options, view_schedule,
};

// What studies say of their course.
pub use noccl_run::{Step, Watch};
